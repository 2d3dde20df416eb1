// Recurrent networks: lstm, gru and plain cells, alone and along sequences.
//
// A sequence is unrolled: the input's contribution to the gates is one product for all steps, then
// every step adds the state's. Sequences of symbolic length are rejected, since the number of steps
// must be known.

#include <algorithm>
#include <array>
#include <functional>

#include "ops/bodies.h"
#include "ops/composite.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;

// Beyond this, unrolling makes programs of unreasonable size.
constexpr int64_t kMostSteps = 4096;

enum class Kind : uint8_t { lstm, gru, tanh, relu };

Kind kind_of(const Call& call) {
  const std::string_view name = call.op().name();
  if (name.find("lstm") != std::string_view::npos) return Kind::lstm;
  if (name.find("gru") != std::string_view::npos) return Kind::gru;
  return name.find("tanh") != std::string_view::npos ? Kind::tanh : Kind::relu;
}

// --- one step ---

// The hidden state, and the cell state of an lstm.
struct State {
  Value hidden;
  Value cell;
};

std::vector<Value> split_gates(const DecomposeCall& call, Value gates, int64_t count) {
  if (count == 1) return {gates};
  return call.aten_all("chunk", {gates, Expr(count), Expr(-1)});
}

Value add(const DecomposeCall& call, Value a, Value b) { return call.aten("add.Tensor", {a, b}); }

Value multiply(const DecomposeCall& call, Value a, Value b) {
  return call.aten("mul.Tensor", {a, b});
}

State lstm_step(const DecomposeCall& call, Value gates, Value cell) {
  const std::vector<Value> parts = split_gates(call, gates, 4);
  const Value input = call.aten("sigmoid", {parts[0]});
  const Value forget = call.aten("sigmoid", {parts[1]});
  const Value candidate = call.aten("tanh", {parts[2]});
  const Value output = call.aten("sigmoid", {parts[3]});
  State next;
  next.cell = add(call, multiply(call, forget, cell), multiply(call, input, candidate));
  next.hidden = multiply(call, output, call.aten("tanh", {next.cell}));
  return next;
}

// The reset gate scales the state's contribution to the candidate, after its bias.
Value gru_step(const DecomposeCall& call, Value from_input, Value from_state, Value hidden) {
  const std::vector<Value> x = split_gates(call, from_input, 3);
  const std::vector<Value> h = split_gates(call, from_state, 3);
  const Value reset = call.aten("sigmoid", {add(call, x[0], h[0])});
  const Value keep = call.aten("sigmoid", {add(call, x[1], h[1])});
  const Value candidate = call.aten("tanh", {add(call, x[2], multiply(call, reset, h[2]))});
  const Value change = call.aten("sub.Tensor", {hidden, candidate});
  return add(call, multiply(call, change, keep), candidate);
}

State step(const DecomposeCall& call, Kind kind, Value from_input, Value from_state,
           const State& state) {
  if (kind == Kind::gru) return {gru_step(call, from_input, from_state, state.hidden), {}};
  const Value gates = add(call, from_input, from_state);
  if (kind == Kind::lstm) return lstm_step(call, gates, state.cell);
  return {call.aten(kind == Kind::tanh ? "tanh" : "relu", {gates}), {}};
}

// --- cells ---

ir::Argument or_none(Value value) { return value ? ir::Argument(value) : ir::Argument(); }

Types cell_meta(const Call& call) {
  const bool is_lstm = kind_of(call) == Kind::lstm;
  const TensorType hidden = is_lstm ? call.types("hx").at(0) : call.type("hx");
  require(hidden.rank() == 2, "the state of a recurrent cell has a batch and features, got",
          hidden);
  require(call.type("input").rank() == 2,
          "the input of a recurrent cell has a batch and features, got", call.type("input"));
  const bool has_gates = is_lstm || kind_of(call) == Kind::gru;
  require(!has_gates || is_floating(hidden.dtype) || is_complex(hidden.dtype),
          "a cell with gates takes floating or complex states, got", hidden);
  const std::array<int64_t, 4> gates{4, 3, 1, 1};  // By kind.
  const Expr rows = hidden.sizes[1] * gates[static_cast<size_t>(kind_of(call))];
  for (const char* name : {"w_ih", "w_hh"}) {
    const TensorType& weight = call.type(name);
    require(weight.rank() == 2 && !known_not_equal(weight.sizes[0], rows),
            "the weights of a recurrent cell have a row for every gate of a feature:", name, weight,
            hidden);
  }
  require(!known_not_equal(call.type("input").sizes[0], hidden.sizes[0]),
          "input and state of a recurrent cell must have one batch:", call.type("input"), hidden);
  return decomposed_types(call);
}

