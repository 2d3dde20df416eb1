// NVIDIA's NCCL, which is opened when the first rank on a card joins.
//
// Neither its header nor the library is needed to build: the functions here are those that are
// called.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "distributed/collective.h"
#include "runtime/cuda/driver.h"

namespace litz::runtime::cuda {

using NcclCommunicator = struct NcclCommunicatorData*;

/// What rank 0 of a group makes, and the others need to find it.
struct NcclId {
  char bytes[128] = {};
};

struct NcclFunctions {
  int (*version)(int* version) = nullptr;
  int (*make_id)(NcclId* id) = nullptr;
  int (*join)(NcclCommunicator* made, int ranks, NcclId id, int rank) = nullptr;
  int (*destroy)(NcclCommunicator communicator) = nullptr;
  int (*abort)(NcclCommunicator communicator) = nullptr;
  int (*async_error)(NcclCommunicator communicator, int* result) = nullptr;
  int (*all_reduce)(const void* from, void* to, size_t count, int type, int reduction,
                    NcclCommunicator communicator, Stream stream) = nullptr;
  /// `count` is that of a result.
  int (*reduce_scatter)(const void* from, void* to, size_t count, int type, int reduction,
                        NcclCommunicator communicator, Stream stream) = nullptr;
  /// `count` is that of an operand.
  int (*all_gather)(const void* from, void* to, size_t count, int type,
                    NcclCommunicator communicator, Stream stream) = nullptr;
  int (*broadcast)(const void* from, void* to, size_t count, int type, int root,
                   NcclCommunicator communicator, Stream stream) = nullptr;
  int (*send)(const void* from, size_t count, int type, int to, NcclCommunicator communicator,
              Stream stream) = nullptr;
  int (*receive)(void* to, size_t count, int type, int from, NcclCommunicator communicator,
                 Stream stream) = nullptr;
  int (*begin_group)() = nullptr;
  int (*end_group)() = nullptr;
  const char* (*error_text)(int result) = nullptr;

  /// Throws Error{io} unless the result is that of success.
  void require_success(int result, const std::string& doing) const;
};

/// The library of this process. Throws Error{unsupported} without it.
const NcclFunctions& nccl();

/// "2.27.3", or why there is none.
std::string describe_nccl();

/// How NCCL sees the elements of a tensor.
struct NcclElements {
  int type = 0;
  int64_t count = 1;  ///< Per element of the tensor: complex numbers are two.
};

/// Of tensors that are moved: of any dtype.
NcclElements moved_elements(DType dtype);

/// Of tensors that are reduced, and NCCL's number of the reduction. Throws Error{unsupported} for
/// what NCCL does not have.
struct NcclReduction {
  NcclElements elements;
  int number = 0;
};

NcclReduction reduced_elements(DType dtype, distributed::Reduction reduction);

}  // namespace litz::runtime::cuda
