// The cost of an operator at once, in nanoseconds of processor time: the same source for Litz and for
// libtorch (-DWITH_TORCH), whose names agree. bench/eager_operators.py builds and runs both.

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <functional>

#ifdef WITH_TORCH
#include <torch/torch.h>
namespace library = torch;
#else
#include <litz/compile.h>
#include <litz/ops.h>
namespace library = litz;
#endif

namespace {

using library::Tensor;

constexpr int kRounds = 9;
constexpr int kCalls = 20'000;

double processor_nanoseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

void measure(const char* what, const std::function<Tensor()>& call) {
  for (int i = 0; i < 1'000; ++i) call();
  std::array<double, kRounds> rounds{};
  for (double& round : rounds) {
    const double begin = processor_nanoseconds();
    for (int i = 0; i < kCalls; ++i) call();
    round = (processor_nanoseconds() - begin) / kCalls;
  }
  std::ranges::sort(rounds);
  std::printf("%s\t%.0f\t%.0f\n", what, rounds[kRounds / 2], rounds[0]);
}

}  // namespace

int main() {
#ifdef WITH_TORCH
  torch::set_num_threads(1);
  const c10::InferenceMode inference;
#endif
  const Tensor x = library::rand({8});
  const Tensor y = library::rand({8});
  const Tensor m = library::rand({16, 16});
  measure("relu of 8", [&] { return library::relu(x); });
  measure("add of 8 and 8", [&] { return library::add(x, y); });
  measure("gelu of 8", [&] { return library::gelu(x); });
  measure("sum of 16 x 16", [&] { return library::sum(m); });
  measure("softmax of 16 x 16", [&] { return library::softmax(m, -1); });
  measure("matmul of 16 x 16", [&] { return library::matmul(m, m); });
  measure("transpose of 16 x 16 (a view)", [&] { return library::transpose(m, 0, 1); });
  measure("five operators", [&] {
    return library::add(library::mul(library::relu(library::add(x, y)), y), library::sigmoid(x));
  });
  return 0;
}
