#include "runtime/cuda/dnn.h"

#include <algorithm>
#include <array>
#include <limits>

#include "support/check.h"
#include "support/shared_library.h"

namespace litz::runtime::cuda {
namespace {

// The library's own numbers (cudnn_graph.h, cudnn_cnn.h).
enum TensorFormat : int { kNchw = 0, kNhwc = 1 };

constexpr int kCrossCorrelation = 1;
constexpr int kUsualMath = 0;
/// Without TF32.
constexpr int kFmaMath = 3;
constexpr int kDeterministic = 1;
constexpr size_t kMostWorkspace = size_t{256} << 20;

/// An algorithm with its properties, as the library writes it, forward or backward.
struct Found {
  int algorithm;
  int status;
  float time;
  size_t memory;
  int determinism;
  int math;
  std::array<int, 3> reserved;
};

struct Functions {
  int (*create)(void** handle) = nullptr;
  int (*destroy)(void* handle) = nullptr;
  int (*set_stream)(void* handle, void* stream) = nullptr;
  int (*new_tensor)(void** tensor) = nullptr;
  int (*free_tensor)(void* tensor) = nullptr;
  int (*set_tensor)(void* tensor, int type, int rank, const int* sizes,
                    const int* strides) = nullptr;
  int (*new_filter)(void** filter) = nullptr;
  int (*free_filter)(void* filter) = nullptr;
  int (*set_filter)(void* filter, int type, int format, int rank, const int* sizes) = nullptr;
  int (*new_convolution)(void** convolution) = nullptr;
  int (*free_convolution)(void* convolution) = nullptr;
  int (*set_convolution)(void* convolution, int rank, const int* padding, const int* stride,
                         const int* dilation, int mode, int type) = nullptr;
  int (*set_groups)(void* convolution, int groups) = nullptr;
  int (*set_math)(void* convolution, int math) = nullptr;
  int (*choose_forward)(void* handle, void* x, void* w, void* convolution, void* y, int wanted,
                        int* count, Found* found) = nullptr;
  int (*choose_backward)(void* handle, void* w, void* dy, void* convolution, void* dx, int wanted,
                         int* count, Found* found) = nullptr;
  int (*forward)(void* handle, const void* alpha, void* x_type, const void* x, void* w_type,
                 const void* w, void* convolution, int algorithm, void* workspace, size_t bytes,
                 const void* beta, void* y_type, void* y) = nullptr;
  int (*backward)(void* handle, const void* alpha, void* w_type, const void* w, void* dy_type,
                  const void* dy, void* convolution, int algorithm, void* workspace, size_t bytes,
                  const void* beta, void* dx_type, void* dx) = nullptr;
  int (*add)(void* handle, const void* alpha, void* a_type, const void* a, const void* beta,
             void* c_type, void* c) = nullptr;
  const char* (*error_text)(int status) = nullptr;
};

const SharedLibrary& library() {
  static const SharedLibrary kLibrary(cuda_library_files("LITZ_CUDNN", {"libcudnn.so.9"}));
  return kLibrary;
}

Functions find_functions() {
  require(library().is_open(), ErrorCode::unsupported,
          "convolutions on NVIDIA devices need cuDNN 9, which could not be opened. Install it (the "
          "package nvidia-cudnn-cu13 of pip holds it), and name its folder in LITZ_CUDA_LIBRARIES:",
          library().failures());
  Functions functions;
  const auto find = [](auto& function, const char* name) {
    library().bind(function, name, "cuDNN must be of version 9:");
  };
  find(functions.create, "cudnnCreate");
  find(functions.destroy, "cudnnDestroy");
  find(functions.set_stream, "cudnnSetStream");
  find(functions.new_tensor, "cudnnCreateTensorDescriptor");
  find(functions.free_tensor, "cudnnDestroyTensorDescriptor");
  find(functions.set_tensor, "cudnnSetTensorNdDescriptor");
  find(functions.new_filter, "cudnnCreateFilterDescriptor");
  find(functions.free_filter, "cudnnDestroyFilterDescriptor");
  find(functions.set_filter, "cudnnSetFilterNdDescriptor");
  find(functions.new_convolution, "cudnnCreateConvolutionDescriptor");
  find(functions.free_convolution, "cudnnDestroyConvolutionDescriptor");
  find(functions.set_convolution, "cudnnSetConvolutionNdDescriptor");
  find(functions.set_groups, "cudnnSetConvolutionGroupCount");
  find(functions.set_math, "cudnnSetConvolutionMathType");
  find(functions.choose_forward, "cudnnGetConvolutionForwardAlgorithm_v7");
  find(functions.choose_backward, "cudnnGetConvolutionBackwardDataAlgorithm_v7");
  find(functions.forward, "cudnnConvolutionForward");
  find(functions.backward, "cudnnConvolutionBackwardData");
  find(functions.add, "cudnnAddTensor");
  find(functions.error_text, "cudnnGetErrorString");
  return functions;
}

const Functions& functions() {
  static const Functions kFunctions = find_functions();
  return kFunctions;
}

void require_success(int status, const char* call) {
  require(status == 0, ErrorCode::io, call, "failed:", functions().error_text(status));
}

int data_type(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 1;
    case DType::f16:
      return 2;
    case DType::bf16:
      return 9;
    default:
      return 0;
  }
}

/// The library counts in int; nothing if a number does not fit.
bool as_ints(const std::vector<int64_t>& values, std::vector<int>& ints) {
  ints.clear();
  for (const int64_t value : values) {
    if (value > std::numeric_limits<int>::max() || value < 0) return false;
    ints.push_back(static_cast<int>(value));
  }
  return true;
}

bool set_tensor(void* tensor, DType dtype, const std::vector<int64_t>& sizes,
                const std::vector<int64_t>& strides) {
  std::vector<int> size_ints, stride_ints;
  if (!as_ints(sizes, size_ints) || !as_ints(strides, stride_ints)) return false;
  return functions().set_tensor(tensor, data_type(dtype), static_cast<int>(sizes.size()),
                                size_ints.data(), stride_ints.data()) == 0;
}

bool set_filter(void* filter, const DnnConvolution& convolution) {
  std::vector<int> sizes;
  if (!as_ints(convolution.weight_sizes, sizes)) return false;
  return functions().set_filter(filter, data_type(convolution.dtype),
                                convolution.weight_is_channels_last ? kNhwc : kNchw,
                                static_cast<int>(sizes.size()), sizes.data()) == 0;
}

bool set_convolution(void* description, const DnnConvolution& convolution) {
  std::vector<int> padding, stride, dilation;
  if (!as_ints(convolution.padding, padding) || !as_ints(convolution.stride, stride) ||
      !as_ints(convolution.dilation, dilation)) {
    return false;
  }
  const bool is_single = convolution.dtype == DType::f32 || convolution.dtype == DType::f64;
  const DType compute = convolution.dtype == DType::f64 ? DType::f64 : DType::f32;
  return functions().set_convolution(description, static_cast<int>(padding.size()), padding.data(),
                                     stride.data(), dilation.data(), kCrossCorrelation,
                                     data_type(compute)) == 0 &&
         functions().set_groups(description, static_cast<int>(convolution.groups)) == 0 &&
         functions().set_math(description, is_single ? kFmaMath : kUsualMath) == 0;
}

}  // namespace

