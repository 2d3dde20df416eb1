#include "random_graph.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "compiler/executable.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ops/op_table.h"
#include "support/text.h"
#include "text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

using ir::Argument;
using ir::Attribute;
using ir::Scalars;
using ir::Value;
using Sizes = std::vector<int64_t>;

constexpr int kNodes = 20;
constexpr int64_t kMostElements = 20'000;
constexpr double kTolerance = 1e-4;
constexpr double kConditionFactor = 64;

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed), module_(ops::standard_ops()) {
    graph_ = &module_.add_graph("main");
  }

  std::string run() {
    for (int i = 0; i < 3; ++i) pool_.push_back(input("x", DType::f32, random_sizes()));
    pool_.push_back(input("n", DType::i64, random_sizes()));
    for (int i = 0; i < kNodes; ++i) add_node();
    std::vector<Argument> outputs;
    for (size_t i = pool_.size() - std::min<size_t>(pool_.size(), 4); i < pool_.size(); ++i) {
      outputs.emplace_back(pool_[i]);
    }
    graph_->set_outputs(std::move(outputs));
    return ir::to_string(module_);
  }

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  bool one_in(int64_t n) { return below(n) == 0; }

  template <typename T>
  const T& any_of(const std::vector<T>& values) {
    return values[static_cast<size_t>(below(static_cast<int64_t>(values.size())))];
  }

  Sizes random_sizes() {
    static const Sizes kChoices{1, 2, 3, 4, 6, 8, 17, 32};
    Sizes sizes(static_cast<size_t>(1 + below(4)));
    do {
      for (int64_t& size : sizes) size = any_of(kChoices);
    } while (numel(sizes) > 4096);
    return sizes;
  }

  static int64_t numel(const Sizes& sizes) {
    int64_t count = 1;
    for (const int64_t size : sizes) count *= size;
    return count;
  }

  static Sizes sizes_of(Value value) {
    Sizes sizes;
    for (const Expr size : value.tensor().sizes) sizes.push_back(size.constant());
    return sizes;
  }

  static int64_t rank(Value value) { return static_cast<int64_t>(value.tensor().sizes.size()); }

  static bool is_float(Value value) { return value.tensor().dtype == DType::f32; }

  static Scalars list(const Sizes& sizes) { return {sizes.begin(), sizes.end()}; }

  Value input(const std::string& name, DType dtype, const Sizes& sizes) {
    return graph_->add_input(name, contiguous_type(dtype, list(sizes)));
  }

  Value parameter(const Sizes& sizes) { return input("p_w", DType::f32, sizes); }

  Value call(const char* op, std::vector<Argument> arguments) {
    return graph_->create(std::string("aten.") + op, std::move(arguments))->output();
  }

  Value pick(bool floating) {
    std::vector<Value> fit;
    for (const Value value : pool_) {
      if (is_float(value) == floating) fit.push_back(value);
    }
    // Recent ones more often: long chains.
    const auto count = static_cast<int64_t>(fit.size());
    return fit[static_cast<size_t>(one_in(2) ? below(count)
                                             : count - 1 - below(std::min<int64_t>(count, 3)))];
  }

  // A value that broadcasts against `value` and has no more elements.
  Value partner(Value value) {
    std::vector<Value> fit;
    for (const Value other : pool_) {
      if (other.tensor().dtype == value.tensor().dtype &&
          broadcasts(sizes_of(other), sizes_of(value))) {
        fit.push_back(other);
      }
    }
    if (!one_in(4)) return any_of(fit);
    Sizes sizes = sizes_of(value);
    for (int64_t& size : sizes) {
      if (one_in(3)) size = 1;
    }
    sizes.erase(sizes.begin(), sizes.begin() + below(static_cast<int64_t>(sizes.size()) + 1));
    return input(is_float(value) ? "x" : "n", value.tensor().dtype, sizes);
  }

  static bool broadcasts(const Sizes& from, const Sizes& to) {
    if (from.size() > to.size()) return false;
    for (size_t i = 1; i <= from.size(); ++i) {
      const int64_t size = from[from.size() - i];
      if (size != 1 && size != to[to.size() - i]) return false;
    }
    return true;
  }

  void add_node() {
    const bool floating = !one_in(6);
    const Value x = pick(floating);
    Value result;
    switch (below(floating ? 12 : 5)) {
      case 0:
        result = shape(x);
        break;
      case 1:
        result = binary(x);
        break;
      case 2:
        result = join(x);
        break;
      case 3:
        result = reduction(x);
        break;
      case 4:
        result = shape(x);
        break;
      case 5:
      case 6:
        result = unary(x);
        break;
      case 7:
        result = product(x);
        break;
      case 8:
        result = normalised(x);
        break;
      case 9:
        result = updated(x);
        break;
      default:
        result = selection(x);
        break;
    }
    if (result && result.is_tensor() && numel(sizes_of(result)) <= kMostElements) {
      pool_.push_back(result);
    }
  }

  Value unary(Value x) {
    static const std::vector<const char*> kOps{"relu",  "gelu", "tanh",       "sigmoid",
                                               "neg",   "abs",  "tanh",       "erf",
                                               "clone", "silu", "leaky_relu", "alias"};
    const char* op = any_of(kOps);
    if (one_in(6)) return call("exp", {call("neg", {call("abs", {x})})});
    if (one_in(6)) return call("_to_copy", {x, Attribute(DType::f32)});
    return call(op, {x});
  }

  Value binary(Value x) {
    if (!is_float(x)) {
      static const std::vector<const char*> kWhole{"add.Tensor", "mul.Tensor", "sub.Tensor",
                                                   "bitwise_and.Tensor", "maximum"};
      return call(any_of(kWhole), {x, partner(x)});
    }
    static const std::vector<const char*> kOps{"add.Tensor", "sub.Tensor", "mul.Tensor", "maximum",
                                               "minimum"};
    if (one_in(4)) {
      static const std::vector<double> kScalars{0, 1, -1, 0.5, 2, -3.25};
      return call(one_in(2) ? "mul.Scalar" : "add.Scalar",
                  {x, Attribute(Expr::real(any_of(kScalars)))});
    }
    const Value other = partner(x);
    const Value result =
        one_in(2) ? call(any_of(kOps), {x, other}) : call(any_of(kOps), {other, x});
    return one_in(3) ? call("tanh", {result}) : result;
  }

  Value reduction(Value x) {
    if (rank(x) == 0) return {};
    const Attribute dims(Scalars{Expr(below(rank(x)))});
    const Attribute keep(Expr::boolean(one_in(2)));
    if (!is_float(x)) return call("sum.dim_IntList", {x, dims, keep});
    static const std::vector<const char*> kOps{"sum.dim_IntList", "mean.dim", "amax", "amin"};
    const Value reduced = call(any_of(kOps), {x, dims, keep});
    return one_in(2) ? call("mul.Scalar", {reduced, Attribute(Expr::real(0.25))}) : reduced;
  }

  Value normalised(Value x) {
    if (rank(x) == 0) return {};
    const int64_t dim = below(rank(x));
    if (one_in(2)) {
      return call(one_in(2) ? "_softmax" : "_log_softmax",
                  {x, Attribute(Expr(dim)), Attribute(Expr::boolean(false))});
    }
    const Sizes sizes = sizes_of(x);
    const Sizes row{sizes.back()};
    if (row[0] < 4) return call("tanh", {x});
    return graph_
        ->create("aten.native_layer_norm", {x, Attribute(list(row)), parameter(row), parameter(row),
                                            Attribute(Expr::real(0.1))})
        ->output(0);
  }

  Value shape(Value x) {
    const Sizes sizes = sizes_of(x);
    const int64_t dims = rank(x);
    if (dims == 0) return call("unsqueeze", {x, Attribute(Expr(0))});
    const int64_t dim = below(dims);
    const int64_t size = sizes[static_cast<size_t>(dim)];
    switch (below(9)) {
      case 0: {
        Sizes order(static_cast<size_t>(dims));
        for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
        std::shuffle(order.begin(), order.end(), random_);
        return call("permute", {x, Attribute(list(order))});
      }
      case 1:
        return call("transpose.int", {x, Attribute(Expr(dim)), Attribute(Expr(below(dims)))});
      case 2:
        return dims < 5 ? call("unsqueeze", {x, Attribute(Expr(dim))}) : Value();
      case 3:
        return call("squeeze.dim", {x, Attribute(Expr(dim))});
      case 4:
        return call("reshape", {x, Attribute(list(refactored(sizes)))});
      case 5: {
        const int64_t begin = below(size);
        const int64_t end = begin + 1 + below(size - begin);
        return call("slice.Tensor", {x, Attribute(Expr(dim)), Attribute(Expr(begin)),
                                     Attribute(Expr(end)), Attribute(Expr(1 + below(3)))});
      }
      case 6:
        return call("select.int", {x, Attribute(Expr(dim)), Attribute(Expr(below(size)))});
      case 7:
        return call("flip", {x, Attribute(Scalars{Expr(dim)})});
      default: {
        Sizes wider = sizes;
        for (int64_t& each : wider) {
          if (each == 1 && one_in(2)) each = 3;
        }
        return call("expand", {x, Attribute(list(wider))});
      }
    }
  }

  // The same number of elements in other dimensions.
  Sizes refactored(const Sizes& sizes) {
    int64_t rest = numel(sizes);
    Sizes result;
    while (rest > 1 && result.size() < 3) {
      Sizes divisors;
      for (const int64_t d : {2, 3, 4, 8, 17}) {
        if (rest % d == 0) divisors.push_back(d);
      }
      if (divisors.empty()) break;
      result.push_back(any_of(divisors));
      rest /= result.back();
    }
    result.push_back(rest);
    return result;
  }

  Value join(Value x) {
    if (rank(x) == 0) return {};
    const int64_t dim = below(rank(x));
    if (one_in(3)) {
      Sizes pads(2 * static_cast<size_t>(rank(x)));
      for (int64_t& pad : pads) pad = below(3);
      return call("constant_pad_nd",
                  {x, Attribute(list(pads)), Attribute(is_float(x) ? Expr::real(0.5) : Expr(1))});
    }
    std::vector<Value> parts{x};
    for (const Value other : pool_) {
      if (other.tensor().dtype != x.tensor().dtype || other == x || parts.size() > 2) continue;
      Sizes a = sizes_of(other);
      Sizes b = sizes_of(x);
      if (a.size() != b.size()) continue;
      a[static_cast<size_t>(dim)] = b[static_cast<size_t>(dim)] = 0;
      if (a == b) parts.push_back(other);
    }
    if (one_in(3)) parts.push_back(x);
    return call("cat", {Argument(parts), Attribute(Expr(dim))});
  }

  Value product(Value x) {
    const Sizes sizes = sizes_of(x);
    if (sizes.empty()) return {};
    const int64_t depth = sizes.back();
    const int64_t columns = any_of(Sizes{1, 3, 8, 20});
    Value result;
    if (sizes.size() == 4 && one_in(2)) {
      result = convolution(x, sizes);
    } else if (sizes.size() == 2 && one_in(2)) {
      result = call("addmm", {parameter({columns}), x, parameter({depth, columns})});
    } else if (sizes.size() == 3 && one_in(2)) {
      const Value other = call("transpose.int", {x, Attribute(Expr(1)), Attribute(Expr(2))});
      result = call("bmm", {x, other});
    } else {
      result = call("linear", {x, parameter({columns, depth}),
                               one_in(2) ? Argument(parameter({columns})) : Argument(Attribute())});
    }
    if (one_in(2)) result = call("relu", {result});
    return one_in(2) ? call("tanh", {result}) : result;
  }

  Value convolution(Value x, const Sizes& sizes) {
    const int64_t channels = any_of(Sizes{2, 5, 16});
    const int64_t window = one_in(2) ? 1 : 3;
    const Sizes one{1, 1};
    const Sizes padding{window / 2, window / 2};
    const Value y =
        call("conv2d", {x, parameter({channels, sizes[1], window, window}), parameter({channels}),
                        Attribute(list(one)), Attribute(list(padding)), Attribute(list(one))});
    if (one_in(2)) return y;
    // A variance must be positive.
    const Value variance =
        call("add.Scalar", {call("abs", {parameter({channels})}), Attribute(Expr::real(0.5))});
    return graph_
        ->create("aten._native_batch_norm_legit_no_training",
                 {y, parameter({channels}), parameter({channels}), parameter({channels}), variance,
                  Attribute(Expr::real(0.1)), Attribute(Expr::real(1e-5))})
        ->output(0);
  }

  // A few in a row, since what one makes the next may write over.
  Value updated(Value x) {
    for (int64_t count = 1 + below(3); count > 0 && rank(x) > 0; --count) x = updated_once(x);
    return x;
  }

  Value updated_once(Value x) {
    const int64_t dim = below(rank(x));
    Sizes part = sizes_of(x);
    int64_t& size = part[static_cast<size_t>(dim)];
    const Attribute along{Expr(dim)};
    if (one_in(3)) {
      const Attribute place{Expr(below(size))};
      part.erase(part.begin() + dim);
      return call("select_scatter", {x, source(x, part), along, place});
    }
    if (size < 2 || one_in(3)) {
      const int64_t begin = below(size);
      size = 1 + below(size - begin);
      return call("slice_scatter", {x, source(x, part), along, Attribute(Expr(begin)),
                                    Attribute(Expr(begin + size))});
    }
    const int64_t places = size;
    size = 1 + below(4);
    static const std::vector<const char*> kOps{"index_copy", "index_add"};
    return call(any_of(kOps), {x, along, positions(size, places), source(x, part)});
  }

  // So many of [0, limit), limit at least 2, equal ones among them: given or computed.
  Value positions(int64_t count, int64_t limit) {
    const Attribute dtype{DType::i64};
    if (one_in(4)) {
      return call("full", {Attribute(list({count})), Attribute(Expr(below(2))), dtype});
    }
    const Value numbers = call("arange", {Attribute(Expr(count)), dtype});
    if (one_in(3)) return call("remainder.Scalar", {numbers, Attribute(Expr(2))});
    if (one_in(2) && count <= limit) return numbers;
    // Whole numbers in inputs are 0 or 1.
    return input("n", DType::i64, {count});
  }

  // What an update takes its elements from: another value of these sizes if there is one, a part of
  // the updated tensor itself, or an input.
  Value source(Value x, const Sizes& sizes) {
    for (const Value other : pool_) {
      if (is_float(other) && sizes_of(other) == sizes && one_in(2)) return other;
    }
    if (sizes.size() < sizes_of(x).size() && one_in(2)) {
      for (int64_t dim = 0; dim < rank(x); ++dim) {
        Sizes rest = sizes_of(x);
        rest.erase(rest.begin() + dim);
        if (rest == sizes) return call("select.int", {x, Attribute(Expr(dim)), Attribute(Expr(0))});
      }
    }
    return input("x", DType::f32, sizes);
  }

  Value selection(Value x) {
    const Sizes sizes = sizes_of(x);
    const int64_t dim = sizes.empty() ? 0 : below(rank(x));
    if (!sizes.empty() && sizes[static_cast<size_t>(dim)] >= 2 && one_in(2)) {
      return call("index_select", {x, Attribute(Expr(dim)),
                                   positions(1 + below(9), sizes[static_cast<size_t>(dim)])});
    }
    const Value left = input("x", DType::f32, sizes);
    const Value mask =
        call(one_in(2) ? "gt.Scalar" : "le.Scalar", {left, Attribute(Expr::real(0.1))});
    return call("where.self", {mask, x, partner(x)});
  }

  std::mt19937 random_;
  ir::Module module_;
  ir::Graph* graph_;
  std::vector<Value> pool_;
};

