#include "compiler/bisect/reproducer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"

namespace litz::compiler {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kGraph = R"(graph @main(%x: f32[2]) -> (f32[2]) {
  %y = aten.relu(%x) : f32[2]
  return %y
}
)";

TEST(Reproducer, IsTheGraphUnderAHeader) {
  const std::string text = reproducer_text(
      {.pass = "fold-constants", .module_before = kGraph, .message = "error: no luck\n  in pass"});
  EXPECT_THAT(text, StartsWith("// run: --pass=fold-constants --once --stated-types --program "
                               "--reproducer\n"));
  EXPECT_THAT(text, HasSubstr("//   | error: no luck\n//   |   in pass\n"));
  EXPECT_THAT(text, Not(HasSubstr("--edit-limit")));
  EXPECT_THAT(text, HasSubstr(kGraph));
  EXPECT_NO_THROW(ir::read_module(text, ops::standard_ops()));
}

TEST(Reproducer, SaysHowOftenThePassRewrites) {
  const std::string text = reproducer_text({.failure = ReproducedFailure::wrong_results,
                                            .pass = "compose-views",
                                            .module_before = kGraph,
                                            .message = "",
                                            .edit_limit = 3});
  EXPECT_THAT(text, HasSubstr("--edit-limit=3 --same-results\n"));
}

TEST(Reproducer, ListsThePipelineUpToThePass) {
  EXPECT_EQ(pipeline_until("functionalize"),
            "assign-streams,inline-wrappers,inline-vmaps,decompose,merge-waits,functionalize");
  EXPECT_THAT(pipeline_until("compose-views"), HasSubstr("remove-no-ops,compose-views"));
}

}  // namespace
}  // namespace litz::compiler
