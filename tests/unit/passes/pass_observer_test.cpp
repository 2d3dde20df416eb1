#include "passes/pass_observer.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kText = R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %dead = aten.exp(%x) : f32[2]
  %a = aten.relu(%x) : f32[2]
  %b = aten.sin(%a) : f32[2]
  return %b
})";

Changed drop_dead(ir::Graph& graph, PassContext&) {
  graph.erase(graph.first());
  return Changed::yes;
}

// Turns sin(relu(x)) into cos(x), named as the sine was.
Changed replace(ir::Graph& graph, PassContext&) {
  ir::Node* relu = graph.first();
  ir::Node* sine = relu->next();
  const auto scope = graph.insert_for(sine, std::vector<ir::Node*>{relu, sine});
  ir::Node* cosine = graph.create("aten.cos", {graph.input(0)});
  graph.replace_uses(sine->output(), cosine->output());
  graph.erase(sine);
  graph.erase(relu);
  graph.set_name(cosine->output(), "b");
  return Changed::yes;
}

Changed do_nothing(ir::Graph&, PassContext&) { return Changed::no; }

Changed rewire(ir::Graph& graph, PassContext&) {
  graph.set_input(graph.last(), 0, graph.input(0));
  return Changed::yes;
}

Changed fail_early(ir::Graph& graph, PassContext&) {
  graph.create("aten.cos", {graph.input(0)});
  fail(ErrorCode::unsupported, "cannot do this");
}

constexpr Pass kPasses[] = {{"drop-dead", drop_dead, ""},
                            {"do-nothing", do_nothing, ""},
                            {"rewire", rewire, ""},
                            {"replace", replace, ""}};

TEST(PassObserver, RecordsWhatPassesDoToNodes) {
  const auto module = ir::read_module(kText, ops::standard_ops());
  PassObserver observer(nullptr);
  PassContext context;
  DriverOptions options;
  observer.attach(options);
  run_pipeline(kPasses, *module, context, options);
  const std::vector<PassRecord>& records = observer.records();
  ASSERT_EQ(records.size(), 4u);
  EXPECT_THAT(records[0].graphs.at(0).erased, ElementsAre("%dead"));
  EXPECT_TRUE(records[1].graphs.empty());
  EXPECT_THAT(records[2].graphs.at(0).changed, ElementsAre("%b"));
  EXPECT_THAT(records[3].graphs.at(0).created, ElementsAre("%b"));
  EXPECT_THAT(records[3].graphs.at(0).erased, ElementsAre("%a", "%b"));
  EXPECT_EQ(to_string(records[3]), "4 replace\n  @main: created %b; erased %a, %b\n");
  const auto steps = module->find_graph("main")->first()->provenance();
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.back().pass, "replace") << "and nodes know it themselves";
  EXPECT_EQ(steps.back().action, "replace");
  EXPECT_EQ(steps.back().sources.size(), 2u);
}

TEST(PassObserver, WritesPicturesAndTextsOfPassesThatChangeSomething) {
  const auto module = ir::read_module(kText, ops::standard_ops());
  std::map<std::string, std::string> files;
  PassObserver observer(
      [&](const std::string& file, const std::string& text) { files[file] = text; });
  PassContext context;
  DriverOptions options;
  observer.attach(options);
  run_pipeline(kPasses, *module, context, options);
  EXPECT_EQ(files.size(), 3u * 4 + 1);
  EXPECT_THAT(files["passes.txt"], HasSubstr("1 drop-dead\n  @main: erased %dead\n2 do-nothing: "
                                             "unchanged\n"));
  EXPECT_THAT(files["pass_1_drop-dead_input.html"], HasSubstr("stroke=\"red\""));
  EXPECT_THAT(files["pass_1_drop-dead_output.html"], Not(HasSubstr("stroke=\"red\"")));
  EXPECT_THAT(files["pass_4_replace_output.html"], HasSubstr("stroke=\"red\""));
  EXPECT_THAT(files["pass_1_drop-dead_input.ir"], HasSubstr("%dead"));
  EXPECT_EQ(files["pass_3_rewire_output.ir"], files["pass_4_replace_input.ir"]);
}

TEST(PassObserver, LetsGoOfGraphsAlsoAfterFailures) {
  const auto module = ir::read_module(kText, ops::standard_ops());
  const Pass failing[] = {{"fail-early", fail_early, ""}};
  PassContext context;
  {
    PassObserver observer(nullptr);
    DriverOptions options;
    observer.attach(options);
    EXPECT_THROW(run_pipeline(failing, *module, context, options), Error);
    EXPECT_TRUE(observer.records().at(0).failed);
    EXPECT_EQ(to_string(observer.records()[0]), "1 fail-early: failed\n");
  }
  // Nobody is told any more.
  module->find_graph("main")->erase(module->find_graph("main")->last());
}

TEST(PassObserver, FollowsGraphsThatComeAndGo) {
  const auto module = ir::read_module(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = higher_order.wrap(@main.body, [%x]) : f32[2]
  return %a
}
graph @main.body(%x: f32[2]) -> (f32[2]) {
  %r = aten.relu(%x) : f32[2]
  return %r
})",
                                      ops::standard_ops());
  std::map<std::string, std::string> files;
  PassObserver observer(
      [&](const std::string& file, const std::string& text) { files[file] = text; });
  PassContext context;
  DriverOptions options;
  observer.attach(options);
  run_pipeline(import_pipeline(), *module, context, options);
  EXPECT_EQ(observer.records()[0].graphs.size(), 0u) << "nothing draws random numbers";
  EXPECT_EQ(observer.records()[1].graphs.size(), 2u) << "inline-wrappers";
  EXPECT_THAT(files["passes.txt"], HasSubstr("@main.body: erased %r"));
}

}  // namespace
}  // namespace litz::passes
