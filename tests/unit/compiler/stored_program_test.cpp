// Compiled programs as files: what comes back, what is refused and why, damage of any byte.

#include "compiler/stored_program.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "artifact/file_signature.h"
#include "artifact/program_file.h"
#include "artifact/program_json.h"
#include "compiler/report/compile_report.h"
#include "compiler/text_program.h"
#include "import/import.h"
#include "ops/op_table.h"
#include "runtime/program/model.h"
#include "runtime/program/program_loader.h"
#include "support/check.h"
#include "support/whole_file.h"
#include "types/compare.h"
#include "types/fill.h"
#include "types/npz.h"

namespace litz::compiler {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kText =
    "sym s0 in [2, 16]\n"
    "graph @main(%w: f32[8], %x: f32[s0, 8]) -> (f32[s0, 8]) {\n"
    "  %a = aten.mul.Tensor(%x, %w) : f32[s0, 8]\n"
    "  %b = aten.sigmoid(%a) : f32[s0, 8]\n"
    "  return %b\n}\n";

Options one_thread() {
  Options options;
  options.threads = 1;
  return options;
}

ir::Program small() {
  ir::Program program = text_program(kText);
  program.inputs[0] = {.kind = ir::InputKind::buffer,
                       .target = "w",
                       .label = {},
                       .persistent = true,
                       .data = fill_floats(DType::f32, {8}, 1, 1, 0),
                       .literal = {}};
  program.inputs[1].label = "x";
  return program;
}

const std::vector<std::byte>& stored() {
  static const std::vector<std::byte> bytes = Executable(small(), one_thread()).to_bytes();
  return bytes;
}

/// Weights of the result lie in the bytes.
Executable load_bytes(std::vector<std::byte> bytes) {
  const auto keeper = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return load_program(*keeper, keeper, one_thread());
}

Tensor input() { return fill_floats(DType::f32, {3, 8}, 2, 1, 0); }

Tensor answer_of(Executable& executable) {
  const std::vector<Leaf> inputs{input()};
  return std::get<Tensor>(executable.run(inputs).at(0));
}

std::string refusal(std::span<const std::byte> bytes, ErrorCode code) {
  try {
    load_program(bytes, nullptr, one_thread());
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
}

/// The file after a change, whole again.
std::vector<std::byte> changed(void (*change)(artifact::Program&),
                               const std::string& build = runtime::build_name()) {
  artifact::Program program = artifact::read_program_file(stored(), nullptr, runtime::build_name());
  change(program);
  return artifact::write_program_file(program, *program.symbols, build);
}

TEST(StoredProgram, GivesTheSameAnswers) {
  Executable original(small(), one_thread());
  Executable loaded = load_program(stored(), nullptr, one_thread());
  EXPECT_TRUE(compare(answer_of(loaded), answer_of(original), 0, 0).matches());
  EXPECT_EQ(loaded.launch_counts().kernels, 1);
  EXPECT_EQ(loaded.launch_counts().interpreted, 0);
}

TEST(StoredProgram, IsWrittenTheSameEachTime) {
  EXPECT_EQ(Executable(small(), one_thread()).to_bytes(), stored());
  EXPECT_EQ(load_program(stored(), nullptr, one_thread()).to_bytes(), stored());
}

TEST(StoredProgram, CannotBeInterpreted) {
  Options options = one_thread();
  options.executor = ExecutorKind::interpreter;
  EXPECT_THROW(load_program(stored(), nullptr, options), Error);
}

TEST(StoredProgram, ChecksInputsLikeTheProgram) {
  Executable loaded = load_program(stored(), nullptr, one_thread());
  const std::vector<Leaf> large{Tensor::zeros(DType::f32, {17, 8})};
  try {
    loaded.run(large);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("s0"));
    EXPECT_THAT(error.what(), HasSubstr("input \"x\""));
  }
}

TEST(StoredProgram, HoldsGuards) {
  ir::Program program = small();
  const Expr size = *program.module->exprs().find_symbol("s0");
  program.guards.push_back({ne(size, 3), "the size must not be three"});
  Executable loaded = load_bytes(Executable(std::move(program), one_thread()).to_bytes());
  try {
    answer_of(loaded);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the size must not be three"));
  }
}

TEST(StoredProgram, KeepsWhatBuffersHoldNow) {
  ir::Program program = text_program(
      "graph @main(%w: f32[2], %x: f32[2]) -> (f32[2], f32[2]) {\n"
      "  %a = aten.add.Tensor(%w, %x) : f32[2]\n"
      "  %b = aten.neg(%a) : f32[2]\n"
      "  return %a, %b\n}\n");
  program.inputs[0].kind = ir::InputKind::buffer;
  program.inputs[0].data = Tensor::zeros(DType::f32, {2});
  program.outputs[0] = {ir::OutputKind::buffer_mutation, 0, ""};
  Executable executable(std::move(program), one_thread());
  const std::vector<Leaf> ones{Tensor::of<float>(DType::f32, {2}, {1, 1})};
  executable.run(ones);
  Executable loaded = load_bytes(executable.to_bytes());
  EXPECT_EQ(std::get<Tensor>(loaded.run(ones).at(0)).at({0}), -2);
  EXPECT_EQ(std::get<Tensor>(loaded.run(ones).at(0)).at({0}), -3);
}

// Packing runs the program, which changes nothing that is kept, and the first call has nothing to pack.
TEST(StoredProgram, HoldsPackedConstants) {
  ir::Program program = text_program(
      "graph @main(%w: f32[64, 64], %n: f32[1], %x: f32[8, 64]) -> (f32[1], f32[8, 64]) {\n"
      "  %m = aten.add.Scalar(%n, 1) : f32[1]\n"
      "  %y = aten.mm(%x, %w) : f32[8, 64]\n"
      "  return %m, %y\n}\n");
  program.inputs[0].kind = ir::InputKind::parameter;
  program.inputs[0].data = fill_floats(DType::f32, {64, 64}, 1, 1, 0);
  program.inputs[1].kind = ir::InputKind::buffer;
  program.inputs[1].data = Tensor::zeros(DType::f32, {1});
  program.outputs[0] = {ir::OutputKind::buffer_mutation, 1, ""};
  Executable executable(std::move(program), one_thread());
  const std::vector<Leaf> inputs{fill_floats(DType::f32, {8, 64}, 2, 1, 0)};
  const size_t before = executable.to_bytes().size();
  executable.pack_constants();
  const std::vector<std::byte> bytes = executable.to_bytes();
  EXPECT_GE(bytes.size(), before + 64 * 64 * sizeof(float));
  const artifact::Program stored = runtime::load_program(bytes, nullptr);
  EXPECT_EQ(stored.signature.inputs[1].data.at({0}), 0);
  ASSERT_EQ(stored.packed.size(), 1U);
  Executable loaded = load_bytes(bytes);
  const auto right = std::get<Tensor>(executable.run(inputs).at(0));
  EXPECT_TRUE(compare(std::get<Tensor>(loaded.run(inputs).at(0)), right, 0, 0).matches());
}

// A weight that a loop passes to its body is as constant there.
TEST(StoredProgram, HoldsPackedConstantsOfLoops) {
  ir::Program program = text_program(
      "graph @main(%w: f32[64, 64], %h: f32[8, 64], %x: f32[3, 8, 64]) -> (f32[8, 64]) {\n"
      "  %y:2 = higher_order.scan(combine=@step, init=[%h], xs=[%x], additional=[%w]) : "
      "(f32[8, 64], f32[3, 8, 64])\n"
      "  return %y#0\n}\n"
      "graph @step(%h: f32[8, 64], %x: f32[8, 64], %w: f32[64, 64]) -> (f32[8, 64], f32[8, 64]) {\n"
      "  %m = aten.mm(%h, %w) : f32[8, 64]\n"
      "  %s = aten.add.Tensor(%m, %x) : f32[8, 64]\n"
      "  %t = aten.sin(%s) : f32[8, 64]\n"
      "  return %t, %t\n}\n");
  program.inputs[0].kind = ir::InputKind::parameter;
  program.inputs[0].data = fill_floats(DType::f32, {64, 64}, 1, 1, 0);
  Executable executable(std::move(program), one_thread());
  executable.pack_constants();
  const std::vector<std::byte> bytes = executable.to_bytes();
  EXPECT_EQ(runtime::load_program(bytes, nullptr).packed.size(), 1U);
  const std::vector<Leaf> inputs{fill_floats(DType::f32, {8, 64}, 2, 1, 0),
                                 fill_floats(DType::f32, {3, 8, 64}, 3, 1, 0)};
  Executable loaded = load_bytes(bytes);
  const auto right = std::get<Tensor>(executable.run(inputs).at(0));
  EXPECT_TRUE(compare(std::get<Tensor>(loaded.run(inputs).at(0)), right, 0, 0).matches());
}

TEST(StoredProgram, DrawsRandomNumbersAnewInEveryCall) {
  const Executable executable(text_program("graph @main(%x: f32[32]) -> (f32[32]) {\n"
                                           "  %a = aten.rand_like(%x) : f32[32]\n"
                                           "  return %a\n}\n"),
                              one_thread());
  Executable loaded = load_bytes(executable.to_bytes());
  const std::vector<Leaf> inputs{Tensor::zeros(DType::f32, {32})};
  const auto first = std::get<Tensor>(loaded.run(inputs).at(0));
  const auto second = std::get<Tensor>(loaded.run(inputs).at(0));
  EXPECT_FALSE(compare(first, second, 0, 0).matches());
}

// Graphs that the main one calls are stored behind it.
TEST(StoredProgram, HoldsControlFlow) {
  Executable executable(
      import_::import_program("tests/data/pt2/while_loop_power.core.pt2", ops::standard_ops()),
      one_thread());
  Executable loaded = load_bytes(executable.to_bytes());
  std::vector<Leaf> inputs;
  const ir::Program& program = *executable.program();
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (program.inputs[i].kind != ir::InputKind::user) continue;
    const auto& type = program.graph().input(i).type();
    const auto& tensor = std::get<TensorType>(type);
    inputs.emplace_back(Tensor::zeros(tensor.dtype, evaluate(tensor.sizes, {})));
  }
  const std::vector<Leaf> expected = executable.run(inputs);
  const std::vector<Leaf> actual = loaded.run(inputs);
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_TRUE(
        compare(std::get<Tensor>(actual[i]), std::get<Tensor>(expected[i]), 0, 0).matches());
  }
}

