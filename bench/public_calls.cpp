// The cost of a call through the public interface: nanoseconds and allocations, by one caller and by
// several callers of one program.
//
//   public_calls MODEL.pt2 [SIZES ...]      for example 4x8; float32 inputs of ones
//
// A call's work is the same in all rows, so that differences are the cost of the interface.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "counted_allocations.h"
#include "litz/litz.h"

namespace {

using Clock = std::chrono::steady_clock;
using litz::Tensor;
using litz::Value;

constexpr int kWarmUp = 1'000;
constexpr int kCalls = 200'000;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void measure(const char* what, const std::function<void()>& call) {
  for (int i = 0; i < kWarmUp; ++i) call();
  const int64_t before = allocations;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kCalls; ++i) call();
  const double seconds = seconds_since(start);
  std::printf("%-28s %8.0f ns %8.2f allocations\n", what, 1e9 * seconds / kCalls,
              static_cast<double>(allocations - before) / kCalls);
}

/// Calls a second of all callers together. `make` gives each caller a function of its own.
void measure_callers(const char* what, int callers,
                     const std::function<std::function<void()>()>& make) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  std::atomic<bool> go{false};
  for (int i = 0; i < callers; ++i) {
    threads.emplace_back([&] {
      const std::function<void()> call = make();
      for (int k = 0; k < kWarmUp; ++k) call();
      ++ready;
      while (!go) std::this_thread::yield();
      for (int k = 0; k < kCalls; ++k) call();
    });
  }
  while (ready < callers) std::this_thread::yield();
  const Clock::time_point start = Clock::now();
  go = true;
  for (std::thread& thread : threads) thread.join();
  std::printf("%-20s %2d callers %10.0f calls/s\n", what, callers,
              callers * kCalls / seconds_since(start));
}

std::vector<Value> inputs_of(int argc, char** argv) {
  std::vector<Value> inputs;
  for (int i = 2; i < argc; ++i) {
    std::vector<int64_t> sizes;
    std::istringstream text(argv[i]);
    for (std::string size; std::getline(text, size, 'x');) sizes.push_back(std::stoll(size));
    Tensor tensor(litz::DType::float32, sizes);
    for (float& element : tensor.as<float>()) element = 1;
    inputs.emplace_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: public_calls MODEL.pt2 [SIZES ...]\n"), 2;
  for (const int threads : {1, 2}) {
    litz::Options options;
    options.threads = threads;
    litz::Executable program = litz::load(argv[1], options).value();
    const std::vector<Value> inputs = inputs_of(argc, argv);
    std::vector<Tensor> outputs;
    for (const Value& value : program.run(inputs).value()) {
      outputs.push_back(std::get<Tensor>(value));
    }
    std::printf("%d threads\n", threads);
    measure("run", [&] { program.run(inputs).value(); });
    measure("run_into", [&] { program.run_into(inputs, outputs).value(); });
    litz::Session session = program.session().value();
    measure("session run_into", [&] { session.run_into(inputs, outputs).value(); });
    for (const int callers : {1, 2, 4}) {
      measure_callers("one program", callers, [&] {
        auto own = std::make_shared<std::vector<Tensor>>();
        for (const Tensor& output : outputs) own->emplace_back(output.dtype(), output.sizes());
        auto given = std::make_shared<std::vector<Value>>(inputs_of(argc, argv));
        return [&program, own, given] { program.run_into(*given, *own).value(); };
      });
    }
  }
}
