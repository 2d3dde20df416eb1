// Kernels that memory limits, relative to this machine's copy speed, on arrays beyond all caches.
//
// Bytes are the necessary ones: every input is read once, every output written once. A plain store
// also reads the line that it overwrites, which counts against the kernels; the copy is the C
// library's, which bypasses the caches. Best of several rounds each, copy and kernel alternating.
//
// Usage: bench_memory_bound [threads] [name]   kernels whose name has `name` in it

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/backend.h"
#include "compiler/kernels/kernel_set.h"
#include "loops/kernel.h"
#include "loops/softmax_kernel.h"
#include "lowering/plan.h"
#include "runtime/cpu/host_arena.h"
#include "support/thread_pool.h"

namespace {

using namespace litz;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 9;
// The value of the symbol s0.
constexpr int64_t kLength = 4096;

struct Sample {
  std::string_view name;
  std::string text;
};

// The sum of a square, its transpose, and another square. Cache lines begin with rows of 8192
// floats, but not with rows of 8200.
std::string transpose_kernel(const std::string& dtype, const std::string& n) {
  const std::string square = dtype + "[" + n + ", " + n + "]";
  return "kernel @t(%x: " + square + "{1, " + n + "}, %z: " + square + ", out %y: " + square +
         ") {\n  for i in 0.." + n + ", j in 0.." + n + R"( {
    %0 = load %x[i, j]
    %1 = load %z[i, j]
    %2 = add %0, %1
    store %y[i, j], %2
  }
})";
}

const Sample kSamples[] = {
    {"gelu + bias", R"(kernel @gelu(%x: f32[16384, 4096], %b: f32[4096], out %y: f32[16384, 4096]) {
  for i in 0..16384, j in 0..4096 {
    %8 = load %x[i, j]
    %9 = load %b[j]
    %0 = add %8, %9
    %1 = const f32 0.7071067811865475
    %2 = mul %0, %1
    %3 = erf %2
    %4 = const f32 1.0
    %5 = add %4, %3
    %6 = const f32 0.5
    %7 = mul %0, %6
    %10 = mul %7, %5
    store %y[i, j], %10
  }
})"},
    {"softmax", loops::softmax_kernel("16384", "4096")},
    {"layer norm",
     R"(kernel @norm(%x: f32[16384, 4096], %w: f32[4096], %b: f32[4096], out %y: f32[16384, 4096]) {
  for i in 0..16384 {
    %0 = reduce sum j in 0..4096 {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = const f32 4096.0
    %3 = div %0, %2
    %4 = reduce sum k in 0..4096 {
      %5 = load %x[i, k]
      %6 = sub %5, %3
      %7 = mul %6, %6
      yield %7
    }
    %8 = div %4, %2
    %9 = const f32 1e-5
    %10 = add %8, %9
    %11 = rsqrt %10
    for l in 0..4096 {
      %12 = load %x[i, l]
      %13 = load %w[l]
      %14 = load %b[l]
      %15 = sub %12, %3
      %16 = mul %15, %11
      %17 = mul %16, %13
      %18 = add %17, %14
      store %y[i, l], %18
    }
  }
})"},
    {"transpose + add", transpose_kernel("f32", "8192")},
    {"transpose, apart", transpose_kernel("f32", "8200")},
    {"transpose of i16", transpose_kernel("i16", "8192")},
    {"cross entropy", R"(kernel @ce(%x: f32[1024, 50304], %t: i64[1024], out %y: f32[1024]) {
  for i in 0..1024 {
    %0 = reduce max j in 0..50304 {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = reduce sum k in 0..50304 {
      %3 = load %x[i, k]
      %4 = sub %3, %0
      %5 = exp %4
      yield %5
    }
    %6 = log %2
    %7 = load %t[i]
    %8 = bound_index "target" %7, 50304
    %9 = load %x[i, %8]
    %10 = sub %9, %0
    %11 = sub %6, %10
    store %y[i], %11
  }
})"},
    {"softmax of 1 Mi", loops::softmax_kernel("64", "1048576")},
    {"softmax of any", loops::softmax_kernel("16384", "s0")},
    {"log softmax", R"(kernel @log_softmax(%x: f32[16384, 4096], out %y: f32[16384, 4096]) {
  for i in 0..16384 {
    %0 = reduce max j in 0..4096 {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = reduce sum k in 0..4096 {
      %3 = load %x[i, k]
      %4 = sub %3, %0
      %5 = exp %4
      yield %5
    }
    %10 = log %2
    for l in 0..4096 {
      %6 = load %x[i, l]
      %7 = sub %6, %0
      %9 = sub %7, %10
      store %y[i, l], %9
    }
  }
})"},
    {"logsumexp of 256", R"(kernel @lse(%x: f32[262144, 256], out %y: f32[262144]) {
  for i in 0..262144 {
    %0 = reduce max j in 0..256 {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = reduce sum k in 0..256 {
      %3 = load %x[i, k]
      %4 = sub %3, %0
      %5 = exp %4
      yield %5
    }
    %6 = log %2
    %7 = add %6, %0
    store %y[i], %7
  }
})"},
    {"logsumexp of 1 Mi", R"(kernel @lse(%x: f32[64, 1048576], out %y: f32[64]) {
  for i in 0..64 {
    %0 = reduce max j in 0..1048576 {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = reduce sum k in 0..1048576 {
      %3 = load %x[i, k]
      %4 = sub %3, %0
      %5 = exp %4
      yield %5
    }
    %6 = log %2
    %7 = add %6, %0
    store %y[i], %7
  }
})"},
    {"sum", R"(kernel @s(%x: f32[16384, 4096], out %y: f32[16384]) {
  for i in 0..16384 {
    %0 = reduce sum j in 0..4096 {
      %1 = load %x[i, j]
      yield %1
    }
    store %y[i], %0
  }
})"},
    {"sum of all", R"(kernel @s(%x: f32[67108864], out %y: f32[]) {
  %0 = reduce sum i in 0..67108864 {
    %1 = load %x[i]
    yield %1
  }
  store %y[], %0
})"},
    {"argmax of all", R"(kernel @s(%x: f32[67108864], out %y: i64[]) {
  %0 = reduce argmax i in 0..67108864 {
    %1 = load %x[i]
    yield %1
  }
  store %y[], %0
})"},
    {"sum of columns", R"(kernel @s(%x: f32[16384, 4096], out %y: f32[4096]) {
  for j in 0..4096 {
    %0 = reduce sum i in 0..16384 {
      %1 = load %x[i, j]
      yield %1
    }
    store %y[j], %0
  }
})"},
};

