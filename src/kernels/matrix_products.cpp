// Matrix products of tensors: vectors, matrices and broadcast batches, in any layout.
//
// A product is described by its operands' steps over the batch, rows and columns. Batch dimensions
// along which the right operand is constant are merged into the rows if the layout allows, so that
// [b, s, k] times [k, n] is one product instead of b.

#include <algorithm>
#include <array>
#include <complex>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/functions.h"
#include "kernels/gemm.h"
#include "kernels/product.h"
#include "kernels/result_sizes.h"
#include "support/check.h"
#include "types/scalar_cast.h"

namespace litz::kernels {
namespace {

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
    // As in PyTorch, bools are factors only where there is nothing to multiply.
    const bool is_nothing = product_.depth == 0 && product_.left.dtype == DType::bool_;
    if (is_nothing) product_.left.dtype = product_.right.dtype = DType::u8;
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
    chunks_ = divides_batch_ ? std::min(entries_, tasks_for_steps(pool_, steps)) : 1;
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
  require(call.epilogue == nullptr, ErrorCode::corrupt,
          "complex results must have no epilogue:", call.function);
  if (!addend.defined() && scales.alpha.real == 1.0) {
    return run_complex(describe(left, right, result, {}, operands), call.context);
  }
  Tensor product = Tensor::empty(result.dtype(), result.sizes());
  run_complex(describe(left, right, product, {}, operands), call.context);
  combine(result, product, addend, scales.alpha, scales.beta);
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
  require_sizes(call.results[0], std::array{input.sizes()[0], weight.sizes()[2]}, call.function);
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
