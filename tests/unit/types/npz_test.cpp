#include "types/npz.h"

#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"
#include "support/zip_writer.h"
#include "types/npy.h"

namespace litz {
namespace {

using testing::HasSubstr;

TEST(Npz, FilesRoundTripInOrder) {
  std::string path = testing::TempDir() + "litz_npz_test.npz";
  std::vector<NamedTensor> tensors = {
      {"b", Tensor::of<float>(DType::f32, {2}, {1, 2})},
      {"a", Tensor::scalar_int(DType::i64, 7)},
      {"A", Tensor::empty(DType::f64, {0, 3})},
  };
  write_npz(path, tensors);
  std::vector<NamedTensor> back = read_npz(path);
  std::remove(path.c_str());
  ASSERT_EQ(back.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(back[i].first, tensors[i].first);
    EXPECT_EQ(to_string(back[i].second), to_string(tensors[i].second));
  }
  ASSERT_NE(find_tensor(back, "a"), nullptr);
  EXPECT_EQ(find_tensor(back, "a")->int_at({}), 7);
  EXPECT_EQ(find_tensor(back, "c"), nullptr);
}

TEST(Npz, AnArchiveMayBeEmpty) {
  ZipWriter archive = ZipWriter::to_memory();
  archive.finish();
  std::vector<std::byte> bytes = archive.take_bytes();
  EXPECT_TRUE(parse_npz(bytes).empty());
}

TEST(Npz, EntriesMustBeArrays) {
  ZipWriter archive = ZipWriter::to_memory();
  archive.add("readme.txt", std::string_view("hello"));
  archive.finish();
  std::vector<std::byte> bytes = archive.take_bytes();
  try {
    parse_npz(bytes, "case.npz");
    FAIL() << "must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("readme.txt in case.npz"));
  }
}

TEST(Npz, ErrorsNameTheEntry) {
  ZipWriter archive = ZipWriter::to_memory();
  archive.add("x.npy", std::string_view("not an array"));
  archive.finish();
  std::vector<std::byte> bytes = archive.take_bytes();
  try {
    parse_npz(bytes, "case.npz");
    FAIL() << "must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
    EXPECT_THAT(error.what(), HasSubstr("case.npz:x.npy"));
  }
}

TEST(Npz, DamagedDataIsNoticed) {
  ZipWriter archive = ZipWriter::to_memory();
  archive.add("x.npy", format_npy(Tensor::of<float>(DType::f32, {1}, {1})));
  archive.finish();
  std::vector<std::byte> bytes = archive.take_bytes();
  // The float 1.0 ends the entry: 00 00 80 3f.
  bool is_changed = false;
  for (size_t i = 3; i < bytes.size() && !is_changed; ++i) {
    if (bytes[i] == std::byte{0x3f} && bytes[i - 1] == std::byte{0x80}) {
      bytes[i] = std::byte{0x40};
      is_changed = true;
    }
  }
  ASSERT_TRUE(is_changed);
  EXPECT_THROW(parse_npz(bytes), Error);
}

}  // namespace
}  // namespace litz
