// What threads of a team exchange: rows in memory of the block, outputs that are read again, values
// that one thread computes. The emulation runs threads in random orders, so missing waits show.

#include "emulated_kernel.h"
#include "loops/interpreter.h"

namespace litz::codegen {
namespace {

using TeamTest = EmulatedKernelTest;

/// Rows of this length are stored once, then read by other threads.
std::string rows_through(const std::string& buffer, const std::string& parameter,
                         const std::string& length, const std::string& place) {
  return "kernel @k(%x: f32[6, " + length + "], out %y: f32[6, " + length + "]" + parameter +
         R"() {
  for i in 0..6 {
    %0 = reduce sum a in 0..)" +
         length + R"( {
      %1 = load %x[i, a]
      yield %1
    }
    for j in 0..)" +
         length + R"( {
      %2 = load %x[i, j]
      %3 = add %2, %0
      store )" +
         buffer + "[" + place + R"(j], %3
    }
    for k in 0..)" +
         length + R"( {
      %4 = load )" +
         buffer + "[" + place + "(" + length + R"( - 1) - k]
      store %y[i, k], %4
    }
    for l in 0..)" +
         length + R"( {
      %5 = load %x[i, l]
      store )" +
         buffer + "[" + place + R"(l], %5
    }
    %6 = reduce max m in 0..)" +
         length + R"( {
      %7 = load )" +
         buffer + "[" + place + R"(m]
      yield %7
    }
    %8 = load %y[i, 0]
    %9 = add %8, %6
    store %y[i, 0], %9
  }
}
)";
}

TEST_F(TeamTest, RowsInSharedMemory) {
  for (const int64_t length : {5, 40, 300, 5000}) {
    SCOPED_TRACE(length);
    const std::string n = std::to_string(length);
    const loops::Kernel kernel = parsed(rows_through("%r", ", scratch %r: f32[" + n + "]", n, ""));
    std::vector<Tensor> tensors{whole_numbers(DType::f32, {6, length}),
                                Tensor::zeros(DType::f32, {6, length})};
    std::vector<Tensor> expected = clones(tensors);
    expected.push_back(Tensor::zeros(DType::f32, {length}));
    loops::interpret(kernel, expected, {});
    run(kernel, tensors);
    expect_equal(tensors[1], expected[1]);
  }
}

TEST_F(TeamTest, RowsInOutputs) {
  for (const int64_t length : {40, 300, 5000}) {
    SCOPED_TRACE(length);
    const std::string n = std::to_string(length);
    const std::string row = ", out %r: f32[6, " + n + "]";
    compare(rows_through("%r", row, n, "i, "),
            {whole_numbers(DType::f32, {6, length}), Tensor::zeros(DType::f32, {6, length}),
             Tensor::zeros(DType::f32, {6, length})});
  }
}

// Each round reads what all threads stored in the round before.
TEST_F(TeamTest, CarriedLoopsAroundSharedOnes) {
  compare(R"(kernel @k(%x: f32[6, 200], out %y: f32[6, 200], out %z: f32[6, 200], out %s: f32[6]) {
  for i in 0..6 {
    %0 = const f32 0.0
    for a in 0..200 {
      %1 = load %x[i, a]
      store %y[i, a], %1
    }
    %2 = for t in 0..7 carry (%3 = %0) {
      %4 = reduce max b in 0..200 {
        %5 = load %y[i, b]
        yield %5
      }
      for c in 0..200 {
        %6 = load %y[i, 199 - c]
        %7 = sub %6, %4
        store %z[i, c], %7
      }
      for d in 0..200 {
        %8 = load %z[i, d]
        store %y[i, d], %8
      }
      %9 = add %3, %4
      yield %9
    }
    store %s[i], %2
  }
}
)",
          {whole_numbers(DType::f32, {6, 200}), Tensor::zeros(DType::f32, {6, 200}),
           Tensor::zeros(DType::f32, {6, 200}), Tensor::zeros(DType::f32, {6})});
}

// Loops that nobody divides are run by one thread, whose results all get.
TEST_F(TeamTest, ResultsOfOneThread) {
  for (const int64_t length : {100, 3000}) {
    SCOPED_TRACE(length);
    const std::string n = std::to_string(length);
    compare("kernel @k(%x: f32[5, " + n + "], out %y: f32[5, " + n + "], out %h: f32[5, 4]" + R"() {
  for i in 0..5 {
    %0 = const f32 0.0
    %1 = for t in 0..3 carry (%2 = %0) {
      %3 = load %x[i, t]
      %4 = add %2, %3
      store add %h[i, t + 1], %4
      yield %4
    }
    for j in 0..)" +
                n + R"( {
      %5 = load %x[i, j]
      %6 = mul %5, %1
      store %y[i, j], %6
    }
  }
}
)",
            {whole_numbers(DType::f32, {5, length}), Tensor::zeros(DType::f32, {5, length}),
             Tensor::zeros(DType::f32, {5, 4})});
  }
}

}  // namespace
}  // namespace litz::codegen
