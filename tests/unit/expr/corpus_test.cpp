// Every distinct expression and guard of a corpus of some 6,800 exported programs: all must parse,
// and with each symbol at its recorded hint give the recorded value.

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "expr/expr.h"
#include "expr/guard.h"
#include "expr/parse.h"

namespace litz {
namespace {

// expression | hints of its symbols | recorded value; a data-dependent size has no hint.
constexpr const char* kExpressions = R"(
Symbol('s27', positive=True, integer=True) | s27=3 | 3
Symbol('s17', positive=True, integer=True) | s17=3 | 3
Symbol('s77', positive=True, integer=True) | s77=2 | 2
Symbol('s53', positive=True, integer=True) | s53=16 | 16
Symbol('s0', positive=True, integer=True) | s0=20 | 20
Mul(Integer(3), Symbol('s0', positive=True, integer=True), Symbol('s53', positive=True, integer=True)) | s0=20 s53=16 | 960
Mul(Symbol('s0', positive=True, integer=True), Symbol('s53', positive=True, integer=True)) | s0=20 s53=16 | 320
Add(FloorDiv(Add(Symbol('s53', positive=True, integer=True), Integer(-1)), Integer(2)), Integer(1)) | s53=16 | 8
Add(FloorDiv(Add(Symbol('s0', positive=True, integer=True), Integer(-1)), Integer(2)), Integer(1)) | s0=20 | 10
Mul(Integer(4), Add(FloorDiv(Add(Symbol('s0', positive=True, integer=True), Integer(-1)), Integer(2)), Integer(1)), Add(FloorDiv(Add(Symbol('s53', positive=True, integer=True), Integer(-1)), Integer(2)), Integer(1))) | s0=20 s53=16 | 320
Mul(Add(FloorDiv(Add(Symbol('s0', positive=True, integer=True), Integer(-1)), Integer(2)), Integer(1)), Add(FloorDiv(Add(Symbol('s53', positive=True, integer=True), Integer(-1)), Integer(2)), Integer(1))) | s0=20 s53=16 | 80
Add(FloorDiv(Add(Symbol('s53', positive=True, integer=True), Integer(-1)), Integer(4)), Integer(1)) | s53=16 | 4
Add(FloorDiv(Add(Symbol('s0', positive=True, integer=True), Integer(-1)), Integer(4)), Integer(1)) | s0=20 | 5
Mul(Integer(4), Add(FloorDiv(Add(Symbol('s0', positive=True, integer=True), Integer(-1)), Integer(4)), Integer(1)), Add(FloorDiv(Add(Symbol('s53', positive=True, integer=True), Integer(-1)), Integer(4)), Integer(1))) | s0=20 s53=16 | 80
Mul(Add(FloorDiv(Add(Symbol('s0', positive=True, integer=True), Integer(-1)), Integer(4)), Integer(1)), Add(FloorDiv(Add(Symbol('s53', positive=True, integer=True), Integer(-1)), Integer(4)), Integer(1))) | s0=20 s53=16 | 20
Add(Mul(Integer(2), FloorDiv(Add(Symbol('s53', positive=True, integer=True), Integer(-1)), Integer(4))), Integer(2)) | s53=16 | 8
Add(Mul(Integer(2), FloorDiv(Add(Symbol('s0', positive=True, integer=True), Integer(-1)), Integer(4))), Integer(2)) | s0=20 | 10
Mul(Integer(4), Add(Mul(Integer(2), FloorDiv(Add(Symbol('s0', positive=True, integer=True), Integer(-1)), Integer(4))), Integer(2)), Add(Mul(Integer(2), FloorDiv(Add(Symbol('s53', positive=True, integer=True), Integer(-1)), Integer(4))), Integer(2))) | s0=20 s53=16 | 320
Mul(Add(Mul(Integer(2), FloorDiv(Add(Symbol('s0', positive=True, integer=True), Integer(-1)), Integer(4))), Integer(2)), Add(Mul(Integer(2), FloorDiv(Add(Symbol('s53', positive=True, integer=True), Integer(-1)), Integer(4))), Integer(2))) | s0=20 s53=16 | 80
Symbol('u0', integer=True) |  | 
Symbol('u1', integer=True) |  | 
GreaterThan(Symbol('u0', integer=True), Integer(0)) |  | 
LessThan(Symbol('u0', integer=True), Integer(5)) |  | 
GreaterThan(Symbol('u1', integer=True), Integer(0)) |  | 
LessThan(Symbol('u1', integer=True), Integer(5)) |  | 
Symbol('s10', positive=True, integer=True) | s10=2 | 2
Symbol('s12', positive=True, integer=True) | s12=16 | 16
Symbol('s86', positive=True, integer=True) | s86=2 | 2
Mul(Integer(64), Symbol('s12', positive=True, integer=True)) | s12=16 | 1024
Pow(Symbol('s12', positive=True, integer=True), Integer(2)) | s12=16 | 256
Mul(Symbol('s10', positive=True, integer=True), Symbol('s12', positive=True, integer=True)) | s10=2 s12=16 | 32
Mul(Integer(16), Symbol('s12', positive=True, integer=True)) | s12=16 | 256
Mul(Integer(4), Symbol('s10', positive=True, integer=True)) | s10=2 | 8
Mul(Integer(4), Pow(Symbol('s12', positive=True, integer=True), Integer(2))) | s12=16 | 1024
Mul(Integer(4), Symbol('s12', positive=True, integer=True)) | s12=16 | 64
Mul(Integer(64), Symbol('s10', positive=True, integer=True)) | s10=2 | 128
Min(Integer(64), Mul(Integer(64), Symbol('s12', positive=True, integer=True))) | s12=16 | 64
Mul(Integer(128), Symbol('s12', positive=True, integer=True)) | s12=16 | 2048
Min(Integer(128), Mul(Integer(128), Symbol('s12', positive=True, integer=True))) | s12=16 | 128
Symbol('s10', positive=True, integer=True) | s10=8 | 8
Symbol('s21', positive=True, integer=True) | s21=128 | 128
Mul(Integer(768), Symbol('s21', positive=True, integer=True)) | s21=128 | 98304
Mul(Symbol('s10', positive=True, integer=True), Symbol('s21', positive=True, integer=True)) | s10=8 s21=128 | 1024
Min(Integer(768), Mul(Integer(768), Symbol('s21', positive=True, integer=True))) | s21=128 | 768
Pow(Symbol('s21', positive=True, integer=True), Integer(2)) | s21=128 | 16384
Mul(Integer(64), Symbol('s21', positive=True, integer=True)) | s21=128 | 8192
Mul(Integer(12), Symbol('s10', positive=True, integer=True)) | s10=8 | 96
Mul(Integer(12), Pow(Symbol('s21', positive=True, integer=True), Integer(2))) | s21=128 | 196608
Mul(Integer(12), Symbol('s21', positive=True, integer=True)) | s21=128 | 1536
Mul(Integer(768), Symbol('s10', positive=True, integer=True)) | s10=8 | 6144
Mul(Integer(3072), Symbol('s21', positive=True, integer=True)) | s21=128 | 393216
Min(Integer(3072), Mul(Integer(3072), Symbol('s21', positive=True, integer=True))) | s21=128 | 3072
Mul(Integer(17), Symbol('s10', positive=True, integer=True)) | s10=2 | 34
Symbol('s28', positive=True, integer=True) | s28=2 | 2
Mul(Integer(96), Symbol('s28', positive=True, integer=True)) | s28=2 | 192
Mul(Integer(960), Symbol('s28', positive=True, integer=True)) | s28=2 | 1920
Mul(Integer(320), Symbol('s28', positive=True, integer=True)) | s28=2 | 640
Mul(Integer(32), Symbol('s28', positive=True, integer=True)) | s28=2 | 64
Mul(Integer(640), Symbol('s28', positive=True, integer=True)) | s28=2 | 1280
Mul(Integer(4), Symbol('s28', positive=True, integer=True)) | s28=2 | 8
Mul(Integer(10), Symbol('s28', positive=True, integer=True)) | s28=2 | 20
Min(Integer(32), Mul(Integer(32), Symbol('s28', positive=True, integer=True))) | s28=2 | 32
Mul(Integer(480), Symbol('s28', positive=True, integer=True)) | s28=2 | 960
Mul(Integer(160), Symbol('s28', positive=True, integer=True)) | s28=2 | 320
Mul(Integer(5), Symbol('s28', positive=True, integer=True)) | s28=2 | 10
Mul(Integer(64), Symbol('s28', positive=True, integer=True)) | s28=2 | 128
Symbol('s21', positive=True, integer=True) | s21=16 | 16
Mul(Integer(64), Symbol('s21', positive=True, integer=True)) | s21=16 | 1024
Mul(Symbol('s10', positive=True, integer=True), Symbol('s21', positive=True, integer=True)) | s10=2 s21=16 | 32
Min(Integer(64), Mul(Integer(64), Symbol('s21', positive=True, integer=True))) | s21=16 | 64
Pow(Symbol('s21', positive=True, integer=True), Integer(2)) | s21=16 | 256
Mul(Integer(16), Symbol('s21', positive=True, integer=True)) | s21=16 | 256
Mul(Integer(4), Pow(Symbol('s21', positive=True, integer=True), Integer(2))) | s21=16 | 1024
Mul(Integer(4), Symbol('s21', positive=True, integer=True)) | s21=16 | 64
Mul(Integer(128), Symbol('s21', positive=True, integer=True)) | s21=16 | 2048
Min(Integer(128), Mul(Integer(128), Symbol('s21', positive=True, integer=True))) | s21=16 | 128
Mul(Integer(192), Symbol('s21', positive=True, integer=True)) | s21=16 | 3072
Mul(Integer(256), Symbol('s21', positive=True, integer=True)) | s21=16 | 4096
Min(Integer(256), Mul(Integer(256), Symbol('s21', positive=True, integer=True))) | s21=16 | 256
Add(Symbol('s21', positive=True, integer=True), Integer(1)) | s21=128 | 129
Mul(Integer(2304), Symbol('s21', positive=True, integer=True)) | s21=128 | 294912
Mul(Integer(50257), Symbol('s21', positive=True, integer=True)) | s21=128 | 6432896
Add(Symbol('s21', positive=True, integer=True), Integer(1)) | s21=16 | 17
Mul(Integer(8), Symbol('s21', positive=True, integer=True)) | s21=16 | 128
Mul(Integer(32), Symbol('s21', positive=True, integer=True)) | s21=16 | 512
Min(Mul(Integer(16), Symbol('s21', positive=True, integer=True)), Mul(Integer(32), Symbol('s21', positive=True, integer=True))) | s21=16 | 256
Symbol('s77', positive=True, integer=True) | s77=3 | 3
Mul(Integer(32), Symbol('s77', positive=True, integer=True)) | s77=3 | 96
Mul(Integer(64), Symbol('s77', positive=True, integer=True)) | s77=3 | 192
Mul(Integer(96), Symbol('s77', positive=True, integer=True)) | s77=3 | 288
Mul(Integer(128), Symbol('s77', positive=True, integer=True)) | s77=3 | 384
Mul(Integer(256), Symbol('s77', positive=True, integer=True)) | s77=3 | 768
Mul(Integer(384), Symbol('s77', positive=True, integer=True)) | s77=3 | 1152
Mul(Integer(512), Symbol('s77', positive=True, integer=True)) | s77=3 | 1536
Mul(Integer(640), Symbol('s77', positive=True, integer=True)) | s77=3 | 1920
Mul(Integer(768), Symbol('s77', positive=True, integer=True)) | s77=3 | 2304
Mul(Integer(896), Symbol('s77', positive=True, integer=True)) | s77=3 | 2688
Mul(Integer(1024), Symbol('s77', positive=True, integer=True)) | s77=3 | 3072
Mul(Integer(9), Symbol('s77', positive=True, integer=True)) | s77=3 | 27
Min(Integer(64), Mul(Integer(64), Symbol('s77', positive=True, integer=True))) | s77=3 | 64
Mul(Integer(16), Symbol('s10', positive=True, integer=True)) | s10=2 | 32
Mul(Integer(256), Symbol('s10', positive=True, integer=True)) | s10=2 | 512
Mul(Integer(32), Symbol('s10', positive=True, integer=True)) | s10=2 | 64
Mul(Integer(384), Symbol('s10', positive=True, integer=True)) | s10=2 | 768
Mul(Integer(192), Symbol('s10', positive=True, integer=True)) | s10=2 | 384
LessThan(Symbol('u0', integer=True), Integer(4)) |  | 
LessThan(Symbol('u0', integer=True), Integer(25)) |  | 
GreaterThan(Symbol('u0', integer=True), Integer(4)) |  | 
LessThan(Symbol('u0', integer=True), Integer(100)) |  | 
LessThan(Symbol('u0', integer=True), Integer(10)) |  | 
LessThan(Symbol('u0', integer=True), Integer(1)) |  | 
LessThan(Symbol('u0', integer=True), Integer(125)) |  | 
Mul(Integer(4), Max(Integer(1), Symbol('u0', integer=True))) |  | 
Symbol('s77', positive=True, integer=True) | s77=4 | 4
Mul(Integer(2), Symbol('s77', positive=True, integer=True)) | s77=4 | 8
FloorDiv(Symbol('s77', positive=True, integer=True), Integer(2)) | s77=4 | 2
Add(Mul(Integer(2), Symbol('s77', positive=True, integer=True)), FloorDiv(Symbol('s77', positive=True, integer=True), Integer(2))) | s77=4 | 10
Add(Symbol('s77', positive=True, integer=True), Integer(1)) | s77=4 | 5
Symbol('s0', positive=True, integer=True) | s0=4 | 4
Mul(Integer(2), Symbol('s0', positive=True, integer=True)) | s0=4 | 8
FloorDiv(Symbol('s0', positive=True, integer=True), Integer(2)) | s0=4 | 2
Add(Mul(Integer(2), Symbol('s0', positive=True, integer=True)), FloorDiv(Symbol('s0', positive=True, integer=True), Integer(2))) | s0=4 | 10
Add(Symbol('s0', positive=True, integer=True), Integer(1)) | s0=4 | 5
)";

struct Row {
  std::string text;
  std::vector<std::pair<std::string, int64_t>> hints;
  std::optional<int64_t> value;
};

std::vector<Row> rows() {
  std::vector<Row> out;
  std::istringstream lines(kExpressions);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    const size_t first = line.find(" | ");
    const size_t second = line.find(" | ", first + 3);
    Row row{line.substr(0, first), {}, std::nullopt};
    std::istringstream hints(line.substr(first + 3, second - first - 3));
    for (std::string hint; hints >> hint;) {
      const size_t equals = hint.find('=');
      row.hints.emplace_back(hint.substr(0, equals), std::stoll(hint.substr(equals + 1)));
    }
    const std::string value = line.substr(second + 3);
    if (!value.empty()) row.value = std::stoll(value);
    out.push_back(row);
  }
  return out;
}

