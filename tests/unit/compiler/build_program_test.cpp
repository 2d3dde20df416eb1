// Programs whose sizes or control flow depend on data, divided into lists and what stands between.

#include "compiler/build_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "support/check.h"
#include "text_program.h"
#include "types/compare.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

using testing::HasSubstr;

Options options_of(ExecutorKind executor, bool is_tested) {
  Options options;
  options.executor = executor;
  options.threads = 1;
  if (is_tested) options.test_modes = runtime::parse_test_modes("poison,access,order=5");
  return options;
}

/// Compiled, in test modes, too, as interpreted; gives the compiled program.
std::string agree(const std::string& text, const std::vector<Leaf>& inputs) {
  Executable reference(text_program(text.c_str()), options_of(ExecutorKind::interpreter, false));
  const std::vector<Leaf> expected = reference.run(inputs);
  std::string printed;
  for (const bool is_tested : {false, true}) {
    Executable compiled(text_program(text.c_str()), options_of(ExecutorKind::cpu, is_tested));
    printed = artifact::to_string(*compiled.compiled());
    for (int call = 0; call < 2; ++call) {
      const std::vector<Leaf> actual = compiled.run(inputs);
      EXPECT_EQ(actual.size(), expected.size());
      for (size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
        const auto* tensor = std::get_if<Tensor>(&expected[i]);
        if (tensor == nullptr) {
          EXPECT_EQ(actual[i].index(), expected[i].index());
          continue;
        }
        const Comparison comparison = compare(std::get<Tensor>(actual[i]), *tensor, 1e-5, 1e-6);
        EXPECT_TRUE(comparison.matches()) << comparison.message() << "\n" << printed;
      }
    }
  }
  return printed;
}

Tensor row() { return fill_floats(DType::f32, {8}, 1, 1, 0); }

TEST(BuildProgram, SizesThatAreKnownMakeOneList) {
  const std::string printed = agree(R"(graph @main(%x: f32[8]) -> (f32[8]) {
  %a = aten.sin(%x) : f32[8]
  return %a
})",
                                    {row()});
  EXPECT_THAT(printed, testing::Not(HasSubstr("routine")));
}

TEST(BuildProgram, AssertionsAboutDataStayInTheList) {
  const std::string text = R"(graph @main(%x: f32[8], %y: f32[4, 8]) -> (f32[4]) {
  %g = aten.gt.Scalar(%x, -1000) : bool[8]
  %p = aten.all(%g) : bool[]
  aten._assert_async.msg(%p, "no large negative")
  %a = aten.mv(%y, %x) : f32[4]
  return %a
})";
  const Tensor matrix = fill_floats(DType::f32, {4, 8}, 1, 1, 1);
  EXPECT_THAT(agree(text, {row(), matrix}), testing::Not(HasSubstr("routine")));
  Tensor bad = row();
  reinterpret_cast<float*>(bad.mutable_data())[5] = -2000;
  for (const ExecutorKind kind : {ExecutorKind::interpreter, ExecutorKind::cpu}) {
    Executable executable(text_program(text.c_str()), options_of(kind, false));
    try {
      executable.run(std::vector<Leaf>{bad, matrix});
      FAIL() << "an assertion that does not hold must fail the call";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_THAT(error.what(),
                  HasSubstr("an assertion of the program must hold: no large negative"));
    }
  }
}

TEST(BuildProgram, SizesFromDataDivideIt) {
  const std::string printed = agree(R"(sym u0 in [0, 8]
graph @main(%x: f32[8], %y: f32[8]) -> (f32[u0], i64[u0, 1], f32[8]) {
  %a = aten.add.Tensor(%x, %y) : f32[8]
  %b = aten.cos(%a) : f32[8]
  %g = aten.gt.Scalar(%a, 0.5) : bool[8]
  %n = aten.nonzero(%g) : i64[u0, 1]
  %s = aten.squeeze.dim(%n, 1) : i64[u0]
  %t = aten.index.Tensor(%b, [%s]) : f32[u0]
  %u = aten.sin(%t) : f32[u0]
  return %u, %n, %b
})",
                                    {row(), row()});
  EXPECT_THAT(printed, HasSubstr("library nonzero"));
  EXPECT_THAT(printed, HasSubstr("list 0 @main_0"));
  EXPECT_THAT(printed, HasSubstr("list 1 @main_1"));
}

// The list behind the number repeats the view, since the memory is wider than the view.
TEST(BuildProgram, ViewsCrossNoBorder) {
  agree(R"(sym u0 in [0, 8]
graph @main(%x: f32[4, 8], %k: i64[1]) -> (f32[8], f32[4, 8], f32[4]) {
  %a = aten.sin(%x)
  %r = aten.select.int(%a, 0, 2)
  %n = aten._local_scalar_dense(%k) : int(u0)
  %b = aten.mul.Scalar(%r, u0)
  %w = aten.as_strided(%r, [4, 8], [8, 1], 0)
  %c = aten.mul.Scalar(%w, u0)
  %d = aten.sum.dim_IntList(%c, [1], false)
  return %b, %c, %d
})",
        {fill_floats(DType::f32, {4, 8}, 1, 1, 0), Tensor::of<int64_t>(DType::i64, {1}, {3})});
}

TEST(BuildProgram, LoopsAndBranchesRun) {
  const std::string text = R"(
graph @cond(%n: i64[], %x: f32[4, 8]) -> (bool[]) {
  %p = aten.gt.Scalar(%n, 0)
  return %p
}
graph @body(%n: i64[], %x: f32[4, 8]) -> (i64[], f32[4, 8]) {
  %m = aten.sub.Tensor(%n, 1)
  %y = aten.sin(%x)
  return %m, %y
}
graph @main(%n: i64[], %x: f32[4, 8]) -> (i64[], f32[4, 8]) {
  %r:2 = higher_order.while_loop(@cond, @body, [%n, %x])
  return %r#0, %r#1
})";
  for (const int64_t count : {0, 1, 5}) {
    const std::string printed = agree(
        text, {Tensor::scalar_int(DType::i64, count), fill_floats(DType::f32, {4, 8}, 1, 1, 0)});
    EXPECT_THAT(printed, HasSubstr("while [@cond, @body]"));
  }
}

}  // namespace
}  // namespace litz::compiler
