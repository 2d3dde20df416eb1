#include "support/mapped_file.h"

#include <cstdio>
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
