#include "import/pytree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::import_ {
namespace {

using testing::ElementsAre;

constexpr const char* kLeaf = R"({"type": null, "context": null, "children_spec": []})";

std::string node(const std::string& type, const std::string& context, const std::string& children) {
  return R"({"type": ")" + type + R"(", "context": )" + context + R"(, "children_spec": [)" +
         children + "]}";
}

std::string inputs(const std::string& positional, const std::string& keywords = "",
                   const std::string& keys = "[]") {
  return "[1, " +
         node("builtins.tuple", "\"null\"",
              node("builtins.tuple", "\"null\"", positional) + "," +
                  node("builtins.dict", "\"" + keys + "\"", keywords)) +
         "]";
}

TEST(Pytree, NamesPositionalArguments) {
  EXPECT_THAT(input_leaf_names(inputs(std::string(kLeaf) + "," + kLeaf), {"x", "y"}),
              ElementsAre("x", "y"));
}

TEST(Pytree, NamesNestedContainers) {
  const std::string list = node("builtins.list", "\"null\"", std::string(kLeaf) + "," + kLeaf);
  const std::string dict =
      node("builtins.dict", R"("[\"k\", 3]")", std::string(kLeaf) + "," + list);
  EXPECT_THAT(input_leaf_names(inputs(dict), {"d"}), ElementsAre("d['k']", "d[3][0]", "d[3][1]"));
}

TEST(Pytree, NamesKeywords) {
  EXPECT_THAT(input_leaf_names(inputs(kLeaf, kLeaf, R"([\"scale\"])"), {"x", "scale"}),
              ElementsAre("x", "scale"));
}

TEST(Pytree, FlattensUnknownContainers) {
  const std::string mine = node("my.Type", "\"plain text\"", std::string(kLeaf) + "," + kLeaf);
  EXPECT_THAT(input_leaf_names(inputs(mine), {"x"}), ElementsAre("x[0]", "x[1]"));
}

TEST(Pytree, ReadsDefaultDictsAndDataclasses) {
  const std::string defaults = node(
      "collections.defaultdict",
      R"({"default_factory_module": "builtins", "default_factory_name": "int", "dict_context": ["k"]})",
      kLeaf);
  const std::string record = node("my.Data", R"("[[\"left\"], []]")", kLeaf);
  EXPECT_THAT(input_leaf_names(inputs(defaults + "," + record), {"a", "b"}),
              ElementsAre("a['k']", "b['left']"));
}

TEST(Pytree, NamesOutputs) {
  EXPECT_THAT(output_leaf_names("[1, " + std::string(kLeaf) + "]"), ElementsAre("out"));
  EXPECT_THAT(output_leaf_names("[1, " + node("builtins.dict", R"("[\"logits\"]")", kLeaf) + "]"),
              ElementsAre("['logits']"));
}

TEST(Pytree, RefusesOtherVersions) {
  EXPECT_THROW(output_leaf_names("[2, " + std::string(kLeaf) + "]"), Error);
  EXPECT_THROW(output_leaf_names("nonsense"), Error);
  EXPECT_THROW(output_leaf_names("[]"), Error);
}

TEST(Pytree, RefusesDeepNesting) {
  std::string tree = kLeaf;
  for (int i = 0; i < 300; ++i) tree = node("builtins.list", "\"null\"", tree);
  EXPECT_THROW(output_leaf_names("[1, " + tree + "]"), Error);
}

}  // namespace
}  // namespace litz::import_
