#include "runtime/cuda/dnn.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "support/check.h"
#include "support/shared_library.h"

namespace litz::runtime::cuda {
namespace {

using dnn::Attribute;
using dnn::Descriptor;
using dnn::GraphFunctions;
using dnn::HeuristicsMode;
using dnn::Kind;
using dnn::Note;
using dnn::Type;

constexpr int kCrossCorrelation = 1;
constexpr size_t kMostWorkspace = size_t{256} << 20;
/// More engines are not tried.
constexpr int64_t kMostEngines = 32;

/// The operands' numbers in a graph.
enum Id : int64_t { kInput = 1, kWeight, kResult };

struct Functions {
  GraphFunctions graph;
  int (*create)(void** handle) = nullptr;
  int (*destroy)(void* handle) = nullptr;
  int (*set_stream)(void* handle, void* stream) = nullptr;
  int (*new_tensor)(void** tensor) = nullptr;
  int (*free_tensor)(void* tensor) = nullptr;
  int (*set_tensor)(void* tensor, int type, int rank, const int* sizes,
                    const int* strides) = nullptr;
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
  find(functions.graph.create, "cudnnBackendCreateDescriptor");
  find(functions.graph.destroy, "cudnnBackendDestroyDescriptor");
  find(functions.graph.finalize, "cudnnBackendFinalize");
  find(functions.graph.set, "cudnnBackendSetAttribute");
  find(functions.graph.get, "cudnnBackendGetAttribute");
  find(functions.graph.execute, "cudnnBackendExecute");
  find(functions.create, "cudnnCreate");
  find(functions.destroy, "cudnnDestroy");
  find(functions.set_stream, "cudnnSetStream");
  find(functions.new_tensor, "cudnnCreateTensorDescriptor");
  find(functions.free_tensor, "cudnnDestroyTensorDescriptor");
  find(functions.set_tensor, "cudnnSetTensorNdDescriptor");
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

// --- The graph of one convolution

class GraphBuilder {
 public:
  GraphBuilder(void* handle, const DnnConvolution& convolution)
      : handle_(handle), convolution_(convolution) {}

  /// The plan comes last. Empty if no engine is good.
  std::vector<Descriptor> build(size_t& workspace_bytes) {
    if (!describe()) return {};
    for (const HeuristicsMode mode : {HeuristicsMode::a, HeuristicsMode::fallback}) {
      if (try_engines(mode, workspace_bytes)) return std::move(parts_);
    }
    return {};
  }

 private:
  Descriptor& add(Kind kind) { return parts_.emplace_back(functions().graph, kind); }

  /// The library may take the address of a part, so parts are named by number.
  size_t add_tensor(Id id, const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
    Descriptor& tensor = add(Kind::tensor);
    tensor.set_one(Attribute::tensor_type, Type::data_type, data_type(convolution_.dtype));
    tensor.set_integers(Attribute::tensor_sizes, sizes);
    tensor.set_integers(Attribute::tensor_strides, strides);
    tensor.set_one(Attribute::tensor_id, Type::integer, static_cast<int64_t>(id));
    tensor.set_one(Attribute::tensor_alignment, Type::integer, convolution_.alignment);
    is_good_ = is_good_ && tensor.finalize();
    return parts_.size() - 1;
  }

  bool is_double() const { return convolution_.dtype == DType::f64; }

