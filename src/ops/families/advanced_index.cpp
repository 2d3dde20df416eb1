#include "ops/families/advanced_index.h"

#include <algorithm>
#include <string>

#include "ops/index_types.h"
#include "ops/meta.h"
#include "ops/written_name.h"
#include "support/check.h"

namespace litz::ops {
namespace {

bool is_mask(const TensorType& type) {
  return type.dtype == DType::bool_ || type.dtype == DType::u8;
}

void require_fitting_mask(const Call& call, const TensorType& self, const TensorType& mask,
                          size_t dim) {
  require(dim + mask.rank() <= self.rank(), "too many indices for a tensor of rank", self.rank());
  for (size_t k = 0; k < mask.rank(); ++k) {
    call.require_sizes(eq(mask.sizes[k], self.sizes[dim + k]),
                       "a mask must have the sizes of what it indexes:", mask.sizes[k], "against",
                       self.sizes[dim + k], "in dimension", dim + k);
  }
}

}  // namespace

Sizes AdvancedIndex::arranged(std::span<const Expr> of_self, std::span<const Expr> of_shape) const {
  Sizes result;
  for (size_t dim = 0; dim <= of_self.size(); ++dim) {
    if (result.size() == place && (dim == of_self.size() || is_indexed[dim] || place == 0)) {
      result.insert(result.end(), of_shape.begin(), of_shape.end());
      for (size_t rest = dim; rest < of_self.size(); ++rest) {
        if (!is_indexed[rest]) result.push_back(of_self[rest]);
      }
      break;
    }
    if (!is_indexed[dim]) result.push_back(of_self[dim]);
  }
  return result;
}

TensorType AdvancedIndex::result_type(const TensorType& self) const {
  TensorType type = self;
  type.sizes = arranged(self.sizes, shape);
  if (known_equal(self.numel(), Expr(0))) {
    return contiguous_type(self.dtype, type.sizes, self.device);
  }
  type.strides = arranged(self.strides, Sizes(shape.size(), Expr(0)));
  return elementwise_type(self.dtype, std::span(&type, 1));
}

loops::IndexVector AdvancedIndex::source(NestCall& call, std::string_view name,
                                         loops::Exprs index) const {
  loops::KernelBuilder& b = call.builder();
  const TensorType& self = call.type(name);
  loops::IndexVector source(self.rank());
  size_t next = 0;
  for (size_t dim = 0; dim < self.rank(); ++dim) {
    if (next == place) next += shape.size();
    if (!is_indexed[dim]) source[dim] = index[next++];
  }
  const loops::Exprs broadcast = index.subspan(place, shape.size());
  for (const Indexed& entry : indexed) {
    const TensorType& type = call.values("indices")[entry.position].tensor();
    const size_t added = shape.size() - type.rank();
    loops::IndexVector coordinates;
    for (size_t k = 0; k < type.rank(); ++k) {
      coordinates.emplace_back(known_equal(type.sizes[k], Expr(1)) ? Expr(0)
                                                                   : broadcast[added + k]);
    }
    const loops::Scalar place_there =
        b.cast(b.load(call.in("indices", entry.position), coordinates), DType::i64);
    source[entry.dim] = b.bound_index(place_there, self.sizes[entry.dim], true,
                                      "index of " + std::string(written_name(call.op().name())))
                            .id();
  }
  return source;
}

void require_plain_indices(const Call& call) {
  for (const ir::Value index : call.values("indices")) {
    if (index) require_index(call, "indices", index.tensor());
  }
}

AdvancedIndex advanced_index(const Call& call) {
  const TensorType& self = call.type("self");
  const std::span<const ir::Value> indices = call.values("indices");
  AdvancedIndex plan;
  plan.is_indexed.assign(self.rank(), false);
  std::vector<Sizes> shapes;
  std::vector<size_t> dims;
  std::optional<Expr> count;
  size_t dim = 0;
  for (size_t position = 0; position < indices.size(); ++position) {
    if (!indices[position]) {
      ++dim;
      continue;
    }
    const TensorType& type = indices[position].tensor();
    if (is_mask(type)) {
      require_fitting_mask(call, self, type, dim);
      // All masks of one call select the same number of elements.
      if (!count) count = call.data_dependent(0, {0, Interval::kMax});
      shapes.push_back({*count});
      for (size_t k = 0; k < type.rank(); ++k) dims.push_back(dim + k);
      dim += type.rank();
      continue;
    }
    require_index(call, "indices", type);
    require(dim < self.rank(), "too many indices for a tensor of rank", self.rank());
    plan.indexed.push_back({dim, position});
    shapes.push_back(type.sizes);
    dims.push_back(dim++);
  }
  require(dim <= self.rank(), "too many indices for a tensor of rank", self.rank());
  for (const size_t d : dims) plan.is_indexed[d] = true;
  if (!shapes.empty()) plan.shape = broadcast_sizes(shapes);
  for (const Sizes& shape : shapes) {
    const size_t added = plan.shape.size() - shape.size();
    for (size_t k = 0; k < shape.size(); ++k) {
      if (shape[k].is(1)) continue;
      call.require_sizes(eq(shape[k], plan.shape[added + k]),
                         "indices must broadcast together, sizes", shape[k], plan.shape[added + k]);
    }
  }
  for (const AdvancedIndex::Indexed& entry : plan.indexed) {
    const Expr size = self.sizes[entry.dim];
    call.require_sizes(logical_or(ne(size, 0), eq(product(plan.shape), 0)),
                       "an index is out of bounds for an empty dimension:", self, "dimension",
                       entry.dim);
  }
  const bool neighbours = !dims.empty() && dims.back() - dims.front() + 1 == dims.size();
  plan.place = neighbours ? dims.front() : 0;
  return plan;
}

std::vector<ir::Value> mask_positions(const DecomposeCall& call, ir::Value mask, Expr count) {
  ir::Graph& graph = call.graph();
  const auto rank = static_cast<int64_t>(mask.tensor().rank());
  TensorType type = contiguous_type(DType::i64, {count, Expr(rank)}, mask.tensor().device);
  type.strides = {Expr(1), count};
  const ir::Value positions =
      graph.create_typed(*graph.module().ops().find("aten.nonzero"), {mask}, {type})->output();
  std::vector<ir::Value> columns;
  for (int64_t k = 0; k < rank; ++k) {
    columns.push_back(call.aten("select.int", {positions, Expr(1), Expr(k)}));
  }
  return columns;
}

std::vector<ir::Value> integer_indices(const DecomposeCall& call,
                                       std::span<const Expr> result_sizes) {
  const std::span<const ir::Value> given = call.values("indices");
  std::optional<Expr> count;
  std::vector<ir::Value> indices;
  for (const ir::Value index : given) {
    if (!index || !is_mask(index.tensor())) {
      indices.push_back(index);
      continue;
    }
    if (!count) {
      // The broadcast sizes of the indices end with the mask's single dimension.
      const AdvancedIndex plan = advanced_index(call);
      count = result_sizes.empty() ? plan.shape.back()
                                   : result_sizes[plan.place + plan.shape.size() - 1];
    }
    for (const ir::Value column : mask_positions(call, index, *count)) indices.push_back(column);
  }
  return indices;
}

}  // namespace litz::ops