Tensor made_up(Value input) {
  const uint64_t seed = fill_seed(input.name());  // Inputs keep their values when others go.
  Sizes sizes;
  for (const Expr size : input.tensor().sizes) sizes.push_back(size.constant());
  const DType dtype = input.tensor().dtype;
  if (is_floating(dtype)) return fill_floats(dtype, std::move(sizes), seed, 1.5F, 0.0F);
  return fill_integers(dtype, std::move(sizes), seed, 2);
}

// Every float by one unit in its last places, up and down in turn.
Tensor shaken(const Tensor& tensor) {
  if (tensor.dtype() != DType::f32) return tensor;
  Tensor result = tensor.clone();
  auto* values = reinterpret_cast<float*>(result.mutable_data());
  for (int64_t i = 0; i < result.numel(); ++i) values[i] *= i % 2 == 0 ? 1 + 2e-7F : 1 - 2e-7F;
  return result;
}

struct Ready {
  ir::Program program;
  std::vector<Leaf> inputs;
};

Ready program_of(std::string_view text, bool shake) {
  Ready ready;
  ready.program = text_program(text);
  for (size_t i = 0; i < ready.program.inputs.size(); ++i) {
    const Value input = ready.program.graph().input(i);
    Tensor data = shake ? shaken(made_up(input)) : made_up(input);
    if (!input.name().starts_with("p_")) {
      ready.inputs.emplace_back(std::move(data));
      continue;
    }
    ir::InputSpec& spec = ready.program.inputs[i];
    spec.kind = ir::InputKind::parameter;
    spec.target = input.name();
    spec.data = std::move(data);
  }
  return ready;
}

