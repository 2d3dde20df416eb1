// Rearrangements: results whose elements are the inputs' elements at other positions (cat, pad,
// flip, roll, repeat, ...), as nests that read through an index map.

#include <algorithm>
#include <array>
#include <numeric>

#include "ops/bodies.h"
#include "ops/families/operand_dtypes.h"
#include "ops/families/pad_map.h"
#include "ops/held_numbers.h"
#include "ops/image_checks.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "ops/view_geometry.h"
#include "support/check.h"

namespace litz::ops {
namespace {

// Indices into an empty dimension may have any defined value: they are computed even where a
// reader's predicate disables its loads.
Expr divisor(Expr size) { return known_less(0, size) ? size : max(size, 1); }

using namespace std::string_view_literals;
using loops::Exprs;
using loops::Scalar;

size_t at(int64_t dim) { return static_cast<size_t>(dim); }

std::vector<Expr> vector_of(Exprs exprs) { return {exprs.begin(), exprs.end()}; }

// PyTorch's cat skips empty rank-1 tensors, whatever the other shapes are.
bool is_skipped(const TensorType& type) {
  return type.rank() == 1 && known_equal(type.sizes[0], Expr(0));
}

struct CatPlan {
  std::vector<size_t> parts;  // Positions in `tensors` that contribute.
  int64_t dim = 0;
};

CatPlan plan_cat(const Call& call, const std::vector<TensorType>& types) {
  require(!types.empty(), "cat takes at least one tensor");
  CatPlan plan;
  for (size_t i = 0; i < types.size(); ++i) {
    require(types[i].rank() > 0, "cat: a tensor of rank 0 cannot be concatenated, position", i);
    if (!is_skipped(types[i])) plan.parts.push_back(i);
  }
  const size_t rank = plan.parts.empty() ? 1 : types[plan.parts.front()].rank();
  plan.dim = call.dim("dim", rank);
  return plan;
}

// The format of a cat: that of the inputs if all agree, else contiguous.
MemoryFormat cat_format(const std::vector<TensorType>& types) {
  const MemoryFormat first = suggest_memory_format(types.front());
  for (const TensorType& type : types) {
    if (suggest_memory_format(type) != first) return MemoryFormat::contiguous;
  }
  return first;
}

TensorType cat_meta(const Call& call) {
  const std::vector<TensorType> types = call.types("tensors");
  const CatPlan plan = plan_cat(call, types);
  const DType dtype = promoted_dtype(call, {"tensors"});
  if (plan.parts.empty()) return contiguous_type(dtype, {Expr(0)}, types.front().device);
  Sizes sizes = types[plan.parts.front()].sizes;
  Expr total = 0;
  for (const size_t i : plan.parts) {
    const Sizes& part = types[i].sizes;
    require(part.size() == sizes.size(), "cat: tensors must have one rank:", part.size(),
            sizes.size());
    for (size_t d = 0; d < sizes.size(); ++d) {
      require(static_cast<int64_t>(d) == plan.dim || !known_not_equal(part[d], sizes[d]),
              "cat: sizes must match except in dimension", plan.dim, "but are", part[d], "and",
              sizes[d], "in dimension", d);
    }
    total = total + part[at(plan.dim)];
  }
  sizes[at(plan.dim)] = total;
  TensorType result = contiguous_type(dtype, sizes, types.front().device);
  const MemoryFormat format = cat_format(types);
  if (format != MemoryFormat::contiguous) result.strides = strides_for(format, sizes);
  return result;
}

void cat(NestCall& call) {
  const std::vector<TensorType> types = call.types("tensors");
  const CatPlan plan = plan_cat(call, types);
  const DType dtype = call.result().dtype;
  Expr start = 0;
  for (const size_t i : plan.parts) {
    call.builder().loop(types[i].sizes, [&](Exprs index) {
      std::vector<Expr> target = vector_of(index);
      target[at(plan.dim)] = target[at(plan.dim)] + start;
      const Scalar value = call.builder().load(call.in("tensors", i), index);
      call.builder().store(call.out(), target, call.builder().cast(value, dtype));
    });
    start = start + types[i].sizes[at(plan.dim)];
  }
}

TensorType stack_meta(const Call& call) {
  const std::vector<TensorType> types = call.types("tensors");
  require(!types.empty(), "stack takes at least one tensor");
  for (const TensorType& type : types) {
    require(type.rank() == types.front().rank(), "stack: tensors must have equal sizes");
    for (size_t d = 0; d < type.rank(); ++d) {
      require(!known_not_equal(type.sizes[d], types.front().sizes[d]),
              "stack: tensors must have equal sizes, dimension", d, "is", type.sizes[d], "and",
              types.front().sizes[d]);
    }
  }
  Sizes sizes = types.front().sizes;
  const int64_t dim = call.dim("dim", sizes.size() + 1);
  sizes.insert(sizes.begin() + dim, Expr(static_cast<int64_t>(types.size())));
  return contiguous_type(promoted_dtype(call, {"tensors"}), sizes, types.front().device);
}

void stack(NestCall& call) {
  const std::vector<TensorType> types = call.types("tensors");
  const int64_t dim = call.dim("dim", types.front().rank() + 1);
  for (size_t i = 0; i < types.size(); ++i) {
    call.builder().loop(types[i].sizes, [&](Exprs index) {
      std::vector<Expr> target = vector_of(index);
      target.insert(target.begin() + dim, Expr(static_cast<int64_t>(i)));
      const Scalar value = call.builder().load(call.in("tensors", i), index);
      call.builder().store(call.out(), target, call.builder().cast(value, call.result().dtype));
    });
  }
}

// hstack, vstack, dstack, column_stack: cat of inputs extended to enough dimensions.
int64_t joined_dim(std::string_view name, const std::vector<TensorType>& types) {
  if (name == "aten.vstack") return 0;
  if (name == "aten.dstack") return 2;
  if (name == "aten.column_stack") return 1;
  return types.front().rank() <= 1 ? 0 : 1;
}

// The type of an input as an operand of the join.
TensorType join_operand(std::string_view name, const TensorType& type) {
  TensorType result = type;
  if (name == "aten.column_stack") {
    if (type.rank() == 0) return unsqueezed(unsqueezed(type, 0), 1);
    return type.rank() == 1 ? unsqueezed(type, 1) : type;
  }
  if (name == "aten.dstack") {
    if (type.rank() == 0) result = unsqueezed(result, 0);
    if (result.rank() == 1) result = unsqueezed(result, 0);
    return result.rank() == 2 ? unsqueezed(result, 2) : result;
  }
  const size_t least = name == "aten.vstack" ? 2 : 1;
  while (result.rank() < least) result = unsqueezed(result, 0);
  return result;
}

TensorType join_meta(const Call& call) {
  std::vector<TensorType> types = call.types("tensors");
  require(!types.empty(), "stacking takes at least one tensor");
  for (TensorType& type : types) type = join_operand(call.op().name(), type);
  const int64_t dim = joined_dim(call.op().name(), types);
  Sizes sizes = types.front().sizes;
  for (size_t i = 1; i < types.size(); ++i) {
    require(types[i].rank() == sizes.size(), "stacked tensors must have one rank");
    sizes[at(dim)] = sizes[at(dim)] + types[i].sizes[at(dim)];
  }
  return contiguous_type(promoted_with_dims(types), sizes, types.front().device);
}

std::vector<ir::Value> join(DecomposeCall& call) {
  std::vector<ir::Value> operands;
  std::vector<TensorType> types;
  for (const ir::Value value : call.values("tensors")) {
    types.push_back(join_operand(call.op().name(), value.tensor()));
    const bool same = types.back().sizes == value.tensor().sizes;
    operands.push_back(same ? value
                            : call.aten("view", {value, ir::Attribute(types.back().sizes)}));
  }
  return {call.aten("cat", {operands, Expr(joined_dim(call.op().name(), types))})};
}

TensorType flip_meta(const Call& call) {
  const TensorType& type = call.type("self");
  call.dims("dims", type.rank(), Call::WhenEmpty::none);
  return preserved_type(type.dtype, type, MemoryFormat::preserve);
}

void flip(NestCall& call) {
  const TensorType& type = call.type("self");
  const std::vector<int64_t> dims = call.dims("dims", type.rank(), Call::WhenEmpty::none);
  call.builder().loop(type.sizes, [&](Exprs index) {
    std::vector<Expr> source = vector_of(index);
    for (const int64_t dim : dims) source[at(dim)] = type.sizes[at(dim)] - 1 - source[at(dim)];
    call.builder().store(call.out(), index, call.builder().load(call.in("self"), source));
  });
}

TensorType fliplr_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const size_t least = call.op().name() == "aten.fliplr" ? 2 : 1;
  require(type.rank() >= least, "the tensor has too few dimensions to be flipped:", type.rank());
  return preserved_type(type.dtype, type, MemoryFormat::preserve);
}

std::vector<ir::Value> flip_fixed(DecomposeCall& call) {
  const int64_t dim = call.op().name() == "aten.fliplr" ? 1 : 0;
  return {call.aten("flip", {call["self"], ir::Attribute(Sizes{Expr(dim)})})};
}

size_t rolled_dim(const TensorType& type, int64_t dim) {
  const auto rank = static_cast<int64_t>(type.rank());
  require(dim >= -rank && dim < rank, "a dimension of roll must be one of the tensor's:", dim,
          type);
  return at(dim < 0 ? dim + rank : dim);
}

TensorType roll_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const std::vector<int64_t> dims = call.integers("dims");
  const size_t shifts = call.sizes("shifts").size();
  require(shifts == (dims.empty() ? 1 : dims.size()),
          "roll takes one shift per dimension, or one without dimensions:", shifts, dims.size());
  for (const int64_t dim : dims) rolled_dim(type, dim);
  TensorType result = contiguous_type(type.dtype, type.sizes, type.device);
  const MemoryFormat format = suggest_memory_format(type);
  if (!dims.empty() && format != MemoryFormat::contiguous) {
    result.strides = strides_for(format, type.sizes);
  }
  return result;
}

