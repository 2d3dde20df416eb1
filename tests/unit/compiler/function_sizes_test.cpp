// Programs of compiled functions that leave sizes open.

#include <litz/compile.h>
#include <litz/index.h>
#include <litz/nn.h>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "public_values.h"

namespace litz {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// 0, 1, 2, ... of these sizes.
Tensor counted(std::vector<int64_t> sizes) {
  Tensor tensor(DType::float32, std::move(sizes));
  for (size_t i = 0; i < tensor.as<float>().size(); ++i) {
    tensor.as<float>()[i] = static_cast<float>(i);
  }
  return tensor;
}

void expect_equal(const Tensor& actual, const Tensor& expected) {
  EXPECT_EQ(actual.sizes(), expected.sizes());
  EXPECT_EQ(actual.strides(), expected.strides());
  EXPECT_EQ(values(actual), values(expected));
}

TEST(FunctionSizes, ASizeThatDiffersIsLeftOpen) {
  int runs = 0;
  const auto function = compile([&](const Tensor& x) {
    ++runs;
    return x * 2 + sum(x, 0, true);
  });
  for (const int64_t n : {3, 5, 7, 11, 13}) {
    const Tensor x = counted({n, 4});
    expect_equal(function(x), x * 2 + sum(x, 0, true));
  }
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(function.program_count(), 2U);
  const FunctionReport report = explain(function);
  EXPECT_EQ(report.programs[1].arguments, "f32[s0, 4]");
  EXPECT_EQ(report.programs[1].calls, 4U);
  EXPECT_THAT(report.recompiles, ElementsAre(HasSubstr("[5, 4]")));
}

TEST(FunctionSizes, OneAndNoneHavePrograms) {
  const auto function = compile([](const Tensor& x, const Tensor& y) { return x + y; });
  const Tensor y = counted({4, 3});
  for (const int64_t n : {4, 1, 4, 1}) {
    const Tensor x = counted({n, 3});
    expect_equal(function(x, y), x + y);
  }
  EXPECT_THROW(function(counted({2, 3}), y), Error);
  expect_equal(function(counted({0, 3}), counted({1, 3})), counted({0, 3}));
}

TEST(FunctionSizes, EqualSizesThatAreNotEqualLaterHaveAProgram) {
  const auto function = compile([](const Tensor& x, const Tensor& y) { return mm(x, y); },
                                {.dynamic = DynamicSizes::always});
  for (const auto& [m, k, n] : {std::tuple{3, 3, 3}, {3, 4, 5}, {6, 7, 8}, {5, 5, 2}}) {
    const Tensor x = counted({m, k});
    const Tensor y = counted({k, n});
    expect_equal(function(x, y), mm(x, y));
  }
  EXPECT_THROW(function(counted({3, 4}), counted({5, 6})), Error);
}

TEST(FunctionSizes, SizesAreFormulas) {
  int runs = 0;
  const auto function = compile([&](const Tensor& x) {
    ++runs;
    const Size n = x.size(0);
    const Size half = n / 2;
    const Tensor part = x[{slice(0, half * 2)}];
    return reshape(part, {half, 2, -1}) / n;
  });
  for (const int64_t n : {4, 6, 7, 9, 10}) {
    const Tensor x = counted({n, 3});
    const Tensor expected = reshape(narrow(x, 0, 0, n / 2 * 2), {n / 2, 2, 3}) / n;
    expect_equal(function(x), expected);
  }
  EXPECT_LE(runs, 3);
}

TEST(FunctionSizes, ComparisonsAreConditions) {
  const auto function = compile([](const Tensor& x) { return x.size(0) > 8 ? x * 2 : x * 3; },
                                {.dynamic = DynamicSizes::always});
  for (const int64_t n : {4, 6, 9, 20, 8}) {
    const Tensor x = counted({n});
    expect_equal(function(x), n > 8 ? x * 2 : x * 3);
  }
  EXPECT_EQ(function.program_count(), 2U);
  EXPECT_THAT(explain(function).programs[0].guards, Contains(HasSubstr("s0 <= 8")));
}

TEST(FunctionSizes, ReadingASizeFixesIt) {
  const auto function =
      compile([](const Tensor& x) { return x * static_cast<double>(x.size(1)) + x.size(0); });
  for (const auto& [m, n] : {std::tuple{2, 3}, {3, 4}, {4, 5}, {5, 5}, {6, 5}}) {
    const Tensor x = counted({m, n});
    expect_equal(function(x), x * static_cast<double>(n) + m);
  }
  EXPECT_EQ(function.program_count(), 3U);  // [2, 3], [s0, 4] and [s0, 5].
}

TEST(FunctionSizes, Marks) {
  int runs = 0;
  const auto function = compile([&](const Tensor& x) {
    ++runs;
    return relu(x);
  });
  Tensor x = counted({5, 3});
  mark_dynamic(x, -2);
  expect_equal(function(x), x);
  expect_equal(function(counted({9, 3})), counted({9, 3}));
  EXPECT_EQ(runs, 1);
  EXPECT_THROW(mark_dynamic(x, 2), Error);

  const auto fixes = compile([](const Tensor& x) { return x * x.sizes()[0]; });
  try {
    fixes(x);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("needs it to be 5"));
  }