std::vector<Value> cell(DecomposeCall& call) {
  const Kind kind = kind_of(call);
  State state;
  if (kind == Kind::lstm) {
    require(call.values("hx").size() == 2, "an lstm has a hidden and a cell state");
    state = {call.values("hx")[0], call.values("hx")[1]};
  } else {
    state.hidden = call["hx"];
  }
  const Value from_input =
      call.aten("linear", {call["input"], call.pass("w_ih"), call.pass("b_ih")});
  const Value from_state =
      call.aten("linear", {state.hidden, call.pass("w_hh"), call.pass("b_hh")});
  const State next = step(call, kind, from_input, from_state, state);
  if (kind == Kind::lstm) return {next.hidden, next.cell};
  return {next.hidden};
}

Types fused_cell_meta(const Call& call) {
  const TensorType& gates = call.type("input_gates");
  const TensorType& state = call.type("cx");
  const TensorType type = contiguous_type(state.dtype, state.sizes, state.device);
  return {type, type, contiguous_type(gates.dtype, gates.sizes, gates.device)};
}

std::vector<Value> fused_cell(DecomposeCall& call) {
  Value gates = add(call, call["input_gates"], call["hidden_gates"]);
  if (call.has("input_bias")) gates = add(call, gates, call["input_bias"]);
  if (call.has("hidden_bias")) gates = add(call, gates, call["hidden_bias"]);
  const State next = lstm_step(call, gates, call["cx"]);
  std::vector<Value> parts = split_gates(call, gates, 4);
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i] = call.aten(i == 2 ? "tanh" : "sigmoid", {parts[i]});
  }
  return {next.hidden, next.cell, call.aten("cat", {ir::Argument(parts), Expr(-1)})};
}

// --- sequences ---

struct Weights {
  Value input;
  Value hidden;
  Value input_bias;
  Value hidden_bias;
  Value projection;
};

// One call along a sequence; `states` has one entry per layer and direction.
struct Network {
  Kind kind = Kind::lstm;
  int64_t layers = 1;
  int64_t directions = 1;
  bool batch_first = false;
  bool has_projection = false;
  std::vector<Weights> weights;
};

std::vector<TensorType> states_of(const Call& call, Kind kind) {
  if (kind != Kind::lstm) return {call.type("hx")};
  std::vector<TensorType> types = call.types("hx");
  require(types.size() == 2, "an lstm has a hidden and a cell state, got", types.size());
  return types;
}

// In training, randomly drops values between layers.
bool drops(const Call& call) {
  return call.flag("train") && call.real("dropout") != 0 && call.integer("num_layers") > 1;
}

Network network_of(const Call& call) {
  Network net;
  net.kind = kind_of(call);
  net.layers = call.integer("num_layers");
  net.directions = call.flag("bidirectional") ? 2 : 1;
  net.batch_first = call.flag("batch_first");
  const std::vector<TensorType> states = states_of(call, net.kind);
  if (net.kind == Kind::lstm && states[0].rank() == 3 && states[1].rank() == 3) {
    net.has_projection = known_not_equal(states[0].sizes[2], states[1].sizes[2]);
  }
  const std::span<const Value> params = call.values("params");
  const bool biased = call.flag("has_biases");
  const size_t each = (biased ? 4 : 2) + (net.has_projection ? 1 : 0);
  require(params.size() == each * static_cast<size_t>(net.layers * net.directions),
          "a recurrent network has a fixed number of weights per layer and direction:",
          params.size(), each);
  for (size_t i = 0; i < params.size(); i += each) {
    Weights weights{params[i], params[i + 1], {}, {}, {}};
    if (biased) {
      weights.input_bias = params[i + 2];
      weights.hidden_bias = params[i + 3];
    }
    if (net.has_projection) weights.projection = params[i + each - 1];
    net.weights.push_back(weights);
  }
  return net;
}

Types sequence_meta(const Call& call) {
  const Network net = network_of(call);
  const TensorType& input = call.type("input");
  require(input.rank() == 3, "a recurrent network needs a sequence, a batch and features, got",
          input);
  const std::vector<TensorType> states = states_of(call, net.kind);
  for (const TensorType& state : states) {
    require(state.rank() == 3,
            "the state of a recurrent network has layers, a batch and features:", state);
    require(!known_not_equal(state.sizes[0], Expr(net.layers * net.directions)),
            "a recurrent network has one state per layer and direction:", state,
            net.layers * net.directions);
  }
  const Expr batch = input.sizes[net.batch_first ? 0 : 1];
  const Expr steps = input.sizes[net.batch_first ? 1 : 0];
  const Expr features = states[0].sizes[2] * net.directions;
  // Computed step by step, whatever the outer dimension is.
  TensorType output = contiguous_type(input.dtype, {steps, batch, features}, input.device);
  if (net.batch_first) {
    std::swap(output.sizes[0], output.sizes[1]);
    std::swap(output.strides[0], output.strides[1]);
  }
  Types types{output};
  for (const TensorType& state : states) {
    types.emplace_back(contiguous_type(input.dtype, state.sizes, input.device));
  }
  return types;
}

