// What compilation for a card returns, and what it refuses.

#include "codegen/cuda/cuda_compiler.h"

#include <gmock/gmock.h>

#include "emulated_kernel.h"

namespace litz::codegen {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

using CudaCompilerTest = EmulatedKernelTest;

TEST_F(CudaCompilerTest, CodeTellsHowToLaunchIt) {
  const Expr n = pool_.add_symbol({.name = "n", .range = {0, 1 << 20}});
  loops::KernelBuilder b("two", pool_);
  const loops::BufferId x = b.input("x", contiguous_type(DType::f32, {n, 300}));
  const loops::BufferId y = b.output("y", contiguous_type(DType::f32, {n}));
  const loops::BufferId z = b.output("z", contiguous_type(DType::f32, {n}));
  b.loop(std::vector<Expr>{n}, [&](loops::Exprs i) {
    b.store(y, i, b.reduce(loops::ReduceKind::sum, std::vector<Expr>{300}, [&](loops::Exprs j) {
      return b.load(x, {i[0], j[0]});
    }));
  });
  b.loop(std::vector<Expr>{n}, [&](loops::Exprs i) {
    const auto place = b.bound_index(b.index(i[0] * 2), n, false, "a place");
    b.store(z, i, b.load(y, {place.id()}));
  });
  const schedule::Schedule schedule = block_schedule(std::move(b).finish());
  const artifact::KernelCode code = compile_for_cuda(schedule, "prefix_", "sm_90");
  EXPECT_EQ(code.name, "two");
  ASSERT_THAT(code.phases, SizeIs(2));
  for (size_t i = 0; i < 2; ++i) {
    const artifact::KernelPhase& phase = code.phases[i];
    EXPECT_EQ(phase.symbol, "prefix_" + std::to_string(i));
    EXPECT_TRUE(artifact::can_run(phase));
    EXPECT_EQ(phase.threads, schedule.phases[i].block.threads);
    EXPECT_EQ(phase.grain, schedule.phases[i].grain);
    EXPECT_EQ(phase.iterations, n);
    EXPECT_THAT(cuda_text(schedule, "prefix_"), HasSubstr(phase.symbol + "("));
  }
  ASSERT_THAT(code.checks, SizeIs(1));
  EXPECT_EQ(code.checks[0], (artifact::KernelCheck{artifact::CheckKind::index, "a place"}));
  EXPECT_EQ(code.scalars, std::vector<SymbolId>{n.symbol()});
  EXPECT_FALSE(code.object.empty());
  EXPECT_THROW(compile_for_cuda(schedule, "prefix_", "avx2"), std::exception);
}

// Equal checks are one.
TEST_F(CudaCompilerTest, ChecksAreNumberedOverAllPhases) {
  const artifact::KernelCode code = compile_for_cuda(
      block_schedule(
          parsed(R"(kernel @k(%n: i64[100], %x: f32[9], out %y: f32[100], out %z: f32[100]) {
  for i in 0..100 {
    %0 = load %n[i]
    %1 = bound_index "index" %0, 9
    %2 = load %x[%1]
    store %y[i], %2
  }
  for j in 0..100 {
    %3 = load %n[j]
    %4 = bound_index "index" %3, 9
    %5 = load %x[%4]
    %6 = bound_index wrap "index" %3, 9
    %7 = load %x[%6]
    %8 = add %5, %7
    store %z[j], %8
  }
}
)")),
      "k", "sm_90");
  ASSERT_THAT(code.checks, SizeIs(2));
  EXPECT_EQ(code.checks[1].kind, artifact::CheckKind::wrapping_index);
}

TEST_F(CudaCompilerTest, RefusesWhatHasNoForm) {
  const auto reason = [&](std::string_view text) {
    return reason_not_compiled_for_cuda(parsed(text)).value_or("");
  };
  EXPECT_THAT(reason(R"(kernel @k(%x: f32[90000], out %y: f32[90000]) {
  sort i in 0..90000 {
    %0 = load %x[i]
    yield %0
  } emit j in 0..90000 (%1, %2) {
    store %y[j], %1
  }
}
)"),
              HasSubstr("a sort of more than"));
  EXPECT_EQ(reason(R"(kernel @k(%x: f32[s0], out %y: f32[s0]) {
  sort i in 0..9 {
    %0 = load %x[i]
    yield %0
  } emit j in 0..sign(s0) (%1, %2) {
    store %y[j], %1
  }
}
)"),
            "sign of sizes");
  EXPECT_EQ(reason(R"(kernel @k(%x: f32[2, 90000], out %y: f32[2, 90000], scratch %r: f32[90000]) {
  for i in 0..2 {
    for j in 0..90000 {
      %0 = load %x[i, j]
      store %r[j], %0
    }
    for k in 0..90000 {
      %1 = load %r[k]
      store %y[i, k], %1
    }
  }
}
)"),
            "rows longer than the memory of a block");
  EXPECT_EQ(reason(R"(kernel @k(%x: c64[9], out %y: c64[3]) {
  for i in 0..9 {
    %0 = load %x[i]
    store mul %y[floor_div(i, 3)], %0
  }
}
)"),
            "complex numbers");
  EXPECT_EQ(reason(R"(kernel @k(%x: f32[9], out %y: f32[9]) {
  for i in 0..9 {
    %0 = load %x[i]
    store %y[i], %0
  }
}
)"),
            "");
}

// Only a whole team can sort.
TEST_F(CudaCompilerTest, RefusesSortsInsideOfSorts) {
  EXPECT_TRUE(reason_not_compiled_for_cuda(parsed(R"(kernel @k(%x: f32[9], out %y: f32[9, 9]) {
  sort i in 0..9 {
    %0 = load %x[i]
    yield %0
  } emit j in 0..9 (%1, %2) {
    sort k in 0..9 {
      %3 = load %x[k]
      %4 = sub %3, %1
      yield %4
    } emit l in 0..9 (%5, %6) {
      store %y[j, l], %5
    }
  }
}
)"))
                  .has_value());
}

// Code that is stored must be the code that is made.
TEST_F(CudaCompilerTest, TextFollowsFromTheScheduleAlone) {
  const std::string text = R"(kernel @k(%x: f32[70, 400], out %y: f32[70]) {
  for i in 0..70 {
    %0 = reduce sum j in 0..400 {
      %1 = load %x[i, j]
      yield %1
    }
    store %y[i], %0
  }
}
)";
  const std::string first = cuda_text(block_schedule(parsed(text)), "k");
  EXPECT_EQ(cuda_text(block_schedule(parsed(text)), "k"), first);
  ExprPool fresh;
  EXPECT_EQ(cuda_text(block_schedule(loops::parse_kernel(text, fresh)), "k"), first);
  EXPECT_THAT(first, HasSubstr("__global__"));
}

}  // namespace
}  // namespace litz::codegen
