// A compiled program as plain data: code, launch lists, control flow, signature and weights. It
// contains everything that a run needs, and nothing that only compiling needed.

#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "artifact/kernel_code.h"
#include "artifact/launch_list.h"
#include "artifact/routine.h"
#include "artifact/signature.h"

namespace litz::artifact {

/// The triple of code for NVIDIA devices.
inline constexpr std::string_view kCudaTriple = "nvptx64-nvidia-cuda";

/// The processor that the code was generated for.
struct CodeTarget {
  std::string name;      ///< "avx2", "sm_90"
  std::string triple;    ///< In LLVM's spelling.
  std::string features;  ///< Instruction sets that the code uses, in LLVM's spelling.
};

/// Bytes that a library packed from a weight, in the layout of its kernels. A library that needs
/// another layout packs the weight again.
struct PackedConstant {
  int32_t input = -1;   ///< The weight's input; -1: `source` is used.
  int32_t source = -1;  ///< An earlier packed constant.
  int64_t offset = 0;   ///< Bytes from the start of the weight's storage or of the source.
  std::vector<int64_t>
      description;  ///< Everything else that decides the contents, in the library's terms.
  Tensor data;      ///< u8
};

struct Program {
  std::string name;
  std::string source;  ///< The exporter: "torch 2.15.0".
  CodeTarget target;
  std::vector<Device> exported_on;  ///< In order of first use.
  /// Owns the symbols of all expressions; null if another object does.
  std::shared_ptr<ExprPool> symbols;
  Signature signature;
  std::vector<KernelCode> kernels;  ///< Symbols of phases are unique across kernels.
  std::vector<LaunchList> lists;    ///< Without routines, [0] is the whole program.
  std::vector<Routine> routines;    ///< [0] is the main one.
  std::vector<int32_t> updated;     ///< Inputs whose memory is written in place, ascending.
  std::optional<SymbolId> seed;     ///< The key of random numbers, which each call passes.
  std::vector<PackedConstant> packed;
  /// Programs that steps call, each with symbols and weights of its own. Their weights are constant, may
  /// share memory with this program's, and have the names that they have here.
  std::vector<Program> parts;
};

/// Throws InternalError unless all numbers are valid and the parts fit each other.
void check_program(const Program& program);

std::string to_string(const Program& program);
std::ostream& operator<<(std::ostream& out, const Program& program);

}  // namespace litz::artifact
