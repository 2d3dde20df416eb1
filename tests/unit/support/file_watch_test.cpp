#include "support/file_watch.h"

#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"
#include "support/mapped_file.h"

namespace litz {
namespace {

using testing::HasSubstr;

constexpr size_t kBytes = 300'000;

class FileWatchTest : public testing::Test {
 protected:
  FileWatchTest() : path_(testing::TempDir() + "litz_watched_" + std::to_string(::getpid())) {
    write(path_, std::string(kBytes, 'a'));
  }

  ~FileWatchTest() override { std::filesystem::remove(path_); }

  // Files that are written within one tick of the system's clock would have equal times.
  static void write(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
    const struct timespec times[2] = {{tick, 0}, {tick, 0}};
    ++tick;
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }

  static void expect_change(const FileWatches& files, const char* text) {
    try {
      files.require_unchanged();
      FAIL() << "a change must be noticed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::io);
      EXPECT_THAT(error.what(), HasSubstr(text));
    }
  }

  static inline time_t tick = 1'000'000'000;
  std::string path_;
};

int sum(std::span<const std::byte> bytes) {
  int result = 0;
  for (const std::byte byte : bytes) result += static_cast<int>(byte);
  return result;
}

FileWatches watches_of(const MappedFile& file) {
  FileWatches files;
  files.add(file.bytes().data() + kBytes / 2);
  return files;
}

TEST_F(FileWatchTest, ReadsZerosWhereAFileWasCutAndSaysSo) {
  const MappedFile file = MappedFile::open(path_);
  ASSERT_TRUE(file.is_mapped());
  const FileWatches files = watches_of(file);
  EXPECT_EQ(sum(file.bytes()), kBytes * 'a');
  EXPECT_NO_THROW(files.require_unchanged());
  std::filesystem::resize_file(path_, 4096);
  EXPECT_EQ(sum(file.bytes()), 4096 * 'a');
  expect_change(files, "must not be cut or go away");
  EXPECT_THROW(file.require_unchanged(), Error);
}

TEST_F(FileWatchTest, NoticesFromManyThreads) {
  const MappedFile file = MappedFile::open(path_);
  std::filesystem::resize_file(path_, 0);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { EXPECT_EQ(sum(file.bytes()), 0); });
  threads.clear();
  expect_change(watches_of(file), path_.c_str());
}

TEST_F(FileWatchTest, NoticesOverwrittenFiles) {
  const MappedFile file = MappedFile::open(path_);
  const FileWatches files = watches_of(file);
  write(path_, std::string(kBytes, 'b'));
  expect_change(files, "must not be written");
}

TEST_F(FileWatchTest, AllowsNewFilesOfTheName) {
  const MappedFile file = MappedFile::open(path_);
  write(path_ + ".new", "b");
  std::filesystem::rename(path_ + ".new", path_);
  EXPECT_NO_THROW(file.require_unchanged());
  EXPECT_EQ(sum(file.bytes()), kBytes * 'a');
  std::filesystem::remove(path_);
  EXPECT_NO_THROW(file.require_unchanged());
}

TEST_F(FileWatchTest, EndsWithTheMapping) {
  FileWatches files;
  const std::byte* address = nullptr;
  {
    const MappedFile file = MappedFile::open(path_);
    files = watches_of(file);
    address = file.bytes().data();
    EXPECT_NE(FileWatch::at(address), nullptr);
    EXPECT_NE(FileWatch::at(address + kBytes - 1), nullptr);
    EXPECT_EQ(FileWatch::at(address + kBytes), nullptr);
    EXPECT_EQ(FileWatch::at(address - 1), nullptr);
  }
  EXPECT_EQ(FileWatch::at(address), nullptr);
  std::filesystem::resize_file(path_, 0);
  EXPECT_NO_THROW(files.require_unchanged()) << "nobody reads it any more";
}

// An error takes the place of what a reader makes of zeros.
TEST_F(FileWatchTest, ReplacesWhatReadersReturnAndThrow) {
  const MappedFile file = MappedFile::open(path_);
  EXPECT_EQ(file.reading([&] { return sum(file.bytes()); }), kBytes * 'a');
  EXPECT_THROW(file.reading([]() -> int { throw std::logic_error("its own"); }), std::logic_error);
  std::filesystem::resize_file(path_, 0);
  EXPECT_THROW(file.reading([&] { return sum(file.bytes()); }), Error);
  EXPECT_THROW(file.reading([]() -> int { throw std::logic_error("of zeros"); }), Error);
}

/// Reads behind the end of a file that Litz did not map.
void read_lost_page(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  const void* const mapping = ::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, descriptor, 0);
  std::filesystem::resize_file(path, 0);
  static_cast<void>(*static_cast<const volatile char*>(mapping));
}

using FileWatchDeathTest = FileWatchTest;

TEST_F(FileWatchDeathTest, LeavesOtherBusErrorsToTheProcess) {
  const auto read = [&] {
    const MappedFile ours = MappedFile::open(path_);
    read_lost_page(path_);
  };
  EXPECT_EXIT(read(), testing::KilledBySignal(SIGBUS), "");
  const auto send = [&] {
    const MappedFile ours = MappedFile::open(path_);
    ::raise(SIGBUS);
  };
  EXPECT_EXIT(send(), testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace litz
