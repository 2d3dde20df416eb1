// Attention: softmax(query @ key^T * scale + mask) @ value, a block of rows at a time.
//
// Scores are summed, scaled, masked and exponentiated in f32 (f64 for f64) whatever the operands
// are; the result is rounded once. Only one block of scores exists at a time.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "kernels/functions.h"
#include "kernels/gemm.h"
#include "kernels/micro_kernels.h"
#include "kernels/result_sizes.h"
#include "support/check.h"
#include "support/short_vector.h"
#include "types/strided_copy.h"

namespace litz::kernels {
namespace {

using Strides = ShortVector<int64_t, 8>;

// The most rows of scores at a time: enough for a product to reuse its right operand. Blocks have
// equal sizes, so that none is thin unless the whole is. Causal ones compute what lies behind the
// diagonal in their last columns, so theirs are smaller.
constexpr int64_t kRows = 128;
constexpr int64_t kCausalRows = 64;

/// A matrix of a batch, and the strides to the others.
struct Batched {
  const std::byte* data = nullptr;
  DType dtype = DType::f32;
  Strides batch;
  int64_t row = 0;
  int64_t column = 0;

  const std::byte* at(std::span<const int64_t> index) const {
    int64_t offset = 0;
    for (size_t i = 0; i < index.size(); ++i) offset += index[i] * batch[i];
    return data + offset * item_size(dtype);
  }
};

/// `tensor` broadcast to these sizes, the last two of which are the matrix.
Batched broadcast(const Tensor& tensor, std::span<const int64_t> batch, int64_t rows,
                  int64_t columns) {
  const size_t rank = batch.size() + 2;
  require(tensor.rank() <= rank, "operands of attention broadcast to its batch:", tensor.rank(),
          rank);
  const size_t missing = rank - tensor.rank();
  Batched view{tensor.data(), tensor.dtype(), Strides(batch.size())};
  for (size_t i = 0; i < tensor.rank(); ++i) {
    const size_t at = missing + i;
    const int64_t full = at < batch.size() ? batch[at] : at == batch.size() ? rows : columns;
    const int64_t size = tensor.sizes()[i];
    require(size == full || size == 1, "operands of attention broadcast to its batch:", size, full);
    const int64_t stride = size != 1 ? tensor.strides()[i] : 0;
    (at < batch.size() ? view.batch[at] : at == batch.size() ? view.row : view.column) = stride;
  }
  return view;
}

struct Problem {
  Strides batch;  ///< Sizes.
  int64_t rows = 0;
  int64_t keys = 0;
  int64_t depth = 0;
  int64_t columns = 0;
  Batched query;
  Batched key;
  Batched value;
  Batched mask;
  Batched result;
  std::byte* to = nullptr;  ///< The address of the result.
  bool has_mask = false;
  double scale = 1;
  bool safe = false;
  bool is_causal = false;  ///< Row i attends to the keys 0 to i.

