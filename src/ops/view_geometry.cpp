#include "ops/view_geometry.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace litz::ops {
namespace {

std::string text(std::span<const Expr> sizes) {
  std::string out = "[";
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0) out += ", ";
    out += to_string(sizes[i]);
  }
  return out + "]";
}

// True if not yet covering: fewer elements, or undecided (then more view dimensions are added).
bool below(Expr view_numel, Expr tensor_numel) {
  return view_numel != tensor_numel && !known_equal(view_numel, tensor_numel) &&
         !known_less_equal(tensor_numel, view_numel);
}

size_t at(int64_t dim) { return static_cast<size_t>(dim); }

// An index that counts from the end if it is negative, which may depend on sizes or data.
Expr wrapped_index(Expr index, Expr size) {
  if (known_less(index, Expr(0))) return index + size;
  if (known_less_equal(Expr(0), index)) return index;
  return where(lt(index, Expr(0)), index + size, index);
}

// A user's bound, counted from the end if negative, clamped to [0, size].
Expr clamped_bound(Expr bound, Expr size) {
  return min(max(wrapped_index(bound, size), Expr(0)), size);
}

}  // namespace

Sizes complete_sizes(std::span<const Expr> sizes, Expr numel) {
  Sizes result(sizes.begin(), sizes.end());
  Expr known_product = 1;
  std::optional<size_t> open;
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i].is(-1)) {
      require(!open, "only one dimension can be inferred, shape:", text(sizes));
      open = i;
      continue;
    }
    require(!known_less(result[i], Expr(0)), "invalid shape dimension:", result[i]);
    known_product = known_product * result[i];
  }
  if (open) {
    require(!known_equal(known_product, Expr(0)),
            "cannot infer a dimension next to a size of 0, shape:", text(sizes));
    require(!known_not_equal(mod(numel, known_product), Expr(0)), "shape", text(sizes),
            "is invalid for input of size", numel);
    result[*open] = known_divisible(numel, known_product) ? floor_div(numel, known_product)
                                                          : clean_div(numel, known_product);
  } else {
    require(!known_not_equal(known_product, numel), "shape", text(sizes),
            "is invalid for input of size", numel);
  }
  return result;
}

namespace {

std::optional<Sizes> walked_strides(const TensorType& type, std::span<const Expr> sizes) {
  const Sizes& old_sizes = type.sizes;
  const Sizes& old_strides = type.strides;
  if (old_sizes.empty()) return Sizes(sizes.size(), Expr(1));
  if (known_equal(type.numel(), Expr(0))) {
    if (std::ranges::equal(old_sizes, sizes)) return old_strides;
    return contiguous_strides(sizes);
  }

  // Walks both shapes from the innermost dimension: each contiguous run of old dimensions must be
  // covered exactly by new dimensions.
  Sizes strides(sizes.size());
  auto view_dim = static_cast<int64_t>(sizes.size()) - 1;
  Expr base_stride = old_strides.back();
  Expr tensor_numel = 1;
  Expr view_numel = 1;
  for (auto dim = static_cast<int64_t>(old_sizes.size()) - 1; dim >= 0; --dim) {
    tensor_numel = tensor_numel * old_sizes[at(dim)];
    const bool run_ends =
        dim == 0 || (!known_equal(old_sizes[at(dim - 1)], Expr(1)) &&
                     !known_equal(old_strides[at(dim - 1)], tensor_numel * base_stride));
    if (!run_ends) continue;
    while (view_dim >= 0 &&
           (below(view_numel, tensor_numel) || known_equal(sizes[at(view_dim)], Expr(1)))) {
      strides[at(view_dim)] = view_numel * base_stride;
      view_numel = view_numel * sizes[at(view_dim)];
      --view_dim;
    }
    if (!known_equal(view_numel, tensor_numel)) return std::nullopt;
    if (dim > 0) {
      base_stride = old_strides[at(dim - 1)];
      tensor_numel = 1;
      view_numel = 1;
    }
  }
  if (view_dim != -1) return std::nullopt;
  return strides;
}

}  // namespace

std::optional<Sizes> view_strides(const TensorType& type, std::span<const Expr> sizes) {
  if (std::optional<Sizes> strides = walked_strides(type, sizes)) return strides;
  // Strides of a size that may be 0 use the larger of it and 1, which the walk would take for a
  // gap.
  if (is_contiguous(type) && known_equal(product(sizes), type.numel()))
    return contiguous_strides(sizes);
  return std::nullopt;
}

std::optional<TensorType> viewed(const TensorType& type, std::span<const Expr> sizes) {
  TensorType result = type;
  result.sizes = complete_sizes(sizes, type.numel());
  std::optional<Sizes> strides = view_strides(type, result.sizes);
  if (!strides) return std::nullopt;
  result.strides = std::move(*strides);
  return result;
}

