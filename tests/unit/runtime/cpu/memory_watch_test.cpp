#include "runtime/cpu/memory_watch.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

class MemoryWatchTest : public testing::Test {
 protected:
  WatchedMemory own() { return {reinterpret_cast<std::byte*>(own_.data()), sizeof own_, true}; }

  WatchedMemory foreign() {
    return {reinterpret_cast<std::byte*>(foreign_.data()), sizeof foreign_, false};
  }

  static ByteRange range(int64_t* begin, int count, bool is_write) {
    const auto address = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(begin));
    return {address, address + static_cast<uint64_t>(count) * sizeof(int64_t), is_write};
  }

  ByteRange reads(int64_t* begin, int count = 1) { return range(begin, count, false); }

  ByteRange writes(int64_t* begin, int count = 1) { return range(begin, count, true); }

  template <typename F>
  std::string error(std::vector<ByteRange> declared, F launch) {
    try {
      watch_.run("it", declared, launch);
    } catch (const InternalError& caught) {
      return caught.what();
    }
    return "";
  }

  std::array<int64_t, 4> own_{1, 2, 3, 4};
  std::array<int64_t, 4> foreign_{10, 20, 30, 40};
  MemoryWatch watch_{{own(), foreign()}};
};

TEST_F(MemoryWatchTest, WhatIsDeclaredIsFine) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(error({reads(&own_[0]), reads(&foreign_[1]), writes(&own_[2])},
                    [&] { own_[2] = own_[0] + foreign_[1]; }),
              "");
    EXPECT_EQ(own_, (std::array<int64_t, 4>{1 + i, 2, 21 + i, 4}));
    EXPECT_EQ(error({writes(&own_[0])}, [&] { own_[0] += 1; }), "");  // In place, once.
  }
}

TEST_F(MemoryWatchTest, WhatIsWrittenBesideIsFound) {
  const std::string text = error({writes(&own_[0])}, [&] { own_[0] = own_[3] = 9; });
  EXPECT_NE(text.find("writes only what it declares: it changes byte 24 of 32"), std::string::npos)
      << text;
  EXPECT_NE(error({writes(&own_[0])}, [&] { foreign_[0] = 5; }), "");
}

TEST_F(MemoryWatchTest, WritingWhatWasThereIsFound) {
  const std::string text = error({writes(&own_[0])}, [&] { own_[3] = 4; });
  EXPECT_NE(text.find("writes only what it declares: it"), std::string::npos) << text;
  EXPECT_EQ(own_[3], 4);
}

TEST_F(MemoryWatchTest, WhatIsReadBesideIsFound) {
  const std::string text =
      error({reads(&own_[0]), writes(&own_[2])}, [&] { own_[2] = own_[0] + own_[1]; });
  EXPECT_NE(text.find("reads only what it declares: it"), std::string::npos) << text;
  EXPECT_EQ(own_, (std::array<int64_t, 4>{1, 2, 3, 4}));  // Nothing of it stays.
}

TEST_F(MemoryWatchTest, PoisonThatMakesItFailIsFound) {
  EXPECT_NE(error({writes(&own_[2])}, [&] { require(own_[1] == 2, "must be two:", own_[1]); }), "");
  EXPECT_EQ(own_[1], 2);
}

// Nobody but the caller may change it.
TEST_F(MemoryWatchTest, ForeignMemoryHoldsNoPoison) {
  EXPECT_EQ(error({writes(&own_[2])}, [&] { own_[2] = foreign_[1]; }), "");
}

TEST_F(MemoryWatchTest, WhatALaunchThrowsGoesOn) {
  EXPECT_THROW(watch_.run("it", {}, [] { fail(ErrorCode::io, "no"); }), Error);
}

TEST(MemoryWatch, RangesMayOverlap) {
  std::array<int64_t, 4> values{1, 2, 3, 4};
  auto* const begin = reinterpret_cast<std::byte*>(values.data());
  MemoryWatch watch({{begin, 24, true}, {begin + 16, 16, false}, {begin, 0, true}});
  const auto address = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(begin));
  const std::array declared{ByteRange{address, address + 16, true},
                            ByteRange{address + 8, address + 32, true}};
  watch.run("it", declared, [&] { values = {5, 6, 7, 8}; });
  EXPECT_EQ(values[3], 8);
  EXPECT_THROW(watch.run("it", {declared.data(), 1}, [&] { values[2] = 0; }), InternalError);
}

}  // namespace
}  // namespace litz::runtime
