// Recurrent networks along sequences: lstm, gru and plain units.
//
// The input's part of the gates is one product for all steps, then every step adds the state's part.
// Short sequences are unrolled, so that steps fuse and share memory; long ones, and those whose length a
// call decides, are one graph of a step under higher_order.scan.

#include <algorithm>
#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/families/recurrent_step.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Scalars;
using ir::Value;
using Kind = RecurrentKind;
using State = RecurrentState;

// An LSTM of 32 steps and 32 features loads in 0.1 s unrolled and in 16 ms as a loop, and takes 87 us instead of
// 155 a call; of 1,000 steps in 1.3 s and 4 ms, and takes 13 ms instead of 6.
constexpr int64_t kMostUnrolled = 32;

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

// What one layer gives the next is dropped at random while training.
bool drops(const Call& call) {
  return call.flag("train") && call.real("dropout") != 0 && call.integer("num_layers") > 1;
}

Network network_of(const Call& call) {
  Network net;
  net.kind = recurrent_kind(call);
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
  // Computed step by step, whatever comes first outside.
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
  Value outputs;  // Of all steps: length, batch, features.
  State last;
};

State advance(const DecomposeCall& call, const Network& net, const Weights& weights,
              Value from_input, const State& state) {
  const Value from_state =
      call.aten("linear", {state.hidden, weights.hidden, or_none(weights.hidden_bias)});
  State next = recurrent_step(call, net.kind, from_input, from_state, state);
  if (weights.projection) next.hidden = call.aten("linear", {next.hidden, weights.projection});
  return next;
}

Pass unroll(const DecomposeCall& call, const Network& net, const Weights& weights, Value projected,
            int64_t steps, bool reversed, State state) {
  std::vector<Value> outputs(static_cast<size_t>(steps));
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t t = reversed ? steps - 1 - i : i;
    const Value from_input = call.aten("select.int", {projected, Expr(0), Expr(t)});
    state = advance(call, net, weights, from_input, state);
    outputs[static_cast<size_t>(t)] = state.hidden;
  }
  return {call.aten("stack", {ir::Argument(outputs), Expr(0)}), state};
}

// The weights as inputs of a graph; `given` gets what the caller passes for them.
Weights weights_inside(ir::Graph& body, const Weights& weights, std::vector<Value>& given) {
  const auto inside = [&](Value weight) {
    if (!weight) return Value();
    given.push_back(weight);
    return body.add_input("weight", weight.type());
  };
  return {{}, inside(weights.hidden), {}, inside(weights.hidden_bias), inside(weights.projection)};
}

// A graph of one step, scanned along the sequence.
Pass scan(const DecomposeCall& call, const Network& net, const Weights& weights, Value projected,
          bool reversed, const State& state) {
  if (reversed) projected = call.aten("flip", {projected, Scalars{Expr(0)}});
  ir::Graph& body = call.graph().module().add_graph(call.graph().name() + ".step");
  std::vector<Value> init;
  const auto carried = [&](Value value, const char* name) {
    if (!value) return Value();
    const TensorType& type = value.tensor();
    init.push_back(call.aten("clone", {value, ir::Attribute(MemoryFormat::contiguous)}));
    return body.add_input(name, contiguous_type(type.dtype, type.sizes, type.device));
  };
  const State before{carried(state.hidden, "hidden"), carried(state.cell, "cell")};
  const TensorType& gates = projected.tensor();
  const Value from_input = body.add_input(
      "gates", contiguous_type(gates.dtype, {gates.sizes[1], gates.sizes[2]}, gates.device));
  std::vector<Value> given;
  const Weights inside = weights_inside(body, weights, given);
  const State after = advance(DecomposeCall(call, body, {}), net, inside, from_input, before);
  std::vector<ir::Argument> outputs{ir::Argument(after.hidden)};
  if (after.cell) outputs.emplace_back(after.cell);
  outputs.emplace_back(after.hidden);
  body.set_outputs(std::move(outputs));
  const ir::Node* const loop = call.graph().create(
      "higher_order.scan", {ir::GraphRef{body.id()}, ir::Argument(init),
                            ir::Argument(std::vector{projected}), ir::Argument(given)});
  Pass pass{loop->output(init.size()), {loop->output(0), after.cell ? loop->output(1) : Value()}};
  if (reversed) pass.outputs = call.aten("flip", {pass.outputs, Scalars{Expr(0)}});
  return pass;
}

Pass run_direction(const DecomposeCall& call, const Network& net, const Weights& weights,
                   Value sequence, bool reversed, const State& state) {
  const Value projected =
      call.aten("linear", {sequence, weights.input, or_none(weights.input_bias)});
  const auto steps = sequence.tensor().sizes[0].maybe_constant();
  require(steps != 0,
          "a recurrent network needs a sequence of at least one step:", sequence.tensor());
  if (!steps || *steps > kMostUnrolled) {
    return scan(call, net, weights, projected, reversed, state);
  }
  return unroll(call, net, weights, projected, *steps, reversed, state);
}

std::vector<Value> sequence(DecomposeCall& call) {
  const Network net = network_of(call);
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
                                      direction == 1, state);
      sides.push_back(pass.outputs);
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

constexpr std::array kOps{
    OpDef{.schema = "aten.gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int "
                    "num_layers, float dropout, bool train, bool bidirectional, bool batch_first) "
                    "-> (Tensor, Tensor)",
          .doc = "Gated recurrent units along a sequence.",
          .meta = sequence_meta,
          .impl = Decompose{sequence},
          .traits = ir::Trait::random,
          .samples = {.lo = -1, .hi = 1, .calls = kGruSample}},
    OpDef{.schema = "aten.lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, "
                    "int num_layers, float dropout, bool train, bool bidirectional, bool "
                    "batch_first) -> (Tensor, Tensor, Tensor)",
          .doc = "Long short-term memory along a sequence.",
          .meta = sequence_meta,
          .impl = Decompose{sequence},
          .traits = ir::Trait::random,
          .samples = {.lo = -1, .hi = 1, .calls = kLstmSample}},
    OpDef{.schema = "aten.rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool "
                    "has_biases, int num_layers, float dropout, bool train, bool bidirectional, "
                    "bool batch_first) -> (Tensor, Tensor)",
          .doc = "Plain recurrent units with relu along a sequence.",
          .meta = sequence_meta,
          .impl = Decompose{sequence},
          .traits = ir::Trait::random,
          .samples = {.lo = -1, .hi = 1, .calls = kRnnSample}},
    OpDef{.schema = "aten.rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool "
                    "has_biases, int num_layers, float dropout, bool train, bool bidirectional, "
                    "bool batch_first) -> (Tensor, Tensor)",
          .doc = "Plain recurrent units with tanh along a sequence.",
          .meta = sequence_meta,
          .impl = Decompose{sequence},
          .traits = ir::Trait::random,
          .samples = {.lo = -1, .hi = 1, .calls = kRnnSample}},
};

}  // namespace

std::span<const OpDef> recurrent_ops() { return kOps; }

}  // namespace litz::ops
