// What the public header offers to programs that host others: files in memory, limits, shared threads,
// messages, a cache of their own, profiles.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <litz/litz.h>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz {
namespace {

using testing::HasSubstr;

constexpr const char* kModel = "tests/data/pt2/v2_15_mlp_dynamic.raw.pt2";

/// A file in memory that begins at a multiple of 64.
struct Bytes {
  std::shared_ptr<std::byte> memory;
  size_t size = 0;

  std::span<const std::byte> span(size_t from = 0) const {
    return {memory.get() + from, size - from};
  }
};

Bytes aligned(const void* data, size_t size) {
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(64, (size + 127) / 64 * 64));
  std::memcpy(memory, data, size);
  return {std::shared_ptr<std::byte>(memory, std::free), size};
}

Bytes file_bytes(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return aligned(text.data(), text.size());
}

Tensor input(int64_t rows = 4) {
  Tensor x(DType::float32, {rows, 8});
  for (float& element : x.as<float>()) element = 0.5F;
  return x;
}

std::vector<float> result_of(Executable& program, const Tensor& x = input()) {
  const std::vector<Value> outputs = program.run({x}).value();
  const std::span<const float> y = std::get<Tensor>(outputs[0]).as<float>();
  return {y.begin(), y.end()};
}

TEST(PublicHosting, FilesInMemoryRunLikeFiles) {
  Executable from_file = load(kModel).value();
  const std::vector<float> expected = result_of(from_file);
  Bytes exported = file_bytes(kModel);
  const std::weak_ptr<const void> kept = exported.memory;
  const auto confused = load_compiled(exported.span(), exported.memory);
  ASSERT_FALSE(confused);
  EXPECT_THAT(confused.error().message, HasSubstr("an exported program (.pt2) is not a compiled"));
  {
    Executable from_memory = load(exported.span(), exported.memory).value();
    exported = {};
    EXPECT_FALSE(kept.expired()) << "weights are read in place";
    EXPECT_EQ(result_of(from_memory), expected);
  }
  EXPECT_TRUE(kept.expired());
  const std::vector<std::byte> saved = from_file.save().value();
  const Bytes compiled = aligned(saved.data(), saved.size());
  Executable again = load_compiled(compiled.span(), compiled.memory).value();
  EXPECT_EQ(result_of(again), expected);
  const auto shifted = load_compiled(compiled.span(1), compiled.memory);
  ASSERT_FALSE(shifted);
  EXPECT_THAT(shifted.error().message, HasSubstr("multiple of 64"));
  EXPECT_FALSE(load(compiled.span(), compiled.memory)) << "machine code";
  const auto empty = load(std::span<const std::byte>(), nullptr);
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().message, HasSubstr("must have bytes"));
}

TEST(PublicHosting, CallsEndAtTheirLimit) {
  Executable program = load(kModel).value();
  const std::vector<Value> inputs{input()};
  std::vector<Tensor> outputs{Tensor(DType::float32, {4, 3})};
  CallLimit limit;
  EXPECT_TRUE(program.run(inputs, limit));
  std::stop_source stop;
  limit.stop = stop.get_token();
  limit.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
  EXPECT_TRUE(program.run_into(inputs, outputs, limit));
  stop.request_stop();
  const auto stopped = program.run(inputs, limit);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
  CallLimit late;
  late.deadline = std::chrono::steady_clock::now();
  Session session = program.session().value();
  const auto too_late = session.run_into(inputs, outputs, late);
  ASSERT_FALSE(too_late);
  EXPECT_EQ(too_late.error().kind, ErrorKind::cancelled);
  EXPECT_TRUE(session.run(inputs));
}

