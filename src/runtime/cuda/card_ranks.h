// Ranks whose tensors are on cards: collectives in the order of a stream.

#pragma once

#include <memory>

#include "distributed/communicator.h"
#include "runtime/cuda/driver.h"

namespace litz::runtime::cuda {

/// `start` and `wait` of the base take tensors of the host or the card, and act for the host: what
/// starts must be there already, and what was awaited is.
class CardRanks : public distributed::Communicator {
 public:
  /// The number of this rank's card.
  virtual int card() const = 0;

  /// Starts after the work that the stream has so far. Tensors are contiguous and on the card.
  virtual void start_after(distributed::Collective collective, Stream stream) = 0;
  /// Later work of the stream runs after the collective that has this tensor among its results.
  /// Gives what the collective touches: it may be freed once the stream's work is counted.
  [[nodiscard]] virtual std::shared_ptr<const void> wait_before(const Tensor& result,
                                                                Stream stream) = 0;
  /// The same for all that this rank has started. Throws what went wrong, as far as it is known.
  [[nodiscard]] virtual std::shared_ptr<const void> wait_all_before(Stream stream) = 0;
};

}  // namespace litz::runtime::cuda