std::optional<TensorType> viewed_by(const Call& call, const TensorType& type,
                                    std::span<const Expr> sizes) {
  std::optional<TensorType> result = viewed(type, sizes);
  if (result || !is_contiguous(type)) return result;
  result = type;
  result->sizes = complete_sizes(sizes, type.numel());
  result->strides = contiguous_strides(result->sizes);
  call.require_sizes(eq(result->numel(), type.numel()), "shape", text(sizes),
                     "is invalid for input of size", type.numel());
  return result;
}

TensorType permuted(const TensorType& type, std::span<const int64_t> dims) {
  require(dims.size() == type.rank(), "permute takes one entry per dimension:", dims.size(),
          "given for rank", type.rank());
  TensorType result = type;
  std::vector<bool> seen(type.rank(), false);
  for (size_t i = 0; i < dims.size(); ++i) {
    require(!seen[at(dims[i])], "permute names each dimension once, repeated:", dims[i]);
    seen[at(dims[i])] = true;
    result.sizes[i] = type.sizes[at(dims[i])];
    result.strides[i] = type.strides[at(dims[i])];
  }
  return result;
}

TensorType transposed(const TensorType& type, int64_t dim0, int64_t dim1) {
  TensorType result = type;
  if (type.rank() == 0) return result;
  std::swap(result.sizes[at(dim0)], result.sizes[at(dim1)]);
  std::swap(result.strides[at(dim0)], result.strides[at(dim1)]);
  return result;
}

TensorType expanded(const TensorType& type, std::span<const Expr> sizes) {
  require(sizes.size() >= type.rank(), "expand takes at least as many sizes as the rank",
          type.rank(), "got", text(sizes));
  TensorType result = type;
  result.sizes.assign(sizes.begin(), sizes.end());
  result.strides.assign(sizes.size(), Expr(0));
  const size_t added = sizes.size() - type.rank();
  // Goes from the innermost dimension outwards: a new leading dimension has stride 0, except that
  // size 1 keeps PyTorch's inner size * stride.
  for (size_t i = sizes.size(); i-- > 0;) {
    const bool is_new = i < added;
    const Expr size = is_new ? Expr(1) : type.sizes[i - added];
    Expr stride;
    if (!is_new) {
      stride = type.strides[i - added];
    } else {
      stride = i + 1 < sizes.size() ? result.sizes[i + 1] * result.strides[i + 1] : Expr(1);
    }
    Expr target = sizes[i];
    if (target.is(-1)) {
      require(!is_new, "expand: -1 is not allowed in a new leading dimension, sizes", text(sizes));
      target = size;
    }
    if (!known_equal(size, target)) {
      require(!known_not_equal(size, Expr(1)) || !known_not_equal(size, target),
              "expand: the expanded size", target, "must match the existing size", size,
              "at dimension", i);
      // A size that may be 1 may also equal the target, which is only known in a call.
      const bool may_be_target = !known_not_equal(size, target) && !size.is(1);
      if (!known_not_equal(size, Expr(1))) {
        stride = may_be_target ? where(eq(size, target), stride, Expr(0)) : Expr(0);
      }
    }
    result.sizes[i] = target;
    result.strides[i] = stride;
  }
  return result;
}

TensorType unsqueezed(const TensorType& type, int64_t dim) {
  TensorType result = type;
  const Expr stride = at(dim) < type.rank() ? type.sizes[at(dim)] * type.strides[at(dim)] : Expr(1);
  result.sizes.insert(result.sizes.begin() + dim, Expr(1));
  result.strides.insert(result.strides.begin() + dim, stride);
  return result;
}

TensorType squeezed(const TensorType& type, std::span<const int64_t> dims) {
  TensorType result = type;
  result.sizes.clear();
  result.strides.clear();
  for (size_t i = 0; i < type.rank(); ++i) {
    const bool named = std::ranges::find(dims, static_cast<int64_t>(i)) != dims.end();
    if (named && known_equal(type.sizes[i], Expr(1))) continue;
    result.sizes.push_back(type.sizes[i]);
    result.strides.push_back(type.strides[i]);
  }
  return result;
}

TensorType selected(const TensorType& type, int64_t dim, Expr index) {
  require(type.rank() > 0, "select cannot be applied to a tensor of rank 0");
  const Expr size = type.sizes[at(dim)];
  require(!known_less(index, -size) && !known_less_equal(size, index), ErrorCode::out_of_range,
          "select: index", index, "is out of range for dimension", dim, "of size", size);
  TensorType result = type;
  result.offset = type.offset + wrapped_index(index, size) * type.strides[at(dim)];
  result.sizes.erase(result.sizes.begin() + dim);
  result.strides.erase(result.strides.begin() + dim);
  return result;
}