double seconds_of(const auto& run) {
  const Clock::time_point start = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double gigabytes(const loops::Kernel& kernel, const Bindings& bindings) {
  double bytes = 0;
  for (const loops::Buffer& buffer : kernel.buffers) {
    double elements = 1;
    for (const int64_t size : evaluate(buffer.type.sizes, bindings)) {
      elements *= static_cast<double>(size);
    }
    bytes += elements * static_cast<double>(item_size(buffer.type.dtype));
  }
  return bytes / 1e9;
}

// A program of one step, so that fusion may split it.
lowering::LoweredProgram program_of(std::string_view text, ExprPool& exprs) {
  lowering::KernelStep kernel;
  kernel.kernel = loops::parse_kernel(text, exprs);
  lowering::LoweredProgram program;
  lowering::Plan& plan = program.plans.emplace_back();
  lowering::Step step;
  for (const loops::Buffer& buffer : kernel.kernel.buffers) {
    const lowering::Slot slot = plan.slot_count++;
    kernel.buffers.push_back({slot, std::nullopt});
    if (buffer.role == loops::BufferRole::output) {
      step.results.push_back({slot, buffer.type, true});
      plan.outputs.emplace_back().slot = slot;
    } else {
      plan.input_types.emplace_back(buffer.type);
      plan.input_slots.push_back(slot);
    }
  }
  step.work = std::move(kernel);
  plan.steps.push_back(std::move(step));
  return program;
}

// Large pages, as for arenas and outputs of programs; they also make a copy faster.
std::shared_ptr<Storage> large_storage(size_t bytes) {
  std::shared_ptr<Storage> storage = Storage::allocate_uninitialized(bytes);
  runtime::prefer_huge_pages(storage->mutable_data(), bytes);
  std::memset(storage->mutable_data(), 0, bytes);
  return storage;
}

// The time of a maximum depends on the order of the values.
void draw(Tensor& tensor) {
  auto* values = reinterpret_cast<float*>(tensor.mutable_data());
  uint32_t state = 1;
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    state = state * 1664525 + 1013904223;
    values[i] = static_cast<float>(state >> 8) * 0x1p-21F - 4;
  }
}

