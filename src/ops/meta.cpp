// Promotion, broadcasting and strides, as in PyTorch's TensorIterator.
//
// Strides of an elementwise result follow the operands. If all have the same dense layout, the
// result keeps it. Otherwise dimensions are sorted by stride, operand by operand, and the result is
// dense in that order. Undecidable comparisons of symbolic strides count as ties, which keep the
// row-major order.

#include "ops/meta.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "ops/reduced_dims.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::ArgKind;
using ir::Argument;

// Promotes by rank: a lower class only counts if its category is higher.
class ResultType {
 public:
  void add(const TensorType& type) { merge(type.rank() > 0 ? with_dims_ : rank0_, type.dtype); }

  void add(DTypeCategory literal) {
    switch (literal) {
      case DTypeCategory::bool_:
        return merge(literal_, DType::bool_);
      case DTypeCategory::integer:
        return merge(literal_, DType::i64);
      case DTypeCategory::floating:
        return merge(literal_, DType::f32);
      case DTypeCategory::complex:
        return merge(literal_, DType::c64);
    }
  }

  std::optional<DType> get() const { return combine(with_dims_, combine(rank0_, literal_)); }

 private:
  static void merge(std::optional<DType>& into, DType dtype) {
    into = into ? promote(*into, dtype) : dtype;
  }

  static std::optional<DType> combine(std::optional<DType> strong, std::optional<DType> weak) {
    if (!strong || !weak) return strong ? strong : weak;
    if (category(*strong) >= category(*weak)) return strong;
    // A real tensor combined with a complex number keeps its precision.
    if (is_floating(*strong)) return complex_dtype(*strong);
    return promote(*strong, *weak);
  }

  std::optional<DType> with_dims_;
  std::optional<DType> rank0_;
  std::optional<DType> literal_;
};

void add_argument(ResultType& result, const Call& call, std::string_view name) {
  const Argument& given = call.argument(name);
  if (given.is_none()) return;
  if (given.is_value_list()) {
    for (const TensorType& type : call.types(name)) result.add(type);
  } else if (call.is_tensor(name)) {
    result.add(call.type(name));
  } else {
    result.add(call.scalar_category(name));
  }
}

// True for tensors and for Scalars without a default. A Scalar with a default (alpha,
// negative_slope) follows the others and does not promote.
bool takes_part(const ir::SchemaArgument& argument) {
  switch (argument.kind) {
    case ArgKind::tensor:
    case ArgKind::tensor_list:
      return true;
    case ArgKind::scalar:
      return !argument.has_default;
    default:
      return false;
  }
}

DType require_dtype(const ResultType& result, const Call& call) {
  const std::optional<DType> dtype = result.get();
  check(dtype.has_value(), "promotion needs an operand:", call.op().name());
  return *dtype;
}

// Operands of an elementwise call; a number counts as a rank-0 tensor, as in PyTorch.
std::vector<TensorType> elementwise_operands(const Call& call) {
  std::vector<TensorType> operands;
  for (const ir::SchemaArgument& argument : call.op().schema.arguments) {
    if (!takes_part(argument) || call.argument(argument.name).is_none()) continue;
    if (argument.kind == ArgKind::tensor_list) {
      for (TensorType& type : call.types(argument.name)) operands.push_back(std::move(type));
    } else if (call.is_tensor(argument.name)) {
      operands.push_back(call.type(argument.name));
    } else {
      operands.push_back(contiguous_type(DType::f32, {}));
    }
  }
  return operands;
}

enum class Order : int8_t { before = -1, tie = 0, after = 1 };

// Compares two strides if they are known to differ.
Order compare_strides(Expr a, Expr b) {
  if (known_equal(a, b)) return Order::tie;
  if (known_less_equal(a, b)) return Order::before;
  if (known_less_equal(b, a)) return Order::after;
  // A multiple of a stride is the larger one unless a size is degenerate.
  if (known_divisible(b, a)) return Order::before;
  if (known_divisible(a, b)) return Order::after;
  return Order::tie;
}

