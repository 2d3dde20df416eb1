// Random kernels on the emulated card: all results are those of the interpreter.

#include <cstdlib>

#include "codegen/cuda/cuda_compiler.h"
#include "emulated_kernel.h"
#include "loops/failure_of.h"
#include "loops/interpreter.h"
#include "loops/random_kernel.h"

namespace litz::codegen {
namespace {

using RandomCardKernels = EmulatedKernelTest;

/// Another range of seeds for long runs by hand: LITZ_RANDOM_KERNELS=FIRST,END.
std::pair<int, int> seeds() {
  const char* const given = std::getenv("LITZ_RANDOM_KERNELS");
  if (given == nullptr) return {0, 40};
  const std::string text = given;
  return {std::stoi(text), std::stoi(text.substr(text.find(',') + 1))};
}

TEST_F(RandomCardKernels, GiveWhatTheInterpreterGives) {
  int completed = 0;
  const auto [first, end] = seeds();
  for (int seed = first; seed < end; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    ExprPool pool;
    const loops::RandomKernel made = loops::random_kernel(pool, random, loops::Arithmetic::exact);
    if (reason_not_compiled_for_cuda(made.kernel)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto expected = clones(made.buffers);
    const auto actual = clones(made.buffers);
    const auto expected_failure =
        loops::failure_of([&] { loops::interpret(made.kernel, expected, made.bindings); });
    const auto actual_failure = loops::failure_of([&] { run(made.kernel, actual, made.bindings); });
    EXPECT_EQ(actual_failure.has_value(), expected_failure.has_value()) << to_string(made.kernel);
    if (expected_failure) continue;
    ++completed;
    for (size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE(made.kernel.buffers[i].name);
      expect_equal(actual[i], expected[i]);
    }
    if (HasFailure()) FAIL() << to_string(made.kernel);
  }
  EXPECT_GT(completed, (end - first) / 4);
}

}  // namespace
}  // namespace litz::codegen
