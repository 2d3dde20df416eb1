// Sample calls of operators: the small calls that tests run on every executor.
//
// A definition writes them as IR arguments in schema order, with names after skipped arguments:
//
//   (f32[2, 3], f32[3], alpha=2)      tensors by type; {..} after the sizes gives strides
//   ([f32[2], f32[3]], dim=0)         lists
//   (f32[s0, 4], i64[4] in [0, 3))    symbolic sizes; a half-open range for the values
//   (f32[2], 1.5, None, 'tanh', f64)  literals by the kind of the slot
//
// A definition without samples gets one: f32[2, 3] for every tensor, 2 for every required number.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "ops/op_def.h"

namespace litz::ops {

/// A graph input added for a sample call, with the range of its values.
struct SampleInput {
  ir::Value value;
  double lo = 0;  ///< Inclusive.
  double hi = 1;  ///< Exclusive.
};

struct SampleCall {
  std::vector<ir::Argument> arguments;  ///< One per schema argument, with defaults.
  std::vector<SampleInput> inputs;
};

/// The sample calls of an operator as text; none for Structural operators without samples.
std::vector<std::string> sample_texts(const ir::OpInfo& op);

/// Adds the inputs of a sample call to a graph. Throws Error with the column of a mistake.
SampleCall parse_sample(const ir::OpInfo& op, std::string_view text, ir::Graph& graph);

}  // namespace litz::ops
