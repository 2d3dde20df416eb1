// Programs of several ranks, in one process: collectives in interpreted and compiled programs, and
// that programs with joined collectives give the same bits.

#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "distributed/simulated_world.h"
#include "fusion/fusion.h"
#include "lowering/lower.h"
#include "passes/overlap/join_overlapped.h"
#include "support/check.h"
#include "support/text.h"
#include "text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

using distributed::SimulatedWorld;
using distributed::SimulationOptions;
using ::testing::HasSubstr;
using Ref = std::shared_ptr<distributed::Communicator>;

Options options_for(const Ref& rank, ExecutorKind executor) {
  Options options;
  options.executor = executor;
  options.threads = 1;
  options.verify = true;
  options.communicator = rank;
  return options;
}

/// Inputs of each rank: different, and tame.
std::vector<Leaf> inputs_of(const ir::Program& program, int rank) {
  std::vector<Leaf> inputs;
  for (size_t i = 0; i < program.graph().input_count(); ++i) {
    const TensorType& type = program.graph().input(i).tensor();
    std::vector<int64_t> sizes;
    for (const Expr size : type.sizes) sizes.push_back(size.constant());
    Tensor tensor = Tensor::zeros(DType::f64, sizes);
    std::mt19937 random(static_cast<uint32_t>(1000 * rank) + static_cast<uint32_t>(i));
    auto* data = reinterpret_cast<double*>(tensor.mutable_data());
    for (int64_t k = 0; k < tensor.numel(); ++k)
      data[k] = static_cast<double>(random() % 2048) / 512;
    inputs.emplace_back(tensor.to(type.dtype));
  }
  return inputs;
}

/// What every rank's program returns.
std::vector<std::vector<Leaf>> run_ranks(const std::string& text, SimulationOptions world,
                                         ExecutorKind executor,
                                         const std::optional<passes::BucketOptions>& buckets = {},
                                         bool is_functional = true,
                                         const std::optional<passes::JoinOptions>& overlap = {}) {
  const auto ranks = static_cast<size_t>(world.ranks);
  std::vector<std::vector<Leaf>> results(ranks);
  SimulatedWorld simulated(std::move(world));
  simulated.run([&](const Ref& rank) {
    ir::Program program = text_program(text);
    program.functional = is_functional;
    const std::vector<Leaf> inputs = inputs_of(program, rank->rank());
    Options options = options_for(rank, executor);
    options.buckets = buckets;
    options.overlap = overlap;
    Executable executable(std::move(program), options);
    results[static_cast<size_t>(rank->rank())] = executable.run(inputs);
  });
  return results;
}

const Tensor& tensor(const std::vector<Leaf>& leaves, size_t i) {
  return std::get<Tensor>(leaves[i]);
}

class Collectives : public ::testing::TestWithParam<ExecutorKind> {};

INSTANTIATE_TEST_SUITE_P(Executors, Collectives,
                         ::testing::Values(ExecutorKind::interpreter, ExecutorKind::cpu));

TEST_P(Collectives, SumOverAllRanksBetweenOtherWork) {
  const auto results = run_ranks(R"(
graph @main(%x: f32[2, 3]) -> (f32[2, 3], f32[2, 3]) {
  %a = aten.add.Tensor(%x, 1.0)
  %s = _c10d_functional.all_reduce(%a, "sum", "0")
  %b = aten.mul.Tensor(%a, 2.0)
  %w = _c10d_functional.wait_tensor(%s)
  %c = aten.add.Tensor(%w, %b)
  return %c, %x
})",
                                 {.ranks = 3, .poisons = true}, GetParam());
  double sum = 3;
  for (const auto& each : results) sum += tensor(each, 1).at({0, 1});
  for (const auto& each : results) {
    const double own = tensor(each, 1).at({0, 1});
    EXPECT_EQ(tensor(each, 0).at({0, 1}), static_cast<float>(sum + 2 * (own + 1)));
  }
}

