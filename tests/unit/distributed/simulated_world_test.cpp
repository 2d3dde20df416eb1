#include "distributed/simulated_world.h"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::distributed {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Ref = std::shared_ptr<Communicator>;

Tensor vector_of(double value, int64_t size = 3) {
  return Tensor::of<double>(DType::f32, {size},
                            std::vector<double>(static_cast<size_t>(size), value));
}

/// Starts an all_reduce and returns its result, to be waited for.
Tensor start_sum(Communicator& rank, const std::string& group, const Tensor& operand,
                 Reduction reduction = Reduction::sum) {
  Collective collective{.kind = CollectiveKind::all_reduce, .group = group, .reduction = reduction};
  collective.operands = {operand};
  collective.results = {Tensor::zeros(operand.dtype(), operand.sizes())};
  const Tensor result = collective.results[0];
  rank.start(std::move(collective));
  return result;
}

double sum_over(Communicator& rank, const std::string& group, double value) {
  const Tensor result = start_sum(rank, group, vector_of(value));
  rank.wait(result);
  return result.at({0});
}

std::string failure_of(SimulationOptions options, const SimulatedWorld::Body& body) {
  SimulatedWorld world(std::move(options));
  try {
    world.run(body);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SimulatedWorld, RanksAddUp) {
  for (const int ranks : {2, 3, 8}) {
    SimulatedWorld world({.ranks = ranks});
    world.run([&](const Ref& rank) {
      EXPECT_EQ(sum_over(*rank, "0", rank->rank()), ranks * (ranks - 1) / 2.0);
    });
    EXPECT_EQ(world.completed(), 1);
  }
}

TEST(SimulatedWorld, GroupsAreApartAndMayFinishInAnyOrder) {
  SimulationOptions options{.ranks = 4};
  options.groups = {{"even", {0, 2}}, {"odd", {1, 3}}};
  options.most_delay = std::chrono::microseconds(300);
  for (options.seed = 0; options.seed < 10; ++options.seed) {
    SimulatedWorld world(options);
    world.run([&](const Ref& rank) {
      const std::string own = rank->rank() % 2 == 0 ? "even" : "odd";
      const Tensor all = start_sum(*rank, "0", vector_of(1));
      const Tensor half = start_sum(*rank, own, vector_of(rank->rank()));
      // Ranks wait in different orders.
      rank->wait(rank->rank() < 2 ? all : half);
      rank->wait(rank->rank() < 2 ? half : all);
      EXPECT_EQ(all.at({0}), 4);
      EXPECT_EQ(half.at({0}), rank->rank() % 2 == 0 ? 2 : 4);
    });
  }
}

TEST(SimulatedWorld, ResultsHoldNothingBeforeTheirWait) {
  SimulatedWorld world({.ranks = 2, .poisons = true});
  world.run([&](const Ref& rank) {
    // The second collective keeps both ranks from waiting early.
    const Tensor result = start_sum(*rank, "0", vector_of(1));
    if (rank->rank() == 0) {
      EXPECT_TRUE(std::isnan(result.at({0})));
    }
    sum_over(*rank, "0", 0);
    rank->wait(result);
    EXPECT_EQ(result.at({0}), 2);
  });
}

TEST(SimulatedWorld, SendersAndReceiversMeetByTag) {
  SimulatedWorld world({.ranks = 2});
  world.run([&](const Ref& rank) {
    const int64_t other = 1 - rank->rank();
    Collective send{.kind = CollectiveKind::send, .group = "0", .peer = other, .tag = 7};
    send.operands = {vector_of(rank->rank() + 10)};
    send.results = {Tensor::zeros(DType::f32, {0})};
    Collective receive{.kind = CollectiveKind::receive, .group = "0", .peer = other, .tag = 7};
    receive.operands = {vector_of(0)};
    receive.results = {Tensor::zeros(DType::f32, {3})};
    const Tensor sent = send.results[0];
    const Tensor received = receive.results[0];
    if (rank->rank() == 0) {
      rank->start(send);
      rank->start(receive);
    } else {
      rank->start(receive);
      rank->start(send);
    }
    rank->wait(received);
    rank->wait(sent);
    EXPECT_EQ(received.at({0}), 10.0 + static_cast<double>(other));
  });
  EXPECT_EQ(world.completed(), 2);
}

TEST(SimulatedWorld, ADeadRankIsNamed) {
  const std::string text =
      failure_of({.ranks = 3, .death = {{.rank = 1, .at = 1}}}, [](const Ref& rank) {
        sum_over(*rank, "0", 1);
        sum_over(*rank, "0", 2);
      });
  EXPECT_THAT(text, AllOf(HasSubstr("a rank died"), HasSubstr("1 all_reduce sum of f32[3]")));
  SimulatedWorld world({.ranks = 3, .death = {{.rank = 1, .at = 1}}});
  const auto errors = world.try_run([](const Ref& rank) {
    sum_over(*rank, "0", 1);
    sum_over(*rank, "0", 2);
  });
  for (const std::exception_ptr& error : errors) ASSERT_NE(error, nullptr);
  try {
    std::rethrow_exception(errors[0]);
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("rank 1 ended before all_reduce sum of f32[3] (number 1 of group 0)"));
  }
}

