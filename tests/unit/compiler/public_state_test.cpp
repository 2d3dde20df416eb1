// What the public header tells of inputs, outputs and buffers, and sessions with buffers of their own.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <litz/litz.h>
#include <memory>
#include <span>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz {
namespace {

using testing::HasSubstr;

constexpr const char* kCounting = "tests/data/corpus/extras/buffer_mutation.raw.pt2";

Tensor ones() {
  const float values[] = {1, 1, 1};
  return Tensor::from<float>({3}, std::span<const float>(values));
}

template <typename Calls>
float first_of(Calls& calls) {
  auto outputs = calls.run({ones()});
  return std::get<Tensor>(outputs.value()[0]).template as<float>()[0];
}

TEST(PublicTrust, WantsASignature) {
  const std::string path = testing::TempDir() + "litz_public_trust.litz";
  {
    const Result<Executable> program = load("tests/data/pt2/v2_15_mlp_dynamic.raw.pt2");
    ASSERT_TRUE(program && program->save(path));
  }
  Options options;
  options.trusted_keys = {std::string(64, 'a')};
  const Result<Executable> refused = load_compiled(path, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::untrusted) << refused.error().message;
  const Result<Executable> exported = load("tests/data/pt2/v2_15_mlp_dynamic.raw.pt2", options);
  ASSERT_FALSE(exported);
  EXPECT_THAT(exported.error().message, HasSubstr("trusted keys are for load_compiled"));
  options.trusted_keys = {"no key"};
  EXPECT_EQ(load_compiled(path, options).error().kind, ErrorKind::invalid_argument);
  options.trusted_keys = {};
  Result<Executable> trusting = load_compiled(path, options);
  ASSERT_TRUE(trusting) << trusting.error().message;
  EXPECT_EQ(trusting->inputs().at(0).sizes.at(0).text, "s77");
  EXPECT_EQ(trusting->inputs().at(0).sizes.at(0).most, 64);
  EXPECT_EQ(trusting->outputs().at(0).sizes.at(1).least, 3);
  std::remove(path.c_str());
}

TEST(PublicSignature, TellsNamesTypesAndRanges) {
  const Result<Executable> program = load("tests/data/pt2/v2_15_mlp_dynamic.raw.pt2");
  ASSERT_TRUE(program) << program.error().message;
  const std::vector<SignatureEntry> inputs = program->inputs();
  ASSERT_EQ(inputs.size(), 1);
  EXPECT_EQ(inputs[0].name, "x");
  EXPECT_EQ(inputs[0].kind, ValueKind::tensor);
  EXPECT_EQ(inputs[0].dtype, DType::float32);
  EXPECT_EQ(inputs[0].constant, "");
  ASSERT_EQ(inputs[0].sizes.size(), 2);
  const SizeInfo& batch = inputs[0].sizes[0];
  EXPECT_EQ(batch.least, 1);
  EXPECT_EQ(batch.most, 64);
  EXPECT_EQ(batch.text, "s77");
  EXPECT_FALSE(batch.is_fixed());
  EXPECT_TRUE(inputs[0].sizes[1].is_fixed());
  EXPECT_EQ(inputs[0].sizes[1].least, 8);
  const std::vector<SignatureEntry> outputs = program->outputs();
  ASSERT_EQ(outputs.size(), 1);
  EXPECT_EQ(outputs[0].name, "out");
  EXPECT_EQ(outputs[0].sizes.at(0).text, "s77");
  EXPECT_EQ(outputs[0].sizes.at(1).least, 3);
  EXPECT_TRUE(program->buffers().empty()) << "parameters do not change";
}

class PublicSessions : public testing::TestWithParam<Executor> {
 protected:
  static Executable counting() {
    Options options;
    options.executor = GetParam();
    return load(kCounting, options).value();
  }
};

TEST_P(PublicSessions, HaveBuffersOfTheirOwn) {
  Executable program = counting();
  const float once = first_of(program);
  const float twice = first_of(program);
  EXPECT_NE(once, twice);
  Session session = program.session().value();
  EXPECT_EQ(first_of(session), once);
  EXPECT_EQ(first_of(session), twice);
  Session other = program.session().value();
  EXPECT_EQ(first_of(other), once);
  EXPECT_TRUE(session.reset_buffers());
  EXPECT_EQ(first_of(session), once);
  EXPECT_TRUE(program.reset_buffers());
  EXPECT_EQ(first_of(program), once);
}

TEST_P(PublicSessions, OutliveMovedPrograms) {
  Session session = counting().session().value();
  const float once = first_of(session);
  Executable program = counting();
  Executable moved = std::move(program);
  session = moved.session().value();
  EXPECT_EQ(first_of(session), once);
}

TEST_P(PublicSessions, ReadAndWriteBuffersByName) {
  Executable program = counting();
  const std::vector<SignatureEntry> buffers = program.buffers();
  ASSERT_EQ(buffers.size(), 2);
  EXPECT_EQ(buffers[0].name, "n");
  EXPECT_EQ(buffers[1].name, "k");
  Session session = program.session().value();
  first_of(session);
  const Tensor n = session.read_buffer("n").value();
  const Tensor k = session.read_buffer("k").value();
  const float second = first_of(session);
  EXPECT_NE(first_of(session), second);
  session.write_buffer("n", n).value();
  session.write_buffer("k", k).value();
  EXPECT_EQ(first_of(session), second);
}

TEST_P(PublicSessions, RefuseOtherNamesAndSizes) {
  Session session = counting().session().value();
  const auto unknown = session.read_buffer("m");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::not_found);
  EXPECT_THAT(unknown.error().message, HasSubstr("n, k")) << "says which there are";
  EXPECT_FALSE(session.write_buffer("n", Tensor(DType::float32, {4})));
  EXPECT_FALSE(session.write_buffer("n", Tensor(DType::float64, {3})));
}