TEST_P(Collectives, GatherScatterAndCoalescedForms) {
  const auto results = run_ranks(R"(
graph @main(%x: f32[2, 3], %y: f32[]) -> (f32[4, 3], f32[2], f32[1, 3], f32[4, 3], f32[2]) {
  %s0 = _c10d_functional.all_gather_into_tensor(%x, 2, "0")
  %s1 = _c10d_functional.all_gather_into_tensor(%y, 2, "0")
  %s2 = _c10d_functional.reduce_scatter_tensor(%x, "avg", 2, "0")
  %s3, %s4 = _c10d_functional.all_gather_into_tensor_coalesced([%x, %y], 2, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %w1 = _c10d_functional.wait_tensor(%s1)
  %w2 = _c10d_functional.wait_tensor(%s2)
  %w3, %w4 = _c10d_functional.wait_tensors([%s3, %s4])
  return %w0, %w1, %w2, %w3, %w4
})",
                                 {.ranks = 2, .poisons = true}, GetParam());
  EXPECT_EQ(bytes_of({results[0][0]}), bytes_of({results[1][0]}));
  EXPECT_EQ(bytes_of({results[0][0]}), bytes_of({results[0][3]}));
  EXPECT_EQ(bytes_of({results[0][1]}), bytes_of({results[0][4]}));
  for (int64_t rank = 0; rank < 2; ++rank) {
    const Tensor& all = tensor(results[0], 0);
    const double mean = (all.at({rank, 2}) + all.at({rank + 2, 2})) / 2;
    EXPECT_EQ(tensor(results[static_cast<size_t>(rank)], 2).at({0, 2}), mean);
  }
}

TEST_P(Collectives, NumbersOfRowsMayComeFromData) {
  const char* text = R"(
sym u0 in [0, 4]
sym u1 in [0, 4]
sym u2 in [0, 4]
sym u3 in [0, 4]

graph @main(%x: f32[4, 2], %n: i64[4]) -> (f32[u0 + u1, 2]) {
  %n0 = aten.select.int(%n, 0, 0)
  %n1 = aten.select.int(%n, 0, 1)
  %n2 = aten.select.int(%n, 0, 2)
  %n3 = aten.select.int(%n, 0, 3)
  %u0 = aten.item(%n0) : int(u0)
  %u1 = aten.item(%n1) : int(u1)
  %u2 = aten.item(%n2) : int(u2)
  %u3 = aten.item(%n3) : int(u3)
  %s = _c10d_functional.all_to_all_single(%x, [u0, u1], [u2, u3], "0") : f32[u0 + u1, 2]
  %w = _c10d_functional.wait_tensor(%s) : f32[u0 + u1, 2]
  return %w
})";
  std::vector<Tensor> results(2);
  SimulatedWorld world({.ranks = 2, .poisons = true});
  world.run([&](const Ref& rank) {
    const double first = rank->rank() * 10;
    const Tensor x = Tensor::of<double>(DType::f32, {4, 2},
                                        {first, 0, first + 1, 1, first + 2, 2, first + 3, 3});
    // Received from each rank, then sent to each.
    const Tensor n = rank->rank() == 0 ? Tensor::of<int64_t>(DType::i64, {4}, {1, 2, 1, 3})
                                       : Tensor::of<int64_t>(DType::i64, {4}, {3, 2, 2, 2});
    Executable executable(text_program(text), options_for(rank, GetParam()));
    const std::vector<Leaf> inputs{x, n};
    results[static_cast<size_t>(rank->rank())] = std::get<Tensor>(executable.run(inputs)[0]);
  });
  const Tensor first = Tensor::of<double>(DType::f32, {3, 2}, {0, 0, 10, 0, 11, 1});
  const Tensor second = Tensor::of<double>(DType::f32, {5, 2}, {1, 1, 2, 2, 3, 3, 12, 2, 13, 3});
  EXPECT_EQ(bytes_of({results[0]}), bytes_of({first}));
  EXPECT_EQ(bytes_of({results[1]}), bytes_of({second}));
}

TEST_P(Collectives, WritesEndAtTheWait) {
  const auto results = run_ranks(R"(
graph @main(%x: f32[4]) -> (f32[4], f32[4]) {
  %a = aten.mul.Tensor(%x, 1.0)
  %s = _c10d_functional.all_reduce_(%a, "max", "0")
  %w = _c10d_functional.wait_tensor(%s)
  return %a, %x
})",
                                 {.ranks = 2, .poisons = true}, GetParam(), {}, false);
  for (int64_t i = 0; i < 4; ++i) {
    const double most = std::max(tensor(results[0], 1).at({i}), tensor(results[1], 1).at({i}));
    EXPECT_EQ(tensor(results[0], 0).at({i}), most);
    EXPECT_EQ(tensor(results[1], 0).at({i}), most);
  }
}

