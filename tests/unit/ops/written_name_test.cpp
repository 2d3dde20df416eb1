#include "ops/written_name.h"

#include <gtest/gtest.h>

namespace litz::ops {
namespace {

TEST(WrittenName, IsThatOfTheUser) {
  EXPECT_EQ(written_name("litz.index"), "aten.index");
  EXPECT_EQ(written_name("litz.index_put_"), "aten.index_put");
  EXPECT_EQ(written_name("aten.gather"), "aten.gather");
  EXPECT_EQ(written_name("litz.attention"), "litz.attention");
}

}  // namespace
}  // namespace litz::ops
