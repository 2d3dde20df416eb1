// Matrix products of tensors: vectors, matrices and broadcast batches, in any layout.
//
// A product is described by its operands' steps over the batch, rows and columns. Batch dimensions
// along which the right operand is constant are merged into the rows if the layout allows, so that
// [b, s, k] times [k, n] is one product instead of b.

#include <algorithm>
#include <complex>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/functions.h"
#include "kernels/gemm.h"
#include "support/check.h"
#include "support/short_vector.h"
#include "types/scalar_cast.h"

namespace litz::kernels {
namespace {

using Strides = ShortVector<int64_t, 8>;

/// One tensor as a batch of matrices; a missing dimension has stride 0.
struct Operand {
  std::byte* data = nullptr;
  DType dtype = DType::f32;
  Strides batch;
  int64_t row = 0;
  int64_t column = 0;
  bool is_constant = false;  ///< As LibraryCall::constants says.
};

struct Product {
  Strides batch;  ///< Sizes.
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  Operand left;
  Operand right;
  Operand result;
  bool has_addend = false;
  Operand addend;
};

struct Scale {
  std::complex<double> real = 1;
  int64_t integer = 1;
};

std::byte* address(const Tensor& tensor) {
  // Operands and results share one description; only results are written through it.
  return const_cast<std::byte*>(tensor.data());
}

/// The strides of `tensor` broadcast to `sizes`.
Strides broadcast_strides(const Tensor& tensor, std::span<const int64_t> sizes, const char* what) {
  require(tensor.rank() <= sizes.size(), "a tensor cannot be broadcast to fewer dimensions:", what,
          tensor.rank(), sizes.size());
  Strides strides(sizes.size());
  const size_t missing = sizes.size() - tensor.rank();
  for (size_t i = 0; i < tensor.rank(); ++i) {
    const int64_t size = tensor.sizes()[i];
    require(size == sizes[missing + i] || size == 1,
            "a tensor must broadcast to the shape of the product:", what, size, sizes[missing + i]);
    strides[missing + i] = size == 1 ? 0 : tensor.strides()[i];
  }
  return strides;
}

/// An operand whose last two dimensions are the matrix, earlier ones broadcast to the batch.
Operand matrix_operand(const Tensor& tensor, bool is_left, std::span<const int64_t> batch) {
  Operand operand{address(tensor), tensor.dtype(), Strides(batch.size()), 0, 0, false};
  const size_t rank = tensor.rank();
  if (rank == 1) {
    (is_left ? operand.column : operand.row) = tensor.strides()[0];
    return operand;
  }
  operand.row = tensor.strides()[rank - 2];
  operand.column = tensor.strides()[rank - 1];
  const size_t missing = batch.size() - (rank - 2);
  for (size_t i = 0; i + 2 < rank; ++i) {
    const int64_t size = tensor.sizes()[i];
    require(size == batch[missing + i] || size == 1,
            "batch sizes of a product must broadcast:", size, batch[missing + i]);
    if (size != 1) operand.batch[missing + i] = tensor.strides()[i];
  }
  return operand;
}

/// The result, or something broadcast to it: rows and columns are left out where an operand is a
/// vector.
Operand result_operand(const Tensor& tensor, std::span<const int64_t> strides, bool has_rows,
                       bool has_columns) {
  Operand operand{address(tensor), tensor.dtype(), Strides(strides), 0, 0, false};
  if (has_columns) {
    operand.column = operand.batch.back();
    operand.batch.pop_back();
  }
  if (has_rows) {
    operand.row = operand.batch.back();
    operand.batch.pop_back();
  }
  return operand;
}

/// Properties of a product's operands besides their tensors.
struct Operands {
  bool left_is_constant = false;  ///< As LibraryCall::constants says.
  bool right_is_constant = false;
  bool right_is_turned = false;  ///< Its last two dimensions are columns and depth.
};

Product describe(const Tensor& left, const Tensor& right, const Tensor& result,
                 const Tensor& addend, const Operands& operands = {}) {
  require(left.rank() > 0 && right.rank() > 0,
          "both operands of a product need at least one dimension:", left.rank(), right.rank());
  require(left.dtype() == right.dtype(),
          "operands of a product must have one dtype:", torch_name(left.dtype()),
          torch_name(right.dtype()));
  const bool has_rows = left.rank() > 1;
  const bool has_columns = right.rank() > 1;
  const bool is_turned = has_columns && operands.right_is_turned;
  Product product;
  product.rows = has_rows ? left.sizes()[left.rank() - 2] : 1;
  product.columns = has_columns ? right.sizes()[right.rank() - (is_turned ? 2 : 1)] : 1;
  product.depth = left.sizes().back();
  const int64_t right_depth =
      has_columns ? right.sizes()[right.rank() - (is_turned ? 1 : 2)] : right.sizes()[0];
  require(product.depth == right_depth, "inner sizes of a product must agree:", product.depth,
          right_depth);
  const size_t matrix_dims = (has_rows ? 1 : 0) + (has_columns ? 1 : 0);
  check(result.rank() >= matrix_dims, "a product's result must hold its matrix:", result.rank());
  product.batch = Strides(std::span(result.sizes()).first(result.rank() - matrix_dims));
  const size_t batch_rank = product.batch.size();
  require(std::max(left.rank(), right.rank()) <= batch_rank + 2,
          "the result of a product must have all batch dimensions:", batch_rank);
  product.left = matrix_operand(left, true, product.batch);
  product.right = matrix_operand(right, false, product.batch);
  if (is_turned) std::swap(product.right.row, product.right.column);
  product.left.is_constant = operands.left_is_constant;
  product.right.is_constant = operands.right_is_constant;
  product.result = result_operand(result, result.strides(), has_rows, has_columns);
  if (addend.defined()) {
    product.has_addend = true;
    product.addend = result_operand(addend, broadcast_strides(addend, result.sizes(), "addend"),
                                    has_rows, has_columns);
  }
  return product;
}

bool continues(const Operand& operand, int64_t rows) {
  return operand.batch.back() == operand.row * rows;
}

/// Merges trailing batch dimensions into the rows.
void merge_batch_into_rows(Product& product) {
  while (!product.batch.empty()) {
    const int64_t size = product.batch.back();
    if (size != 1) {
      const bool right_stays = product.right.batch.back() == 0;
      const bool steps_run_on = continues(product.left, product.rows) &&
                                continues(product.result, product.rows) &&
                                (!product.has_addend || continues(product.addend, product.rows));
      if (product.rows == 1 && right_stays) {
        product.left.row = product.left.batch.back();
        product.result.row = product.result.batch.back();
        if (product.has_addend) product.addend.row = product.addend.batch.back();
      } else if (!right_stays || !steps_run_on) {
        return;
      }
      product.rows *= size;
    }
    product.batch.pop_back();
    product.left.batch.pop_back();
    product.right.batch.pop_back();
    product.result.batch.pop_back();
    if (product.has_addend) product.addend.batch.pop_back();
  }
}

MatrixSlot slot_at(const Operand& operand, std::span<const int64_t> index) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i) offset += index[i] * operand.batch[i];
  return {operand.data + offset * item_size(operand.dtype), operand.dtype, operand.row,
          operand.column};
}