void roll(NestCall& call) {
  const TensorType& type = call.type("self");
  const Sizes shifts = call.sizes("shifts");
  const std::vector<int64_t> dims = call.integers("dims");
  if (dims.empty()) {
    // Without dims, elements roll in row-major order over the whole tensor.
    const Expr numel = max(type.numel(), Expr(1));
    call.builder().loop(type.sizes, [&](Exprs index) {
      Expr flat = 0;
      for (size_t d = 0; d < type.rank(); ++d) flat = flat * type.sizes[d] + index[d];
      Expr from = mod(flat - shifts[0], numel);
      std::vector<Expr> source(type.rank());
      for (size_t d = type.rank(); d-- > 0;) {
        source[d] = mod(from, divisor(type.sizes[d]));
        from = floor_div(from, divisor(type.sizes[d]));
      }
      call.builder().store(call.out(), index, call.builder().load(call.in("self"), source));
    });
    return;
  }
  call.builder().loop(type.sizes, [&](Exprs index) {
    std::vector<Expr> source = vector_of(index);
    for (size_t i = 0; i < dims.size(); ++i) {
      const size_t dim = rolled_dim(type, dims[i]);
      source[dim] = mod(source[dim] - shifts[i], divisor(type.sizes[dim]));
    }
    call.builder().store(call.out(), index, call.builder().load(call.in("self"), source));
  });
}

