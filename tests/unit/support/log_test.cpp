#include "support/log.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz {
namespace {

TEST(Log, NamesItsLevels) {
  EXPECT_EQ(log_level_from("warning"), LogLevel::warning);
  EXPECT_EQ(log_level_from("off"), LogLevel::off);
  EXPECT_EQ(log_level_from("loud"), std::nullopt);
}

TEST(Log, WritesFromItsLevelUp) {
  testing::internal::CaptureStderr();
  set_log_level(LogLevel::info);
  EXPECT_TRUE(log_enabled(LogLevel::info));
  EXPECT_FALSE(log_enabled(LogLevel::debug));
  log(LogLevel::debug, "hidden");
  log(LogLevel::info, "shown {}");  // Braces are text, not a format.
  set_log_level(LogLevel::warning);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, testing::HasSubstr("shown {}"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("hidden")));
}

TEST(Log, GivesMessagesToASink) {
  testing::internal::CaptureStderr();
  std::vector<std::string> messages;
  set_log_sink([&](LogLevel level, std::string_view message) {
    EXPECT_EQ(level, LogLevel::warning);
    messages.emplace_back(message);
    throw std::runtime_error("a sink that fails");
  });
  log(LogLevel::warning, "one");
  log(LogLevel::debug, "hidden");
  set_log_sink({});
  log(LogLevel::warning, "two");
  EXPECT_EQ(messages, std::vector<std::string>{"one"});
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, testing::HasSubstr("two"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("one")));
}

}  // namespace
}  // namespace litz
