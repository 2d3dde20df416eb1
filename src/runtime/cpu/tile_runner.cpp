#include "runtime/cpu/tile_runner.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace litz::runtime {
namespace {

/// Calls of other threads share the pool of expressions, so that the product is not made here.
bool is_product(Expr product, Expr a, Expr b) {
  if (product.is_constant() || product.kind() != ExprKind::mul) return false;
  const std::span<const Expr> factors = product.operands();
  return factors.size() == 2 &&
         ((factors[0] == a && factors[1] == b) || (factors[0] == b && factors[1] == a));
}

}  // namespace

TileRunner::TileRunner(const artifact::EpilogueLaunch& launch, const artifact::KernelCode& code,
                       artifact::KernelFunction function, const Bindings& symbols)
    : function_(function) {
  require(launch.buffers.size() <= kMostBuffers && code.scalars.size() <= kMostScalars,
          ErrorCode::corrupt, "an epilogue must have few buffers and scalars:", code.name,
          launch.buffers.size(), code.scalars.size());
  for (const artifact::TensorSlot& tensor : launch.buffers) {
    buffers_.push_back({nullptr, item_size(tensor.type.dtype), {}, tensor.type.strides});
  }
  loops_ = launch.buffers.at(0).type.sizes;
  require(!loops_.empty() && loops_.size() <= kMostLoops, ErrorCode::corrupt,
          "an epilogue must have loops, but few:", code.name, loops_.size());
  for (const Expr scalar : launch.scalars) {
    if (scalar == launch.rows) {
      scalars_.push_back({Meaning::rows, 0});
    } else if (scalar == launch.columns) {
      scalars_.push_back({Meaning::columns, 0});
    } else if (const auto found = std::ranges::find(launch.row_strides, scalar);
               found != launch.row_strides.end()) {
      scalars_.push_back({Meaning::row_stride, found - launch.row_strides.begin()});
    } else {
      scalars_.push_back({Meaning::value, 0});
      values_.push_back(scalar);
    }
  }
  require(code.phases.size() == 1, ErrorCode::corrupt, "an epilogue must be one loop:", code.name,
          code.phases.size());
  require(launch.rows.is_symbol() && launch.columns.is_symbol(), ErrorCode::corrupt,
          "the sizes of an epilogue's tile must be symbols:", code.name);
  const Expr iterations = code.phases[0].iterations;
  const bool counts_both = is_product(iterations, launch.rows, launch.columns);
  counts_rows_ = counts_both || iterations == launch.rows;
  counts_columns_ = counts_both || iterations == launch.columns;
  require(counts_rows_ || counts_columns_, ErrorCode::corrupt,
          "an epilogue must iterate over its tile:", code.name);
  set_sizes(symbols);
}

void TileRunner::set_sizes(const Bindings& symbols) {
  for (Buffer& buffer : buffers_) buffer.steps = evaluate(buffer.strides, symbols);
  sizes_ = evaluate(loops_, symbols);
  require(follow_memory(), ErrorCode::corrupt,
          "an epilogue's loops must follow the memory of the result:", buffers_[0].steps.back());
}

/// True if every place in the result has digits that are below the sizes.
bool TileRunner::follow_memory() const {
  const std::vector<int64_t>& steps = buffers_[0].steps;
  if (steps.back() != 1) return false;
  int64_t span = 1;
  for (size_t i = steps.size(); i-- > 0;) {
    if (sizes_[i] == 0) return true;
    if (steps[i] < span) return false;
    span += (sizes_[i] - 1) * steps[i];
  }
  return true;
}

void TileRunner::set_values(std::span<const int64_t> values) {
  check(values.size() == values_.size(), "an epilogue has one number per value:", values.size());
  size_t next = 0;
  for (Scalar& scalar : scalars_) {
    if (scalar.meaning == Meaning::value) scalar.value = values[next++];
  }
}

void TileRunner::place(std::span<std::byte* const> addresses) {
  check(addresses.size() == buffers_.size(),
        "an epilogue has one address per buffer:", addresses.size());
  for (size_t i = 0; i < addresses.size(); ++i) buffers_[i].base = addresses[i];
}

void TileRunner::run(const kernels::ResultTile& tile) const {
  int64_t rows = tile.rows;
  int64_t columns = tile.columns;
  int64_t row_step = tile.row_stride;
  int64_t column_step = tile.column_stride;
  if (column_step != 1) {  // Columns run along memory.
    std::swap(rows, columns);
    std::swap(row_step, column_step);
  }
  const int64_t address = (tile.first - buffers_[0].base) / buffers_[0].item;
  if (column_step == 1 || columns == 1) return run_lines({address, rows, columns, row_step});
  for (int64_t column = 0; column < columns; ++column) {
    run_lines({address + column * column_step, rows, 1, row_step});
  }
}

void TileRunner::digits_of(int64_t number, Digits& digits) const {
  const std::vector<int64_t>& weights = buffers_[0].steps;
  for (size_t i = 0; i + 1 < sizes_.size(); ++i) {
    digits[i] = number / weights[i];
    number -= digits[i] * weights[i];
  }
  digits[sizes_.size() - 1] = number;
}

// Rows are run together while no digit carries into the next one.
void TileRunner::run_lines(Rectangle rectangle) const {
  Digits step;
  digits_of(rectangle.rows > 1 ? rectangle.row_step : 0, step);
  const size_t last = sizes_.size() - 1;
  while (rectangle.rows > 0) {
    Digits at;
    digits_of(rectangle.address, at);
    const int64_t columns = std::min(rectangle.columns, sizes_[last] - at[last]);
    int64_t rows = rectangle.rows;
    for (size_t i = 0; i <= last; ++i) {
      const int64_t room = sizes_[i] - at[i] - (i == last ? columns : 1);
      if (step[i] > 0) rows = std::min(rows, 1 + room / step[i]);
    }
    call(at, step, rows, columns);
    if (columns < rectangle.columns) {
      run_lines(
          {rectangle.address + columns, rows, rectangle.columns - columns, rectangle.row_step});
    }
    rectangle.address += rows * rectangle.row_step;
    rectangle.rows -= rows;
  }
}

void TileRunner::call(const Digits& at, const Digits& row_step, int64_t rows,
                      int64_t columns) const {
  void* pointers[kMostBuffers];
  int64_t strides[kMostBuffers];
  for (size_t b = 0; b < buffers_.size(); ++b) {
    const Buffer& buffer = buffers_[b];
    int64_t offset = 0;
    int64_t stride = 0;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      offset += at[i] * buffer.steps[i];
      stride += row_step[i] * buffer.steps[i];
    }
    pointers[b] = buffer.base + offset * buffer.item;
    strides[b] = stride;
  }
  int64_t scalars[kMostScalars];
  for (size_t i = 0; i < scalars_.size(); ++i) {
    switch (scalars_[i].meaning) {
      case Meaning::value:
        scalars[i] = scalars_[i].value;
        break;
      case Meaning::rows:
        scalars[i] = rows;
        break;
      case Meaning::columns:
        scalars[i] = columns;
        break;
      case Meaning::row_stride:
        scalars[i] = strides[scalars_[i].value];
        break;
    }
  }
  artifact::KernelFailure failure;
  const artifact::KernelArguments arguments{pointers, scalars, &failure};
  const int64_t iterations = (counts_rows_ ? rows : 1) * (counts_columns_ ? columns : 1);
  check(function_(&arguments, 0, iterations) == 0, "an epilogue must not fail");
}

}  // namespace litz::runtime
