// Accesses of neighbours at a time: at any address, of any width, with values that rows share.

#include <array>

#include "emulated_kernel.h"
#include "loops/interpreter.h"

namespace litz::codegen {
namespace {

using loops::BufferId;
using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;

/// Compares kernels at aligned memory and at memory that begins a few elements later.
class WideTextTest : public EmulatedKernelTest {
 protected:
  void compare_everywhere(const loops::Kernel& kernel, const std::vector<Tensor>& buffers) {
    const auto expected = clones(buffers);
    loops::interpret(kernel, expected, {});
    for (const int64_t before : {0, 1, 3, 16}) {
      SCOPED_TRACE("behind " + std::to_string(before));
      const auto actual = clones(buffers);
      run(kernel, actual, {}, before);
      for (size_t i = 0; i < buffers.size(); ++i) expect_equal(actual[i], expected[i]);
    }
  }
};

TEST_F(WideTextTest, AllElementSizes) {
  for (const int64_t columns : {64, 36, 33}) {
    SCOPED_TRACE(columns);
    KernelBuilder b("sizes", pool_);
    std::vector<Tensor> tensors;
    for (const DType dtype : {DType::u8, DType::bool_, DType::bf16, DType::f32, DType::f64,
                              DType::f8e5m2, DType::c64}) {
      const std::string suffix = std::to_string(tensors.size());
      const TensorType type = contiguous_type(dtype, {30, columns});
      const BufferId x = b.input("x" + suffix, type);
      const BufferId y = b.output("y" + suffix, type);
      b.loop(type.sizes, [&](Exprs i) { b.store(y, i, b.load(x, i)); });
      tensors.push_back(whole_numbers(dtype, {30, columns}));
      tensors.push_back(Tensor::zeros(dtype, {30, columns}));
    }
    compare_everywhere(std::move(b).finish(), tensors);
  }
}

// Elements of two sizes in one loop; rows that all columns share; a strided operand.
TEST_F(WideTextTest, MixedOperands) {
  compare_everywhere(
      parsed(
          R"(kernel @k(%x: bf16[40, 48], %w: f32[48], %r: f32[40], %n: i64[40], %t: f32[48, 40], out %y: f32[40, 48], out %z: f16[40, 48]) {
  for i in 0..40, j in 0..48 {
    %0 = load %x[i, j]
    %1 = cast f32 %0
    %2 = load %w[j]
    %3 = load %r[i]
    %4 = load %n[i]
    %5 = bound_index wrap "row" %4, 40
    %6 = load %x[%5, j]
    %7 = cast f32 %6
    %8 = load %t[j, i]
    %9 = mul %1, %2
    %10 = add %9, %3
    %11 = add %10, %7
    %12 = add %11, %8
    store %y[i, j], %12
    %13 = cast f16 %12
    store %z[i, j], %13
  }
}
)"),
      {whole_numbers(DType::bf16, {40, 48}), whole_numbers(DType::f32, {48}),
       whole_numbers(DType::f32, {40}), whole_numbers(DType::i64, {40}, 39),
       whole_numbers(DType::f32, {48, 40}), Tensor::zeros(DType::f32, {40, 48}),
       Tensor::zeros(DType::f16, {40, 48})});
}

// Teams divide the rows of reductions and the loops behind them.
TEST_F(WideTextTest, RowsOfTeams) {
  for (const int64_t length : {64, 1000, 8192}) {
    SCOPED_TRACE(length);
    const std::string n = std::to_string(length);
    compare_everywhere(parsed("kernel @k(%x: bf16[5, " + n + "], out %y: bf16[5, " + n + R"(]) {
  for i in 0..5 {
    %0 = reduce max j in 0..)" +
                              n + R"( {
      %1 = load %x[i, j]
      %2 = cast f32 %1
      yield %2
    }
    for k in 0..)" + n + R"( {
      %3 = load %x[i, k]
      %4 = cast f32 %3
      %5 = sub %4, %0
      %6 = cast bf16 %5
      store %y[i, k], %6
    }
  }
}
)"),
                       {whole_numbers(DType::bf16, {5, length}),
                        Tensor::zeros(DType::bf16, {5, length})});
  }
}

// Rows that several loops load stay in registers, if their memory is aligned.
TEST_F(WideTextTest, RowsThatSeveralLoopsLoad) {
  for (const int64_t length : {256, 1000, 1024, 4096}) {
    SCOPED_TRACE(length);
    const std::string n = std::to_string(length);
    compare_everywhere(parsed("kernel @k(%x: f32[4, " + n + "], %w: f32[" + n +
                              "], out %y: f32[4, " + n + R"(]) {
  for i in 0..4 {
    %0 = reduce max a in 0..)" +
                              n + R"( {
      %1 = load %x[i, a]
      yield %1
    }
    %2 = reduce sum b in 0..)" +
                              n + R"( {
      %3 = load %x[i, b]
      %4 = sub %3, %0
      yield %4
    }
    for c in 0..)" + n + R"( {
      %5 = load %x[i, c]
      %6 = load %w[c]
      %7 = mul %5, %6
      %8 = sub %7, %2
      store %y[i, c], %8
    }
  }
}
)"),
                       {whole_numbers(DType::f32, {4, length}), whole_numbers(DType::f32, {length}),
                        Tensor::zeros(DType::f32, {4, length})});
  }
}

