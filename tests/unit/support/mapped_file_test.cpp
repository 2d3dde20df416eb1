#include "support/mapped_file.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

class MappedFileTest : public testing::Test {
 protected:
  MappedFileTest() : path_(testing::TempDir() + "litz_mapped_" + std::to_string(::getpid())) {}

  ~MappedFileTest() override { std::remove(path_.c_str()); }

  void write(const std::string& content) {
    std::FILE* const file = std::fopen(path_.c_str(), "wb");
    ASSERT_NE(file, nullptr);
    std::fwrite(content.data(), 1, content.size(), file);
    std::fclose(file);
  }

  std::string path_;
};

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST_F(MappedFileTest, CopiesSmallFilesAndMapsLargeOnes) {
  write("content");
  const MappedFile copied = MappedFile::open(path_);
  EXPECT_FALSE(copied.is_mapped());
  EXPECT_EQ(text_of(copied), "content");
  const MappedFile mapped = MappedFile::open(path_, 0);
  EXPECT_TRUE(mapped.is_mapped());
  EXPECT_EQ(text_of(mapped), "content");
}

TEST_F(MappedFileTest, ReadsCopiesThatNothingChanges) {
  write(std::string(100'000, 'a'));
  const MappedFile copy = MappedFile::read(path_);
  EXPECT_FALSE(copy.is_mapped());
  write(std::string(10, 'b'));  // The same file, cut and overwritten.
  EXPECT_EQ(text_of(copy), std::string(100'000, 'a'));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(copy.bytes().data()) % 4096, 0);
  copy.release_pages(copy.bytes());
  EXPECT_EQ(text_of(copy), std::string(100'000, 'a')) << "there is no file to read it from again";
  write("");
  EXPECT_TRUE(MappedFile::read(path_).bytes().empty());
  EXPECT_THROW(MappedFile::read(testing::TempDir()), Error);
}

TEST_F(MappedFileTest, KeepsItsSizeWhenTheFileGrows) {
  write("content");
  const MappedFile mapped = MappedFile::open(path_, 0);
  std::FILE* const file = std::fopen(path_.c_str(), "ab");
  std::fputs(" and more", file);
  std::fclose(file);
  EXPECT_EQ(text_of(mapped), "content");
}

TEST_F(MappedFileTest, MovesTheMapping) {
  write("content");
  MappedFile first = MappedFile::open(path_, 0);
  MappedFile second = std::move(first);
  EXPECT_EQ(text_of(second), "content");
  write("other");
  second = MappedFile::open(path_, 0);
  EXPECT_EQ(text_of(second), "other");
}

size_t resident_bytes() {
  std::ifstream statistics("/proc/self/statm");
  size_t all = 0;
  size_t resident = 0;
  statistics >> all >> resident;
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

TEST_F(MappedFileTest, ReleasedPagesLeaveMemoryAndComeBack) {
  constexpr size_t kBytes = size_t{16} << 20;
  write(std::string(kBytes, 'x') + "end");
  const MappedFile file = MappedFile::open(path_);
  EXPECT_EQ(std::ranges::count(text_of(file), 'x'), kBytes);
  const size_t before = resident_bytes();
  // Neither end lies on a page: the pages there stay.
  file.release_pages(file.bytes().subspan(100, kBytes - 200));
  EXPECT_LT(resident_bytes() + kBytes * 3 / 4, before);
  EXPECT_EQ(text_of(file), std::string(kBytes, 'x') + "end");
  file.release_pages({});
  file.release_pages(file.bytes().first(1));
  EXPECT_EQ(file.bytes()[0], std::byte{'x'});
}

TEST_F(MappedFileTest, CopiesKeepWhatIsReleased) {
  write("content");
  const MappedFile file = MappedFile::open(path_);
  file.release_pages(file.bytes());
  EXPECT_EQ(text_of(file), "content");
}

TEST_F(MappedFileTest, ReadsEmptyFiles) {
  write("");
  EXPECT_TRUE(MappedFile::open(path_, 0).bytes().empty());
}

TEST_F(MappedFileTest, RefusesWhatIsNoFile) {
  try {
    MappedFile::open(path_ + ".missing");
    FAIL() << "must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
  }
  try {
    MappedFile::open(testing::TempDir());
    FAIL() << "must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
  }
}

// A pipe without a writer must not be waited for.
TEST_F(MappedFileTest, RefusesPipesAtOnce) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THROW(MappedFile::open(path_), Error);
}

}  // namespace
}  // namespace litz
