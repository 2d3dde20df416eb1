#include "runtime/program/bound_call.h"

#include <algorithm>

#include "runtime/program/library_arguments.h"
#include "runtime/program/tile_runner.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using artifact::TensorSlot;
using kernels::LibraryArgument;

class BoundLibraryCall final : public BoundCall {
 public:
  BoundLibraryCall(const artifact::LibraryLaunch& launch, SizeTable& sizes,
                   const LibrarySupport& support)
      : launch_(launch),
        support_(support),
        name_(launch.function),
        entry_(kernels::find_library_entry(launch.function)),
        arguments_(launch.arguments.size()),
        results_(launch.results.size()),
        addresses_(launch.results.size()) {
    require(entry_ != nullptr, ErrorCode::unsupported,
            "the library must have this function:", name_);
    for (size_t i = 0; i < arguments_.size(); ++i) {
      set_argument(i, launch.arguments[i], sizes);
      if (is_symbolic(launch.arguments[i])) symbolic_.push_back(i);
    }
    for (size_t i = 0; i < results_.size(); ++i) {
      tensors_.add(results_[i], launch.results[i], sizes, arguments_.size() + i);
      is_placed_.push_back(launch.results[i].slot.storage != artifact::kNoStorage);
    }
    if (launch.epilogue) add_epilogue(*launch.epilogue, sizes);
    can_prepare_ = can_prepare_ && entry_->prepare != nullptr &&
                   std::ranges::find(is_placed_, false) == is_placed_.end();
  }

  void attach_lasting(std::span<const MemoryPlace> places) override {
    BoundCall::attach_lasting(places);
    prepared_.reset();
    may_prepare_ = can_prepare_;
  }

  // What sizes decide was worked out when the call first ran at them.
  void run(std::span<const MemoryPlace> places) override {
    if (prepared_ == nullptr) return BoundCall::run(places);
    tensors_.find_addresses(places);
    run_prepared();
  }

  void set_symbols(const Bindings& symbols) override {
    if (epilogue_ != nullptr) epilogue_->set_symbols(symbols);
  }

  void set_sizes(const SizeTable& sizes) override {
    for (const size_t i : symbolic_) {
      const artifact::LibraryArgument& from = launch_.arguments[i];
      if (const auto* const value = std::get_if<Expr>(&from)) {
        arguments_[i] = number(*value, sizes.symbols());
      } else {
        arguments_[i] = numbers(std::get<std::vector<Expr>>(from), sizes.symbols());
      }
    }
    tensors_.set_sizes(sizes);
    if (epilogue_ != nullptr) epilogue_->set_sizes(sizes.symbols());
  }

 private:
  static bool is_symbolic(const artifact::LibraryArgument& argument) {
    const auto varies = [](const Expr& value) { return !value.is_constant(); };
    if (const auto* const value = std::get_if<Expr>(&argument)) return varies(*value);
    const auto* const values = std::get_if<std::vector<Expr>>(&argument);
    return values != nullptr && std::ranges::any_of(*values, varies);
  }

  void add_epilogue(const artifact::EpilogueLaunch& launch, SizeTable& sizes) {
    require(kernels::takes_epilogue(name_), ErrorCode::unsupported,
            "a library function with an epilogue must write its result in tiles:", name_);
    check(support_.epilogue != nullptr, "an epilogue must have code:", name_);
    epilogue_ = std::make_unique<TileRunner>(launch, *support_.epilogue, support_.epilogue_function,
                                             sizes.symbols());
    epilogue_buffers_.resize(launch.buffers.size());
    for (size_t i = 0; i < launch.buffers.size(); ++i) {
      tensors_.add(epilogue_buffers_[i], launch.buffers[i], sizes,
                   arguments_.size() + results_.size() + i);
    }
  }

  void set_argument(size_t index, const artifact::LibraryArgument& from, SizeTable& sizes) {
    LibraryArgument& to = arguments_[index];
    if (const auto* const tensor = std::get_if<TensorSlot>(&from)) {
      tensors_.add(to.emplace<Tensor>(), *tensor, sizes, index);
    } else if (const auto* const list = std::get_if<std::vector<TensorSlot>>(&from)) {
      auto& tensors = to.emplace<std::vector<Tensor>>(list->size());
      can_prepare_ = false;  // Of a list there are several addresses.
      for (size_t i = 0; i < tensors.size(); ++i)
        tensors_.add(tensors[i], (*list)[i], sizes, index);
    } else if (const auto* const value = std::get_if<Expr>(&from)) {
      to = number(*value, sizes.symbols());
    } else if (const auto* const values = std::get_if<std::vector<Expr>>(&from)) {
      to = numbers(*values, sizes.symbols());
    } else if (const auto* const complex = std::get_if<std::complex<double>>(&from)) {
      to = *complex;
    } else if (const auto* const text = std::get_if<std::string>(&from)) {
      to = *text;
    } else if (const auto* const dtype = std::get_if<DType>(&from)) {
      to = *dtype;
    } else if (const auto* const texts = std::get_if<std::vector<std::string>>(&from)) {
      to = *texts;
    }
  }