// Rows whose lengths are no multiples of the width are taken as one row of all elements.
TEST_F(WideTextTest, RowsOfOddLength) {
  for (const auto& [planes, rows, columns] :
       {std::array{1, 300, 77}, {3, 50, 131}, {2, 1, 1023}, {1, 5, 1}, {7, 11, 13}}) {
    const std::string sizes =
        std::to_string(planes) + ", " + std::to_string(rows) + ", " + std::to_string(columns);
    SCOPED_TRACE(sizes);
    const std::string padded =
        std::to_string(rows * (columns + 3)) + ", " + std::to_string(columns + 3) + ", 1";
    Tensor apart = whole_numbers(DType::bf16, {planes, rows, columns + 3});
    apart = apart.view({planes, rows, columns}, {rows * (columns + 3), columns + 3, 1}, 0);
    compare_everywhere(
        parsed("kernel @k(%x: bf16[" + sizes + "]{" + padded + "}, %z: bf16[" + sizes +
               "], %w: f32[" + std::to_string(columns) + "], out %y: bf16[" + sizes + R"(]) {
  for p in 0..)" +
               std::to_string(planes) + ", i in 0.." + std::to_string(rows) + ", j in 0.." +
               std::to_string(columns) + R"( {
    %0 = load %x[p, i, j]
    %1 = cast f32 %0
    %2 = load %z[p, i, j]
    %3 = cast f32 %2
    %4 = load %w[j]
    %5 = add %1, %3
    %6 = mul %5, %4
    %7 = cast bf16 %6
    store %y[p, i, j], %7
  }
}
)"),
        {apart, whole_numbers(DType::bf16, {planes, rows, columns}),
         whole_numbers(DType::f32, {columns}),
         Tensor::zeros(DType::bf16, {planes, rows, columns})});
  }
}

// Rows that one loop stores and others load stay there, at any alignment of the others' buffers.
TEST_F(WideTextTest, RowsThatOneLoopStores) {
  for (const auto& [rows, length] : {std::pair{4, 256}, {4, 1000}, {4, 4096}, {3000, 64}}) {
    SCOPED_TRACE(length);
    const std::string m = std::to_string(rows);
    const std::string n = std::to_string(length);
    const std::string type = "bf16[" + m + ", " + n + "]";
    const loops::Kernel kernel = parsed("kernel @k(%x: " + type + ", %w: bf16[" + n +
                                        "], out %s: " + type + ", out %y: " + type + R"() {
  for i in 0..)" + m + R"( {
    for a in 0..)" + n + R"( {
      %0 = load %x[i, a]
      %1 = cast f32 %0
      %2 = load %w[a]
      %3 = cast f32 %2
      %4 = add %1, %3
      %5 = cast bf16 %4
      store %s[i, a], %5
    }
    %6 = load %s[i, 0]
    %7 = cast f32 %6
    %8 = reduce sum b in 0..)" + n + R"( {
      %9 = load %s[i, b]
      %10 = cast f32 %9
      %11 = sub %10, %7
      yield %11
    }
    for c in 0..)" + n + R"( {
      %12 = load %s[i, c]
      %13 = cast f32 %12
      %14 = add %13, %8
      %15 = cast bf16 %14
      store %y[i, c], %15
    }
  }
}
)");
    EXPECT_EQ(block_schedule(kernel).kept_rows.size(), 1);
    compare_everywhere(
        kernel,
        {whole_numbers(DType::bf16, {rows, length}), whole_numbers(DType::bf16, {length}),
         Tensor::zeros(DType::bf16, {rows, length}), Tensor::zeros(DType::bf16, {rows, length})});
  }
}

// What several loops compute of such rows is computed once.
TEST_F(WideTextTest, ValuesThatSeveralLoopsCompute) {
  for (const int64_t length : {256, 1000, 4096}) {
    SCOPED_TRACE(length);
    const std::string n = std::to_string(length);
    const loops::Kernel kernel = parsed("kernel @k(%x: bf16[4, " + n + "], out %y: bf16[4, " + n +
                                        R"(]) {
  for i in 0..4 {
    %0 = reduce max a in 0..)" + n + R"( {
      %1 = load %x[i, a]
      %2 = cast f32 %1
      yield %2
    }
    %3 = reduce sum b in 0..)" + n + R"( {
      %4 = load %x[i, b]
      %5 = cast f32 %4
      %6 = sub %5, %0
      %7 = exp2 %6
      yield %7
    }
    for c in 0..)" + n + R"( {
      %8 = load %x[i, c]
      %9 = cast f32 %8
      %10 = sub %9, %0
      %11 = exp2 %10
      %12 = div %11, %3
      %13 = cast bf16 %12
      store %y[i, c], %13
    }
  }
}
)");
    EXPECT_EQ(block_schedule(kernel).kept_values.size(), 1);
    compare_everywhere(
        kernel, {whole_numbers(DType::bf16, {4, length}), Tensor::zeros(DType::bf16, {4, length})});
  }
}

// An access that may not happen, and one that combines, are not wide, but others beside them are.
TEST_F(WideTextTest, NarrowAccessesBesideWideOnes) {
  compare_everywhere(
      parsed(
          R"(kernel @k(%x: f32[32, 64], %p: bool[32, 64], out %y: f32[32, 64], out %s: f32[32, 64], out %c: f32[32, 64]) {
  for i in 0..32, j in 0..64 {
    %0 = load %p[i, j]
    %1 = const f32 -1.0
    %2 = load %x[i, j] if %0 else %1
    store %y[i, j], %2
    store %s[i, j], %2 if %0
    store add %c[i, j], %2
  }
}
)"),
      {whole_numbers(DType::f32, {32, 64}), whole_numbers(DType::bool_, {32, 64}, 1),
       Tensor::zeros(DType::f32, {32, 64}), Tensor::zeros(DType::f32, {32, 64}),
       whole_numbers(DType::f32, {32, 64})});
}

}  // namespace
}  // namespace litz::codegen