struct Pass {
  std::vector<Value> outputs;  // One per step.
  State last;
};

Pass run_direction(const DecomposeCall& call, const Network& net, const Weights& weights,
                   Value sequence, int64_t steps, bool reversed, State state) {
  const Value projected =
      call.aten("linear", {sequence, weights.input, or_none(weights.input_bias)});
  Pass pass;
  pass.outputs.resize(static_cast<size_t>(steps));
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t t = reversed ? steps - 1 - i : i;
    const Value from_input = call.aten("select.int", {projected, Expr(0), Expr(t)});
    const Value from_state =
        call.aten("linear", {state.hidden, weights.hidden, or_none(weights.hidden_bias)});
    state = step(call, net.kind, from_input, from_state, state);
    if (weights.projection) {
      state.hidden = call.aten("linear", {state.hidden, weights.projection});
    }
    pass.outputs[static_cast<size_t>(t)] = state.hidden;
  }
  pass.last = state;
  return pass;
}

int64_t step_count(const DecomposeCall& call, const Network& net) {
  const Expr steps = call.type("input").sizes[net.batch_first ? 1 : 0];
  const auto count = steps.maybe_constant();
  require(count.has_value(), ErrorCode::unsupported,
          "a recurrent network needs a sequence of constant length (export it with one):", steps);
  require(*count > 0 && *count <= kMostSteps, ErrorCode::unsupported,
          "the length of a sequence must be between 1 and", kMostSteps, "but is", *count);
  return *count;
}

std::vector<Value> sequence(DecomposeCall& call) {
  const Network net = network_of(call);
  const int64_t steps = step_count(call, net);
  const bool is_lstm = net.kind == Kind::lstm;
  const Value hidden = is_lstm ? call.values("hx")[0] : call["hx"];
  const Value cells = is_lstm ? call.values("hx")[1] : Value();
  Value input = call["input"];
  if (net.batch_first) input = call.aten("transpose.int", {input, Expr(0), Expr(1)});
  std::vector<Value> last_hidden;
  std::vector<Value> last_cell;
  for (int64_t layer = 0; layer < net.layers; ++layer) {
    std::vector<Value> sides;
    for (int64_t direction = 0; direction < net.directions; ++direction) {
      const int64_t position = layer * net.directions + direction;
      const auto initial = [&](Value states) {
        return call.aten("select.int", {states, Expr(0), Expr(position)});
      };
      const State state{initial(hidden), is_lstm ? initial(cells) : Value()};
      const Pass pass = run_direction(call, net, net.weights[static_cast<size_t>(position)], input,
                                      steps, direction == 1, state);
      sides.push_back(call.aten("stack", {ir::Argument(pass.outputs), Expr(0)}));
      last_hidden.push_back(pass.last.hidden);
      last_cell.push_back(pass.last.cell);
    }
    input = sides.size() == 1 ? sides[0] : call.aten("cat", {ir::Argument(sides), Expr(-1)});
    if (drops(call) && layer + 1 < net.layers) {
      input = call.aten("dropout", {input, Expr::real(call.real("dropout")), Expr::boolean(true)});
    }
  }
  if (net.batch_first) input = call.aten("transpose.int", {input, Expr(0), Expr(1)});
  std::vector<Value> results{input, call.aten("stack", {ir::Argument(last_hidden), Expr(0)})};
  if (is_lstm) results.push_back(call.aten("stack", {ir::Argument(last_cell), Expr(0)}));
  return results;
}

constexpr std::array kLstmSample{
    "(f32[3, 2, 4], [f32[2, 2, 5], f32[2, 2, 5]], [f32[20, 4], f32[20, 5], f32[20, 5], "
    "f32[20, 5]], False, 2, 0.5, True, False, False)"sv,
    "(f32[3, 2, 4], [f32[1, 2, 5], f32[1, 2, 5]], [f32[20, 4], f32[20, 5], f32[20], f32[20]], "
    "True, 1, 0.0, False, False, False)"sv,
    "(f32[2, 3, 4], [f32[2, 2, 5], f32[2, 2, 5]], [f32[20, 4], f32[20, 5], f32[20, 4], "
    "f32[20, 5]], False, 1, 0.0, False, True, True)"sv};