  const auto never = compile([](const Tensor& x) { return relu(x); });
  for (const int64_t n : {2, 3, 4}) {
    Tensor y = counted({n});
    mark_static(y, 0);
    never(y);
  }
  EXPECT_EQ(never.program_count(), 3U);
}

TEST(FunctionSizes, ProgramsCanBeRefused) {
  const auto refuses = compile([](const Tensor& x) { return relu(x); },
                               {.dynamic = DynamicSizes::never, .new_program = NewProgram::refuse});
  refuses(counted({2}));
  try {
    refuses(counted({3}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the program is for f32[2]"));
  }
  const auto eager =
      compile([](const Tensor& x) { return relu(x); }, {.new_program = NewProgram::run_eagerly});
  eager(counted({2}));
  expect_equal(eager(counted({3})), counted({3}));
  EXPECT_EQ(eager.program_count(), 1U);
}

TEST(FunctionSizes, GradientsOfOpenSizes) {
  const Tensor w = counted({3, 2});
  int runs = 0;
  const auto function = compile([&](const Tensor& x) {
    ++runs;
    return value_and_grad([&](const Tensor& v) { return mean(relu(mm(x, v) / x.size(0))); })(w);
  });
  const auto eager = [&](const Tensor& x) {
    return value_and_grad([&](const Tensor& v) { return mean(relu(mm(x, v) / x.sizes()[0])); })(w);
  };
  for (const int64_t n : {4, 5, 8, 16}) {
    const Tensor x = counted({n, 3});
    const auto [loss, gradient] = function(x);
    const auto [expected_loss, expected_gradient] = eager(x);
    EXPECT_FLOAT_EQ(loss.item<float>(), expected_loss.item<float>());
    for (size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(values(gradient)[i], values(expected_gradient)[i], 1e-5);
    }
  }
  EXPECT_EQ(runs, 2);
}

TEST(FunctionSizes, StridesFollowSizes) {
  const auto function =
      compile([](const Tensor& x) { return x + 1; }, {.dynamic = DynamicSizes::always});
  for (const auto& [m, n] : {std::tuple{2, 3}, {4, 7}, {5, 6}}) {
    const Tensor x = transpose(counted({m, n}), 0, 1);
    expect_equal(function(x), x + 1);
  }
  EXPECT_EQ(function.program_count(), 1U);
  expect_equal(function(counted({4, 7})), counted({4, 7}) + 1);
  EXPECT_EQ(function.program_count(), 2U);
}

TEST(FunctionSizes, AMomentOfManyOperatorsEqualsEager) {
  // Each chooses among shapes in its own way: what one call decides must hold in the next.
  using Step = Tensor (*)(const Tensor&);
  const std::vector<Step> steps{
      [](const Tensor& x) { return transpose(x, 0, 1); },
      [](const Tensor& x) {
        return x + transpose(x, 0, 1)[{slice(0, 1), slice(0, 1)}];
      },
      [](const Tensor& x) {
        return reshape(x, {x.size(1), x.size(0)});
      },
      [](const Tensor& x) { return reshape(x, {-1})[{slice(0, x.size(0) * x.size(1))}]; },
      [](const Tensor& x) { return flatten(unsqueeze(x, 0), 0, 1); },
      [](const Tensor& x) {
        return cat({x, x}, 0);
      },
      [](const Tensor& x) { return mm(x, transpose(x, 0, 1)); },
      [](const Tensor& x) { return sum(x, 0, true) + x; },
      [](const Tensor& x) { return softmax(x, -1); },
      [](const Tensor& x) {
        return expand(sum(x, 1, true), {x.size(0), x.size(1)});
      },
      [](const Tensor& x) { return x[{slice({}, {}, 2)}]; },
      [](const Tensor& x) { return cumsum(x, 0); },
      [](const Tensor& x) { return std::get<0>(max(x, 0, true)); },
  };
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<Step> chosen;
    std::string names;
    for (int i = 0; i < 4; ++i) {
      const size_t step = random() % steps.size();
      names += " " + std::to_string(step);
      chosen.push_back(steps[step]);
    }
    const auto apply_all = [&](Tensor x) {
      for (const Step step : chosen) {
        x = step(x.dim() == 2 ? x : unsqueeze(x, 0));
      }
      return x;
    };
    const auto function = compile(apply_all, {.dynamic = DynamicSizes::always});
    for (const auto& [m, n] : {std::tuple{4, 6}, {6, 4}, {5, 5}, {2, 8}, {3, 3}}) {
      const Tensor x = counted({m, n}) / 32;
      const Tensor actual = function(x);
      const Tensor expected = apply_all(x);
      ASSERT_EQ(actual.sizes(), expected.sizes()) << names;
      for (size_t d = 0; d < actual.sizes().size(); ++d) {
        if (actual.sizes()[d] > 1) ASSERT_EQ(actual.strides()[d], expected.strides()[d]) << names;
      }
      for (size_t i = 0; i < values(actual).size(); ++i) {
        ASSERT_NEAR(values(actual)[i], values(expected)[i], 1e-4 + 1e-4 * values(expected)[i]);
      }
    }
  }
}

}  // namespace
}  // namespace litz
