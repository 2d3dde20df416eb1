#include "support/progress.h"

#include <array>
#include <chrono>
#include <fcntl.h>
#include <string>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz {
namespace {

using testing::HasSubstr;

// What a task of 150 ms writes.
std::string written_by(ProgressMode mode, double delay) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  {
    Progress progress("compiling", 10, mode, ends[1], delay);
    progress.advance(3);
    progress.set_detail("k3");
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer;
  ssize_t count = 0;
  while ((count = ::read(ends[0], buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<size_t>(count));
  }
  ::close(ends[0]);
  return text;
}

TEST(Progress, DrawsAndErasesItsLine) {
  const std::string text = written_by(ProgressMode::always, 0.02);
  EXPECT_THAT(text, HasSubstr("compiling 3/10 (30%) k3"));
  EXPECT_TRUE(text.ends_with("\r\x1b[K"));
}

TEST(Progress, IsSilentForShortTasksAndOffTerminals) {
  EXPECT_EQ(written_by(ProgressMode::always, 10), "");
  EXPECT_EQ(written_by(ProgressMode::automatic, 0), "");
  EXPECT_EQ(written_by(ProgressMode::off, 0), "");
}

TEST(Progress, LinesFitATerminal) {
  EXPECT_EQ(Progress::line("reading", "", 0, 0, 1.5), "reading 1.50 s");
  EXPECT_EQ(Progress::line("reading", "", 5, 0, 2), "reading 5 2.00 s");
  EXPECT_EQ(Progress::line("reading", "", 12, 10, 2), "reading 10/10 (100%) 2.00 s");
  const std::string line = Progress::line("reading", std::string(200, 'x'), 1, 2, 3);
  EXPECT_EQ(line.size(), 79u);
  EXPECT_TRUE(line.ends_with(" 3.00 s"));
}

}  // namespace
}  // namespace litz
