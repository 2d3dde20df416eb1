#include "runtime/test_modes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

using testing::HasSubstr;

std::string message_of(std::string_view text) {
  try {
    parse_test_modes(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(TestModes, AreReadFromText) {
  const TestModes all = parse_test_modes("poison, access,order=7,fault=3");
  EXPECT_TRUE(all.poison && all.access && all.fault && all.any());
  EXPECT_EQ(all.order_seed, 7U);
  EXPECT_EQ(all.fail_call, 3);
  EXPECT_EQ(parse_test_modes("order").order_seed, 0U);
  EXPECT_FALSE(parse_test_modes("order").poison);
  EXPECT_EQ(parse_test_modes("fault").fail_call, 0);
  EXPECT_FALSE(TestModes{}.any());
}

TEST(TestModes, UnknownOnesAreRefused) {
  EXPECT_THAT(message_of("poisom"), HasSubstr("did you mean 'poison'?"));
  EXPECT_THAT(message_of("poison,"), HasSubstr("must be poison, access"));
  EXPECT_THROW(parse_test_modes("order=x"), Error);
  EXPECT_THROW(parse_test_modes("order=-1"), Error);
  EXPECT_THROW(parse_test_modes("poison=1"), Error);
}

}  // namespace
}  // namespace litz::runtime
