#include "runtime/cuda/card_call.h"

#include <algorithm>
#include <cstdlib>
#include <list>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/product.h"
#include "runtime/cuda/card_convolution.h"
#include "runtime/cuda/card_product.h"
#include "runtime/cuda/cuda_device.h"
#include "support/check.h"
#include "support/log.h"

namespace litz::runtime {
namespace cuda {
namespace {

/// Any address will do to describe a call: plans depend on its alignment at most.
std::byte* some_address() { return pointer_to(Address{1} << 20); }

/// What a function multiplies; nothing for other functions.
std::optional<kernels::ProductCall> product_of(const kernels::LibraryCall& call) {
  if (call.function == "matmul") return kernels::matmul_call(call);
  if (call.function == "linear") return kernels::linear_call(call);
  if (call.function == "scaled_matmul") return kernels::scaled_call(call);
  return std::nullopt;
}

std::optional<CardProduct> describe_product(const kernels::LibraryCall& call,
                                            const kernels::ProductCall& product) {
  if (is_complex(call.results[0].dtype())) return std::nullopt;
  return card_product(kernels::describe(call.tensor(product.left), call.tensor(product.right),
                                        call.results[0], product.addend_of(call), product.operands),
                      product.scales);
}

/// Memory of the card that a library uses while it computes.
class Workspace {
 public:
  explicit Workspace(CudaDevice& device) : device_(device) {}

  void grow(size_t bytes) {
    if (bytes > (memory_ != nullptr ? memory_->size() : 0)) memory_ = device_.allocate(bytes);
  }

  /// Null if there is none.
  std::byte* address() const { return memory_ != nullptr ? memory_->address() : nullptr; }

 private:
  CudaDevice& device_;
  std::shared_ptr<Storage> memory_;
};

class ProductWork final : public CardWork {
 public:
  /// Null if the library has no algorithm for the product.
  static std::unique_ptr<CardWork> make(CudaDevice& device, const kernels::LibraryCall& call,
                                        const kernels::ProductCall& product) {
    const auto card = describe_product(call, product);
    const BlasLt* const library = card ? device.libraries().blas() : nullptr;
    if (library == nullptr) return nullptr;
    auto work = std::unique_ptr<ProductWork>(new ProductWork(device, *library, product));
    return work->plan_for(card->product) != nullptr ? std::move(work) : nullptr;
  }

  bool resize(const kernels::LibraryCall& call) override {
    const std::optional<kernels::ProductCall> product = product_of(call);
    if (!product) return false;
    product_ = *product;
    const auto card = describe_product(call, product_);
    return card && plan_for(card->product) != nullptr;
  }

  void enqueue(Stream stream, const kernels::LibraryCall& call) override {
    const auto card = describe_product(call, product_);
    const BlasPlan* const plan = card ? plan_for(card->product) : nullptr;
    require(plan != nullptr, ErrorCode::unsupported,
            "cuBLASLt must have a product for these addresses:", call.function);
    const auto* left = call.tensor(product_.left).data();
    const auto* right = call.tensor(product_.right).data();
    if (card->is_exchanged) std::swap(left, right);
    const Tensor& addend = product_.addend_of(call);
    std::byte* const result = call.results[0].mutable_data();
    for (const CardProduct::Offsets& offsets : card->offsets) {
      plan->run(stream, {.left = left + offsets.left,
                         .right = right + offsets.right,
                         .addend = addend.defined() ? addend.data() + offsets.addend : nullptr,
                         .result = result + offsets.result,
                         .workspace = workspace_.address()});
    }
  }

 private:
  ProductWork(CudaDevice& device, const BlasLt& library, kernels::ProductCall product)
      : library_(library), product_(product), workspace_(device) {}

  /// Other sizes, and addresses of another alignment, need another algorithm. The plans used last come
  /// first.
  const BlasPlan* plan_for(const BlasProduct& product) {
    constexpr size_t kMostPlans = 64;
    auto known = std::ranges::find(plans_, product, &Planned::product);
    if (known == plans_.end()) {
      plans_.push_front({product, library_.plan(product)});
      if (plans_.size() > kMostPlans) plans_.pop_back();
    } else {
      plans_.splice(plans_.begin(), plans_, known);
    }
    const BlasPlan* const plan = plans_.front().plan.get();
    if (plan != nullptr) workspace_.grow(plan->workspace_bytes());
    return plan;
  }

  struct Planned {
    BlasProduct product;
    std::unique_ptr<BlasPlan> plan;  ///< Null: the library has none.
  };

  const BlasLt& library_;
  kernels::ProductCall product_;
  std::list<Planned> plans_;
  Workspace workspace_;
};

class ConvolutionWork final : public CardWork {
 public:
  /// Null if the library has no engine for the convolution.
  static std::unique_ptr<CardWork> make(CudaDevice& device, const kernels::LibraryCall& call) {
    const auto card = card_convolution(call);
    const Dnn* const library = card ? device.libraries().dnn() : nullptr;
    if (library == nullptr) return nullptr;
    auto work = std::unique_ptr<ConvolutionWork>(new ConvolutionWork(device, *library));
    return work->plan_for(*card) != nullptr ? std::move(work) : nullptr;
  }