/// The index of the `i`th matrix of a batch.
void unravel(int64_t i, std::span<const int64_t> sizes, Strides& index) {
  for (size_t d = sizes.size(); d-- > 0;) {
    index[d] = i % sizes[d];
    i /= sizes[d];
  }
}

struct Factors {
  Factor alpha;
  Factor beta;
};

/// Threads divide many products; each of a few is divided itself.
class RealProduct {
 public:
  RealProduct(Product product, const Factors& factors, LibraryContext* context)
      : product_(std::move(product)), factors_(factors), context_(context) {
    merge_batch_into_rows(product_);
    for (const int64_t size : product_.batch) entries_ *= size;
    is_empty_ = entries_ == 0 || product_.rows == 0 || product_.columns == 0;
    if (is_empty_) return;
    accumulator_ = accumulator_of(product_.left.dtype, "matrix product");
    const Operand& left = product_.left;
    const Operand& right = product_.right;
    left_.emplace(accumulator_, MatrixLines{nullptr, left.dtype, left.row, left.column});
    right_.emplace(accumulator_, MatrixLines{nullptr, right.dtype, right.column, right.row});
    pool_ = context == nullptr ? nullptr : context->pool();
    divides_batch_ = entries_ >= thread_count(pool_);
    const double steps = static_cast<double>(product_.rows) *
                         static_cast<double>(product_.columns) *
                         static_cast<double>(product_.depth) * static_cast<double>(entries_);
    chunks_ = divides_batch_ ? threads_for_steps(pool_, steps) : 1;
  }

