// Accuracy and speed of the elementary functions that code is generated for: the worst error in
// units in the last place over a sweep, and nanoseconds per element on arrays in the first cache.
//
// Usage: bench_elementary [sweep] [name]...   tries every sweep-th f32; default 4001

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "elementary_reference.h"
#include "elementary_runner.h"

namespace {

using litz::codegen::ElementaryFunction;
using litz::codegen::ElementaryRunner;
using Clock = std::chrono::steady_clock;

template <typename T>
double worst_error(const ElementaryFunction& function, const std::vector<T>& x) {
  const std::vector<T> y = litz::codegen::partners(x);
  std::vector<T> out(x.size());
  ElementaryRunner<T>(function.op, 8)
      .run(x.data(), y.data(), out.data(), static_cast<int64_t>(x.size()));
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const long double exact = function.reference(x[i], y[i]);
    worst = std::max(worst, litz::codegen::error_in_units(out[i], exact));
  }
  return worst;
}

template <typename T>
double nanoseconds(const ElementaryFunction& function, int lanes) {
  constexpr int64_t kCount = 992;  // A power of two would make addresses collide.
  constexpr int kCalls = 20;
  const ElementaryRunner<T> runner(function.op, lanes);
  std::vector<T> x(kCount);
  const std::vector<T> y(kCount, T{1.5});
  std::vector<T> out(kCount);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(0.001 + static_cast<double>(i) / 512);
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    const Clock::time_point begin = Clock::now();
    for (int call = 0; call < kCalls; ++call) runner.run(x.data(), y.data(), out.data(), kCount);
    const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
    best = std::min(best, took.count() / static_cast<double>(kCalls * kCount));
  }
  return best;
}

void measure(const ElementaryFunction& function, uint64_t stride) {
  const std::string name(litz::loops::name(function.op));
  // The reference takes thousands of steps for huge quotients.
  const bool is_slow = function.op == litz::loops::ScalarOp::fmod;
  const double f32_error = is_slow ? 0 : worst_error<float>(function, litz::codegen::sweep(stride));
  const double f64_error =
      is_slow ? 0 : worst_error<double>(function, litz::codegen::random_doubles(400000));
  std::printf("%-8s %8.3f %8.3f   %7.2f %7.2f %7.2f\n", name.c_str(), f32_error, f64_error,
              nanoseconds<float>(function, 8), nanoseconds<float>(function, 16),
              nanoseconds<double>(function, 8));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t stride = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4001;
  const std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  std::printf("function  f32 ulp  f64 ulp    f32x8  f32x16   f64x8   ns/element\n");
  for (const ElementaryFunction& function : litz::codegen::elementary_functions()) {
    const bool is_wanted =
        names.empty() || std::ranges::find(names, litz::loops::name(function.op)) != names.end();
    if (is_wanted) measure(function, std::max<uint64_t>(stride, 1));
  }
}
