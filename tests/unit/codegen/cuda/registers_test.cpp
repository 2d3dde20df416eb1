// NVIDIA's own compiler on kernels of common kinds: the text that the emulation runs is valid for
// it, and the code neither spills registers nor uses too many.

#include <algorithm>
#include <regex>

#include <gtest/gtest.h>

#include "codegen/cuda/cuda_compiler.h"
#include "codegen/cuda/nvrtc.h"
#include "loops/softmax_kernel.h"
#include "schedule/blocks/block_schedule.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

/// What the assembler says of one function.
struct Usage {
  int registers = 0;
  int spilled_bytes = 0;
};

Usage usage_of(const std::string& kernel) {
  ExprPool pool;
  const std::string text =
      cuda_text(schedule::make_block_schedule(loops::parse_kernel(kernel, pool)), "k");
  std::string messages;
  EXPECT_FALSE(Nvrtc::instance().compile(text, "sm_90", &messages).empty());
  Usage usage;
  const std::regex numbers(R"((\d+) (registers|bytes spill stores|bytes spill loads))");
  int found = 0;
  for (auto at = std::sregex_iterator(messages.begin(), messages.end(), numbers);
       at != std::sregex_iterator(); ++at) {
    const int number = std::stoi((*at)[1]);
    const bool is_registers = (*at)[2] == "registers";
    (is_registers ? usage.registers : usage.spilled_bytes) =
        is_registers ? std::max(usage.registers, number) : usage.spilled_bytes + number;
    ++found;
  }
  EXPECT_GT(found, 0) << "the assembler must tell its numbers:\n" << messages;
  return usage;
}

class RegistersTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = Nvrtc::reason_missing();
    if (!reason.empty()) GTEST_SKIP() << "no NVRTC: " << reason;
  }

  static void expect_at_most(const std::string& kernel, int registers) {
    const Usage usage = usage_of(kernel);
    EXPECT_EQ(usage.spilled_bytes, 0) << kernel;
    EXPECT_LE(usage.registers, registers) << kernel;
  }
};

TEST_F(RegistersTest, ElementwiseOfHalves) {
  expect_at_most(R"(kernel @k(%x: bf16[4096, 4096], %w: bf16[4096], out %y: bf16[4096, 4096]) {
  for i in 0..4096, j in 0..4096 {
    %0 = load %x[i, j]
    %1 = cast f32 %0
    %2 = load %w[j]
    %3 = cast f32 %2
    %4 = mul %1, %3
    %5 = tanh %4
    %6 = cast bf16 %5
    store %y[i, j], %6
  }
}
)",
                 64);
}

TEST_F(RegistersTest, Softmax) {
  expect_at_most(loops::softmax_kernel("64", "4096"), 64);
  expect_at_most(loops::softmax_kernel("4096", "s0"), 64);
}

TEST_F(RegistersTest, Columns) {
  expect_at_most(R"(kernel @k(%x: f32[4096, 512], out %y: f32[512], out %z: i64[512]) {
  for j in 0..512 {
    %0 = reduce sum i in 0..4096 {
      %1 = load %x[i, j]
      yield %1
    }
    store %y[j], %0
    %2 = reduce argmax k in 0..4096 {
      %3 = load %x[k, j]
      yield %3
    }
    store %z[j], %2
  }
}
)",
                 64);
}

TEST_F(RegistersTest, Scans) {
  expect_at_most(R"(kernel @k(%x: f32[64, 5000], out %y: f32[64, 5000]) {
  for r in 0..64 {
    %0 = const f32 0.0
    %1 = for i in 0..5000 scan (%0) {
      %2 = load %x[r, i]
      yield %2
    } combine (%3, %4) {
      %5 = add %3, %4
      yield %5
    } emit (%6) {
      store %y[r, i], %6
    }
  }
}
)",
                 64);
}

TEST_F(RegistersTest, Lookups) {
  expect_at_most(
      R"(kernel @k(%n: i64[64], %x: f32[512, 64, 16], out %y: f32[64, 64, 16], out %c: i64[512]) {
  for i in 0..64, j in 0..64, k in 0..16 {
    %0 = load %n[i]
    %1 = bound_index wrap "index" %0, 512
    %2 = load %x[%1, j, k]
    store %y[i, j, k], %2
  }
  for m in 0..64 {
    %3 = load %n[m]
    %4 = bound_index wrap "index" %3, 512
    %5 = const i64 1
    store add any_order %c[%4], %5
  }
}
)",
      64);
}

TEST_F(RegistersTest, ComplexFunctions) {
  expect_at_most(R"(kernel @k(%x: c64[4096], out %y: c64[4096]) {
  for i in 0..4096 {
    %0 = load %x[i]
    %1 = exp %0
    %2 = mul %1, %0
    store %y[i], %2
  }
}
)",
                 128);
}

TEST_F(RegistersTest, RandomNumbers) {
  expect_at_most(R"(kernel @k(%s: i64[], out %y: f32[100000]) {
  for i in 0..100000 {
    %0 = load %s[]
    %1 = index i64 i
    %2 = philox i32 %0, %1
    %3 = cast f32 %2
    store %y[i], %3
  }
}
)",
                 64);
}

}  // namespace
}  // namespace litz::codegen
