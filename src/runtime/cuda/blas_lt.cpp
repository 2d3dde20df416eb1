#include "runtime/cuda/blas_lt.h"

#include <vector>

#include "support/check.h"
#include "support/shared_library.h"

namespace litz::runtime::cuda {
namespace {

// The library's own numbers (cublasLt.h, library_types.h).
enum ComputeType : int { kCompute32F = 68, kCompute64F = 70 };

enum DescriptionAttribute : int {
  kTransposeLeft = 3,
  kTransposeRight = 4,
  kEpilogue = 7,
  kBiasPointer = 8,
  kBiasType = 26
};

enum LayoutAttribute : int { kBatchCount = 5, kBatchStride = 6 };

enum PreferenceAttribute : int {
  kMostWorkspace = 1,
  kReductionSchemes = 3,
  kAlignmentA = 5,
  kAlignmentB = 6,
  kAlignmentC = 7,
  kAlignmentD = 8
};

constexpr int kTransposed = 1;
constexpr int kEpilogueBias = 4;
/// Partial sums are added by one kernel in a fixed order; adding in place depends on the order.
constexpr uint32_t kOrderedReductions = 2 | 4;
constexpr uint64_t kWorkspace = uint64_t{32} << 20;

/// An algorithm with its properties, as the library writes it.
struct Heuristic {
  std::array<uint64_t, 8> algorithm;
  size_t workspace_bytes;
  int status;
  float waves;
  std::array<int, 4> reserved;
};

struct Functions {
  int (*create)(void** handle) = nullptr;
  int (*destroy)(void* handle) = nullptr;
  int (*new_description)(void** description, int compute, int scale) = nullptr;
  int (*free_description)(void* description) = nullptr;
  int (*set_description)(void* description, int attribute, const void* value,
                         size_t bytes) = nullptr;
  int (*new_layout)(void** layout, int type, uint64_t rows, uint64_t columns,
                    int64_t lead) = nullptr;
  int (*free_layout)(void* layout) = nullptr;
  int (*set_layout)(void* layout, int attribute, const void* value, size_t bytes) = nullptr;
  int (*new_preference)(void** preference) = nullptr;
  int (*free_preference)(void* preference) = nullptr;
  int (*set_preference)(void* preference, int attribute, const void* value, size_t bytes) = nullptr;
  int (*choose)(void* handle, void* description, void* a, void* b, void* c, void* d,
                void* preference, int wanted, Heuristic* results, int* found) = nullptr;
  int (*multiply)(void* handle, void* description, const void* alpha, const void* a, void* a_layout,
                  const void* b, void* b_layout, const void* beta, const void* c, void* c_layout,
                  void* d, void* d_layout, const void* algorithm, void* workspace,
                  size_t workspace_bytes, void* stream) = nullptr;
  const char* (*status_text)(int status) = nullptr;
};

const SharedLibrary& library() {
  static const SharedLibrary kLibrary(
      cuda_library_files("LITZ_CUBLASLT", {"libcublasLt.so.13", "libcublasLt.so.12"}));
  return kLibrary;
}

Functions find_functions() {
  require(library().is_open(), ErrorCode::unsupported,
          "products on NVIDIA devices need cuBLASLt of CUDA 12 or 13, which could not be opened. "
          "Install it (the package nvidia-cublas of pip holds it), and name its folder in "
          "LITZ_CUDA_LIBRARIES:",
          library().failures());
  Functions functions;
  const auto find = [](auto& function, const char* name) {
    library().bind(function, name, "cuBLASLt must be of CUDA 12 or later:");
  };
  find(functions.create, "cublasLtCreate");
  find(functions.destroy, "cublasLtDestroy");
  find(functions.new_description, "cublasLtMatmulDescCreate");
  find(functions.free_description, "cublasLtMatmulDescDestroy");
  find(functions.set_description, "cublasLtMatmulDescSetAttribute");
  find(functions.new_layout, "cublasLtMatrixLayoutCreate");
  find(functions.free_layout, "cublasLtMatrixLayoutDestroy");
  find(functions.set_layout, "cublasLtMatrixLayoutSetAttribute");
  find(functions.new_preference, "cublasLtMatmulPreferenceCreate");
  find(functions.free_preference, "cublasLtMatmulPreferenceDestroy");
  find(functions.set_preference, "cublasLtMatmulPreferenceSetAttribute");
  find(functions.choose, "cublasLtMatmulAlgoGetHeuristic");
  find(functions.multiply, "cublasLtMatmul");
  find(functions.status_text, "cublasLtGetStatusString");
  return functions;
}

const Functions& functions() {
  static const Functions kFunctions = find_functions();
  return kFunctions;
}

void require_success(int status, const char* call) {
  require(status == 0, ErrorCode::io, call, "failed:", functions().status_text(status));
}

int data_type(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 1;
    case DType::f16:
      return 2;
    case DType::bf16:
      return 14;
    default:
      return 0;
  }
}

/// A row-major matrix is the column-major one with rows and columns exchanged.
void* layout_of(const BlasProduct& product, DType dtype, const BlasMatrix& matrix, int64_t rows,
                int64_t columns) {
  if (matrix.is_turned) std::swap(rows, columns);
  void* layout = nullptr;
  require_success(functions().new_layout(&layout, data_type(dtype), static_cast<uint64_t>(columns),
                                         static_cast<uint64_t>(rows), matrix.lead),
                  "cublasLtMatrixLayoutCreate");
  const auto count = static_cast<int32_t>(product.batch);
  require_success(functions().set_layout(layout, kBatchCount, &count, sizeof count),
                  "cublasLtMatrixLayoutSetAttribute");
  require_success(functions().set_layout(layout, kBatchStride, &matrix.batch_stride,
                                         sizeof matrix.batch_stride),
                  "cublasLtMatrixLayoutSetAttribute");
  return layout;
}

void* preference_of(const BlasProduct& product) {
  void* preference = nullptr;
  require_success(functions().new_preference(&preference), "cublasLtMatmulPreferenceCreate");
  const auto set = [&](int attribute, const auto& value) {
    require_success(functions().set_preference(preference, attribute, &value, sizeof value),
                    "cublasLtMatmulPreferenceSetAttribute");
  };
  set(kMostWorkspace, kWorkspace);
  set(kReductionSchemes, kOrderedReductions);
  const auto alignment = static_cast<uint32_t>(product.alignment);
  for (const int attribute : {kAlignmentA, kAlignmentB, kAlignmentC, kAlignmentD}) {
    set(attribute, alignment);
  }
  return preference;
}

}  // namespace

