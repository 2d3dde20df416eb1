// Ranks through the C functions. Processes are in tests/cli.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "litz/c_api.h"

namespace litz::runtime {
namespace {

using ::testing::HasSubstr;

std::string failure(litz_group_options options, litz_status expected) {
  litz_group* group = nullptr;
  litz_error* error = nullptr;
  EXPECT_EQ(litz_group_join(&options, &group, &error), expected);
  EXPECT_EQ(group, nullptr);
  std::string text = error != nullptr ? litz_error_message(error) : "";
  litz_error_free(error);
  return text;
}

TEST(CGroup, OptionsMustFit) {
  litz_group_options options{};
  EXPECT_THAT(failure(options, LITZ_INVALID_ARGUMENT), HasSubstr("sizeof(litz_group_options)"));
  options.size = sizeof options;
  options.engine = 7;
  EXPECT_THAT(failure(options, LITZ_INVALID_ARGUMENT), HasSubstr("enum litz_group_engine"));
  options.engine = LITZ_GROUP_NCCL;
  const char* const groups[] = {"tp=0,x"};
  options.groups = groups;
  options.group_count = 1;
  EXPECT_THAT(failure(options, LITZ_INVALID_ARGUMENT), HasSubstr("ranks of the world"));
  options.group_count = 0;
  options.rendezvous = "unused";
  options.rank = 3;
  options.world = 2;
  EXPECT_THAT(failure(options, LITZ_INVALID_ARGUMENT), HasSubstr("one of the world's: 3 2"));
  litz_group_free(nullptr);
}

}  // namespace
}  // namespace litz::runtime
