// One step of recurrent networks, which cells and sequences share.

#pragma once

#include <vector>

#include "ops/bodies.h"

namespace litz::ops {

enum class RecurrentKind : uint8_t { lstm, gru, tanh, relu };

/// By the name of the operator.
RecurrentKind recurrent_kind(const Call& call);

/// The hidden state, and the cell state of an lstm.
struct RecurrentState {
  ir::Value hidden;
  ir::Value cell;
};

/// The parts of the gates, which lie side by side in the last dimension.
std::vector<ir::Value> split_gates(const DecomposeCall& call, ir::Value gates, int64_t count);

/// The next state of an lstm from the sums of its gates.
RecurrentState lstm_step(const DecomposeCall& call, ir::Value gates, ir::Value cell);

/// The next state, from what input and state give to the gates.
RecurrentState recurrent_step(const DecomposeCall& call, RecurrentKind kind, ir::Value from_input,
                              ir::Value from_state, const RecurrentState& state);

/// None for a null value, as optional arguments of operators take it.
ir::Argument or_none(ir::Value value);

}  // namespace litz::ops
