// The few operators that derivatives consist of.

#pragma once

#include <utility>
#include <vector>

#include "ops/bodies.h"

namespace litz::ops {

/// Emits elementwise operators and sums in place of a call. All operands of a step have the same
/// dtype.
class Steps {
 public:
  explicit Steps(const DecomposeCall& call) : call_(call) {}

  ir::Value add(ir::Value a, ir::Value b) const { return call_.aten("add.Tensor", {a, b}); }

  ir::Value sub(ir::Value a, ir::Value b) const { return call_.aten("sub.Tensor", {a, b}); }

  ir::Value mul(ir::Value a, ir::Value b) const { return call_.aten("mul.Tensor", {a, b}); }

  ir::Value div(ir::Value a, ir::Value b) const { return call_.aten("div.Tensor", {a, b}); }

  ir::Value mul(ir::Value a, Expr factor) const { return call_.aten("mul.Scalar", {a, factor}); }

  ir::Value div(ir::Value a, Expr divisor) const { return call_.aten("div.Scalar", {a, divisor}); }

  /// Returns `a` if there are no dimensions.
  ir::Value sum(ir::Value a, const std::vector<int64_t>& dims, bool keepdim) const {
    if (dims.empty()) return a;
    return call_.aten("sum.dim_IntList",
                      {a, ir::Scalars(dims.begin(), dims.end()), Expr::boolean(keepdim)});
  }

  ir::Value reshape(ir::Value a, Sizes sizes) const {
    return call_.aten("reshape", {a, std::move(sizes)});
  }

  ir::Value permute(ir::Value a, const std::vector<int64_t>& order) const {
    return call_.aten("permute", {a, ir::Scalars(order.begin(), order.end())});
  }

  ir::Value zeros(Sizes sizes, DType dtype) const {
    return call_.aten("zeros", {std::move(sizes), ir::Attribute(dtype)});
  }

 private:
  const DecomposeCall& call_;
};

/// Entry `i` of an output mask: true if the caller wants that result.
inline bool wants(const Call& call, size_t i) {
  const Sizes mask = call.sizes("output_mask");
  return i < mask.size() && known(mask[i]) == true;
}

/// The types that an output mask requests; other results are None.
inline Types masked_types(const Call& call, std::vector<TensorType> types) {
  Types masked;
  for (size_t i = 0; i < types.size(); ++i) {
    masked.push_back(wants(call, i) ? ir::ValueType(std::move(types[i]))
                                    : ir::ValueType(ir::NoneType{}));
  }
  return masked;
}

}  // namespace litz::ops
