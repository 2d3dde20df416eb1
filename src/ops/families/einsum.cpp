// einsum: sums of products over named dimensions, computed with matrix products.
//
// It gives every label a position: output labels first, in their order, then summed labels.
// Operands are permuted to these positions (missing ones get size 1) and multiplied pairwise. A
// pair is one batched product, in which every position is batch, left, right or summed, or an
// elementwise product if nothing is summed.
//
// Result strides follow from these steps, so the meta of einsum runs them on a temporary graph.

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "ops/bodies.h"
#include "ops/families/contraction_emitter.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Scalars;
using ir::Value;

size_t at(int64_t i) { return static_cast<size_t>(i); }

constexpr char kEllipsis = '.';

/// The labels of one operand, with an ellipsis as '.'.
std::string parse_labels(std::string_view text, std::string_view equation) {
  std::string labels;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == kEllipsis) {
      require(text.substr(i, 3) == "..." && labels.find(kEllipsis) == std::string::npos,
              "einsum: an ellipsis is three dots, once per operand:", equation);
      i += 2;
    } else {
      require((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'),
              "einsum: labels are letters:", equation);
    }
    labels += c;
  }
  return labels;
}

struct Equation {
  std::vector<std::string> operands;
  std::string output;
};

Equation parse_equation(std::string_view text) {
  Equation equation;
  const size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  while (true) {
    const size_t comma = left.find(',');
    equation.operands.push_back(parse_labels(left.substr(0, comma), text));
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  if (arrow != std::string_view::npos) {
    equation.output = parse_labels(text.substr(arrow + 2), text);
    return equation;
  }
  // Labels that occur once, in alphabetical order (capitals first), after the ellipsis.
  std::map<char, int> counts;
  for (const std::string& operand : equation.operands) {
    for (const char label : operand) ++counts[label];
  }
  if (counts.contains(kEllipsis)) equation.output += kEllipsis;
  for (const auto& [label, count] : counts) {
    if (label != kEllipsis && count == 1) equation.output += label;
  }
  return equation;
}

/// The positions of labels; an ellipsis has as many as its longest occurrence.
struct Positions {
  std::map<char, int64_t> of;
  int64_t ellipsis_size = 0;
  int64_t output_count = 0;
  int64_t count = 0;
};

int64_t hidden_dims(const std::string& labels, const Value& operand, std::string_view equation) {
  const bool has_ellipsis = labels.find(kEllipsis) != std::string::npos;
  const int64_t named = static_cast<int64_t>(labels.size()) - (has_ellipsis ? 1 : 0);
  const int64_t hidden = static_cast<int64_t>(operand.tensor().rank()) - named;
  require(has_ellipsis ? hidden >= 0 : hidden == 0,
          "einsum: an operand must have one dimension per label:", equation, labels,
          operand.tensor());
  return hidden;
}

Positions place(const Equation& equation, std::span<const Value> operands, std::string_view text) {
  Positions positions;
  for (size_t i = 0; i < operands.size(); ++i) {
    const int64_t hidden = hidden_dims(equation.operands[i], operands[i], text);
    positions.ellipsis_size = std::max(positions.ellipsis_size, hidden);
  }
  const auto add = [&](char label) {
    if (!positions.of.emplace(label, positions.count).second) return false;
    positions.count += label == kEllipsis ? positions.ellipsis_size : 1;
    return true;
  };
  for (const char label : equation.output) {
    bool known = label == kEllipsis;
    for (const std::string& labels : equation.operands) {
      known = known || labels.find(label) != std::string::npos;
    }
    require(known, "einsum: an output label must occur in an operand:", text);
    require(add(label), "einsum: an output label may occur once:", text);
  }
  positions.output_count = positions.count;
  std::map<char, bool> summed;
  for (const std::string& labels : equation.operands) {
    for (const char label : labels) summed[label] = true;
  }
  for (const auto& [label, used] : summed) add(label);
  return positions;
}

/// Replaces repeated labels of one operand by their diagonal.
Value take_diagonals(const Emitter& emit, Value operand, std::string& labels) {
  for (size_t i = 0; i < labels.size(); ++i) {
    size_t twin = labels.find(labels[i], i + 1);
    while (labels[i] != kEllipsis && twin != std::string::npos) {
      // Counts dimensions from the end without an ellipsis in between.
      const size_t dots = labels.find(kEllipsis);
      const auto dim = [&](size_t position) {
        return dots != std::string::npos && position > dots
                   ? static_cast<int64_t>(position) - static_cast<int64_t>(labels.size())
                   : static_cast<int64_t>(position);
      };
      const Sizes& sizes = operand.tensor().sizes;
      const auto size = [&](int64_t d) { return sizes[at(d < 0 ? d + std::ssize(sizes) : d)]; };
      require(!known_not_equal(size(dim(i)), size(dim(twin))),
              "einsum: dimensions of a repeated label must agree:", operand.tensor());
      operand = emit("aten.diagonal", {operand, 0, dim(i), dim(twin)});
      // The diagonal is the new last dimension; moves it to the position of the first of the two.
      const auto rank = static_cast<int64_t>(operand.tensor().rank());
      labels.erase(twin, 1);
      const int64_t wrapped = dim(i) < 0 ? dim(i) + rank : dim(i);
      std::vector<int64_t> order(at(rank - 1));
      std::iota(order.begin(), order.end(), 0);
      order.insert(order.begin() + wrapped, rank - 1);
      operand = emit.permute(operand, order);
      twin = labels.find(labels[i], i + 1);
    }
  }
  return operand;
}

/// The operand with one dimension per position.
Value align(const Emitter& emit, Value operand, std::string labels, const Positions& positions) {
  operand = take_diagonals(emit, operand, labels);
  const int64_t rank = static_cast<int64_t>(operand.tensor().rank());
  const int64_t named = static_cast<int64_t>(
      std::ranges::count_if(labels, [](char label) { return label != kEllipsis; }));
  std::vector<int64_t> source(at(positions.count), -1);
  int64_t dim = 0;
  for (const char label : labels) {
    int64_t position = positions.of.at(label);
    if (label != kEllipsis) {
      source[at(position)] = dim++;
      continue;
    }
    const int64_t hidden = rank - named;
    position += positions.ellipsis_size - hidden;  // Broadcasting aligns on the right.
    for (int64_t i = 0; i < hidden; ++i) source[at(position + i)] = dim++;
  }
  std::vector<int64_t> order;
  for (const int64_t from : source) {
    if (from >= 0) order.push_back(from);
  }
  operand = emit.permute(operand, order);
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] < 0) operand = emit("aten.unsqueeze", {operand, static_cast<int64_t>(i)});
  }
  return operand;
}

