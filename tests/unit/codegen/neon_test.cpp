// Kernels for AArch64, by the assembly that they become: no machine of its kind is needed.

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/llvm/kernel_compiler.h"
#include "loops/kernel.h"
#include "runtime/cpu/imports.h"
#include "runtime/cpu/object_linker.h"

namespace litz::codegen {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::Not;

// What proves that lanes of a register are computed together: v1.4s holds four numbers, q1 is all of
// the register in memory accesses.
constexpr const char* kLoad = "ld[ru]r[[:space:]]+q[0-9]+|ldp[[:space:]]+q[0-9]+";
constexpr const char* kStore = "st[ru]r[[:space:]]+q[0-9]+|stp[[:space:]]+q[0-9]+";

/// An instruction on registers of this shape, as a pattern.
std::string lanes(const std::string& instruction, const std::string& shape) {
  return "[[:space:]]" + instruction + "[[:space:]]+v[0-9]+\\." + shape;
}

class NeonKernels : public testing::Test {
 protected:
  schedule::Schedule scheduled(const std::string& text) {
    return schedule::make_schedule(loops::parse_kernel(text, pool),
                                   {.vector_bytes = target.vector_bytes});
  }

  /// Fails unless what the loader would load is an object that it takes.
  std::string assembly(const std::string& text) {
    KernelCompiler compiler(target);
    const artifact::KernelCode code = compiler.compile(scheduled(text), "k");
    const std::array<std::span<const std::byte>, 1> objects{code.object};
    const runtime::ObjectLinker linker(objects, runtime::find_import);
    EXPECT_EQ(linker.machine(), runtime::Machine::aarch64);
    EXPECT_EQ(linker.functions().size(), code.phases.size());
    std::vector<std::byte> image(linker.bytes());
    linker.write(image, 0x7000000000);
    return compiler.assembly_text(scheduled(text));
  }

  /// A size that kernels may name.
  void declare(const char* name) {
    SymbolInfo info;
    info.name = name;
    info.range = {0, int64_t{1} << 40};
    pool.add_symbol(info);
  }

  void SetUp() override {
    declare("n");
    declare("m");
  }

  ExprPool pool;
  CpuTarget target = CpuTarget::named("neon");
};

constexpr const char* kPointwise = R"(kernel @p(%x: f32[n], %z: f32[n], out %y: f32[n]) {
  for i in 0..n {
    %0 = load %x[i]
    %1 = load %z[i]
    %2 = mul %0, %1
    %3 = exp %2
    %4 = add %3, %1
    store %y[i], %4
  }
})";

TEST_F(NeonKernels, PointwiseTakesFourLanes) {
  const std::string text = assembly(kPointwise);
  EXPECT_THAT(text, ContainsRegex(lanes("fmul", "4s")));
  EXPECT_THAT(text, ContainsRegex(lanes("fadd", "4s")));
  EXPECT_THAT(text, ContainsRegex(lanes("fml[as]", "4s")));  // Of the exponential.
  EXPECT_THAT(text, ContainsRegex(kLoad));
  EXPECT_THAT(text, ContainsRegex(kStore));
  EXPECT_THAT(text, Not(ContainsRegex("[[:space:]]bl[[:space:]]+expf")));
}

TEST_F(NeonKernels, RestsAreComputedInOtherCode) {
  // Three numbers beyond full registers: read and written one by one or as pairs, never beyond.
  const std::string text = assembly(R"(kernel @r(%x: f32[7], out %y: f32[7]) {
  for i in 0..7 {
    %0 = load %x[i]
    %1 = mul %0, %0
    store %y[i], %1
  }
})");
  EXPECT_THAT(text, ContainsRegex(lanes("fmul", "4s")));
  EXPECT_THAT(text, ContainsRegex("[[:space:]](str|stur|stp)[[:space:]]+[sd][0-9]+|"
                                  "[[:space:]]st1[[:space:]]+\\{ *v[0-9]+\\.s *\\}"));
}

TEST_F(NeonKernels, HalvesAreWidenedInRegisters) {
  const std::string text = assembly(R"(kernel @h(%x: bf16[n], out %y: bf16[n]) {
  for i in 0..n {
    %0 = load %x[i]
    %1 = cast f32 %0
    %2 = mul %1, %1
    %3 = cast bf16 %2
    store %y[i], %3
  }
})");
  EXPECT_THAT(text, ContainsRegex(lanes("(shll|ushll|shl|zip1|zip2)2?", "(4s|8h)")));
  EXPECT_THAT(text, ContainsRegex(lanes("fmul", "4s")));
  EXPECT_THAT(text, ContainsRegex(lanes("(shrn|xtn|uzp1|uzp2|ushr)2?", "(4h|8h|4s)")));
}

