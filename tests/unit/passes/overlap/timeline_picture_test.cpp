#include "passes/overlap/timeline_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simple_times.h"

namespace litz::passes {
namespace {

using ::testing::HasSubstr;

class TimelinePicture : public ::testing::Test {
 protected:
  std::unique_ptr<ir::Module> module_ = read(R"(
graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[4, 4], f32[4, 4]) {
  %s = _c10d_functional.all_reduce(%x, "sum", "0")
  %m = aten.mm(%y, %y)
  %w = _c10d_functional.wait_tensor(%s)
  return %w, %m
})");
  Timeline line_ = timeline(*module_->find_graph("main"), simple_times({{"s", 20}}));
};

TEST_F(TimelinePicture, TextShowsWhatIsHidden) {
  EXPECT_EQ(timeline_text(line_, 20, 8),
            "computation |====    |\n"
            "group 0     |----####|\n");
}

TEST_F(TimelinePicture, NothingIsEmpty) {
  EXPECT_EQ(timeline_text(Timeline(), 0, 4), "computation |    |\n");
}

TEST_F(TimelinePicture, SvgHasABarForEachEvent) {
  const std::string svg = timeline_svg({{"before", &line_}, {"after", &line_}});
  EXPECT_THAT(svg,
              HasSubstr("%s = _c10d_functional.all_reduce, 0.00 to 20.00 us, exposed 10.00 us"));
  size_t bars = 0;
  for (size_t at = svg.find("<rect"); at != std::string::npos; at = svg.find("<rect", at + 1)) {
    ++bars;
  }
  EXPECT_EQ(bars, 4u);
}

}  // namespace
}  // namespace litz::passes