bool is_one(const Value& value, int64_t dim) { return value.tensor().sizes[at(dim)].is(1); }

/// A sum that keeps its dimension; integers are added in i64.
Value sum_kept(const Emitter& emit, Value value, int64_t dim) {
  return emit("aten.sum.dim_IntList", {value, Scalars{Expr(dim)}, Expr::boolean(true)});
}

/// Left times right, summed over `summed` (kept as size 1). All have equal ranks.
Value multiply_pair(const Emitter& emit, Value left, Value right,
                    const std::vector<int64_t>& summed) {
  const auto rank = static_cast<int64_t>(left.tensor().rank());
  std::vector<int64_t> batch, only_left, only_right, both;
  Expr batch_size = 1, left_size = 1, right_size = 1, depth = 1;
  Sizes batch_sizes, left_sizes, right_sizes;
  bool is_contracted = false;
  for (int64_t d = 0; d < rank; ++d) {
    const bool in_left = !is_one(left, d);
    const bool in_right = !is_one(right, d);
    require(!in_left || !in_right ||
                !known_not_equal(left.tensor().sizes[at(d)], right.tensor().sizes[at(d)]),
            "einsum: dimensions of one label must agree:", left.tensor(), right.tensor());
    if (std::ranges::count(summed, d) > 0) {
      if (in_left != in_right) (in_left ? left : right) = sum_kept(emit, in_left ? left : right, d);
      if (in_left && in_right) depth = depth * left.tensor().sizes[at(d)];
      both.push_back(d);
      is_contracted = is_contracted || (in_left && in_right);
    } else if (in_left && in_right) {
      batch.push_back(d);
      batch_sizes.push_back(left.tensor().sizes[at(d)]);
      batch_size = batch_size * batch_sizes.back();
    } else if (in_left) {
      only_left.push_back(d);
      left_sizes.push_back(left.tensor().sizes[at(d)]);
      left_size = left_size * left_sizes.back();
    } else {
      only_right.push_back(d);
      right_sizes.push_back(right.tensor().sizes[at(d)]);
      right_size = right_size * right_sizes.back();
    }
  }
  // Without a common sum this is an elementwise product.
  if (!is_contracted) return emit("aten.mul.Tensor", {left, right});
  const auto joined = [](std::initializer_list<const std::vector<int64_t>*> parts) {
    std::vector<int64_t> order;
    for (const auto* part : parts) order.insert(order.end(), part->begin(), part->end());
    return order;
  };
  const Value a = emit.reshape(emit.permute(left, joined({&batch, &only_left, &both, &only_right})),
                               {batch_size, left_size, depth});
  const Value b =
      emit.reshape(emit.permute(right, joined({&batch, &both, &only_right, &only_left})),
                   {batch_size, depth, right_size});
  const Value product = emit("aten.bmm", {a, b});
  Sizes sizes = batch_sizes;
  sizes.insert(sizes.end(), left_sizes.begin(), left_sizes.end());
  sizes.insert(sizes.end(), both.size(), Expr(1));
  sizes.insert(sizes.end(), right_sizes.begin(), right_sizes.end());
  const std::vector<int64_t> order = joined({&batch, &only_left, &both, &only_right});
  std::vector<int64_t> inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[at(order[i])] = static_cast<int64_t>(i);
  return emit.permute(emit("aten.view", {product, std::move(sizes)}), inverse);
}

