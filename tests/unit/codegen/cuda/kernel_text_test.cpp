// The structure of kernels on the card: phases, nested loops, carried values, sizes of a call.

#include "codegen/cuda/kernel_text.h"

#include "codegen/cuda/cuda_compiler.h"
#include "emulated_kernel.h"

namespace litz::codegen {
namespace {

using loops::BufferId;
using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;

using KernelTextTest = EmulatedKernelTest;

// Whole grains, parts of them and nothing; sizes are only known at the call.
TEST_F(KernelTextTest, SizesOfACall) {
  KernelBuilder b("sizes", pool_);
  const Expr n = pool_.add_symbol({.name = "n.1", .range = {0, 1 << 20}});
  const Expr m = pool_.add_symbol({.name = "m", .range = {0, 1 << 20}});
  const BufferId x = b.input("x", contiguous_type(DType::f32, {n, m}));
  const BufferId y = b.output("y", contiguous_type(DType::f32, {m, n}));
  b.loop(std::vector<Expr>{m, n}, [&](Exprs i) {
    b.store(y, i, b.load(x, {i[1], i[0]}) * b.index(n + m, DType::f32));
  });
  const loops::Kernel kernel = std::move(b).finish();
  const std::pair<int64_t, int64_t> shapes[] = {{0, 5}, {1, 1}, {31, 33}, {64, 16}, {1, 5000}};
  for (const auto& [rows, columns] : shapes) {
    Bindings sizes;
    sizes.set(n.symbol(), rows);
    sizes.set(m.symbol(), columns);
    compare(
        kernel,
        {whole_numbers(DType::f32, {rows, columns}), Tensor::zeros(DType::f32, {columns, rows})},
        sizes);
  }
}

// Each loop at the top is a launch of its own, so the second sees what all of the first stored.
TEST_F(KernelTextTest, PhasesFollowEachOther) {
  compare(R"(kernel @k(%x: i64[5000], out %y: i64[5000], out %z: i64[5000]) {
  %0 = const i64 3
  for i in 0..5000 {
    %1 = load %x[i]
    %2 = mul %1, %0
    store %y[i], %2
  }
  for j in 0..5000 {
    %3 = load %y[4999 - j]
    %4 = add %3, %0
    store %z[j], %4
  }
}
)",
          {whole_numbers(DType::i64, {5000}), Tensor::zeros(DType::i64, {5000}),
           Tensor::zeros(DType::i64, {5000})});
}

// A body that does something outside of loops is one block's.
TEST_F(KernelTextTest, WholeBodiesOfOneBlock) {
  compare(R"(kernel @k(%x: f32[3000], out %y: f32[3000], out %z: f32[]) {
  %0 = reduce sum i in 0..3000 {
    %1 = load %x[i]
    yield %1
  }
  store %z[], %0
  for j in 0..3000 {
    %2 = load %x[j]
    %3 = sub %2, %0
    store %y[j], %3
  }
}
)",
          {whole_numbers(DType::f32, {3000}), Tensor::zeros(DType::f32, {3000}),
           Tensor::zeros(DType::f32, {})});
}

// Two values change places in every iteration, on single threads and in teams.
TEST_F(KernelTextTest, CarriedValues) {
  for (const char* const rows : {"4", "700"}) {
    const std::string n = rows;
    const auto count = static_cast<int64_t>(std::stoi(n));
    compare("kernel @k(%x: i64[" + n + ", 9], out %y: i64[" + n + ", 9], out %z: i64[" + n +
                R"(]) {
  for r in 0..)" +
                n + R"( {
    %0 = const i64 1
    %1 = const i64 2
    %2, %3 = for i in 0..9 carry (%4 = %0, %5 = %1) {
      %6 = load %x[r, i]
      %7 = mul %4, %6
      store %y[r, i], %7
      %8 = add %7, %5
      yield %8, %4
    }
    %9 = sub %2, %3
    store %z[r], %9
  }
}
)",
            {whole_numbers(DType::i64, {count, 9}), Tensor::zeros(DType::i64, {count, 9}),
             Tensor::zeros(DType::i64, {count})});
  }
}

// Names of kernels, buffers and sizes need not be names of C++.
TEST_F(KernelTextTest, OddNames) {
  const Expr n = pool_.add_symbol({.name = "size of %x", .range = {0, 100}});
  KernelBuilder b("int", pool_);
  const BufferId x = b.input("for", contiguous_type(DType::f32, {n}));
  const BufferId y = b.output("while", contiguous_type(DType::f32, {n}));
  b.loop(std::vector<Expr>{n},
         [&](Exprs i) { b.store(y, i, b.load(x, i) + b.index(n, DType::f32)); });
  Bindings sizes;
  sizes.set(n.symbol(), 10);
  compare(std::move(b).finish(), {whole_numbers(DType::f32, {10}), Tensor::zeros(DType::f32, {10})},
          sizes);
}

TEST(KernelText, TypesInMemoryAndInRegisters) {
  EXPECT_STREQ(memory_type(DType::bf16), "u16");
  EXPECT_STREQ(register_type(DType::bf16), "f32");
  EXPECT_STREQ(memory_type(DType::bool_), "u8");
  EXPECT_STREQ(register_type(DType::bool_), "bool");
  EXPECT_STREQ(register_type(DType::f8e8m0fnu), "f32");
  EXPECT_STREQ(float8_format(DType::f8e5m2), "F8E5M2");
}

}  // namespace
}  // namespace litz::codegen