std::string Dnn::reason_missing() { return library().is_open() ? "" : library().failures(); }

Dnn::Dnn() { require_success(functions().create(&handle_), "cudnnCreate"); }

Dnn::~Dnn() { functions().destroy(handle_); }

std::unique_ptr<DnnPlan> Dnn::plan(const DnnConvolution& convolution) const {
  std::unique_ptr<DnnPlan> plan(new DnnPlan);
  plan->library_ = this;
  plan->is_double_ = convolution.dtype == DType::f64;
  plan->is_transposed_ = convolution.is_transposed;
  plan->has_bias_ = convolution.has_bias;
  for (void** const tensor : {&plan->input_, &plan->result_, &plan->bias_}) {
    require_success(functions().new_tensor(tensor), "cudnnCreateTensorDescriptor");
  }
  require_success(functions().new_filter(&plan->weight_), "cudnnCreateFilterDescriptor");
  require_success(functions().new_convolution(&plan->description_),
                  "cudnnCreateConvolutionDescriptor");
  std::vector<int64_t> bias_sizes(convolution.result_sizes.size(), 1);
  bias_sizes[1] = convolution.result_sizes[1];
  std::vector<int64_t> bias_strides(bias_sizes.size(), 1);
  bias_strides[0] = bias_sizes[1];
  const DType dtype = convolution.dtype;
  const bool is_described =
      set_tensor(plan->input_, dtype, convolution.input_sizes, convolution.input_strides) &&
      set_tensor(plan->result_, dtype, convolution.result_sizes, convolution.result_strides) &&
      set_tensor(plan->bias_, dtype, bias_sizes, bias_strides) &&
      set_filter(plan->weight_, convolution) && set_convolution(plan->description_, convolution);
  if (!is_described) return nullptr;
  std::array<Found, 10> found{};
  int count = 0;
  const std::scoped_lock lock(mutex_);
  const int status = convolution.is_transposed
                         ? functions().choose_backward(
                               handle_, plan->weight_, plan->input_, plan->description_,
                               plan->result_, static_cast<int>(found.size()), &count, found.data())
                         : functions().choose_forward(
                               handle_, plan->input_, plan->weight_, plan->description_,
                               plan->result_, static_cast<int>(found.size()), &count, found.data());
  if (status != 0) return nullptr;
  const auto end = found.begin() + count;
  const bool needs_fma = dtype == DType::f32 || dtype == DType::f64;
  const auto best = std::find_if(found.begin(), end, [&](const Found& each) {
    return each.status == 0 && each.determinism == kDeterministic &&
           each.memory <= kMostWorkspace && (!needs_fma || each.math == kFmaMath);
  });
  if (best == end) return nullptr;
  plan->algorithm_ = best->algorithm;
  plan->workspace_bytes_ = best->memory;
  require_success(functions().set_math(plan->description_, best->math),
                  "cudnnSetConvolutionMathType");
  return plan;
}