// The kernels of the plan and a tensor for every slot.
void bind_slots(const lowering::Plan& plan, const Bindings& bindings,
                std::vector<const loops::Kernel*>& kernels,
                std::vector<std::vector<Tensor>>& buffers) {
  std::vector<Tensor> slots(static_cast<size_t>(plan.slot_count));
  for (const lowering::Step& step : plan.steps) {
    const auto& kernel = std::get<lowering::KernelStep>(step.work);
    kernels.push_back(&kernel.kernel);
    std::vector<Tensor>& bound = buffers.emplace_back();
    for (size_t i = 0; i < kernel.buffers.size(); ++i) {
      const TensorType& type = kernel.kernel.buffers[i].type;
      Tensor& tensor = slots[static_cast<size_t>(kernel.buffers[i].slot)];
      if (!tensor.defined()) {
        const std::vector<int64_t> sizes = evaluate(type.sizes, bindings);
        const std::vector<int64_t> strides = evaluate(type.strides, bindings);
        const auto bytes =
            static_cast<size_t>(storage_span(sizes, strides, 0) * item_size(type.dtype));
        tensor = Tensor(type.dtype, sizes, strides, 0, large_storage(bytes));
        if (type.dtype == DType::f32) draw(tensor);
      }
      bound.push_back(tensor);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  ThreadPool pool(argc > 1 ? std::atoi(argv[1]) : 1);
  constexpr size_t kCopied = size_t{256} << 20;
  const std::shared_ptr<Storage> from = large_storage(kCopied);
  const std::shared_ptr<Storage> to = large_storage(kCopied);
  const auto copy = [&] {
    pool.parallel(pool.threads(), [&](int64_t task) {
      const size_t share = kCopied / static_cast<size_t>(pool.threads());
      std::memcpy(to->mutable_data() + static_cast<size_t>(task) * share,
                  from->data() + static_cast<size_t>(task) * share, share);
    });
  };
  for (const Sample& sample : kSamples) {
    if (argc > 2 && sample.name.find(argv[2]) == std::string_view::npos) continue;
    ExprPool exprs;
    SymbolInfo length;
    length.name = "s0";
    length.range = {0, 1 << 30};
    Bindings bindings;
    bindings.set(exprs.add_symbol(length).symbol(), kLength);
    const loops::Kernel kernel = loops::parse_kernel(sample.text, exprs);
    lowering::LoweredProgram program = program_of(sample.text, exprs);
    fusion::FusionReport report;
    fusion::fuse(program, compiler::fusion_options(compiler::backend_for("host").get()), report);
    std::vector<const loops::Kernel*> kernels;
    std::vector<std::vector<Tensor>> buffers;
    bind_slots(program.plans[0], bindings, kernels, buffers);
    const compiler::KernelSet set(kernels, {.pool = &pool});
    const auto run = [&] {
      for (size_t i = 0; i < kernels.size(); ++i) set.run(i, buffers[i], bindings);
    };
    // The two run alternately, so that both see the same state of the machine.
    double best = 1e9;
    double best_copy = 1e9;
    for (int round = 0; round < kRounds; ++round) {
      best_copy = std::min(best_copy, seconds_of(copy));
      best = std::min(best, seconds_of(run));
    }
    const double speed = gigabytes(kernel, bindings) / best;
    const double copied = 2 * static_cast<double>(kCopied) / 1e9 / best_copy;
    std::printf("%-17s %8.1f GB/s  %3.0f %% of a copy's %.1f\n", std::string(sample.name).c_str(),
                speed, 100 * speed / copied, copied);
  }
}