TEST(StoredProgram, OfARegionRunsByItself) {
  Options options = one_thread();
  options.regional = true;
  Executable executable(
      import_::import_program("tests/data/pt2/region_transformer.raw.pt2", ops::standard_ops()),
      options);
  EXPECT_THROW(executable.to_bytes(), Error) << "the whole needs code that was kept";
  Executable loaded = load_bytes(executable.region(0)->to_bytes());
  const std::vector<Leaf> inputs{fill_floats(DType::f32, {6, 5, 8}, 4, 1, 0)};
  const auto expected = std::get<Tensor>(executable.region(0)->run(inputs).at(0));
  EXPECT_TRUE(compare(std::get<Tensor>(loaded.run(inputs).at(0)), expected, 0, 0).matches());
  EXPECT_EQ(loaded.launch_counts().kernels, executable.region(0)->launch_counts().kernels);
}

/// A region between two operators that also read its weight, with a size that calls choose.
ir::Program with_region() {
  const std::string mark = " #{compile_with_inductor = \"0\"}\n";
  ir::Program program = text_program(
      "sym s0 in [1, 64]\n"
      "graph @main(%w: f32[8, 8], %x: f32[s0, 8]) -> (f32[s0, 8], f32[s0, 8]) {\n"
      "  %a = aten.sin(%x) : f32[s0, 8]\n"
      "  %b = aten.mm(%a, %w) : f32[s0, 8]" +
      mark + "  %c = aten.exp(%b) : f32[s0, 8]" + mark + "  %d = aten.rand_like(%c) : f32[s0, 8]" +
      mark +
      "  %e = aten.tanh(%c) : f32[s0, 8]\n"
      "  %f = aten.mm(%e, %w) : f32[s0, 8]\n"
      "  return %f, %d\n}\n");
  program.inputs[0].kind = ir::InputKind::parameter;
  program.inputs[0].label = "w";
  program.inputs[0].data = fill_floats(DType::f32, {8, 8}, 1, 1, 0);
  program.inputs[1].label = "x";
  return program;
}

