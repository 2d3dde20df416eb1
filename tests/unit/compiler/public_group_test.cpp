// The public header's groups: programs of several ranks from C++.

#include <litz/litz.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kChain = "tests/data/fsdp/chain.pt2";

std::vector<Value> zeros(const Executable& program) {
  std::vector<Value> inputs;
  for (const SignatureEntry& entry : program.inputs()) {
    std::vector<int64_t> sizes;
    for (const SizeInfo& size : entry.sizes) sizes.push_back(size.least);
    inputs.emplace_back(Tensor(entry.dtype, sizes));
  }
  return inputs;
}

/// What each rank says: empty if all went well.
std::vector<std::string> run_ranks(int ranks, const GroupOptions& options, int failing = -1) {
  auto groups = Group::simulated(ranks, options).value();
  std::vector<std::string> said(groups.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < groups.size(); ++i) {
    threads.emplace_back([&said, i, failing, group = std::move(groups[i])] {
      EXPECT_EQ(group->rank(), static_cast<int>(i));
      if (failing == static_cast<int>(i)) return group->leave("it was told to");
      Options how;
      how.group = group;
      Result<Executable> program = load(kChain, how);
      if (!program) {
        said[i] = program.error().message;
        return;
      }
      const auto outputs = program->run(zeros(*program));
      if (!outputs) said[i] = outputs.error().message;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return said;
}

TEST(PublicGroup, RanksRunAProgramTogether) {
  for (const std::string& said : run_ranks(4, {})) EXPECT_EQ(said, "");
}

TEST(PublicGroup, ARankThatLeavesIsNamed) {
  const auto said = run_ranks(4, {}, 2);
  EXPECT_THAT(said[0], AllOf(HasSubstr("rank 2 ended before"), HasSubstr("it was told to")));
}

TEST(PublicGroup, WorldsHaveRanks) {
  EXPECT_EQ(Group::simulated(3).value()[2]->world(), 3);
  const auto none = Group::simulated(0);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::invalid_argument);
}

}  // namespace
}  // namespace litz