  /// Its addresses may change before each run.
  Product& product() { return product_; }

  void run(const TileEpilogue* epilogue) {
    if (is_empty_) return;
    if (entries_ == 1) {
      GemmWorkspace workspace(context_, pool_);
      return run_entry({}, epilogue, &kept_, workspace);
    }
    run_chunks(pool_, chunks_, [&](int64_t chunk) {
      GemmWorkspace workspace(context_, divides_batch_ ? nullptr : pool_);
      Strides index(product_.batch.size());
      for (int64_t entry = chunk_begin(entries_, chunks_, chunk);
           entry < chunk_begin(entries_, chunks_, chunk + 1); ++entry) {
        unravel(entry, product_.batch, index);
        // Constants of a batch differ between entries.
        run_entry(index, epilogue, nullptr, workspace);
      }
    });
  }

 private:
  /// The matrices of one batch entry.
  void run_entry(std::span<const int64_t> index, const TileEpilogue* epilogue, KeptPanels* kept,
                 GemmWorkspace& workspace) const {
    const MatrixPanels left = left_->at(slot_at(product_.left, index).data);
    const MatrixPanels right = right_->at(slot_at(product_.right, index).data);
    MatrixSlot addend;
    if (product_.has_addend) addend = slot_at(product_.addend, index);
    run_gemm({.rows = product_.rows,
              .columns = product_.columns,
              .depth = product_.depth,
              .accumulator = accumulator_,
              .left = &left,
              .right = &right,
              .left_is_constant = product_.left.is_constant,
              .right_is_constant = product_.right.is_constant,
              .result = slot_at(product_.result, index),
              .addend = product_.has_addend ? &addend : nullptr,
              .alpha = factors_.alpha,
              .beta = factors_.beta,
              .epilogue = epilogue,
              .kept = kept},
             workspace);
  }

  Product product_;
  Factors factors_;
  LibraryContext* context_;
  ThreadPool* pool_ = nullptr;
  Accumulator accumulator_ = Accumulator::f32;
  std::optional<MatrixPanels> left_;  ///< Without an address yet.
  std::optional<MatrixPanels> right_;
  int64_t entries_ = 1;
  int64_t chunks_ = 1;
  bool divides_batch_ = false;
  bool is_empty_ = false;
  KeptPanels kept_;
};

void run_real(Product product, const Factors& factors, const TileEpilogue* epilogue,
              LibraryContext* context) {
  RealProduct(std::move(product), factors, context).run(epilogue);
}

/// The real (part 0) or imaginary (part 1) parts of a complex operand.
Operand part_of(const Operand& operand, int part) {
  Operand result = operand;
  result.dtype = real_dtype(operand.dtype);
  result.data += part * item_size(result.dtype);
  for (int64_t& stride : result.batch) stride *= 2;
  result.row *= 2;
  result.column *= 2;
  return result;
}

