#include "import/node_metadata.h"

#include <gtest/gtest.h>

namespace litz::import_ {
namespace {

ir::Location location(const std::string& json) {
  const JsonDocument document = JsonDocument::parse(json);
  return read_location(document.root());
}

ir::Annotations annotations(const std::string& json) {
  const JsonDocument document = JsonDocument::parse(json);
  return read_annotations(document.root());
}

TEST(NodeMetadata, PrefersTheUsersFrame) {
  const ir::Location found = location(
      R"({"stack_trace": "  File \"net.py\", line 3, in f\n    y\n)"
      R"(  File \"/lib/site-packages/torch/nn.py\", line 9, in g\n  File \"<eval>\", line 1, in h"})");
  EXPECT_EQ(found.file, "net.py");
  EXPECT_EQ(found.line, 3);
}

TEST(NodeMetadata, TakesTheLastOfTheUsersFrames) {
  EXPECT_EQ(
      location(R"({"stack_trace": "File \"a.py\", line 1, in f\nFile \"b.py\", line 2, in g"})")
          .file,
      "b.py");
}

TEST(NodeMetadata, UnreadableTextCountsAsAbsent) {
  EXPECT_EQ(location(R"({"stack_trace": "File \"a.py\", line x"})").line, 0);
  EXPECT_EQ(location(R"({"stack_trace": 7, "nn_module_stack": []})").module_path, "");
  EXPECT_EQ(location("{}").file, "");
  EXPECT_TRUE(annotations(R"({"custom": "not json"})").empty());
  EXPECT_TRUE(annotations(R"({"custom": "[1]"})").empty());
}

TEST(NodeMetadata, ModuleTypesMayHoldCommas) {
  EXPECT_EQ(location(R"({"nn_module_stack": "a,net,m.Net;b,net.0,m.Pair[int, str]"})").module_path,
            "net.0");
}

TEST(NodeMetadata, AnnotationsKeepJsonText) {
  const ir::Annotations found =
      annotations(R"({"custom": "{\"region\": \"r\", \"options\": {\"a\": [1, 2.5, null]}}"})");
  EXPECT_EQ(found.at("region"), "r");
  EXPECT_NE(found.at("options").find("2.5"), std::string::npos);
}

TEST(NodeMetadata, TextStaysTextUnderKeysThatHoldJson) {
  EXPECT_EQ(annotations(R"({"custom": "{\"compile_with_inductor\": \"mine\"}"})")
                .at("compile_with_inductor"),
            "\"mine\"");
  EXPECT_EQ(annotations(R"({"custom": "{\"compile_with_inductor\": \"{}\"}"})")
                .at("compile_with_inductor"),
            "\"{}\"");
}

TEST(NodeMetadata, DescribesPlaces) {
  EXPECT_EQ(describe({.file = "/home/me/net.py", .line = 4}), "net.py:4");
  EXPECT_EQ(describe({.module_path = "net.0"}), "net.0");
}

TEST(NodeMetadata, LeavesOutWhatDoesNotFitADeclaredKey) {
  EXPECT_EQ(annotations(R"({"custom": "{\"recompute\": 1, \"seq_nr\": 4, \"mine\": 1}"})"),
            (ir::Annotations{{"mine", "1"}, {"seq_nr", "4"}}));
}

}  // namespace
}  // namespace litz::import_
