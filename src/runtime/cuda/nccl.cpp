#include "runtime/cuda/nccl.h"

#include "support/check.h"
#include "support/shared_library.h"

namespace litz::runtime::cuda {
namespace {

using distributed::Reduction;

// NCCL's numbers.
constexpr int kBytes = 1;  // u8
constexpr int kSum = 0;
constexpr int kProduct = 1;
constexpr int kMax = 2;
constexpr int kMin = 3;
constexpr int kAverage = 4;

constexpr int kLeastVersion = 21000;  // Averages and bf16 came with 2.10.

const SharedLibrary& library() {
  static const SharedLibrary kLibrary(cuda_library_files("LITZ_NCCL", {"libnccl.so.2"}));
  return kLibrary;
}

std::string version_text(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

NcclFunctions find_functions() {
  require(library().is_open(), ErrorCode::unsupported,
          "ranks on NVIDIA devices need NCCL, which could not be opened. Install it (the package "
          "nvidia-nccl-cu13 of pip holds it), and name its folder in LITZ_CUDA_LIBRARIES:",
          library().failures());
  NcclFunctions functions;
  const auto find = [](auto& function, const char* name) {
    library().bind(function, name, "NCCL must be of version 2.10 or later:");
  };
  find(functions.version, "ncclGetVersion");
  find(functions.make_id, "ncclGetUniqueId");
  find(functions.join, "ncclCommInitRank");
  find(functions.destroy, "ncclCommDestroy");
  find(functions.abort, "ncclCommAbort");
  find(functions.async_error, "ncclCommGetAsyncError");
  find(functions.all_reduce, "ncclAllReduce");
  find(functions.reduce_scatter, "ncclReduceScatter");
  find(functions.all_gather, "ncclAllGather");
  find(functions.broadcast, "ncclBroadcast");
  find(functions.send, "ncclSend");
  find(functions.receive, "ncclRecv");
  find(functions.begin_group, "ncclGroupStart");
  find(functions.end_group, "ncclGroupEnd");
  find(functions.error_text, "ncclGetErrorString");
  int version = 0;
  functions.require_success(functions.version(&version), "asking for the version");
  require(version >= kLeastVersion, ErrorCode::unsupported,
          "NCCL must be of version 2.10 or later, not", version_text(version));
  return functions;
}

int number_of(DType dtype) {
  switch (dtype) {
    case DType::i8:
      return 0;
    case DType::u8:
    case DType::bool_:
      return kBytes;
    case DType::i32:
      return 2;
    case DType::u32:
      return 3;
    case DType::i64:
      return 4;
    case DType::u64:
      return 5;
    case DType::f16:
    case DType::c32:
      return 6;
    case DType::f32:
    case DType::c64:
      return 7;
    case DType::f64:
    case DType::c128:
      return 8;
    case DType::bf16:
      return 9;
    default:
      return -1;
  }
}

int number_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return kSum;
    case Reduction::avg:
      return kAverage;
    case Reduction::product:
      return kProduct;
    case Reduction::min:
      return kMin;
    case Reduction::max:
      return kMax;
    case Reduction::bit_and:
    case Reduction::bit_or:
    case Reduction::bit_xor:
      return -1;
  }
  return -1;
}

/// Booleans are 0 and 1: "any" is their greatest, "all" their least.
Reduction for_booleans(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
    case Reduction::bit_or:
      return Reduction::max;
    case Reduction::product:
    case Reduction::bit_and:
      return Reduction::min;
    default:
      return reduction;
  }
}

}  // namespace

void NcclFunctions::require_success(int result, const std::string& doing) const {
  if (result != 0) fail(ErrorCode::io, "NCCL must do its part;", doing + ":", error_text(result));
}

const NcclFunctions& nccl() {
  static const NcclFunctions kFunctions = find_functions();
  return kFunctions;
}

std::string describe_nccl() {
  if (!library().is_open()) return "no NCCL";
  try {
    int version = 0;
    nccl().version(&version);
    return "NCCL " + version_text(version);
  } catch (const Error& error) {
    return "no NCCL (" + error.message() + ")";
  }
}

NcclElements moved_elements(DType dtype) { return {kBytes, item_size(dtype)}; }

NcclReduction reduced_elements(DType dtype, Reduction reduction) {
  const Reduction how = dtype == DType::bool_ ? for_booleans(reduction) : reduction;
  const bool is_linear = how == Reduction::sum || how == Reduction::avg;
  const bool averages_booleans = dtype == DType::bool_ && how == Reduction::avg;
  NcclReduction reduced{{number_of(dtype), is_complex(dtype) ? 2 : 1}, number_of(how)};
  const bool exists = reduced.elements.type >= 0 && reduced.number >= 0 &&
                      (is_linear || !is_complex(dtype)) && !averages_booleans;
  require(exists, ErrorCode::unsupported,
          "a reduction over NCCL must be one that it has for the dtype:", name(reduction),
          litz::name(dtype));
  return reduced;
}

}  // namespace litz::runtime::cuda
