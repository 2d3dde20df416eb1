#include "distributed/mpi/notices.h"

#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"
#include "thread_mpi.h"

namespace litz::distributed::mpi {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;

Group group_of_two() {
  const int ranks[] = {0, 1};
  Group group = nullptr;
  EXPECT_EQ(thread_mpi().make_group(ranks, 2, 0, &group), 0);
  return group;
}

TEST(Notice, KeepsTheBeginningAndTheHashOfALongText) {
  const std::string text(600, 'x');
  const Notice notice = Notice::of(Notice::Kind::collective, text);
  EXPECT_EQ(std::string(notice.text), std::string(sizeof notice.text - 1, 'x'));
  EXPECT_NE(notice.hash, Notice::of(Notice::Kind::collective, text + "y").hash);
}

TEST(Notices, AreTakenByKindAndTag) {
  const auto errors = run_threads({.ranks = 2}, [](int rank) {
    Notices notices(thread_mpi(), group_of_two(), 2, static_cast<size_t>(rank));
    notices.listen();
    const size_t other = rank == 0 ? 1 : 0;
    Notice sent = Notice::of(Notice::Kind::send, "first");
    sent.tag = 3;
    notices.send(other, Notice::of(Notice::Kind::collective, "a"));
    notices.send(other, sent);
    notices.send(other, Notice::of(Notice::Kind::collective, "b"));
    notices.send(other, Notice::of(Notice::Kind::end, "because"));
    while (!notices.is_over()) {
      notices.progress();
      std::this_thread::yield();
    }
    EXPECT_FALSE(notices.take(other, Notice::Kind::send, 4));
    EXPECT_STREQ(notices.take(other, Notice::Kind::send, 3)->text, "first");
    EXPECT_STREQ(notices.take(other, Notice::Kind::collective, 0)->text, "a");
    EXPECT_STREQ(notices.take(other, Notice::Kind::collective, 0)->text, "b");
    EXPECT_FALSE(notices.take(other, Notice::Kind::collective, 0));
    EXPECT_STREQ(notices.end_of(other)->text, "because");
    EXPECT_EQ(notices.end_of(static_cast<size_t>(rank)), nullptr);
  });
  EXPECT_THAT(errors, Each(IsEmpty()));
}

}  // namespace
}  // namespace litz::distributed::mpi