// Sizes of repeat and tile: the input's sizes, extended in front, times the repeats.
Sizes repeated_sizes(const TensorType& type, Sizes repeats) {
  Sizes sizes = type.sizes;
  while (sizes.size() < repeats.size()) sizes.insert(sizes.begin(), Expr(1));
  while (repeats.size() < sizes.size()) repeats.insert(repeats.begin(), Expr(1));
  for (size_t d = 0; d < sizes.size(); ++d) {
    require(!known_less(repeats[d], Expr(0)), "repeats must not be negative:", repeats[d]);
    sizes[d] = sizes[d] * repeats[d];
  }
  return sizes;
}

TensorType repeat_meta(const Call& call) {
  const TensorType& type = call.type("self");
  require(call.sizes("repeats").size() >= type.rank(),
          "repeat takes at least one entry per dimension:", call.sizes("repeats").size(),
          "given for rank", type.rank());
  return contiguous_type(type.dtype, repeated_sizes(type, call.sizes("repeats")), type.device);
}

TensorType tile_meta(const Call& call) {
  const TensorType& type = call.type("self");
  return contiguous_type(type.dtype, repeated_sizes(type, call.sizes("dims")), type.device);
}

void repeat(NestCall& call) {
  const TensorType& type = call.type("self");
  const size_t added = call.result().rank() - type.rank();
  call.builder().loop(call.result().sizes, [&](Exprs index) {
    std::vector<Expr> source(type.rank());
    for (size_t d = 0; d < type.rank(); ++d)
      source[d] = mod(index[d + added], divisor(type.sizes[d]));
    call.builder().store(call.out(), index, call.builder().load(call.in("self"), source));
  });
}

