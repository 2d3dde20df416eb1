#include "runtime/cpu/host_library.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cpu/call_tensors.h"
#include "runtime/cpu/tile_runner.h"
#include "runtime/program/call_arguments.h"
#include "runtime/program/library_arguments.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using kernels::LibraryArgument;

struct EpilogueCode {
  const artifact::KernelCode* code = nullptr;
  artifact::KernelFunction function = nullptr;
};

/// Operands are the arguments, the results, the buffers of the epilogue, and then entries of lists.
class HostLibraryCall final : public BoundCall {
 public:
  HostLibraryCall(const artifact::LibraryLaunch& launch, SizeTable& sizes,
                  kernels::LibraryContext& context, uint64_t constants,
                  const EpilogueCode& epilogue)
      : launch_(launch),
        context_(context),
        constants_(constants),
        entry_(kernels::find_library_entry(launch.function)),
        call_(launch, sizes, launch.epilogue ? launch.epilogue->buffers.size() : 0),
        addresses_(launch.results.size()) {
    require(entry_ != nullptr, ErrorCode::unsupported,
            "the library must have this function:", launch.function);
    if (launch.epilogue) add_epilogue(*launch.epilogue, epilogue, sizes.symbols());
    // Prepared calls know one address per argument.
    can_prepare_ = entry_->prepare != nullptr && !call_.has_lists();
    for (size_t i = 0; i < launch.results.size(); ++i) can_prepare_ &= call_.is_placed(i);
    may_prepare_ = can_prepare_;
  }

  std::span<const artifact::Slot> operands() const override { return call_.tensors().slots(); }

  std::span<const Expr> scalars() const override {
    return epilogue_ != nullptr ? epilogue_->values() : std::span<const Expr>();
  }

  // The first call at these sizes computed everything that depends only on sizes.
  void run(std::span<std::byte* const> operands, std::span<const int64_t> scalars) override {
    if (epilogue_ != nullptr) {
      epilogue_->set_values(scalars);
      epilogue_->place(operands.subspan(first_epilogue(), epilogue_buffers_));
    }
    if (prepared_ != nullptr) return prepared_->run(operands, epilogue_.get());
    call_.tensors().attach(operands);
    call(operands);
  }

  bool set_sizes(const SizeTable& sizes) override {
    call_.set_sizes(sizes);
    if (epilogue_ != nullptr) epilogue_->set_sizes(sizes.symbols());
    prepared_.reset();
    may_prepare_ = can_prepare_;
    return true;
  }

 private:
  size_t first_epilogue() const { return call_.count() + addresses_.size(); }

  void add_epilogue(const artifact::EpilogueLaunch& launch, const EpilogueCode& epilogue,
                    const Bindings& symbols) {
    require(
        entry_ != nullptr && entry_->facts.takes_epilogue, ErrorCode::unsupported,
        "a library function with an epilogue must write its result in tiles:", launch_.function);
    check(epilogue.code != nullptr, "an epilogue must have code:", launch_.function);
    epilogue_ = std::make_unique<TileRunner>(launch, *epilogue.code, epilogue.function, symbols);
    epilogue_buffers_ = launch.buffers.size();
    for (size_t i = 0; i < epilogue_buffers_; ++i) {
      call_.tensors().place(first_epilogue() + i, launch.buffers[i].slot);
    }
  }

  void call(std::span<std::byte* const> operands) {
    const std::span<Tensor> results = call_.results();
    for (size_t i = 0; i < results.size(); ++i) {
      if (call_.is_placed(i)) addresses_[i] = results[i].data();
    }
    const DropMadeResults drop{call_};
    kernels::LibraryCall call{launch_.function, call_.values(), results, &context_, constants_};
    if (may_prepare_) {
      may_prepare_ = false;
      prepared_ = entry_->prepare(call);
      if (prepared_ != nullptr) return prepared_->run(operands, epilogue_.get());
    }
    call.epilogue = epilogue_.get();
    entry_->run(call);
    for (size_t i = 0; i < results.size(); ++i) {
      check(!call_.is_placed(i) || results[i].data() == addresses_[i],
            "a library function fills the results that it is given:", launch_.function, i);
    }
  }

  // A function may replace a result's tensor only if the result was undefined; no node reads that
  // one.
  struct DropMadeResults {
    CallArguments& call;

    ~DropMadeResults() {
      for (size_t i = 0; i < call.results().size(); ++i) {
        if (!call.is_placed(i)) call.results()[i] = Tensor();
      }
    }
  };

  const artifact::LibraryLaunch& launch_;
  kernels::LibraryContext& context_;
  uint64_t constants_;
  const kernels::LibraryEntry* entry_;
  CallArguments call_;
  std::vector<const std::byte*> addresses_;  ///< Addresses of results during a call.
  std::unique_ptr<TileRunner> epilogue_;     ///< Null: no epilogue.
  size_t epilogue_buffers_ = 0;
  bool can_prepare_ = true;
  bool may_prepare_ = false;  ///< Set for the next run, whose tensors can be described.
  std::unique_ptr<kernels::PreparedCall> prepared_;  ///< Null: the function runs.
};

