#include "support/json.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

using testing::HasSubstr;

void expect_refused(std::string_view text, ErrorCode code, const std::string& message,
                    const JsonOptions& options = {}) {
  try {
    JsonDocument::parse(text, "doc", options);
    FAIL() << "must be refused: " << text.substr(0, 80);
  } catch (const Error& error) {
    EXPECT_EQ(name(error.code()), name(code)) << error.what();
    EXPECT_THAT(error.message(), HasSubstr(message)) << text.substr(0, 80);
    EXPECT_THAT(error.message(), HasSubstr("doc"));
  }
}

template <typename Action>
void expect_fails(Action action, const std::string& message) {
  try {
    action();
    FAIL() << "must be refused: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
    EXPECT_THAT(error.message(), HasSubstr(message));
  }
}

TEST(Json, ReadsEveryKind) {
  const JsonDocument doc = JsonDocument::parse(
      R"({"n": null, "t": true, "f": false, "i": -7, "r": 1e-05, "s": "a\nb\u00e9\ud83d\ude00",
          "l": [1, [2], {}], "o": {"x": 1}})");
  const JsonValue& root = doc.root();
  EXPECT_EQ(root.size(), 8u);
  EXPECT_TRUE(root.at("n").is_null());
  EXPECT_TRUE(root.at("t").as_bool());
  EXPECT_FALSE(root.at("f").as_bool());
  EXPECT_EQ(root.at("i").as_int(), -7);
  EXPECT_EQ(root.at("r").as_double(), 1e-05);
  EXPECT_EQ(root.at("s").as_string(), "a\nb\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(root.at("l").as_array()[1].at(0).as_int(), 2);
  EXPECT_EQ(root.at("l").at(2).size(), 0u);
  EXPECT_EQ(root.find("missing"), nullptr);
  EXPECT_NE(root.find("n"), nullptr);
  EXPECT_EQ(root.get("n"), nullptr);
  EXPECT_EQ(root.get("o")->as_union().key, "x");
}

TEST(Json, KeepsTheOrderOfMembers) {
  const JsonDocument doc = JsonDocument::parse(R"({"z": 0, "a": 1, "m": 2})");
  std::string keys;
  for (const JsonMember& member : doc.root().as_object()) keys += member.key;
  EXPECT_EQ(keys, "zam");
}

TEST(Json, FindsMembersOfLargeObjects) {
  std::string text = "{";
  for (int i = 0; i < 3000; ++i) {
    text += (i ? ", \"v" : "\"v") + std::to_string(i) + "\": " + std::to_string(i);
  }
  const JsonDocument doc = JsonDocument::parse(text + "}");
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(doc.root().at("v" + std::to_string(i)).as_int(), i);
  }
  EXPECT_EQ(doc.root().find("v3000"), nullptr);
  EXPECT_EQ(doc.root().find(""), nullptr);
  EXPECT_EQ(doc.root().as_object()[17].key, "v17");
}

TEST(Json, KeepsAll64Bits) {
  const JsonDocument doc = JsonDocument::parse(
      "[9223372036854775807, 9223372036854775806, -9223372036854775808, 9007199254740993]");
  EXPECT_EQ(doc.root().at(0).as_int(), INT64_MAX);
  EXPECT_EQ(doc.root().at(1).as_int(), INT64_MAX - 1);
  EXPECT_EQ(doc.root().at(2).as_int(), INT64_MIN);
  EXPECT_EQ(doc.root().at(3).as_int(), 9007199254740993);
}

