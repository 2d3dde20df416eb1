// Runs kernels compiled and interpreted, and compares.

#pragma once

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compiler/kernels/kernel_set.h"

namespace litz::compiler {

class CompiledKernels : public testing::Test {
 protected:
  /// Inputs are drawn from [lo, hi]; both runs see the same outputs beforehand.
  struct Run {
    std::vector<Tensor> buffers;
    std::string reason;
  };

  Tensor draw(const TensorType& type, double lo, double hi) {
    Tensor tensor = Tensor::empty_strided(type.dtype, evaluate(type.sizes, bindings),
                                          evaluate(type.strides, bindings));
    std::vector<double> values;
    std::uniform_real_distribution<double> real(lo, hi);
    for (int64_t i = 0; i < tensor.numel(); ++i) values.push_back(real(random));
    Tensor dense = Tensor::of<double>(DType::f64, tensor.sizes(), std::span<const double>(values));
    tensor.copy_from(dense.to(type.dtype));
    return tensor;
  }

  Run run(const std::string& text, const std::vector<Tensor>& buffers, bool compile,
          const char* target = "host") {
    const loops::Kernel kernel = loops::parse_kernel(text, pool);
    const loops::Kernel* kernels[] = {&kernel};
    const KernelSet set(kernels, {.compile = compile, .target = target});
    Run run;
    run.reason = set.reason_interpreted(0);
    for (const Tensor& buffer : buffers) run.buffers.push_back(buffer.clone(buffer.strides()));
    set.run(0, run.buffers, bindings);
    return run;
  }

  /// Both executors agree within `tolerance` of the largest magnitude.
  void agree(const std::string& text, double lo = -4, double hi = 4, double tolerance = 0) {
    SCOPED_TRACE(text);
    const loops::Kernel kernel = loops::parse_kernel(text, pool);
    std::vector<Tensor> buffers;
    for (const loops::Buffer& buffer : kernel.buffers) {
      buffers.push_back(draw(buffer.type, lo, hi));
    }
    const Run expected = run(text, buffers, false);
    compare(expected, run(text, buffers, true), tolerance);
#if defined(__x86_64__)
    SCOPED_TRACE("avx2");
    compare(expected, run(text, buffers, true, "avx2"), tolerance);
#endif
  }

  /// Bits of all buffers on one thread and on three.
  void same_on_threads(const std::string& text) {
    SCOPED_TRACE(text);
    const loops::Kernel kernel = loops::parse_kernel(text, pool);
    const loops::Kernel* kernels[] = {&kernel};
    std::vector<Tensor> buffers;
    for (const loops::Buffer& buffer : kernel.buffers) buffers.push_back(draw(buffer.type, 0, 4));
    ThreadPool threads(3);
    std::vector<std::vector<Tensor>> results;
    for (ThreadPool* used : {static_cast<ThreadPool*>(nullptr), &threads}) {
      const KernelSet set(kernels, {.pool = used});
      std::vector<Tensor>& own = results.emplace_back();
      for (const Tensor& buffer : buffers) own.push_back(buffer.clone(buffer.strides()));
      set.run(0, own, bindings);
    }
    for (size_t b = 0; b < buffers.size(); ++b) {
      const auto bytes = static_cast<size_t>(buffers[b].numel() * item_size(buffers[b].dtype()));
      EXPECT_EQ(0, std::memcmp(results[0][b].data(), results[1][b].data(), bytes));
    }
  }

  static void compare(const Run& expected, const Run& actual, double tolerance) {
    EXPECT_EQ(actual.reason, "");
    for (size_t b = 0; b < expected.buffers.size(); ++b) {
      const Tensor want = expected.buffers[b].to(DType::f64);
      const Tensor have = actual.buffers[b].to(DType::f64);
      const auto* w = reinterpret_cast<const double*>(want.data());
      const auto* h = reinterpret_cast<const double*>(have.data());
      double magnitude = 0;
      for (int64_t i = 0; i < want.numel(); ++i) {
        if (std::isfinite(w[i])) magnitude = std::max(magnitude, std::abs(w[i]));
      }
      for (int64_t i = 0; i < want.numel(); ++i) {
        const bool same = w[i] == h[i] || (std::isnan(w[i]) && std::isnan(h[i])) ||
                          std::abs(w[i] - h[i]) <= tolerance * magnitude;
        ASSERT_TRUE(same) << "buffer " << b << " element " << i << ": " << h[i] << " instead of "
                          << w[i];
      }
    }
  }

  /// The text with its extent N filled in.
  static std::string sized(std::string text, const std::string& size) {
    for (size_t at = 0; (at = text.find("..N", at)) != std::string::npos;) {
      text.replace(at + 2, 1, size);
    }
    return text;
  }

  void bind(const char* name, int64_t value) {
    auto symbol = pool.find_symbol(name);
    if (!symbol) {
      SymbolInfo info;
      info.name = name;
      info.range = {0, 1 << 20};
      symbol = pool.add_symbol(info);
    }
    bindings.set(symbol->symbol(), value);
  }

  ExprPool pool;
  Bindings bindings;
  std::mt19937 random{7};
};

}  // namespace litz::compiler