std::vector<Tensor> results_of(std::string_view text, const Options& options, bool shake = false,
                               int calls = 1) {
  Ready ready = program_of(text, shake);
  Executable executable(std::move(ready.program), options);
  std::vector<Leaf> leaves;
  for (int i = 0; i < calls; ++i) leaves = executable.run(ready.inputs);
  std::vector<Tensor> results;
  for (Leaf& leaf : leaves) results.push_back(std::get<Tensor>(leaf).contiguous());
  return results;
}

std::string exact_difference(const Tensor& a, const Tensor& b) {
  const auto bytes = static_cast<size_t>(a.numel() * item_size(a.dtype()));
  return std::memcmp(a.data(), b.data(), bytes) == 0 ? "" : "bits differ";
}

std::string float_difference(const Tensor& have, const Tensor& want, const Tensor& moved) {
  const auto* h = reinterpret_cast<const float*>(have.data());
  const auto* w = reinterpret_cast<const float*>(want.data());
  const auto* m = reinterpret_cast<const float*>(moved.data());
  double magnitude = 1;
  double condition = 0;
  for (int64_t i = 0; i < want.numel(); ++i) {
    magnitude = std::max(magnitude, static_cast<double>(std::abs(w[i])));
    condition = std::max(condition, static_cast<double>(std::abs(w[i] - m[i])));
  }
  const double allowed = kTolerance * magnitude + kConditionFactor * condition;
  for (int64_t i = 0; i < want.numel(); ++i) {
    const bool same = h[i] == w[i] || (std::isnan(h[i]) && std::isnan(w[i]));
    if (!same && !(std::abs(h[i] - w[i]) <= allowed)) {
      return "element " + std::to_string(i) + " is " + std::to_string(h[i]) + ", expected " +
             std::to_string(w[i]) + ", allowed difference " + std::to_string(allowed);
    }
  }
  return "";
}

}  // namespace

