// Runs a program on an NVIDIA card, with inputs and results there:
//   on_card MODEL.pt2 [CALLS]
//
// Calls return when their work is submitted, and each takes what another made without a wait. Without a
// card it says so and succeeds.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <litz/litz.h>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

int fail(const std::string& message) { return std::fprintf(stderr, "%s\n", message.c_str()), 1; }

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

/// Zeros of the least sizes, on the card.
std::vector<litz::Value> inputs_on_card(const litz::Executable& program) {
  std::vector<litz::Value> inputs;
  for (const litz::SignatureEntry& input : program.inputs()) {
    std::vector<int64_t> sizes;
    for (const litz::SizeInfo& size : input.sizes) sizes.push_back(size.least);
    inputs.emplace_back(litz::Tensor(input.dtype, sizes).to("cuda:0"));
  }
  return inputs;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fail("usage: on_card MODEL.pt2 [CALLS]");
  const int calls = argc > 2 ? std::atoi(argv[2]) : 100;
  try {
    litz::synchronize("cuda:0");
  } catch (const std::exception& error) {
    std::printf("there is no card: %s\n", error.what());
    return 0;
  }
  litz::Options options;
  options.device = "cuda:0";
  litz::Result<litz::Executable> program = litz::load(argv[1], options);
  if (!program) return fail(program.error().message);
  try {
    const std::vector<litz::Value> inputs = inputs_on_card(*program);
    litz::Tensor result = std::get<litz::Tensor>(program->run(inputs).value().at(0));
    result.wait();
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < calls; ++i) {
      result = std::get<litz::Tensor>(program->run(inputs).value().at(0));
    }
    const double host = microseconds_since(begin);
    result.wait();  // Throws what any of the calls has reported.
    std::printf("%s: %d calls on %s, %.1f us each, of which the host takes %.1f\n", argv[1], calls,
                result.device().c_str(), microseconds_since(begin) / calls, host / calls);
  } catch (const std::exception& error) {
    return fail(error.what());
  }
  return 0;
}
