#include "runtime/cuda/nccl_rendezvous.h"

#include <cstring>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributed/simulated_world.h"
#include "support/check.h"

namespace litz::runtime::cuda {
namespace {

using ::testing::HasSubstr;

NcclId id_of(char first) {
  NcclId id;
  id.bytes[0] = first;
  id.bytes[127] = 'z';
  return id;
}

NcclId none() { throw Error(ErrorCode::internal, "only the first rank makes an id"); }

std::string path_of(const char* test) {
  return (std::filesystem::path(::testing::TempDir()) / test).string() +
         std::to_string(std::chrono::steady_clock::now().time_since_epoch().count());
}

TEST(NcclRendezvous, RanksMeetByAFileThatIsThenGone) {
  const std::string path = path_of("meet");
  NcclId got;
  std::thread other([&] {
    const auto meeting = meet_by_file(path, std::chrono::seconds(30));
    got = meeting->share("a group/with=signs", false, none);
  });
  const auto meeting = meet_by_file(path, std::chrono::seconds(30));
  const NcclId made = meeting->share("a group/with=signs", true, [] { return id_of('a'); });
  other.join();
  EXPECT_EQ(std::memcmp(made.bytes, got.bytes, sizeof made.bytes), 0);
  // Of another run, as far as it knows.
  EXPECT_THROW(meet_by_file(path, {})->share("a group/with=signs", true, [] { return id_of('b'); }),
               Error);
  meeting->done("a group/with=signs", true);
  meet_by_file(path, {})->share("a group/with=signs", true, [] { return id_of('b'); });
  meeting->done("a group/with=signs", true);
}

TEST(NcclRendezvous, PatienceEnds) {
  const auto meeting = meet_by_file(path_of("alone"), std::chrono::milliseconds(30));
  try {
    meeting->share("0", false, none);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cancelled);
    EXPECT_THAT(error.what(), HasSubstr("30"));
  }
}

TEST(NcclRendezvous, RanksThatHaveMetShareById) {
  distributed::SimulatedWorld({.ranks = 3, .groups = {{"g", {2, 0}}}}).run([](const auto& rank) {
    if (rank->rank() == 1) return;
    const auto meeting = meet_by_ranks(rank);
    const bool is_first = rank->rank() == 2;
    const NcclId id = meeting->share("g", is_first, [] { return id_of('q'); });
    EXPECT_EQ(id.bytes[0], 'q');
    EXPECT_EQ(id.bytes[127], 'z');
  });
}

}  // namespace
}  // namespace litz::runtime::cuda
