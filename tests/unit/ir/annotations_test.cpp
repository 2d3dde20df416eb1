#include "ir/annotations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

Annotations merged(const std::vector<Annotations>& sources) {
  std::vector<const Annotations*> pointers;
  for (const Annotations& source : sources) pointers.push_back(&source);
  return merge_annotations(pointers);
}

TEST(Annotations, KeysAreSortedAndDocumented) {
  for (const AnnotationKey& key : annotation_keys()) {
    EXPECT_EQ(find_annotation_key(key.name), &key);
    EXPECT_FALSE(key.doc.empty()) << key.name;
  }
  EXPECT_EQ(find_annotation_key("my_key"), nullptr);
  EXPECT_EQ(find_annotation_key("zzz"), nullptr);
}

TEST(Annotations, ValuesMustFitTheirKeys) {
  EXPECT_EQ(annotation_error("seq_nr", "-12"), "");
  EXPECT_THAT(annotation_error("seq_nr", "12a"), HasSubstr("seq_nr must be an integer: \"12a\""));
  EXPECT_EQ(annotation_error("recompute", "must_save"), "");
  EXPECT_THAT(annotation_error("recompute", "maybe"), HasSubstr("one of must_save, "));
  EXPECT_EQ(annotation_error("donated", "0, 2"), "");
  EXPECT_EQ(annotation_error("donated", ""), "");
  EXPECT_THAT(annotation_error("donated", "0,,1"), HasSubstr("integers separated by commas"));
  EXPECT_EQ(annotation_error("memory_budget", "0.5"), "");
  EXPECT_THAT(annotation_error("memory_budget", "half"), HasSubstr("a number"));
  EXPECT_EQ(annotation_error("compile_with_inductor", "{\"max\": [1]}"), "");
  EXPECT_THAT(annotation_error("compile_with_inductor", "{"), HasSubstr("a JSON value"));
  EXPECT_EQ(annotation_error("bucket_sources", "a, b.c"), "");
  EXPECT_THAT(annotation_error("bucket_sources", "a, a"), HasSubstr("each once"));
  EXPECT_EQ(annotation_error("my_key", "any \x01 thing"), "");
  EXPECT_THAT(annotation_error("", "1"), HasSubstr("must have a key"));
}

TEST(Annotations, MergeByTheRuleOfEachKey) {
  EXPECT_THAT(merged({{{"seq_nr", "1"},
                       {"region", "a"},
                       {"donated", "0"},
                       {"mine", "1"},
                       {"bucket_sources", "p, q"}},
                      {{"seq_nr", "2"}, {"region", "a"}, {"bucket_sources", "q, r"}},
                      {{"recompute", "must_save"}}}),
              ElementsAre(Pair("bucket_sources", "p, q, r"), Pair("recompute", "must_save"),
                          Pair("region", "a"), Pair("seq_nr", "1")));
}

TEST(Annotations, OneSourceIsCopiedWhole) {
  const Annotations all{{"donated", "0"}, {"mine", "1"}};
  EXPECT_EQ(merged({all}), all);
  EXPECT_EQ(merged({}), Annotations());
}

TEST(Annotations, ConflictsAreErrors) {
  try {
    merged({{{"recompute", "must_save"}}, {{"recompute", "must_recompute"}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.what(), HasSubstr("must agree on the annotation recompute"));
    EXPECT_THAT(error.what(), HasSubstr("must_save and must_recompute"));
  }
}

TEST(Annotations, SomeKeysKeepNodesApart) {
  EXPECT_TRUE(may_share_node({}, {}));
  EXPECT_TRUE(may_share_node({{"seq_nr", "1"}}, {{"seq_nr", "2"}, {"mine", "x"}}));
  EXPECT_FALSE(may_share_node({{"region", "1"}}, {{"region", "2"}}));
  EXPECT_FALSE(may_share_node({{"region", "1"}}, {})) << "outside of a region is another place";
  EXPECT_TRUE(may_share_node({{"region", "1"}}, {{"region", "1"}}));
}

TEST(Annotations, GradientNodesTakeOverSome) {
  EXPECT_THAT(backward_annotations({{"donated", "0"},
                                    {"mine", "x"},
                                    {"recompute", "must_save"},
                                    {"region", "1"},
                                    {"seq_nr", "4"}}),
              ElementsAre(Pair("mine", "x"), Pair("region", "1"), Pair("seq_nr", "4")));
}

}  // namespace
}  // namespace litz::ir
