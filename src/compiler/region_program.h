// A region as a separate program: its graph in its own module, the outer program's weights as
// weights, everything else as inputs.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/program.h"
#include "lowering/plan.h"

namespace litz::compiler {

/// Which values of a program are always the same weight.
class ConstantValues {
 public:
  /// The program must outlive this object. Weights that it changes are not constant.
  explicit ConstantValues(const ir::Program& program);

  /// The number of the program's input; nothing for a value that differs between calls. For an
  /// argument of a child graph, looks at what all calls pass for it.
  std::optional<size_t> input_of(ir::Value value) const;

 private:
  std::optional<size_t> argument_of(ir::Value value, int depth) const;

  const ir::Program& program_;
  std::vector<bool> is_constant_;  ///< Indexed by input of the main graph.
};

struct RegionProgram {
  ir::Program program;
  std::vector<size_t> operands;   ///< A call's inputs: these operands of the region,
  std::vector<SymbolId> symbols;  ///< then the values of these symbols of the outer module.
};

/// Copies the graph of a region through its text, which is exact. Sizes that no operand has as its
/// own become inputs. Constants share their memory with the program's.
RegionProgram make_region_program(const ir::Module& module, const lowering::RegionBody& body,
                                  const ir::Program& outer, const ConstantValues& constants);

/// The text of a graph, of the graphs that it calls and of their symbols: a complete module.
std::string module_text(ir::Graph& graph);

}  // namespace litz::compiler