TEST(Json, ReadsFloatsAsTheProgramFormatWritesThem) {
  const JsonDocument doc = JsonDocument::parse(R"(["Infinity", "-Infinity", "NaN", 3, 0.1])");
  EXPECT_EQ(doc.root().at(0).as_double(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(doc.root().at(1).as_double(), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(doc.root().at(2).as_double()));
  EXPECT_EQ(doc.root().at(3).as_double(), 3.0);
  EXPECT_EQ(doc.root().at(4).as_double(), 0.1);
}

TEST(Json, BareNonFiniteTokensNeedTheOption) {
  const std::string text = R"([NaN, -Infinity, {"NaN": Infinity}, "a \" NaN"])";
  expect_refused(text, ErrorCode::corrupt, "JSON: a document must be well formed");
  const JsonDocument doc = JsonDocument::parse(text, "doc", {.allow_bare_nonfinite = true});
  EXPECT_TRUE(std::isnan(doc.root().at(0).as_double()));
  EXPECT_EQ(doc.root().at(1).as_double(), -std::numeric_limits<double>::infinity());
  EXPECT_GT(doc.root().at(2).at("NaN").as_double(), 0);
  EXPECT_EQ(doc.root().at(3).as_string(), "a \" NaN");
  expect_refused("[NaN, nan]", ErrorCode::corrupt, "JSON:", {.allow_bare_nonfinite = true});
}

TEST(Json, SurvivesMoving) {
  JsonDocument first = JsonDocument::parse(R"({"key": "value"})");
  const JsonDocument second = std::move(first);
  EXPECT_EQ(second.root().at("key").as_string(), "value");
}

TEST(Json, ErrorsNameThePath) {
  const JsonDocument doc =
      JsonDocument::parse(R"({"graph": {"nodes": [{"target": 3, "n": 1.5}]}})", "net");
  const JsonPath root("net");
  const JsonPath graph = root / "graph";
  const JsonPath nodes = graph / "nodes";
  const JsonPath first = nodes / size_t{0};
  const JsonValue& node = doc.root().at("graph").at("nodes").at(0);
  expect_fails([&] { node.at("target").as_string(first / "target"); },
               "JSON: value must be a string, not an integer: net: graph.nodes[0].target");
  expect_fails([&] { node.at("inputs", first); },
               "JSON: object must have the key: net: graph.nodes[0].inputs");
  expect_fails([&] { doc.root().at("graph").at("nodes").at(4, nodes); },
               "JSON: array must have the element: net: graph.nodes[4] 1");
  expect_fails([&] { node.at("n").as_int(first / "n"); },
               "JSON: value must be an integer, not a number with a fraction");
  expect_fails([&] { node.as_array("doc"); }, "must be an array, not an object: doc");
}

TEST(Json, J1_RefusesBadText) {
  expect_refused("\"\xff\"", ErrorCode::corrupt, "JSON J1");
  expect_refused("\"\xed\xa0\x80\"", ErrorCode::corrupt, "JSON J1");
  expect_refused("\"\xc0\x80\"", ErrorCode::corrupt, "JSON J1");
  expect_refused(R"(["\x41"])", ErrorCode::corrupt, "JSON J1");
  expect_refused(R"(["\u12g4"])", ErrorCode::corrupt, "JSON J1");
  expect_refused(R"(["\ud800"])", ErrorCode::corrupt, "JSON J1");
  expect_refused(R"(["\ud800\u0041"])", ErrorCode::corrupt, "JSON J1");
  expect_refused(R"(["\udc00"])", ErrorCode::corrupt, "JSON J1");
  expect_refused(R"({"\udc00": 1})", ErrorCode::corrupt, "JSON J1");
  expect_refused("[\"a\nb\"]", ErrorCode::corrupt, "JSON J1");
  expect_refused(R"(["a\u0000b"])", ErrorCode::corrupt, "JSON J1");
  expect_refused(std::string_view("[\"a\0b\"]", 7), ErrorCode::corrupt, "JSON J1");
  expect_refused("[\"abc", ErrorCode::corrupt, "JSON J1");
}

