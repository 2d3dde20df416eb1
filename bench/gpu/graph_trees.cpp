// Programs of one graph context on a card: the host's part of a replayed call, sizes that change, a cache
// that grows, and memory. bench/gpu/graph_trees.py measures the same in PyTorch.
//
//   bench_card_trees [calls | lengths | decode | chain shared | chain alone]

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <litz/graph_trees.h>
#include <litz/litz.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

using litz::Executable;
using litz::Tensor;
using litz::Value;
using Clock = std::chrono::steady_clock;

constexpr const char* kDevice = "cuda:0";

double microseconds(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

/// MiB of the card that are in use, by everybody.
double used_memory() {
  static const auto query = reinterpret_cast<int (*)(size_t*, size_t*)>(
      ::dlsym(::dlopen("libcuda.so.1", RTLD_NOW), "cuMemGetInfo_v2"));
  size_t free = 0;
  size_t all = 0;
  if (query == nullptr || query(&free, &all) != 0) return 0;
  return static_cast<double>(all - free) / (1 << 20);
}

Executable program(const std::string& text, const std::shared_ptr<litz::GraphContext>& graphs) {
  static int number = 0;
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("card_trees_" + std::to_string(::getpid()) + "_" + std::to_string(number++) + ".ir");
  std::ofstream(path) << text;
  litz::Options options;
  options.device = kDevice;
  options.graphs = graphs;
  Executable loaded = litz::load(path.string(), options).value();
  std::filesystem::remove(path);
  return loaded;
}

std::shared_ptr<litz::GraphContext> context() {
  return litz::GraphContext::make({.device = kDevice}).value();
}

Tensor on_card(const std::vector<int64_t>& sizes) {
  Tensor tensor(litz::DType::float32, sizes);
  int i = 0;
  for (float& element : tensor.as<float>())
    element = 0.01F * static_cast<float>(i++ * 37 % 101 - 50);
  return tensor.to(kDevice);
}

Tensor first(const std::vector<Value>& results) { return std::get<Tensor>(results[0]); }

/// The host's part of a call, and a call with a wait: medians of rounds that are shorter than the driver's
/// queue.
void measure_calls(int inputs) {
  std::string text = "graph @main(";
  for (int i = 0; i < inputs; ++i) {
    text += (i > 0 ? ", %x" : "%x") + std::to_string(i) + ": f32[1024]";
  }
  text += ") -> (f32[1024]) {\n";
  std::string sum = "%x0";
  for (int i = 1; i < inputs; ++i) {
    const std::string next = "%s" + std::to_string(i);
    text +=
        "  " + next + " = aten.add.Tensor(" + sum + ", %x" + std::to_string(i) + ") : f32[1024]\n";
    sum = next;
  }
  text += "  %y = aten.relu(" + sum + ") : f32[1024]\n  return %y\n}\n";
  Executable sums = program(text, context());
  std::vector<std::vector<Value>> given(2);
  for (std::vector<Value>& values : given) {
    for (int i = 0; i < inputs; ++i) values.emplace_back(on_card({1024}));
  }
  std::vector<Value> result{on_card({1024})};
  const auto call = [&](int i) {
    sums.run_into(given[static_cast<size_t>(i % 2)], result).value();
  };
  constexpr int kRounds = 51;
  constexpr int kCalls = 100;
  std::vector<double> host;
  std::vector<double> whole;
  for (int round = 0; round < kRounds; ++round) {
    litz::synchronize(kDevice);
    Clock::time_point begin = Clock::now();
    for (int i = 0; i < kCalls; ++i) call(i);
    host.push_back(microseconds(begin) / kCalls);
    litz::synchronize(kDevice);
    begin = Clock::now();
    for (int i = 0; i < kCalls; ++i) {
      call(i);
      litz::synchronize(kDevice);
    }
    whole.push_back(microseconds(begin) / kCalls);
  }
  std::ranges::sort(host);
  std::ranges::sort(whole);
  std::printf("%2d inputs, other addresses: host %.2f us a call, with a wait %.2f us\n", inputs,
              host[kRounds / 2], whole[kRounds / 2]);
}

void measure_lengths() {
  const auto graphs = context();
  Executable block = program(
      "sym s0 in [2, 4096] hint 128\n"
      "graph @main(%x: f32[s0, 256], %w: f32[256, 1024], %v: f32[1024, 256]) -> (f32[s0, 256]) {\n"
      "  %n = aten.layer_norm(%x, [256]) : f32[s0, 256]\n"
      "  %h = aten.mm(%n, %w) : f32[s0, 1024]\n"
      "  %g = aten.gelu(%h) : f32[s0, 1024]\n"
      "  %o = aten.mm(%g, %v) : f32[s0, 256]\n"
      "  %p = aten.softmax.int(%o, -1) : f32[s0, 256]\n"
      "  %y = aten.add.Tensor(%p, %x) : f32[s0, 256]\n"
      "  return %y\n"
      "}\n",
      graphs);
  const Tensor w = on_card({256, 1024});
  const Tensor v = on_card({1024, 256});
  std::vector<Tensor> inputs;
  for (int64_t length = 1; length <= 50; ++length) inputs.push_back(on_card({16 * length, 256}));
  std::vector<Tensor> before;
  for (int round = 0; round < 4; ++round) {
    litz::synchronize(kDevice);
    std::vector<Tensor> results;
    const Clock::time_point begin = Clock::now();
    for (const Tensor& x : inputs) results.push_back(first(block.run({x, w, v}).value()));
    const double host = microseconds(begin) / 50;
    litz::synchronize(kDevice);
    std::printf(
        "50 lengths, round %d: host %.1f us, %.1f us a call with the wait at the end; card %.0f "
        "MiB\n",
        round, host, microseconds(begin) / 50, used_memory());
    for (size_t i = 0; i < before.size(); ++i) {
      if (before[i].to_vector<float>() == results[i].to_vector<float>()) continue;
      std::printf("length %zu differs between rounds\n", i);
    }
    before = std::move(results);
  }
  std::printf("temporaries %.1f MiB\n",
              static_cast<double>(graphs->report().temporary_bytes) / (1 << 20));
}

void measure_decode() {
  const auto graphs = context();
  Executable step = program(
      "sym s0 in [2, 8192] hint 128\n"
      "graph @main(%x: f32[1, 512], %cache: f32[s0, 512]) -> (f32[1, 512], f32[s0 + 1, 512]) {\n"
      "  %all = aten.cat([%cache, %x], 0) : f32[s0 + 1, 512]\n"
      "  %t = aten.t(%all) : f32[512, s0 + 1]{1, 512}\n"
      "  %scores = aten.mm(%x, %t) : f32[1, s0 + 1]\n"
      "  %p = aten.softmax.int(%scores, -1) : f32[1, s0 + 1]\n"
      "  %y = aten.mm(%p, %all) : f32[1, 512]\n"
      "  return %y, %all\n"
      "}\n",
      graphs);
  for (int round = 0; round < 2; ++round) {
    Tensor x = on_card({1, 512});
    Tensor cache = on_card({2, 512});
    litz::synchronize(kDevice);
    const double before = used_memory();
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < 1000; ++i) {
      std::vector<Value> results = step.run({x, cache}).value();
      x = std::get<Tensor>(results[0]);
      cache = std::get<Tensor>(results[1]);
    }
    const double host = microseconds(begin) / 1000;
    litz::synchronize(kDevice);
    std::printf(
        "decode, 1,000 steps, round %d: host %.1f us, %.1f us a step; card %.0f MiB, %.0f before; "
        "%.6f\n",
        round, host, microseconds(begin) / 1000, used_memory(), before, x.to_vector<float>()[0]);
  }
}