TEST(SimulatedWorld, RanksThatDivergeAreNamed) {
  const auto text = [](const SimulatedWorld::Body& odd) {
    return failure_of({.ranks = 2}, [&](const Ref& rank) {
      if (rank->rank() == 1) return odd(rank);
      sum_over(*rank, "0", 1);
    });
  };
  EXPECT_THAT(text([](const Ref& rank) { rank->wait(start_sum(*rank, "0", vector_of(1, 4))); }),
              AllOf(HasSubstr("the same collectives in the same order"), HasSubstr("f32[4]"),
                    HasSubstr("f32[3]"), HasSubstr("number 0 of group 0")));
  EXPECT_THAT(text([](const Ref& rank) {
                rank->wait(start_sum(*rank, "0", vector_of(1), Reduction::max));
              }),
              AllOf(HasSubstr("all_reduce max"), HasSubstr("all_reduce sum")));
  EXPECT_THAT(
      text([](const Ref& rank) { rank->wait(start_sum(*rank, "0", vector_of(1).to(DType::f64))); }),
      HasSubstr("f64[3]"));
  EXPECT_THAT(text([](const Ref& /*rank*/) {}), HasSubstr("rank 1 ended before"));
}

TEST(SimulatedWorld, ACircleOfWaitingRanksIsNamed) {
  SimulationOptions options{.ranks = 2};
  options.groups = {{"a", {0, 1}}, {"b", {0, 1}}};
  const std::string text = failure_of(options, [](const Ref& rank) {
    sum_over(*rank, rank->rank() == 0 ? "a" : "b", 1);
    sum_over(*rank, rank->rank() == 0 ? "b" : "a", 1);
  });
  EXPECT_THAT(text, AllOf(HasSubstr("in a circle"),
                          HasSubstr("rank 0 waits for all_reduce sum of f32[3] (number 0 of group "
                                    "a), which rank 1 has not started"),
                          HasSubstr("rank 1 waits for all_reduce sum of f32[3] (number 0 of group "
                                    "b), which rank 0 has not started")));
}

TEST(SimulatedWorld, WhatIsNeverWaitedForIsDoneAtTheEnd) {
  SimulatedWorld world({.ranks = 2});
  std::vector<Tensor> results(2);
  world.run([&](const Ref& rank) {
    results[static_cast<size_t>(rank->rank())] = start_sum(*rank, "0", vector_of(4));
  });
  for (const Tensor& result : results) EXPECT_EQ(result.at({2}), 8);
}

TEST(SimulatedWorld, ErrorsOfOneRankReachTheCaller) {
  EXPECT_THAT(failure_of({.ranks = 2},
                         [](const Ref& rank) {
                           require(rank->rank() == 0, "only rank 0 can do this");
                           sum_over(*rank, "0", 1);
                         }),
              HasSubstr("only rank 0 can do this"));
}

}  // namespace
}  // namespace litz::distributed
