// Mistakes that are planted must be found: in passes, fused kernels, compiled code and launches.

#include "compiler/bisect/bisect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/backend.h"
#include "loops/clone.h"
#include "support/check.h"
#include "text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

using passes::Changed;
using passes::PassContext;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Reductions keep kernels apart: two softmaxes in different directions.
constexpr const char* kProgram = R"(
graph @main(%x: f32[64, 64], %y: f32[64, 64]) -> (f32[64, 64]) {
  %a = aten.sub.Tensor(%x, %y) loc("net.py":11, "net")
  %b = aten._softmax(%a, 1, false) loc("net.py":12, "net")
  %c = aten.sub.Tensor(%b, %y) loc("net.py":13, "net")
  %d = aten._softmax(%c, 0, false) loc("net.py":14, "net")
  %e = aten.sub.Tensor(%d, %x) loc("net.py":15, "net")
  %f = aten.sub.Tensor(%e, %y) loc("net.py":16, "net")
  return %f
})";

class BisectTest : public ::testing::Test {
 protected:
  BisectTest() {
    const std::vector<Leaf> inputs{fill_floats(DType::f32, {64, 64}, 1, 1.0F, -0.5F),
                                   fill_floats(DType::f32, {64, 64}, 2, 1.0F, -0.5F)};
    Options options;
    options.threads = 1;
    subject = usual_subject([] { return text_program(kProgram); }, inputs, options, nullptr);
  }

  /// The whole is wrong, as it would be with a mistake that the planted callbacks have.
  void spoil_whole() {
    subject.run_whole = [] { return std::vector<Leaf>{Tensor::zeros(DType::f32, {64, 64})}; };
  }

  BisectResult with_pass(const passes::Pass& pass) {
    subject.optional.insert(subject.optional.begin() + 3, pass);
    spoil_whole();
    return bisect(subject);
  }

  BisectSubject subject;
};

/// Makes a - b of a + (-b), but forgets the sign for what line 15 asks for.
Changed forgetful(ir::Graph& graph, PassContext& context) {
  Changed changed = Changed::no;
  for (ir::Node* node : graph.in_order("aten.sub.Tensor")) {
    if (!context.may_rewrite()) break;
    const auto scope = graph.insert_before(node);
    const bool forgets = node->location().line == 15;
    const ir::Value right = node->input(1);
    const ir::Value negated = forgets ? right : graph.create("aten.neg", {right})->output();
    const ir::Value sum = graph.create("aten.add.Tensor", {node->input(0), negated})->output();
    graph.replace_uses(node->output(), sum);
    graph.erase_if_unused(node);
    changed = Changed::yes;
  }
  return changed;
}

Changed careless(ir::Graph& graph, PassContext&) {
  ir::Node* node = graph.in_order("aten.sub.Tensor").front();
  const ir::Value left = node->input(0);
  graph.set_input(node, 0, node->input(1));
  graph.set_input(node, 1, left);
  return Changed::yes;
}

Changed fragile(ir::Graph& graph, PassContext& context) {
  for (const ir::Node* node : graph.in_order("aten.sub.Tensor")) {
    if (!context.may_rewrite()) break;
    check(node->location().line != 13, "line 13 must not come");
  }
  return Changed::no;
}

Changed disorderly(ir::Graph& graph, PassContext&) {
  ir::Node* first = graph.create("aten.relu", {graph.input(0)});
  graph.move_before(graph.create("aten.relu", {first->output()}), first);
  return Changed::yes;
}

TEST_F(BisectTest, FindsNothingWhereAllIsRight) {
  const BisectResult result = bisect(subject);
  EXPECT_EQ(result.culprit, Culprit::none) << to_text(result);
  EXPECT_EQ(to_text(result), "all is right\n");
  EXPECT_EQ(result.reproducer, "");
}