std::string BlasLt::reason_missing() { return library().is_open() ? "" : library().failures(); }

BlasLt::BlasLt() { require_success(functions().create(&handle_), "cublasLtCreate"); }

BlasLt::~BlasLt() { functions().destroy(handle_); }

bool BlasLt::takes(const BlasProduct& product) {
  const bool is_known = product.dtype == DType::f16 || product.dtype == DType::bf16 ||
                        product.dtype == DType::f32 || product.dtype == DType::f64;
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  return is_known && product.batch <= kMost && product.rows > 0 && product.columns > 0 &&
         product.depth > 0 && !product.result.is_turned;
}

std::unique_ptr<BlasPlan> BlasLt::plan(const BlasProduct& product) const {
  std::unique_ptr<BlasPlan> plan(new BlasPlan);
  plan->library_ = this;
  plan->scale_ = product.dtype == DType::f64 ? DType::f64 : DType::f32;
  plan->has_bias_ = product.addend == BlasAddend::bias;
  plan->alpha_ = product.alpha;
  plan->beta_ = product.addend == BlasAddend::matrix ? product.beta : 0;
  const int compute = product.dtype == DType::f64 ? kCompute64F : kCompute32F;
  require_success(
      functions().new_description(&plan->description_, compute, data_type(plan->scale_)),
      "cublasLtMatmulDescCreate");
  const auto set = [&](int attribute, const auto& value) {
    require_success(
        functions().set_description(plan->description_, attribute, &value, sizeof value),
        "cublasLtMatmulDescSetAttribute");
  };
  // In column-major terms the right operand comes first.
  if (product.right.is_turned) set(kTransposeLeft, kTransposed);
  if (product.left.is_turned) set(kTransposeRight, kTransposed);
  if (plan->has_bias_) {
    set(kEpilogue, kEpilogueBias);
    set(kBiasType, data_type(product.result_dtype));
  }
  plan->right_ = layout_of(product, product.dtype, product.right, product.depth, product.columns);
  plan->left_ = layout_of(product, product.dtype, product.left, product.rows, product.depth);
  plan->result_ =
      layout_of(product, product.result_dtype, product.result, product.rows, product.columns);
  const BlasMatrix& added =
      product.addend == BlasAddend::matrix ? product.addend_matrix : product.result;
  plan->addend_ = layout_of(product, product.result_dtype, added, product.rows, product.columns);
  void* const preference = preference_of(product);
  Heuristic best{};
  int found = 0;
  const int status = functions().choose(handle_, plan->description_, plan->right_, plan->left_,
                                        plan->addend_, plan->result_, preference, 1, &best, &found);
  functions().free_preference(preference);
  if (status != 0 || found == 0) return nullptr;
  plan->algorithm_ = best.algorithm;
  plan->workspace_bytes_ = best.workspace_bytes;
  return plan;
}

BlasPlan::~BlasPlan() {
  for (void* const layout : {left_, right_, result_, addend_}) {
    if (layout != nullptr) functions().free_layout(layout);
  }
  if (description_ != nullptr) functions().free_description(description_);
}

void BlasPlan::run(void* stream, const Operands& operands) const {
  const std::scoped_lock lock(mutex_);
  if (has_bias_) {
    require_success(functions().set_description(description_, kBiasPointer, &operands.addend,
                                                sizeof operands.addend),
                    "cublasLtMatmulDescSetAttribute");
  }
  const auto alpha_single = static_cast<float>(alpha_);
  const auto beta_single = static_cast<float>(beta_);
  const bool is_double = scale_ == DType::f64;
  const void* const alpha = is_double ? static_cast<const void*>(&alpha_) : &alpha_single;
  const void* const beta = is_double ? static_cast<const void*>(&beta_) : &beta_single;
  const void* const addend = beta_ != 0 ? operands.addend : operands.result;
  require_success(
      functions().multiply(library_->handle_, description_, alpha, operands.right, right_,
                           operands.left, left_, beta, addend, addend_, operands.result, result_,
                           algorithm_.data(), operands.workspace, workspace_bytes_, stream),
      "cublasLtMatmul");
}

}  // namespace litz::runtime::cuda
