#include "types/safetensors.h"

#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

using testing::HasSubstr;

std::string file_of(const std::string& header, const std::string& data) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(uint64_t{header.size()} >> (8 * i));
  return bytes + header + data;
}

Safetensors parse(const std::string& bytes) {
  return parse_safetensors(std::as_bytes(std::span(bytes)), nullptr, "case");
}

void expect_refused(const std::string& bytes, ErrorCode code, const std::string& text) {
  try {
    parse(bytes);
    ADD_FAILURE() << "must be refused: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(text));
  }
}

TEST(Safetensors, ReadsTensorsAndMetadata) {
  Safetensors file = parse(file_of(R"({"__metadata__":{"format":"pt"},)"
                                   R"("b":{"dtype":"I16","shape":[2],"data_offsets":[1,5]},)"
                                   R"("a":{"dtype":"BOOL","shape":[],"data_offsets":[0,1]}}   )",
                                   std::string("\x02\x01\x00\x02\x00", 5)));
  ASSERT_EQ(file.tensors.size(), 2U);
  EXPECT_EQ(file.tensors[0].first, "b");
  EXPECT_EQ(to_string(file.tensors[0].second), "i16[2] {1, 2}");
  EXPECT_EQ(to_string(file.tensors[1].second), "bool[] {true}");
  EXPECT_EQ(file.tensors[1].second.data()[0], std::byte{1});
  ASSERT_EQ(file.metadata.size(), 1U);
  EXPECT_EQ(file.metadata[0].second, "pt");
}

TEST(Safetensors, EveryDtypeRoundTripsThroughAMappedFile) {
  std::string path = testing::TempDir() + "litz_safetensors_test.safetensors";
  std::vector<NamedTensor> tensors;
  for (int i = 0; i < kDTypeCount; ++i) {
    auto dtype = static_cast<DType>(i);
    if (dtype == DType::c32 || dtype == DType::c128) continue;
    tensors.emplace_back(std::string(name(dtype)),
                         Tensor::of<float>(DType::f32, {3}, {1, 1, 1}).to(dtype));
  }
  // Larger than what MappedFile copies, so that the mapping itself is used.
  tensors.emplace_back("large", Tensor::zeros(DType::f32, {100, 1000}));
  write_safetensors(path, tensors, std::vector<std::pair<std::string, std::string>>{{"k", "v"}});
  Safetensors back = read_safetensors(path);
  std::remove(path.c_str());
  ASSERT_EQ(back.tensors.size(), tensors.size());
  for (const auto& [tensor_name, tensor] : tensors) {
    const Tensor* found = find_tensor(back.tensors, tensor_name);
    ASSERT_NE(found, nullptr) << tensor_name;
    EXPECT_EQ(to_string(*found), to_string(tensor));
    EXPECT_FALSE(found->storage()->is_writable()) << "must lie in place: " << tensor_name;
  }
  EXPECT_EQ(back.metadata[0].first, "k");
}

TEST(Safetensors, UnalignedDataIsCopied) {
  auto bytes = std::make_shared<std::string>(
      file_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
              R"("b":{"dtype":"U16","shape":[1],"data_offsets":[1,3]},)"
              R"("c":{"dtype":"U16","shape":[1],"data_offsets":[3,5]},)"
              R"("d":{"dtype":"U8","shape":[1],"data_offsets":[5,6]},)"
              R"("e":{"dtype":"U16","shape":[1],"data_offsets":[6,8]}})",
              std::string("\1\2\0\3\0\4\5\0", 8)));
  Safetensors file = parse_safetensors(std::as_bytes(std::span(*bytes)), bytes);
  EXPECT_EQ(to_string(file.tensors[1].second), "u16[1] {2}");
  EXPECT_EQ(to_string(file.tensors[4].second), "u16[1] {5}");
  EXPECT_NE(file.tensors[1].second.storage()->is_writable(),
            file.tensors[4].second.storage()->is_writable());
}

