#include "distributed/communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::distributed {
namespace {

using ::testing::ElementsAre;

TEST(Communicator, OneRankActsOnItself) {
  const std::shared_ptr<Communicator> alone = single_rank();
  EXPECT_EQ(alone->world(), 1);
  Collective collective{.kind = CollectiveKind::all_reduce, .group = "any"};
  collective.operands = {Tensor::of<double>(DType::f32, {2}, {1, 2})};
  collective.results = {Tensor::zeros(DType::f32, {2})};
  const Tensor result = collective.results[0];
  alone->start(collective);
  alone->wait(result);
  EXPECT_EQ(result.at({1}), 2);
  collective.group_size = 4;
  EXPECT_THROW(alone->start(collective), Error);
}

TEST(Communicator, GroupsAreStatedAsText) {
  const auto [name, ranks] = parse_group("tp=0,2", 4);
  EXPECT_EQ(name, "tp");
  EXPECT_THAT(ranks, ElementsAre(0, 2));
  for (const char* text : {"tp", "tp=", "tp=4", "tp=1,1", "tp=x"}) {
    EXPECT_THROW(parse_group(text, 4), Error) << text;
  }
}

TEST(Communicator, TheDefaultGroupIsTheWorld) {
  const Groups groups{{"tp", {1, 3}}};
  EXPECT_THAT(members(groups, 4, 0, {.group = "0", .group_size = 4}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(members(groups, 4, 3, {.group = "tp"}), ElementsAre(1, 3));
  EXPECT_THROW(members(groups, 4, 0, {.group = "tp"}), Error) << "rank 0 is no member";
  EXPECT_THROW(members(groups, 4, 1, {.group = "tp", .group_size = 4}), Error);
  EXPECT_THROW(members(groups, 4, 1, {.group = "other"}), Error);
}

/// Says what it is told, and fails to leave.
class Telling final : public Communicator {
 public:
  int rank() const override { return 0; }

  int world() const override { return 2; }

  size_t group_size(const std::string& /*group*/) const override { return 2; }

  void start(Collective /*collective*/) override {}

  void wait(const Tensor& /*result*/) override {}

  void wait_all() override { told += "wait;"; }

  void leave(const std::string& why) override {
    told += "leave " + why + ";";
    if (!why.empty()) throw Error(ErrorCode::io, "it must be able to leave");
  }

  std::string told;
};

TEST(Communicator, ARankLeavesWithTheErrorOfItsProgram) {
  Telling rank;
  run_rank(rank, [&] { rank.told += "run;"; });
  EXPECT_EQ(rank.told, "run;wait;leave ;");
  rank.told.clear();
  try {
    run_rank(rank, [] { throw Error(ErrorCode::not_found, "the program fails"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
  }
  EXPECT_EQ(rank.told, "leave the program fails;");
}

}  // namespace
}  // namespace litz::distributed