DnnPlan::~DnnPlan() {
  for (void* const tensor : {input_, result_, bias_}) {
    if (tensor != nullptr) functions().free_tensor(tensor);
  }
  if (weight_ != nullptr) functions().free_filter(weight_);
  if (description_ != nullptr) functions().free_convolution(description_);
}

void DnnPlan::run(void* stream, const Operands& operands) const {
  const std::scoped_lock lock(library_->mutex_);
  void* const handle = library_->handle_;
  require_success(functions().set_stream(handle, stream), "cudnnSetStream");
  const std::array<double, 2> doubles{1, 0};
  const std::array<float, 2> singles{1, 0};
  const void* const one =
      is_double_ ? static_cast<const void*>(&doubles[0]) : static_cast<const void*>(&singles[0]);
  const void* const zero =
      is_double_ ? static_cast<const void*>(&doubles[1]) : static_cast<const void*>(&singles[1]);
  if (is_transposed_) {
    require_success(
        functions().backward(handle, one, weight_, operands.weight, input_, operands.input,
                             description_, algorithm_, operands.workspace, workspace_bytes_, zero,
                             result_, operands.result),
        "cudnnConvolutionBackwardData");
  } else {
    require_success(
        functions().forward(handle, one, input_, operands.input, weight_, operands.weight,
                            description_, algorithm_, operands.workspace, workspace_bytes_, zero,
                            result_, operands.result),
        "cudnnConvolutionForward");
  }
  if (!has_bias_) return;
  require_success(functions().add(handle, one, bias_, operands.bias, one, result_, operands.result),
                  "cudnnAddTensor");
}

}  // namespace litz::runtime::cuda