TensorType repeat_interleave_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const Expr repeats = call.expr("repeats");
  call.require_sizes(le(Expr(0), repeats), "repeats must not be negative:", repeats);
  const auto require_stated_size = [&](Expr size) {
    if (!call.has("output_size")) return;
    call.require_sizes(eq(call.expr("output_size"), size),
                       "output_size must be the number of repeats:", call.expr("output_size"),
                       size);
  };
  if (!call.has("dim")) {
    require_stated_size(type.numel() * repeats);
    return contiguous_type(type.dtype, {type.numel() * repeats}, type.device);
  }
  require(type.rank() > 0, "what is repeated along a dimension has it:", type);
  Sizes sizes = type.sizes;
  const int64_t dim = call.dim("dim", type.rank());
  sizes[at(dim)] = sizes[at(dim)] * repeats;
  require_stated_size(sizes[at(dim)]);
  return contiguous_type(type.dtype, sizes, type.device);
}

void repeat_interleave(NestCall& call) {
  const TensorType& type = call.type("self");
  const Expr repeats = call.expr("repeats");
  call.builder().loop(call.result().sizes, [&](Exprs index) {
    std::vector<Expr> source = vector_of(index);
    if (call.has("dim")) {
      const size_t dim = at(call.dim("dim", type.rank()));
      source[dim] = floor_div(source[dim], divisor(repeats));
    } else {
      Expr from = floor_div(index[0], divisor(repeats));
      source.assign(type.rank(), Expr(0));
      for (size_t d = type.rank(); d-- > 0;) {
        source[d] = mod(from, divisor(type.sizes[d]));
        from = floor_div(from, divisor(type.sizes[d]));
      }
    }
    call.builder().store(call.out(), index, call.builder().load(call.in("self"), source));
  });
}

template <bool kLower>
void triangle(NestCall& call) {
  const TensorType& type = call.type("self");
  require(type.rank() >= 2, "tril and triu need rank 2 or more, got", type.rank());
  Expr diagonal = call.expr("diagonal");
  constexpr int64_t kMost = int64_t{1} << 62;  // Beyond any matrix; differences still fit.
  if (const auto given = diagonal.maybe_constant()) diagonal = std::clamp(*given, -kMost, kMost);
  call.builder().loop(type.sizes, [&](Exprs index) {
    const Expr distance = index[index.size() - 1] - index[index.size() - 2];
    const Scalar gap = call.builder().index(distance - diagonal);
    const Scalar keeps = kLower ? gap <= 0.0 : gap >= 0.0;
    const Scalar value = call.builder().load(call.in("self"), index);
    const Scalar zero =
        call.builder().cast(call.builder().constant(DType::i64, int64_t{0}), type.dtype);
    call.builder().store(call.out(), index, select(keeps, value, zero));
  });
}

TensorType triangle_meta(const Call& call) {
  const TensorType& type = call.type("self");
  return contiguous_type(type.dtype, type.sizes, type.device);
}

Expr circular_map(Expr i, Expr size) { return mod(i, divisor(size)); }

// Elements cropped by negative padding are excluded from the cycle.
Expr circular_source(Expr index, Expr size, Expr before, Expr after) {
  const Expr cut = max(-before, Expr(0));
  const Expr left = size - cut - max(-after, Expr(0));
  return cut + circular_map(index - max(before, Expr(0)), left);
}

Sizes padded_sizes(const TensorType& type, std::span<const Expr> pad) {
  require(pad.size() % 2 == 0 && pad.size() / 2 <= type.rank(),
          "pad takes two entries per padded dimension, at most twice the rank:", pad.size());
  Sizes sizes = type.sizes;
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    Expr& size = sizes[type.rank() - 1 - i];
    size = size + pad[2 * i] + pad[2 * i + 1];
    require(!known_less(size, Expr(0)), "pad: a padded size is negative:", size);
  }
  return sizes;
}

// Negative entries crop first, then the others pad.
// Padding that takes away alone is a copy of what is left, which keeps the layout.
TensorType constant_padded(const TensorType& type, const Sizes& pad) {
  TensorType result = contiguous_type(type.dtype, padded_sizes(type, pad), type.device);
  if (std::ranges::all_of(pad, [](Expr size) { return known_less_equal(size, Expr(0)); })) {
    result.strides = type.strides;
    return preserved_type(type.dtype, result, std::nullopt);
  }
  const MemoryFormat format = suggest_memory_format(type);
  if (format != MemoryFormat::contiguous) result.strides = strides_for(format, result.sizes);
  return result;
}

