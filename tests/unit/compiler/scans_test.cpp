// Compiled scans against interpreted ones, to the bit: rows that are dense, across memory or both.

#include <gmock/gmock.h>

#include "compiler/compiled_kernels.h"
#include "schedule/schedule.h"

namespace litz::compiler {
namespace {

class Scans : public CompiledKernels {
 protected:
  /// Running sums in f64 of the dtype's elements; x and y may have strides.
  static std::string sums(const std::string& dtype, const std::string& rows,
                          const std::string& length, const std::string& x_strides = "",
                          const std::string& y_strides = "") {
    const std::string type = dtype + "[" + rows + ", " + length + "]";
    return "kernel @sums(%x: " + type + x_strides + ", out %y: " + type + y_strides +
           ") {\n  for r in 0.." + rows + R"( {
    %0 = const f64 0.0
    %1 = for i in 0..)" +
           length + R"( carry (%2 = %0) {
      %3 = load %x[r, i]
      %4 = cast f64 %3
      %5 = add %2, %4
      %6 = cast )" +
           dtype + R"( %5
      store %y[r, i], %6
      yield %5
    }
  }
})";
  }
};

TEST_F(Scans, OfEveryLengthAndNumberOfRows) {
  for (const char* rows : {"1", "3", "16", "17", "40"}) {
    for (const char* length : {"0", "1", "7", "16", "33", "200"}) agree(sums("f32", rows, length));
  }
}

TEST_F(Scans, OfEveryDtype) {
  for (const char* dtype : {"bool", "u8", "i16", "i32", "i64", "f16", "bf16", "f64"}) {
    agree(sums(dtype, "20", "50"));
  }
}

TEST_F(Scans, OfSizesThatAreNotKnown) {
  for (const int64_t rows : {1, 5, 33}) {
    for (const int64_t length : {0, 1, 20, 129}) {
      bind("r0", rows);
      bind("n0", length);
      agree(sums("f32", "r0", "n0"));
    }
  }
}

TEST_F(Scans, OfStridedRows) {
  agree(sums("f32", "24", "50", "{1, 24}", "{1, 24}"));
  agree(sums("f32", "24", "50", "{1, 24}"));
  agree(sums("f32", "24", "50", "", "{1, 24}"));
  agree(sums("f32", "24", "50", "{100, 2}", "{150, 3}"));
  agree(sums("f32", "24", "50", "{60, 1}", "{70, 1}"));
  agree(sums("f32", "24", "50", "{0, 1}"));
}

TEST_F(Scans, OfValuesWithPositions) {
  agree(R"(kernel @cummax(%x: f32[37, 70], out %y: f32[37, 70], out %p: i64[37, 70]) {
    for r in 0..37 {
      %0 = const f32 0.0
      %1 = const i64 0
      %2, %3 = for i in 0..70 carry (%4 = %0, %5 = %1) {
        %6 = load %x[r, i]
        %7 = le %4, %6
        %8 = index i64 i
        %9 = eq %8, %1
        %10 = bit_or %7, %9
        %11 = select %10, %6, %4
        %12 = select %10, %8, %5
        store %y[r, i], %11
        store %p[r, i], %12
        yield %11, %12
      }
    }
  })");
}

// A square is read before it is written, which other reads of the same memory must not notice.
TEST_F(Scans, OfMemoryThatIsReadAgain) {
  agree(R"(kernel @fibonacci(%x: f32[20, 60], out %y: f32[20, 62]) {
    for r in 0..20 {
      %0 = const f32 0.0
      %1 = for i in 0..60 carry (%2 = %0) {
        %3 = load %x[r, i]
        %4 = load %y[r, i]
        %5 = add %3, %4
        %6 = add %5, %2
        store %y[r, i + 2], %6
        yield %5
      }
    }
  })");
}

TEST_F(Scans, BesideOtherAccesses) {
  agree(
      R"(kernel @mixed(%x: f32[20, 60], %s: f32[20], %w: f32[60], %m: f32[60, 20], out %y: f32[20, 60], out %z: f32[60, 20]) {
    for r in 0..20 {
      %0 = load %s[r]
      %1 = for i in 0..60 carry (%2 = %0) {
        %3 = load %x[r, i]
        %4 = load %w[i]
        %5 = load %m[i, r]
        %6 = mul %3, %4
        %7 = add %6, %5
        %8 = add %7, %2
        store %y[r, i], %8
        store %z[i, r], %7
        yield %8
      }
    }
  })");
}

TEST_F(Scans, ThreadsDivideRows) { same_on_threads(sums("f32", "100", "900")); }

TEST_F(Scans, DenseRowsAreTransposed) {
  const schedule::Schedule scheduled = schedule::make_schedule(
      loops::parse_kernel(sums("f32", "64", "500"), pool), {.vector_bytes = 32});
  const std::string text = loops::to_string(scheduled.kernel);
  EXPECT_THAT(text, testing::ContainsRegex("r in 0..64 parallel vector 8"));
  EXPECT_THAT(text, testing::ContainsRegex("store %y at \\[i \\+ 500\\*r\\], %[0-9]+ transposed"));
}

}  // namespace
}  // namespace litz::compiler
