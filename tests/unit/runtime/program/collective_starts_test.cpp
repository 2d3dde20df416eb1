#include "runtime/program/collective_starts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

using artifact::LibraryStep;
using artifact::Step;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

Step start(const std::string& function, const std::string& detail, const std::string& group) {
  LibraryStep call{.function = function, .arguments = {artifact::ValueRef{0}, detail, group}};
  return Step{.work = call,
              .results = {{.type = TensorType{.dtype = DType::f32, .sizes = {}, .strides = {}}}}};
}

Step call_of(std::vector<int32_t> routines) {
  artifact::ControlStep control;
  control.routines = std::move(routines);
  return Step{.work = control};
}

TEST(CollectiveStarts, AreListedByGroupAtTheirCalls) {
  artifact::Program program;
  program.routines.resize(2);
  program.routines[0].steps = {start("all_reduce", "sum", "0"), call_of({1}), call_of({1}),
                               start("wait", "", "0"), start("all_reduce", "max", "tp")};
  program.routines[1].steps = {start("all_reduce", "min", "0")};
  EXPECT_THAT(collective_starts(program),
              ElementsAre(Pair("0", ElementsAre("all_reduce sum 0 f32[]", "all_reduce min 0 f32[]",
                                                "all_reduce min 0 f32[]")),
                          Pair("tp", ElementsAre("all_reduce max tp f32[]"))));
}

TEST(CollectiveStarts, TransfersOnlyNameTheirGroup) {
  artifact::Program program;
  program.routines.resize(1);
  program.routines[0].steps = {start("send", "", "pp"), start("all_to_all", "", "0")};
  EXPECT_THAT(collective_starts(program),
              ElementsAre(Pair("0", ElementsAre("all_to_all")), Pair("pp", IsEmpty())));
  EXPECT_THAT(collective_starts(artifact::Program()), IsEmpty());
}

TEST(CollectiveStarts, ManyRepeatsAreRefused) {
  artifact::Program program;
  program.routines.resize(22);
  for (int32_t i = 0; i < 21; ++i) {
    program.routines[static_cast<size_t>(i)].steps = {call_of({i + 1, i + 1})};
  }
  program.routines[21].steps = {start("all_reduce", "sum", "0")};
  EXPECT_THROW(collective_starts(program), Error);
}

}  // namespace
}  // namespace litz::runtime