TEST_F(NeonKernels, RowsAreReducedInLanes) {
  const std::string text = assembly(R"(kernel @s(%x: f32[m, 512], out %y: f32[m]) {
  for i in 0..m {
    %0 = reduce sum j in 0..512 {
      %1 = load %x[i, j]
      yield %1
    }
    store %y[i], %0
  }
})");
  EXPECT_THAT(text, ContainsRegex(lanes("fadd", "4s")));
  // Lanes are added at the end.
  EXPECT_THAT(text, ContainsRegex("[[:space:]](faddp|ext|dup|mov)[[:space:]]+[svd][0-9]+"));
}

TEST_F(NeonKernels, ColumnsAreReducedInLanes) {
  const std::string text = assembly(R"(kernel @s(%x: f32[13, 512], out %y: f32[512]) {
  for j in 0..512 {
    %0 = reduce sum i in 0..13 {
      %1 = load %x[i, j]
      yield %1
    }
    store %y[j], %0
  }
})");
  EXPECT_THAT(text, AllOf(ContainsRegex(lanes("fadd", "4s")), ContainsRegex(kStore)));
}

TEST_F(NeonKernels, TransposesTurnInRegisters) {
  const std::string text =
      assembly(R"(kernel @t(%x: f32[64, 64]{1, 64}, %z: f32[64, 64], out %y: f32[64, 64]) {
  for i in 0..64, j in 0..64 {
    %0 = load %x[i, j]
    %1 = load %z[i, j]
    %2 = add %0, %1
    store %y[i, j], %2
  }
})");
  EXPECT_THAT(text, ContainsRegex(lanes("(trn|zip|uzp)[12]", "(4s|2d)")));
  EXPECT_THAT(text, ContainsRegex(lanes("fadd", "4s")));
  EXPECT_THAT(text, AllOf(ContainsRegex(kLoad), ContainsRegex(kStore)));
}

TEST_F(NeonKernels, GathersLoadLaneByLaneAndCheck) {
  const std::string text = assembly(R"(kernel @g(%x: f32[1000], %i: i64[n], out %y: f32[n]) {
  for a in 0..n {
    %0 = load %i[a]
    %1 = bound_index wrap "index of aten.gather" %0, 1000
    %2 = load %x[%1]
    %3 = mul %2, %2
    store %y[a], %3
  }
})");
  EXPECT_THAT(text, ContainsRegex("[[:space:]]ldr[[:space:]]+s[0-9]+, *\\[x[0-9]+|"
                                  "[[:space:]]ld1[[:space:]]+\\{ *v[0-9]+\\.s *\\}"));
  EXPECT_THAT(text, ContainsRegex("[[:space:]](cmp|cmn|cmhi|cmhs|cmgt|cmge|cmlt)[[:space:]]"));
}

TEST_F(NeonKernels, UpdatesAddToMemory) {
  const std::string text = assembly(R"(kernel @a(%x: f32[n, 8], %i: i64[n], out %y: f32[100, 8]) {
  for a in 0..n, b in 0..8 {
    %0 = load %i[a]
    %1 = bound_index wrap "index of aten.index_add" %0, 100
    %2 = load %x[a, b]
    store add %y[%1, b], %2
  }
})");
  EXPECT_THAT(text, ContainsRegex("[[:space:]]fadd[[:space:]]+[vs][0-9]+"));
}

TEST_F(NeonKernels, AddressesHave64Bits) {
  // Beyond 2^31 elements: nothing of an address is computed in 32 bits and widened.
  const std::string text = assembly(R"(kernel @l(%x: f32[70000, n], out %y: f32[70000, n]) {
  for i in 0..70000, j in 0..n {
    %0 = load %x[i, j]
    %1 = mul %0, %0
    store %y[i, j], %1
  }
})");
  EXPECT_THAT(text, ContainsRegex("[[:space:]](mul|madd|lsl|add)[[:space:]]+x[0-9]+"));
  EXPECT_THAT(text, Not(ContainsRegex("sxtw|[[:space:]]s(mull|maddl)[[:space:]]")));
}

}  // namespace
}  // namespace litz::codegen