TensorType constant_pad_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const Sizes pad = call.sizes("pad");
  for (size_t i = 0; i + 1 < pad.size() && i / 2 < type.rank(); i += 2) {
    const Expr kept =
        type.sizes[type.rank() - 1 - i / 2] + min(pad[i], Expr(0)) + min(pad[i + 1], Expr(0));
    call.require_sizes(le(0, kept), "pad: a size is smaller than what pads take away:", type,
                       pad[i], pad[i + 1]);
  }
  TensorType result = constant_padded(type, pad);
  require_all_filled(call, "value", result);
  return result;
}

void constant_pad(NestCall& call) {
  const TensorType& type = call.type("self");
  const Sizes pad = call.sizes("pad");
  loops::KernelBuilder& b = call.builder();
  b.loop(call.result().sizes, [&](Exprs index) {
    std::vector<Expr> source = vector_of(index);
    Expr inside = Expr::boolean(true);
    for (size_t i = 0; i < pad.size() / 2; ++i) {
      const size_t dim = type.rank() - 1 - i;
      source[dim] = index[dim] - pad[2 * i];
      inside = logical_and(inside,
                           logical_and(le(Expr(0), source[dim]), lt(source[dim], type.sizes[dim])));
    }
    const Scalar fill = call.is_complex("value")
                            ? b.cast(b.constant(DType::c128, call.complex("value")), type.dtype)
                            : b.cast(b.constant(DType::f64, call.real("value")), type.dtype);
    const loops::IndexVector where_from(source.begin(), source.end());
    b.store(call.out(), index,
            b.load_if(b.index(inside, DType::bool_), call.in("self"), where_from, fill));
  });
}

PadMap pad_map(std::string_view name) {
  if (name.find("reflection") != std::string_view::npos) return reflect_map;
  if (name.find("circular") != std::string_view::npos) return circular_map;
  return replicate_map;
}

// Requires source elements within one period; only circular padding allows an empty result.
void require_paddable(const Call& call, const Sizes& pad, PadMap map) {
  const TensorType& type = call.type("self");
  const Sizes padded = padded_sizes(type, pad);
  for (size_t i = 0; i < pad.size() / 2 && map != circular_map; ++i) {
    const Expr size = padded[type.rank() - 1 - i];
    call.require_sizes(le(1, size), "pad: a padded size must be at least 1:", size);
  }
  for (size_t i = 0; i < std::min(pad.size(), 2 * type.rank()); ++i) {
    const Expr size = type.sizes[type.rank() - 1 - i / 2];
    if (map == reflect_map) {
      call.require_sizes(lt(pad[i], size), "reflection padding must be less than the size:", pad[i],
                         "of", size);
    } else if (map == circular_map) {
      call.require_sizes(le(pad[i], size),
                         "circular padding must not be more than the size:", pad[i], "of", size);
      // PyTorch counts a cut that goes beyond the front from the end again.
      if (i % 2 == 0) continue;
      call.require_sizes(logical_or(le(-size, pad[i]), le(2 * size + pad[i], Expr(1))),
                         "circular padding must not cut more than the size:", pad[i], "of", size);
    }
  }
}

TensorType mapped_pad_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const bool is_circular = call.op().name() == "aten._pad_circular";
  const Sizes pad = call.sizes(is_circular ? "pad" : "padding");
  if (!is_circular) require_image(call, type, pad.size() / 2);
  const size_t others = type.rank() - std::min(type.rank(), pad.size() / 2);
  require(!is_circular || others == 1 || others == 2,
          "circular padding leaves one or two dimensions alone:", pad.size(), type);
  require_paddable(call, pad, pad_map(call.op().name()));
  TensorType padded = contiguous_type(type.dtype, padded_sizes(type, pad), type.device);
  const bool is_image = !is_circular && pad.size() == 4;
  if (is_image) padded.strides = strides_for(suggest_memory_format(type), padded.sizes);
  return padded;
}

