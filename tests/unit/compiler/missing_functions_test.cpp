#include "compiler/missing_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/text_program.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string refusal(const std::string& op, const std::string& dialect) {
  ir::Program program = text_program("op " + op +
                                     "(Tensor x) -> Tensor\n"
                                     "graph @main(%x: f32[2]) -> (f32[2]) {\n"
                                     "  %y = " +
                                     op +
                                     "(%x) : f32[2]\n"
                                     "  %z = aten.neg(%y) : f32[2]\n"
                                     "  return %z\n}\n");
  program.dialect = dialect;
  try {
    require_functions(program);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    return error.what();
  }
}

TEST(MissingFunctions, AdviseWhatFits) {
  EXPECT_THAT(
      refusal("aten.frobnicate", "TRAINING"),
      AllOf(HasSubstr("nobody knows aten.frobnicate of %y"),
            HasSubstr("call program.run_decompositions() before"), Not(HasSubstr("--operators"))));
  EXPECT_THAT(refusal("aten.frobnicate", "ATEN"),
              AllOf(HasSubstr("without run_decompositions()"), Not(HasSubstr("--operators"))));
  EXPECT_THAT(refusal("mine.blend", "TRAINING"),
              AllOf(HasSubstr("--operators FILE.so"), Not(HasSubstr("run_decompositions"))));
  EXPECT_THAT(refusal("prims.frobnicate", "ATEN"),
              AllOf(HasSubstr("operators of aten"), Not(HasSubstr("run_decompositions"))));
}

}  // namespace
}  // namespace litz::compiler
