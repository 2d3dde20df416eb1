// The functions that liblitz_mpi.so gives: what the engine needs of MPI, without MPI's own types.
//
// MPI fixes the names of its functions, not the layout of their arguments, so code that was compiled
// for one MPI runs with no other. That code is this one small library, and nothing else needs MPI to
// build or to start.

#pragma once

#include <cstdint>

namespace litz::distributed::mpi {

/// Changes with MpiFunctions.
inline constexpr int32_t kTableVersion = 1;

using Group = struct GroupData*;
using Request = struct RequestData*;

/// Each function with a result of int returns 0, or a code for error_text. Data must live until its
/// request is done. All functions but the last are called by one thread at a time.
struct MpiFunctions {
  int32_t version = kTableVersion;

  /// Starts MPI unless the process has; then it is also the process that ends it. `serialized` is 0
  /// if this process may call MPI from its main thread only.
  int (*start)(int* rank, int* world, int* serialized) = nullptr;
  /// MPI is not ended with the process: ranks may be waiting for each other.
  void (*give_up)() = nullptr;
  /// All members call it with the same ranks and number, in the same order of groups.
  int (*make_group)(const int* ranks, int count, int number, Group* group) = nullptr;
  int (*free_group)(Group group) = nullptr;

  /// `bytes` are those of one rank.
  int (*all_gather)(Group group, const void* from, void* to, int64_t bytes,
                    Request* request) = nullptr;
  int (*all_to_all)(Group group, const void* from, void* to, int64_t bytes,
                    Request* request) = nullptr;
  /// Rows for each rank, and from each rank. The arrays are copied.
  int (*all_to_all_rows)(Group group, const void* from, const int* sent, void* to,
                         const int* received, int64_t row_bytes, Request* request) = nullptr;
  int (*broadcast)(Group group, void* data, int64_t bytes, int root, Request* request) = nullptr;
  int (*send)(Group group, const void* data, int64_t bytes, int to, int tag,
              Request* request) = nullptr;
  int (*receive)(Group group, void* data, int64_t bytes, int from, int tag,
                 Request* request) = nullptr;

  /// A request that is done exists no more.
  int (*test)(Request request, int* is_done) = nullptr;

  void (*error_text)(int code, char* text, int size) = nullptr;
  /// "Open MPI v4.1.4, ..."; lives as long as the process. Also before start.
  const char* (*describe)() = nullptr;
};

}  // namespace litz::distributed::mpi