/// Positions that no later operand has: they can be summed now.
std::vector<int64_t> summable(std::span<const Value> rest, const Value& left, const Value& right,
                              const Positions& positions) {
  std::vector<int64_t> dims;
  for (int64_t d = positions.output_count; d < positions.count; ++d) {
    if (is_one(left, d) && is_one(right, d)) continue;
    const bool needed =
        std::ranges::any_of(rest, [&](const Value& value) { return !is_one(value, d); });
    if (!needed) dims.push_back(d);
  }
  return dims;
}

Value einsum(const Emitter& emit, std::string_view text, std::span<const Value> operands) {
  const Equation equation = parse_equation(text);
  require(equation.operands.size() == operands.size(),
          "einsum: the equation must name every operand:", text, operands.size());
  const Positions positions = place(equation, operands, text);
  std::vector<Value> aligned;
  for (size_t i = 0; i < operands.size(); ++i) {
    aligned.push_back(align(emit, operands[i], equation.operands[i], positions));
  }
  Value result = aligned[0];
  for (size_t i = 1; i < aligned.size(); ++i) {
    const std::vector<int64_t> dims =
        summable(std::span(aligned).subspan(i + 1), result, aligned[i], positions);
    result = multiply_pair(emit, result, aligned[i], dims);
  }
  std::vector<int64_t> left_over(at(positions.count - positions.output_count));
  std::iota(left_over.begin(), left_over.end(), positions.output_count);
  if (left_over.empty()) return result;
  if (aligned.size() == 1) {
    return emit("aten.sum.dim_IntList", {result, Scalars(left_over.begin(), left_over.end())});
  }
  return emit("aten.squeeze.dims", {result, Scalars(left_over.begin(), left_over.end())});
}

std::vector<Value> einsum_op(DecomposeCall& call) {
  const std::span<const Value> operands = call.values("tensors");
  return {einsum(Emitter(call.graph()), call.str("equation"), operands)};
}

TensorType einsum_meta(const Call& call) {
  ir::Module& module = call.module();
  ir::Graph& scratch = module.add_graph("einsum_types");
  std::vector<Value> operands;
  for (const TensorType& type : call.types("tensors")) {
    operands.push_back(scratch.add_input("x", type));
  }
  require(!operands.empty(), "einsum needs an operand");
  const ir::GraphRef ref{scratch.id()};
  try {
    const TensorType result = einsum(Emitter(scratch), call.str("equation"), operands).tensor();
    module.erase_graph(ref);
    return result;
  } catch (...) {
    module.erase_graph(ref);
    throw;
  }
}

constexpr std::array kEinsumSample{
    "('ij,jk->ik', [f32[2, 3], f32[3, 4]])"sv, "('bij,bjk->bki', [f32[2, 3, 4], f32[2, 4, 5]])"sv,
    "('...ii->...i', [f32[2, 3, 3]])"sv, "('i,j,k->', [f32[2], f32[3], f32[4]])"sv,
    "('b...h,hd', [f32[2, 3, 4], f32[4, 5]])"sv};
constexpr std::array kOps{
    OpDef{.schema = "aten.einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor",
          .doc = "Sum of products over the labels that the output does not have; `path` is only "
                 "advice and is not followed.",
          .meta = einsum_meta,
          .impl = Decompose{einsum_op},
          .samples = {.calls = kEinsumSample}},
};

}  // namespace

std::span<const OpDef> einsum_ops() { return kOps; }

}  // namespace litz::ops