/// Three programs with 512 MiB of temporaries each.
void measure_chain(bool is_shared) {
  const auto graphs = is_shared ? context() : nullptr;
  const std::string text =
      "graph @main(%x: f32[8192, 1024], %w: f32[1024, 16384], %v: f32[16384, 1024]) -> (f32[8192, "
      "1024]) {\n"
      "  %h = aten.mm(%x, %w) : f32[8192, 16384]\n"
      "  %g = aten.gelu(%h) : f32[8192, 16384]\n"
      "  %y = aten.mm(%g, %v) : f32[8192, 1024]\n"
      "  return %y\n"
      "}\n";
  std::vector<Executable> programs;
  programs.reserve(3);
  for (int i = 0; i < 3; ++i) programs.push_back(program(text, graphs));
  const Tensor w = on_card({1024, 16384});
  const Tensor v = on_card({16384, 1024});
  const Tensor input = on_card({8192, 1024});
  litz::synchronize(kDevice);
  const double before = used_memory();
  Clock::time_point begin;
  constexpr int kCalls = 5;
  for (int i = 0; i < kCalls + 2; ++i) {
    if (i == 2) {
      litz::synchronize(kDevice);
      begin = Clock::now();
    }
    Tensor x = input;
    for (Executable& part : programs) x = first(part.run({x, w, v}).value());
  }
  litz::synchronize(kDevice);
  std::printf("three programs, %s: %.0f MiB more than inputs, %.1f ms\n",
              is_shared ? "one context" : "alone", used_memory() - before,
              microseconds(begin) / 1000 / kCalls);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "calls";
  if (what == "calls") {
    measure_calls(1);
    measure_calls(50);
  } else if (what == "lengths") {
    measure_lengths();
  } else if (what == "decode") {
    measure_decode();
  } else if (what == "chain") {
    measure_chain(argc > 2 && std::string(argv[2]) == "shared");
  }
  return 0;
}
