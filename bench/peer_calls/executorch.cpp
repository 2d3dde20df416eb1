// executorch MODEL.pte: calls of ExecuTorch, one line for each way to call. The model must have
// been exported without planned memory for inputs and outputs.

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor_ptr_maker.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <vector>

#include "peer_calls.h"

using executorch::runtime::Error;

namespace {

void check(Error error) {
  if (error != Error::Ok) fail("error " + std::to_string(static_cast<int>(error)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) fail("usage: executorch MODEL.pte");
  const executorch::extension::threadpool::NoThreadPoolGuard one_thread;
  Buffers buffers;
  const auto input = executorch::extension::from_blob(buffers.input.data(), {kRows, kInputColumns});
  // With dynamic sizes there must be room for the largest.
  constexpr int kMostRows = 64;
  alignas(64) std::array<float, kMostRows * kOutputColumns> results{};
  const auto output = executorch::extension::from_blob(results.data(), {kMostRows, kOutputColumns});
  const auto measure_results = [&](const char* way, const auto& call) {
    measure(way, buffers, call, [&](int) { return results.data(); });
    results.fill(0);
  };

  executorch::extension::Module module(argv[1]);
  check(module.load_forward());
  check(module.set_output("forward", output));
  measure_results("Module::forward, in place", [&] {
    check(module.forward(input).error());
    return 0;
  });
  executorch::runtime::Method& method = *module.method("forward").get();
  const executorch::runtime::EValue value(*input);
  measure_results("Method::execute, in place, set each time", [&] {
    check(method.set_input(value, 0));
    check(method.set_output_data_ptr(results.data(), sizeof(results), 0));
    check(method.execute());
    return 0;
  });
  measure_results("Method::execute, in place, set once", [&] {
    check(method.execute());
    return 0;
  });
}