  void call() override {
    for (size_t i = 0; i < results_.size(); ++i) {
      if (is_placed_[i]) addresses_[i] = results_[i].data();
    }
    const DropMadeResults drop{*this};
    kernels::LibraryCall call{name_, arguments_, results_, support_.context, support_.constants};
    if (may_prepare_) {
      may_prepare_ = false;
      prepared_ = entry_->prepare(call);
      if (prepared_ != nullptr) return run_prepared();
    }
    if (epilogue_ != nullptr) {
      epilogue_->place(epilogue_buffers_);
      call.epilogue = epilogue_.get();
    }
    entry_->run(call);
    for (size_t i = 0; i < results_.size(); ++i) {
      check(!is_placed_[i] || results_[i].data() == addresses_[i],
            "a library function fills the results that it is given:", name_, i);
    }
  }

  void run_prepared() {
    const std::span<std::byte* const> addresses = tensors_.addresses();
    if (epilogue_ != nullptr) {
      epilogue_->place(addresses.subspan(arguments_.size() + results_.size()));
    }
    prepared_->run(addresses, epilogue_.get());
  }

  // A function may give a result another tensor only where there was none; nobody reads that one.
  struct DropMadeResults {
    BoundLibraryCall& call;

    ~DropMadeResults() {
      for (size_t i = 0; i < call.results_.size(); ++i) {
        if (!call.is_placed_[i]) call.results_[i] = Tensor();
      }
    }
  };

  const artifact::LibraryLaunch& launch_;
  LibrarySupport support_;
  std::string name_;
  const kernels::LibraryEntry* entry_;
  std::vector<LibraryArgument> arguments_;
  std::vector<size_t> symbolic_;  ///< Arguments that are numbers and depend on sizes.
  std::vector<Tensor> results_;
  std::vector<bool> is_placed_;              ///< By result: false where the program has none.
  std::vector<const std::byte*> addresses_;  ///< Where results are during a call.
  std::unique_ptr<TileRunner> epilogue_;     ///< Null: none.
  std::vector<Tensor> epilogue_buffers_;
  bool can_prepare_ = true;
  bool may_prepare_ = false;  ///< At the next run, when tensors are there to be described.
  std::unique_ptr<kernels::PreparedCall> prepared_;  ///< Null: the function runs.
};

class BoundSuppliedCall final : public BoundCall {
 public:
  BoundSuppliedCall(const artifact::CallLaunch& launch, const SuppliedCall& supplied,
                    SizeTable& sizes)
      : supplied_(supplied), symbols_(sizes.symbols()), buffers_(launch.buffers.size()) {
    for (size_t i = 0; i < buffers_.size(); ++i) {
      tensors_.add(buffers_[i], launch.buffers[i], sizes, i);
    }
  }

 private:
  void call() override { supplied_(buffers_, symbols_); }

  const SuppliedCall& supplied_;
  const Bindings& symbols_;
  std::vector<Tensor> buffers_;
};

}  // namespace

void BoundCall::run(std::span<const MemoryPlace> places) {
  struct Detach {
    BoundTensors& tensors;

    ~Detach() { tensors.detach(); }
  };

  const Detach detach{tensors_};
  tensors_.attach(places);
  tensors_.find_addresses(places);
  call();
}

std::unique_ptr<BoundCall> bind_call(const artifact::LibraryLaunch& launch, SizeTable& sizes,
                                     const LibrarySupport& support) {
  return std::make_unique<BoundLibraryCall>(launch, sizes, support);
}

std::unique_ptr<BoundCall> bind_call(const artifact::CallLaunch& launch,
                                     const SuppliedCall& supplied, SizeTable& sizes) {
  return std::make_unique<BoundSuppliedCall>(launch, supplied, sizes);
}

}  // namespace litz::runtime
