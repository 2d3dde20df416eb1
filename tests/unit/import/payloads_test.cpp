// Weights that must be refused, by the number of the rule, and sharing.

#include "import/payloads.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive_text.h"
#include "import/torch_save.h"
#include "support/check.h"

namespace litz::import_ {
namespace {

using testing::HasSubstr;

std::string weight_record(const std::string& fields) {
  return R"({"config": {"lin.w": {)" + fields + "}}}";
}

std::string refuse_weights(const std::string& fields, const std::string& payload) {
  Entries entries = archive_entries(ProgramText());
  entries["data/weights/model_weights_config.json"] = weight_record(fields);
  entries["data/weights/weight_0"] = payload;
  return refusal(zip_bytes(entries));
}

const std::string kPayload(24, '\0');

std::string record_fields(const std::string& path, const std::string& meta) {
  return R"("path_name": ")" + path + R"(", "is_param": true, "use_pickle": false, )" +
         R"("tensor_meta": )" + meta;
}

TEST(RefuseWeights, W1Names) {
  for (const char* path : {"", "..", "a/b", "../weight_0", "a\\\\b"}) {
    EXPECT_THAT(refuse_weights(record_fields(path, tensor_meta({2, 3})), kPayload),
                HasSubstr("W1"));
  }
}

TEST(RefuseWeights, W2Bounds) {
  EXPECT_THAT(refuse_weights(record_fields("weight_0", tensor_meta({2, 3})), kPayload.substr(4)),
              HasSubstr("W2"));
  EXPECT_THAT(refuse_weights(record_fields("weight_0", tensor_meta({2, 3})), kPayload + "abc"),
              HasSubstr("W2"));
  const std::string huge = R"({"as_int": 4611686018427387904})";
  EXPECT_THAT(
      refuse_weights(record_fields("weight_0", tensor_meta(huge, R"({"as_int": 4})")), kPayload),
      HasSubstr("W2"));
}

TEST(RefuseWeights, W3Descriptions) {
  EXPECT_THAT(refuse_weights(record_fields("weight_0",
                                           tensor_meta(symbolic("Integer(2)"), R"({"as_int": 1})")),
                             kPayload),
              HasSubstr("W3"));
  EXPECT_THAT(refuse_weights(record_fields("weight_0", tensor_meta({2, 3}, 77)), kPayload),
              HasSubstr("J6"));
  EXPECT_THAT(
      refuse_weights(record_fields("weight_0", tensor_meta("", "", 7, R"({"as_int": 0})", 2)),
                     kPayload),
      HasSubstr("G9"));
}

TEST(RefuseWeights, W4MissingName) {
  Entries entries = archive_entries(ProgramText());
  std::string& config = entries["data/weights/model_weights_config.json"];
  config.replace(config.find("lin.w"), 5, "lin.v");
  EXPECT_THAT(refusal(zip_bytes(entries)), HasSubstr("W4"));
}

TEST(RefuseWeights, W4TwoDifferentPayloads) {
  Entries entries = archive_entries(ProgramText());
  entries["data/constants/model_constants_config.json"] =
      weight_record(record_fields("tensor_0", tensor_meta({2, 3})));
  entries["data/constants/tensor_0"] = std::string(24, '\1');
  EXPECT_THAT(refusal(zip_bytes(entries)), HasSubstr("W4"));
}

TEST(RefuseWeights, W5PickledWeights) {
  EXPECT_THAT(refuse_weights(R"("path_name": "weight_0", "is_param": true, "use_pickle": true, )"
                             R"("tensor_meta": )" +
                                 tensor_meta({2, 3}),
                             kPayload),
              HasSubstr("zip"));
  EXPECT_THAT(refuse_weights(R"("path_name": "weight_0", "is_param": true, "use_pickle": false, )"
                             R"("tensor_meta": null)",
                             kPayload),
              HasSubstr("W5"));
}

TEST(RefuseWeights, W6AnotherShapeThanThePlaceholder) {
  EXPECT_THAT(refuse_weights(record_fields("weight_0", tensor_meta({3, 2})), kPayload),
              HasSubstr("W6"));
  EXPECT_THAT(refuse_weights(record_fields("weight_0", tensor_meta({2, 3}, 4)), kPayload),
              HasSubstr("W6"));
}

TEST(RefuseWeights, FakeWeightsCountAsMissing) {
  Entries entries = archive_entries(ProgramText());
  entries["data/weights/weight_0"] = "";
  EXPECT_TRUE(import_bytes(zip_bytes(entries)).weights_missing);
}

/// An archive of more than 16 MiB with a weight of so many bytes, one of which was changed.
std::vector<std::byte> damaged_archive(size_t payload) {
  Entries entries = archive_entries(ProgramText());
  entries["data/weights/weight_0"] = std::string(payload, '\x3c');
  entries["extra/filler"] = std::string(size_t{17} << 20, '\0');
  std::vector<std::byte> bytes = zip_bytes(entries);
  const std::vector<std::byte> run(payload, std::byte{0x3c});
  const auto found = std::ranges::search(bytes, run);
  EXPECT_FALSE(found.empty());
  found[payload / 2] ^= std::byte{1};
  return bytes;
}

// Of a large archive only those of small entries, unless asked for.
TEST(RefuseWeights, C11Checksums) {
  EXPECT_THAT(refusal(damaged_archive(24)), HasSubstr("zip C11"));
  EXPECT_THAT(refusal(damaged_archive(kAlwaysChecked)), HasSubstr("zip C11"));
  const std::vector<std::byte> large = damaged_archive(kAlwaysChecked + 4);
  EXPECT_TRUE(import_bytes(large).inputs[0].data.defined());
  try {
    import_bytes(large, {.check_weights_crc = true});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt);
    EXPECT_THAT(error.what(), HasSubstr("zip C11"));
  }
}

TEST(RefuseWeights, SharedPayloadsShareStorage) {
  ProgramText text;
  text.inputs = R"({"as_tensor": {"name": "w"}}, {"as_tensor": {"name": "v"}}, )"
                R"({"as_tensor": {"name": "x"}})";
  text.input_specs = R"({"parameter": {"arg": {"name": "w"}, "parameter_name": "lin.w"}},)"
                     R"({"parameter": {"arg": {"name": "v"}, "parameter_name": "tied"}},)"
                     R"({"user_input": {"arg": {"as_tensor": {"name": "x"}}}})";
  text.tensor_values +=
      "," + entry("v", tensor_meta(R"({"as_int": 3})", R"({"as_int": 1})", 7, R"({"as_int": 3})"));
  Entries entries = archive_entries(text);
  entries["data/weights/model_weights_config.json"] =
      R"({"config": {"lin.w": {)" + record_fields("weight_0", tensor_meta({2, 3})) +
      R"(}, "tied": {)" +
      record_fields("weight_0",
                    tensor_meta(R"({"as_int": 3})", R"({"as_int": 1})", 7, R"({"as_int": 3})")) +
      "}}}";
  const ir::Program program = import_bytes(zip_bytes(entries));
  EXPECT_EQ(program.inputs[0].data.storage(), program.inputs[1].data.storage());
  EXPECT_EQ(program.inputs[1].data.data(), program.inputs[0].data.data() + 12);
}

}  // namespace
}  // namespace litz::import_
