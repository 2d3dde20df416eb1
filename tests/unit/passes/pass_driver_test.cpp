#include "passes/pass_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using testing::HasSubstr;

std::unique_ptr<ir::Module> parse(std::string_view text) {
  return ir::read_module(text, ops::standard_ops());
}

constexpr const char* kText =
    "graph @main(%x: f32[2, 3]) -> (f32[2, 3]) {\n"
    "  %d = aten.exp(%x)\n"
    "  %a = aten.relu(%x)\n"
    "  return %a\n"
    "}\n";

Changed throws(ir::Graph&, PassContext&) { fail(ErrorCode::unsupported, "cannot do this"); }

TEST(PassDriver, RunsEveryPassInOrder) {
  const auto module = parse(kText);
  PassContext context;
  const auto statistics = run_pipeline(import_pipeline(), *module, context, {.verify_each = true});
  ASSERT_EQ(statistics.size(), import_pipeline().size());
  EXPECT_EQ(statistics.back().name, "eliminate-dead-nodes");
  EXPECT_EQ(statistics.back().changed, Changed::yes);
  EXPECT_EQ(statistics.back().nodes, 1U);
}

TEST(PassDriver, StopsAfterAPass) {
  const auto module = parse(kText);
  PassContext context;
  const auto statistics =
      run_pipeline(import_pipeline(), *module, context, {.stop_after = "functionalize"});
  EXPECT_EQ(statistics.back().name, "functionalize");
  EXPECT_EQ(statistics.back().nodes, 2U);
}

TEST(PassDriver, RefusesUnknownNames) {
  const auto module = parse(kText);
  PassContext context;
  EXPECT_THROW(run_pipeline(import_pipeline(), *module, context, {.stop_after = "nonsense"}),
               Error);
  EXPECT_EQ(find_pass("nonsense"), nullptr);
}

TEST(PassDriver, RewritesAsOftenAsTheLimitSays) {
  const char* text =
      "graph @main(%x: f32[2, 3]) -> (f32[2, 3]) {\n"
      "  %a = aten.mul.Tensor(%x, 1)\n"
      "  %b = aten.sub.Tensor(%a, 0)\n"
      "  %c = aten.div.Tensor(%b, 1)\n"
      "  return %c\n"
      "}\n";
  for (uint64_t limit = 0; limit < 4; ++limit) {
    const auto module = parse(text);
    PassContext context;
    const auto statistics =
        run_pipeline(inference_pipeline(), *module, context, {.edit_limit = limit});
    EXPECT_EQ(statistics.back().nodes, 3 - limit);
    EXPECT_EQ(context.rewrites, limit);
  }
}

TEST(PassDriver, LeavesOutDisabledPasses) {
  const auto module = parse(kText);
  PassContext context;
  const auto statistics =
      run_pipeline(import_pipeline(), *module, context, {.disabled = {"eliminate-dead-nodes"}});
  EXPECT_EQ(statistics.size(), import_pipeline().size() - 1);
  EXPECT_EQ(statistics.back().nodes, 2U);
}

Changed always(ir::Graph&, PassContext&) { return Changed::yes; }

TEST(PassDriver, SeesThatAPassIsSettled) {
  const auto module = parse(kText);
  PassContext context;
  run_pipeline(inference_pipeline(), *module, context, {.run_twice = true});
  const Pass restless{"restless", always, ""};
  EXPECT_THROW(run_pipeline({&restless, 1}, *module, context, {.run_twice = true}), InternalError);
}

TEST(PassDriver, ErrorsNameThePass) {
  const auto module = parse(kText);
  PassContext context;
  try {
    run_pass({"my-pass", throws, ""}, *module, context);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("in pass my-pass"));
  }
}

TEST(PassDriver, CallsBackAfterEachPass) {
  const auto module = parse(kText);
  PassContext context;
  std::vector<std::string> seen;
  run_pipeline(import_pipeline(), *module, context,
               {.after_pass = [&](const PassStatistics& pass, const ir::Module&) {
                 seen.emplace_back(pass.name);
               }});
  EXPECT_EQ(seen.size(), import_pipeline().size());
}

TEST(Pipeline, EveryPassHasAReasonAndAName) {
  for (const std::span<const Pass> pipeline : {import_pipeline(), inference_pipeline()}) {
    for (const Pass& pass : pipeline) {
      EXPECT_FALSE(pass.reason.empty());
      EXPECT_EQ(find_pass(pass.name), &pass);
    }
  }
}

}  // namespace
}  // namespace litz::passes