void mapped_pad(NestCall& call) {
  const TensorType& type = call.type("self");
  const Sizes pad = call.sizes(call.op().name() == "aten._pad_circular" ? "pad" : "padding");
  const PadMap map = pad_map(call.op().name());
  call.builder().loop(call.result().sizes, [&](Exprs index) {
    std::vector<Expr> source = vector_of(index);
    for (size_t i = 0; i < pad.size() / 2; ++i) {
      const size_t dim = type.rank() - 1 - i;
      source[dim] = map == circular_map
                        ? circular_source(index[dim], type.sizes[dim], pad[2 * i], pad[2 * i + 1])
                        : map(index[dim] - pad[2 * i], type.sizes[dim]);
    }
    loops::IndexVector places(source.begin(), source.end());
    for (size_t i = 0; i < pad.size() / 2; ++i) {
      const size_t dim = type.rank() - 1 - i;
      if (known_less(0, type.sizes[dim])) continue;
      // A dimension that is empty at run time has nothing to repeat.
      places[dim] = call.builder()
                        .bound_index(call.builder().index(source[dim]), type.sizes[dim], false,
                                     "index of " + std::string(call.op().name()))
                        .id();
    }
    call.builder().store(call.out(), index, call.builder().load(call.in("self"), places));
  });
}

TensorType pad_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const std::string_view mode = call.str("mode");
  require(mode == "constant" || mode == "reflect" || mode == "replicate" || mode == "circular",
          "pad: unknown mode:", mode);
  if (mode != "constant") {
    require(!call.has("value") || call.real("value") == 0,
            "only constant padding takes a value:", mode);
    require_paddable(call, call.sizes("pad"),
                     mode == "reflect"    ? reflect_map
                     : mode == "circular" ? circular_map
                                          : replicate_map);
  }
  if (mode == "constant") return constant_padded(type, call.sizes("pad"));
  TensorType result =
      contiguous_type(type.dtype, padded_sizes(type, call.sizes("pad")), type.device);
  const MemoryFormat format = suggest_memory_format(type);
  const bool is_image = mode != "circular" && call.sizes("pad").size() == 4;
  if (is_image && format != MemoryFormat::contiguous) {
    result.strides = strides_for(format, result.sizes);
  }
  return result;
}

std::vector<ir::Value> pad(DecomposeCall& call) {
  const std::string_view mode = call.str("mode");
  if (mode == "constant") {
    const Expr value = call.has("value") ? call.scalar("value") : Expr(0);
    return {call.aten("constant_pad_nd", {call["self"], call.pass("pad"), value})};
  }
  if (mode == "circular") return {call.aten("_pad_circular", {call["self"], call.pass("pad")})};
  const std::string name = (mode == "reflect" ? "reflection_pad" : "replication_pad") +
                           std::to_string(call.sizes("pad").size() / 2) + "d";
  return {call.aten(name, {call["self"], call.pass("pad")})};
}

Sizes rotated_sizes(const TensorType& type, int64_t turns, int64_t dim0, int64_t dim1) {
  Sizes sizes = type.sizes;
  if (turns % 2 != 0) std::swap(sizes[at(dim0)], sizes[at(dim1)]);
  return sizes;
}

int64_t quarter_turns(const Call& call) { return ((call.integer("k") % 4) + 4) % 4; }

std::vector<ir::Value> rot90(DecomposeCall& call) {
  const std::vector<int64_t> dims =
      call.dims("dims", call.type("self").rank(), Call::WhenEmpty::none);
  const auto flipped = [&](ir::Value value, std::initializer_list<int64_t> which) {
    return call.aten("flip", {value, ir::Attribute(Sizes(which.begin(), which.end()))});
  };
  const auto turned = [&](ir::Value value) {
    return call.aten("transpose.int", {value, Expr(dims[0]), Expr(dims[1])});
  };
  switch (quarter_turns(call)) {
    case 1:
      return {turned(flipped(call["self"], {dims[1]}))};
    case 2:
      return {flipped(call["self"], {dims[0], dims[1]})};
    case 3:
      return {turned(flipped(call["self"], {dims[0]}))};
    default:
      return {call.aten("clone", {call["self"], ir::Attribute(MemoryFormat::contiguous)})};
  }
}

TensorType rot90_meta(const Call& call) {
  const TensorType& type = call.type("self");
  const std::vector<int64_t> dims = call.dims("dims", type.rank(), Call::WhenEmpty::none);
  require(dims.size() == 2, "rot90 takes two dimensions, got", dims.size());
  const int64_t turns = quarter_turns(call);
  TensorType turned = preserved_type(type.dtype, type, MemoryFormat::preserve);
  if (turns == 0) return contiguous_type(type.dtype, type.sizes, type.device);
  if (turns % 2 != 0) turned = transposed(turned, dims[0], dims[1]);
  check(turned.sizes == rotated_sizes(type, turns, dims[0], dims[1]), "rotated sizes agree");
  return turned;
}

