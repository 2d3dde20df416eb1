#include "passes/pass_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using testing::HasSubstr;
using testing::Not;

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

TEST(PassDriver, OrdersMayBeDemanded) {
  require_order(import_pipeline(), pass_orders());
  require_order(inference_pipeline(), pass_orders());
  const Pass a{"a", throws, ""};
  const Pass b{"b", throws, ""};
  const Pass c{"c", throws, ""};
  const std::vector<PassOrder> a_before_b{{"a", "b"}};
  const std::vector<PassOrder> both_before_c{{"a", "c"}, {"b", "c"}};
  require_order(std::vector<Pass>{a, c, b}, a_before_b);
  require_order(std::vector<Pass>{b}, a_before_b);
  require_order(std::vector<Pass>{b, a, c}, both_before_c);
  EXPECT_THROW(require_order(std::vector<Pass>{b, a}, a_before_b), Error);
  EXPECT_THROW(require_order(std::vector<Pass>{a, b, a}, a_before_b), Error);
  EXPECT_THROW(require_order(std::vector<Pass>{a, c, b}, both_before_c), Error);
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

Changed throws_another(ir::Graph&, PassContext&) { throw std::runtime_error("out of luck"); }

TEST(PassDriver, OtherExceptionsBecomeInternalErrorsThatNameThePass) {
  const auto module = parse(kText);
  PassContext context;
  try {
    run_pass({"my-pass", throws_another, ""}, *module, context);
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("out of luck"));
    EXPECT_THAT(error.what(), HasSubstr("in pass my-pass"));
  }
}

Changed rename_and_throw(ir::Graph& graph, PassContext& context) {
  graph.set_name(graph.input(0), "renamed");
  return throws(graph, context);
}

TEST(PassDriver, TellsOfFailuresWithTheModuleAsItWas) {
  const auto module = parse(kText);
  PassContext context;
  const Pass passes[] = {{"eliminate", eliminate_dead_nodes, ""},
                         {"my-pass", rename_and_throw, ""}};
  DriverOptions options{.edit_limit = 7, .keep_text = true};
  options.on_failure = [](const PassFailure& failure) {
    EXPECT_EQ(failure.pass.name, "my-pass");
    EXPECT_THAT(std::string(failure.before), HasSubstr("@main(%x"));
    EXPECT_THAT(std::string(failure.before), Not(HasSubstr("aten.exp")));
    EXPECT_EQ(failure.rewrites_left, 7U);
    failure.error.add_note("seen");
  };
  try {
    run_pipeline(passes, *module, context, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("seen"));
  }
}

// A node reads what is only made behind it.
Changed breaks_order(ir::Graph& graph, PassContext&) {
  ir::Node* first = graph.create("aten.relu", {graph.input(0)});
  graph.move_before(graph.create("aten.relu", {first->output()}), first);
  return Changed::yes;
}

TEST(PassDriver, VerificationFailuresAreFailuresOfThePass) {
  const auto module = parse(kText);
  PassContext context;
  const Pass pass{"my-pass", breaks_order, ""};
  std::string failed;
  DriverOptions options{.verify_each = true};
  options.on_failure = [&](const PassFailure& failure) {
    failed = failure.pass.name;
    EXPECT_EQ(failure.before, "");
  };
  EXPECT_THROW(run_pipeline({&pass, 1}, *module, context, options), Error);
  EXPECT_EQ(failed, "my-pass");
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