/// Results that are inputs, repeat another one or are turned around get the right memory.
TEST(PublicHosting, ResultsInMemoryOfTheCallerAreTheResultsOfRun) {
  const auto path = std::filesystem::path(testing::TempDir()) / "results.ir";
  std::ofstream(path) << "graph @main(%x: f32[4, 4]) -> (f32[4, 4], f32[4, 4], f32[4, 4]{1, 4}, "
                         "f32[4, 4], f32[4]) {\n"
                         "  %one = aten.add.Tensor(%x, 1)\n"
                         "  %t = aten.t(%x)\n"
                         "  %double = aten.mul.Tensor(%t, 2)\n"
                         "  %sum = aten.sum.dim_IntList(%one, dim=[0])\n"
                         "  return %x, %one, %double, %one, %sum\n"
                         "}\n";
  const Result<Executable> loaded = load(path.string());
  ASSERT_TRUE(loaded) << loaded.error().message;
  Executable program = load(path.string()).value();
  Tensor x(DType::float32, {4, 4});
  float next = 0;
  for (float& element : x.as<float>()) element = next++;
  const std::vector<Value> inputs{x};
  const std::vector<Value> right = program.run(inputs).value();
  std::vector<Tensor> outputs;
  for (const Value& value : right) {
    outputs.push_back(Tensor::uninitialized(DType::float32, std::get<Tensor>(value).sizes()));
  }
  ASSERT_TRUE(program.run_into(inputs, outputs));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::span<const float> expected = std::get<Tensor>(right[i]).as<float>();
    const std::span<const float> given = outputs[i].as<float>();
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), given.begin())) << i;
  }
  std::filesystem::remove(path);
}

TEST(PublicHosting, ProgramsShareThreads) {
  Options options;
  {
    options.pool = std::make_shared<Threads>(2);
    EXPECT_EQ(options.pool->count(), 2);
  }
  Executable first = load(kModel, options).value();
  Executable second = load(kModel, options).value();
  options.pool.reset();
  EXPECT_EQ(result_of(first), result_of(second));
  EXPECT_THROW(Threads(-1), std::invalid_argument);
  const int far[] = {100'000};
  EXPECT_THROW(Threads(2, far), std::invalid_argument);
}

TEST(PublicHosting, UnknownEnumeratorsAreRefused) {
  Options options;
  options.executor = static_cast<Executor>(7);
  EXPECT_FALSE(load(kModel, options));
  EXPECT_THROW(set_log(static_cast<LogLevel>(99)), std::invalid_argument);
}

TEST(PublicHosting, CachesHaveAFolder) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "litz_public_cache";
  std::filesystem::remove_all(folder);
  Options options;
  options.cache_directory = folder.string();
  ASSERT_TRUE(load(kModel, options));
  EXPECT_FALSE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST(PublicHosting, MessagesGoToTheSink) {
  std::vector<std::string> messages;
  set_log(LogLevel::warning, [&](LogLevel level, std::string_view message) {
    EXPECT_EQ(level, LogLevel::warning);
    messages.emplace_back(message);
  });
  const auto path = std::filesystem::path(testing::TempDir()) / "on_cuda.ir";
  std::ofstream(path) << "graph @main(%x: f32[3]@cuda:0) -> (f32[3]@cuda:0) {\n"
                         "  %y = aten.relu(%x)\n"
                         "  return %y\n"
                         "}\n";
  const Result<Executable> foreign = load(path.string());
  set_log(LogLevel::warning);
  ASSERT_TRUE(foreign) << foreign.error().message;
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_THAT(messages[0], HasSubstr("exported on cuda"));
  std::filesystem::remove(path);
}

TEST(PublicHosting, PreparingAndProfilingNeedNoResults) {
  Executable program = load(kModel).value();
  const std::vector<Value> inputs{input(7)};
  EXPECT_TRUE(program.prepare(inputs));
  const std::vector<ProfileEntry> entries = program.profile(inputs, 3).value();
  ASSERT_FALSE(entries.empty());
  double seconds = 0;
  for (const ProfileEntry& entry : entries) {
    EXPECT_FALSE(entry.label.empty());
    seconds += entry.seconds;
  }
  EXPECT_GT(seconds, 0);
  EXPECT_FALSE(program.profile(inputs, 0));
  EXPECT_FALSE(program.prepare(std::vector<Value>{}));
}

}  // namespace
}  // namespace litz
