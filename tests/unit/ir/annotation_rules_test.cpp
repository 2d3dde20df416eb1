#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/verifier.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::HasSubstr;

// The first finding in a graph with this body.
std::string finding(const std::string& body) {
  const auto module = module_of("graph @main(%x: f32[2], %y: f32[2]) {\n" + body + "\n}");
  const auto errors = verification_errors(*module);
  return errors.empty() ? "" : errors.front();
}

TEST(AnnotationRules, ValuesFitTheirKeys) {
  const std::string text = finding(R"(
  %a = aten.relu(%x) #{seq_nr = "one"} loc("f.py":3)
  return)");
  EXPECT_THAT(text, HasSubstr("annotation seq_nr must be an integer: \"one\""));
  EXPECT_THAT(text, HasSubstr("(f.py:3)"));
  EXPECT_EQ(finding("  %a = aten.relu(%x) #{seq_nr = 4, mine = \"...\"}\n  return"), "");
}

TEST(AnnotationRules, SavedViewsDoNotViewRecomputedMemory) {
  EXPECT_THAT(finding(R"(
  %a = aten.relu(%x) #{recompute = "must_recompute"}
  %b = aten.permute(%a, dims=[0])
  %c = aten.permute(%b, dims=[0]) #{recompute = "must_save"}
  return)"),
              HasSubstr("must not view what must be recomputed: aten.relu"));
  EXPECT_EQ(finding(R"(
  %a = aten.relu(%x) #{recompute = "must_save"}
  %b = aten.permute(%a, dims=[0]) #{recompute = "must_recompute"}
  %c = aten.relu(%b) #{recompute = "must_save"}
  return)"),
            "")
      << "views of what is saved may be made again, and their readers saved";
}

TEST(AnnotationRules, RecomputedNodesHaveNoEffects) {
  EXPECT_THAT(finding(R"(
  %a = aten.add_.Tensor(%x, 1) #{recompute = "must_recompute"}
  return)"),
              HasSubstr("must not have effects"));
  EXPECT_EQ(finding(R"(
  %a = aten.rand(size=[2]) #{recompute = "must_recompute"}
  return)"),
            "");
}

TEST(AnnotationRules, TagsOfTheJointGraphDoNotContradict) {
  EXPECT_THAT(finding(R"(
  %a = aten.relu(%x) #{partitioner_tag = "is_backward", recompute = "must_save"}
  return)"),
              HasSubstr("must not lie in the backward pass"));
  EXPECT_THAT(finding(R"(
  %a = aten.relu(%x) #{partitioner_tag = "must_be_in_forward", recompute = "must_recompute"}
  return)"),
              HasSubstr("must not be held in the forward pass"));
}

}  // namespace
}  // namespace litz::ir
