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

constexpr const char* kGroup = "a group/with=signs";

TEST(NcclRendezvous, RanksMeetByFilesThatAreThenGone) {
  const std::string path = path_of("meet");
  NcclId got;
  std::thread other(
      [&] { got = meet_by_file(path, std::chrono::seconds(30))->share(kGroup, 2, 1, none); });
  const auto meeting = meet_by_file(path, std::chrono::seconds(30));
  const NcclId made = meeting->share(kGroup, 2, 0, [] { return id_of('a'); });
  other.join();
  EXPECT_EQ(std::memcmp(made.bytes, got.bytes, sizeof made.bytes), 0);
  // Of another run, as far as it knows.
  EXPECT_THROW(meet_by_file(path, {})->share(kGroup, 1, 0, [] { return id_of('b'); }), Error);
  meeting->done(kGroup, 0);
  meet_by_file(path, {})->share(kGroup, 1, 0, [] { return id_of('b'); });
  meeting->done(kGroup, 0);
}

// NCCL itself would wait for ever.
TEST(NcclRendezvous, PatienceEnds) {
  for (const size_t own : {size_t{0}, size_t{1}}) {
    const auto meeting = meet_by_file(path_of("alone"), std::chrono::milliseconds(30));
    try {
      meeting->share("0", 2, own, none);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled);
      EXPECT_THAT(error.what(), HasSubstr("30"));
    }
  }
}

TEST(NcclRendezvous, RanksThatHaveMetShareById) {
  distributed::SimulatedWorld({.ranks = 3, .groups = {{"g", {2, 0}}}}).run([](const auto& rank) {
    if (rank->rank() == 1) return;
    const auto meeting = meet_by_ranks(rank);
    const size_t own = rank->rank() == 2 ? 0 : 1;
    const NcclId id = meeting->share("g", 2, own, [] { return id_of('q'); });
    EXPECT_EQ(id.bytes[0], 'q');
    EXPECT_EQ(id.bytes[127], 'z');
  });
}

}  // namespace
}  // namespace litz::runtime::cuda
