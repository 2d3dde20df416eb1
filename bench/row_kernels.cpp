// Scans and sorts of rows, compiled, in microseconds: best of several rounds.
//
// Usage: bench_row_kernels [threads] [name]   kernels whose name has `name` in it

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/kernels/kernel_set.h"
#include "loops/kernel.h"
#include "support/thread_pool.h"

namespace {

using namespace litz;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 9;

struct Shape {
  std::string rows;
  std::string length;
  bool is_dense = true;  ///< Rows are dense in memory, not columns.

  std::string type(const std::string& dtype, const std::string& own_length) const {
    return dtype +
           (is_dense ? "[" + rows + ", " + own_length + "]" : "[" + own_length + ", " + rows + "]");
  }

  std::string at(const std::string& place) const {
    return is_dense ? "[r, " + place + "]" : "[" + place + ", r]";
  }
};

std::string scan_text(const Shape& shape, const std::string& dtype, const std::string& carried,
                      const std::string& start, const std::string& op) {
  const std::string type = shape.type(dtype, shape.length);
  const auto cast = [](const std::string& to, const std::string& value) {
    return "cast " + to + " " + value;
  };
  return "kernel @scan(%x: " + type + ", out %y: " + type + ") {\n  for r in 0.." + shape.rows +
         " {\n    %0 = const " + carried + " " + start + "\n    %1 = for i in 0.." + shape.length +
         " carry (%2 = %0) {\n      %3 = load %x" + shape.at("i") +
         "\n      %4 = " + cast(carried, "%3") + "\n" + op + "      %6 = " + cast(dtype, "%5") +
         "\n      store %y" + shape.at("i") + ", %6\n      yield %5\n    }\n  }\n}";
}

std::string sort_text(const Shape& shape, const std::string& dtype, const std::string& count) {
  return "kernel @sort(%x: " + shape.type(dtype, shape.length) +
         ", out %y: " + shape.type(dtype, count) + ", out %p: " + shape.type("i64", count) +
         ") {\n  for r in 0.." + shape.rows + " {\n    sort descending i in 0.." + shape.length +
         " {\n      %0 = load %x" + shape.at("i") + "\n      yield %0\n    } emit p in 0.." +
         count + " (%1, %2) {\n      store %y" + shape.at("p") + ", %1\n      store %p" +
         shape.at("p") + ", %2\n    }\n  }\n}";
}

Tensor draw(const TensorType& type) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> real(-1000, 1000);
  std::vector<float> values(static_cast<size_t>(evaluate(type.numel(), {})));
  for (float& value : values) value = real(random);
  return Tensor::of<float>(type.dtype, evaluate(type.sizes, {}), std::span<const float>(values));
}

void run(const std::string& name, const std::string& text, ThreadPool* pool) {
  ExprPool symbols;
  const loops::Kernel kernel = loops::parse_kernel(text, symbols);
  const loops::Kernel* kernels[] = {&kernel};
  const compiler::KernelSet set(kernels, {.pool = pool});
  std::vector<Tensor> buffers;
  int64_t elements = 0;
  for (const loops::Buffer& buffer : kernel.buffers) {
    buffers.push_back(draw(buffer.type));
    elements = std::max(elements, buffers.back().numel());
  }
  double best = 1e30;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = Clock::now();
    set.run(0, buffers, {});
    best = std::min(best, std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  std::printf("%-32s %10.0f us %8.2f ns/element%s\n", name.c_str(), best,
              best * 1e3 / static_cast<double>(elements),
              set.reason_interpreted(0).empty() ? "" : "  interpreted");
}

struct Scan {
  std::string name;
  std::string start;
  std::string op;
};

const std::vector<Scan> kScans{
    {"cumsum", "0.0", "      %5 = add %2, %4\n"},
    {"cumprod", "1.0", "      %5 = mul %2, %4\n"},
    {"cummax", "-inf", "      %5 = max %2, %4\n"},
    {"logcumsumexp", "-inf",
     "      %10 = min %2, %4\n      %11 = max %2, %4\n      %12 = sub %10, %11\n"
     "      %13 = exp %12\n      %14 = log1p %13\n      %5 = add %14, %11\n"},
};

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  const std::string_view wanted = argc > 2 ? argv[2] : "";
  ThreadPool pool(threads);
  const auto show = [&](const std::string& name, const std::string& text) {
    if (name.find(wanted) != std::string::npos) run(name, text, &pool);
  };
  const std::vector<Shape> rows{
      {"16", "8193"}, {"16", "8193", false}, {"1", "8193"}, {"1", "1000000"}, {"256", "1024"}};
  for (const Scan& scan : kScans) {
    for (const Shape& shape : rows) {
      for (const char* dtype : {"f32", "f64", "bf16"}) {
        // The accumulation type of PyTorch.
        const bool is_half = dtype == std::string_view("bf16");
        show(scan.name + " " + shape.type(dtype, shape.length),
             scan_text(shape, dtype, is_half ? "f32" : "f64", scan.start, scan.op));
      }
    }
  }
  for (const Shape& shape : {Shape{"64", "4096"}, Shape{"1", "1000000"}, Shape{"4096", "32"}}) {
    for (const char* dtype : {"f32", "i64", "bf16"}) {
      for (const std::string& count : {shape.length, std::string("16")}) {
        show("sort " + shape.type(dtype, shape.length) + " to " + count,
             sort_text(shape, dtype, count));
      }
    }
  }
  return 0;
}
