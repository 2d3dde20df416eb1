#include "passes/layout_costs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "ops/op_table.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Value;

// Products of fewer rows or columns read the other operand where it lies and sum in the order of
// its layout (kernels/thin_product.h); with some room for how products are divided.
constexpr int64_t kRowsInAnyLayout = 16;
// A loop nest that reads or writes across memory what others in it go along.
constexpr double kAcross = 1;
// Neither rows nor columns are neighbours: one cache line an element.
constexpr double kScattered = 4;

bool counts(const TensorType& type, size_t dim) {
  return !type.sizes[dim].is(1) && !type.sizes[dim].is(0);
}

std::string_view library_function(const Node& node) {
  if (node.op().definition == nullptr) return {};
  const auto* library = std::get_if<ops::Library>(&ops::definition(node.op()).impl);
  return library != nullptr ? library->function : std::string_view();
}

bool is_loop_nest(const Node& node) {
  if (node.op().definition == nullptr || ops::definition(node.op()).updates_self) return false;
  const ops::Impl& impl = ops::definition(node.op()).impl;
  return std::holds_alternative<ops::Pointwise>(impl) ||
         std::holds_alternative<ops::Reduction>(impl) ||
         std::holds_alternative<ops::LoopNest>(impl);
}

bool is_many(Expr size) { return size.maybe_constant().value_or(0) > kRowsInAnyLayout; }

// Elements are neighbours along one of the last two dimensions: of a matrix, one can be packed line
// by line.
std::optional<size_t> matrix_dim(const TensorType& type) {
  const std::optional<size_t> dim = innermost_dim(type);
  return dim && *dim + 2 >= type.rank() ? dim : std::nullopt;
}

// How many products a left operand makes of one with a matrix (kernels/matrix_products.cpp): one
// for each entry of the batch dimensions in front of the first that rows do not run on over.
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

// Of operands whose lines are packed, or read where they lie when the product is thin.
double matrix_reading(const TensorType& old, const TensorType& now, bool is_thin) {
  const std::optional<size_t> before = matrix_dim(old);
  const std::optional<size_t> after = matrix_dim(now);
  if (before == after) return 0;
  if (is_thin) return kNever;
  return after ? 0 : kScattered;
}

double attention_reading(const Node& node, size_t operand, const TensorType& old,
                         const TensorType& now) {
  if (operand > 2) return innermost_dim(old) == innermost_dim(now) ? 0 : kAcross;
  const TensorType& query = node.input(0).tensor();
  const TensorType& key = node.input(1).tensor();
  const TensorType& value = node.input(2).tensor();
  const bool is_thin = !is_many(query.sizes[query.rank() - 2]) ||
                       !is_many(key.sizes[key.rank() - 2]) || !is_many(query.sizes.back()) ||
                       !is_many(value.sizes.back());
  return matrix_reading(old, now, is_thin);
}

// A convolution without windows multiplies the image where it lies; others unfold it, along rows
// where these are dense and element by element elsewhere.
double convolution_reading(const Node& node, size_t operand, const TensorType& old,
                           const TensorType& now) {
  if (operand != 0 || old.rank() < 3) return kNever;
  if (innermost_dim(old) == innermost_dim(now) && is_contiguous(now) == is_contiguous(old))
    return 0;
  const TensorType& weight = node.argument("weight").value().tensor();
  double window = 1;
  for (size_t i = 2; i < weight.rank(); ++i) {
    window *= static_cast<double>(weight.sizes[i].maybe_constant().value_or(8));
  }
  if (window > 1) return is_contiguous(now) ? 0 : kNever;
  const Sizes& result = node.output().tensor().sizes;
  Expr positions = 1;
  for (size_t i = 2; i < result.size(); ++i) positions = positions * result[i];
  const auto groups = node.scalar("groups").maybe_constant();
  const auto outputs = result[1].maybe_constant();
  const bool is_thin =
      !is_many(positions) || !groups || !outputs || *outputs / *groups <= kRowsInAnyLayout;
  return is_contiguous(now) && !is_thin ? 0 : kNever;
}

}  // namespace

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

double LayoutCosts::product_reading(const ir::UseSite& use, const TensorType& old,
                                    const TensorType& now) const {
  const Node& node = *use.user;
  const bool is_scaled = library_function(node) == "scaled_matmul";
  if (is_scaled && use.argument == 0) {  // The addend.
    return innermost_dim(old) == innermost_dim(now) ? 0 : kAcross;
  }
  const size_t left_at = is_scaled ? 1 : 0;
  const Value left = node.arguments()[left_at].value();
  const Value right = node.arguments()[left_at + 1].value();
  if (use.argument > left_at + 1) return kNever;  // The bias is read once a column.
  const TensorType& result = node.output().tensor();
  const bool has_rows = left.tensor().rank() > 1 && right.tensor().rank() > 1;
  const bool is_thin =
      !has_rows || !is_many(result.sizes.back()) || !is_many(result.sizes[result.rank() - 2]);
  const double packing = matrix_reading(old, now, is_thin);
  if (use.argument != left_at || right.tensor().rank() > 2 || packing == kNever) return packing;
  const auto before = product_count(old);
  const auto after = product_count(now);
  if (before && after && *before == *after) return packing;
  if (before == after && is_thin) return packing;
  // More products of fewer rows each; each packs the right operand, unless that is kept.
  if (is_thin || !before || !after) return kNever;
  if (*after < *before || constants_.contains(right)) return packing;
  return packing + static_cast<double>(*after - *before) * ratio(right.tensor(), left.tensor());
}

double LayoutCosts::reading(const ir::UseSite& use, const TensorType& old,
                            const TensorType& now) const {
  const Node& node = *use.user;
  const std::string_view function = library_function(node);
  if (function == "matmul" || function == "linear" || function == "scaled_matmul") {
    return product_reading(use, old, now);
  }
  if (function == "attention") return attention_reading(node, use.argument, old, now);
  if (function == "convolution") return convolution_reading(node, use.argument, old, now);
  if (!is_loop_nest(node)) return is_contiguous(now) ? 0 : kNever;
  return loop_moves(old, now);
}

double LayoutCosts::loop_moves(const TensorType& old, const TensorType& now) const {
  if (innermost_dim(old) == innermost_dim(now)) return 0;
  return sums_ == Sums::keep ? kNever : kAcross;
}

double LayoutCosts::writing(Value result, const TensorType& old, const TensorType& now) const {
  const Node& node = *result.producer();
  const bool same = innermost_dim(old) == innermost_dim(now);
  const std::string_view function = library_function(node);
  if (function == "attention") return same ? 0 : kNever;
  if (function == "matmul" || function == "linear" || function == "scaled_matmul") {
    if (product_count(old) != product_count(now)) return kNever;
    return same ? 0 : kAcross;
  }
  if (function == "convolution") return is_contiguous(now) ? 0 : kNever;
  const bool draws = ir::has(node.op().traits, ir::Trait::random);
  if (!is_loop_nest(node) || draws || !reads_elements_only(node)) return kNever;
  return loop_moves(old, now);
}

}  // namespace litz::passes