  // Planning a convolution takes longer than binding its list anew.
  bool resize(const kernels::LibraryCall& /*call*/) override { return false; }

  void enqueue(Stream stream, const kernels::LibraryCall& call) override {
    const auto card = card_convolution(call);
    const DnnPlan* const plan = card ? plan_for(*card) : nullptr;
    require(plan != nullptr, ErrorCode::unsupported,
            "cuDNN must have a convolution for these addresses:", call.function);
    const Tensor& bias = call.optional_tensor(2);
    plan->run(stream, {.input = call.tensor(0).data(),
                       .weight = call.tensor(1).data(),
                       .bias = bias.defined() ? bias.data() : nullptr,
                       .result = call.results[0].mutable_data(),
                       .workspace = workspace_.address()});
  }

 private:
  ConvolutionWork(CudaDevice& device, const Dnn& library) : library_(library), workspace_(device) {}

  /// Addresses of another alignment need another engine.
  const DnnPlan* plan_for(const DnnConvolution& convolution) {
    auto& plan = plans_[convolution.alignment];
    if (plan == nullptr) plan = library_.plan(convolution);
    if (plan != nullptr) workspace_.grow(plan->workspace_bytes());
    return plan.get();
  }

  const Dnn& library_;
  std::map<int64_t, std::unique_ptr<DnnPlan>> plans_;  ///< By alignment.
  Workspace workspace_;
};

/// Another driver than NVIDIA's has only the libraries that the environment names.
bool may_open(const char* variable) {
  return !find_driver().is_other || std::getenv(variable) != nullptr;
}

void warn_missing(const char* what, const std::string& why) {
  log(LogLevel::warning, std::string(what) + " run on the host, on copies, which is slow: " + why);
}

}  // namespace

const BlasLt* CardLibraries::blas() {
  const std::scoped_lock lock(mutex_);
  if (!std::exchange(is_blas_tried_, true) && may_open("LITZ_CUBLASLT")) {
    if (const std::string why = BlasLt::reason_missing(); !why.empty()) {
      warn_missing("products", why);
    } else {
      context_->enter();
      blas_ = std::make_unique<BlasLt>();
    }
  }
  return blas_.get();
}

const Dnn* CardLibraries::dnn() {
  const std::scoped_lock lock(mutex_);
  if (!std::exchange(is_dnn_tried_, true) && may_open("LITZ_CUDNN")) {
    if (const std::string why = Dnn::reason_missing(); !why.empty()) {
      warn_missing("convolutions", why);
    } else {
      context_->enter();
      dnn_ = std::make_unique<Dnn>();
    }
  }
  return dnn_.get();
}

}  // namespace cuda

std::unique_ptr<CardCall> CardCall::make(CudaDevice& device, const artifact::LibraryLaunch& launch,
                                         SizeTable& sizes) {
  const bool may_be = launch.function == "convolution" || launch.function == "matmul" ||
                      launch.function == "linear" || launch.function == "scaled_matmul";
  if (!may_be || launch.epilogue) return nullptr;
  std::unique_ptr<CardCall> made(new CardCall(launch, sizes));
  const kernels::LibraryCall call = made->described_anywhere();
  if (call.results[0].numel() == 0) return nullptr;
  const auto product = cuda::product_of(call);
  made->work_ = product ? cuda::ProductWork::make(device, call, *product)
                        : cuda::ConvolutionWork::make(device, call);
  return made->work_ != nullptr ? std::move(made) : nullptr;
}

kernels::LibraryCall CardCall::described() {
  return {launch_.function, call_.values(), call_.results()};
}

/// At addresses that fit any plan, before those of a launch are known.
kernels::LibraryCall CardCall::described_anywhere() {
  const std::vector<std::byte*> places(operands().size(), cuda::some_address());
  call_.tensors().attach(places);
  return described();
}

void CardCall::enqueue(cuda::Stream stream, std::span<const cuda::Address> operands) {
  std::vector<std::byte*> places;
  for (const cuda::Address address : operands) places.push_back(cuda::pointer_to(address));
  call_.tensors().attach(places);
  work_->enqueue(stream, described());
}

void CardCall::run(std::span<std::byte* const> /*operands*/, std::span<const int64_t> /*scalars*/) {
  fail(ErrorCode::internal, "the card makes this call itself:", launch_.function);
}

bool CardCall::set_sizes(const SizeTable& sizes) {
  call_.set_sizes(sizes);
  const kernels::LibraryCall call = described_anywhere();
  return call.results[0].numel() != 0 && work_->resize(call);
}

}  // namespace litz::runtime
