// Before and after, as text; then random kernels, which must compute the same.

#include "loops/simplify.h"

#include <gtest/gtest.h>

#include "loops/kernel.h"

namespace litz::loops {
namespace {

struct Case {
  const char* name;
  const char* before;
  const char* after;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class SimplifyText : public testing::TestWithParam<Case> {};

std::string body(const char* instrs) {
  return std::string("kernel @f(%x: f32[4, s0], %i: i64[4], out %y: f32[4]) {\n") + instrs + "}\n";
}

TEST_P(SimplifyText, BecomesTheExpectedText) {
  ExprPool pool;
  Kernel kernel = parse_kernel(body(GetParam().before), pool);
  const bool expects_change = std::string(GetParam().before) != GetParam().after;
  EXPECT_EQ(simplify(kernel), expects_change);
  EXPECT_NO_THROW(verify(kernel));
  EXPECT_EQ(to_string(kernel), body(GetParam().after));
  EXPECT_FALSE(simplify(kernel)) << "a second time changes nothing";
}

const Case kCases[] = {
    {"DeadInstructions",
     "  for i0 in 0..4 {\n    %0 = load %x[i0, 0]\n    %1 = exp %0\n  }\n"
     "  %2 = reduce sum i1 in 0..4 {\n    %3 = load %x[i1, 0]\n    yield %3\n  }\n",
     ""},
    {"FailuresStay",
     "  %0 = load %i[0]\n  %1 = floor_div %0, %0\n  %2 = bound_index \"i\" %0, s0\n",
     "  %0 = load %i[0]\n  %1 = floor_div %0, %0\n  %2 = bound_index \"i\" %0, s0\n"},
    {"ChecksThatHoldVanish",
     "  %0 = load %i[0]\n  %1 = const bool 1\n  %2 = eq %0, %0\n  check %1, \"known\"\n"
     "  check %2, \"unknown\"\n",
     "  %0 = load %i[0]\n  %1 = eq %0, %0\n  check %1, \"unknown\"\n"},
    {"ScanOfOne",
     "  %0 = const f32 1.0\n  %1 = for i0 in 0..1 scan (%0) {\n    %2 = load %x[i0, 0]\n"
     "    yield %2\n  } combine (%3, %4) {\n    %5 = sub %3, %4\n    yield %5\n  } emit (%6) {\n"
     "    store %y[i0], %6\n  }\n  store %y[1], %1\n",
     "  %0 = const f32 1.0\n  %1 = load %x[0, 0]\n  %2 = sub %0, %1\n  store %y[0], %2\n"
     "  store %y[1], %2\n"},
    {"ScanOfNothing",
     "  %0 = const f32 1.0\n  %1 = for i0 in 0..0 fold (%0) {\n    %2 = load %x[i0, 0]\n"
     "    yield %2\n  } combine (%3, %4) {\n    %5 = sub %3, %4\n    yield %5\n  }\n"
     "  store %y[1], %1\n",
     "  %0 = const f32 1.0\n  store %y[1], %0\n"},
    {"EmptyMaximumStays",
     "  %0 = reduce max i0 in 0..s0 {\n    %1 = load %x[0, i0]\n    yield %1\n  }\n",
     "  %0 = reduce max i0 in 0..s0 {\n    %1 = load %x[0, i0]\n    yield %1\n  }\n"},
    {"EmptySoftmaxStays",
     "  %0, %1 = reduce softmax i0 in 0..s0 {\n    %2 = load %x[0, i0]\n    yield %2\n  }\n",
     "  %0, %1 = reduce softmax i0 in 0..s0 {\n    %2 = load %x[0, i0]\n    yield %2\n  }\n"},
    {"MaximumThatMayBeEmptyIsDead",
     "  %0 = reduce max may_be_empty i0 in 0..s0 {\n    %1 = load %x[0, i0]\n    yield %1\n  }\n",
     ""},
    {"LimitsOfNothing",
     "  %0 = reduce min may_be_empty i0 in 0..0 {\n    %1 = load %x[0, i0]\n    yield %1\n  }\n"
     "  %2, %3 = reduce softmax may_be_empty i1 in 0..0 {\n    %4 = load %x[0, i1]\n    yield %4\n"
     "  }\n  store %y[0], %0\n  store %y[1], %2\n  store %y[2], %3\n",
     "  %0 = const f32 inf\n  %1 = const f32 0.0\n  %2 = const f32 -inf\n  store %y[0], %0\n"
     "  store %y[1], %2\n  store %y[2], %1\n"},
    {"SoftmaxOfOne",
     "  %0, %1 = reduce softmax i0 in 0..1 {\n    %2 = load %x[i0, 0]\n    yield %2\n  }\n"
     "  store %y[0], %0\n  store %y[1], %1\n",
     "  %0 = load %x[0, 0]\n  %1 = sub %0, %0\n  %2 = exp %1\n  store %y[0], %0\n"
     "  store %y[1], %2\n"},
    {"Constants",
     "  %0 = const f32 2.0\n  %1 = const f32 3.0\n  %2 = mul %0, %1\n  %3 = index f32 7\n"
     "  %4 = add %2, %3\n  store %y[0], %4\n",
     "  %0 = const f32 13.0\n  store %y[0], %0\n"},
    {"RoundedAsTheInterpreterDoes",
     "  %0 = const f64 0.1\n  %1 = cast f32 %0\n  %2 = cast bf16 %1\n  %3 = cast f32 %2\n  store "
     "%y[0], %3\n",
     "  %0 = const f32 0.10009765625\n  store %y[0], %0\n"},
    {"DivisionByZeroIsLeft", "  %0 = const i64 1\n  %1 = const i64 0\n  %2 = mod %0, %1\n",
     "  %0 = const i64 1\n  %1 = const i64 0\n  %2 = mod %0, %1\n"},
    {"Selects",
     "  %0 = const bool 0\n  %1 = load %x[0, 0]\n  %2 = load %x[1, 0]\n  %3 = select %0, %1, %2\n"
     "  %4 = cast f32 %3\n  store %y[0], %4\n",
     "  %0 = load %x[1, 0]\n  store %y[0], %0\n"},
    {"Predicates",
     "  %0 = const bool 0\n  %1 = const bool 1\n  %2 = const f32 5.0\n  %3 = load %x[0, 0] if %0 "
     "else %2\n"
     "  %4 = load %x[0, 0] if %1 else %2\n  store %y[0], %3 if %1\n  store %y[1], %4 if %0\n",
     "  %0 = const f32 5.0\n  store %y[0], %0\n"},
    {"LoopsOfOne",
     "  for i0 in 0..4, i1 in 0..1 {\n    %0 = load %x[i0, i1]\n    for i2 in 0..1 {\n"
     "      store %y[i0 + i2], %0\n    }\n  }\n",
     "  for i0 in 0..4 {\n    %0 = load %x[i0, 0]\n    store %y[i0], %0\n  }\n"},
    {"LoopsOfNone",
     "  %0 = const f32 1.0\n  %1 = load %x[0, 0]\n  for i0 in 0..s0, i1 in 0..0 {\n    store "
     "%y[i1], %0\n  }\n"
     "  %2 = for i2 in 0..0 carry (%3 = %1) {\n    %4 = add %3, %0\n    yield %4\n  }\n  store "
     "%y[0], %2\n",
     "  %0 = load %x[0, 0]\n  store %y[0], %0\n"},
    {"CarriedLoopsOfOne",
     "  %0 = load %x[0, 0]\n  %1 = for i0 in 0..1 carry (%2 = %0) {\n    %3 = exp %2\n    yield "
     "%3\n  }\n"
     "  store %y[0], %1\n",
     "  %0 = load %x[0, 0]\n  %1 = exp %0\n  store %y[0], %1\n"},
    {"ReductionsOfOne",
     "  %0 = reduce max i0 in 0..1 {\n    %1 = load %x[i0, 0]\n    yield %1\n  }\n  store %y[0], "
     "%0\n"
     "  %2 = reduce argmax i1 in 0..1 {\n    %3 = load %x[i1, 0]\n    yield %3\n  }\n  %4 = cast "
     "f32 %2\n"
     "  %5 = reduce sum i2 in 0..1 {\n    %6 = load %x[i2, 0]\n    yield %6\n  }\n  store %y[1], "
     "%4\n  store %y[2], %5\n",
     "  %0 = load %x[0, 0]\n  store %y[0], %0\n  %1 = const f32 0.0\n  %2 = load %x[0, 0]\n  %3 = "
     "const f32 0.0\n"
     "  %4 = add %2, %3\n  store %y[1], %1\n  store %y[2], %4\n"},
    {"ReductionsOfNone",
     "  %0 = reduce prod i0 in 0..0 {\n    %1 = load %x[i0, 0]\n    yield %1\n  }\n  store %y[0], "
     "%0\n",
     "  %0 = const f32 1.0\n  store %y[0], %0\n"},
    {"Sorts",
     "  sort i0 in 0..4 {\n    %0 = load %x[i0, 0]\n    yield %0\n  } emit i1 in 0..4 (%1, %2) {\n "
     "   %3 = exp %1\n  }\n",
     ""},
};

INSTANTIATE_TEST_SUITE_P(All, SimplifyText, testing::ValuesIn(kCases),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace litz::loops
