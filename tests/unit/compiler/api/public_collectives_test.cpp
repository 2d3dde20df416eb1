// What litz/collectives.h promises.

#include <cstdio>
#include <litz/collectives.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz {
namespace {

using testing::HasSubstr;

constexpr const char* kStep = "tests/data/fsdp/step.pt2";

Program opened() { return std::move(open_program(kStep).value()); }

TEST(PublicCollectives, JoinsAndSchedules) {
  Program program = opened();
  const Result<CollectiveReport> report = overlap_collectives(program);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->before.counts.at("all_gather_into_tensor"), 4u);
  EXPECT_EQ(report->after.counts.at("all_gather_into_tensor"), 1u);
  EXPECT_FALSE(report->buckets.empty());
  EXPECT_LT(report->after.exposed_us, report->before.exposed_us);
  EXPECT_THAT(program.text(), HasSubstr("bucket_sources"));
}

TEST(PublicCollectives, EstimatesDecide) {
  Program program = opened();
  CollectiveOptions options;
  options.join = false;
  size_t asked = 0;
  options.estimate = [&](const NodeInfo& node) -> double {
    ++asked;
    return node.op == "aten.matmul" ? 1000 : -1;
  };
  const Result<CollectiveReport> report = overlap_collectives(program, options);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GT(asked, 0u);
  EXPECT_GT(report->before.total_us, 8000);
  EXPECT_EQ(report->before.counts, report->after.counts);
}

TEST(PublicCollectives, RefuseOtherOptions) {
  Program program = opened();
  EXPECT_THAT(overlap_collectives(program, {.scope = "some"}).error().message, HasSubstr("fsdp"));
  EXPECT_THAT(overlap_collectives(program, {.machine = "/nowhere"}).error().message,
              HasSubstr("/nowhere"));
}

}  // namespace
}  // namespace litz
