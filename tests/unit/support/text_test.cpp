#include "support/text.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz {
namespace {

using testing::ElementsAre;

TEST(Text, Joins) {
  EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
  EXPECT_EQ(join(std::vector<std::string>{"x"}, ", "), "x");
  EXPECT_EQ(join(std::vector<int64_t>{1, -2, 3}, "x"), "1x-2x3");
  EXPECT_EQ(join(std::vector<std::string_view>{}, ", "), "");
}

TEST(Text, SplitsAndTrims) {
  EXPECT_THAT(split("a//b", '/'), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("", '/'), ElementsAre(""));
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
}

TEST(Text, QuotesAndUnquotes) {
  EXPECT_EQ(quote("a\"b\\c\n\x01"), R"("a\"b\\c\n\u0001")");
  for (const std::string& text :
       {std::string("plain"), std::string("\0\x1f\"\\\n\r\t\x7f", 8), std::string("\xc3\xa9")}) {
    EXPECT_EQ(unquote(quote(text)), text);
  }
  EXPECT_EQ(unquote(R"("\u00e9\ud83d\ude00\/\b\f")"), "\xc3\xa9\xf0\x9f\x98\x80/\b\f");
  for (const char* bad : {"", "\"", "abc", "\"a", "\"a\"b\"", R"("\x")", R"("\u12")", R"("\ud800")",
                          R"("\udc00")", R"("\)", "\"a\nb\"", R"("\ud800\u0041")"}) {
    EXPECT_EQ(unquote(bad), std::nullopt) << bad;
  }
}

TEST(Text, ChecksUtf8) {
  for (const char* good : {"", "abc", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                           "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_valid_utf8(good)) << good;
  }
  for (const char* bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3", "\xe2\x82", "\xc3(", "\xff"}) {
    EXPECT_FALSE(is_valid_utf8(bad)) << bad;
  }
}

TEST(Text, FloatingPointSurvivesTheRoundTrip) {
  EXPECT_EQ(format_double(1.0), "1.0");
  EXPECT_EQ(format_double(-0.0), "-0.0");
  EXPECT_EQ(format_double(0.1), "0.1");
  EXPECT_EQ(format_double(1e-05), "1e-05");
  EXPECT_EQ(format_float(0.1F), "0.1");
  EXPECT_EQ(format_double(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(format_double(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(format_double(std::nan("")), "nan");
  for (const double value : {0.1 + 0.2, 1e308, 5e-324, 1.0 / 3, 123456789012345678.0, -2.5e-10}) {
    EXPECT_EQ(parse_double(format_double(value)), value);
  }
  EXPECT_TRUE(std::isnan(*parse_double("nan")));
  EXPECT_EQ(parse_double("-inf"), -std::numeric_limits<double>::infinity());
  for (const char* bad : {"", "1x", " 1", "1e999", "nan(1)", "0x1p3"}) {
    EXPECT_EQ(parse_double(bad), std::nullopt) << bad;
  }
}

TEST(Text, ParsesIntegersExactly) {
  EXPECT_EQ(parse_int("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parse_int("9223372036854775807"), INT64_MAX);
  for (const char* bad : {"", "9223372036854775808", "1.0", "1 ", "+1"}) {
    EXPECT_EQ(parse_int(bad), std::nullopt) << bad;
  }
}

TEST(Text, MeasuresAndSuggests) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("sofmtax", "softmax"), 1u);
  EXPECT_EQ(edit_distance("same", "same"), 0u);
  const std::array<std::string_view, 3> names = {"aten.softmax", "aten.silu", "aten.gelu"};
  EXPECT_EQ(closest("aten.sofmax", names), "aten.softmax");
  EXPECT_EQ(closest("aten.conv3d_transposed", names), std::nullopt);
}

TEST(Text, SizesAndTimesForPeople) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1536), "1.50 KiB");
  EXPECT_EQ(human_bytes(uint64_t{100} << 20), "100 MiB");
  EXPECT_EQ(human_bytes(UINT64_MAX), "16.0 EiB");
  EXPECT_EQ(human_seconds(0), "0 s");
  EXPECT_EQ(human_seconds(1.25e-3), "1.25 ms");
  EXPECT_EQ(human_seconds(310e-9), "310 ns");
  EXPECT_EQ(human_seconds(12.34), "12.3 s");
  EXPECT_EQ(human_seconds(999.9e-6), "1.00 ms");
}

TEST(Text, RoundedNumbersHaveFewDigits) {
  EXPECT_EQ(rounded(1.0 / 3, 6), "0.333333");
  EXPECT_EQ(rounded(1e20, 3), "1e+20");
  EXPECT_EQ(rounded(-0.0, 6), "-0");
  EXPECT_EQ(rounded(-std::numeric_limits<double>::infinity(), 6), "-inf");
  EXPECT_EQ(rounded(-std::numeric_limits<double>::quiet_NaN(), 6), "nan");
  EXPECT_EQ(rounded(123456789.0, 17), "123456789");
  EXPECT_EQ(rounded(std::complex<double>(1.5, -2), 6), "1.5-2j");
  EXPECT_EQ(rounded(std::complex<double>(0, 1), 6), "0+1j");
}

}  // namespace
}  // namespace litz
