// The collectives of a card's program, as work of its stream.

#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "kernels/library.h"
#include "runtime/cuda/card_ranks.h"
#include "runtime/cuda/cuda_device.h"

namespace litz::runtime {

class CardCollectives {
 public:
  /// Throws Error{unsupported} for ranks that do not act on this device's card.
  CardCollectives(CudaDevice& device,
                  const std::shared_ptr<distributed::Communicator>& communicator);

  /// Runs a function of kernels/collectives.h. Returns at once; the order of the stream is kept.
  void run(std::string_view function, std::span<const kernels::LibraryArgument> arguments,
           std::span<Tensor> results, StreamId stream);

  /// Waits, in the order of the stream, for all that was started.
  void finish(StreamId stream);

 private:
  void wait(const Tensor& awaited, Tensor& result, StreamId stream);

  CudaDevice& device_;
  std::shared_ptr<cuda::CardRanks> ranks_;
};

}  // namespace litz::runtime
