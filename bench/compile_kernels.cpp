// Milliseconds of processor time that one kernel takes from loop IR to machine code, by kind of
// kernel, on one thread.
//
// Usage: bench_compile_kernels [target]

#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/llvm/kernel_compiler.h"
#include "loops/kernel.h"
#include "loops/softmax_kernel.h"
#include "schedule/schedule.h"

namespace {

using namespace litz;
constexpr int kRounds = 20;

struct Sample {
  std::string_view name;
  std::string text;
};

const Sample kSamples[] = {
    {"cube", R"(kernel @cube(%x: f32[64, 64], out %y: f32[64, 64]) {
  for i in 0..64, j in 0..64 {
    %0 = load %x[i, j]
    %1 = mul %0, %0
    %2 = mul %1, %0
    store %y[i, j], %2
  }
})"},
    {"gelu", R"(kernel @gelu(%x: f32[100, 77], out %y: f32[100, 77]) {
  for i in 0..100, j in 0..77 {
    %0 = load %x[i, j]
    %1 = const f32 0.7071067811865475
    %2 = mul %0, %1
    %3 = erf %2
    %4 = const f32 1.0
    %5 = add %4, %3
    %6 = const f32 0.5
    %7 = mul %0, %6
    %8 = mul %7, %5
    store %y[i, j], %8
  }
})"},
    {"softmax", loops::softmax_kernel("64", "197")},
};

/// Processor time, which other processes do not lengthen.
double now_ms() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  const codegen::CpuTarget target = codegen::CpuTarget::named(argc > 1 ? argv[1] : "host");
  const double start = now_ms();
  codegen::KernelCompiler compiler(target);
  std::printf("%-10s %8.2f ms\n", "set-up", now_ms() - start);
  for (const Sample& sample : kSamples) {
    double schedule_ms = 0;
    double compile_ms = 0;
    size_t bytes = 0;
    for (int round = 0; round < kRounds; ++round) {
      ExprPool pool;
      loops::Kernel kernel = loops::parse_kernel(sample.text, pool);
      double begin = now_ms();
      const schedule::Schedule schedule =
          schedule::make_schedule(std::move(kernel), {.vector_bytes = target.vector_bytes});
      schedule_ms += now_ms() - begin;
      begin = now_ms();
      bytes = compiler.compile(schedule, "k").object.size();
      compile_ms += now_ms() - begin;
    }
    std::printf("%-10s %8.2f ms  (schedule %.2f ms, %zu bytes)\n", std::string(sample.name).c_str(),
                (schedule_ms + compile_ms) / kRounds, schedule_ms / kRounds, bytes);
  }
}