TEST(ExprCorpus, EveryExpressionGivesItsRecordedValue) {
  int evaluated = 0;
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.text);
    ExprPool pool;
    const Expr expr = parse_expr(row.text, pool);
    ASSERT_EQ(parse_expr(to_string(expr), pool), expr) << expr;
    if (!row.value) continue;
    ASSERT_EQ(expr.domain(), ExprDomain::integer);
    Bindings bindings;
    for (const auto& [name, hint] : row.hints) {
      bindings.set(pool.find_symbol(name)->symbol(), hint);
    }
    EXPECT_EQ(evaluate(expr, bindings), *row.value);
    EXPECT_TRUE(bounds(expr).contains(*row.value));
    ++evaluated;
  }
  EXPECT_GT(evaluated, 100);
}

struct GuardRow {
  const char* text;
  std::vector<int64_t>
      sizes;  ///< Of the first argument in the guard; other arguments have the same.
};

const std::vector<GuardRow>& guards() {
  static const std::vector<GuardRow> kGuards = {
      {"(1 + (((-1) + L['x'].size()[3]) // 2)) != 1", {2, 3, 16, 20}},
      {"(1 + (((-1) + L['x'].size()[2]) // 2)) != 1", {2, 3, 16, 20}},
      {"((1 + (((-1) + L['x'].size()[3]) // 2))*(1 + (((-1) + L['x'].size()[2]) // 2))) != 1",
       {2, 3, 16, 20}},
      {"((((-1) + L['x'].size()[2]) // 2) % 2) != 0", {2, 3, 16, 20}},
      {"2*(((-1) + L['x'].size()[2]) // 4) < 1 + (((-1) + L['x'].size()[2]) // 2)", {2, 3, 16, 20}},
      {"((((-1) + L['x'].size()[3]) // 2) % 2) != 0", {2, 3, 16, 20}},
      {"2*(((-1) + L['x'].size()[3]) // 4) < 1 + (((-1) + L['x'].size()[3]) // 2)", {2, 3, 16, 20}},
      {"(1 + (((-1) + L['x'].size()[3]) // 4)) != 1", {2, 3, 16, 20}},
      {"(1 + (((-1) + L['x'].size()[2]) // 4)) != 1", {2, 3, 16, 20}},
      {"((1 + (((-1) + L['x'].size()[3]) // 4))*(1 + (((-1) + L['x'].size()[2]) // 4))) != 1",
       {2, 3, 16, 20}},
      {"L['a'][0].size()[1] <= 512", {2, 16}},
      {"L['a'][1].size()[1] == L['a'][0].size()[1]", {2, 16}},
      {"min(16*L['a'][0].size()[1], 32*L['a'][0].size()[1]) == (16*L['a'][0].size()[1])", {2, 16}},
      {"L['src'].size()[0] == L['tgt'].size()[0]", {2, 10, 32}},
      {"min(16*L['a'][0].size()[1], 32*L['a'][0].size()[1]) != (64*L['a'][0].size()[1])", {2, 16}},
      {"64*L['a'][0].size()[1] >= min(16*L['a'][0].size()[1], 32*L['a'][0].size()[1])", {2, 16}},
      {"(L['x'].size()[0] // 2) != 1", {4, 6}},
  };
  return kGuards;
}

