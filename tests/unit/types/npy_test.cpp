#include "types/npy.h"

#include <complex>
#include <cstdio>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

using testing::HasSubstr;

/// A file of the given version with this header text and data.
std::string npy(int major, std::string header, const std::string& data) {
  header += '\n';
  std::string bytes("\x93NUMPY", 6);
  bytes += static_cast<char>(major);
  bytes += '\0';
  int length_bytes = major == 1 ? 2 : 4;
  for (int i = 0; i < length_bytes; ++i) bytes += static_cast<char>(header.size() >> (8 * i));
  return bytes + header + data;
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

Tensor parse(const std::string& bytes) { return parse_npy(std::as_bytes(std::span(bytes))); }

void expect_refused(const std::string& bytes, ErrorCode code, const std::string& text) {
  try {
    parse(bytes);
    ADD_FAILURE() << "must be refused: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(text));
  }
}

TEST(Npy, EveryVersionReads) {
  std::string data("\x01\x00\x02\x00", 4);
  for (int major : {1, 2, 3}) {
    EXPECT_EQ(to_string(parse(npy(major, header("<u2", "(2,)"), data))), "u16[2] {1, 2}");
  }
}

TEST(Npy, ShapesOfRankZeroToThree) {
  EXPECT_EQ(to_string(parse(npy(1, header("|i1", "()"), "\x05"))), "i8[] {5}");
  EXPECT_EQ(to_string(parse(npy(1, header("|u1", "(1, 3)"), "abc"))), "u8[1, 3] {97, 98, 99}");
  EXPECT_EQ(to_string(parse(npy(1, header("|u1", "(1, 3L, 0)"), ""))), "u8[1, 3, 0] {}");
}

TEST(Npy, ColumnMajorBecomesStrides) {
  Tensor tensor = parse(npy(1, header("|u1", "(2, 3)", true), std::string("\0\1\2\3\4\5", 6)));
  EXPECT_EQ(tensor.strides(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(to_string(tensor.contiguous()), "u8[2, 3] {0, 2, 4, 1, 3, 5}");
}

TEST(Npy, BigEndianNumbersAreSwapped) {
  EXPECT_EQ(to_string(parse(npy(1, header(">i4", "(1,)"), std::string("\0\0\1\2", 4)))),
            "i32[1] {258}");
  EXPECT_EQ(to_string(parse(npy(1, header(">c8", "()"), std::string("\x3f\x80\0\0\xc0\0\0\0", 8)))),
            "c64[] {1-2j}");
}

TEST(Npy, BooleansAreNormalised) {
  Tensor tensor = parse(npy(1, header("|b1", "(2,)"), std::string("\x07\x00", 2)));
  EXPECT_EQ(tensor.data()[0], std::byte{1});
  EXPECT_EQ(to_string(tensor), "bool[2] {true, false}");
}

TEST(Npy, EveryNumpyTypeSurvivesARoundTrip) {
  for (DType dtype :
       {DType::bool_, DType::u8, DType::i8, DType::u16, DType::i16, DType::u32, DType::i32,
        DType::u64, DType::i64, DType::f16, DType::f32, DType::f64, DType::c64, DType::c128}) {
    Tensor tensor = Tensor::of<int32_t>(DType::i32, {3, 1}, {1, 0, 1}).to(dtype);
    Tensor back = parse_npy(format_npy(tensor));
    EXPECT_EQ(back.dtype(), dtype);
    EXPECT_EQ(back.sizes(), tensor.sizes());
    EXPECT_EQ(to_string(back), to_string(tensor));
  }
}

TEST(Npy, OtherTypesAreWrittenAsBits) {
  Tensor halves = Tensor::of<float>(DType::bf16, {2}, {1, -2});
  Tensor bits = parse_npy(format_npy(halves));
  EXPECT_EQ(bits.dtype(), DType::u16);
  EXPECT_EQ(to_string(bits.view_as(DType::bf16)), "bf16[2] {1, -2}");
  EXPECT_EQ(parse_npy(format_npy(halves.to(DType::f8e5m2))).dtype(), DType::u8);
  EXPECT_EQ(parse_npy(format_npy(halves.to(DType::c32))).dtype(), DType::u32);
}

TEST(Npy, WrittenDataIsAligned) {
  std::vector<std::byte> bytes = format_npy(Tensor::of<float>(DType::f32, {1}, {1}));
  EXPECT_EQ((bytes.size() - 4) % 64, 0U);
  EXPECT_EQ(bytes[bytes.size() - 5], std::byte{'\n'});
}

TEST(Npy, FilesRoundTrip) {
  std::string path = testing::TempDir() + "litz_npy_test.npy";
  write_npy(path, Tensor::of<double>(DType::f64, {2}, {0.5, 1e300}));
  EXPECT_EQ(to_string(read_npy(path)), "f64[2] {0.5, 1e+300}");
  std::remove(path.c_str());
  EXPECT_THROW(read_npy(path), Error);
  EXPECT_THROW(write_npy("/nonexistent/folder/x.npy", Tensor::scalar(DType::f32, 1)), Error);
}

TEST(Npy, HostileHeadersAreRefused) {
  expect_refused("", ErrorCode::corrupt, "magic");
  expect_refused("\x93NUMPY\x01", ErrorCode::corrupt, "magic");
  expect_refused(npy(4, header("|u1", "()"), "a"), ErrorCode::unsupported, "version");
  expect_refused(npy(1, header("|O", "()"), "a"), ErrorCode::unsupported, "pickled");
  expect_refused(npy(1, header("<U3", "()"), "a"), ErrorCode::unsupported, "<U3");
  expect_refused(npy(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", ""),
                 ErrorCode::unsupported, "structured");
  expect_refused(npy(1, "{'descr': '|u1', 'shape': ()}", "a"), ErrorCode::corrupt, "must have");
  expect_refused(npy(1, "{'descr': '|u1', 'descr': '|u1'}", "a"), ErrorCode::corrupt, "once");
  expect_refused(npy(1, "{'extra': '|u1'}", "a"), ErrorCode::corrupt, "extra");
  expect_refused(npy(1, header("|u1", "()") + "x", "a"), ErrorCode::corrupt, "end after");
  expect_refused(npy(1, header("|u1", "(-1,)"), "a"), ErrorCode::corrupt, "sizes >= 0");
  expect_refused(npy(1, header("|u1", "(1)"), "a"), ErrorCode::corrupt, "comma");
  expect_refused(npy(1, header("|u1", "(99999999999999999999,)"), "a"), ErrorCode::corrupt,
                 "64 bits");
  expect_refused(npy(1, "{'descr': '|u1", ""), ErrorCode::corrupt, "must end");
  expect_refused(npy(1, "{'fortran_order': Maybe", ""), ErrorCode::corrupt, "True or False");
}

TEST(Npy, DataMustFitExactly) {
  expect_refused(npy(1, header("<u2", "(2,)"), "abc"), ErrorCode::corrupt, "exactly");
  expect_refused(npy(1, header("<u2", "(2,)"), "abcde"), ErrorCode::corrupt, "exactly");
  expect_refused(npy(1, header("<f8", "(4611686018427387904,)"), "abcdefgh"), ErrorCode::corrupt,
                 "exactly");
  expect_refused(npy(1, header("<f8", "(4611686018427387904, 4)"), ""), ErrorCode::out_of_range,
                 "64 bits");
  std::string many_dimensions = "(";
  for (int i = 0; i < 65; ++i) many_dimensions += "1,";
  expect_refused(npy(1, header("|u1", many_dimensions + ")"), "a"), ErrorCode::corrupt, "64 dim");
}

TEST(Npy, HeaderLengthIsChecked) {
  std::string truncated = npy(1, header("|u1", "()"), "");
  truncated.resize(20);
  expect_refused(truncated, ErrorCode::corrupt, "hold its header");
  std::string huge("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12);
  expect_refused(huge, ErrorCode::limit_exceeded, "64 KiB");
}

}  // namespace
}  // namespace litz
