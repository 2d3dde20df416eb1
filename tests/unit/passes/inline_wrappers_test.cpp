// Autocast regions, whose recorded types differ from inferred ones, so .ir files cannot hold them.

#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ops/op_table.h"
#include "passes/pass_driver.h"
#include "support/check.h"

namespace litz::passes {
namespace {

std::unique_ptr<ir::Module> inlined(const std::string& body, const std::string& call) {
  auto module = ir::read_module(body + "\n" + call, ops::standard_ops());
  PassContext context;
  run_pass(*find_pass("inline-wrappers"), *module, context);
  EXPECT_EQ(module->graphs().size(), 1U);
  return module;
}

std::string body_of(const std::string& nodes, const std::string& results) {
  return "graph @body(%v: f32[2, 3], %w: f32[3, 2]) -> (" + results + ") {\n" + nodes + "}\n";
}

std::string call_of(const std::string& enabled, const std::string& result) {
  return "graph @main(%x: f32[2, 3], %y: f32[3, 2]) -> (" + result +
         ") {\n"
         "  %r = higher_order.wrap_with_autocast(\"cpu\", bf16, " +
         enabled + ", none, @body, [%x, %y]) : " + result +
         "\n"
         "  return %r\n"
         "}\n";
}

size_t casts(const ir::Module& module) {
  return module.find_graph("main")->in_order("prims.convert_element_type").size();
}

TEST(Autocast, CastsOperandsToTheDtypeOfTheRegion) {
  const auto module =
      inlined(body_of("  %p = aten.mm(%v, %w) : bf16[2, 2]\n  return %p\n", "bf16[2, 2]"),
              call_of("true", "bf16[2, 2]"));
  EXPECT_EQ(casts(*module), 2U);
  EXPECT_EQ(module->find_graph("main")->last()->input(0).tensor().dtype, DType::bf16);
}

TEST(Autocast, CastsBackWhereResultsAreWide) {
  const auto module = inlined(body_of("  %p = aten.mm(%v, %w) : bf16[2, 2]\n"
                                      "  %e = aten.exp(%p) : f32[2, 2]\n  return %e\n",
                                      "f32[2, 2]"),
                              call_of("true", "f32[2, 2]"));
  EXPECT_EQ(casts(*module), 3U);
}

TEST(Autocast, LeavesWhatNeedsNoCast) {
  const auto module = inlined(body_of("  %s = aten.sin(%v)\n  return %s\n", "f32[2, 3]"),
                              call_of("true", "f32[2, 3]"));
  EXPECT_EQ(casts(*module), 0U);
}

TEST(Autocast, DisabledRegionsAreInlinedAsTheyAre) {
  const auto module = inlined(body_of("  %p = aten.mm(%v, %w)\n  return %p\n", "f32[2, 2]"),
                              call_of("false", "f32[2, 2]"));
  EXPECT_EQ(casts(*module), 0U);
}

TEST(Autocast, RefusesDtypesThatNoCastExplains) {
  EXPECT_THROW(inlined(body_of("  %p = aten.mm(%v, %w) : f64[2, 2]\n  return %p\n", "f64[2, 2]"),
                       call_of("true", "f64[2, 2]")),
               Error);
}

}  // namespace
}  // namespace litz::passes
