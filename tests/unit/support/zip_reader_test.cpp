#include "support/zip_reader.h"

#include <cstdio>
#include <span>
#include <string>
#include <unistd.h>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "raw_zip.h"
#include "support/check.h"
#include "support/zip_format.h"

namespace litz {
namespace {

using testing::HasSubstr;
using testing_support::RawEntry;
using testing_support::RawZip;
using testing_support::small_archive;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// Opens the archive and expects a refusal with this code and text.
void expect_refused(const std::string& archive, ErrorCode code, const std::string& text,
                    const ZipOptions& options = {}) {
  try {
    ZipReader::open(bytes_of(archive), "test.pt2", options);
    FAIL() << "must be refused: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(name(error.code()), name(code)) << error.what();
    EXPECT_THAT(error.message(), HasSubstr(text));
    EXPECT_THAT(error.message(), HasSubstr("test.pt2"));
  }
}

// As above, when the first read of the first entry is what must be refused.
void expect_read_refused(const std::string& archive, ErrorCode code, const std::string& text,
                         const ZipOptions& options = {}) {
  const ZipReader reader = ZipReader::open(bytes_of(archive), "test.pt2", options);
  try {
    reader.read_verified(reader.entries().front());
    FAIL() << "must be refused: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(name(error.code()), name(code)) << error.what();
    EXPECT_THAT(error.message(), HasSubstr(text));
  }
}

RawZip with_entry(RawEntry entry) {
  RawZip archive = small_archive();
  archive.entries.insert(archive.entries.begin(), std::move(entry));
  return archive;
}

std::string with_name(const std::string& entry_name) {
  return with_entry({.name = entry_name, .data = "x"}).build();
}

TEST(ZipReader, ReadsWhatPyTorchWrites) {
  const std::string archive = small_archive().build();
  const ZipReader reader = ZipReader::open(bytes_of(archive));
  ASSERT_EQ(reader.entries().size(), 3u);
  EXPECT_EQ(reader.root(), "net");
  EXPECT_EQ(reader.path_of(reader.entries()[1]), "models/model.json");
  EXPECT_EQ(reader.entries()[2].data_offset % 64, 0u);
  const ZipEntry* const model = reader.find_path("models/model.json");
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model, reader.find("net/models/model.json"));
  EXPECT_EQ(reader.read_verified(*model).text(), "{\"a\": 1}");
  // Without a copy: the bytes are those of the archive.
  EXPECT_EQ(reinterpret_cast<const char*>(reader.stored_bytes(*model).data()),
            archive.data() + model->data_offset);
  EXPECT_EQ(reader.find_path("models/other.json"), nullptr);
}

TEST(ZipReader, ReadsArchivesWithoutZip64Records) {
  RawZip archive = small_archive();
  archive.zip64 = false;
  archive.comment = "PK\x05\x06 made by hand";
  EXPECT_EQ(ZipReader::open(bytes_of(archive.build())).entries().size(), 3u);
}

TEST(ZipReader, ReadsZip64Sizes) {
  const std::string archive = with_entry({.name = "net/big", .data = "big", .zip64 = true}).build();
  const ZipReader reader = ZipReader::open(bytes_of(archive));
  EXPECT_EQ(reader.read_verified(reader.entries()[0]).text(), "big");
}

TEST(ZipReader, ReadsDeflatedEntries) {
  const std::string text = "{\"numbers\": [1, 2, 3, 1, 2, 3, 1, 2, 3]}";
  const std::string archive = with_entry({.name = "net/j.json", .data = text, .method = 8}).build();
  const ZipReader reader = ZipReader::open(bytes_of(archive));
  const ZipContent content = reader.read_verified(reader.entries()[0]);
  EXPECT_EQ(content.text(), text);
  EXPECT_NE(content.owner(), nullptr);
  EXPECT_THROW(reader.stored_bytes(reader.entries()[0]), Error);
}

TEST(ZipReader, ReadsEmptyDeflatedEntries) {
  const std::string archive = with_entry({.name = "net/none", .data = "", .method = 8}).build();
  const ZipReader reader = ZipReader::open(bytes_of(archive));
  EXPECT_EQ(reader.read_verified(reader.entries()[0]).text(), "");
}

TEST(ZipReader, EmptyArchivesHaveNoRoot) {
  const std::string archive = RawZip{}.build();
  EXPECT_TRUE(ZipReader::open(bytes_of(archive), "empty", ZipOptions::flat()).entries().empty());
  expect_refused(archive, ErrorCode::corrupt, "zip C8: all entries");
}

TEST(ZipReader, LeavesFoldersOut) {
  RawZip archive = small_archive();
  archive.entries.push_back({.name = "net/extra/", .data = ""});
  EXPECT_EQ(ZipReader::open(bytes_of(archive.build())).entries().size(), 3u);
}

TEST(ZipReader, ReadsEveryTruncationWithoutCrashing) {
  const std::string archive = small_archive().build();
  for (size_t size = 0; size < archive.size(); ++size) {
    expect_refused(archive.substr(0, size), ErrorCode::corrupt, "zip C1:");
  }
}

TEST(ZipReader, C1_RefusesMissingEndAndTrailingBytes) {
  expect_refused("", ErrorCode::corrupt, "zip C1: an archive has at least 22 bytes");
  expect_refused(std::string(100, 'x'), ErrorCode::corrupt, "zip C1: an archive must end with");
  RawZip archive = small_archive();
  archive.suffix = "junk";
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C1: an archive must end with");
}

TEST(ZipReader, C2_RefusesBadZip64Records) {
  RawZip archive = small_archive();
  archive.locator_offset = UINT64_MAX - 8;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C2: the locator must point");
  archive = small_archive();
  archive.locator_offset = 0;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C2: the locator must point");
  archive = small_archive();
  archive.zip64_end_size = UINT64_MAX - 20;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C2: the zip64 end record must lie");
  archive.zip64_end_size = 43;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C2: the zip64 end record must lie");
  archive = small_archive();
  archive.end_count = 2;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C2: end record and zip64 end record");
  archive = small_archive();
  archive.end_offset = 7;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C2: end record and zip64 end record");
}

TEST(ZipReader, C2_RefusesDirectoriesOutsideTheFile) {
  RawZip archive = small_archive();
  archive.directory_offset = UINT64_MAX - 4;  // Offset plus size wraps.
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C2: the directory must lie before");
  archive = small_archive();
  archive.directory_size = uint64_t{1} << 40;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C2: the directory must lie before");
}

TEST(ZipReader, C2_RefusesSaturatedFieldsWithoutZip64) {
  RawZip archive = small_archive();
  archive.zip64 = false;
  archive.end_offset = zip::kSaturated32;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C2: saturated end record");
  RawEntry entry{.name = "net/big", .data = "big", .zip64 = true};
  entry.central_extra = "";
  expect_refused(with_entry(entry).build(), ErrorCode::corrupt, "zip C2: saturated sizes");
  entry.central_extra = std::string("\x01\x00\x08\x00", 4) + std::string(8, '\0');
  expect_refused(with_entry(entry).build(), ErrorCode::corrupt, "zip C2: the zip64 field");
  entry.central_extra = std::string("\x02\x00\xff\x00", 4);
  expect_refused(with_entry(entry).build(), ErrorCode::corrupt, "zip C2: extra fields");
}

TEST(ZipReader, C3_RefusesImpossibleCounts) {
  RawZip archive = small_archive();
  archive.count = 900'000;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C3: the directory must have room");
  archive.count = 2'000'000;
  expect_refused(archive.build(), ErrorCode::limit_exceeded, "zip C3: an archive must not exceed");
  archive.count = 2;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C3: the directory must end with");
  archive.count = 4;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C3: the directory must hold");
  archive = small_archive();
  archive.entries[1].central_signature = 7;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C3: the directory must hold");
}

TEST(ZipReader, C3_HonoursASmallerLimit) {
  ZipOptions options;
  options.limits.max_entries = 2;
  expect_refused(small_archive().build(), ErrorCode::limit_exceeded,
                 "zip C3: an archive must not exceed", options);
}

TEST(ZipReader, C4_RefusesDataOutsideAndOverlaps) {
  RawZip archive = small_archive();
  archive.entries[2].header_offset = 1'000'000;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C4: a local header must lie");
  archive = small_archive();
  archive.entries[2].size = 100'000;
  archive.entries[2].compressed_size = 100'000;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C4: entry data must lie");
  archive = small_archive();
  archive.entries[0].size = 150;  // Runs into the second entry.
  archive.entries[0].compressed_size = 150;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C4: entries must not overlap");
  archive = small_archive();
  archive.entries[1].header_offset = 0;  // Two names for one piece of data.
  archive.entries[1].name = archive.entries[0].name;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C4: entries must not overlap");
  archive = small_archive();
  archive.entries[0].zip64 = true;
  archive.entries[0].size = UINT64_MAX;  // Offset plus size wraps.
  archive.entries[0].compressed_size = UINT64_MAX;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C4: entry data must lie");
}

TEST(ZipReader, C4_RefusesDataBeforeTheFirstEntry) {
  RawZip archive = small_archive();
  archive.prefix = "#!/bin/sh\n";
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C4: the first entry must start");
}

TEST(ZipReader, C5_RefusesLocalHeadersThatDisagree) {
  RawZip archive = small_archive();
  archive.entries[1].local_name = "net/models/other.json";
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C5: local and central name");
  archive = small_archive();
  archive.entries[1].local_signature = 0x12345678;
  expect_refused(archive.build(), ErrorCode::corrupt, "zip C5: a local header must start");
}

TEST(ZipReader, C6_RefusesDuplicates) {
  expect_refused(with_name("net/archive_format"), ErrorCode::corrupt, "zip C6: entry names");
  expect_refused(with_name("net/Archive_FORMAT"), ErrorCode::corrupt, "zip C6: entry names");
  // Where case matters by design, two arrays may differ in case only.
  RawZip arrays;
  arrays.entries = {{.name = "a.npy", .data = "1"}, {.name = "A.npy", .data = "2"}};
  const std::string built = arrays.build();
  EXPECT_EQ(ZipReader::open(bytes_of(built), "x.npz", ZipOptions::flat()).entries().size(), 2u);
}

TEST(ZipReader, C7_RefusesUnsafeNames) {
  for (const char* bad :
       {"net//x", "net/./x", "net/../x", "/net/x", "../x", "C:/x", "net/c:\\x", "net/a\\b",
        "net/a\x01"
        "b",
        "net/a\x7f"
        "b",
        "net/\xff", "net/\xed\xa0\x80", ""}) {
    expect_refused(with_name(bad), ErrorCode::corrupt, "zip C7:");
  }
  expect_refused(with_name(std::string("net/a\0b", 7)), ErrorCode::corrupt, "zip C7:");
  expect_refused(with_name("net/" + std::string(5000, 'a')), ErrorCode::limit_exceeded, "zip C7:");
  const std::string good = with_name("net/\xc3\xa9t\xc3\xa9.v1..2/..x");
  EXPECT_EQ(ZipReader::open(bytes_of(good)).entries().size(), 4u);
}

TEST(ZipReader, C8_RefusesSeveralRoots) {
  expect_refused(with_name("other/x"), ErrorCode::corrupt, "zip C8: all entries");
  expect_refused(with_name("x"), ErrorCode::corrupt, "zip C8: all entries");
  const std::string mixed = with_name("x");
  const ZipReader reader = ZipReader::open(bytes_of(mixed), "old", ZipOptions::flat());
  EXPECT_EQ(reader.root(), "");
  EXPECT_NE(reader.find_path("x"), nullptr);
  EXPECT_THROW(reader.require_single_root(), Error);
}

TEST(ZipReader, C9_RefusesUnknownCompression) {
  expect_refused(with_entry({.name = "net/x", .data = "x", .method = 12}).build(),
                 ErrorCode::unsupported, "zip C9: compression must be");
  RawEntry lying{.name = "net/x", .data = "x"};
  lying.size = 5;
  expect_refused(with_entry(lying).build(), ErrorCode::corrupt, "zip C9: a stored entry");
}

TEST(ZipReader, C9_RefusesBombs) {
  ZipOptions options;
  options.limits.max_inflated_entry = 1000;
  const RawEntry large{.name = "net/x", .data = std::string(2000, 'x'), .method = 8};
  expect_read_refused(with_entry(large).build(), ErrorCode::limit_exceeded,
                      "zip C9: inflated entry", options);
  options = {};
  options.limits.max_inflated_total = 1000;
  expect_read_refused(with_entry(large).build(), ErrorCode::limit_exceeded,
                      "zip C9: inflated data must not exceed the total", options);
  options = {};
  options.limits.max_ratio = 10;
  expect_read_refused(with_entry(large).build(), ErrorCode::limit_exceeded,
                      "zip C9: compression ratio", options);
  RawEntry absurd = large;
  absurd.size = 900'000'000;
  expect_read_refused(with_entry(absurd).build(), ErrorCode::limit_exceeded,
                      "zip C9: compression ratio");
}

TEST(ZipReader, C9_RefusesWrongInflatedSizes) {
  for (const uint64_t size : {uint64_t{1}, uint64_t{1999}, uint64_t{2001}, uint64_t{2500}}) {
    RawEntry lying{.name = "net/x", .data = std::string(2000, 'x'), .method = 8};
    lying.size = size;
    expect_read_refused(with_entry(lying).build(), ErrorCode::corrupt,
                        "zip C9: compressed data must inflate");
  }
  RawEntry cut{.name = "net/x", .data = std::string(2000, 'x'), .method = 8};
  cut.compressed_size = 5;
  expect_read_refused(with_entry(cut).build(), ErrorCode::corrupt,
                      "zip C9: compressed data must inflate");
}

TEST(ZipReader, C10_RefusesEncryptionAndSeveralDisks) {
  for (const uint16_t flag : {0x0001, 0x0020, 0x0040, 0x2000}) {
    RawEntry entry{.name = "net/x", .data = "x"};
    entry.flags = static_cast<uint16_t>(entry.flags | flag);
    expect_refused(with_entry(entry).build(), ErrorCode::unsupported, "zip C10: encrypted");
  }
  RawZip archive = small_archive();
  archive.disk = 1;
  expect_refused(archive.build(), ErrorCode::unsupported, "zip C10: archives of several disks");
  archive = small_archive();
  archive.end_count_on_disk = 1;
  expect_refused(archive.build(), ErrorCode::unsupported, "zip C10: archives of several disks");
  archive = small_archive();
  archive.total_disks = 2;
  expect_refused(archive.build(), ErrorCode::unsupported, "zip C10: archives of several disks");
  archive = small_archive();
  archive.entries[1].disk = 3;
  expect_refused(archive.build(), ErrorCode::unsupported, "zip C10: archives of several disks");
}

TEST(ZipReader, C11_RefusesWrongChecksums) {
  RawEntry entry{.name = "net/x", .data = "content"};
  entry.crc = 1;
  const std::string archive = with_entry(entry).build();
  expect_read_refused(archive, ErrorCode::corrupt, "zip C11: content must match its checksum");
  // Unverified reads are for weights, whose every page a checksum would touch.
  const ZipReader reader = ZipReader::open(bytes_of(archive));
  EXPECT_EQ(reader.read(reader.entries()[0]).text(), "content");
}

TEST(ZipReader, C12_NestsOnceAndSharesTheBudget) {
  const std::string innermost = small_archive().build();
  RawZip middle;
  middle.entries = {{.name = "in/deep.pt", .data = innermost},
                    {.name = "in/text", .data = std::string(600, 't'), .method = 8}};
  RawZip outer;
  outer.entries = {{.name = "net/payload.pt", .data = middle.build()},
                   {.name = "net/text", .data = std::string(600, 't'), .method = 8}};
  const std::string archive = outer.build();
  ZipOptions options;
  options.limits.max_inflated_total = 1000;
  const ZipReader reader = ZipReader::open(bytes_of(archive), "outer", options);
  const ZipReader inner = reader.nested(*reader.find_path("payload.pt"));
  EXPECT_EQ(inner.root(), "in");
  EXPECT_EQ(inner.origin(), "outer!net/payload.pt");
  try {
    inner.nested(*inner.find_path("deep.pt"));
    FAIL() << "must be refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("zip C12: archives must not nest deeper"));
  }
  EXPECT_EQ(inner.read(*inner.find_path("text")).bytes().size(), 600u);
  EXPECT_THROW(reader.read(*reader.find_path("text")), Error);  // 400 bytes are left.
}

TEST(ZipReader, NestedReadersKeepInflatedMemory) {
  RawZip outer;
  outer.entries = {{.name = "net/payload.pt", .data = small_archive().build(), .method = 8}};
  const std::string archive = outer.build();
  std::optional<ZipReader> reader = ZipReader::open(bytes_of(archive));
  const ZipReader inner = reader->nested(reader->entries()[0]);
  reader.reset();
  EXPECT_EQ(inner.read_verified(*inner.find_path("archive_format")).text(), "pt2");
}

TEST(ZipReader, C14_KeepsTheSizeItSawAtOpening) {
  const std::string path = testing::TempDir() + "litz_zip_" + std::to_string(::getpid());
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  const std::string archive = small_archive().build();
  ASSERT_EQ(std::fwrite(archive.data(), 1, archive.size(), file), archive.size());
  std::fclose(file);
  const ZipReader reader = ZipReader::open_file(path);
  // A small file is a copy, so that even truncation does not reach the reader.
  ASSERT_EQ(::truncate(path.c_str(), 0), 0);
  EXPECT_EQ(reader.read_verified(*reader.find_path("archive_format")).text(), "pt2");
  std::remove(path.c_str());
}

TEST(ZipReader, MissingFilesAreNotFound) {
  try {
    ZipReader::open_file("/nonexistent/x.pt2");
    FAIL() << "must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.message(), HasSubstr("/nonexistent/x.pt2"));
  }
}

}  // namespace
}  // namespace litz
