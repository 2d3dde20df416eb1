// Questions that several passes ask about values: may one stand for another, what is known of their
// elements, are they the same in every call.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "passes/graph_passes.h"

namespace litz::passes {

/// True when both address the same elements of a storage: equal sizes and offset, and equal strides
/// where a stride says something.
bool same_layout(const TensorType& a, const TensorType& b);

/// True when no reader of the value looks at its strides or its place in a storage: views, child
/// graphs and the caller do.
bool only_elements_matter(ir::Value value);

/// True when readers of `from` may read `to`, which must hold equal elements: dtype, device and
/// sizes agree, and so do layouts where a reader looks at them.
bool can_stand_for(const TensorType& to, ir::Value from);
bool can_stand_for(ir::Value to, ir::Value from);

/// The number that every element of a tensor is known to have, where all dtypes represent it
/// exactly: fills of 0, 1, infinities and small integers, also seen through views.
std::optional<double> uniform_number(ir::Value value);
/// The same of an argument that may also be a literal.
std::optional<double> uniform_number(const ir::Argument& argument);

/// False for operators that go by the strides of an operand or of their result rather than by
/// elements: as_strided, resize.
bool reads_elements_only(const ir::Node& node);

/// True for views that keep the order of elements and change sizes: view, squeeze, unsqueeze, ...
bool is_reshape(const ir::Node& node);
/// True for operators that fill a tensor with one number.
bool is_fill(const ir::Node& node);
/// True for copies that keep every element: clones, casts to the same dtype, memory formats.
bool is_plain_copy(const ir::Node& node);

/// The dimensions of a permutation by any name (permute, transpose, t, ...), non-negative.
std::optional<std::vector<int64_t>> permutation_of(const ir::Node& node);

/// A part of a tensor: `length` entries from `start` on along `dim`, everything elsewhere.
struct Piece {
  ir::Value base;
  size_t dim = 0;
  int64_t start = 0;
  int64_t length = 0;
};

/// The part of its operand that a value shows, when its producer is a view that takes one along one
/// dimension of constant sizes without steps, or shows all of it.
std::optional<Piece> piece_of(ir::Value value);

/// Creates a node whose result type is stated rather than inferred.
ir::Value create_typed(ir::Graph& graph, std::string_view op, std::vector<ir::Argument> arguments,
                       const ir::ValueType& type);

}  // namespace litz::passes