// A ring: every rank sends to the next one, and even ranks start with sending.
TEST_P(Collectives, SendAndReceive) {
  const auto body = [](int rank, int ranks) {
    const std::string send =
        "%s = _c10d_functional.isend(%x, " + std::to_string((rank + 1) % ranks) + ", 0, \"0\")\n";
    const std::string receive = "%r = _c10d_functional.irecv(%x, " +
                                std::to_string((rank + ranks - 1) % ranks) + ", 0, \"0\")\n";
    return "graph @main(%x: f32[2]) -> (f32[2], f32[2]) {\n" +
           (rank % 2 == 0 ? send + receive : receive + send) +
           "%v = _c10d_functional.wait_tensor(%r)\n%e = _c10d_functional.wait_tensor(%s)\n"
           "return %v, %x\n}";
  };
  std::vector<std::vector<Leaf>> results(3);
  SimulatedWorld world({.ranks = 3});
  world.run([&](const Ref& rank) {
    ir::Program program = text_program(body(rank->rank(), 3));
    const std::vector<Leaf> inputs = inputs_of(program, rank->rank());
    Executable executable(std::move(program), options_for(rank, GetParam()));
    results[static_cast<size_t>(rank->rank())] = executable.run(inputs);
  });
  for (size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(bytes_of({results[(rank + 1) % 3][0]}), bytes_of({results[rank][1]}));
  }
}

TEST_P(Collectives, ResultsThatNobodyWaitsForAreThereAtTheEnd) {
  const auto results = run_ranks(R"(
graph @main(%x: f32[4]) -> (f32[8]) {
  %s = _c10d_functional.all_gather_into_tensor(%x, 2, "0")
  return %s
})",
                                 {.ranks = 2, .poisons = true}, GetParam());
  EXPECT_EQ(bytes_of(results[0]), bytes_of(results[1]));
  EXPECT_FALSE(std::isnan(tensor(results[0], 0).at({7})));
}

TEST(CollectivesOfOneRank, ActOnItself) {
  ir::Program program = text_program(R"(
graph @main(%x: f32[4]) -> (f32[4], f32[4]) {
  %s = _c10d_functional.all_reduce(%x, "sum", "0")
  %w = _c10d_functional.wait_tensor(%s)
  return %w, %x
})");
  const std::vector<Leaf> inputs = inputs_of(program, 0);
  Executable executable(std::move(program), options_for(nullptr, ExecutorKind::cpu));
  const std::vector<Leaf> results = executable.run(inputs);
  EXPECT_EQ(bytes_of({results[0]}), bytes_of({results[1]}));
}

TEST(CollectivesOfOneRank, RefuseAProgramForMore) {
  ir::Program program = text_program(R"(
graph @main(%x: f32[4]) -> (f32[16]) {
  %s = _c10d_functional.all_gather_into_tensor(%x, 4, "0")
  %w = _c10d_functional.wait_tensor(%s)
  return %w
})");
  const std::vector<Leaf> inputs = inputs_of(program, 0);
  Executable executable(std::move(program), options_for(nullptr, ExecutorKind::cpu));
  try {
    executable.run(inputs);
    FAIL() << "one rank is not four";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--world"));
  }
}

// --- Joined collectives

/// A random program of ranks: values of some types, elementwise work and collectives, whose waits
/// come at random times.
class RandomRanks {
 public:
  RandomRanks(uint32_t seed, int ranks) : random_(seed), ranks_(ranks) {}

  std::string text() {
    std::string header;
    for (int i = 0; i < 4; ++i) {
      const Known input{"x" + std::to_string(i), pick(3) == 0 ? "bf16" : "f32",
                        ranks_ * (1 + static_cast<int>(pick(3))), 1 + static_cast<int>(pick(5))};
      header += (i == 0 ? "" : ", ") + ("%" + input.name) + ": " + type(input);
      known_.push_back(input);
    }
    const size_t steps = 10 + pick(25);
    for (size_t i = 0; i < steps; ++i) add_step();
    while (!flying_.empty()) wait_for(pick(flying_.size()));
    std::string returned;
    for (const Known& each : known_) returned += (returned.empty() ? "%" : ", %") + each.name;
    return "graph @main(" + header + ") {\n" + body_ + "  return " + returned + "\n}";
  }

 private:
  struct Known {
    std::string name;
    std::string dtype;
    int rows = 0;
    int columns = 0;
  };

  size_t pick(size_t count) { return random_() % count; }

