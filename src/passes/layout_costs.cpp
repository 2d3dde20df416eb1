#include "passes/layout_costs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "expr/estimate.h"
#include "ops/op_table.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Value;

bool counts(const TensorType& type, size_t dim) {
  return !type.sizes[dim].is(1) && !type.sizes[dim].is(0);
}

using machine::FunctionFacts;
using machine::LayoutPrices;
using machine::OperandLayouts;

/// The facts of the library function that the node calls; without one, those that ask for nothing.
FunctionFacts facts_of(const Node& node, const machine::Machine& machine) {
  if (node.op().definition == nullptr) return {};
  const auto* library = std::get_if<ops::Library>(&ops::definition(node.op()).impl);
  return library != nullptr ? machine.facts_of(library->function) : FunctionFacts{};
}

bool is_loop_nest(const Node& node) {
  if (node.op().definition == nullptr || ops::definition(node.op()).updates_self) return false;
  const ops::Impl& impl = ops::definition(node.op()).impl;
  return std::holds_alternative<ops::Pointwise>(impl) ||
         std::holds_alternative<ops::Reduction>(impl) ||
         std::holds_alternative<ops::LoopNest>(impl);
}

/// True if products with this many rows or columns are known not to be thin.
bool is_many(Expr size, const FunctionFacts& facts) {
  return bounds(size).lo > facts.most_thin_rows;
}

// The dimension along which elements are adjacent, if it is one of the last two: such a matrix can
// be packed line by line.
std::optional<size_t> matrix_dim(const TensorType& type) {
  const std::optional<size_t> dim = innermost_dim(type);
  return dim && *dim + 2 >= type.rank() ? dim : std::nullopt;
}

// The number of products that a left operand forms with one matrix (kernels/matrix_products.cpp):
// one for each entry of the outermost batch dimensions that cannot be merged into the rows.
std::optional<int64_t> product_count(const TensorType& left) {
  if (left.rank() < 3) return 1;
  size_t batch = left.rank() - 2;
  Expr rows = left.sizes[batch];
  while (batch > 0) {
    const size_t dim = batch - 1;
    if (counts(left, dim) &&
        !known_equal(left.strides[dim], left.strides[left.rank() - 2] * rows)) {
      break;
    }
    rows = rows * left.sizes[dim];
    --batch;
  }
  int64_t count = 1;
  for (size_t dim = 0; dim < batch; ++dim) {
    const std::optional<int64_t> size = left.sizes[dim].maybe_constant();
    if (!size) return std::nullopt;
    count *= *size;
  }
  return count;
}

double ratio(const TensorType& a, const TensorType& b) {
  const auto x = a.numel().maybe_constant();
  const auto y = b.numel().maybe_constant();
  return x && y && *y > 0 ? static_cast<double>(*x) / static_cast<double>(*y) : kNever;
}

// The cost for operands whose lines are packed or, if the product is thin, read in place.
double matrix_reading(const TensorType& old, const TensorType& now, bool is_thin,
                      const LayoutPrices& prices) {
  const std::optional<size_t> before = matrix_dim(old);
  const std::optional<size_t> after = matrix_dim(now);
  if (before == after) return 0;
  if (is_thin) return kNever;
  return after ? 0 : prices.scattered;
}

double attention_reading(const Node& node, size_t operand, const FunctionFacts& facts,
                         const TensorType& old, const TensorType& now, const LayoutPrices& prices) {
  if (operand > 2) return innermost_dim(old) == innermost_dim(now) ? 0 : prices.across;
  const TensorType& query = node.input(0).tensor();
  const TensorType& key = node.input(1).tensor();
  const TensorType& value = node.input(2).tensor();
  const bool is_thin = !is_many(query.sizes[query.rank() - 2], facts) ||
                       !is_many(key.sizes[key.rank() - 2], facts) ||
                       !is_many(query.sizes.back(), facts) || !is_many(value.sizes.back(), facts);
  return matrix_reading(old, now, is_thin, prices);
}

// Rows of any kernel that loads them whole; it reads a mask element by element.
double rows_reading(size_t operand, const TensorType& now) {
  if (operand > 2) return 0;
  const std::optional<size_t> dim = innermost_dim(now);
  return dim && *dim + 1 == now.rank() ? 0 : kNever;
}

// A library that takes images and weights with channels innermost as well as whole planes.
double images_reading(const Node& node, size_t operand, const TensorType& now) {
  const bool is_image = operand == 0 && node.argument("weight").value().tensor().rank() == 4;
  return is_image && (is_contiguous(now) || has_channels_innermost(now)) ? 0 : kNever;
}