TensorType selected_by(const Call& call, const TensorType& type) {
  const int64_t dim = call.dim("dim", type.rank());
  const Expr index = call.expr("index");
  TensorType result = selected(type, dim, index);
  const Expr size = type.sizes[at(dim)];
  call.require_sizes(logical_and(le(-size, index), lt(index, size)), "select: index", index,
                     "is out of range for dimension", dim, "of size", size);
  return result;
}

TensorType sliced(const TensorType& type, int64_t dim, std::optional<Expr> start,
                  std::optional<Expr> end, Expr step) {
  require(type.rank() > 0, "slice cannot be applied to a tensor of rank 0");
  require(known_less(Expr(0), step), "slice: step must be positive, got", step);
  const Expr size = type.sizes[at(dim)];
  const Expr first = start ? clamped_bound(*start, size) : Expr(0);
  Expr last = size;
  if (end && !end->is(Interval::kMax)) last = clamped_bound(*end, size);
  last = max(last, first);
  TensorType result = type;
  result.sizes[at(dim)] = ceil_div(last - first, step);
  result.strides[at(dim)] = type.strides[at(dim)] * step;
  result.offset = type.offset + first * type.strides[at(dim)];
  return result;
}

TensorType narrowed(const TensorType& type, int64_t dim, Expr start, Expr length) {
  TensorType result = type;
  result.sizes[at(dim)] = length;
  result.offset = type.offset + start * type.strides[at(dim)];
  return result;
}

TensorType diagonal_of(const TensorType& type, int64_t offset, int64_t dim1, int64_t dim2) {
  require(dim1 != dim2, "diagonal: dimensions must differ, both are", dim1);
  const Expr rows = type.sizes[at(dim1)];
  const Expr columns = type.sizes[at(dim2)];
  const Expr length = offset >= 0 ? max(min(rows, columns - Expr(offset)), Expr(0))
                                  : max(min(rows + Expr(offset), columns), Expr(0));
  TensorType result = type;
  if (!known_equal(length, Expr(0))) {
    result.offset = offset >= 0 ? type.offset + Expr(offset) * type.strides[at(dim2)]
                                : type.offset - Expr(offset) * type.strides[at(dim1)];
  }
  const Expr stride = type.strides[at(dim1)] + type.strides[at(dim2)];
  const int64_t high = std::max(dim1, dim2);
  const int64_t low = std::min(dim1, dim2);
  for (Sizes* list : {&result.sizes, &result.strides}) {
    list->erase(list->begin() + high);
    list->erase(list->begin() + low);
  }
  result.sizes.push_back(length);
  result.strides.push_back(stride);
  return result;
}

TensorType unfolded(const TensorType& type, int64_t dim, Expr size, Expr step) {
  require(known_less(Expr(0), step), "unfold: step must be positive, got", step);
  TensorType result = type;
  if (type.rank() == 0) {
    result.sizes.push_back(size);
    result.strides.push_back(Expr(1));
    return result;
  }
  const Expr extent = type.sizes[at(dim)];
  result.sizes[at(dim)] = floor_div(extent - size, step) + Expr(1);
  result.strides[at(dim)] = step * type.strides[at(dim)];
  result.sizes.push_back(size);
  result.strides.push_back(type.strides[at(dim)]);
  return result;
}

std::vector<TensorType> split_by_sizes(const TensorType& type, int64_t dim,
                                       std::span<const Expr> lengths) {
  require(type.rank() > 0, "split needs at least one dimension");
  const Expr size = type.sizes[at(dim)];
  require(!known_not_equal(sum(lengths), size), "split: sizes", text(lengths),
          "must add up to the dimension's size", size);
  std::vector<TensorType> parts;
  Expr start = 0;
  for (const Expr length : lengths) {
    require(!known_less(length, Expr(0)), "split: sizes must not be negative:", text(lengths));
    parts.push_back(narrowed(type, dim, start, length));
    start = start + length;
  }
  return parts;
}

std::vector<Expr> piece_lengths(int64_t total, int64_t length) {
  std::vector<Expr> lengths;
  if (length == 0) {
    require(total == 0, "split: a piece size of 0 needs a dimension of size 0, got", total);
    return {Expr(0)};
  }
  for (int64_t start = 0; start < total; start += length) {
    lengths.emplace_back(std::min(length, total - start));
  }
  if (lengths.empty()) lengths.emplace_back(0);
  return lengths;
}

}  // namespace litz::ops