  void add_operation(size_t input, size_t weight, size_t result) {
    const bool is_back = convolution_.is_transposed;
    Descriptor& shape = add(Kind::convolution);
    shape.set_one(Attribute::convolution_type, Type::data_type,
                  data_type(is_double() ? DType::f64 : DType::f32));
    shape.set_one(Attribute::convolution_mode, Type::convolution_mode, kCrossCorrelation);
    shape.set_integers(Attribute::convolution_dilations, convolution_.dilation);
    shape.set_integers(Attribute::convolution_strides, convolution_.stride);
    shape.set_integers(Attribute::convolution_pre_paddings, convolution_.padding);
    shape.set_integers(Attribute::convolution_post_paddings, convolution_.padding);
    shape.set_one(Attribute::convolution_spatial_dims, Type::integer,
                  static_cast<int64_t>(convolution_.stride.size()));
    is_good_ = is_good_ && shape.finalize();
    const size_t own = parts_.size() - 1;
    Descriptor& operation = add(is_back ? Kind::convolve_backward_data : Kind::convolve_forward);
    operation.set_part(is_back ? Attribute::backward_convolution : Attribute::forward_convolution,
                       parts_[own]);
    operation.set_part(is_back ? Attribute::backward_dy : Attribute::forward_x, parts_[input]);
    operation.set_part(is_back ? Attribute::backward_w : Attribute::forward_w, parts_[weight]);
    operation.set_part(is_back ? Attribute::backward_dx : Attribute::forward_y, parts_[result]);
    const Attribute alpha = is_back ? Attribute::backward_alpha : Attribute::forward_alpha;
    const Attribute beta = is_back ? Attribute::backward_beta : Attribute::forward_beta;
    if (is_double()) {
      operation.set_one(alpha, Type::double_, 1.0);
      operation.set_one(beta, Type::double_, 0.0);
    } else {
      operation.set_one(alpha, Type::single, 1.0F);
      operation.set_one(beta, Type::single, 0.0F);
    }
    is_good_ = is_good_ && operation.finalize();
  }

  bool describe() {
    // Parts must not move while others are added to them.
    parts_.reserve(16 + 4 * kMostEngines);
    const size_t input = add_tensor(kInput, convolution_.input_sizes, convolution_.input_strides);
    const size_t weight =
        add_tensor(kWeight, convolution_.weight_sizes, convolution_.weight_strides);
    const size_t result =
        add_tensor(kResult, convolution_.result_sizes, convolution_.result_strides);
    add_operation(input, weight, result);
    const size_t operation = parts_.size() - 1;
    Descriptor& graph = add(Kind::operation_graph);
    graph.set_one(Attribute::graph_handle, Type::handle, handle_);
    graph.set_part(Attribute::graph_operations, parts_[operation]);
    is_good_ = is_good_ && graph.finalize();
    graph_ = parts_.size() - 1;
    return is_good_;
  }

  bool try_engines(HeuristicsMode mode, size_t& workspace_bytes) {
    Descriptor heuristics(functions().graph, Kind::engine_heuristics);
    heuristics.set_part(Attribute::heuristics_graph, parts_[graph_]);
    heuristics.set_one(Attribute::heuristics_mode, Type::heuristics_mode, static_cast<int>(mode));
    if (!heuristics.finalize()) return false;
    std::vector<Descriptor> configs;
    std::vector<void*> handles;
    for (int64_t i = 0; i < kMostEngines; ++i) {
      configs.emplace_back(functions().graph, Kind::engine_config);
      handles.push_back(configs.back().get());
    }
    const int64_t found = heuristics.read(Attribute::heuristics_results, Type::descriptor,
                                          kMostEngines, handles.data());
    for (int64_t i = 0; i < std::min(found, kMostEngines); ++i) {
      Descriptor& config = configs[static_cast<size_t>(i)];
      if (!is_acceptable(config)) continue;
      Descriptor plan(functions().graph, Kind::execution_plan);
      plan.set_one(Attribute::plan_handle, Type::handle, handle_);
      plan.set_part(Attribute::plan_config, config);
      if (!plan.finalize()) continue;
      int64_t bytes = 0;
      const bool is_known =
          plan.read(Attribute::plan_workspace, Type::integer, 1, &bytes) == 1 && bytes >= 0;
      if (!is_known || static_cast<size_t>(bytes) > kMostWorkspace) continue;
      workspace_bytes = static_cast<size_t>(bytes);
      parts_.push_back(std::move(config));
      parts_.push_back(std::move(plan));
      return true;
    }
    return false;
  }

  /// False for engines whose numbers differ from run to run, or which are less exact.
  bool is_acceptable(const Descriptor& config) const {
    const Descriptor engine(functions().graph, Kind::engine);
    void* handle = engine.get();
    if (config.read(Attribute::config_engine, Type::descriptor, 1, &handle) != 1) return false;
    std::array<int, dnn::kMostNotes> notes{};
    const int64_t count =
        engine.read(Attribute::engine_notes, Type::note, dnn::kMostNotes, notes.data());
    if (count < 0) return false;
    const auto has = [&](Note note) {
      return std::find(notes.begin(), notes.begin() + count, static_cast<int>(note)) !=
             notes.begin() + count;
    };
    if (has(Note::nondeterministic) || has(Note::reduces_in_less) || has(Note::down_converts)) {
      return false;
    }
    if (has(Note::fft) || has(Note::winograd_13)) return false;
    return convolution_.dtype != DType::f32 || !has(Note::tensor_core);
  }

