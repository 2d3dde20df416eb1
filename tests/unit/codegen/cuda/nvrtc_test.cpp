// The run-time compiler as the emulation plays it; registers_test.cpp uses NVIDIA's own.

#include "codegen/cuda/nvrtc.h"

#include <gmock/gmock.h>

#include "emulated_kernel.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

using ::testing::HasSubstr;

using NvrtcTest = EmulatedKernelTest;

TEST_F(NvrtcTest, TellsWhereItIs) {
  EXPECT_EQ(Nvrtc::reason_missing(), "");
  EXPECT_THAT(Nvrtc::instance().file(), HasSubstr("emulated_cuda"));
  EXPECT_EQ(Nvrtc::instance().version(), "13.0");
}

TEST_F(NvrtcTest, BadTextTellsTheMessagesOfTheCompiler) {
  try {
    Nvrtc::instance().compile("extern \"C\" __global__ void k(float* x) { x[0] = unheard_of; }",
                              "sm_90");
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("unheard_of"));
    EXPECT_THAT(error.what(), HasSubstr("generated CUDA text must compile"));
  }
}

TEST_F(NvrtcTest, EqualTextsGiveEqualCode) {
  const std::string text = "extern \"C\" __global__ void k(float* x) { x[0] = 1; }";
  std::string messages;
  const auto code = Nvrtc::instance().compile(text, "sm_90", &messages);
  EXPECT_FALSE(code.empty());
  EXPECT_EQ(Nvrtc::instance().compile(text, "sm_90"), code);
}

}  // namespace
}  // namespace litz::codegen