constexpr std::array kGruSample{
    "(f32[3, 2, 4], f32[1, 2, 5], [f32[15, 4], f32[15, 5], f32[15], f32[15]], True, 1, "
    "0.0, False, False, False)"sv};
constexpr std::array kRnnSample{
    "(f32[3, 2, 4], f32[1, 2, 5], [f32[5, 4], f32[5, 5], f32[5], f32[5]], True, 1, 0.0, "
    "False, False, False)"sv};
constexpr std::array kLstmCellSample{
    "(f32[2, 4], [f32[2, 5], f32[2, 5]], f32[20, 4], f32[20, 5], f32[20], f32[20])"sv};
constexpr std::array kGruCellSample{
    "(f32[2, 4], f32[2, 5], f32[15, 4], f32[15, 5], f32[15], f32[15])"sv};
constexpr std::array kRnnCellSample{"(f32[2, 4], f32[2, 5], f32[5, 4], f32[5, 5])"sv};
constexpr std::array kFusedSample{"(f32[2, 20], f32[2, 20], f32[2, 5], f32[20], f32[20])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._thnn_fused_lstm_cell(Tensor input_gates, Tensor hidden_gates, Tensor "
                    "cx, Tensor? input_bias=None, Tensor? hidden_bias=None) -> (Tensor, Tensor, "
                    "Tensor)",
          .doc = "One lstm step from its gates: hidden state, cell state and the gates applied.",
          .meta = fused_cell_meta,
          .impl = Decompose{fused_cell},
          .samples = {.calls = kFusedSample}},
    OpDef{.schema = "aten.gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int "
                    "num_layers, float dropout, bool train, bool bidirectional, bool batch_first) "
                    "-> (Tensor, Tensor)",
          .doc = "Gated recurrent units along a sequence.",
          .meta = sequence_meta,
          .impl = Decompose{sequence},
          .traits = ir::Trait::random,
          .samples = {.lo = -1, .hi = 1, .calls = kGruSample}},
    OpDef{.schema = "aten.gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? "
                    "b_ih=None, Tensor? b_hh=None) -> Tensor",
          .doc = "One step of gated recurrent units.",
          .meta = cell_meta,
          .impl = Decompose{cell},
          .samples = {.lo = -1, .hi = 1, .calls = kGruCellSample}},
    OpDef{.schema = "aten.lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, "
                    "int num_layers, float dropout, bool train, bool bidirectional, bool "
                    "batch_first) -> (Tensor, Tensor, Tensor)",
          .doc = "Long short-term memory along a sequence.",
          .meta = sequence_meta,
          .impl = Decompose{sequence},
          .traits = ir::Trait::random,
          .samples = {.lo = -1, .hi = 1, .calls = kLstmSample}},
    OpDef{.schema = "aten.lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? "
                    "b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)",
          .doc = "One step of long short-term memory.",
          .meta = cell_meta,
          .impl = Decompose{cell},
          .samples = {.lo = -1, .hi = 1, .calls = kLstmCellSample}},
    OpDef{.schema = "aten.rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool "
                    "has_biases, int num_layers, float dropout, bool train, bool bidirectional, "
                    "bool batch_first) -> (Tensor, Tensor)",
          .doc = "Plain recurrent units with relu along a sequence.",
          .meta = sequence_meta,
          .impl = Decompose{sequence},
          .traits = ir::Trait::random,
          .samples = {.lo = -1, .hi = 1, .calls = kRnnSample}},
    OpDef{.schema = "aten.rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? "
                    "b_ih=None, Tensor? b_hh=None) -> Tensor",
          .doc = "One step of plain recurrent units with relu.",
          .meta = cell_meta,
          .impl = Decompose{cell},
          .samples = {.lo = -1, .hi = 1, .calls = kRnnCellSample}},
    OpDef{.schema = "aten.rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool "
                    "has_biases, int num_layers, float dropout, bool train, bool bidirectional, "
                    "bool batch_first) -> (Tensor, Tensor)",
          .doc = "Plain recurrent units with tanh along a sequence.",
          .meta = sequence_meta,
          .impl = Decompose{sequence},
          .traits = ir::Trait::random,
          .samples = {.lo = -1, .hi = 1, .calls = kRnnSample}},
    OpDef{.schema = "aten.rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? "
                    "b_ih=None, Tensor? b_hh=None) -> Tensor",
          .doc = "One step of plain recurrent units with tanh.",
          .meta = cell_meta,
          .impl = Decompose{cell},
          .samples = {.lo = -1, .hi = 1, .calls = kRnnCellSample}},
};

}  // namespace

std::span<const OpDef> recurrent_ops() { return kOps; }

}  // namespace litz::ops
