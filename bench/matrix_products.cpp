// Matrix products and convolutions of real models, in GFLOP/s and as a share of the peak of the
// registers alone.
//
// usage: bench_matrix_products [threads]; compare ratios, not times: machines differ and are
// shared.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "kernels/library.h"
#include "kernels/library_context.h"
#include "kernels/micro_kernels.h"
#include "support/check.h"

namespace {

using namespace litz;  // NOLINT(google-build-using-namespace): a program of one file.
using kernels::LibraryArgument;
using Clock = std::chrono::steady_clock;

double best_seconds(const std::function<void()>& work) {
  work();
  double best = 1e9;
  const auto end = Clock::now() + std::chrono::milliseconds(400);
  for (int i = 0; i < 3 || Clock::now() < end; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

/// One thread, all operands in the first-level cache, a depth that hides the tile's ends.
double peak_gflops() {
  const kernels::MicroKernel<float>& kernel = kernels::micro_kernels().f32;
  const int64_t depth = 64;
  const std::vector<float> a(static_cast<size_t>(depth * kernel.rows), 1e-3F);
  const std::vector<float> b(static_cast<size_t>(depth * kernel.columns), 1e-3F);
  std::vector<float> c(static_cast<size_t>(kernel.rows * kernel.columns));
  const int repeats = 2000;
  const double seconds = best_seconds([&] {
    for (int i = 0; i < repeats; ++i) {
      kernel.run()(depth, a.data(), b.data(), c.data(), kernel.columns, false);
    }
  });
  return 2e-9 * repeats * static_cast<double>(depth * kernel.rows * kernel.columns) / seconds;
}

/// Chains of fused steps without memory accesses: the peak of the arithmetic units.
#if defined(__x86_64__)
__attribute__((target("avx512f"))) double register_loop(int64_t steps) {
  using Vector __attribute__((vector_size(64))) = float;
  Vector sums[16] = {};
  Vector factor = {};
  factor += 0.5F;
  asm volatile("" : "+v"(factor));
  for (int64_t i = 0; i < steps; ++i) {
#pragma GCC unroll 16
    for (auto& sum : sums) asm volatile("vfmadd231ps %1, %1, %0" : "+v"(sum) : "v"(factor));
  }
  double total = 0;
  for (const auto& sum : sums) total += static_cast<double>(sum[0]);
  return total;
}

double register_gflops() {
  if (!__builtin_cpu_supports("avx512f")) return peak_gflops();
  constexpr int64_t kSteps = 1'000'000;
  const double seconds = best_seconds([] { (void)register_loop(kSteps); });
  return 2e-9 * kSteps * 16 * 16 / seconds;
}
#else
double register_gflops() { return peak_gflops(); }
#endif

struct Shape {
  const char* model;
  int64_t rows;
  int64_t columns;
  int64_t depth;
  int64_t batch = 1;
};

void fill(Tensor& tensor) {
  Tensor values = Tensor::empty(DType::f32, tensor.sizes());
  auto* const data = reinterpret_cast<float*>(values.mutable_data());
  uint32_t state = 1;
  for (int64_t i = 0; i < values.numel(); ++i) {
    state = state * 1664525 + 1013904223;
    data[i] = static_cast<float>(state >> 8) * 0x1p-24F - 0.5F;
  }
  tensor.copy_from(values);
}

Tensor filled(DType dtype, std::vector<int64_t> sizes) {
  Tensor tensor = Tensor::empty(dtype, std::move(sizes));
  fill(tensor);
  return tensor;
}

class Bench {
 public:
  explicit Bench(int threads)
      : pool_(threads), context_(&pool_), peak_(register_gflops() * pool_.threads()) {
    std::printf("%d threads; peak %.1f GFLOP/s; tile in first-level cache %.1f %%\n",
                pool_.threads(), peak_, 100 * peak_gflops() * pool_.threads() / peak_);
  }

  void report(const std::string& name, const char* function,
              const std::vector<LibraryArgument>& arguments, Tensor result, uint64_t constants,
              double steps) {
    std::vector<Tensor> results{std::move(result)};
    const kernels::LibraryFunction run = kernels::find_library_function(function);
    check(run != nullptr, "the library must have this function:", function);
    kernels::LibraryCall call{function, arguments, results, &context_, constants};
    const double seconds = best_seconds([&] { run(call); });
    const double gflops = 2e-9 * steps / seconds;
    double bytes = 0;
    for (const LibraryArgument& argument : arguments) {
      if (const auto* tensor = std::get_if<Tensor>(&argument); tensor && tensor->defined()) {
        bytes +=
            static_cast<double>(tensor->numel()) * static_cast<double>(item_size(tensor->dtype()));
      }
    }
    std::printf("%-40s %10.1f us %8.1f GFLOP/s %5.1f %% %7.1f GB/s\n", name.c_str(), seconds * 1e6,
                gflops, 100 * gflops / peak_, bytes / seconds * 1e-9);
  }

  void linear(const Shape& shape, DType dtype) {
    const double steps = static_cast<double>(shape.rows * shape.columns * shape.depth);
    report(name_of("linear", shape, dtype), "linear",
           {filled(dtype, {shape.rows, shape.depth}), filled(dtype, {shape.columns, shape.depth}),
            filled(dtype, {shape.columns})},
           Tensor::empty(dtype, {shape.rows, shape.columns}), 6, steps);
  }

  void matmul(const Shape& shape, bool is_constant) {
    const double steps =
        static_cast<double>(shape.rows * shape.columns * shape.depth * shape.batch);
    report(name_of(is_constant ? "matmul const" : "matmul", shape, DType::f32), "matmul",
           {filled(DType::f32, {shape.batch, shape.rows, shape.depth}),
            filled(DType::f32, {shape.batch, shape.depth, shape.columns})},
           Tensor::empty(DType::f32, {shape.batch, shape.rows, shape.columns}), is_constant ? 2 : 0,
           steps);
  }

  struct Convolution {
    int64_t channels, outputs, size, window, stride;
  };

  void convolution(const Convolution& conv, bool is_last) {
    const int64_t padding = conv.window / 2;
    const int64_t out = (conv.size + 2 * padding - conv.window) / conv.stride + 1;
    const auto image = [&](int64_t channels, int64_t size) {
      std::vector<int64_t> sizes{1, channels, size, size};
      Tensor dense = filled(DType::f32, sizes);
      if (!is_last) return dense;
      return dense.view(sizes, {channels * size * size, 1, size * channels, channels}, 0);
    };
    const std::vector<int64_t> both{conv.stride, conv.stride};
    const double steps = static_cast<double>(conv.channels * conv.window * conv.window) *
                         static_cast<double>(conv.outputs * out * out);
    report("conv " + std::to_string(conv.channels) + "->" + std::to_string(conv.outputs) + " " +
               std::to_string(conv.size) + " w" + std::to_string(conv.window) + "s" +
               std::to_string(conv.stride) + (is_last ? " last" : ""),
           "convolution",
           {image(conv.channels, conv.size),
            filled(DType::f32, {conv.outputs, conv.channels, conv.window, conv.window}),
            filled(DType::f32, {conv.outputs}), both, std::vector<int64_t>{padding, padding},
            std::vector<int64_t>{1, 1}, false, std::vector<int64_t>{0, 0}, int64_t{1}},
           image(conv.outputs, out), 6, steps);
  }

 private:
  static std::string name_of(const char* what, const Shape& shape, DType dtype) {
    std::string name = std::string(what) + " " + shape.model + " ";
    if (shape.batch > 1) name += std::to_string(shape.batch) + "x ";
    return name + std::to_string(shape.rows) + "x" + std::to_string(shape.columns) + "x" +
           std::to_string(shape.depth) + " " + std::string(torch_name(dtype));
  }

  ThreadPool pool_;
  kernels::LibraryContext context_;
  double peak_;
};

}  // namespace

int main(int argc, char** argv) {
  Bench bench(argc > 1 ? std::atoi(argv[1]) : 0);
  for (const Shape& shape :
       {Shape{"bert", 128, 768, 768}, Shape{"bert", 128, 3072, 768}, Shape{"bert", 128, 768, 3072},
        Shape{"vit", 197, 768, 768}, Shape{"square", 1024, 1024, 1024}}) {
    bench.linear(shape, DType::f32);
    bench.linear(shape, DType::bf16);
  }
  for (const int64_t rows : {1, 2, 4, 8, 16}) {
    bench.linear({"llama", rows, 4096, 4096}, DType::f32);
    bench.linear({"llama", rows, 4096, 4096}, DType::bf16);
    bench.matmul({"gpt2", rows, 3072, 768}, true);
  }
  bench.matmul({"gpt2", 128, 2304, 768}, true);
  bench.matmul({"scores", 128, 128, 64, 12}, false);
  bench.matmul({"values", 128, 64, 128, 12}, false);
  bench.matmul({"square", 1024, 1024, 1024}, false);
  for (const bool is_last : {false, true}) {
    bench.convolution({3, 64, 224, 7, 2}, is_last);
    bench.convolution({64, 64, 56, 1, 1}, is_last);
    bench.convolution({64, 64, 56, 3, 1}, is_last);
    bench.convolution({128, 128, 28, 3, 1}, is_last);
    bench.convolution({256, 1024, 14, 1, 1}, is_last);
    bench.convolution({256, 256, 14, 3, 1}, is_last);
    bench.convolution({512, 512, 7, 3, 1}, is_last);
  }
  return 0;
}
