#include "artifact/json_fields.h"

#include <limits>

#include <gtest/gtest.h>

#include "artifact/program_fields.h"

namespace litz::artifact {
namespace {

/// Everything that fields can be.
struct Sample {
  bool flag = false;
  int32_t number = 0;
  DType dtype = DType::f32;
  std::string text;
  std::vector<Expr> exprs;
  std::optional<std::string> maybe;
  std::vector<LibraryArgument> arguments;
  std::vector<std::byte> bytes;

  bool operator==(const Sample& other) const = delete;
};

void fields(auto& stream, Is<Sample> auto& sample) {
  stream("flag", sample.flag, "number", sample.number, "dtype", sample.dtype, "text", sample.text,
         "exprs", sample.exprs, "maybe", sample.maybe, "arguments", sample.arguments, "bytes",
         sample.bytes);
}

std::string text_of(const Sample& sample, const ExprPool& pool) {
  JsonWriter out;
  JsonFieldWriter writer(out, pool);
  out.begin_object();
  writer("sample", sample);
  out.end_object();
  return out.take();
}

Sample read(const std::string& text, ExprPool& pool) {
  const JsonDocument document = JsonDocument::parse(text);
  const JsonPath path;
  JsonFieldReader reader(document.root(), path, pool);
  Sample sample;
  reader("sample", sample);
  return sample;
}

TEST(JsonFields, GiveTheSameValues) {
  ExprPool pool;
  const Expr n = pool.add_symbol({.name = "s0", .range = {1, 64}});
  Sample sample;
  sample.flag = true;
  sample.number = std::numeric_limits<int32_t>::min();
  sample.dtype = DType::f8e4m3fn;
  sample.text = "a \"quoted\" line\n";
  sample.exprs = {3,
                  4 * n + 1,
                  Expr::real(0.1),
                  Expr::real(-0.0),
                  Expr::boolean(true),
                  Expr::real(std::numeric_limits<double>::infinity()),
                  lt(n, 5)};
  sample.arguments = {{},
                      Expr(7),
                      std::vector<Expr>{n},
                      std::complex<double>(0.5, -1),
                      std::string("text"),
                      DType::i8,
                      std::vector<std::string>{"a", ""},
                      TensorSlot{},
                      std::vector<TensorSlot>{}};
  sample.bytes = {std::byte{0}, std::byte{255}};
  const std::string text = text_of(sample, pool);
  const Sample back = read(text, pool);
  EXPECT_EQ(text_of(back, pool), text);
  EXPECT_EQ(back.number, sample.number);
  EXPECT_EQ(back.dtype, sample.dtype);
  EXPECT_EQ(back.text, sample.text);
  EXPECT_EQ(back.exprs, sample.exprs);
  EXPECT_FALSE(back.maybe.has_value());
  EXPECT_EQ(back.arguments.size(), sample.arguments.size());
  EXPECT_EQ(std::get<std::complex<double>>(back.arguments[3]), std::complex<double>(0.5, -1));
  EXPECT_EQ(back.bytes, sample.bytes);
}

TEST(JsonFields, RefuseWhatDoesNotFit) {
  ExprPool pool;
  pool.add_symbol({.name = "s0", .range = {1, 64}});
  const std::string text = text_of({}, pool);
  const auto refuses = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    try {
      read(changed, pool);
      ADD_FAILURE() << changed;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::corrupt) << error.what();
    }
  };
  refuses("\"number\":0", "\"number\":2147483648");
  refuses("\"number\":0", "\"number\":true");
  refuses("\"exprs\":[]", "\"exprs\":[\"s1 + 1\"]");
  refuses("\"exprs\":[]", "\"exprs\":[\"s0 +\"]");
  refuses("\"exprs\":[]", "\"exprs\":[null]");
  refuses("\"arguments\":[]", "\"arguments\":[{\"unheard\":1}]");
  refuses("\"arguments\":[]", "\"arguments\":[{\"expr\":1,\"text\":\"\"}]");
  refuses("\"bytes\":\"\"", "\"bytes\":\"0\"");
  refuses("\"bytes\":\"\"", "\"bytes\":\"0g\"");
  refuses("\"dtype\":\"f32\"", "\"dtype\":\"f33\"");
}

}  // namespace
}  // namespace litz::artifact
