#include "runtime/c/values.h"

#include <string>
#include <utility>
#include <variant>

#include "runtime/device_tensor.h"
#include "support/check.h"
#include "types/dtype.h"
#include "types/lent_tensor.h"

namespace litz::runtime::c {
namespace {

static_assert(static_cast<int>(DType::c128) == LITZ_COMPLEX128 &&
                  static_cast<int>(DType::f32) == LITZ_FLOAT32,
              "both enumerations list the types in one order");

Value value_of(const litz_value& given) {
  switch (given.kind) {
    case LITZ_KIND_NONE:
      return std::monostate();
    case LITZ_KIND_TENSOR:
      return borrowed(given);
    case LITZ_KIND_INT:
      return given.integer;
    case LITZ_KIND_FLOAT:
      return given.real;
    case LITZ_KIND_BOOL:
      return given.boolean != 0;
    case LITZ_KIND_STRING:
      require(given.string != nullptr, "a string must not be NULL");
      return std::string(given.string);
    default:
      break;
  }
  fail(ErrorCode::invalid_argument,
       "an input must be none, a tensor, a number or a string:", given.kind);
}

struct Shown {
  litz_value& to;

  void operator()(std::monostate) const { to.kind = LITZ_KIND_NONE; }

  void operator()(const Tensor& tensor) const {
    to.kind = LITZ_KIND_TENSOR;
    const Device device = tensor.device();
    const bool is_on_host = device == Device{};
    to.card = is_on_host ? 0 : device.index + 1;
    to.tensor.data = const_cast<std::byte*>(is_on_host ? tensor.data() : tensor.address());
    to.tensor.sizes = tensor.sizes().data();
    to.tensor.strides = tensor.strides().data();
    to.tensor.rank = static_cast<int32_t>(tensor.rank());
    to.tensor.dtype = static_cast<int32_t>(tensor.dtype());
  }

  void operator()(int64_t number) const {
    to.kind = LITZ_KIND_INT;
    to.integer = number;
  }

  void operator()(double number) const {
    to.kind = LITZ_KIND_FLOAT;
    to.real = number;
  }

  void operator()(bool flag) const {
    to.kind = LITZ_KIND_BOOL;
    to.boolean = flag ? 1 : 0;
  }

  void operator()(const std::string& text) const {
    to.kind = LITZ_KIND_STRING;
    to.string = text.c_str();
  }
};

}  // namespace

Tensor borrowed(const litz_tensor& given) {
  require(given.dtype >= 0 && given.dtype <= LITZ_COMPLEX128,
          "the dtype of a tensor must be one of enum litz_dtype:", given.dtype);
  require(given.rank >= 0 && given.rank <= 64,
          "the rank of a tensor must be at most 64:", given.rank);
  require(given.rank == 0 || given.sizes != nullptr, "a tensor must have sizes");
  const auto rank = static_cast<size_t>(given.rank);
  std::vector<int64_t> sizes(given.sizes, given.sizes + rank);
  std::vector<int64_t> strides;
  if (given.strides != nullptr) strides.assign(given.strides, given.strides + rank);
  return lent_tensor(static_cast<DType>(given.dtype), std::move(sizes), std::move(strides),
                     given.data);
}

Tensor borrowed(const litz_value& given) {
  require(given.card >= 0, "a card must be a number of one plus 1, or 0 for the host:", given.card);
  const Tensor tensor = borrowed(given.tensor);
  if (given.card == 0) return tensor;
  const Storage& memory = *tensor.storage();
  return Tensor(
      tensor.dtype(), tensor.sizes(), tensor.strides(), 0,
      borrowed_memory({DeviceKind::cuda, given.card - 1}, {memory.address(), memory.size()}));
}

std::vector<Tensor> borrowed(const litz_tensor* given, size_t count) {
  require(given != nullptr || count == 0, "tensors must not be NULL");
  std::vector<Tensor> tensors;
  tensors.reserve(count);
  for (size_t i = 0; i < count; ++i) tensors.push_back(borrowed(given[i]));
  return tensors;
}

std::vector<Value> values_of(const litz_value* given, size_t count) {
  require(given != nullptr || count == 0, "inputs must not be NULL");
  std::vector<Value> values;
  values.reserve(count);
  for (size_t i = 0; i < count; ++i) values.push_back(value_of(given[i]));
  return values;
}

litz_value shown(const Value& value) {
  litz_value result{};
  std::visit(Shown{result}, value);
  return result;
}

}  // namespace litz::runtime::c
