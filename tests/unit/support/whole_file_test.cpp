#include "support/whole_file.h"

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class WholeFile : public testing::Test {
 protected:
  WholeFile()
      : folder_(fs::temp_directory_path() / ("litz_whole_file_" + std::to_string(getpid()))) {
    fs::create_directory(folder_);
  }

  ~WholeFile() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static std::vector<std::byte> bytes(size_t count, int value) {
    return std::vector<std::byte>(count, static_cast<std::byte>(value));
  }

  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

TEST_F(WholeFile, IsWrittenAndReplaced) {
  write_whole_file(path("a"), bytes(3, 1));
  EXPECT_EQ(fs::file_size(path("a")), 3);
  ASSERT_EQ(chmod(path("a").c_str(), 0640), 0);
  write_whole_file(path("a"), bytes(100'000, 2));
  EXPECT_EQ(fs::file_size(path("a")), 100'000);
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms(0640)) << "as the file before";
  write_whole_file(path("empty"), {});
  EXPECT_EQ(fs::file_size(path("empty")), 0);
  EXPECT_EQ(files(), 2);
}

TEST_F(WholeFile, MayComeInParts) {
  const std::vector<std::byte> first = bytes(3, 1);
  const std::vector<std::byte> second = bytes(5, 2);
  const std::vector<std::span<const std::byte>> parts{first, {}, second};
  write_whole_parts(path("a"), parts);
  std::ifstream file(path("a"), std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(content, std::string("\1\1\1\2\2\2\2\2"));
}

TEST_F(WholeFile, FollowsNoLinkAndReplacesNoPipe) {
  write_whole_file(path("target"), bytes(3, 1));
  fs::create_symlink(path("target"), path("link"));
  EXPECT_THAT([&] { write_whole_file(path("link"), bytes(5, 2)); },
              ThrowsMessage<Error>(HasSubstr("a new or a regular file")));
  EXPECT_EQ(fs::file_size(path("target")), 3);
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THROW(write_whole_file(path("pipe"), bytes(5, 2)), Error);
  EXPECT_THROW(write_whole_file(path("no/folder"), bytes(5, 2)), Error);
  EXPECT_EQ(files(), 3);
}

TEST_F(WholeFile, OneOfSeveralWritersWins) {
  constexpr int kWriters = 8;
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k) write_whole_file(path("a"), bytes(50'000, i));
    });
  }
  for (std::thread& writer : writers) writer.join();
  std::ifstream file(path("a"), std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  ASSERT_EQ(content.size(), 50'000);
  EXPECT_EQ(content, std::string(content.size(), content[0])) << "bytes of one writer";
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace litz
