#include "import/archive.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive_text.h"
#include "import/archive_info.h"
#include "support/check.h"

namespace litz::import_ {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

TEST(Mistaken, NamesOtherFormats) {
  EXPECT_THAT(refusal(bytes_of("")), HasSubstr("is empty"));
  EXPECT_THAT(refusal(bytes_of("hello, I am a model")), HasSubstr("is a text file"));
  EXPECT_THAT(refusal(bytes_of("\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19....")),
              HasSubstr("legacy torch.save"));
  EXPECT_THAT(refusal(bytes_of("\x80\x04\x95")), HasSubstr("pickle"));
  EXPECT_THAT(refusal(bytes_of("\x93NUMPY\x01\x00")), HasSubstr("NumPy"));
  EXPECT_THAT(refusal(bytes_of(std::string_view("\x02\0\0\0\0\0\0\0{}", 10))),
              HasSubstr("safetensors"));
  EXPECT_THAT(refusal(bytes_of("\x08\x07\x12\x07pytorch")), HasSubstr("ONNX"));
  EXPECT_THAT(refusal(bytes_of("\x7F"
                               "ELF\x02")),
              HasSubstr("compiled library"));
  EXPECT_THAT(refusal(bytes_of(std::string_view("GGUF\3\0\0\0", 8))), HasSubstr("GGUF"));
  EXPECT_THAT(refusal(bytes_of("\x89HDF\r\n\x1A\n....")), HasSubstr("HDF5"));
  EXPECT_THAT(refusal(bytes_of("\x1F\x8B\x08....")), AllOf(HasSubstr("gzip"), HasSubstr("unpack")));
  const std::string tar = "model.pt2" + std::string(248, '\0') + "ustar" + std::string(250, '\0');
  EXPECT_THAT(refusal(bytes_of(tar)), AllOf(HasSubstr("tar archive"), HasSubstr("unpack")));
  EXPECT_THAT(refusal(bytes_of("\xFF\xFE\x01")), HasSubstr("not a zip archive"));
}

TEST(Mistaken, TellsTheWayToAnArchive) {
  EXPECT_THAT(refusal(bytes_of("text")), HasSubstr("torch.export.save"));
}

TEST(Mistaken, NamesOtherArchives) {
  EXPECT_THAT(refusal(zip_bytes({{"constants.pkl", "x"}, {"code/a.py", "x"}, {"data.pkl", "x"}})),
              HasSubstr("TorchScript"));
  EXPECT_THAT(refusal(zip_bytes({{"data.pkl", "x"}, {"data/0", "x"}})),
              HasSubstr("state dict or a pickled module"));
  EXPECT_THAT(refusal(zip_bytes({{"archive_format", "pt2"}, {"data/aotinductor/model/a.so", "x"}})),
              HasSubstr("AOTInductor"));
  EXPECT_THAT(refusal(zip_bytes({{"a.npy", "x"}}, "")), HasSubstr(".npz"));
  EXPECT_THAT(refusal(zip_bytes({{"readme", "x"}})), HasSubstr("something else"));
}

TEST(Mistaken, IncompleteExports) {
  Entries entries = archive_entries(ProgramText());
  entries.erase("models/model.json");
  EXPECT_THAT(refusal(zip_bytes(entries)), HasSubstr("the export that wrote it failed"));
}

TEST(Archive, CutFilesAreRefused) {
  std::vector<std::byte> bytes = zip_bytes(archive_entries(ProgramText()));
  bytes.resize(bytes.size() / 2);
  EXPECT_THAT(refusal(bytes), AllOf(HasSubstr("C1"), HasSubstr("download")));
}

TEST(Archive, MarkersAreChecked) {
  Entries entries = archive_entries(ProgramText());
  entries["archive_format"] = "pt3";
  EXPECT_THAT(refusal(zip_bytes(entries)), HasSubstr("C13"));
  entries["archive_format"] = "pt2";
  entries["archive_version"] = "1";
  EXPECT_THAT(refusal(zip_bytes(entries)), HasSubstr("C13"));
  entries["archive_version"] = "0";
  entries["byteorder"] = "middle";
  EXPECT_THAT(refusal(zip_bytes(entries)), HasSubstr("C13"));
  entries["byteorder"] = "big";
  EXPECT_THAT(refusal(zip_bytes(entries)), HasSubstr("little-endian"));
}

TEST(Archive, MissingVersionIsAWarning) {
  Entries entries = archive_entries(ProgramText());
  entries.erase("archive_version");
  EXPECT_THAT(import_bytes(zip_bytes(entries)).warnings, ElementsAre(HasSubstr("archive_version")));
}

TEST(Archive, SeveralRootsAreRefused) {
  Entries entries;
  for (const auto& [name, text] : archive_entries(ProgramText())) entries["m/" + name] = text;
  entries["n/other"] = "x";
  EXPECT_THAT(refusal(zip_bytes(entries, "")), HasSubstr("C8"));
}

TEST(Archive, ChoosesAModel) {
  Entries entries = archive_entries(ProgramText());
  for (const char* file : {"models/", "data/weights/", "data/constants/"}) {
    for (const auto& [name, text] : archive_entries(ProgramText())) {
      const size_t at = name.find("model", std::string_view(file).size());
      if (!name.starts_with(file) || at == std::string::npos) continue;
      std::string renamed = name;
      entries[renamed.replace(at, 5, "dec.v1")] = text;
    }
  }
  const std::vector<std::byte> both = zip_bytes(entries);
  EXPECT_EQ(Archive::open(both, "t").model(), "model");
  EXPECT_THAT(Archive::open(both, "t").models(), ElementsAre("dec.v1", "model"));
  EXPECT_EQ(Archive::open(both, "t", "dec.v1").model(), "dec.v1");
  try {
    Archive::open(both, "t", "enc");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("dec.v1, model"));
  }
}

TEST(Archive, TopFolderNeedNotBeTheFileName) {
  const Entries entries = archive_entries(ProgramText());
  EXPECT_EQ(import_bytes(zip_bytes(entries, "archive/")).inputs.size(), 2U);
}

TEST(ArchiveInfo, Summarises) {
  const std::vector<std::byte> bytes = zip_bytes(archive_entries(ProgramText()));
  const ArchiveInfo info = read_archive_info(Archive::open(bytes, "t"));
  ASSERT_EQ(info.inputs.size(), 1U);
  EXPECT_EQ(info.inputs[0].label, "x");
  EXPECT_EQ(info.inputs[0].type, "f32[2, 3]");
  EXPECT_EQ(info.outputs.size(), 1U);
  EXPECT_EQ(info.nodes, 2U);
  EXPECT_EQ(info.operators.at("aten.relu"), 1U);
  EXPECT_EQ(info.parameters.count, 1U);
  EXPECT_EQ(info.parameters.bytes, 24);
  EXPECT_FALSE(info.weights_missing);
}

TEST(ArchiveInfo, DoesNotNeedKnownOperators) {
  ProgramText text;
  text.nodes = node("torch.ops.mine.op.default", "", tensor_output("y"));
  const std::vector<std::byte> bytes = zip_bytes(archive_entries(text));
  EXPECT_EQ(read_archive_info(Archive::open(bytes, "t")).operators.at("mine.op"), 1U);
}

}  // namespace
}  // namespace litz::import_