Options regional() {
  Options options = one_thread();
  options.regional = true;
  options.keep_code = true;
  return options;
}

TEST(StoredProgram, HoldsRegions) {
  Executable executable(with_region(), regional());
  ASSERT_EQ(executable.regions().size(), 1);
  const std::vector<std::byte> bytes = executable.to_bytes();
  EXPECT_EQ(executable.to_bytes(), bytes) << "written the same each time";
  Executable loaded = load_bytes(bytes);
  for (const int64_t rows : {5, 64, 1}) {
    const std::vector<Leaf> inputs{fill_floats(DType::f32, {rows, 8}, 2, 1, 0)};
    const std::vector<Leaf> expected = executable.run(inputs);
    const std::vector<Leaf> actual = loaded.run(inputs);
    for (const size_t i : {0, 1}) {  // The second is drawn in the region.
      EXPECT_TRUE(
          compare(std::get<Tensor>(actual[i]), std::get<Tensor>(expected[i]), 0, 0).matches())
          << rows << " " << i;
    }
  }
  EXPECT_EQ(load_bytes(bytes).to_bytes(), bytes);
  const artifact::Program program = runtime::load_program(bytes, nullptr);
  ASSERT_EQ(program.parts.size(), 1);
  const Tensor& whole = program.signature.inputs[0].data;
  const auto& part = program.parts[0].signature.inputs;
  const auto shared = std::ranges::find_if(
      part, [&](const auto& input) { return input.data.defined() && input.label == "w"; });
  ASSERT_NE(shared, part.end());
  EXPECT_EQ(shared->data.storage(), whole.storage()) << "weights are stored once";
  const std::string build = runtime::build_name();
  const std::string json = artifact::program_json(program, *program.symbols, build, true);
  const artifact::Program read = artifact::read_program_json(json, build);
  EXPECT_EQ(artifact::write_program_file(read, *read.symbols, build), bytes);
}

