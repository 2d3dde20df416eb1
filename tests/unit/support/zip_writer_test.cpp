#include "support/zip_writer.h"

#include <cstdio>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "support/check.h"
#include "support/zip_reader.h"

namespace litz {
namespace {

TEST(ZipWriter, WritesWhatTheReaderReads) {
  ZipWriter writer = ZipWriter::to_memory();
  writer.add("a.npy", "first");
  writer.add("folder/b.npy", std::string(1000, 'b'));
  writer.add("empty", "");
  writer.finish();
  const std::vector<std::byte> archive = writer.take_bytes();
  const ZipReader reader = ZipReader::open(archive, "memory", ZipOptions::flat());
  ASSERT_EQ(reader.entries().size(), 3u);
  for (const ZipEntry& entry : reader.entries()) {
    EXPECT_EQ(entry.data_offset % ZipWriter::kAlignment, 0u) << entry.name;
  }
  EXPECT_EQ(reader.read_verified(*reader.find("a.npy")).text(), "first");
  EXPECT_EQ(reader.read_verified(*reader.find("folder/b.npy")).text(), std::string(1000, 'b'));
  EXPECT_EQ(reader.read_verified(*reader.find("empty")).text(), "");
}

TEST(ZipWriter, SwitchesToZip64ForManyEntries) {
  ZipWriter writer = ZipWriter::to_memory();
  constexpr size_t kCount = 66'000;
  for (size_t i = 0; i < kCount; ++i) writer.add("e" + std::to_string(i), "");
  writer.finish();
  const std::vector<std::byte> archive = writer.take_bytes();
  EXPECT_EQ(ZipReader::open(archive, "memory", ZipOptions::flat()).entries().size(), kCount);
}

TEST(ZipWriter, FileAppearsOnlyWhenFinished) {
  const std::string path = testing::TempDir() + "litz_writer_" + std::to_string(::getpid());

  struct stat status {};

  {
    ZipWriter abandoned = ZipWriter::to_file(path);
    abandoned.add("x", "y");
  }
  EXPECT_NE(::stat(path.c_str(), &status), 0);
  ZipWriter writer = ZipWriter::to_file(path);
  writer.add("x", "y");
  writer.finish();
  const ZipReader reader = ZipReader::open_file(path, ZipOptions::flat());
  EXPECT_EQ(reader.read_verified(*reader.find("x")).text(), "y");
  std::remove(path.c_str());
}

TEST(ZipWriter, RefusesBadNamesAndPlaces) {
  ZipWriter writer = ZipWriter::to_memory();
  writer.add("x", "y");
  for (const char* bad : {"x", "", "/x", "a//b", "a/../b", "a\\b", "a/"}) {
    EXPECT_THROW(writer.add(bad, "y"), Error) << bad;
  }
  EXPECT_THROW(ZipWriter::to_file("/nonexistent/folder/x.npz"), Error);
  EXPECT_THROW(writer.take_bytes(), InternalError);
}

}  // namespace
}  // namespace litz