  static std::string type(const Known& value) {
    return value.dtype + "[" + std::to_string(value.rows) + ", " + std::to_string(value.columns) +
           "]";
  }

  std::string fresh() { return "v" + std::to_string(next_++); }

  void emit(const std::string& name, const std::string& call) {
    body_ += "  %" + name + " = " + call + "\n";
  }

  void add_step() {
    const Known from = known_[pick(known_.size())];
    const size_t what = pick(8);
    Known to = from;
    to.name = fresh();
    if (what == 0) {
      emit(to.name, "aten.sin(%" + from.name + ")");
      known_.push_back(to);
    } else if (what == 1) {
      emit(to.name, "aten.mul.Tensor(%" + from.name + ", 0.5)");
      known_.push_back(to);
    } else if (what == 2) {
      to.dtype = from.dtype == "f32" ? "bf16" : "f32";
      emit(to.name, "aten._to_copy(%" + from.name + ", dtype=" + to.dtype + ")");
      known_.push_back(to);
    } else if (what < 6) {
      start(from, to);
    } else if (!flying_.empty()) {
      wait_for(pick(flying_.size()));
    }
  }

  void start(const Known& from, Known to) {
    const std::string ranks = std::to_string(ranks_);
    const char* reduction = pick(4) == 0 ? "max" : "sum";
    const size_t kind = pick(3);
    if (kind == 0 && from.rows * ranks_ <= 200) {
      to.rows *= ranks_;
      emit(to.name,
           "_c10d_functional.all_gather_into_tensor(%" + from.name + ", " + ranks + ", \"0\")");
    } else if (kind == 1 && from.rows % (ranks_ * ranks_) == 0) {
      to.rows /= ranks_;
      emit(to.name, "_c10d_functional.reduce_scatter_tensor(%" + from.name + ", \"" + reduction +
                        "\", " + ranks + ", \"0\")");
    } else {
      emit(to.name,
           "_c10d_functional.all_reduce(%" + from.name + ", \"" + reduction + "\", \"0\")");
    }
    flying_.push_back(to);
  }

  void wait_for(size_t i) {
    Known value = flying_[i];
    flying_.erase(flying_.begin() + static_cast<int64_t>(i));
    const std::string started = value.name;
    value.name = fresh();
    emit(value.name, "_c10d_functional.wait_tensor(%" + started + ")");
    known_.push_back(value);
  }

  std::mt19937 random_;
  int ranks_;
  int next_ = 0;
  std::string body_;
  std::vector<Known> known_;
  std::vector<Known> flying_;
};

std::string bytes_of_ranks(const std::vector<std::vector<Leaf>>& results) {
  std::string bytes;
  for (const std::vector<Leaf>& each : results) bytes += bytes_of(each);
  return bytes;
}

TEST(JoinedCollectives, GiveTheSameBits) {
  const int count = count_from_environment("LITZ_RANDOM_RANKS", 12);
  for (int seed = 0; seed < count; ++seed) {
    const int ranks = 2 + seed % 7;
    const std::string text = RandomRanks(static_cast<uint32_t>(seed), ranks).text();
    SCOPED_TRACE(text);
    // Compiled elementary functions round differently.
    const ExecutorKind executor = seed % 6 == 5 ? ExecutorKind::cpu : ExecutorKind::interpreter;
    const std::string plain = bytes_of_ranks(run_ranks(text, {.ranks = ranks}, executor));
    for (const passes::BucketMode mode :
         {passes::BucketMode::plain, passes::BucketMode::packed, passes::BucketMode::multi_dtype,
          passes::BucketMode::coalesced}) {
      passes::BucketOptions buckets;
      buckets.mode = mode;
      buckets.cap_mb = [&](size_t index) {
        return seed % 3 == 0 ? 0.0005 * double(index + 1) : 100;
      };
      buckets.keeps_order = seed % 4 == 3;
      SimulationOptions world{.ranks = ranks, .poisons = true};
      if (seed % 5 == 0) world.most_delay = std::chrono::microseconds(100);
      EXPECT_EQ(bytes_of_ranks(run_ranks(text, world, executor, buckets)) == plain, true)
          << "seed " << seed << ", mode " << static_cast<int>(mode);
    }
  }
}

// --- Overlapped collectives