/// left * right of complex operands, as four real products.
void run_complex(const Product& product, LibraryContext* context) {
  require(product.left.dtype != DType::c32, ErrorCode::unsupported,
          "products of half-precision complex tensors are not available; cast to complex64");

  struct Term {
    int left, right, result;
    double sign;
    bool adds;
  };

  constexpr Term kTerms[] = {
      {0, 0, 0, 1, false}, {1, 1, 0, -1, true}, {0, 1, 1, 1, false}, {1, 0, 1, 1, true}};
  for (const Term& term : kTerms) {
    Product part = product;
    part.left = part_of(product.left, term.left);
    part.right = part_of(product.right, term.right);
    part.result = part_of(product.result, term.result);
    part.has_addend = term.adds;
    part.addend = part.result;
    run_real(std::move(part), {{term.sign, 1}, {1, 1}}, nullptr, context);
  }
}

/// result = beta * addend + alpha * product, all complex.
void combine(Tensor& result, const Tensor& product, const Tensor& addend, const Scale& alpha,
             const Scale& beta) {
  Tensor wide = product.to(DType::c128).clone();
  auto* values = reinterpret_cast<std::complex<double>*>(wide.mutable_data());
  const int64_t count = wide.numel();
  Tensor expanded;
  if (addend.defined()) {
    const Strides strides = broadcast_strides(addend, result.sizes(), "addend");
    expanded = addend.view(result.sizes(), {strides.begin(), strides.end()}, addend.offset())
                   .to(DType::c128)
                   .contiguous();
  }
  for (int64_t i = 0; i < count; ++i) {
    values[i] *= alpha.real;
    if (expanded.defined()) {
      values[i] += beta.real * reinterpret_cast<const std::complex<double>*>(expanded.data())[i];
    }
  }
  result.copy_from(wide);
}

Scale scale_argument(const LibraryCall& call, size_t i) {
  if (const auto* complex = std::get_if<std::complex<double>>(&call.arguments[i])) {
    return {*complex, truncate_to<int64_t>(complex->real())};
  }
  const double real = call.real(i);
  const bool is_real = std::holds_alternative<double>(call.arguments[i]);
  return {real, is_real ? truncate_to<int64_t>(real) : call.integer(i)};
}

struct Scales {
  Scale alpha;
  Scale beta;
};

Factors factors_of(const Scales& scales) {
  const Scale& alpha = scales.alpha;
  const Scale& beta = scales.beta;
  return {{alpha.real.real(), alpha.integer}, {beta.real.real(), beta.integer}};
}

void multiply(const LibraryCall& call, const Tensor& left, const Tensor& right, Tensor& result,
              const Operands& operands, const Tensor& addend = {}, const Scales& scales = {}) {
  if (!is_complex(left.dtype())) {
    return run_real(describe(left, right, result, addend, operands), factors_of(scales),
                    call.epilogue, call.context);
  }
  check(call.epilogue == nullptr, "complex results must have no epilogue:", call.function);
  if (!addend.defined() && scales.alpha.real == 1.0) {
    return run_complex(describe(left, right, result, {}, operands), call.context);
  }
  Tensor product = Tensor::empty(result.dtype(), result.sizes());
  run_complex(describe(left, right, product, {}, operands), call.context);
  combine(result, product, addend, scales.alpha, scales.beta);
}

/// The arguments of a call that are multiplied, and how.
struct ProductCall {
  size_t left = 0;
  size_t right = 1;
  std::optional<size_t> addend;
  Operands operands;
  Scales scales;

  const Tensor& addend_of(const LibraryCall& call) const {
    static const Tensor none;
    return addend ? call.optional_tensor(*addend) : none;
  }
};

ProductCall matmul_call(const LibraryCall& call) {
  return {0, 1, {}, {call.is_constant(0), call.is_constant(1)}, {}};
}

ProductCall linear_call(const LibraryCall& call) {
  return {0, 1, 2, {call.is_constant(0), call.is_constant(1), true}, {}};
}

ProductCall scaled_call(const LibraryCall& call) {
  ProductCall product{1, 2, 0, {call.is_constant(1), call.is_constant(2)}, {}};
  product.scales = {scale_argument(call, 4), scale_argument(call, 3)};
  // NaN in an unused addend must not spread.
  if (product.scales.beta.real == 0.0) product.addend.reset();
  return product;
}

