// Emits the few operators that contractions consist of.

#pragma once

#include <algorithm>
#include <vector>

#include "ir/graph.h"

namespace litz::ops {

/// Emits operators, both for decompositions and for the temporary graph of a meta.
class Emitter {
 public:
  explicit Emitter(ir::Graph& graph) : graph_(graph) {}

  ir::Value operator()(const char* name, std::vector<ir::Argument> arguments) const {
    return graph_.create(name, std::move(arguments))->output();
  }

  ir::Value permute(ir::Value value, const std::vector<int64_t>& order) const {
    if (std::ranges::is_sorted(order)) return value;
    return (*this)("aten.permute", {value, ir::Scalars(order.begin(), order.end())});
  }

  ir::Value reshape(ir::Value value, Sizes sizes) const {
    return (*this)("aten.reshape", {value, std::move(sizes)});
  }

  ir::Value sum(ir::Value value, const std::vector<int64_t>& dims, bool keepdim) const {
    if (dims.empty()) return value;
    return (*this)("aten.sum.dim_IntList",
                   {value, ir::Scalars(dims.begin(), dims.end()), Expr::boolean(keepdim),
                    ir::Attribute(value.tensor().dtype)});
  }

 private:
  ir::Graph& graph_;
};

}  // namespace litz::ops