TEST(StoredProgram, ReplacesWeightsOfRegions) {
  const std::vector<std::byte> bytes = Executable(with_region(), regional()).to_bytes();
  runtime::Model model(runtime::load_program(bytes, nullptr), {.threads = 1});
  ir::Program other = with_region();
  const Tensor weight = fill_floats(DType::f32, {8, 8}, 9, 1, 0);
  other.inputs[0].data = weight;
  const std::vector<Leaf> inputs{fill_floats(DType::f32, {4, 8}, 2, 1, 0)};
  const std::vector<Leaf> expected = Executable(std::move(other), regional()).run(inputs);
  const std::vector<std::pair<std::string, Tensor>> weights{{"w", weight}};
  model.set_weights(weights);
  runtime::ModelCalls calls = model.calls();
  const auto actual = std::get<Tensor>(calls.run(inputs).at(0));
  EXPECT_TRUE(compare(actual, std::get<Tensor>(expected[0]), 1e-6, 1e-6).matches());
}

TEST(StoredProgram, OfRegionsIsCheckedToo) {
  const std::vector<std::byte> bytes = Executable(with_region(), regional()).to_bytes();
  const auto message = [&](void (*change)(artifact::Program&)) {
    artifact::Program program = runtime::load_program(bytes, nullptr);
    change(program);
    return refusal(artifact::write_program_file(program, *program.symbols, runtime::build_name()),
                   ErrorCode::corrupt);
  };
  using artifact::Program;
  EXPECT_THAT(message([](Program& program) { program.parts.clear(); }),
              HasSubstr("must name a part"));
  EXPECT_THAT(message([](Program& program) { program.parts[0].signature.inputs.pop_back(); }),
              AllOf(HasSubstr("must not contradict itself"), Not(HasSubstr("internal error"))));
  EXPECT_NE(message([](Program& program) { program.parts[0].kernels.clear(); }), "");
}

TEST(StoredProgram, OfAWholeModelRunsFromAFile) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "litz_stored_program_test.litz").string();
  {
    const Executable executable(
        import_::import_program("tests/data/pt2/region_transformer.raw.pt2", ops::standard_ops()),
        one_thread());
    write_whole_file(path, executable.to_bytes());
  }
  Executable loaded = load_program(path, one_thread());
  std::filesystem::remove(path);  // A mapping outlives the name.
  const std::vector<NamedTensor> recorded = read_npz("tests/data/pt2/region_transformer.npz");
  const std::vector<Leaf> inputs{*find_tensor(recorded, "in0_1")};
  const Comparison comparison = compare(std::get<Tensor>(loaded.run(inputs).at(0)),
                                        *find_tensor(recorded, "out0_1"), 1e-4, 1e-5);
  EXPECT_TRUE(comparison.matches()) << comparison.message();
}