void multiply(const LibraryCall& call, const ProductCall& product) {
  multiply(call, call.tensor(product.left), call.tensor(product.right), call.results[0],
           product.operands, product.addend_of(call), product.scales);
}

class PreparedProduct final : public PreparedCall {
 public:
  PreparedProduct(const LibraryCall& call, const ProductCall& product)
      : call_(product),
        result_(call.arguments.size()),
        product_(describe(call.tensor(product.left), call.tensor(product.right), call.results[0],
                          product.addend_of(call), product.operands),
                 factors_of(product.scales), call.context) {}

  void run(std::span<std::byte* const> addresses, const TileEpilogue* epilogue) override {
    Product& product = product_.product();
    product.left.data = addresses[call_.left];
    product.right.data = addresses[call_.right];
    product.result.data = addresses[result_];
    if (product.has_addend) product.addend.data = addresses[*call_.addend];
    product_.run(epilogue);
  }

 private:
  ProductCall call_;
  size_t result_;
  RealProduct product_;
};

std::unique_ptr<PreparedCall> prepare(const LibraryCall& call, const ProductCall& product) {
  if (is_complex(call.tensor(product.left).dtype())) return nullptr;
  return std::make_unique<PreparedProduct>(call, product);
}

/// Entries [begin, begin + count) of dimension 0.
Tensor slice_first(const Tensor& tensor, int64_t begin, int64_t count) {
  std::vector<int64_t> sizes = tensor.sizes();
  sizes[0] = count;
  return tensor.view(std::move(sizes), tensor.strides(),
                     tensor.offset() + begin * tensor.strides()[0]);
}

Tensor select_first(const Tensor& tensor, int64_t i) {
  return tensor.view({tensor.sizes().begin() + 1, tensor.sizes().end()},
                     {tensor.strides().begin() + 1, tensor.strides().end()},
                     tensor.offset() + i * tensor.strides()[0]);
}

}  // namespace

void matmul(LibraryCall& call) { multiply(call, matmul_call(call)); }

void linear(LibraryCall& call) { multiply(call, linear_call(call)); }

void scaled_matmul(LibraryCall& call) { multiply(call, scaled_call(call)); }

std::unique_ptr<PreparedCall> prepare_matmul(const LibraryCall& call) {
  return prepare(call, matmul_call(call));
}

std::unique_ptr<PreparedCall> prepare_linear(const LibraryCall& call) {
  return prepare(call, linear_call(call));
}

std::unique_ptr<PreparedCall> prepare_scaled_matmul(const LibraryCall& call) {
  return prepare(call, scaled_call(call));
}

void grouped_matmul(LibraryCall& call) {
  const Tensor& input = call.tensor(0);
  const Tensor& weight = call.tensor(1);
  const Tensor& ends = call.tensor(2);
  require(input.rank() == 2 && weight.rank() == 3 && ends.rank() == 1,
          "a grouped product takes a matrix, a batch of matrices and a list of row ends:",
          input.rank(), weight.rank(), ends.rank());
  require(ends.sizes()[0] == weight.sizes()[0],
          "a grouped product needs one row end per matrix:", ends.sizes()[0], weight.sizes()[0]);
  int64_t begin = 0;
  for (int64_t group = 0; group < ends.sizes()[0]; ++group) {
    const int64_t end = ends.int_at({group});
    require(begin <= end && end <= input.sizes()[0], ErrorCode::out_of_range,
            "row ends of a grouped product must ascend and lie inside the input:", end,
            input.sizes()[0]);
    Tensor rows = slice_first(call.results[0], begin, end - begin);
    multiply(call, slice_first(input, begin, end - begin), select_first(weight, group), rows,
             {false, call.is_constant(1)});
    begin = end;
  }
  if (begin < input.sizes()[0]) {  // Rows after the last group belong to none.
    Tensor rest = slice_first(call.results[0], begin, input.sizes()[0] - begin);
    rest.copy_from(Tensor::zeros(rest.dtype(), rest.sizes()));
  }
}

}  // namespace litz::kernels
