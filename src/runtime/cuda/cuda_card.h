// What all programs of a process on one card share: streams, memory and staging.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "runtime/cuda/cuda_memory.h"
#include "runtime/cuda/cuda_streams.h"
#include "runtime/cuda/staging.h"
#include "types/tensor.h"

namespace litz::runtime::cuda {

struct CudaCard {
  explicit CudaCard(std::shared_ptr<const CudaContext> context)
      : streams(std::make_shared<CudaStreams>(std::move(context))),
        memory(std::make_shared<CudaMemory>(streams)),
        staging(streams) {}

  /// Memory for work that `stream` gets first, if there is one.
  std::shared_ptr<Storage> allocate(Device device, size_t bytes,
                                    std::optional<StreamId> stream) const;

  /// Memory of a caller. `owner` is released when the work that uses it is done. What makes its contents
  /// is work of `writer`, or done.
  std::shared_ptr<Storage> lend(Device device, std::span<std::byte> bytes,
                                std::shared_ptr<const void> owner,
                                std::optional<StreamId> writer) const;

  std::shared_ptr<CudaStreams> streams;
  std::shared_ptr<CudaMemory> memory;
  StagingPool staging;
};

/// The card of this process. It stays until the process ends, and results outlive their programs on it.
/// Throws Error{unsupported} without a driver or without this card.
std::shared_ptr<CudaCard> lasting_card(int index);

}  // namespace litz::runtime::cuda