TEST(StoredProgram, IsNotMadeOfAFileThatWasCut) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "litz_stored_program_cut.litz").string();
  {
    const Executable executable(
        import_::import_program("tests/data/demo/vit.pt2", ops::standard_ops()), one_thread());
    write_whole_file(path, executable.to_bytes());
  }
  const Executable loaded = load_program(path, one_thread());
  EXPECT_NO_THROW(loaded.to_bytes());
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  try {
    loaded.to_bytes();
    FAIL() << "zeros in the place of weights";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
  }
  std::filesystem::remove(path);
}

TEST(StoredProgram, IsRefusedByReason) {
  std::vector<std::byte> other(100);
  EXPECT_THAT(refusal(other, ErrorCode::corrupt), HasSubstr("Invalid header"));
  EXPECT_THAT(refusal({}, ErrorCode::corrupt), HasSubstr("Invalid header"));
  std::vector<std::byte> bytes = stored();
  bytes[8] = std::byte{99};
  EXPECT_THAT(refusal(bytes, ErrorCode::unsupported),
              HasSubstr("format that this version reads: 99"));
  bytes = stored();
  bytes.resize(bytes.size() - 1);
  EXPECT_THAT(refusal(bytes, ErrorCode::corrupt), HasSubstr("must not be truncated"));
  bytes = stored();
  bytes.push_back({});
  EXPECT_THAT(refusal(bytes, ErrorCode::corrupt), HasSubstr("1 bytes too many"));
  bytes = stored();
  bytes.back() ^= std::byte{1};
  EXPECT_THAT(refusal(bytes, ErrorCode::corrupt), HasSubstr("must be undamaged"));
  EXPECT_THAT(refusal(changed([](artifact::Program&) {}, "0.0.1"), ErrorCode::unsupported),
              HasSubstr("made by this build; compile it again: 0.0.1"));
  EXPECT_THAT(refusal(changed([](artifact::Program& program) { program.target.name = "riscv"; }),
                      ErrorCode::unsupported),
              HasSubstr("made for this processor"));
}

TEST(StoredProgram, OfOtherContentsIsRefused) {
  using artifact::Program;
  const auto message = [](void (*change)(Program&)) {
    return refusal(changed(change), ErrorCode::corrupt);
  };
  EXPECT_THAT(message([](Program& program) { program.kernels.clear(); }),
              HasSubstr("a launch names a kernel"));
  EXPECT_THAT(message([](Program& program) { program.lists.clear(); }), HasSubstr("is one list"));
  EXPECT_THAT(message([](Program& program) { program.signature.inputs.pop_back(); }),
              HasSubstr("the program's signature"));
  EXPECT_NE(message([](Program& program) { program.kernels[0].object.clear(); }), "");
  EXPECT_NE(message([](Program& program) { program.kernels[0].phases[0].symbol = "other"; }), "");
}

TEST(StoredProgram, NeedsCode) {
  Options options = one_thread();
  options.executor = ExecutorKind::interpreter;
  EXPECT_THROW(Executable(small(), options).to_bytes(), Error);
}

// Every byte: an error, or, where it says nothing, the right answer.
TEST(StoredProgram, DamageIsNoticed) {
  Executable original(small(), one_thread());
  const Tensor expected = answer_of(original);
  std::vector<std::byte> bytes = stored();
  const std::vector<std::byte> signature = artifact::signature_bytes(bytes, new_secret_key());
  bytes.insert(bytes.end(), signature.begin(), signature.end());
  for (size_t i = 0; i < bytes.size(); ++i) {
    const std::byte before = bytes[i];
    bytes[i] ^= std::byte{0x15};
    try {
      Executable loaded = load_program(bytes, nullptr, one_thread());
      EXPECT_TRUE(compare(answer_of(loaded), expected, 0, 0).matches()) << i;
    } catch (const InternalError& error) {
      FAIL() << "byte " << i << ": " << error.what();
    } catch (const Error&) {
    }
    bytes[i] = before;
  }
}

}  // namespace
}  // namespace litz::compiler