// TensorIterator's comparison of two dimensions: `after` if `first` must be further out.
Order compare_dims(size_t first, size_t second, std::span<const Expr> sizes,
                   std::span<const Sizes> strides) {
  for (const Sizes& operand : strides) {
    const Expr a = operand[first];
    const Expr b = operand[second];
    if (a.is(0) || b.is(0)) continue;  // Broadcast dimensions do not matter.
    const Order order = compare_strides(a, b);
    if (order != Order::tie) return order;
    if (known_equal(a, b) && known_less(sizes[second], sizes[first])) return Order::after;
  }
  return Order::tie;
}

// Dimensions from innermost to outermost. An insertion sort, since ties are not transitive and the
// result depends on the compared pairs.
std::vector<size_t> inner_to_outer(std::span<const Expr> sizes, std::span<const Sizes> strides) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.rbegin(), order.rend(), 0);
  for (size_t i = 1; i < order.size(); ++i) {
    size_t moving = i;
    for (size_t j = i; j-- > 0;) {
      const Order comparison = compare_dims(order[j], order[moving], sizes, strides);
      if (comparison == Order::before) break;
      if (comparison == Order::after) {
        std::swap(order[j], order[moving]);
        moving = j;
      }
    }
  }
  return order;
}

bool is_row_major(std::span<const size_t> order) {
  return std::ranges::is_sorted(order, std::ranges::greater());
}

Sizes dense_strides(std::span<const Expr> sizes, std::span<const size_t> inner_first) {
  if (is_row_major(inner_first)) return contiguous_strides(sizes);
  Sizes strides(sizes.size());
  Expr next = 1;
  for (const size_t d : inner_first) {
    strides[d] = next;
    if (!sizes[d].is(0)) next = next * sizes[d];
  }
  return strides;
}

// Strides of an operand aligned with the broadcast shape, 0 in broadcast dimensions.
Sizes aligned_strides(const TensorType& operand, std::span<const Expr> shape) {
  Sizes strides(shape.size(), Expr(0));
  const size_t offset = shape.size() - operand.rank();
  for (size_t i = 0; i < operand.rank(); ++i) {
    const bool repeated = operand.sizes[i].is(1) && !shape[offset + i].is(1);
    if (!repeated) strides[offset + i] = operand.strides[i];
  }
  return strides;
}

bool same_sizes(std::span<const Expr> a, std::span<const Expr> b) {
  return std::ranges::equal(a, b, [](Expr x, Expr y) { return known_equal(x, y); });
}

// The common layout of all operands of one shape, if there is one.
std::optional<Sizes> shared_strides(std::span<const TensorType> operands) {
  const TensorType& first = operands.front();
  bool contiguous = true;
  bool channels_last = first.rank() == 4;
  bool dense = true;
  for (const TensorType& operand : operands) {
    if (!same_sizes(operand.sizes, first.sizes)) return std::nullopt;
    contiguous = contiguous && is_contiguous(operand);
    channels_last = channels_last && is_contiguous(operand, MemoryFormat::channels_last);
    dense = dense && is_non_overlapping_and_dense(operand) &&
            same_sizes(operand.strides, first.strides);
  }
  if (contiguous) return contiguous_strides(first.sizes);
  if (channels_last) return strides_for(MemoryFormat::channels_last, first.sizes);
  if (dense) return first.strides;
  return std::nullopt;
}

