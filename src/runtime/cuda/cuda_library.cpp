#include "runtime/cuda/cuda_library.h"

#include <utility>

#include "kernels/collectives.h"
#include "runtime/cuda/staging.h"
#include "runtime/program/device_stream.h"
#include "support/check.h"
#include "types/span_bytes.h"

namespace litz::runtime {
namespace {

using kernels::LibraryArgument;

/// Adds the bytes of a tensor that lies on the card.
void add_range(std::vector<cuda::CardRange>& ranges, const Tensor& tensor, const Device& card,
               bool is_write) {
  if (!tensor.defined() || tensor.device() != card) return;
  ranges.push_back({tensor.address(), span_bytes(tensor), is_write});
}

Tensor on_host(const Tensor& tensor, const Device& card, const cuda::StagedRanges& staged) {
  if (!tensor.defined() || tensor.device() != card) return tensor;
  return Tensor(tensor.dtype(), tensor.sizes(), tensor.strides(), 0,
                Storage::lend({staged.on_host(tensor.address()), span_bytes(tensor)}));
}

}  // namespace

// Copies of constants lie elsewhere in every launch, so to the host's functions they are none.
std::unique_ptr<BoundCall> CudaLibrary::bind(const artifact::LibraryLaunch& launch,
                                             SizeTable& sizes, const LibrarySupport& support) {
  require(!launch.epilogue.has_value(), ErrorCode::unsupported,
          "a card's library calls must have no epilogue:", launch.function);
  if (std::unique_ptr<CardCall> call = CardCall::make(device_, launch, sizes)) return call;
  LibrarySupport own = support;
  own.constants = 0;
  return functions_->bind(launch, sizes, own);
}

std::unique_ptr<BoundCall> CudaLibrary::bind(const artifact::CallLaunch& launch,
                                             const SuppliedCall& supplied, SizeTable& sizes,
                                             std::span<const Expr> varying) {
  return functions_->bind(launch, supplied, sizes, varying);
}

void CudaLibrary::run(std::string_view function, std::span<const LibraryArgument> arguments,
                      std::span<Tensor> results, StreamId stream) {
  if (collectives_ != nullptr && kernels::is_collective(function)) {
    return collectives_->run(function, arguments, results, stream);
  }
  const Device card = device_.device();
  std::vector<cuda::CardRange> ranges;
  for (const LibraryArgument& argument : arguments) {
    if (const auto* const tensor = std::get_if<Tensor>(&argument)) {
      add_range(ranges, *tensor, card, false);
    } else if (const auto* const tensors = std::get_if<std::vector<Tensor>>(&argument)) {
      for (const Tensor& each : *tensors) add_range(ranges, each, card, false);
    }
  }
  for (const Tensor& result : results) add_range(ranges, result, card, true);
  cuda::StagedRanges staged(*device_.streams(), device_.staging(), stream, std::move(ranges));

  std::vector<LibraryArgument> own(arguments.begin(), arguments.end());
  for (LibraryArgument& argument : own) {
    if (auto* const tensor = std::get_if<Tensor>(&argument)) {
      *tensor = on_host(*tensor, card, staged);
    } else if (auto* const tensors = std::get_if<std::vector<Tensor>>(&argument)) {
      for (Tensor& each : *tensors) each = on_host(each, card, staged);
    }
  }
  std::vector<Tensor> filled;
  for (const Tensor& result : results) filled.push_back(on_host(result, card, staged));
  const std::vector<Tensor> given = filled;
  functions_->run(function, own, filled, {});
  staged.copy_back();
  for (size_t i = 0; i < results.size(); ++i) {
    const bool is_given = given[i].defined() && filled[i].storage() == given[i].storage();
    if (is_given || !filled[i].defined()) continue;
    results[i] = copied(filled[i], filled[i].strides(), {device_, stream});
  }
  device_.streams()->synchronize(stream);
}

// One rank that acts on itself needs no NCCL.
void CudaLibrary::join(const std::shared_ptr<distributed::Communicator>& communicator) {
  const bool is_alone = communicator->world() == 1 &&
                        std::dynamic_pointer_cast<cuda::CardRanks>(communicator) == nullptr;
  if (!is_alone) collectives_ = std::make_unique<CardCollectives>(device_, communicator);
}

void CudaLibrary::finish_collectives(StreamId stream) {
  if (collectives_ != nullptr) collectives_->finish(stream);
}

}  // namespace litz::runtime