std::string random_graph(uint32_t seed) { return Generator(seed).run(); }

std::string random_repeats(uint32_t seed) {
  std::string body = random_graph(seed);
  const auto module = ir::read_module(body, ops::standard_ops());
  const ir::Graph& graph = *module->find_graph("main");
  constexpr std::string_view kMain = "graph @main(";
  body.replace(body.find(kMain), kMain.size(), "graph @body(");
  std::vector<std::string> inputs;
  std::vector<std::string> results;
  std::vector<std::string> types;
  std::string calls;
  for (int call = 0; call < 3; ++call) {
    std::vector<std::string> operands;
    for (const ir::Value input : graph.inputs()) {
      const std::string type = ir::to_string(input.type());
      const auto same = std::ranges::find(types.begin(), types.end(), type);
      const bool is_weight = input.name().starts_with("p_");
      if (!is_weight && same != types.end() && (seed + operands.size()) % 2 == 0) {
        operands.push_back(results[static_cast<size_t>(same - types.begin())]);
        continue;
      }
      operands.push_back("%" + input.name() + "_" + std::to_string(call));
      inputs.push_back(operands.back() + ": " + type);
    }
    const std::string result = "%r" + std::to_string(call);
    const size_t count = graph.outputs().size();
    calls += "  " + result + ":" + std::to_string(count) +
             " = higher_order.invoke_subgraph(@body, [" + join(operands, ", ") + "])\n";
    for (size_t i = 0; i < count; ++i) {
      results.push_back(result + "#" + std::to_string(i));
      types.push_back(ir::to_string(graph.outputs()[i].value().type()));
    }
  }
  return body + "\ngraph @main(" + join(inputs, ", ") + ") -> (" + join(types, ", ") + ") {\n" +
         calls + "  return " + join(results, ", ") + "\n}\n";
}

