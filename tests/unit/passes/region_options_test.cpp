// Annotations of regions: what they mean, and how mistakes in them are told.

#include "passes/region_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "passes/inductor_options.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(std::string_view value) {
  try {
    parse_region_key(value);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
}

RegionKey with(std::string_view options) {
  return parse_region_key("{\"inductor_configs\": {" + std::string(options) + "}}");
}

TEST(RegionKey, AnyValueMarks) {
  for (const char* value : {"0", "true", "\"here\"", "{}", "null", "[1]"}) {
    EXPECT_EQ(parse_region_key(value), RegionKey()) << value;
  }
}

TEST(RegionKey, DoesNotDependOnOrderOrSpelling) {
  EXPECT_EQ(with(R"("max_autotune": true, "threads": 2)"),
            with(R"("threads":2,"max_autotune":true)"));
}

TEST(RegionKey, NumbersOfRealOptionsAreEqualWhateverTheirSpelling) {
  const std::string name = "cpu_gpu_bw";
  EXPECT_EQ(with("\"" + name + "\": 1"), with("\"" + name + "\": 1.0"));
}

TEST(RegionKey, IdsAreWordsOrNumbers) {
  EXPECT_EQ(parse_region_key(R"({"inductor_region": 3})").id, "3");
  EXPECT_EQ(parse_region_key(R"({"inductor_region": "encoder"})").id, "encoder");
  EXPECT_THAT(refusal(R"({"inductor_region": [1]})"), HasSubstr("must be a text or an integer"));
}

TEST(RegionKey, UnknownOptionsAreRefusedByNameWithASuggestion) {
  EXPECT_THAT(refusal(R"({"inductor_configs": {"max_autotoon": true}})"),
              AllOf(HasSubstr("Invalid inductor config key 'max_autotoon' in regional_inductor "
                              "annotation"),
                    HasSubstr("did you mean 'max_autotune'?")));
  EXPECT_THAT(refusal(R"({"inductor_configs": {"thread": 2}})"), HasSubstr("'threads'"));
  EXPECT_THAT(refusal(R"({"inductor_config": {}})"), HasSubstr("did you mean 'inductor_configs'?"));
}

TEST(RegionKey, WrongTypesAreRefusedWithWhatIsAllowed) {
  EXPECT_THAT(refusal(R"({"inductor_configs": {"max_autotune": 1}})"),
              AllOf(HasSubstr("'max_autotune'"), HasSubstr("true or false, but is 1")));
  EXPECT_THAT(refusal(R"({"inductor_configs": {"threads": 2000}})"),
              HasSubstr("an integer from 0 to 1024, but is 2000"));
  EXPECT_THAT(refusal(R"({"inductor_configs": {"executor": "gpu"}})"),
              HasSubstr("one of interpreter, cpu, but is \"gpu\""));
  EXPECT_THAT(refusal(R"({"inductor_configs": {"compile_threads": "many"}})"),
              HasSubstr("an integer or None"));
  EXPECT_THAT(refusal(R"({"inductor_configs": 3})"), HasSubstr("an object of options, but is 3"));
}

TEST(RegionKey, WhatElseUsersNoteIsTheirs) {
  EXPECT_EQ(parse_region_key(R"({"owner": "me"})"), RegionKey());
}

TEST(RegionKey, MistakesNameTheNodeAndItsSource) {
  const auto module = ir::read_module(
      "graph @main(%x: f32[4]) -> (f32[4]) {\n"
      "  %s = aten.sin(%x) : f32[4] #{compile_with_inductor = "
      "\"{\\\"inductor_configs\\\":{\\\"fused\\\":true}}\"} loc(\"model.py\":7)\n"
      "  return %s\n}\n",
      ops::standard_ops());
  try {
    region_key(*module->find_graph("main")->first());
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("'fused'"), HasSubstr("aten.sin"), HasSubstr("model.py:7")));
  }
}

TEST(RegionKey, InnerAnnotationsWinOptionByOption) {
  const std::string value =
      nested_region(R"({"inductor_configs": {"threads": 2, "fuse": false}, "inductor_region": 1})",
                    R"({"inductor_configs": {"threads": 4}})");
  const RegionKey key = parse_region_key(value);
  EXPECT_EQ(key.id, "1");
  EXPECT_EQ(region_options(key).threads, 4);
  EXPECT_EQ(region_options(key).fuse, false);
  EXPECT_EQ(parse_region_key(nested_region("0", "true")), RegionKey());
}

TEST(RegionKey, IsReadBackFromItsAnnotation) {
  const RegionKey key = parse_region_key(
      R"({"inductor_configs": {"max_autotune": true, "target": "avx2"}, "inductor_region": "a"})");
  EXPECT_EQ(parse_region_key(annotation_value(key)), key);
  EXPECT_EQ(to_string(key), "region a {max_autotune: true, target: \"avx2\"}");
}

TEST(RegionOptions, AreOursAndThoseThatMeanTheSame) {
  const RegionOptions options =
      region_options(with(R"("executor": "interpreter", "optimize": false, "verify": true)"));
  EXPECT_EQ(options.executor, "interpreter");
  EXPECT_EQ(options.optimize, false);
  EXPECT_EQ(options.verify, true);
  EXPECT_FALSE(options.threads || options.target || options.fuse);
  EXPECT_EQ(region_options(with(R"("cpp.threads": 3)")).threads, 3);
  EXPECT_EQ(region_options(with(R"("cpp.threads": -1)")).threads, 0);
  EXPECT_EQ(region_options(with(R"("cpp.threads": 3, "threads": 1)")).threads, 1);
}

TEST(InductorOptions, AreKnownByNameAndType) {
  EXPECT_EQ(find_inductor_option("max_autotune")->type, InductorType::flag);
  EXPECT_EQ(find_inductor_option("triton.cudagraphs")->type, InductorType::flag);
  EXPECT_EQ(find_inductor_option("cpp.threads")->type, InductorType::integer);
  EXPECT_FALSE(find_inductor_option("nope"));
  for (const std::string_view name : inductor_option_names()) {
    EXPECT_TRUE(find_inductor_option(name)) << name;
  }
}

}  // namespace
}  // namespace litz::passes
