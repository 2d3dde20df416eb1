// Compiled functions of C++ programs.

#include <litz/compile.h>
#include <litz/index.h>
#include <map>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "public_values.h"

namespace litz {
namespace {

using testing::ElementsAre;

TEST(PublicFunctions, RunOnceForEachSignature) {
  int runs = 0;
  const auto twice = compile([&](const Tensor& x) {
    ++runs;
    return x * 2;
  });
  EXPECT_THAT(values(twice(row({1, 2}))), ElementsAre(2, 4));
  EXPECT_THAT(values(twice(row({3, 4}))), ElementsAre(6, 8));
  EXPECT_EQ(runs, 1);
  EXPECT_THAT(values(twice(row({3}))), ElementsAre(6));
  EXPECT_EQ(twice(arange(2)).dtype(), DType::int64);
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(twice.program_count(), 3U);
}

TEST(PublicFunctions, NumbersArePartOfTheSignature) {
  const auto scaled = compile([](const Tensor& x, double factor) { return x * factor; });
  EXPECT_THAT(values(scaled(row({1}), 2.0)), ElementsAre(2));
  EXPECT_THAT(values(scaled(row({1}), 3.0)), ElementsAre(3));
}

TEST(PublicFunctions, CapturedTensorsAreReadAndWrittenAtEachCall) {
  const Tensor count = zeros({1});
  const auto step = compile([&](const Tensor& x) {
    add_(count, 1);
    return x + count;
  });
  EXPECT_THAT(values(step(row({1}))), ElementsAre(2));
  EXPECT_THAT(values(step(row({1}))), ElementsAre(3));
  fill_(count, 10);
  EXPECT_THAT(values(step(row({1}))), ElementsAre(12));
  EXPECT_THAT(values(count), ElementsAre(11));
}

struct Inner {
  Tensor bias;
  int64_t times = 1;
};

struct Model {
  Tensor weight;
  std::vector<Inner> inner;
  std::map<std::string, Tensor> named;
  std::optional<Tensor> extra;
};

TEST(PublicFunctions, TreesGoInAndOut) {
  const auto function = compile([](const Model& m, const Tensor& x) {
    Model result = m;
    result.weight = x * m.weight + m.inner[0].bias * m.inner[0].times;
    result.named["sum"] = m.named.at("a") + (m.extra ? *m.extra : m.weight);
    return std::pair(result, t(x));
  });
  Model model{row({2}), {{row({1}), 3}}, {{"a", row({5})}}, std::nullopt};
  const auto [result, turned] = function(model, row({7}));
  EXPECT_THAT(values(result.weight), ElementsAre(17));
  EXPECT_THAT(values(result.named.at("sum")), ElementsAre(7));
  EXPECT_EQ(result.inner[0].times, 3);
  model.extra = row({100});
  model.inner[0].times = 4;
  EXPECT_THAT(values(function(model, row({7})).first.named.at("sum")), ElementsAre(105));
}

TEST(PublicFunctions, ViewsOfArgumentsShareTheirMemory) {
  const auto function = compile([](const Tensor& x) { return std::array{x[{0}], x * 1, x}; });
  const Tensor x = row({1, 2});
  const auto results = function(x);
  fill_(x, 9);
  EXPECT_THAT(values(results[0]), ElementsAre(9));
  EXPECT_THAT(values(results[1]), ElementsAre(1, 2));
  EXPECT_THAT(values(results[2]), ElementsAre(9, 9));
}

TEST(PublicFunctions, AWrittenArgumentThatIsReturnedIsThatArgument) {
  const auto function = compile([](const Tensor& x) {
    add_(x, 1);
    return std::pair(x, x[{slice({}, 1)}]);
  });
  const Tensor x = row({1, 2});
  const auto [same, first] = function(x);
  fill_(first, 9);
  EXPECT_THAT(values(same), ElementsAre(9, 3));
  EXPECT_THAT(values(x), ElementsAre(9, 3));
}

TEST(PublicFunctions, WholeOnesRefuseSizesFromData) {
  const CompileOptions whole{.full_graph = true};
  EXPECT_THROW(compile([](const Tensor& x) { return x[{x > 0}] + x; }, whole)(row({1})), Error);
  EXPECT_THROW(
      compile([](const Tensor& x) { return as_strided(x, {1}, {1}, 0); }, whole)(row({1, 2})),
      Error);
}

TEST(PublicFunctions, OneTensorTwiceIsOneMemory) {
  const auto function = compile([](const Tensor& a, const Tensor& b) {
    add_(a, 1);
    return a + b;
  });
  const Tensor x = row({1});
  EXPECT_THAT(values(function(x, x)), ElementsAre(4));
  EXPECT_THAT(values(function(x, row({1}))), ElementsAre(4));
}

TEST(PublicFunctions, WriteNothingThatAnotherTensorShares) {
  const Tensor x = zeros({3, 2});
  const auto function = compile([](const Tensor& a, const Tensor& b) {
    add_(a, 1);
    return b * 1;
  });
  EXPECT_THROW(function(x, x[{0}]), Error);
  EXPECT_THAT(values(x), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(values(function(x[{0}], x[{1}])), ElementsAre(0, 0));
  EXPECT_THAT(values(function(x[{ellipsis, 0}], x[{ellipsis, 1}])), ElementsAre(1, 0, 0));
  const auto reads = compile([](const Tensor& a, const Tensor& b) { return a + b; });
  EXPECT_THAT(values(reads(x[{0}], x[{slice(0, 1)}])), ElementsAre(4, 2));
}

TEST(PublicFunctions, CapturedTensorsMayShareElements) {
  const Tensor whole = row({1, 2, 3});
  const Tensor part = whole[{slice(1, 3)}];
  const auto function = compile([&](const Tensor& x) {
    add_(part, x);
    return whole * 1;
  });
  EXPECT_THAT(values(function(row({10, 20}))), ElementsAre(1, 12, 23));
  EXPECT_THAT(values(function(row({1, 1}))), ElementsAre(1, 13, 24));
  EXPECT_THAT(values(whole), ElementsAre(1, 13, 24));
}

TEST(PublicFunctions, ThreadsShareOneProgram) {
  const auto function = compile([](const Tensor& x) { return x * x + 1; });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 50; ++k) {
        const auto n = static_cast<float>(i + k);
        EXPECT_THAT(values(function(row({n}))), ElementsAre(n * n + 1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(function.program_count(), 1U);
}

}  // namespace
}  // namespace litz
