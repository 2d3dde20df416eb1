// The regions of a program, each compiled as its own program.

#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "artifact/routine.h"
#include "compiler/executable.h"
#include "compiler/region_program.h"
#include "compiler/report/compile_report.h"
#include "lowering/plan.h"
#include "passes/regions.h"

namespace litz::compiler {

class RegionSet {
 public:
  /// Compiles every region that the plans call. Throws a region's error with a note that names the
  /// region, unless the options ask to run it uncompiled. Equal regions find their code in
  /// `kernels`. If `only` is given, the others are only counted.
  RegionSet(const ir::Program& program, const lowering::LoweredProgram& lowered,
            std::span<const passes::Region> outlined, const Options& options,
            const Surroundings& surroundings, std::optional<size_t> only = std::nullopt);

  std::vector<Leaf> run(ir::GraphRef body, std::span<const Leaf> operands,
                        const Bindings& bindings) const;

  /// The call of a region in a stored program, whose part i is region i.
  artifact::ProgramStep step_of(const lowering::RegionBody& body,
                                std::vector<artifact::Operand> operands) const;

  std::span<const ReportedRegion> reports() const { return reports_; }

  std::shared_ptr<Executable> executable(size_t i) const { return regions_[i].executable; }

 private:
  struct Region {
    std::vector<size_t> operands;
    std::vector<Expr> symbols;
    std::shared_ptr<Executable> executable;
  };

  void add(const ir::Program& program, const lowering::RegionBody& body,
           const ConstantValues& constants, const passes::Region& outlined, const Options& options,
           const Surroundings& surroundings);

  std::optional<SymbolId> seed_;  ///< The random-number key of the program around.
  std::vector<Region> regions_;
  std::vector<ReportedRegion> reports_;
  std::map<uint32_t, size_t> by_graph_;
};

/// The program's options with the region's own changes.
Options options_of_region(const Options& program, const passes::RegionKey& key);

}  // namespace litz::compiler