Expr broadcast_size(Expr a, Expr b, std::span<const Expr> left, std::span<const Expr> right) {
  if (a.is(1)) return b;
  if (b.is(1) || known_equal(a, b)) return a;
  if (known_not_equal(a, b) && known_not_equal(a, Expr(1)) && known_not_equal(b, Expr(1))) {
    std::string text = "shapes cannot be broadcast:";
    for (const std::span<const Expr> shape : {left, right}) {
      text += " [";
      for (size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + to_string(shape[i]);
      text += "]";
    }
    fail(ErrorCode::invalid_argument, text.c_str());
  }
  // Symbolic sizes are equal, or the export would have failed; a constant is more precise.
  return b.is_constant() ? b : a;
}

Device device_of(std::span<const TensorType> operands) {
  // Rank-0 operands may come from the host and do not decide the device.
  for (const TensorType& operand : operands) {
    if (operand.rank() > 0) return operand.device;
  }
  return operands.empty() ? Device{} : operands.front().device;
}

}  // namespace

DType promoted_dtype(const Call& call, std::initializer_list<std::string_view> names) {
  ResultType result;
  for (const std::string_view name : names) add_argument(result, call, name);
  return require_dtype(result, call);
}

DType promoted_dtype(const Call& call) {
  ResultType result;
  for (const ir::SchemaArgument& argument : call.op().schema.arguments) {
    if (takes_part(argument)) add_argument(result, call, argument.name);
  }
  return require_dtype(result, call);
}

DType promoted_dtype(std::span<const TensorType> types) {
  ResultType result;
  for (const TensorType& type : types) result.add(type);
  check(result.get().has_value(), "promotion needs an operand");
  return *result.get();
}

DType floating_dtype(DType dtype) {
  return is_floating(dtype) || is_complex(dtype) ? dtype : DType::f32;
}

Sizes broadcast_sizes(std::span<const Expr> a, std::span<const Expr> b) {
  const size_t rank = std::max(a.size(), b.size());
  Sizes result(rank);
  for (size_t i = 0; i < rank; ++i) {
    const size_t back = rank - i;  // Counts from the last dimension.
    const Expr left = back <= a.size() ? a[a.size() - back] : Expr(1);
    const Expr right = back <= b.size() ? b[b.size() - back] : Expr(1);
    result[i] = broadcast_size(left, right, a, b);
  }
  return result;
}

Sizes broadcast_sizes(std::span<const Sizes> shapes) {
  Sizes result;
  for (const Sizes& shape : shapes) result = broadcast_sizes(result, shape);
  return result;
}

TensorType elementwise_type(DType dtype, const Call& call,
                            std::initializer_list<std::string_view> names) {
  std::vector<TensorType> operands;
  for (const std::string_view name : names) {
    if (!call.has(name)) continue;
    operands.push_back(call.is_tensor(name) ? converted_type(dtype, call.type(name))
                                            : contiguous_type(dtype, {}));
  }
  return elementwise_type(dtype, operands);
}

TensorType elementwise_type(DType dtype, std::span<const TensorType> operands) {
  TensorType result;
  result.dtype = dtype;
  result.device = device_of(operands);
  if (operands.empty()) return result;
  for (const TensorType& operand : operands) {
    result.sizes = broadcast_sizes(result.sizes, operand.sizes);
  }
  if (const std::optional<Sizes> strides = shared_strides(operands)) {
    result.strides = *strides;
    return result;
  }
  std::vector<Sizes> strides;
  for (const TensorType& operand : operands) {
    strides.push_back(aligned_strides(operand, result.sizes));
  }
  result.strides = dense_strides(result.sizes, inner_to_outer(result.sizes, strides));
  return result;
}

TensorType preserved_type(DType dtype, const TensorType& input,
                          std::optional<MemoryFormat> format) {
  TensorType result = input;
  result.dtype = dtype;
  result.offset = 0;
  if (format && *format != MemoryFormat::preserve) {
    result.strides = strides_for(*format, input.sizes);
  } else if (!is_non_overlapping_and_dense(input)) {
    const Sizes strides[] = {input.strides};
    result.strides = dense_strides(input.sizes, inner_to_outer(input.sizes, strides));
  }
  return result;
}

