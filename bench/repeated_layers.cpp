// The time to compile networks of 1 to 96 equal layers once their kernels are cached: all passes,
// lowering and fusion, with and without the detection of equal layers.
//
//   build/release/bin/bench_repeated_layers

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>

#include "compiler/executable.h"
#include "compiler/kernels/kernel_store.h"
#include "text_program.h"

namespace litz::compiler {
namespace {

constexpr int kRounds = 5;

/// A transformer layer of width 64 with 4 heads, from %x<k> to %x<k + 1>.
std::string layer(int k) {
  std::string text = R"(
  %n@:3 = aten.native_layer_norm(%x@, [64], %p_g@, %p_b@, 1e-05)
  %q@ = aten.linear(%n@#0, %p_wq@)
  %k@ = aten.linear(%n@#0, %p_wk@)
  %v@ = aten.linear(%n@#0, %p_wv@)
  %qv@ = aten.view(%q@, [2, 16, 4, 16])
  %kv@ = aten.view(%k@, [2, 16, 4, 16])
  %vv@ = aten.view(%v@, [2, 16, 4, 16])
  %qp@ = aten.permute(%qv@, [0, 2, 1, 3])
  %kp@ = aten.permute(%kv@, [0, 2, 3, 1])
  %vp@ = aten.permute(%vv@, [0, 2, 1, 3])
  %s@ = aten.matmul(%qp@, %kp@)
  %t@ = aten.div.Tensor(%s@, 4.0)
  %a@ = aten._softmax(%t@, -1, false)
  %o@ = aten.matmul(%a@, %vp@)
  %op@ = aten.permute(%o@, [0, 2, 1, 3])
  %oc@ = aten.clone(%op@, memory_format=contiguous_format)
  %ov@ = aten.view(%oc@, [2, 16, 64])
  %p@ = aten.linear(%ov@, %p_wo@)
  %y@ = aten.add.Tensor(%x@, %p@)
  %m@:3 = aten.native_layer_norm(%y@, [64], %p_g@, %p_b@, 1e-05)
  %h@ = aten.linear(%m@#0, %p_w1@)
  %g@ = aten.gelu(%h@)
  %f@ = aten.linear(%g@, %p_w2@)
  %x# = aten.add.Tensor(%y@, %f@)
)";
  const auto replace_all = [&](const std::string& what, const std::string& with) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
      text.replace(at, what.size(), with);
    }
  };
  // Results of a call are marked by the same sign as the next layer.
  replace_all("#0", "!0");
  replace_all("#", std::to_string(k + 1));
  replace_all("@", std::to_string(k));
  replace_all("!0", "#0");
  return text;
}

std::string network(int layers) {
  std::string inputs = "%x0: f32[2, 16, 64]";
  std::string body;
  for (int k = 0; k < layers; ++k) {
    const std::string n = std::to_string(k);
    for (const char* weight : {"wq", "wk", "wv", "wo"}) {
      inputs += std::string(", %p_") + weight + n + ": f32[64, 64]";
    }
    inputs += ", %p_g" + n + ": f32[64], %p_b" + n + ": f32[64], %p_w1" + n +
              ": f32[256, 64], %p_w2" + n + ": f32[64, 256]";
    body += layer(k);
  }
  return "graph @main(" + inputs + ") -> (f32[2, 16, 64]) {" + body + "  return %x" +
         std::to_string(layers) + "\n}\n";
}

/// Processor time.
double milliseconds() { return static_cast<double>(std::clock()) * 1e3 / CLOCKS_PER_SEC; }

/// Milliseconds.
struct Times {
  double passes = 1e9;   ///< On the graph, including the search for repeats.
  double finding = 1e9;  ///< Finding repeats.
  double rest = 1e9;     ///< Lowering, fusion, looking kernels up.
};

Times times_of(const std::string& text, bool finds_repeats, KernelStore& kernels) {
  Times best;
  for (int round = 0; round < kRounds; ++round) {
    ir::Program program = text_program(text);
    Options options{.threads = 1};
    if (!finds_repeats) options.passes.disabled = {"outline-repeats"};
    const double begin = milliseconds();
    double passes = begin;
    double finding = 0;
    options.passes.after_pass = [&](const passes::PassStatistics& pass, const ir::Module&) {
      const double now = milliseconds();
      if (pass.name == "outline-repeats") finding = now - passes;
      passes = now;
    };
    const Executable executable(std::move(program), options, {.kernels = &kernels});
    const double end = milliseconds();
    best.passes = std::min(best.passes, passes - begin);
    best.finding = std::min(best.finding, finding);
    best.rest = std::min(best.rest, end - passes);
  }
  return best;
}

void report() {
  std::printf("%8s %10s %10s %12s %12s\n", "layers", "passes ms", "finding ms", "rest, once",
              "rest, each");
  for (const int layers : {1, 2, 12, 24, 48, 96}) {
    const std::string text = network(layers);
    KernelTable kernels(nullptr);
    const Times each = times_of(text, false, kernels);
    const Times once = times_of(text, true, kernels);
    std::printf("%8d %10.2f %10.2f %12.2f %12.2f\n", layers, once.passes, once.finding, once.rest,
                each.rest);
  }
}

}  // namespace
}  // namespace litz::compiler

int main() { litz::compiler::report(); }
