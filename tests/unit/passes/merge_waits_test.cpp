#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/structural_equal.h"
#include "ir/verifier.h"
#include "ops/op_table.h"
#include "passes/graph_passes.h"
#include "passes/pass_driver.h"

namespace litz::passes {
namespace {

std::unique_ptr<ir::Module> merged(const char* text, const char* pass) {
  auto module = ir::read_module(text, ops::standard_ops());
  PassContext context;
  run_pipeline({find_pass(pass), 1}, *module, context, {.run_twice = true});
  ir::verify(*module);
  return module;
}

void expect_equal(const char* pass, const char* text, const char* expected) {
  const auto module = merged(text, pass);
  const auto wanted = ir::read_module(expected, ops::standard_ops());
  EXPECT_EQ(ir::to_string(*module), ir::to_string(*wanted));
}

TEST(MergeWaits, OneWaitIsLeftForEveryCollective) {
  expect_equal("merge-waits", R"(
graph @main(%x: f32[4]) -> (f32[4], f32[4], f32[4]) {
  %s = _c10d_functional.all_reduce(%x, "sum", "0")
  %a = _c10d_functional.wait_tensor(%s)
  %b = _c10d_functional.wait_tensor(%s)
  %c = _c10d_functional.wait_tensor(%a)
  return %a, %b, %c
})",
               R"(
graph @main(%x: f32[4]) -> (f32[4], f32[4], f32[4]) {
  %s = _c10d_functional.all_reduce(%x, "sum", "0")
  %a = _c10d_functional.wait_tensor(%s)
  return %a, %a, %a
})");
}

TEST(MergeWaits, AValueThatIsThereNeedsNone) {
  expect_equal("merge-waits", R"(
graph @main(%x: f32[4]) -> (f32[4], f32[4]) {
  %r = aten.relu(%x)
  %a = _c10d_functional.wait_tensor(%r)
  %b = _c10d_functional.wait_tensor(%x)
  return %a, %b
})",
               R"(
graph @main(%x: f32[4]) -> (f32[4], f32[4]) {
  %r = aten.relu(%x)
  %b = _c10d_functional.wait_tensor(%x)
  return %r, %b
})");
}

// A collective that writes its operand does so between its start and its wait.
TEST(FunctionalizeCollectives, TheWaitIsTheWrite) {
  expect_equal("functionalize", R"(
graph @main(%x: f32[4]) -> (f32[4], f32[4]) {
  %r = aten.relu(%x)
  %v = aten.slice.Tensor(%r, 0, 0, 2)
  %s = _c10d_functional.all_reduce_(%r, "sum", "0")
  %w = _c10d_functional.wait_tensor(%s)
  %y = aten.exp(%w)
  %z = aten.cat([%v, %v])
  return %y, %z
})",
               R"(
graph @main(%x: f32[4]) -> (f32[4], f32[4]) {
  %r = aten.relu(%x)
  %v = aten.slice.Tensor(%r, 0, 0, 2)
  %0 = _c10d_functional.all_reduce(%r, "sum", "0")
  %1 = _c10d_functional.wait_tensor(%0)
  %y = aten.exp(%1)
  %2 = aten.slice.Tensor(%1, 0, 0, 2)
  %z = aten.cat([%2, %2])
  return %y, %z
})");
}

TEST(FunctionalizeCollectives, GivenMemoryHoldsTheResultAfterTheWait) {
  expect_equal("functionalize", R"(
graph @main(%x: f32[2, 3]) -> (f32[4, 3]) {
  %out = aten.zeros([4, 3])
  %s = _c10d_functional.all_gather_into_tensor_out(%x, 2, "0", out=%out)
  %w = _c10d_functional.wait_tensor(%s)
  return %out
})",
               R"(
graph @main(%x: f32[2, 3]) -> (f32[4, 3]) {
  %out = aten.zeros([4, 3])
  %0 = _c10d_functional.all_gather_into_tensor(%x, 2, "0")
  %1 = _c10d_functional.wait_tensor(%0)
  return %1
})");
}

}  // namespace
}  // namespace litz::passes
