// One plan for all sizes of a bucket, and one copy of the program for one size after the other, give
// the bits that the step-by-step runner gives, which allocates for every step.

#include <cstring>
#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include "compiler/backend.h"
#include "compiler/execution/plan_runner.h"
#include "lowering/lower.h"
#include "memory/memory_plan.h"
#include "one_list.h"
#include "passes/graph_passes.h"
#include "passes/pass_driver.h"
#include "runtime/program/size_buckets.h"
#include "support/check.h"
#include "text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

/// A program of one symbol, planned and step by step.
class Both {
 public:
  explicit Both(const char* text, bool fuse = true) : program_(text_program(text)) {
    passes::PassContext context{.program = &program_};
    passes::run_pipeline(passes::import_pipeline(), *program_.module, context, {});
    lowering::LoweredProgram lowered = lowering::lower(program_);
    fusion::FusionReport report;
    if (fuse) fusion::fuse(lowered, fusion_options(backend_for("host").get(), true), report);
    ExprPool& pool = program_.module->exprs();
    symbol_ = pool.find_symbol("s0")->symbol();
    runner_.emplace(std::move(lowered), pool, KernelSetOptions{});
    const lowering::Plan& plan = runner_->program().plans[0];
    planner_.emplace(plan);
    list_.emplace(*runner_);
  }

  Bindings at(int64_t size) const {
    Bindings bindings;
    bindings.set(symbol_, size);
    return bindings;
  }

  std::string planned(int64_t size) const {
    const std::vector<Leaf> inputs = inputs_of(size);
    const auto input_of = [&](size_t i) { return std::get_if<Tensor>(&inputs[i]); };
    return bytes_of(list_->runner().run(input_of, at(size), {}));
  }

  std::string stepped(int64_t size) const {
    Bindings bindings = at(size);
    return bytes_of(runner_->run(inputs_of(size), bindings));
  }

  const runtime::ListRunner& executor() const { return list_->runner(); }

  runtime::ArenaPlanner arena() const { return runtime::ArenaPlanner(list_->list().blocks); }

  const memory::MemoryPlanner& planner() const { return *planner_; }

 private:
  std::vector<Leaf> inputs_of(int64_t size) const {
    std::vector<Leaf> inputs;
    for (const ir::ValueType& declared : runner_->program().plans[0].input_types) {
      const auto& type = std::get<TensorType>(declared);
      inputs.emplace_back(fill_floats(type.dtype, evaluate(type.sizes, at(size)),
                                      static_cast<uint64_t>(size), 1, 0));
    }
    return inputs;
  }

  ir::Program program_;
  SymbolId symbol_ = 0;
  std::optional<PlanRunner> runner_;
  std::optional<memory::MemoryPlanner> planner_;
  std::optional<OneList> list_;
};

// Products with an epilogue, a reduction, a view with an offset that depends on the size.
constexpr const char* kNetwork = R"(
sym s0 in [0, 4096]
graph @main(%w: f32[16, 16], %x: f32[s0, 16]) -> (f32[s0, 16], f32[s0], f32[16]) {
  %h = aten.mm(%x, %w)
  %g = aten.gelu(%h)
  %o = aten.mm(%g, %w)
  %s = aten.softmax.int(%o, 1)
  %t = aten.mm(%s, %w)
  %r = aten.sum.dim_IntList(%t, [1], false)
  %m = aten.mm(%x, %w)
  %c = aten.cat([%m, %w], 0)
  %y = aten.select.int(%c, 0, s0)
  %z = aten.neg(%y)
  return %s, %r, %z
})";

// One temporary shrinks as the symbol grows, others jump.
constexpr const char* kShrinking = R"(
sym s0 in [1, 127]
graph @main(%w: f32[16, 16], %a: f32[128 - s0, 16], %e: f32[s0, 16], %i: f32[mod(s0, 8), 16]))"
                                   R"( -> (f32[128 - s0, 16], f32[s0, 16], f32[mod(s0, 8), 16]) {
  %b = aten.mm(%a, %w)
  %c = aten.softmax.int(%b, 1)
  %d = aten.mm(%c, %w)
  %f = aten.mm(%e, %w)
  %g = aten.softmax.int(%f, 1)
  %h = aten.mm(%g, %w)
  %j = aten.mm(%i, %w)
  %k = aten.mm(%j, %w)
  return %d, %h, %k
})";

TEST(SizeBuckets, NewSizesOfABucketShareItsPlan) {
  const Both both(kNetwork);
  for (int64_t size = 129; size <= 144; ++size) ASSERT_EQ(both.planned(size), both.stepped(size));
  EXPECT_EQ(both.executor().plans_made(), 1);
  EXPECT_EQ(both.executor().copies_made(), 1);
  EXPECT_EQ(both.executor().bucket_of(both.at(130)), both.executor().bucket_of(both.at(144)));
  EXPECT_NE(both.executor().bucket_of(both.at(128)), both.executor().bucket_of(both.at(129)));
}

TEST(SizeBuckets, EverySizeGivesTheSameBits) {
  for (const bool fuse : {false, true}) {
    const Both both(kNetwork, fuse);
    for (int64_t size = 0; size <= 70; ++size) {
      ASSERT_EQ(both.planned(size), both.stepped(size)) << size;
    }
    for (const int64_t size : {1, 0, 70, 35, 0, 2, 1000, 1, 999, 1000, 17}) {
      ASSERT_EQ(both.planned(size), both.stepped(size)) << size;
    }
  }
}