// A convolution without windows multiplies the image in place; others unfold it, along dense rows,
// or element by element if rows are not dense.
double convolution_reading(const Node& node, size_t operand, const FunctionFacts& facts,
                           const TensorType& old, const TensorType& now) {
  if (operand != 0 || old.rank() < 3) return kNever;
  if (innermost_dim(old) == innermost_dim(now) && is_contiguous(now) == is_contiguous(old))
    return 0;
  const TensorType& weight = node.argument("weight").value().tensor();
  double window = 1;
  for (size_t i = 2; i < weight.rank(); ++i) window *= estimate(weight.sizes[i]);
  if (window > 1) return is_contiguous(now) ? 0 : kNever;
  const Sizes& result = node.output().tensor().sizes;
  Expr positions = 1;
  for (size_t i = 2; i < result.size(); ++i) positions = positions * result[i];
  const auto groups = node.scalar("groups").maybe_constant();
  const auto outputs = result[1].maybe_constant();
  const bool is_thin =
      !is_many(positions, facts) || !groups || !outputs || !is_many(*outputs / *groups, facts);
  return is_contiguous(now) && !is_thin ? 0 : kNever;
}

}  // namespace

bool has_channels_innermost(const TensorType& type) {
  return type.rank() >= 4 && suggest_memory_format(type) != MemoryFormat::contiguous &&
         is_non_overlapping_and_dense(type) && !is_contiguous(type);
}

std::optional<size_t> innermost_dim(const TensorType& type) {
  bool is_single = true;
  for (size_t dim = type.rank(); dim-- > 0;) {
    if (!counts(type, dim)) continue;
    is_single = false;
    if (type.strides[dim].is(1)) return dim;
  }
  if (!is_single) return std::nullopt;
  return type.rank() > 0 ? std::optional(type.rank() - 1) : std::nullopt;
}

double LayoutCosts::product_reading(const ir::UseSite& use, const FunctionFacts& facts,
                                    const TensorType& old, const TensorType& now) const {
  const Node& node = *use.user;
  const size_t left_at = facts.left_operand;
  if (use.argument < left_at) {  // The addend.
    return innermost_dim(old) == innermost_dim(now) ? 0 : machine_.layouts.across;
  }
  const Value left = node.arguments()[left_at].value();
  const Value right = node.arguments()[left_at + 1].value();
  if (use.argument > left_at + 1) return kNever;  // The bias is read once per column.
  const TensorType& result = node.output().tensor();
  const bool has_rows = left.tensor().rank() > 1 && right.tensor().rank() > 1;
  const bool is_thin = !has_rows || !is_many(result.sizes.back(), facts) ||
                       !is_many(result.sizes[result.rank() - 2], facts);
  const double packing = matrix_reading(old, now, is_thin, machine_.layouts);
  if (use.argument != left_at || right.tensor().rank() > 2 || packing == kNever) return packing;
  const auto before = product_count(old);
  const auto after = product_count(now);
  if (before && after && *before == *after) return packing;
  if (before == after && is_thin) return packing;
  // More products with fewer rows each; each packs the right operand, unless the packed one is
  // kept.
  if (is_thin || !before || !after) return kNever;
  if (*after < *before || constants_.contains(right)) return packing;
  return packing + static_cast<double>(*after - *before) * ratio(right.tensor(), left.tensor());
}

double LayoutCosts::reading(const ir::UseSite& use, const TensorType& old,
                            const TensorType& now) const {
  const Node& node = *use.user;
  const FunctionFacts facts = facts_of(node, machine_);
  switch (facts.layouts) {
    case OperandLayouts::product:
      return product_reading(use, facts, old, now);
    case OperandLayouts::attention:
      return attention_reading(node, use.argument, facts, old, now, machine_.layouts);
    case OperandLayouts::convolution:
      return convolution_reading(node, use.argument, facts, old, now);
    case OperandLayouts::rows:
      return rows_reading(use.argument, now);
    case OperandLayouts::images:
      return images_reading(node, use.argument, now);
    case OperandLayouts::contiguous:
      break;
  }
  if (!is_loop_nest(node)) return is_contiguous(now) ? 0 : kNever;
  return loop_moves(old, now);
}

double LayoutCosts::loop_moves(const TensorType& old, const TensorType& now) const {
  if (innermost_dim(old) == innermost_dim(now)) return 0;
  return sums_ == Sums::keep ? kNever : machine_.layouts.across;
}

double LayoutCosts::writing(Value result, const TensorType& old, const TensorType& now) const {
  const Node& node = *result.producer();
  const bool same = innermost_dim(old) == innermost_dim(now);
  switch (facts_of(node, machine_).layouts) {
    case OperandLayouts::attention:
    case OperandLayouts::rows:
      return same ? 0 : kNever;
    case OperandLayouts::images:
      return now.rank() == 4 && (is_contiguous(now) || has_channels_innermost(now)) ? 0 : kNever;
    case OperandLayouts::product:
      if (product_count(old) != product_count(now)) return kNever;
      return same ? 0 : machine_.layouts.across;
    case OperandLayouts::convolution:
      return is_contiguous(now) ? 0 : kNever;
    case OperandLayouts::contiguous:
      break;
  }
  const bool draws = ir::has(node.op().traits, ir::Trait::random);
  if (!is_loop_nest(node) || draws || !reads_elements_only(node)) return kNever;
  return loop_moves(old, now);
}

}  // namespace litz::passes
