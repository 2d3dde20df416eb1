// Facts about values for several passes: whether one may replace another, what is known about their
// elements, and whether they are the same in every call.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "passes/graph_passes.h"

namespace litz::passes {

/// True when both address the same elements of a storage: equal sizes and offset, and equal strides
/// in dimensions where they matter.
bool same_layout(const TensorType& a, const TensorType& b);

/// True when no reader of the value depends on its strides or its offset; views, child graphs and
/// the caller do.
bool only_elements_matter(ir::Value value);

/// True when readers of `from` may read `to`, which must have equal elements: dtype, device and
/// sizes agree, and so do layouts if a reader depends on them.
bool can_stand_for(const TensorType& to, ir::Value from);
bool can_stand_for(ir::Value to, ir::Value from);

/// The known value of all elements of a tensor, if every dtype represents it exactly: fills of 0,
/// 1, infinities and small integers, also through views.
std::optional<double> uniform_number(ir::Value value);
/// The same for an argument that may also be a literal.
std::optional<double> uniform_number(const ir::Argument& argument);

/// False for operators that depend on the strides of an operand or their result rather than on
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

/// A part of a tensor: `length` entries from `start` along `dim`, and all of the other dimensions.
struct Piece {
  ir::Value base;
  size_t dim = 0;
  int64_t start = 0;
  int64_t length = 0;
};

/// The part of its operand that a value shows, if its producer is a view that selects a contiguous
/// range along one dimension of constant size, or shows all of it.
std::optional<Piece> piece_of(ir::Value value);

/// Creates a node whose result type is given, not inferred.
ir::Value create_typed(ir::Graph& graph, std::string_view op, std::vector<ir::Argument> arguments,
                       const ir::ValueType& type);

/// Groups of inputs that share memory, such as tied weights, by position; each has two or more.
std::vector<std::vector<size_t>> shared_inputs(const ir::Program& program);

}  // namespace litz::passes
