// Code follows from the text of a scheduled kernel alone.

#include "codegen/llvm/kernel_compiler.h"

#include <cstdlib>
#include <fstream>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "loops/softmax_kernel.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

constexpr const char* kTransposed = R"(kernel @k(%x: f32[512, 512], out %y: f32[512, 512]) {
  for i in 0..512, j in 0..512 {
    %0 = load %x[j, i]
    store %y[i, j], %0
  }
}
)";

constexpr const char* kVariance = R"(kernel @k(%x: f32[1000, 1000], out %y: f32[1000]) {
  for j in 0..1000 {
    %0 = reduce sum i in 0..1000 {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = const f32 1000.0
    %3 = div %0, %2
    %4 = reduce sum k in 0..1000 {
      %5 = load %x[k, j]
      %6 = sub %5, %3
      %7 = mul %6, %6
      yield %7
    }
    store %y[j], %4
  }
}
)";

constexpr const char* kScan = R"(kernel @k(%x: f32[64, 500], out %y: f32[64, 500]) {
  for r in 0..64 {
    %0 = const f32 0.0
    %1 = for i in 0..500 carry (%2 = %0) {
      %3 = load %x[r, i]
      %4 = add %2, %3
      store %y[r, i], %4
      yield %4
    }
  }
}
)";

constexpr const char* kGather =
    R"(kernel @k(%n: i64[64], %x: f32[8, 64, 16], out %y: f32[64, 64, 16]) {
  for i in 0..64, j in 0..64, k in 0..16 {
    %0 = load %n[i]
    %1 = bound_index "index" %0, 8
    %2 = load %x[%1, j, k]
    store %y[i, j, k], %2
  }
}
)";

TEST(KernelCompiler, ReadsSchedulesFromText) {
  for (const std::string& text :
       {std::string(kTransposed), std::string(kVariance), std::string(kScan), std::string(kGather),
        loops::softmax_kernel("64", "4096"), loops::softmax_kernel("64", "s0")}) {
    ExprPool pool;
    KernelCompiler compiler(CpuTarget::named("avx2"));
    const schedule::Schedule made =
        schedule::make_schedule(loops::parse_kernel(text, pool), {.vector_bytes = 32});
    const std::string scheduled = loops::to_string(made.kernel);
    ExprPool fresh;
    const schedule::Schedule read =
        schedule::read_schedule(loops::parse_kernel(scheduled, fresh), {.vector_bytes = 32});
    EXPECT_EQ(compiler.llvm_text(read), compiler.llvm_text(made)) << scheduled;
  }
}

TEST(KernelCompiler, WritesTheFormulaOfManyFunctionsOnce) {
  const auto text = [](int sines) {
    std::string body = "    %0 = load %x[i]\n";
    for (int i = 0; i < sines; ++i) {
      body += "    %" + std::to_string(i + 1) + " = sin %" + std::to_string(i) + "\n";
    }
    const std::string kernel = "kernel @k(%x: f32[64], out %y: f32[64]) {\n  for i in 0..64 {\n" +
                               body + "    store %y[i], %" + std::to_string(sines) + "\n  }\n}\n";
    ExprPool pool;
    return KernelCompiler(CpuTarget::named("avx2"))
        .llvm_text(
            schedule::make_schedule(loops::parse_kernel(kernel, pool), {.vector_bytes = 32}));
  };
  EXPECT_EQ(text(2).find("@litz.sin"), std::string::npos);
  const std::string many = text(40);
  EXPECT_NE(many.find("call <8 x float> @\"litz.sin.<8 x float>\""), std::string::npos) << many;
  EXPECT_LT(many.size(), 4 * text(2).size());
}

/// Compiles kernels in a process that may get so many more bytes. Exits with 0 if all were compiled or
/// refused for lack of memory.
void compile_within(size_t more) {
  ExprPool pool;
  KernelCompiler compiler(CpuTarget::named("avx2"));
  rlimit limit{};
  std::ifstream("/proc/self/statm") >> limit.rlim_cur;
  limit.rlim_cur = limit.rlim_cur * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + more;
  limit.rlim_max = RLIM_INFINITY;
  ::setrlimit(RLIMIT_AS, &limit);
  int status = 0;
  try {
    for (const char* text : {kTransposed, kVariance, kScan, kGather}) {
      compiler.compile(
          schedule::make_schedule(loops::parse_kernel(text, pool), {.vector_bytes = 32}), "k");
    }
  } catch (const Error& error) {
    status = error.code() == ErrorCode::out_of_memory ? 0 : 2;
  } catch (const std::bad_alloc&) {
    // Outside of LLVM.
  }
  std::_Exit(status);
}

TEST(KernelCompilerDeathTest, RefusedMemoryIsAnError) {
  // LLVM itself would end the process between 1 and 4 MB.
  for (size_t kilobytes = 0; kilobytes < 6'000; kilobytes += 300) {
    EXPECT_EXIT(compile_within(kilobytes << 10), testing::ExitedWithCode(0), "") << kilobytes;
  }
  EXPECT_EXIT(compile_within(size_t{25} << 20), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(compile_within(size_t{64} << 20), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace litz::codegen