INSTANTIATE_TEST_SUITE_P(Executors, PublicSessions,
                         testing::Values(Executor::cpu, Executor::interpreter));

TEST(PublicTensors, LieInTheCallersMemory) {
  std::vector<float> memory{1, 2, 3, 4, 5, 6};
  auto owner = std::make_shared<int>(0);
  const std::weak_ptr<int> watched = owner;
  {
    Tensor columns = Tensor::over(DType::float32, {3, 2}, memory.data(), {1, 3}, std::move(owner));
    EXPECT_FALSE(columns.is_row_major());
    EXPECT_EQ(columns.strides(), (std::vector<int64_t>{1, 3}));
    EXPECT_THROW(columns.as<float>(), std::invalid_argument);
    EXPECT_EQ(static_cast<void*>(columns.data()), memory.data());
    const Tensor copy = columns;
    columns = Tensor();
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired()) << "is released after the last copy";
  EXPECT_THROW(Tensor::over(DType::float32, {3}, nullptr), std::length_error);
  EXPECT_THROW(Tensor::over(DType::float32, {3}, memory.data(), {-1}), std::length_error);
  EXPECT_THROW(Tensor::over(DType::float32, {3}, memory.data(), {1, 1}), std::length_error);
  EXPECT_THROW(Tensor::over(DType::float32, {-3}, memory.data()), std::length_error);
  EXPECT_NO_THROW(Tensor::over(DType::float32, {0}, nullptr));
  EXPECT_EQ(Tensor::uninitialized(DType::int8, {2, 3}).bytes(), 6);
}

TEST(PublicTensors, WithStridesAreInputs) {
  Executable program = load("tests/data/pt2/v2_15_mlp_dynamic.raw.pt2").value();
  std::vector<float> rows(2 * 8);
  std::vector<float> columns(2 * 8);
  for (size_t i = 0; i < 2; ++i) {
    for (size_t j = 0; j < 8; ++j) {
      rows[i * 8 + j] = columns[j * 2 + i] = static_cast<float>(i) - 0.25F * static_cast<float>(j);
    }
  }
  auto a = program.run({Tensor::over(DType::float32, {2, 8}, rows.data())}).value();
  auto b = program.run({Tensor::over(DType::float32, {2, 8}, columns.data(), {1, 2})}).value();
  EXPECT_THAT(std::get<Tensor>(a[0]).as<float>(),
              testing::ElementsAreArray(std::get<Tensor>(b[0]).as<float>()));
}