Sizes reduced_sizes(std::span<const Expr> sizes, std::span<const int64_t> dims, bool keepdim) {
  Sizes result;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool reduced = std::ranges::find(dims, static_cast<int64_t>(i)) != dims.end();
    if (!reduced) result.push_back(sizes[i]);
    if (reduced && keepdim) result.push_back(1);
  }
  return result;
}

TensorType converted_type(DType dtype, const TensorType& input) {
  return input.dtype == dtype ? input : preserved_type(dtype, input, MemoryFormat::preserve);
}

TensorType elementwise_in(DType dtype, std::vector<TensorType> operands) {
  for (TensorType& operand : operands) operand = converted_type(dtype, operand);
  return elementwise_type(dtype, operands);
}

TensorType joined_type(DType dtype, const TensorType& a, const TensorType& b) {
  return elementwise_in(dtype, {a, b});
}

namespace meta {
namespace {

TensorType reduced(const Call& call, DType dtype) {
  const TensorType& self = call.type("self");
  const bool has_dim = call.op().schema.find("dim") >= 0;
  const std::vector<int64_t> dims =
      has_dim ? reduced_dims(call, self.rank()) : std::vector<int64_t>();
  const bool keepdim = call.has("keepdim") && call.flag("keepdim");
  Sizes sizes = has_dim ? reduced_sizes(self.sizes, dims, keepdim) : Sizes{};
  return contiguous_type(dtype, std::move(sizes), self.device);
}

void require_real(const Call& call, DType dtype) {
  require(!is_complex(dtype), "the operator is not for complex dtypes:", call.op().name(),
          name(dtype));
}

void require_floating(const Call& call, DType dtype) {
  require(is_floating(dtype), "the operator is for floating dtypes only:", call.op().name(),
          name(dtype));
}

TensorType like_self_in(const Call& call, DType dtype) {
  const TensorType operands[] = {call.type("self")};
  return elementwise_type(dtype, operands);
}

}  // namespace

TensorType elementwise(const Call& call) {
  return elementwise_in(promoted_dtype(call), elementwise_operands(call));
}

TensorType elementwise_floating(const Call& call) {
  return elementwise_in(floating_dtype(promoted_dtype(call)), elementwise_operands(call));
}

TensorType elementwise_real(const Call& call) {
  require_real(call, promoted_dtype(call));
  return elementwise(call);
}

TensorType elementwise_real_floating(const Call& call) {
  require_real(call, promoted_dtype(call));
  return elementwise_floating(call);
}

TensorType elementwise_floating_only(const Call& call) {
  require_floating(call, promoted_dtype(call));
  return elementwise(call);
}

TensorType elementwise_bool(const Call& call) {
  TensorType type = elementwise(call);
  type.dtype = DType::bool_;
  return type;
}

TensorType like_self(const Call& call) { return like_self_in(call, call.type("self").dtype); }

TensorType floating_like_self(const Call& call) {
  return like_self_in(call, floating_dtype(call.type("self").dtype));
}

TensorType bool_like_self(const Call& call) { return like_self_in(call, DType::bool_); }

TensorType real_like_self(const Call& call) {
  require_real(call, call.type("self").dtype);
  return like_self(call);
}

TensorType real_floating_like_self(const Call& call) {
  require_real(call, call.type("self").dtype);
  return floating_like_self(call);
}

TensorType floating_only(const Call& call) {
  require_floating(call, call.type("self").dtype);
  return like_self(call);
}

TensorType reduction(const Call& call) { return reduced(call, call.type("self").dtype); }

TensorType accumulation(const Call& call) {
  const DType self = call.type("self").dtype;
  const bool widens = is_integer(self) || self == DType::bool_;
  return reduced(call, call.dtype().value_or(widens ? DType::i64 : self));
}

TensorType bool_reduction(const Call& call) { return reduced(call, DType::bool_); }

TensorType index_reduction(const Call& call) { return reduced(call, DType::i64); }

}  // namespace meta

}  // namespace litz::ops
