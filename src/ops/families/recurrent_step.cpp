#include "ops/families/recurrent_step.h"

namespace litz::ops {
namespace {

using ir::Value;
using Kind = RecurrentKind;
using State = RecurrentState;

Value add(const DecomposeCall& call, Value a, Value b) { return call.aten("add.Tensor", {a, b}); }

Value multiply(const DecomposeCall& call, Value a, Value b) {
  return call.aten("mul.Tensor", {a, b});
}

// The reset gate acts on the state's part of the candidate, after its bias.
Value gru_step(const DecomposeCall& call, Value from_input, Value from_state, Value hidden) {
  const std::vector<Value> x = split_gates(call, from_input, 3);
  const std::vector<Value> h = split_gates(call, from_state, 3);
  const Value reset = call.aten("sigmoid", {add(call, x[0], h[0])});
  const Value keep = call.aten("sigmoid", {add(call, x[1], h[1])});
  const Value candidate = call.aten("tanh", {add(call, x[2], multiply(call, reset, h[2]))});
  const Value change = call.aten("sub.Tensor", {hidden, candidate});
  return add(call, multiply(call, change, keep), candidate);
}

}  // namespace

RecurrentKind recurrent_kind(const Call& call) {
  const std::string_view name = call.op().name();
  if (name.find("lstm") != std::string_view::npos) return Kind::lstm;
  if (name.find("gru") != std::string_view::npos) return Kind::gru;
  return name.find("tanh") != std::string_view::npos ? Kind::tanh : Kind::relu;
}

std::vector<Value> split_gates(const DecomposeCall& call, Value gates, int64_t count) {
  if (count == 1) return {gates};
  return call.aten_all("chunk", {gates, Expr(count), Expr(-1)});
}

RecurrentState lstm_step(const DecomposeCall& call, Value gates, Value cell) {
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

RecurrentState recurrent_step(const DecomposeCall& call, RecurrentKind kind, Value from_input,
                              Value from_state, const RecurrentState& state) {
  if (kind == Kind::gru) return {gru_step(call, from_input, from_state, state.hidden), {}};
  const Value gates = add(call, from_input, from_state);
  if (kind == Kind::lstm) return lstm_step(call, gates, state.cell);
  return {call.aten(kind == Kind::tanh ? "tanh" : "relu", {gates}), {}};
}

ir::Argument or_none(Value value) { return value ? ir::Argument(value) : ir::Argument(); }

}  // namespace litz::ops
