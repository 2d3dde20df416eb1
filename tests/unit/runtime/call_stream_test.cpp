#include "runtime/call_stream.h"

#include <thread>

#include <gtest/gtest.h>

namespace litz::runtime {
namespace {

TEST(CallStream, TheInnermostOfACardCounts) {
  EXPECT_FALSE(current_call_stream(0));
  int a = 0;
  int b = 0;
  const CallsOnStream outer({.card = 0, .handle = &a});
  {
    const CallsOnStream other({.card = 1, .handle = &b});
    EXPECT_EQ(current_call_stream(0)->handle, &a);
    EXPECT_EQ(current_call_stream(1)->handle, &b);
    const CallsOnStream inner({.card = 0, .handle = nullptr});
    EXPECT_EQ(current_call_stream(0)->handle, nullptr);
  }
  EXPECT_EQ(current_call_stream(0)->handle, &a);
  EXPECT_FALSE(current_call_stream(1));
  std::thread([] { EXPECT_FALSE(current_call_stream(0)); }).join();
}

}  // namespace
}  // namespace litz::runtime