  void* handle_;
  const DnnConvolution& convolution_;
  std::vector<Descriptor> parts_;
  size_t graph_ = 0;  ///< A part.
  bool is_good_ = true;
};

/// The library counts in int here; nothing if a number does not fit.
std::optional<std::vector<int>> as_ints(const std::vector<int64_t>& values) {
  std::vector<int> ints;
  for (const int64_t value : values) {
    if (value > std::numeric_limits<int>::max() || value < 0) return std::nullopt;
    ints.push_back(static_cast<int>(value));
  }
  return ints;
}

bool set_tensor(void* tensor, DType dtype, const std::vector<int64_t>& sizes,
                const std::vector<int64_t>& strides) {
  const auto size_ints = as_ints(sizes);
  const auto stride_ints = as_ints(strides);
  return size_ints && stride_ints &&
         functions().set_tensor(tensor, data_type(dtype), static_cast<int>(sizes.size()),
                                size_ints->data(), stride_ints->data()) == 0;
}

}  // namespace

std::string Dnn::reason_missing() { return library().is_open() ? "" : library().failures(); }

Dnn::Dnn() { require_success(functions().create(&handle_), "cudnnCreate"); }

Dnn::~Dnn() { functions().destroy(handle_); }

std::unique_ptr<DnnPlan> Dnn::plan(const DnnConvolution& convolution) const {
  std::unique_ptr<DnnPlan> plan(new DnnPlan);
  plan->library_ = this;
  plan->is_double_ = convolution.dtype == DType::f64;
  if (convolution.has_bias && !plan->describe_bias(convolution)) return nullptr;
  const std::scoped_lock lock(mutex_);
  plan->parts_ = GraphBuilder(handle_, convolution).build(plan->workspace_bytes_);
  return plan->parts_.empty() ? nullptr : std::move(plan);
}

bool DnnPlan::describe_bias(const DnnConvolution& convolution) {
  for (void** const tensor : {&bias_, &target_}) {
    require_success(functions().new_tensor(tensor), "cudnnCreateTensorDescriptor");
  }
  std::vector<int64_t> sizes(convolution.result_sizes.size(), 1);
  sizes[1] = convolution.result_sizes[1];
  std::vector<int64_t> strides(sizes.size(), 1);
  strides[0] = sizes[1];
  return set_tensor(bias_, convolution.dtype, sizes, strides) &&
         set_tensor(target_, convolution.dtype, convolution.result_sizes,
                    convolution.result_strides);
}

DnnPlan::~DnnPlan() {
  for (void* const tensor : {bias_, target_}) {
    if (tensor != nullptr) functions().free_tensor(tensor);
  }
}

void DnnPlan::run(void* stream, const Operands& operands) const {
  const std::scoped_lock lock(library_->mutex_);
  void* const handle = library_->handle_;
  require_success(functions().set_stream(handle, stream), "cudnnSetStream");
  Descriptor pack(functions().graph, Kind::variant_pack);
  const std::array<int64_t, 3> ids{kInput, kWeight, kResult};
  const std::array<const void*, 3> pointers{operands.input, operands.weight, operands.result};
  pack.set_integers(Attribute::pack_ids, ids);
  pack.set(Attribute::pack_pointers, Type::pointer, static_cast<int64_t>(pointers.size()),
           pointers.data());
  pack.set_one(Attribute::pack_workspace, Type::pointer, operands.workspace);
  check(pack.finalize(), "cuDNN must take the operands of a plan");
  require_success(functions().graph.execute(handle, parts_.back().get(), pack.get()),
                  "cudnnBackendExecute");
  if (bias_ == nullptr) return;
  const std::array<double, 1> one_double{1};
  const std::array<float, 1> one_single{1};
  const void* const one = is_double_ ? static_cast<const void*>(one_double.data())
                                     : static_cast<const void*>(one_single.data());
  require_success(functions().add(handle, one, bias_, operands.bias, one, target_, operands.result),
                  "cudnnAddTensor");
}

}  // namespace litz::runtime::cuda