  /// The keys that the first so many rows attend to.
  int64_t keys_of(int64_t first_rows) const {
    return is_causal ? std::min(keys, first_rows) : keys;
  }
};

template <typename T>
void mask_row(const Problem& problem, const std::byte* mask, T* scores) {
  const int64_t step = problem.mask.column;
  if (problem.mask.dtype == DType::bool_) {
    const auto* keep = reinterpret_cast<const uint8_t*>(mask);
    for (int64_t j = 0; j < problem.keys; ++j) {
      if (keep[j * step] == 0) scores[j] = -std::numeric_limits<T>::infinity();
    }
  } else {
    const auto* added = reinterpret_cast<const T*>(mask);
    for (int64_t j = 0; j < problem.keys; ++j) scores[j] += added[j * step];
  }
}

/// A SoftmaxRow with the vectors of this machine.
void softmax_row(float* scores, int64_t count, float scale, bool safe) {
  micro_kernels().softmax_row(scores, count, scale, safe);
}

void softmax_row(double* scores, int64_t count, double scale, bool safe) {
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  double largest = kLowest;
  bool is_empty = true;
  for (int64_t j = 0; j < count; ++j) {
    scores[j] *= scale;
    largest = scores[j] > largest ? scores[j] : largest;
    is_empty = is_empty && scores[j] == kLowest;
  }
  if (is_empty && safe) {
    std::fill_n(scores, count, 0.0);
    return;
  }
  double sum = 0;
  for (int64_t j = 0; j < count; ++j) {
    scores[j] = std::exp(scores[j] - largest);
    sum += scores[j];
  }
  for (int64_t j = 0; j < count; ++j) scores[j] /= sum;
}

template <typename T>
void run_block(const Problem& problem, std::span<const int64_t> index, Range rows,
               std::span<T> scores, const MatrixSlot& result, GemmWorkspace& workspace) {
  const Accumulator accumulator = std::is_same_v<T, double> ? Accumulator::f64 : Accumulator::f32;
  const DType dtype = accumulator_dtype(accumulator);
  const int64_t seen = problem.keys_of(rows.begin + rows.count);
  const Batched& q = problem.query;
  const Batched& k = problem.key;
  const Batched& v = problem.value;
  const MatrixPanels queries(accumulator, {q.at(index) + rows.begin * q.row * item_size(q.dtype),
                                           q.dtype, q.row, q.column});
  const MatrixPanels keys(accumulator, {k.at(index), k.dtype, k.row, k.column});
  auto* const weights = reinterpret_cast<std::byte*>(scores.data());
  run_gemm({.rows = rows.count,
            .columns = seen,
            .depth = problem.depth,
            .accumulator = accumulator,
            .left = &queries,
            .right = &keys,
            .result = {weights, dtype, seen, 1},
            .alpha = {},
            .beta = {}},
           workspace);
  const auto scale = static_cast<T>(problem.scale);
  for (int64_t i = 0; i < rows.count; ++i) {
    T* const row = scores.data() + i * seen;
    if (problem.is_causal) {
      const int64_t own = problem.keys_of(rows.begin + i + 1);
      softmax_row(row, own, scale, problem.safe);
      std::fill(row + own, row + seen, T(0));
      continue;
    }
    if (problem.has_mask) {
      for (int64_t j = 0; j < problem.keys; ++j) row[j] *= scale;
      const int64_t offset = (rows.begin + i) * problem.mask.row;
      mask_row(problem, problem.mask.at(index) + offset * item_size(problem.mask.dtype), row);
    }
    softmax_row(row, problem.keys, problem.has_mask ? T(1) : scale, problem.safe);
  }
  const MatrixPanels left(accumulator, {weights, dtype, seen, 1});
  const MatrixPanels values(accumulator, {v.at(index), v.dtype, v.column, v.row});
  run_gemm({.rows = rows.count,
            .columns = problem.columns,
            .depth = seen,
            .accumulator = accumulator,
            .left = &left,
            .right = &values,
            .result = {result.data + rows.begin * result.row_stride * item_size(result.dtype),
                       result.dtype, result.row_stride, result.column_stride},
            .alpha = {},
            .beta = {}},
           workspace);
}

void unravel(int64_t i, std::span<const int64_t> sizes, Strides& index) {
  for (size_t d = sizes.size(); d-- > 0;) {
    index[d] = i % sizes[d];
    i /= sizes[d];
  }
}

/// Threads share blocks of rows of all batch entries.
template <typename T>
void run(const Problem& problem, LibraryContext* context) {
  const Batched& out = problem.result;
  std::byte* const base = problem.to;
  const int64_t most_rows = problem.is_causal ? kCausalRows : kRows;
  const int64_t blocks = (problem.rows + most_rows - 1) / most_rows;
  int64_t tasks = blocks;
  for (const int64_t size : problem.batch) tasks *= size;
  ThreadPool* const pool = context == nullptr ? nullptr : context->pool();
  const int64_t matrices = tasks / blocks;
  const double steps = static_cast<double>(matrices * problem.rows) *
                       static_cast<double>(problem.keys * (problem.depth + problem.columns));
  const int64_t chunks = std::min(tasks, tasks_for_steps(pool, steps));
  run_chunks(pool, chunks, [&](int64_t chunk) {
    GemmWorkspace workspace(context, nullptr);
    const int64_t count = (problem.rows + blocks - 1) / blocks * problem.keys;
    auto* const memory = static_cast<T*>(
        workspace.memory(3, static_cast<size_t>(count) * sizeof(T)));  // A product uses 0 to 2.
    const std::span<T> scores(memory, static_cast<size_t>(count));
    Strides index(problem.batch.size());
    for (int64_t task = chunk_begin(tasks, chunks, chunk);
         task < chunk_begin(tasks, chunks, chunk + 1); ++task) {
      unravel(task / blocks, problem.batch, index);
      const MatrixSlot slot{base + (out.at(index) - out.data), out.dtype, out.row, out.column};
      const int64_t begin = chunk_begin(problem.rows, blocks, task % blocks);
      const Range rows{begin, chunk_begin(problem.rows, blocks, task % blocks + 1) - begin};
      run_block<T>(problem, index, rows, scores, slot, workspace);
    }
  });
}

/// Returns nullopt if there are no keys (the result is then 0) or no results.
std::optional<Problem> describe(const LibraryCall& call) {
  const Tensor& query = call.tensor(0);
  const Tensor& key = call.tensor(1);
  const Tensor& value = call.tensor(2);
  const Tensor& result = call.results[0];
  require(query.rank() >= 2 && key.rank() >= 2 && value.rank() >= 2 && result.rank() >= 2,
          "attention takes tensors of rank 2 or more:", query.rank(), key.rank(), value.rank());
  if (result.numel() == 0) return std::nullopt;
  Problem problem;
  problem.batch = Strides(std::span(result.sizes()).first(result.rank() - 2));
  problem.rows = query.sizes()[query.rank() - 2];
  problem.keys = key.sizes()[key.rank() - 2];
  problem.depth = query.sizes().back();
  problem.columns = value.sizes().back();
  require(problem.depth == key.sizes().back() && problem.keys == value.sizes()[value.rank() - 2],
          "query, key and value of attention must fit:", problem.depth, key.sizes().back(),
          problem.keys, value.sizes()[value.rank() - 2]);
  Strides sizes = problem.batch;
  sizes.push_back(problem.rows);
  sizes.push_back(problem.columns);
  require_sizes(result, sizes, "attention");
  if (problem.keys == 0) return std::nullopt;
  problem.query = broadcast(query, problem.batch, problem.rows, problem.depth);
  problem.key = broadcast(key, problem.batch, problem.keys, problem.depth);
  problem.value = broadcast(value, problem.batch, problem.keys, problem.columns);
  problem.result = broadcast(result, problem.batch, problem.rows, problem.columns);
  problem.to = const_cast<std::byte*>(result.data());
  const Tensor& mask = call.optional_tensor(3);
  if (mask.defined()) {
    problem.has_mask = true;
    problem.mask = broadcast(mask, problem.batch, problem.rows, problem.keys);
  }
  problem.scale = call.real(4);
  problem.safe = call.flag(5);
  problem.is_causal = call.flag(6);
  require(!problem.is_causal || !mask.defined(), "causal attention takes no mask");
  require(
      !mask.defined() || mask.dtype() == DType::bool_ ||
          mask.dtype() == (query.dtype() == DType::f64 ? DType::f64 : DType::f32),
      "a mask of attention is bool or of the dtype that is computed in:", torch_name(mask.dtype()));
  return problem;
}

void run(const Problem& problem, LibraryContext* context) {
  if (problem.query.dtype == DType::f64) {
    run<double>(problem, context);
  } else {
    run<float>(problem, context);
  }
}

class PreparedAttention final : public PreparedCall {
 public:
  PreparedAttention(Problem problem, const LibraryCall& call)
      : problem_(std::move(problem)), result_(call.arguments.size()), context_(call.context) {}

  void run(std::span<std::byte* const> addresses, const TileEpilogue*) override {
    problem_.query.data = addresses[0];
    problem_.key.data = addresses[1];
    problem_.value.data = addresses[2];
    if (problem_.has_mask) problem_.mask.data = addresses[3];
    problem_.to = addresses[result_];
    problem_.result.data = problem_.to;
    kernels::run(problem_, context_);
  }

 private:
  Problem problem_;
  size_t result_;
  LibraryContext* context_;
};

}  // namespace

void attention(LibraryCall& call) {
  Tensor& result = call.results[0];
  if (const std::optional<Problem> problem = describe(call)) {
    run(*problem, call.context);
  } else if (result.numel() > 0) {
    result.copy_from(Tensor::zeros(result.dtype(), result.sizes()));
  }
}

std::unique_ptr<PreparedCall> prepare_attention(const LibraryCall& call) {
  std::optional<Problem> problem = describe(call);
  if (!problem) return nullptr;
  return std::make_unique<PreparedAttention>(std::move(*problem), call);
}

}  // namespace litz::kernels