// Aligned memory is written at once, other memory by a copy: the results are the same.
TEST_P(PublicSessions, WriteIntoTheCallersMemory) {
  Options options;
  options.executor = GetParam();
  Executable program = load("tests/data/pt2/v2_15_mlp_dynamic.raw.pt2", options).value();
  std::vector<float> values(2 * 8);
  for (size_t i = 0; i < values.size(); ++i) values[i] = 0.125F * static_cast<float>(i) - 1;
  const Value input = Tensor::from<float>({2, 8}, values);
  const std::vector<Value> outputs = program.run({input}).value();
  const auto expected = std::get<Tensor>(outputs[0]).as<float>();
  alignas(64) float memory[7];
  for (const size_t offset : {size_t{0}, size_t{1}}) {
    std::fill(std::begin(memory), std::end(memory), -7.0F);
    Tensor into[] = {Tensor::over(DType::float32, {2, 3}, memory + offset)};
    const Result<void> done = program.run_into({&input, 1}, into);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_THAT(std::span(memory + offset, 6), testing::ElementsAreArray(expected));
    EXPECT_EQ(memory[offset == 0 ? 6 : 0], -7) << "nothing beside";
  }
  Session session = program.session().value();
  alignas(64) float columns[6];
  Tensor strided[] = {Tensor::over(DType::float32, {2, 3}, columns, {1, 2})};
  ASSERT_TRUE(session.run_into({&input, 1}, strided));
  EXPECT_EQ(columns[2], expected[1]);
  EXPECT_EQ(columns[1], expected[3]);
  // Memory that is read, too.
  alignas(64) float both[16];
  std::copy(values.begin(), values.end(), both);
  const Value read = Tensor::over(DType::float32, {2, 8}, both);
  Tensor written[] = {Tensor::over(DType::float32, {2, 3}, both)};
  ASSERT_TRUE(session.run_into({&read, 1}, written));
  EXPECT_THAT(std::span(both, 6), testing::ElementsAreArray(expected));

  Tensor small[] = {Tensor(DType::float32, {2, 2})};
  EXPECT_EQ(program.run_into({&input, 1}, small).error().kind, ErrorKind::invalid_argument);
  EXPECT_FALSE(program.run_into({&input, 1}, {}));
}

TEST(PublicInto, RefusesMemoryThatOverlaps) {
  Executable program = load("tests/data/corpus/extras/cond_two_outputs.raw.pt2").value();
  const std::vector<SignatureEntry> outputs = program.outputs();
  ASSERT_EQ(outputs.size(), 2);
  std::vector<Value> inputs;
  for (const SignatureEntry& input : program.inputs()) {
    std::vector<int64_t> sizes;
    for (const SizeInfo& size : input.sizes) sizes.push_back(size.least);
    inputs.emplace_back(Tensor(input.dtype, sizes));
  }
  const std::vector<Value> right = program.run(inputs).value();
  std::vector<Tensor> into;
  for (const Value& value : right) {
    into.emplace_back(std::get<Tensor>(value).dtype(), std::get<Tensor>(value).sizes());
  }
  EXPECT_TRUE(program.run_into(inputs, into));
  into[1] = Tensor::over(into[1].dtype(), into[1].sizes(), into[0].data());
  const Result<void> refused = program.run_into(inputs, into);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("memory for outputs must not overlap"));
}

// The results are a tensor and a number.
TEST_P(PublicSessions, ReturnNumbersBesideTensorsThatAreWritten) {
  const std::string path = testing::TempDir() + "litz_number.ir";
  std::ofstream(path) << "sym s0 in [1, 64]\n"
                         "graph @main(%x: f32[s0]) -> (f32[s0], _) {\n"
                         "  %y = aten.relu(%x) : f32[s0]\n"
                         "  return %y, s0\n}\n";
  Options options;
  options.executor = GetParam();
  Executable program = load(path, options).value();
  std::remove(path.c_str());
  const Value input = ones();
  std::vector<Value> outputs{Tensor(DType::float32, {3}), std::monostate()};
  const Result<void> done = program.run_into({&input, 1}, outputs);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(std::get<Tensor>(outputs[0]).as<float>()[2], 1);
  EXPECT_EQ(std::get<int64_t>(outputs[1]), 3);
  std::vector<Value> fresh(2);
  ASSERT_TRUE(program.session().value().run_into({&input, 1}, fresh));
  EXPECT_EQ(std::get<Tensor>(fresh[0]).sizes(), std::vector<int64_t>{3});
  std::vector<Tensor> tensors(2, Tensor(DType::float32, {3}));
  EXPECT_FALSE(program.run_into({&input, 1}, tensors)) << "a number is no tensor";
}

// What happens to the file later does not matter.
TEST(PublicCopies, ProgramsOutliveTheirFiles) {
  const std::string exported = testing::TempDir() + "litz_copied.pt2";
  const std::string compiled = testing::TempDir() + "litz_copied.litz";
  std::filesystem::copy_file("tests/data/demo/vit.pt2", exported,
                             std::filesystem::copy_options::overwrite_existing);
  Options options;
  options.copy_file = true;
  Executable program = load(exported, options).value();
  const std::vector<SignatureEntry> inputs = program.inputs();
  ASSERT_EQ(inputs.size(), 1);
  std::vector<int64_t> sizes;
  for (const SizeInfo& size : inputs[0].sizes) sizes.push_back(size.least);
  const Value input = Tensor(inputs[0].dtype, sizes);
  ASSERT_TRUE(program.save(compiled));
  ASSERT_GT(std::filesystem::file_size(compiled), 64 * 1024) << "it would be mapped";
  Executable again = load_compiled(compiled, options).value();
  for (const std::string& path : {exported, compiled}) std::filesystem::resize_file(path, 0);
  const std::vector<Value> first = program.run({input}).value();
  const std::vector<Value> second = again.run({input}).value();
  EXPECT_TRUE(std::ranges::equal(std::get<Tensor>(first[0]).as<float>(),
                                 std::get<Tensor>(second[0]).as<float>()));
  for (const std::string& path : {exported, compiled}) std::remove(path.c_str());
}