constexpr std::array kCatSample{"([f32[2, 3], f32[1, 3]])"sv, "([f32[2, 3], i64[2, 1]], 1)"sv};
constexpr std::array kStackSample{"([f32[2, 3], f32[2, 3]], 1)"sv};
constexpr std::array kJoinSample{"([f32[3], f32[3]])"sv, "([f32[2, 2], f32[2, 2]])"sv};
constexpr std::array kFlipSample{"(f32[2, 3], [0, -1])"sv};
constexpr std::array kFlipFixedSample{"(f32[2, 3])"sv};
constexpr std::array kRollSample{"(f32[2, 3], [1], [1])"sv, "(f32[2, 3], [2])"sv};
constexpr std::array kRepeatSample{"(f32[2, 3], [2, 1, 2])"sv};
constexpr std::array kTileSample{"(f32[2, 3], [2])"sv};
constexpr std::array kInterleaveSample{"(f32[2, 3], 2, 1)"sv, "(f32[2, 3], 2)"sv};
constexpr std::array kTriangleSample{"(f32[3, 4])"sv, "(i64[2, 3, 3], -1)"sv};
constexpr std::array kConstantPadSample{"(f32[2, 3], [1, 2, 0, 1], 0.5)"sv, "(f32[4], [-1, -1])"sv};
constexpr std::array kPadSample{"(f32[1, 2, 5], [2, 1], mode=\"reflect\")"sv,
                                "(f32[2, 3], [1, 1])"sv};
