// A compiled program as plain data: code, launch lists, control flow, signature and weights. All that
// running it needs, and nothing that compiling it did.

#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "artifact/kernel_code.h"
#include "artifact/launch_list.h"
#include "artifact/routine.h"
#include "artifact/signature.h"

namespace litz::artifact {

/// The processor that code was made for.
struct CodeTarget {
  std::string name;      ///< "znver3", "avx2"
  std::string triple;    ///< As LLVM spells it.
  std::string features;  ///< Instruction sets that code uses, as LLVM spells them.
};

struct Program {
  std::string name;
  std::string source;  ///< What it was exported with: "torch 2.15.0".
  CodeTarget target;
  std::vector<Device> exported_on;  ///< In order of first use.
  /// Owns the symbols of all expressions; null where somebody else does.
  std::shared_ptr<ExprPool> symbols;
  Signature signature;
  std::vector<KernelCode> kernels;  ///< Symbols of phases are unique among all.
  std::vector<LaunchList> lists;    ///< Without routines, [0] is the whole program.
  std::vector<Routine> routines;    ///< [0] is the main one.
  std::vector<int32_t> updated;     ///< Inputs whose memory is written in place, ascending.
  std::optional<SymbolId> seed;     ///< The key of random numbers, which each call is given.
};

/// Throws InternalError unless all numbers name something and parts fit each other.
void check_program(const Program& program);

std::string to_string(const Program& program);
std::ostream& operator<<(std::ostream& out, const Program& program);

}  // namespace litz::artifact