TEST(Safetensors, HeadersAreChecked) {
  expect_refused("abc", ErrorCode::corrupt, "length");
  expect_refused(std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10), ErrorCode::limit_exceeded,
                 "100 MB");
  expect_refused(std::string("\x40\0\0\0\0\0\0\0{}", 10), ErrorCode::corrupt, "hold its header");
  expect_refused(file_of("", ""), ErrorCode::corrupt, "brace");
  expect_refused(file_of("[]", ""), ErrorCode::corrupt, "brace");
  expect_refused(file_of(" {}", ""), ErrorCode::corrupt, "brace");
  expect_refused(file_of("{", ""), ErrorCode::corrupt, "");
  expect_refused(file_of(R"({"a":1})", ""), ErrorCode::corrupt, "");
  EXPECT_TRUE(parse(file_of("{}", "")).tensors.empty());
}

std::string record(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TEST(Safetensors, RecordsAreChecked) {
  auto one = [](const std::string& text) { return file_of(R"({"a":)" + text + "}", "abcd"); };
  expect_refused(one(record("F4", "[4]", "[0,4]")), ErrorCode::unsupported, "F4");
  expect_refused(one(record("U8", "[-4]", "[0,4]")), ErrorCode::corrupt, "negative");
  expect_refused(one(record("U8", "[4]", "[0,4,4]")), ErrorCode::corrupt, "two numbers");
  expect_refused(one(record("U8", "[4]", "[-1,4]")), ErrorCode::corrupt, "negative");
  expect_refused(one(record("U8", "[4]", "[4,0]")), ErrorCode::corrupt, "exactly");
  expect_refused(one(record("U8", "[3]", "[0,4]")), ErrorCode::corrupt, "exactly");
  expect_refused(one(record("F64", "[2305843009213693952]", "[0,0]")), ErrorCode::corrupt,
                 "exactly");
  expect_refused(one(record("U8", "[9223372036854775807,9]", "[0,4]")), ErrorCode::out_of_range,
                 "64 bits");
  expect_refused(one(R"({"dtype":"U8","shape":[4]})"), ErrorCode::corrupt, "data_offsets");
  expect_refused(one(R"({"dtype":"U8","shape":[4],"data_offsets":[0,4],"x":1})"),
                 ErrorCode::corrupt, "only dtype");
}

TEST(Safetensors, DataMustBeTiled) {
  auto two = [](const std::string& a, const std::string& b) {
    return file_of(R"({"a":)" + record("U8", "[2]", a) + R"(,"b":)" + record("U8", "[2]", b) + "}",
                   "abcd");
  };
  EXPECT_EQ(parse(two("[2,4]", "[0,2]")).tensors.size(), 2U);
  expect_refused(two("[0,2]", "[1,3]"), ErrorCode::corrupt, "overlap");
  expect_refused(two("[0,2]", "[0,2]"), ErrorCode::corrupt, "overlap");
  expect_refused(two("[0,2]", "[3,5]"), ErrorCode::corrupt, "holes");
  expect_refused(file_of(R"({"a":)" + record("U8", "[2]", "[0,2]") + "}", "abcd"),
                 ErrorCode::corrupt, "end with the file");
  expect_refused(file_of(R"({"a":)" + record("U8", "[9]", "[0,9]") + "}", "abcd"),
                 ErrorCode::corrupt, "end with the file");
}

TEST(Safetensors, WritingRefusesWhatTheFormatLacks) {
  std::string path = testing::TempDir() + "litz_safetensors_refused.safetensors";
  Tensor plain = Tensor::scalar(DType::f32, 1);
  EXPECT_THROW(write_safetensors(path, std::vector<NamedTensor>{{"a", plain.to(DType::c128)}}),
               Error);
  EXPECT_THROW(write_safetensors(path, std::vector<NamedTensor>{{"a", plain}, {"a", plain}}),
               Error);
}

}  // namespace
}  // namespace litz