TEST(SizeBuckets, SizesThatShrinkAsTheSymbolGrows) {
  for (const bool fuse : {false, true}) {
    const Both both(kShrinking, fuse);
    for (int64_t size = 1; size < 128; ++size) {
      ASSERT_EQ(both.planned(size), both.stepped(size)) << size;
    }
    for (int64_t size = 127; size > 0; size -= 3) {
      ASSERT_EQ(both.planned(size), both.stepped(size)) << size;
    }
  }
}

TEST(SizeBuckets, PlansHoldEverySizeOfTheirBucket) {
  for (const char* text : {kNetwork, kShrinking}) {
    const Both both(text);
    runtime::SizeBuckets buckets(both.arena());
    for (int64_t size = 1; size < 128; ++size) {
      const auto bucket = buckets.at(both.at(size));
      const memory::MemoryPlan exact = both.planner().plan(both.at(size));
      ASSERT_EQ(bucket->layout.ranges.size(), exact.chunks.size());
      for (size_t i = 0; i < exact.chunks.size(); ++i) {
        ASSERT_LE(exact.chunks[i].bytes, bucket->layout.ranges[i].bytes) << size;
      }
      // All that grows is what the bucket rounds up, in one size or two.
      if (bucket->layout.bytes > 4096) {
        ASSERT_LE(bucket->layout.bytes, 2 * exact.bytes) << size;
      }
    }
  }
}

// The bound over 65 .. 72 is eight times what 65 needs.
TEST(SizeBuckets, FarBoundsHavePlansOfTheirOwn) {
  const Both both(R"(
sym s0 in [65, 1024]
graph @main(%w: f32[64, 64], %x: f32[64*(s0 - 64), 64]) -> (f32[64*(s0 - 64), 64]) {
  %a = aten.mm(%x, %w)
  %b = aten.softmax.int(%a, 1)
  %c = aten.mm(%b, %w)
  return %c
})");
  runtime::SizeBuckets buckets(both.arena());
  const auto near = buckets.at(both.at(70));
  EXPECT_EQ(near->sizes[0].second, (Interval{65, 72}));
  EXPECT_EQ(buckets.at(both.at(72)), near);
  const auto far = buckets.at(both.at(66));
  EXPECT_EQ(far->sizes[0].second, (Interval{66, 66}));
  EXPECT_EQ(far->layout.bytes, both.planner().plan(both.at(66)).bytes);
  for (const int64_t size : {65, 72, 66, 71}) ASSERT_EQ(both.planned(size), both.stepped(size));
}

TEST(SizeBuckets, ForgetThePlansUsedLongestAgo) {
  const Both both(kNetwork);
  runtime::SizeBuckets buckets(both.arena(), 2);
  const auto first = buckets.at(both.at(100));
  buckets.at(both.at(200));
  EXPECT_EQ(buckets.at(both.at(98)), first);
  buckets.at(both.at(400));  // Instead of 200.
  EXPECT_EQ(buckets.plans_made(), 3);
  EXPECT_EQ(buckets.at(both.at(97)), first);
  EXPECT_EQ(buckets.plans_made(), 3);
  buckets.at(both.at(200));
  EXPECT_EQ(buckets.plans_made(), 4);
}

TEST(SizeBuckets, SizesThatComeAgainGetCopies) {
  const Both both(kNetwork);
  for (int64_t size = 1; size <= 300; ++size) both.executor().prepare(both.at(size), {});
  EXPECT_EQ(both.executor().copies_made(), 1);
  EXPECT_LE(both.executor().plans_made(), 60);
  for (int round = 0; round < 3; ++round) {
    for (int64_t size = 291; size <= 300; ++size) {
      ASSERT_EQ(both.planned(size), both.stepped(size));
    }
    EXPECT_EQ(both.executor().copies_made(), 10);  // 300 has the first one.
  }
  for (int round = 0; round < 3; ++round) {
    for (int64_t size = 1; size <= 60; ++size) ASSERT_EQ(both.planned(size), both.stepped(size));
  }
  EXPECT_EQ(both.executor().copies_made(), 64);
}

TEST(SizeBuckets, SizesThatCannotBeAreRefused) {
  const Both both(kShrinking);
  EXPECT_THROW(both.executor().prepare(both.at(200), {}), Error);  // 128 - 200
  EXPECT_EQ(both.planned(100), both.stepped(100));
}

TEST(SizeBuckets, ManyThreadsWithManySizes) {
  constexpr int kThreads = 6;
  constexpr int64_t kSizes = 60;
  const Both both(kNetwork);
  std::vector<std::string> expected;
  for (int64_t size = 0; size < kSizes; ++size) expected.push_back(both.stepped(size));
  std::vector<int> wrong(kThreads);
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      for (int64_t call = 0; call < 150; ++call) {
        const int64_t size = (call * (thread % 2 == 0 ? 1 : 7) + thread) % kSizes;
        if (both.planned(size) != expected[static_cast<size_t>(size)]) {
          ++wrong[static_cast<size_t>(thread)];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(kThreads));
}

}  // namespace
}  // namespace litz::compiler