std::string compiled_difference(std::string_view text) {
  const Options reference{
      .executor = ExecutorKind::interpreter, .threads = 1, .optimize = false, .fuse = false};
  const std::vector<Tensor> want = results_of(text, reference);
  const std::vector<Tensor> moved = results_of(text, reference, true);
  const std::vector<Tensor> have = results_of(text, {.threads = 1, .verify = true}, false, 2);
  const std::vector<Tensor> three = results_of(text, {.threads = 3});
  if (have.size() != want.size()) return "another number of results";
  for (size_t k = 0; k < want.size(); ++k) {
    const std::string which = "result " + std::to_string(k) + ": ";
    if (have[k].dtype() != want[k].dtype() || have[k].sizes() != want[k].sizes()) {
      return which + "another type";
    }
    std::string wrong = exact_difference(have[k], three[k]);
    if (!wrong.empty()) return which + "three threads give other bits than one";
    wrong = have[k].dtype() == DType::f32 ? float_difference(have[k], want[k], moved[k])
                                          : exact_difference(have[k], want[k]);
    if (!wrong.empty()) return which + wrong;
  }
  return "";
}

std::string tested_difference(std::string_view text, uint64_t order_seed) {
  const std::vector<Tensor> want = results_of(text, {.threads = 1});
  Ready ready = program_of(text, false);
  Executable tested(
      std::move(ready.program),
      {.threads = 3,
       .test_modes = {.poison = true, .access = true, .order_seed = order_seed, .fault = true}});
  std::vector<Leaf> have;
  for (int64_t n = 1; have.empty(); n += 1 + n / 4) {
    tested.fail_call(n);
    try {
      have = tested.run(ready.inputs);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io) throw;
    }
  }
  for (size_t k = 0; k < want.size(); ++k) {
    const Tensor result = std::get<Tensor>(have[k]).contiguous();
    if (!exact_difference(result, want[k]).empty()) {
      return "result " + std::to_string(k) + ": test modes change bits";
    }
  }
  return "";
}

}  // namespace litz::compiler
