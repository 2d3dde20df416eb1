// The call of attention in the text of a kernel.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/cuda/cuda_compiler.h"
#include "loops/attention_kernel.h"
#include "schedule/blocks/block_schedule.h"

namespace litz::codegen {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class AttentionTextTest : public testing::Test {
 protected:
  std::string text(const std::string& kernel) {
    return cuda_text(schedule::make_block_schedule(loops::parse_kernel(kernel, pool_)), "k");
  }

  ExprPool pool_;
};

TEST_F(AttentionTextTest, ColumnsFillTheUnits) {
  EXPECT_THAT(text(loops::attention_kernel({.dtype = "f16", .depth = "20", .columns = "48"})),
              AllOf(HasSubstr("attend<F16, 32, 48, MaskKind::none, false>"),
                    HasSubstr("u16 keys[64 * Tile<32>::kStride]"),
                    HasSubstr("u16 values[64 * Tile<48>::kStride]")));
}

TEST_F(AttentionTextTest, MasksComeBeforeTheResult) {
  EXPECT_THAT(
      text(loops::attention_kernel({.mask = "bool", .safe = true})),
      HasSubstr("attend<Bf16, 16, 16, MaskKind::bools, true>(blockIdx.x, b0, b1, b2, b3, b4, "
                "sizes, 0.25f, keys, values)"));
}

TEST_F(AttentionTextTest, CausalAttentionReadsNoMask) {
  EXPECT_THAT(text(loops::attention_kernel({.causal = true})),
              HasSubstr("attend<Bf16, 16, 16, MaskKind::causal, false>(blockIdx.x, b0, b1, b2, "
                        "nullptr, b3, "));
}

TEST_F(AttentionTextTest, RepeatedMatricesHaveNoStep) {
  EXPECT_THAT(text(R"(
kernel @attention(%q: bf16[1, 3, 5, 16]{240, 80, 16, 1}, %k: bf16[1, 3, 9, 16]{144, 0, 16, 1}, %v: bf16[1, 3, 9, 16]{432, 144, 16, 1}, out %o: bf16[1, 3, 5, 16]{240, 80, 16, 1}) {
  attend %o, %q, %k, %v scale 0.5
})"),
              AllOf(HasSubstr("{{1, 1, 3}, 5, 9, 16, 16,"), HasSubstr("{{0, 0, 80}, 16, 1}"),
                    HasSubstr("{{0, 0, 0}, 16, 1}")));
}

}  // namespace
}  // namespace litz::codegen
