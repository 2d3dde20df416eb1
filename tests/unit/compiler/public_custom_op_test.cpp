// Operators that are C++ functions.

#include <litz/compile.h>
#include <litz/custom_op.h>
#include <litz/index.h>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "public_values.h"

namespace litz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const CustomOp& stamp() {
  static const CustomOp op = custom_op("front::stamp(Tensor x, int at, float value=1.0) -> Tensor",
                                       [](const CustomCall& call) {
                                         Tensor y = call.result(0);
                                         copy_(y, call.tensor(0));
                                         if (call.integer(1) < 0)
                                           throw std::runtime_error("at must not be negative");
                                         y.as<float>()[static_cast<size_t>(call.integer(1))] =
                                             static_cast<float>(call.real(2));
                                       },
                                       {.results_like = "x", .row_major = true});
  return op;
}

TEST(PublicCustomOp, RunsAtOnceAndInPrograms) {
  EXPECT_THAT(values(stamp()(row({5, 6, 7}), 1)), ElementsAre(5, 1, 7));
  const auto function = compile([](const Tensor& x) { return stamp()(x * 2, 0, 9.0) + 1; });
  EXPECT_THAT(values(function(row({1, 2}))), ElementsAre(10, 5));
  EXPECT_THAT(values(function(row({3, 4}))), ElementsAre(10, 9));
  EXPECT_EQ(explain(function).part_programs, 0U);
}

TEST(PublicCustomOp, ItsErrorsAreThrown) {
  try {
    stamp()(row({1}), -1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("at must not be negative"));
  }
  EXPECT_THROW(stamp()(row({1})), Error);
  EXPECT_THROW(custom_op("front::stamp(Tensor x) -> Tensor", [](const CustomCall&) {}), Error);
  EXPECT_THROW(custom_op("no schema", [](const CustomCall&) {}), Error);
}

TEST(PublicCustomOp, StatesTheTypesOfResults) {
  const CustomOp op = custom_op("front::ends(Tensor x, int count) -> (Tensor, Tensor)",
                                [](const CustomCall& call) {
                                  const Tensor x = call.tensor(0);
                                  copy_(call.result(0), x[{slice(0, call.integer(1))}]);
                                  copy_(call.result(1), x[{slice(-call.integer(1))}]);
                                },
                                {.result_types = [](const CustomCall& call) {
                                  for (const size_t i : {0, 1})
                                    call.set_type(i, call.dtype(0), {call.integer(1)});
                                }});
  const auto function = compile([&](const Tensor& x) {
    const std::vector<Tensor> ends = op.call({x + 1, int64_t{2}});
    return ends[0] * ends[1];
  });
  EXPECT_THAT(values(function(row({1, 2, 3}))), ElementsAre(2 * 3, 3 * 4));
}

TEST(PublicCustomOp, SizesMayDependOnData) {
  const CustomOp op = custom_op(
      "front::positive(Tensor x) -> Tensor",
      [](const CustomCall& call) {
        std::vector<float> kept;
        for (const float value : call.tensor(0).to_vector<float>()) {
          if (value > 0) kept.push_back(value);
        }
        Tensor result = call.make_result(0, DType::float32, {static_cast<int64_t>(kept.size())});
        std::ranges::copy(kept, result.as<float>().begin());
      },
      {.result_types = [](const CustomCall& call) { call.set_type(0, call.dtype(0), {-1}); }});
  EXPECT_THAT(values(op(row({1, -2, 3}))), ElementsAre(1, 3));
  const auto function = compile([&](const Tensor& x) { return op(x * 2) + 1; });
  EXPECT_THAT(values(function(row({1, -2, 3}))), ElementsAre(3, 7));
}

TEST(PublicCustomOp, WritesArguments) {
  const CustomOp op = custom_op("front::add_one(Tensor(a!) x) -> Tensor(a!)",
                                [](const CustomCall& call) {
                                  Tensor x = call.tensor(0);
                                  for (float& value : x.as<float>()) value += 1;
                                },
                                {.row_major = true});
  Tensor x = row({1, 2});
  op(x);
  EXPECT_THAT(values(x), ElementsAre(2, 3));
  const auto function = compile([&](Tensor a) {
    Tensor b = a * 10;
    op(a);
    op(b);
    return b;
  });
  EXPECT_THAT(values(function(x)), ElementsAre(21, 31));
  EXPECT_THAT(values(x), ElementsAre(3, 4));
}

}  // namespace
}  // namespace litz
