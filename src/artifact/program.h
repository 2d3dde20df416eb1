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

/// Bytes that a library made of a weight, in the layout of its kernels. Whoever wants another one makes
/// it of the weight.
struct PackedConstant {
  int32_t input = -1;   ///< The weight's input; -1: it was made of
  int32_t source = -1;  ///< this earlier packed constant.
  int64_t offset = 0;   ///< Bytes from the begin of the weight's storage or of the source.
  std::vector<int64_t>
      description;  ///< All else that decides the contents, in the library's terms.
  Tensor data;      ///< u8
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
  std::vector<PackedConstant> packed;
};

/// Throws InternalError unless all numbers name something and parts fit each other.
void check_program(const Program& program);

std::string to_string(const Program& program);
std::ostream& operator<<(std::ostream& out, const Program& program);

}  // namespace litz::artifact