TEST(Json, J2_RefusesWhatExceedsTheLimits) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_NO_THROW(JsonDocument::parse(nested(512)));
  expect_refused(nested(513), ErrorCode::limit_exceeded, "JSON J2: nesting");
  expect_refused(nested(100'000), ErrorCode::limit_exceeded, "JSON J2: nesting");
  expect_refused("[1, 2, 3]", ErrorCode::limit_exceeded, "JSON J2: a document", {.max_bytes = 8});
  expect_refused("[\"abcdef\"]", ErrorCode::limit_exceeded, "JSON J2: a string",
                 {.max_string_bytes = 5});
  expect_refused("[1, 2, 3]", ErrorCode::limit_exceeded, "JSON J2: an array or object",
                 {.max_elements = 2});
  expect_refused(R"({"a": 1, "b": 2, "c": 3})", ErrorCode::limit_exceeded,
                 "JSON J2: an array or object", {.max_elements = 2});
}

TEST(Json, J3_RefusesDuplicateKeys) {
  expect_refused(R"({"a": 1, "b": 2, "a": 3})", ErrorCode::corrupt, "JSON J3");
  expect_refused(R"({"a": 1, "\u0061": 3})", ErrorCode::corrupt, "JSON J3");
  std::string text = "{\"twin\": 0";
  for (int i = 0; i < 100; ++i) text += ", \"k" + std::to_string(i) + "\": 1";
  expect_refused(text + ", \"twin\": 1}", ErrorCode::corrupt, "JSON J3");
}

TEST(Json, J4_RefusesBadNumbers) {
  for (const char* bad : {"[01]", "[1e999]", "[-1e999]", "[1.]", "[.5]", "[+1]", "[0x10]", "[--1]",
                          "[1e]", "[99999999999999999999999]"}) {
    EXPECT_THROW(JsonDocument::parse(bad), Error) << bad;
  }
  expect_refused("[1e999]", ErrorCode::corrupt, "JSON J4");
  const JsonDocument doc = JsonDocument::parse("[9223372036854775808, 2.0, 1e3]");
  expect_fails([&] { doc.root().at(0).as_int("d"); }, "JSON J4: integer must fit into 64 bits");
  EXPECT_EQ(doc.root().at(0).as_double(), 9223372036854775808.0);
  expect_fails([&] { doc.root().at(1).as_int("d"); }, "must be an integer");
  expect_fails([&] { doc.root().at(2).as_int("d"); }, "must be an integer");
}

TEST(Json, J5_RefusesUnionsWithoutOneKey) {
  const JsonDocument doc = JsonDocument::parse(R"([{}, {"a": 1, "b": 2}, {"as_int": "x"}, 3])");
  expect_fails([&] { doc.root().at(0).as_union("u"); }, "JSON J5: union must have exactly one key");
  expect_fails([&] { doc.root().at(1).as_union("u"); }, "JSON J5: union must have exactly one key");
  expect_fails([&] { doc.root().at(2).as_union("u").value.as_int("u"); }, "must be an integer");
  expect_fails([&] { doc.root().at(3).as_union("u"); }, "must be an object");
}

TEST(Json, RefusesWhatIsNotOneDocument) {
  for (const char* bad : {"", " ", "{", "}", "[1,]", "[1 2]", "{\"a\"}", "{a: 1}", "[1] 2", "tru",
                          "'a'", "[1]]", "\xef\xbb\xbf[1]", "// x\n1"}) {
    EXPECT_THROW(JsonDocument::parse(bad), Error) << bad;
  }
}

TEST(Json, SurvivesEveryTruncation) {
  const std::string text = R"({"a": [1, 2.5, "x\u00e9", null, true], "b": {"c": -1e10}})";
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_THROW(JsonDocument::parse(text.substr(0, size)), Error) << size;
  }
}

TEST(Json, ReadsLargeDocumentsQuickly) {
  // About 6 MB in the manner of program files: the largest seen is 6.3 MB.
  std::string text = "{\"nodes\": [";
  for (int i = 0; text.size() < 6'000'000; ++i) {
    if (i > 0) text += ", ";
    text += R"({"target": "torch.ops.aten.add.Tensor", "inputs": [{"name": "self", "arg": )"
            R"({"as_tensor": {"name": "t)" +
            std::to_string(i) + R"("}}}], "metadata": {"stack_trace": "  File \"net.py\", line 3)" +
            R"(, in forward\n    return x + y\n"}})";
  }
  text += "]}";
  const auto start = std::chrono::steady_clock::now();
  const JsonDocument doc = JsonDocument::parse(text);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  EXPECT_GT(doc.root().at("nodes").size(), 10'000u);
  RecordProperty("milliseconds", static_cast<int>(spent.count() * 1e3));
  // A loose bound: it catches quadratic behaviour, not a busy machine.
  EXPECT_LT(spent.count(), 5.0);
}

}  // namespace
}  // namespace litz
