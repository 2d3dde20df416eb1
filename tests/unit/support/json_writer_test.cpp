#include "support/json_writer.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "support/check.h"
#include "support/json.h"

namespace litz {
namespace {

TEST(JsonWriter, WritesOneLine) {
  JsonWriter out;
  out.begin_object().member("name", "a\"b\n").member("n", 3).key("list").begin_array();
  out.value(1.0).value(true).null().begin_object().end_object().begin_array().end_array();
  out.end_array().member("flag", false).end_object();
  EXPECT_EQ(out.take(), R"({"name":"a\"b\n","n":3,"list":[1.0,true,null,{},[]],"flag":false})");
}

TEST(JsonWriter, IndentsOnDemand) {
  JsonWriter out(2);
  out.begin_object().member("a", 1).key("b").begin_array().value(2).end_array().key("c");
  out.begin_array().end_array().end_object();
  EXPECT_EQ(out.take(), "{\n  \"a\": 1,\n  \"b\": [\n    2\n  ],\n  \"c\": []\n}");
}

TEST(JsonWriter, NumbersReadBackExactly) {
  JsonWriter out;
  out.begin_array().value(0.1).value(1e-300).value(INT64_MIN).value(UINT64_C(7)).value(-0.0);
  out.end_array();
  const JsonDocument doc = JsonDocument::parse(out.take());
  EXPECT_EQ(doc.root().at(0).as_double(), 0.1);
  EXPECT_EQ(doc.root().at(1).as_double(), 1e-300);
  EXPECT_EQ(doc.root().at(2).as_int(), INT64_MIN);
  EXPECT_EQ(doc.root().at(3).as_int(), 7);
  EXPECT_TRUE(std::signbit(doc.root().at(4).as_double()));
}

TEST(JsonWriter, NonFiniteNumbersBecomeNull) {
  JsonWriter out;
  out.begin_array().value(std::nan("")).value(std::numeric_limits<double>::infinity()).end_array();
  EXPECT_EQ(out.take(), "[null,null]");
}

TEST(JsonWriter, WritesWhatWasRead) {
  const std::string text = R"({"a":[1,-2.5,"x\n",true,null],"b":{"c":{},"d":[]}})";
  const JsonDocument document = JsonDocument::parse(text);
  JsonWriter out;
  out.begin_array().value(document.root()).value(2).end_array();
  EXPECT_EQ(out.take(), "[" + text + ",2]");
}

TEST(JsonWriter, MisuseIsAnErrorOfOurs) {
  EXPECT_THROW(JsonWriter().begin_object().value(1), InternalError);
  EXPECT_THROW(JsonWriter().begin_array().key("x"), InternalError);
  EXPECT_THROW(JsonWriter().begin_array().end_object(), InternalError);
  EXPECT_THROW(JsonWriter().begin_array().take(), InternalError);
  EXPECT_THROW(JsonWriter().value(1).value(2), InternalError);
  EXPECT_THROW(JsonWriter().begin_object().key("x").end_object(), InternalError);
}

}  // namespace
}  // namespace litz
