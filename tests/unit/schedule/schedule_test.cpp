// Whole schedules against the kernels that they are made of: both interpreted, random ones and some
// that call for every word; and the text of schedules, which says all that code generators read.

#include "schedule/schedule.h"

#include <cmath>
#include <cstring>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loops/clone.h"
#include "loops/interpreter.h"
#include "loops/random_kernel.h"
#include "loops/softmax_kernel.h"
#include "support/check.h"

namespace litz::schedule {
namespace {

using testing::HasSubstr;

constexpr int kRandomKernels = 300;
constexpr int kVectorBytes[] = {16, 32, 64};
// Sums are added up in another order, in double; maxima of exponentials are found in parts.
constexpr double kTolerance = 1e-6;

/// Outputs after a run, or how it failed.
struct Outcome {
  std::optional<ErrorCode> failure;
  std::vector<Tensor> buffers;
};

Outcome interpreted(const loops::Kernel& kernel, const std::vector<Tensor>& bound,
                    const Bindings& bindings) {
  Outcome outcome;
  for (const Tensor& buffer : bound) outcome.buffers.push_back(buffer.clone(buffer.strides()));
  for (size_t b = bound.size(); b < kernel.buffers.size(); ++b) {
    const TensorType& type = kernel.buffers[b].type;
    outcome.buffers.push_back(Tensor::zeros(type.dtype, evaluate(type.sizes, bindings)));
  }
  try {
    loops::interpret(kernel, outcome.buffers, bindings);
  } catch (const Error& error) {
    EXPECT_NE(error.code(), ErrorCode::internal) << error.what();
    outcome.failure = error.code();
  }
  return outcome;
}

bool agree(float a, float b, double tolerance) {
  if (std::isnan(a) && std::isnan(b)) return true;
  return a == b || std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

/// All NaNs are one value; other values differ by their bits at a tolerance of 0.
bool agree(const Tensor& a, const Tensor& b, double tolerance) {
  const size_t bytes = a.storage()->size();
  if (a.dtype() != DType::f32) return std::memcmp(a.data(), b.data(), bytes) == 0;
  const auto* x = reinterpret_cast<const float*>(a.data());
  const auto* y = reinterpret_cast<const float*>(b.data());
  for (size_t i = 0; i < bytes / sizeof(float); ++i) {
    if (!agree(x[i], y[i], tolerance)) return false;
  }
  return true;
}

/// Reading the text back gives the same text and the same phases.
void expect_whole_text(const Schedule& schedule, const machine::Machine& machine) {
  const std::string text = loops::to_string(schedule.kernel);
  ExprPool fresh;
  ASSERT_EQ(loops::to_string(loops::parse_kernel(text, fresh)), text);
  const Schedule read = read_schedule(loops::parse_kernel(text, *schedule.kernel.pool), machine);
  EXPECT_EQ(loops::to_string(read.kernel), text);
  EXPECT_EQ(read.bound_buffers, schedule.bound_buffers);
  EXPECT_EQ(read.scalars, schedule.scalars);
  ASSERT_EQ(read.phases.size(), schedule.phases.size());
  for (size_t i = 0; i < read.phases.size(); ++i) {
    EXPECT_EQ(read.phases[i].position, schedule.phases[i].position);
    EXPECT_EQ(read.phases[i].divided, schedule.phases[i].divided);
    EXPECT_TRUE(read.phases[i].iterations == schedule.phases[i].iterations);
    EXPECT_EQ(read.phases[i].grain, schedule.phases[i].grain);
    EXPECT_EQ(read.phases[i].cost, schedule.phases[i].cost);
  }
}

/// The text of the schedule, which was compared with its kernel.
std::string compared(const loops::Kernel& kernel, const std::vector<Tensor>& buffers,
                     const Bindings& bindings, int vector_bytes) {
  const machine::Machine machine{.vector_bytes = vector_bytes};
  const Schedule schedule = make_schedule(loops::clone(kernel), machine);
  std::string text = loops::to_string(schedule.kernel);
  expect_whole_text(schedule, machine);
  const Outcome expected = interpreted(kernel, buffers, bindings);
  const Outcome actual = interpreted(schedule.kernel, buffers, bindings);
  EXPECT_EQ(actual.failure.has_value(), expected.failure.has_value()) << text;
  if (expected.failure || actual.failure) return text;
  const bool adds_up = text.find("reduce sum") != std::string::npos ||
                       text.find("reduce softmax") != std::string::npos;
  for (size_t b = 0; b < buffers.size(); ++b) {
    EXPECT_TRUE(agree(actual.buffers[b], expected.buffers[b], adds_up ? kTolerance : 0))
        << kernel.buffers[b].name << '\n'
        << loops::to_string(kernel) << text;
  }
  return text;
}

TEST(Schedule, RandomKernelsComputeTheSame) {
  for (int seed = 0; seed < kRandomKernels && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(static_cast<unsigned>(seed));
    ExprPool pool;
    const loops::RandomKernel made = loops::random_kernel(pool, random);
    compared(made.kernel, made.buffers, made.bindings, kVectorBytes[seed % 3]);
  }
}

/// A kernel on constant sizes, or on s0, with inputs that repeat after 1009 elements.
std::string compared(const std::string& text, int64_t size = 0) {
  SCOPED_TRACE(text);
  ExprPool pool;
  const loops::Kernel kernel = loops::parse_kernel(text, pool);
  Bindings bindings;
  for (SymbolId symbol = 0; symbol < pool.symbol_count(); ++symbol) {
    if (pool.symbol(symbol).name == "s0") bindings.set(symbol, size);
  }
  std::vector<Tensor> buffers;
  for (const loops::Buffer& buffer : kernel.buffers) {
    const std::vector<int64_t> sizes = evaluate(buffer.type.sizes, bindings);
    Tensor dense = Tensor::zeros(buffer.type.dtype, sizes);
    std::byte* data = dense.mutable_data();
    for (int64_t i = 0; i < dense.numel(); ++i) {
      const int64_t mixed = i * 7919 % 1009;
      if (buffer.type.dtype == DType::f32) {
        reinterpret_cast<float*>(data)[i] = static_cast<float>(mixed) / 97.0F - 5.0F;
      } else {
        reinterpret_cast<int64_t*>(data)[i] = mixed % 16;
      }
    }
    Tensor laid_out =
        Tensor::empty_strided(buffer.type.dtype, sizes, evaluate(buffer.type.strides, bindings));
    laid_out.copy_from(dense);
    buffers.push_back(std::move(laid_out));
  }
  std::string result;
  for (const int bytes : kVectorBytes) result = compared(kernel, buffers, bindings, bytes);
  return result;
}

TEST(Schedule, KeptRows) {
  EXPECT_THAT(compared(loops::softmax_kernel("12", "1000")), HasSubstr("scratch %row2"));
}

TEST(Schedule, PairedSoftmax) {
  for (const int64_t size : {1, 7, 100, 1000}) {
    EXPECT_THAT(compared(loops::softmax_kernel("5", "s0"), size), HasSubstr("reduce softmax"));
  }
}

TEST(Schedule, SumsRelativeToAnotherMaximum) {
  EXPECT_THAT(compared(R"(kernel @k(%x: f32[9, 300], out %y: f32[9]) {
  for i in 0..9 {
    %0 = reduce max j in 0..300 {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = reduce sum k in 0..300 {
      %3 = load %x[8 - i, k]
      %4 = sub %3, %0
      %5 = exp %4
      yield %5
    }
    store %y[i], %2
  }
}
)"),
              HasSubstr("reduce max"));
}

TEST(Schedule, TransposedCopies) {
  EXPECT_THAT(compared(R"(kernel @k(%x: f32[130, 270], %z: f32[270, 130], out %y: f32[270, 130]) {
  for i in 0..270, j in 0..130 {
    %0 = load %x[j, i]
    %1 = load %z[i, j]
    %2 = mul %0, %1
    store %y[i, j], %2
  }
}
)"),
              HasSubstr("tile, j in 0..130 parallel tile vector"));
}

TEST(Schedule, PairedVariance) {
  EXPECT_THAT(compared(R"(kernel @k(%x: f32[200, 300], out %y: f32[300]) {
  for j in 0..300 {
    %0 = reduce sum i in 0..200 {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = const f32 200.0
    %3 = div %0, %2
    %4 = reduce sum k in 0..200 {
      %5 = load %x[k, j]
      %6 = sub %5, %3
      %7 = mul %6, %6
      yield %7
    }
    store %y[j], %4
  }
}
)"),
              HasSubstr("reduce sum mean_of"));
}

TEST(Schedule, Scans) {
  EXPECT_THAT(compared(R"(kernel @k(%x: f32[64, 90], out %y: f32[64, 90]) {
  for r in 0..64 {
    %0 = const f32 0.0
    %1 = for i in 0..90 carry (%2 = %0) {
      %3 = load %x[r, i]
      %4 = max %2, %3
      store %y[r, i], %4
      yield %4
    }
  }
}
)"),
              HasSubstr("transposed"));
}

TEST(Schedule, SortedRows) {
  EXPECT_THAT(compared(R"(kernel @k(%x: f32[20, 90], out %y: f32[20, 30], out %o: i64[20, 30]) {
  for i in 0..20 {
    sort descending j in 0..90 {
      %0 = load %x[i, j]
      yield %0
    } emit p in 0..30 (%1, %2) {
      store %y[i, p], %1
      store %o[i, p], %2
    }
  }
}
)"),
              HasSubstr("sort_row"));
}

TEST(Schedule, StreamedResults) {
  EXPECT_THAT(compared(R"(kernel @k(%x: f32[4194304], out %y: f32[4194304]) {
  for i in 0..4194304 {
    %0 = load %x[i]
    store %y[i], %0
  }
}
)"),
              HasSubstr("streamed"));
}

TEST(Schedule, ScattersAndGathers) {
  EXPECT_THAT(compared(R"(kernel @k(%n: i64[40], %x: f32[16, 40, 30], out %y: f32[16, 16, 30]) {
  for b in 0..16, i in 0..40, j in 0..30 {
    %0 = load %n[i]
    %1 = bound_index "index" %0, 16
    %2 = load %x[%1, i, j]
    store %y[b, %1, j], %2
  }
}
)"),
              HasSubstr("for b in 0..16 parallel, i in 0..40, j in 0..30 vector"));
}

}  // namespace
}  // namespace litz::schedule