class HostSuppliedCall final : public BoundCall {
 public:
  HostSuppliedCall(const artifact::CallLaunch& launch, const SuppliedCall& supplied,
                   SizeTable& sizes, std::span<const Expr> varying)
      : supplied_(supplied),
        symbols_(sizes.symbols()),
        varying_(varying.begin(), varying.end()),
        buffers_(launch.buffers.size()),
        tensors_(launch.buffers.size()) {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      tensors_.add(buffers_[i], launch.buffers[i], sizes, i);
    }
  }

  std::span<const artifact::Slot> operands() const override { return tensors_.slots(); }

  std::span<const Expr> scalars() const override { return varying_; }

  void run(std::span<std::byte* const> operands, std::span<const int64_t> scalars) override {
    for (size_t i = 0; i < varying_.size(); ++i) symbols_.set(varying_[i].symbol(), scalars[i]);
    tensors_.attach(operands);
    supplied_(buffers_, symbols_);
  }

  bool set_sizes(const SizeTable& sizes) override {
    symbols_ = sizes.symbols();
    tensors_.set_sizes(sizes);
    return true;
  }

 private:
  const SuppliedCall& supplied_;
  Bindings symbols_;
  std::vector<Expr> varying_;
  std::vector<Tensor> buffers_;
  CallTensors tensors_;
};

using PackedKey = kernels::LibraryContext::PackedKey;

int64_t number_of(const std::byte* address) { return reinterpret_cast<int64_t>(address); }

/// The place of an address in one of several blocks of memory.
struct PlaceInBlock {
  int32_t block = -1;  ///< -1: in no block.
  int64_t offset = 0;
};

template <typename BlockOf>
PlaceInBlock find_block(int64_t address, size_t count, const BlockOf& block_of) {
  for (size_t i = 0; i < count; ++i) {
    const Storage* const block = block_of(i);
    if (block == nullptr) continue;
    const int64_t offset = address - number_of(block->data());
    if (offset < 0 || offset >= static_cast<int64_t>(block->size())) continue;
    return {static_cast<int32_t>(i), offset};
  }
  return {};
}

}  // namespace

HostLibrary::HostLibrary(HostDevice& device, std::span<const Tensor> constants)
    : device_(device), context_(device.pool(), constants) {}

std::unique_ptr<BoundCall> HostLibrary::bind(const artifact::LibraryLaunch& launch,
                                             SizeTable& sizes, const LibrarySupport& support) {
  EpilogueCode epilogue;
  if (launch.epilogue) {
    epilogue = {support.epilogue, device_.kernel(support.epilogue_kernel).phases.at(0).function};
  }
  return std::make_unique<HostLibraryCall>(launch, sizes, context_, support.constants, epilogue);
}

std::unique_ptr<BoundCall> HostLibrary::bind(const artifact::CallLaunch& launch,
                                             const SuppliedCall& supplied, SizeTable& sizes,
                                             std::span<const Expr> varying) {
  return std::make_unique<HostSuppliedCall>(launch, supplied, sizes, varying);
}

void HostLibrary::run(std::string_view function, std::span<const LibraryArgument> arguments,
                      std::span<Tensor> results, StreamId /*stream*/) {
  const kernels::LibraryFunction found = kernels::find_library_function(function);
  require(found != nullptr, ErrorCode::unsupported,
          "an operator must have a function to be run:", function,
          "- --operators FILE.so or litz::register_operators give it one");
  kernels::LibraryCall call{function, arguments, results, &context_};
  found(call);
}

// Keys begin with an address, which differs in every process.
void HostLibrary::adopt(std::span<const artifact::PackedConstant> packed,
                        std::span<const Tensor> weights) {
  for (const artifact::PackedConstant& each : packed) {
    PackedKey key{};
    if (each.description.size() + 1 != key.size()) continue;
    std::ranges::copy(each.description, key.begin() + 1);
    const Tensor& source = each.input >= 0 ? weights[static_cast<size_t>(each.input)]
                                           : packed[static_cast<size_t>(each.source)].data;
    if (!source.defined()) continue;
    key[0] = number_of(source.storage()->data()) + each.offset;
    context_.adopt(key, each.data.storage());
  }
}

std::vector<artifact::PackedConstant> HostLibrary::packed_constants(
    std::span<const Tensor> weights) const {
  std::vector<artifact::PackedConstant> result;
  for (const auto& [key, bytes] : context_.packed_constants()) {
    const PlaceInBlock weight = find_block(key[0], weights.size(), [&](size_t i) {
      return weights[i].defined() ? weights[i].storage().get() : nullptr;
    });
    PlaceInBlock earlier;
    if (weight.block < 0) {
      earlier = find_block(key[0], result.size(),
                           [&](size_t i) { return result[i].data.storage().get(); });
    }
    if (weight.block < 0 && earlier.block < 0) continue;
    artifact::PackedConstant& packed = result.emplace_back();
    packed.input = weight.block;
    packed.source = earlier.block;
    packed.offset = weight.block >= 0 ? weight.offset : earlier.offset;
    packed.description.assign(key.begin() + 1, key.end());
    packed.data = Tensor(DType::u8, {static_cast<int64_t>(bytes->size())}, {1}, 0, bytes);
  }
  return result;
}

}  // namespace litz::runtime
