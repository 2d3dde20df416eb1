// Results of collectives, given the operands of all ranks.

#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributed/collective.h"
#include "support/check.h"

namespace litz::distributed {
namespace {

using ::testing::ElementsAre;

/// Adds a rank with one operand and a result of these sizes.
void add(std::vector<Collective>& ranks, Collective like, const Tensor& operand,
         std::vector<int64_t> sizes) {
  like.operands = {operand};
  like.results = {Tensor::zeros(operand.dtype(), std::move(sizes))};
  ranks.push_back(std::move(like));
}

void run(const std::vector<Collective>& ranks) {
  std::vector<const Collective*> pointers;
  for (const Collective& each : ranks) pointers.push_back(&each);
  combine(pointers);
}

std::vector<double> values(const Tensor& tensor) {
  const Tensor wide = tensor.to(DType::f64);
  const auto* data = reinterpret_cast<const double*>(wide.data());
  return {data, data + wide.numel()};
}

std::vector<double> all_reduced(Reduction reduction, DType dtype,
                                const std::vector<std::vector<double>>& operands) {
  std::vector<Collective> ranks;
  for (const std::vector<double>& operand : operands) {
    const auto count = static_cast<int64_t>(operand.size());
    add(ranks, {.kind = CollectiveKind::all_reduce, .reduction = reduction},
        Tensor::of<double>(dtype, {count}, operand), {count});
  }
  run(ranks);
  for (const Collective& each : ranks) {
    EXPECT_THAT(values(each.results[0]), ::testing::Pointwise(::testing::NanSensitiveDoubleEq(),
                                                              values(ranks[0].results[0])));
  }
  return values(ranks[0].results[0]);
}

TEST(Combine, GathersByRank) {
  std::vector<Collective> ranks;
  for (const double first : {1.0, 5.0, 9.0}) {
    add(ranks, {.kind = CollectiveKind::all_gather},
        Tensor::of<double>(DType::f32, {1, 2}, {first, first + 1}), {3, 2});
  }
  run(ranks);
  for (const Collective& each : ranks) {
    EXPECT_THAT(values(each.results[0]), ElementsAre(1, 2, 5, 6, 9, 10));
  }
}

TEST(Combine, GathersScalarsAndTransposedOperands) {
  std::vector<Collective> scalars;
  for (const double value : {3.0, 4.0}) {
    add(scalars, {.kind = CollectiveKind::all_gather}, Tensor::scalar(DType::f32, value), {2});
  }
  run(scalars);
  EXPECT_THAT(values(scalars[1].results[0]), ElementsAre(3, 4));
  std::vector<Collective> ranks;
  const Tensor rows = Tensor::of<double>(DType::i32, {2, 2}, {1, 2, 3, 4});
  for (int i = 0; i < 2; ++i) {
    add(ranks, {.kind = CollectiveKind::all_gather}, rows.view({2, 2}, {1, 2}, 0), {4, 2});
  }
  run(ranks);
  EXPECT_THAT(values(ranks[0].results[0]), ElementsAre(1, 3, 2, 4, 1, 3, 2, 4));
}

TEST(Combine, ReducesInTheOrderOfRanks) {
  EXPECT_THAT(all_reduced(Reduction::sum, DType::f32, {{1e8}, {1}, {-1e8}}), ElementsAre(0));
  EXPECT_THAT(all_reduced(Reduction::sum, DType::f32, {{1e8}, {-1e8}, {1}}), ElementsAre(1));
  EXPECT_THAT(all_reduced(Reduction::avg, DType::f32, {{1, 2}, {2, 4}}), ElementsAre(1.5, 3));
  EXPECT_THAT(all_reduced(Reduction::product, DType::f64, {{3}, {-2}}), ElementsAre(-6));
}

TEST(Combine, AverageOfOneComplexNumberIsThatNumber) {
  using C = std::complex<float>;
  const Tensor alone = Tensor::of<C>(DType::c64, {1}, {C(-1, -0.0F)});
  const Tensor average = reduced(std::array{alone}, Reduction::avg);
  EXPECT_TRUE(std::signbit(average.complex_at(std::vector<int64_t>{0}).imag()));
}

TEST(Combine, SumsHalvesInFullPrecision) {
  // Rounded at every step, 2048 + 1 + 1 stays 2048.
  EXPECT_THAT(all_reduced(Reduction::sum, DType::f16, {{2048}, {1}, {1}}), ElementsAre(2050));
  EXPECT_THAT(all_reduced(Reduction::sum, DType::bf16, {{256}, {1}, {1}}), ElementsAre(258));
}

TEST(Combine, FindsExtremesAndKeepsNaN) {
  EXPECT_THAT(all_reduced(Reduction::max, DType::i64, {{1, 7}, {5, 2}}), ElementsAre(5, 7));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(all_reduced(Reduction::min, DType::f32, {{nan}, {1}})[0]));
  EXPECT_TRUE(std::isnan(all_reduced(Reduction::max, DType::f32, {{1}, {nan}})[0]));
}

TEST(Combine, IntegersWrapAndCombineBits) {
  EXPECT_THAT(all_reduced(Reduction::sum, DType::i8, {{100}, {100}}), ElementsAre(-56));
  EXPECT_THAT(all_reduced(Reduction::bit_and, DType::i32, {{6}, {3}}), ElementsAre(2));
  EXPECT_THAT(all_reduced(Reduction::bit_or, DType::u8, {{6}, {3}}), ElementsAre(7));
  EXPECT_THAT(all_reduced(Reduction::bit_xor, DType::i64, {{6}, {3}}), ElementsAre(5));
  EXPECT_THAT(all_reduced(Reduction::sum, DType::bool_, {{0, 1, 1}, {0, 0, 1}}),
              ElementsAre(0, 1, 1));
}

TEST(Combine, RefusesReductionsThatADtypeLacks) {
  EXPECT_THROW(all_reduced(Reduction::bit_or, DType::f32, {{1}, {2}}), Error);
  EXPECT_THROW(all_reduced(Reduction::avg, DType::bool_, {{1}, {0}}), Error);
  EXPECT_THROW(all_reduced(Reduction::max, DType::c64, {{1}, {0}}), Error);
}

TEST(Combine, ScattersWhatItReduces) {
  std::vector<Collective> ranks;
  for (const double factor : {1.0, 10.0}) {
    add(ranks, {.kind = CollectiveKind::reduce_scatter},
        Tensor::of<double>(DType::f32, {4}, {factor, 2 * factor, 3 * factor, 4 * factor}), {2});
  }
  run(ranks);
  EXPECT_THAT(values(ranks[0].results[0]), ElementsAre(11, 22));
  EXPECT_THAT(values(ranks[1].results[0]), ElementsAre(33, 44));
  ranks[0].operands[0] = Tensor::zeros(DType::f32, {3});
  EXPECT_THROW(run(ranks), Error);
}

TEST(Combine, ExchangesRows) {
  std::vector<Collective> ranks;
  add(ranks, {.kind = CollectiveKind::all_to_all, .sent = {1, 2}, .received = {1, 0}},
      Tensor::of<double>(DType::f32, {3}, {1, 2, 3}), {1});
  add(ranks, {.kind = CollectiveKind::all_to_all, .sent = {0, 1}, .received = {2, 1}},
      Tensor::of<double>(DType::f32, {1}, {4}), {3});
  run(ranks);
  EXPECT_THAT(values(ranks[0].results[0]), ElementsAre(1));
  EXPECT_THAT(values(ranks[1].results[0]), ElementsAre(2, 3, 4));
  ranks[1].received = {1, 2};
  EXPECT_THROW(run(ranks), Error) << "rank 0 sends two rows";
}

TEST(Combine, BroadcastsInPlace) {
  std::vector<Collective> ranks;
  for (const double value : {1.0, 2.0, 3.0}) {
    add(ranks, {.kind = CollectiveKind::broadcast, .peer = 1},
        Tensor::of<double>(DType::f32, {1}, {value}), {1});
    ranks.back().results = ranks.back().operands;
  }
  run(ranks);
  for (const Collective& each : ranks) EXPECT_THAT(values(each.results[0]), ElementsAre(2));
  for (Collective& each : ranks) each.peer = 3;
  EXPECT_THROW(run(ranks), Error);
}

TEST(Combine, TransfersNeedEqualTypes) {
  Collective send{.kind = CollectiveKind::send};
  send.operands = {Tensor::of<double>(DType::f32, {2}, {1, 2})};
  Collective receive{.kind = CollectiveKind::receive};
  receive.results = {Tensor::zeros(DType::f32, {2})};
  transfer(send, receive);
  EXPECT_THAT(values(receive.results[0]), ElementsAre(1, 2));
  receive.results = {Tensor::zeros(DType::f32, {3})};
  EXPECT_THROW(transfer(send, receive), Error);
}

}  // namespace
}  // namespace litz::distributed
