// Recurrent cells: one step of lstm, gru and plain units.

#include <algorithm>
#include <array>

#include "ops/bodies.h"
#include "ops/composite.h"
#include "ops/families/families.h"
#include "ops/families/recurrent_step.h"
#include "ops/families/same_sizes.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using Kind = RecurrentKind;
using State = RecurrentState;

Types cell_meta(const Call& call) {
  const bool is_lstm = recurrent_kind(call) == Kind::lstm;
  const TensorType hidden = is_lstm ? call.types("hx").at(0) : call.type("hx");
  require(hidden.rank() == 2, "the state of a recurrent cell has a batch and features, got",
          hidden);
  for (const TensorType& state : is_lstm ? call.types("hx") : std::vector{hidden}) {
    require(may_be_same_sizes(state.sizes, hidden.sizes),
            "states of a recurrent cell have one shape:", state, hidden);
  }
  require(call.type("input").rank() == 2,
          "the input of a recurrent cell has a batch and features, got", call.type("input"));
  const bool has_gates = is_lstm || recurrent_kind(call) == Kind::gru;
  require(!has_gates || is_floating(hidden.dtype) || is_complex(hidden.dtype),
          "a cell with gates takes floating or complex states, got", hidden);
  const std::array<int64_t, 4> gates{4, 3, 1, 1};  // By kind.
  const Expr rows = hidden.sizes[1] * gates[static_cast<size_t>(recurrent_kind(call))];
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
  const Kind kind = recurrent_kind(call);
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
  const State next = recurrent_step(call, kind, from_input, from_state, state);
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
  Value gates = call.aten("add.Tensor", {call["input_gates"], call["hidden_gates"]});
  for (const char* bias : {"input_bias", "hidden_bias"}) {
    if (call.has(bias)) gates = call.aten("add.Tensor", {gates, call[bias]});
  }
  const State next = lstm_step(call, gates, call["cx"]);
  std::vector<Value> parts = split_gates(call, gates, 4);
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i] = call.aten(i == 2 ? "tanh" : "sigmoid", {parts[i]});
  }
  return {next.hidden, next.cell, call.aten("cat", {ir::Argument(parts), Expr(-1)})};
}

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
    OpDef{.schema = "aten.gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? "
                    "b_ih=None, Tensor? b_hh=None) -> Tensor",
          .doc = "One step of gated recurrent units.",
          .meta = cell_meta,
          .impl = Decompose{cell},
          .samples = {.lo = -1, .hi = 1, .calls = kGruCellSample}},
    OpDef{.schema = "aten.lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? "
                    "b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)",
          .doc = "One step of long short-term memory.",
          .meta = cell_meta,
          .impl = Decompose{cell},
          .samples = {.lo = -1, .hi = 1, .calls = kLstmCellSample}},
    OpDef{.schema = "aten.rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? "
                    "b_ih=None, Tensor? b_hh=None) -> Tensor",
          .doc = "One step of plain recurrent units with relu.",
          .meta = cell_meta,
          .impl = Decompose{cell},
          .samples = {.lo = -1, .hi = 1, .calls = kRnnCellSample}},
    OpDef{.schema = "aten.rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? "
                    "b_ih=None, Tensor? b_hh=None) -> Tensor",
          .doc = "One step of plain recurrent units with tanh.",
          .meta = cell_meta,
          .impl = Decompose{cell},
          .samples = {.lo = -1, .hi = 1, .calls = kRnnCellSample}},
};

}  // namespace

std::span<const OpDef> recurrent_cell_ops() { return kOps; }

}  // namespace litz::ops
