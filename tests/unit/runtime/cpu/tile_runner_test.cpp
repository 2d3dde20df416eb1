#include "runtime/cpu/tile_runner.h"

#include <array>
#include <numeric>
#include <span>

#include <gtest/gtest.h>

namespace litz::runtime {
namespace {

// out[r, c] = result[r, c] + other[r, c], with the strides that scalars 2 to 4 give; lines of `out`
// and `result` run along memory, `other` has one value a line.
int32_t add_tile(const artifact::KernelArguments* arguments, int64_t begin, int64_t end) {
  const int64_t* scalars = arguments->scalars;
  for (int64_t r = begin; r < end; ++r) {
    const auto* result = static_cast<const float*>(arguments->buffers[0]) + r * scalars[2];
    const auto* other = static_cast<const float*>(arguments->buffers[1]) + r * scalars[3];
    auto* out = static_cast<float*>(arguments->buffers[2]) + r * scalars[4];
    for (int64_t c = 0; c < scalars[1]; ++c) out[c] = result[c] + other[0];
  }
  return 0;
}

constexpr int64_t kCount = 210;

class TileRunnerTest : public testing::Test {
 protected:
  TileRunnerTest() {
    const auto symbol = [&](const char* name) {
      SymbolInfo info;
      info.name = name;
      info.range = {0, 1 << 20};
      return pool_.add_symbol(std::move(info));
    };
    launch_.rows = symbol("rows");
    launch_.columns = symbol("columns");
    for (const char* name : {"a", "b", "c"}) launch_.row_strides.push_back(symbol(name));
    launch_.scalars = {launch_.rows, launch_.columns};
    launch_.scalars.insert(launch_.scalars.end(), launch_.row_strides.begin(),
                           launch_.row_strides.end());
    for (const Expr scalar : launch_.scalars) code_.scalars.push_back(scalar.symbol());
    code_.phases.push_back({"add", launch_.rows, 1, 1});
    TensorType dense = contiguous_type(DType::f32, {2, 3, 5, 7});
    TensorType other = dense;
    other.strides = {0, 5, 1, 0};  // [3, 5]
    launch_.buffers = {{{}, dense}, {{}, other}, {{}, dense}};
    std::iota(result_.begin(), result_.end(), 0.0F);
    std::iota(other_.begin(), other_.end(), 1000.0F);
  }

  // All elements as tiles of so many rows and columns, where rows and columns step as given.
  void run(int64_t rows, int64_t row_stride, int64_t columns, int64_t column_stride) {
    TileRunner runner(launch_, code_, add_tile, {});
    out_.fill(0);
    const std::array<std::byte*, 3> buffers{reinterpret_cast<std::byte*>(result_.data()),
                                            reinterpret_cast<std::byte*>(other_.data()),
                                            reinterpret_cast<std::byte*>(out_.data())};
    runner.place(buffers);
    std::array<bool, kCount> seen{};
    for (int64_t first = 0; first < kCount; ++first) {
      if (seen[static_cast<size_t>(first)]) continue;
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < columns; ++c) {
          seen[static_cast<size_t>(first + r * row_stride + c * column_stride)] = true;
        }
      }
      runner.run({.first = reinterpret_cast<std::byte*>(result_.data() + first),
                  .rows = rows,
                  .columns = columns,
                  .row_stride = row_stride,
                  .column_stride = column_stride});
    }
    for (int64_t i = 0; i < kCount; ++i) {
      const int64_t at = i % 105 / 7;
      ASSERT_EQ(out_[static_cast<size_t>(i)],
                static_cast<float>(i) + 1000.0F + static_cast<float>(at))
          << i;
    }
  }

  ExprPool pool_;
  artifact::EpilogueLaunch launch_;
  artifact::KernelCode code_;
  std::array<float, kCount> result_{};
  std::array<float, 15> other_{};
  std::array<float, kCount> out_{};
};

TEST_F(TileRunnerTest, TilesOfAnyShape) {
  run(1, 0, kCount, 1);  // One line across all dimensions.
  run(6, 35, 35, 1);     // Channels by positions.
  run(35, 1, 6, 35);     // The same, turned.
  run(30, 7, 7, 1);      // All lines.
  run(3, 35, 5, 7);      // Neither runs along memory.
  run(2, 105, 15, 7);
  run(3, 70, 70, 1);   // Steps over two of a dimension, with a carry.
  run(21, 10, 10, 1);  // Lines that start anywhere.
  run(1, 0, 1, 0);
}

}  // namespace
}  // namespace litz::runtime