TEST(ExprCorpus, EveryGuardHoldsForTheRecordedInputs) {
  for (const GuardRow& row : guards()) {
    SCOPED_TRACE(row.text);
    ExprPool pool;
    Bindings bindings;
    SymbolResolver resolver;
    resolver.path = [&](const GuardPath& path) {
      EXPECT_EQ(path.accessor, GuardPath::Accessor::size);
      const std::string name = to_string(path);
      if (const auto known = pool.find_symbol(name)) return *known;
      const Expr symbol = pool.add_symbol({name, SymbolKind::size, {2, Interval::kMax}, {}});
      bindings.set(symbol.symbol(), row.sizes.at(static_cast<size_t>(path.index)));
      return symbol;
    };
    const Guard guard{parse_expr(row.text, pool, resolver), row.text};
    EXPECT_EQ(guard.condition.domain(), ExprDomain::boolean);
    EXPECT_NO_THROW(check_guards({&guard, 1}, bindings));
  }
}

TEST(ExprCorpus, GuardsThatFollowFromTheRangesAreDecided) {
  ExprPool pool;
  SymbolResolver resolver;
  resolver.path = [&](const GuardPath&) { return find_or_add_symbol(pool, "s0", true); };
  for (const char* text : {
           "2*(((-1) + L['x'].size()[2]) // 4) < 1 + (((-1) + L['x'].size()[2]) // 2)",
           "min(16*L['a'][0].size()[1], 32*L['a'][0].size()[1]) == (16*L['a'][0].size()[1])",
           "min(16*L['a'][0].size()[1], 32*L['a'][0].size()[1]) != (64*L['a'][0].size()[1])",
           "64*L['a'][0].size()[1] >= min(16*L['a'][0].size()[1], 32*L['a'][0].size()[1])",
       }) {
    EXPECT_EQ(known(parse_expr(text, pool, resolver)), true) << text;
  }
}

}  // namespace
}  // namespace litz
