#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/verifier.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::HasSubstr;

// The first finding in a graph with this body.
std::string finding(const std::string& body, bool forbid_overwritten_reads = false) {
  const auto module = module_of("graph @main(%x: f32[2], %y: f32[2]) {\n" + body + "\n}");
  const auto errors =
      verification_errors(*module, {.forbid_overwritten_reads = forbid_overwritten_reads});
  return errors.empty() ? "" : errors.front();
}

TEST(MemoryRules, OperandsOfCollectivesAreNotWrittenBeforeTheWait) {
  EXPECT_THAT(finding(R"(
  %v = aten.permute(%x, dims=[0])
  %a = _c10d_functional.all_reduce(%x, reduce_op="sum", group_name="p")
  %w = aten.add_.Tensor(%v, 1)
  %done = _c10d_functional.wait_tensor(%a)
  return)"),
              HasSubstr("must not be written before its wait: _c10d_functional.all_reduce"));
  EXPECT_EQ(finding(R"(
  %a = _c10d_functional.all_reduce(%x, reduce_op="sum", group_name="p")
  %r = aten.relu(%x)
  %o = aten.add_.Tensor(%y, 1)
  %done = _c10d_functional.wait_tensor(%a)
  %w = aten.add_.Tensor(%x, 1)
  return)"),
            "")
      << "reading, writing elsewhere, and writing afterwards are fine";
}

TEST(MemoryRules, CoalescedOperandsAreFreeAfterTheirOwnWait) {
  const std::string start =
      "  %q:2 = _c10d_functional.all_reduce_coalesced([%x, %y], reduce_op=\"sum\", "
      "group_name=\"p\")\n  %v = _c10d_functional.wait_tensor(%q#0)\n";
  const std::string end = "\n  %w = _c10d_functional.wait_tensor(%q#1)\n  return";
  EXPECT_EQ(finding(start + "  %o = aten.add_.Tensor(%x, 1)" + end), "");
  EXPECT_THAT(finding(start + "  %o = aten.add_.Tensor(%y, 1)" + end),
              HasSubstr("must not be written before its wait"));
}

TEST(MemoryRules, InPlaceCollectivesOwnTheirMemoryUntilTheWait) {
  EXPECT_THAT(finding(R"(
  %a = _c10d_functional.all_reduce_(%x, reduce_op="sum", group_name="p")
  %r = aten.relu(%x)
  %done = _c10d_functional.wait_tensor(%a)
  return)"),
              HasSubstr("must not be read before its wait"));
  EXPECT_EQ(finding(R"(
  %a = _c10d_functional.all_reduce_(%x, reduce_op="sum", group_name="p")
  %done = _c10d_functional.wait_tensor(%a)
  %r = aten.relu(%x)
  return)"),
            "");
}

TEST(MemoryRules, DonatedMemoryIsNotUsedAgain) {
  EXPECT_THAT(finding(R"(
  %v = aten.permute(%x, dims=[0])
  %a = test.consume(%x)
  %r = aten.relu(%v)
  return)"),
              HasSubstr("not be used after its memory was given away: %v by test.consume"));
  EXPECT_THAT(finding(R"(
  %a = aten.relu(%x) #{donated = "0"}
  return %x)"),
              HasSubstr("given away: %x by aten.relu"));
  EXPECT_EQ(finding(R"(
  %a = aten.relu(%x) #{donated = "0"}
  %b = aten.relu(%a) #{donated = "0"}
  return)"),
            "");
}

TEST(MemoryRules, TheResultOfAnInPlaceDonationIsUsable) {
  EXPECT_EQ(finding(R"(
  %a = aten.add_.Tensor(%x, %y) #{donated = "0"}
  %v = aten.permute(%a, dims=[0])
  %r = aten.relu(%v)
  return)"),
            "");
}

TEST(MemoryRules, DonationsNameOperandsThatStandAlone) {
  EXPECT_THAT(finding(R"(
  %a = aten.add.Tensor(%x, %x) #{donated = "0"}
  return)"),
              HasSubstr("must not be passed twice"));
  EXPECT_THAT(finding(R"(
  %a = aten.relu(%x) #{donated = "3"}
  return)"),
              HasSubstr("a donated operand must exist"));
  EXPECT_THAT(finding(R"(
  %a = _c10d_functional.all_reduce(%x, reduce_op="sum", group_name="p")
  %r = aten.relu(%x) #{donated = "0"}
  %done = _c10d_functional.wait_tensor(%a)
  return)"),
              HasSubstr("given away before its wait"));
}

TEST(MemoryRules, OverwrittenValuesAreNotReadWhereTheCallerForbids) {
  const std::string body = R"(
  %a = aten.relu(%x)
  %v = aten.permute(%a, dims=[0])
  %w = aten.add_.Tensor(%v, 1)
  %r = aten.relu(%a)
  return)";
  EXPECT_EQ(finding(body), "") << "the order of a program gives this a meaning";
  EXPECT_THAT(finding(body, true),
              HasSubstr("not be used after its memory was overwritten: %a by aten.add_.Tensor"));
  EXPECT_EQ(finding(R"(
  %a = aten.relu(%x)
  %v = aten.permute(%a, dims=[0])
  %w = aten.add_.Tensor(%v, 1)
  %r = aten.relu(%w)
  return)",
                    true),
            "");
}

TEST(MemoryRules, CallsWriteWhatTheirBodiesWrite) {
  const auto module = module_of(R"(
graph @local(%p: f32[2]) -> (f32[2]) {
  %a = aten.relu(%p)
  %b = aten.add_.Tensor(%a, 1)
  return %b
}
graph @writes(%p: f32[2]) -> (f32[2]) {
  %b = aten.add_.Tensor(%p, 1)
  %c = aten.relu(%b)
  return %c
}
graph @fine(%x: f32[2]) -> (f32[2], f32[2]) {
  %a = higher_order.call(@local, [%x])
  %b = aten.relu(%x)
  return %a, %b
}
graph @wrong(%x: f32[2]) -> (f32[2], f32[2]) {
  %a = higher_order.call(@writes, [%x])
  %b = aten.relu(%x)
  return %a, %b
})");
  const VerifyOptions options{.forbid_overwritten_reads = true};
  EXPECT_TRUE(verification_errors(graph_of(*module, "fine"), options).empty());
  EXPECT_EQ(verification_errors(graph_of(*module, "wrong"), options).size(), 1u);
}

}  // namespace
}  // namespace litz::ir