TEST(OverlappedCollectives, GiveTheSameBits) {
  const int count = count_from_environment("LITZ_RANDOM_RANKS", 12);
  for (int seed = 0; seed < count; ++seed) {
    const int ranks = 2 + seed % 7;
    const std::string text = RandomRanks(static_cast<uint32_t>(seed), ranks).text();
    SCOPED_TRACE(text);
    const ExecutorKind executor = seed % 6 == 5 ? ExecutorKind::cpu : ExecutorKind::interpreter;
    const std::string plain = bytes_of_ranks(run_ranks(text, {.ranks = ranks}, executor));
    for (int variant = 0; variant < 4; ++variant) {
      passes::JoinOptions join;
      if (variant > 0) {
        join.buckets.emplace();
        join.buckets->mode = static_cast<passes::BucketMode>(variant);
        join.exposed_first = seed % 2 == 0;
      }
      join.overlap.keeps_order = seed % 4 == 3;
      join.overlap.joins_regions = seed % 3 == 1;
      // Collectives that are as slow as all that hides them, so that much moves.
      join.overlap.prices.cluster.memory_gb_s = 0.001 * (1 + seed % 5);
      SimulationOptions world{.ranks = ranks, .poisons = true};
      if (seed % 5 == 0) world.most_delay = std::chrono::microseconds(100);
      EXPECT_EQ(bytes_of_ranks(run_ranks(text, world, executor, {}, true, join)) == plain, true)
          << "seed " << seed << ", variant " << variant;
    }
  }
}

// What hides a collective is not fused with what comes after its wait.
TEST(OverlappedCollectives, TheOrderSurvivesFusion) {
  ir::Program program = text_program(R"(
graph @main(%x: f32[64, 64], %y: f32[64, 64]) -> (f32[64, 64]) {
  %s = _c10d_functional.all_reduce(%x, "sum", "0")
  %w = _c10d_functional.wait_tensor(%s)
  %m = aten.exp(%y)
  %r = aten.add.Tensor(%m, %w)
  return %r
})");
  const auto labels = [](ir::Graph& graph) {
    lowering::LoweredProgram lowered = lowering::lower(graph);
    fusion::FusionOptions options;
    options.kept_before = lowering::kept_before_waits(graph);
    fusion::FusionReport report;
    fusion::fuse(lowered, options, report);
    std::vector<std::string> list;
    for (const lowering::Step& step : lowered.plans[0].steps) list.push_back(step.label);
    return list;
  };
  const auto moved = passes::schedule_collectives(program.graph());
  EXPECT_EQ(moved.collectives.at(0).hidden_by.size(), 1u);
  // Without the edges the order of the graph is not kept.
  EXPECT_EQ(labels(program.graph()).size(), 3u);
  passes::keep_overlap(program.graph(), moved);
  const std::vector<std::string> kept = labels(program.graph());
  ASSERT_EQ(kept.size(), 4u);
  EXPECT_THAT(kept[0], HasSubstr("all_reduce"));
  EXPECT_THAT(kept[1], HasSubstr("exp"));
  EXPECT_THAT(kept[2], HasSubstr("wait"));
  EXPECT_THAT(kept[3], HasSubstr("add"));
}

// Wide elements must not lie at odd places of the narrow ones.
TEST(JoinedCollectives, NarrowMembersBeforeWideOnes) {
  const std::string text = R"(
graph @main(%a: f16[3], %b: f32[4], %c: f16[1, 5], %d: i64[3]) -> (f16[9], f32[12], f16[3, 5], i64[9]) {
  %s0 = _c10d_functional.all_gather_into_tensor(%a, 3, "0")
  %w0 = _c10d_functional.wait_tensor(%s0)
  %s1 = _c10d_functional.all_gather_into_tensor(%b, 3, "0")
  %w1 = _c10d_functional.wait_tensor(%s1)
  %s2 = _c10d_functional.all_gather_into_tensor(%c, 3, "0")
  %w2 = _c10d_functional.wait_tensor(%s2)
  %s3 = _c10d_functional.all_gather_into_tensor(%d, 3, "0")
  %w3 = _c10d_functional.wait_tensor(%s3)
  return %w0, %w1, %w2, %w3
})";
  passes::BucketOptions buckets;
  buckets.mode = passes::BucketMode::multi_dtype;
  for (const ExecutorKind executor : {ExecutorKind::interpreter, ExecutorKind::cpu}) {
    EXPECT_EQ(bytes_of_ranks(run_ranks(text, {.ranks = 3}, executor, buckets)),
              bytes_of_ranks(run_ranks(text, {.ranks = 3}, executor)));
  }
}

}  // namespace
}  // namespace litz::compiler