constexpr std::array kPad1dSample{"(f32[1, 2, 5], [2, 1])"sv};
constexpr std::array kPad2dSample{"(f32[1, 2, 5, 4], [2, 1, 0, 3])"sv};
constexpr std::array kPad3dSample{"(f32[1, 2, 3, 5, 4], [2, 1, 0, 3, 1, 1])"sv};
constexpr std::array kRotSample{"(f32[2, 3])"sv, "(f32[2, 3], 2)"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._pad_circular(Tensor self, SymInt[] pad) -> Tensor",
          .doc = "Pads with the values from the other end.",
          .meta = mapped_pad_meta,
          .impl = LoopNest{mapped_pad},
          .samples = {.calls = kPad1dSample}},
    OpDef{.schema = "aten.cat(Tensor[] tensors, int dim=0) -> Tensor",
          .doc = "The tensors behind one another along a dimension; dtypes are promoted.",
          .meta = cat_meta,
          .impl = LoopNest{cat},
          .samples = {.calls = kCatSample}},
    OpDef{.schema = "aten.column_stack(Tensor[] tensors) -> Tensor",
          .doc = "Vectors as columns, matrices side by side.",
          .meta = join_meta,
          .impl = Decompose{join},
          .samples = {.calls = kJoinSample}},
    OpDef{.schema = "aten.constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor",
          .doc = "Pads with a constant, last dimension first; negative entries crop.",
          .meta = constant_pad_meta,
          .impl = LoopNest{constant_pad},
          .samples = {.calls = kConstantPadSample}},
    OpDef{.schema = "aten.dstack(Tensor[] tensors) -> Tensor",
          .doc = "Stacks along the third dimension.",
          .meta = join_meta,
          .impl = Decompose{join},
          .samples = {.calls = kJoinSample}},
    OpDef{.schema = "aten.flip(Tensor self, int[] dims) -> Tensor",
          .doc = "Reverses the given dimensions.",
          .meta = flip_meta,
          .impl = LoopNest{flip},
          .samples = {.calls = kFlipSample}},
    OpDef{.schema = "aten.fliplr(Tensor self) -> Tensor",
          .doc = "Reverses dimension 1.",
          .meta = fliplr_meta,
          .impl = Decompose{flip_fixed},
          .samples = {.calls = kFlipFixedSample}},
    OpDef{.schema = "aten.flipud(Tensor self) -> Tensor",
          .doc = "Reverses dimension 0.",
          .meta = fliplr_meta,
          .impl = Decompose{flip_fixed},
          .samples = {.calls = kFlipFixedSample}},
    OpDef{.schema = "aten.hstack(Tensor[] tensors) -> Tensor",
          .doc = "Behind one another along dimension 1 (0 for vectors).",
          .meta = join_meta,
          .impl = Decompose{join},
          .samples = {.calls = kJoinSample}},
    OpDef{.schema = "aten.pad(Tensor self, SymInt[] pad, str mode='constant', float? value=None) "
                    "-> Tensor",
          .doc = "Pads the last dimensions by a constant, reflection, edge values or wrapping.",
          .meta = pad_meta,
          .impl = Decompose{pad},
          .samples = {.calls = kPadSample}},
    OpDef{.schema = "aten.reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor",
          .doc = "Pads by reflection without repeating the edge.",
          .meta = mapped_pad_meta,
          .impl = LoopNest{mapped_pad},
          .samples = {.calls = kPad1dSample}},
    OpDef{.schema = "aten.reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor",
          .doc = "Pads by reflection without repeating the edge.",
          .meta = mapped_pad_meta,
          .impl = LoopNest{mapped_pad},
          .samples = {.calls = kPad2dSample}},
    OpDef{.schema = "aten.reflection_pad3d(Tensor self, SymInt[6] padding) -> Tensor",
          .doc = "Pads by reflection without repeating the edge.",
          .meta = mapped_pad_meta,
          .impl = LoopNest{mapped_pad},
          .samples = {.calls = kPad3dSample}},
    OpDef{.schema = "aten.repeat(Tensor self, SymInt[] repeats) -> Tensor",
          .doc = "The tensor repeated along each dimension.",
          .meta = repeat_meta,
          .impl = LoopNest{repeat},
          .samples = {.calls = kRepeatSample}},
    OpDef{.schema = "aten.repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, "
                    "*, SymInt? output_size=None) -> Tensor",
          .doc = "Every element repeated in place along a dimension (flattened without one).",
          .meta = repeat_interleave_meta,
          .impl = LoopNest{repeat_interleave},
          .samples = {.calls = kInterleaveSample}},
    OpDef{.schema = "aten.replication_pad1d(Tensor self, SymInt[2] padding) -> Tensor",
          .doc = "Pads with the edge values.",
          .meta = mapped_pad_meta,
          .impl = LoopNest{mapped_pad},
          .samples = {.calls = kPad1dSample}},
    OpDef{.schema = "aten.replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor",
          .doc = "Pads with the edge values.",
          .meta = mapped_pad_meta,
          .impl = LoopNest{mapped_pad},
          .samples = {.calls = kPad2dSample}},
    OpDef{.schema = "aten.replication_pad3d(Tensor self, SymInt[6] padding) -> Tensor",
          .doc = "Pads with the edge values.",
          .meta = mapped_pad_meta,
          .impl = LoopNest{mapped_pad},
          .samples = {.calls = kPad3dSample}},
    OpDef{.schema = "aten.roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor",
          .doc = "Shifts elements along dimensions, around the end; flattened without dims.",
          .meta = roll_meta,
          .impl = LoopNest{roll},
          .samples = {.calls = kRollSample}},
    OpDef{.schema = "aten.rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor",
          .doc = "Rotates by k quarter turns in the plane of two dimensions.",
          .meta = rot90_meta,
          .impl = Decompose{rot90},
          .samples = {.calls = kRotSample}},
    OpDef{.schema = "aten.stack(Tensor[] tensors, int dim=0) -> Tensor",
          .doc = "The tensors behind one another along a new dimension.",
          .meta = stack_meta,
          .impl = LoopNest{stack},
          .samples = {.calls = kStackSample}},
    OpDef{.schema = "aten.tile(Tensor self, SymInt[] dims) -> Tensor",
          .doc = "repeat, with repeats of 1 added in front when fewer are given.",
          .meta = tile_meta,
          .impl = LoopNest{repeat},
          .samples = {.calls = kTileSample}},
    OpDef{.schema = "aten.tril(Tensor self, SymInt diagonal=0) -> Tensor",
          .doc = "Zero above the diagonal.",
          .meta = triangle_meta,
          .impl = LoopNest{triangle<true>},
          .inplace = true,
          .samples = {.calls = kTriangleSample}},
    OpDef{.schema = "aten.triu(Tensor self, SymInt diagonal=0) -> Tensor",
          .doc = "Zero below the diagonal.",
          .meta = triangle_meta,
          .impl = LoopNest{triangle<false>},
          .inplace = true,
          .samples = {.calls = kTriangleSample}},
    OpDef{.schema = "aten.vstack(Tensor[] tensors) -> Tensor",
          .doc = "Behind one another along dimension 0, vectors as rows.",
          .meta = join_meta,
          .impl = Decompose{join},
          .samples = {.calls = kJoinSample}},
};

}  // namespace

std::span<const OpDef> rearrange_ops() { return kOps; }

}  // namespace litz::ops
