// Parts of compiled functions that are compiled alone.

#include <litz/compile.h>
#include <litz/index.h>
#include <litz/region.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "public_values.h"

namespace litz {
namespace {

using testing::ElementsAre;

TEST(PublicRegion, ComputesTheSameWithAndWithoutRegions) {
  const auto body = [](const Tensor& x) {
    const Tensor y = region("first", [&] { return relu(x) * 2; });
    return region({.id = "second", .options = {{"fuse", "false"}}}, [&] { return y + x; });
  };
  for (const bool regional : {false, true}) {
    CompileOptions options;
    options.run.regional = regional;
    const auto function = compile(body, options);
    EXPECT_THAT(function(row({-1, 2})).to_vector<float>(), ElementsAre(-1, 6)) << regional;
  }
  EXPECT_THAT(body(row({-1, 2})).to_vector<float>(), ElementsAre(-1, 6));
}

TEST(PublicRegion, ChecksOptions) {
  const RegionOptions unknown{.id = "a", .options = {{"no_such_option", "1"}}};
  EXPECT_THROW(region(unknown, [] { return 1; }), Error);
  const RegionOptions wrong{.id = "a", .options = {{"fuse", "7"}}};
  EXPECT_THROW(region(wrong, [] { return 1; }), Error);
}

}  // namespace
}  // namespace litz