// Weights are read in place, so a call may compute with zeros, and then fails.
TEST(PublicCopies, ProgramsFailWhoseMappedFilesAreCutOrWritten) {
  const std::string exported = testing::TempDir() + "litz_cut.pt2";
  const std::string compiled = testing::TempDir() + "litz_cut.litz";
  for (const bool is_cut : {true, false}) {
    std::filesystem::copy_file("tests/data/demo/vit.pt2", exported,
                               std::filesystem::copy_options::overwrite_existing);
    Executable program = load(exported).value();
    const SignatureEntry taken = program.inputs()[0];
    std::vector<int64_t> sizes;
    for (const SizeInfo& size : taken.sizes) sizes.push_back(size.least);
    const Value input = Tensor(DType::float32, sizes);
    ASSERT_TRUE(program.save(compiled));
    Executable again = load_compiled(compiled).value();
    ASSERT_TRUE(program.run({input}));
    ASSERT_TRUE(again.run({input}));
    for (const std::string& path : {exported, compiled}) {
      if (is_cut) {
        std::filesystem::resize_file(path, 4096);
      } else {
        std::filesystem::last_write_time(
            path, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(1));
      }
    }
    for (Executable* const each : {&program, &again}) {
      const Result<std::vector<Value>> result = each->run({input});
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error().kind, ErrorKind::io);
      EXPECT_THAT(result.error().message, HasSubstr("litz_cut."));
      EXPECT_THAT(result.error().message, HasSubstr("copy_file"));
      EXPECT_FALSE(each->run({input})) << "nor does the next call";
    }
    for (const std::string& path : {exported, compiled}) std::remove(path.c_str());
  }
}

TEST(PublicObjects, AreSafeAfterTheyWereMovedFrom) {
  Tensor tensor(DType::float32, {2});
  const Tensor taken = std::move(tensor);
  EXPECT_EQ(tensor.numel(), 0);  // NOLINT: that is what is tested.
  EXPECT_EQ(tensor.data(), nullptr);
  const Tensor copy = tensor;
  EXPECT_EQ(copy.sizes(), std::vector<int64_t>{0});
  Executable program = load(kCounting).value();
  Session session = program.session().value();
  const Executable moved = std::move(program);
  EXPECT_EQ(program.run({ones()}).error().kind, ErrorKind::invalid_argument);  // NOLINT
  EXPECT_FALSE(program.session());
  EXPECT_THROW(program.inputs(), std::logic_error);
  const Session kept = std::move(session);
  EXPECT_FALSE(session.run({ones()}));  // NOLINT
  EXPECT_FALSE(session.reset_buffers());
}

TEST(PublicResult, IsReadWhereverItIs) {
  const Result<int> four(4);
  EXPECT_EQ(*four, 4);
  EXPECT_EQ(four.value(), 4);
  EXPECT_EQ(Result<std::string>("text").value(), "text");
  const Result<void> failed(Failure{ErrorKind::io, "no disk"});
  EXPECT_FALSE(failed);
  EXPECT_THROW(failed.value(), std::runtime_error);
  EXPECT_NO_THROW(Result<void>().value());
}

TEST(PublicLoading, RefusesTheOtherKindOfFile) {
  EXPECT_FALSE(load_compiled(kCounting));
  const std::string path = testing::TempDir() + "public_state_test.litz";
  ASSERT_TRUE(load(kCounting).value().save(path));
  EXPECT_THAT(load(path).error().message, HasSubstr("load_compiled"));
  Executable compiled = load_compiled(path).value();
  EXPECT_EQ(compiled.outputs().at(0).sizes.at(0).least, 3) << "types of outputs are saved";
  EXPECT_EQ(compiled.buffers().size(), 2);
  Session session = compiled.session().value();
  EXPECT_EQ(first_of(session), first_of(compiled));
  std::remove(path.c_str());
}

}  // namespace
}  // namespace litz