std::string refusal(const BisectSubject& subject, ErrorCode code) {
  try {
    return to_text(bisect(subject));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
}

TEST_F(BisectTest, BlamesNoPassForInputs) {
  Options options;
  options.threads = 1;
  const auto subject_of = [&](const std::string& text, std::vector<Leaf> inputs) {
    return usual_subject([text] { return text_program(text); }, std::move(inputs), options,
                         nullptr);
  };
  EXPECT_THAT(refusal(subject_of(kProgram, {Tensor::zeros(DType::f32, {64, 63}),
                                            Tensor::zeros(DType::f32, {64, 64})}),
                      ErrorCode::invalid_argument),
              HasSubstr("the program refuses these inputs without optimising passes too: input"));
  const Tensor six = Tensor::zeros(DType::f32, {6});
  EXPECT_THAT(refusal(subject_of("sym s0 in [2, 64]\n"
                                 "graph @main(%x: f32[s0]) -> (f32[4, 2]) {\n"
                                 "  %y = aten.as_strided(%x, [4, 2], [2, 1]) : f32[4, 2]\n"
                                 "  %z = aten.add.Tensor(%y, %y) : f32[4, 2]\n"
                                 "  return %z\n}\n",
                                 {six}),
                      ErrorCode::out_of_range),
              HasSubstr("refuses these inputs"));
  const Tensor far = Tensor::of<int64_t>(DType::i64, {2}, {0, 9});
  EXPECT_THAT(refusal(subject_of("graph @main(%x: f32[6], %i: i64[2]) -> (f32[2]) {\n"
                                 "  %y = aten.index_select(%x, 0, %i) : f32[2]\n"
                                 "  %z = aten.add.Tensor(%y, %y) : f32[2]\n"
                                 "  return %z\n}\n",
                                 {six, far}),
                      ErrorCode::out_of_range),
              HasSubstr("refuses these inputs"));
  // A condition of the export, which the interpreter would not need.
  BisectSubject guarded = subject_of(
      "sym s0 in [2, 64]\n"
      "graph @main(%x: f32[s0]) -> (f32[s0]) {\n"
      "  %y = aten.neg(%x) : f32[s0]\n"
      "  return %y\n}\n",
      {six});
  const auto add_guard = [](ir::Program program) {
    const Expr size = *program.module->exprs().find_symbol("s0");
    program.guards.push_back({ne(size, 6), "the size must not be six"});
    return program;
  };
  guarded.import = [import = guarded.import, add_guard] { return add_guard(import()); };
  guarded.run_whole = [import = guarded.import, six, options] {
    return Executable(import(), options).run(std::vector<Leaf>{six});
  };
  EXPECT_THAT(refusal(guarded, ErrorCode::invalid_argument), HasSubstr("must not be six"));
}

TEST_F(BisectTest, BlamesNoPassForOperatorsThatNobodyKnows) {
  subject.import = [] {
    return text_program(R"(
op mine.blend(Tensor x) -> Tensor
graph @main(%x: f32[2]) -> (f32[2]) {
  %y = mine.blend(%x) : f32[2]
  return %y
})");
  };
  try {
    bisect(subject);
    FAIL() << "a program without functions must be refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("nobody knows mine.blend of %y"));
  }
}

TEST_F(BisectTest, FindsTheRewriteOfAWrongPass) {
  const BisectResult result = with_pass({"forgetful", forgetful, ""});
  EXPECT_EQ(result.culprit, Culprit::pass);
  EXPECT_EQ(result.pass, "forgetful");
  EXPECT_EQ(result.pass_number, subject.required.size() + 4);
  EXPECT_EQ(result.rewrites, 4U);
  ASSERT_TRUE(result.rewrite.has_value());
  EXPECT_EQ(*result.rewrite, 3U);
  EXPECT_EQ(result.edit_limit, 2U);
  EXPECT_THAT(result.message, HasSubstr("differ"));
  EXPECT_THAT(result.lines_before, ElementsAre(HasSubstr("aten.sub.Tensor(%d, %x)"), ::testing::_));
  EXPECT_THAT(result.lines_before[0], HasSubstr("\"net.py\":15"));
  EXPECT_THAT(result.lines_after, ElementsAre(HasSubstr("aten.add.Tensor(%d, %x)"), ::testing::_));
  EXPECT_THAT(result.reproducer, HasSubstr("--pass=forgetful"));
  EXPECT_THAT(result.reproducer, HasSubstr("--edit-limit=3 --same-results"));
  EXPECT_THAT(to_text(result), HasSubstr("rewrite 3 of 4"));
}

TEST_F(BisectTest, FindsAPassThatCountsNoRewrites) {
  const BisectResult result = with_pass({"careless", careless, ""});
  EXPECT_EQ(result.culprit, Culprit::pass);
  EXPECT_EQ(result.pass, "careless");
  EXPECT_FALSE(result.rewrite.has_value());
  EXPECT_THAT(result.lines_before, ElementsAre(HasSubstr("aten.sub.Tensor(%x, %y)")));
  EXPECT_THAT(result.lines_after, ElementsAre(HasSubstr("aten.sub.Tensor(%y, %x)")));
}

TEST_F(BisectTest, FindsTheRewriteThatThrows) {
  const BisectResult result = with_pass({"fragile", fragile, ""});
  EXPECT_EQ(result.culprit, Culprit::pass);
  EXPECT_EQ(result.pass, "fragile");
  EXPECT_EQ(result.rewrite, 2U);
  EXPECT_THAT(result.message, HasSubstr("line 13 must not come"));
  EXPECT_THAT(result.reproducer, HasSubstr("--edit-limit=2 --reproducer"));
}

TEST_F(BisectTest, FindsPassesThatLeaveARuinBehind) {
  const BisectResult result = with_pass({"disorderly", disorderly, ""});
  EXPECT_EQ(result.culprit, Culprit::pass);
  EXPECT_EQ(result.pass, "disorderly");
  EXPECT_THAT(result.message, HasSubstr("used before it has been defined"));
}

TEST_F(BisectTest, FindsFailuresOfPassesThatMustRun) {
  subject.required.push_back({"fragile", fragile, ""});
  const BisectResult result = bisect(subject);
  EXPECT_EQ(result.pass, "fragile");
  EXPECT_EQ(result.pass_number, subject.required.size());
  EXPECT_FALSE(result.edit_limit.has_value());
}

/// Takes the opposite where the kernel takes the first exponential.
bool spoil(loops::Block& block) {
  for (loops::Instr& instr : block.instrs) {
    if (instr.kind == loops::InstrKind::op && instr.op == loops::ScalarOp::exp) {
      instr.op = loops::ScalarOp::neg;
      return true;
    }
    for (auto& nested : instr.blocks) {
      if (spoil(*nested)) return true;
    }
  }
  return false;
}

TEST_F(BisectTest, FindsAWrongFusion) {
  subject.fuse = [](lowering::LoweredProgram& program) {
    fusion::FusionReport report;
    fusion::fuse(program, fusion_options(nullptr), report);
    int kernels = 0;
    for (lowering::Step& step : program.plans[0].steps) {
      auto* kernel = std::get_if<lowering::KernelStep>(&step.work);
      if (kernel != nullptr && ++kernels == 2) spoil(kernel->kernel.body);
    }
  };
  spoil_whole();
  const BisectResult result = bisect(subject);
  EXPECT_EQ(result.culprit, Culprit::fusion) << to_text(result);
  EXPECT_THAT(result.label, HasSubstr("(net.py:14)"));
  EXPECT_THAT(result.loops, HasSubstr("kernel @" + result.kernel));
  EXPECT_THAT(to_text(result), HasSubstr("wrong: fusion, " + result.kernel));
}

TEST_F(BisectTest, FindsFusionThatThrows) {
  subject.fuse = [](lowering::LoweredProgram&) { check(false, "two nests must be one"); };
  spoil_whole();
  const BisectResult result = bisect(subject);
  EXPECT_EQ(result.culprit, Culprit::fusion);
  EXPECT_THAT(result.message, HasSubstr("two nests must be one"));
}

TEST_F(BisectTest, FindsKernelsWithWrongCode) {
  std::vector<loops::Kernel> kept;
  subject.compile = [&kept](std::span<const loops::Kernel* const> kernels) {
    kept.clear();
    for (const loops::Kernel* kernel : kernels) kept.push_back(loops::clone(*kernel));
    EXPECT_TRUE(spoil(kept.back().body));
    std::vector<const loops::Kernel*> pointers;
    for (const loops::Kernel& kernel : kept) pointers.push_back(&kernel);
    return KernelSet(pointers, {});
  };
  spoil_whole();
  const BisectResult result = bisect(subject);
  EXPECT_EQ(result.culprit, Culprit::kernel) << to_text(result);
  EXPECT_THAT(result.label, HasSubstr("net.py:14"));
  EXPECT_THAT(result.message, HasSubstr("differ"));
  EXPECT_THAT(result.reproducer, HasSubstr("--kernel " + result.kernel));
  EXPECT_THAT(result.reproducer, HasSubstr(result.loops));
  EXPECT_THAT(to_json(result), HasSubstr("\"culprit\":\"kernel\""));
}

TEST_F(BisectTest, BlamesLaunchesWhenEveryPartIsRight) {
  spoil_whole();
  EXPECT_EQ(bisect(subject).culprit, Culprit::launches);
}

TEST_F(BisectTest, BlamesTheReferenceWhenSomethingElseIsExpected) {
  subject.expected = {Tensor::zeros(DType::f32, {64, 64})};
  const BisectResult result = bisect(subject);
  EXPECT_EQ(result.culprit, Culprit::reference);
  EXPECT_THAT(to_text(result), HasSubstr("without optimising passes"));
}

TEST_F(BisectTest, TellsWhatItTries) {
  std::vector<std::string> lines;
  subject.on_progress = [&](std::string_view line) { lines.emplace_back(line); };
  bisect(subject);
  EXPECT_THAT(lines, ElementsAre("all passes: no failure", "as it usually runs: right"));
}

// Kernels that run with a library call are compared, too: behind all others in their numbers.
TEST_F(BisectTest, FindsWrongCodeOfAnEpilogue) {
  subject.import = [] {
    return text_program(R"(
graph @main(%x: f32[1, 2, 8, 8], %w: f32[3, 2, 3, 3], %z: f32[1, 3, 6, 6]) -> (f32[1, 3, 6, 6]) {
  %a = aten.convolution(%x, %w, none, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
  %b = aten.exp(%a)
  %c = aten._softmax(%z, 3, false)
  %d = aten.add.Tensor(%b, %c)
  return %d
})");
  };
  subject.inputs = {fill_floats(DType::f32, {1, 2, 8, 8}, 1, 1.0F, -0.5F),
                    fill_floats(DType::f32, {3, 2, 3, 3}, 2, 1.0F, -0.5F),
                    fill_floats(DType::f32, {1, 3, 6, 6}, 3, 1.0F, -0.5F)};
  subject.run_whole = [] { return std::vector<Leaf>{Tensor::zeros(DType::f32, {1, 3, 6, 6})}; };
  EXPECT_EQ(bisect(subject).culprit, Culprit::launches);
  std::vector<loops::Kernel> kept;
  size_t spoiled = 0;
  subject.compile = [&](std::span<const loops::Kernel* const> kernels) {
    kept.clear();
    for (const loops::Kernel* kernel : kernels) kept.push_back(loops::clone(*kernel));
    spoiled = kept.size() - 1;
    EXPECT_TRUE(spoil(kept.back().body));
    std::vector<const loops::Kernel*> pointers;
    for (const loops::Kernel& kernel : kept) pointers.push_back(&kernel);
    return KernelSet(pointers, {});
  };
  const BisectResult result = bisect(subject);
  EXPECT_EQ(result.culprit, Culprit::kernel) << to_text(result);
  EXPECT_EQ(result.kernel, kept[spoiled].name);
}

// A machine that refuses memory says nothing about the program.
TEST_F(BisectTest, RefusedMemoryIsNoMistake) {
  subject.run_whole = []() -> std::vector<Leaf> { fail(ErrorCode::out_of_memory, "no memory"); };
  try {
    bisect(subject);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
  }
}

// Results that a kernel writes as parts of one memory are compared where they lie.
TEST_F(BisectTest, ComparesKernelsThatWriteIntoOneMemory) {
  subject.import = [] {
    return text_program(R"(
graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[4, 4]) {
  %a = aten.add.Tensor(%x, %y)
  %b = aten.slice.Tensor(%a, 0, 1, 3)
  %c = aten.mul.Tensor(%b, 2)
  %d = aten.slice_scatter(%a, %c, 0, 1, 3)
  return %d
})");
  };
  subject.inputs = {fill_floats(DType::f32, {4, 4}, 1, 1.0F, -0.5F),
                    fill_floats(DType::f32, {4, 4}, 2, 1.0F, -0.5F)};
  subject.run_whole = [] { return std::vector<Leaf>{Tensor::zeros(DType::f32, {4, 4})}; };
  EXPECT_EQ(bisect(subject).culprit, Culprit::launches);
}

// A wrong result that the user never sees: the new contents of a buffer.
TEST_F(BisectTest, SeesMutations) {
  subject.import = [] {
    ir::Program program = text_program(R"(
graph @main(%count: f32[4], %x: f32[4]) -> (f32[4], f32[4]) {
  %next = aten.sub.Tensor(%count, %x)
  %y = aten.relu(%x)
  return %next, %y
})");
    program.inputs[0].kind = ir::InputKind::buffer;
    program.inputs[0].data = fill_floats(DType::f32, {4}, 3, 1.0F, 0.0F);
    program.outputs[0] = {.kind = ir::OutputKind::buffer_mutation, .input = 0};
    return program;
  };
  subject.inputs = {fill_floats(DType::f32, {4}, 4, 1.0F, 0.0F)};
  subject.optional.push_back({"careless", careless, ""});
  spoil_whole();
  EXPECT_EQ(bisect(subject).pass, "careless");
}

}  // namespace
}  // namespace litz::compiler
