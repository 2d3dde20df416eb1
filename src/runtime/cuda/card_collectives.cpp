#include "runtime/cuda/card_collectives.h"

#include <utility>
#include <vector>

#include "kernels/library_context.h"
#include "runtime/program/device_stream.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

/// A rank's communicator for one call: what starts follows the work of a stream.
class OnStream final : public distributed::Communicator {
 public:
  OnStream(CudaDevice& device, cuda::CardRanks& ranks, StreamId stream)
      : device_(device), ranks_(ranks), stream_(stream) {}

  int rank() const override { return ranks_.rank(); }

  int world() const override { return ranks_.world(); }

  size_t group_size(const std::string& group) const override { return ranks_.group_size(group); }

  void start(distributed::Collective collective) override {
    for (Tensor& operand : collective.operands) {
      if (!operand.is_contiguous()) operand = copied(operand, {}, {device_, stream_});
    }
    for (const Tensor& result : collective.results) {
      require(result.is_contiguous(), ErrorCode::unsupported,
              "the result of a collective on a card must be contiguous:", signature(collective));
    }
    const auto use = device_.streams()->use(stream_);
    ranks_.start_after(std::move(collective), use.stream());
  }

  void wait(const Tensor& /*result*/) override {
    fail(ErrorCode::internal, "waits of a card's program have their own function");
  }

  void wait_all() override {}

  void leave(const std::string& /*why*/) override {}

 private:
  CudaDevice& device_;
  cuda::CardRanks& ranks_;
  StreamId stream_;
};

}  // namespace

CardCollectives::CardCollectives(CudaDevice& device,
                                 const std::shared_ptr<distributed::Communicator>& communicator)
    : device_(device), ranks_(std::dynamic_pointer_cast<cuda::CardRanks>(communicator)) {
  require(ranks_ != nullptr, ErrorCode::unsupported,
          "programs of several ranks run on cards over NCCL only (--engine nccl); ranks:",
          communicator->world());
  require(ranks_->card() == device.device().index, ErrorCode::unsupported,
          "a rank must run on the card with which it joined:", ranks_->card(),
          device.device().index);
}

void CardCollectives::run(std::string_view function,
                          std::span<const kernels::LibraryArgument> arguments,
                          std::span<Tensor> results, StreamId stream) {
  if (function == "wait") return wait(std::get<Tensor>(arguments[0]), results[0], stream);
  kernels::LibraryContext context;
  context.join(std::make_shared<OnStream>(device_, *ranks_, stream));
  std::vector<kernels::LibraryArgument> own(arguments.begin(), arguments.end());
  kernels::LibraryCall call{function, own, results, &context};
  const auto start = kernels::find_library_function(function);
  require(start != nullptr, ErrorCode::unsupported,
          "the library must have this function:", function);
  start(call);
}

void CardCollectives::wait(const Tensor& awaited, Tensor& result, StreamId stream) {
  std::shared_ptr<const void> kept;
  {
    const auto use = device_.streams()->use(stream);
    kept = ranks_->wait_before(awaited, use.stream());
  }
  if (!result.defined()) {
    result = awaited;
  } else if (result.address() != awaited.address()) {
    device_.copy(stream, result, awaited);
  }
}

void CardCollectives::finish(StreamId stream) {
  std::shared_ptr<const void> kept;
  const auto use = device_.streams()->use(stream);
  kept = ranks_->wait_all_before(use.stream());
}

}  // namespace litz::runtime
