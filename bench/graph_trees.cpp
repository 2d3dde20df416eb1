// The cost of a replayed call of a context on the host, with 1 and 50 inputs.
//
// Usage: bench_graph_trees

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "runtime/cpu/host_device.h"
#include "runtime/trees/context.h"
#include "runtime/trees/work.h"

namespace {

using litz::DType;
using litz::Tensor;
using litz::runtime::HostDevice;
using litz::runtime::KernelId;
using litz::runtime::Value;
using namespace litz::runtime::trees;  // NOLINT(google-build-using-namespace)
using Clock = std::chrono::steady_clock;

// The least work of a kernel that is not empty.
int32_t copy_first(const litz::artifact::KernelArguments* arguments, int64_t, int64_t) {
  const auto last = static_cast<size_t>(arguments->scalars[0]);
  *static_cast<float*>(arguments->buffers[last]) = *static_cast<float*>(arguments->buffers[0]);
  return 0;
}

// Nanoseconds of one call: the median of many rounds, which are short, so that other programs interrupt
// few of them.
template <typename Action>
double nanoseconds(const Action& action) {
  constexpr int kRounds = 501;
  constexpr int kCalls = 20;
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) {
    const Clock::time_point begin = Clock::now();
    for (int call = 0; call < kCalls; ++call) action(call);
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count() /
                    kCalls);
  }
  std::ranges::nth_element(times, times.begin() + kRounds / 2);
  return times[kRounds / 2];
}

void measure(int inputs, Tier tier, bool are_static, bool alternate, const std::string& label) {
  auto device = std::make_shared<HostDevice>();
  const KernelId kernel =
      device->add_kernel({.name = "copy", .phases = {{.function = copy_first}}, .checks = {}});
  Context context(device);
  Function function;
  function.tier = tier;
  for (int i = 0; i < inputs; ++i) {
    function.inputs.push_back(
        {.name = "", .source = "", .is_static = are_static, .mutated_by = ""});
  }
  function.body = [kernel, inputs](Work& work) -> std::vector<Value> {
    std::vector<Tensor> reads;
    for (int i = 0; i < inputs; ++i) reads.push_back(work.take(static_cast<size_t>(i)));
    Tensor result = work.empty(DType::f32, {16});
    const int64_t last = inputs;
    const int64_t one = 1;
    work.kernel(kernel, reads, {&result, 1}, {&last, 1}, {&one, 1});
    return {result};
  };
  const FunctionId id = context.add(std::move(function));
  std::vector<std::vector<Argument>> given(2);
  for (std::vector<Argument>& arguments : given) {
    for (int i = 0; i < inputs; ++i) arguments.emplace_back(Tensor::zeros(DType::f32, {16}));
  }
  const double time = nanoseconds(
      [&](int call) { context.call(id, given[alternate ? static_cast<size_t>(call % 2) : 0]); });
  std::printf("%2d inputs, %-28s %8.0f ns a call\n", inputs, label.c_str(), time);
}

}  // namespace

int main() {
  for (const int inputs : {1, 50}) {
    measure(inputs, Tier::patched, false, false, "patched, same addresses:");
    measure(inputs, Tier::patched, false, true, "patched, other addresses:");
    measure(inputs, Tier::fixed, true, false, "fixed, static:");
    measure(inputs, Tier::fixed, false, false, "fixed, copied:");
  }
  return 0;
}
