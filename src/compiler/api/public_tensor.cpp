// Tensors of litz/litz.h: data, or values of a program that is being traced.

#include "support/check.h"
#include "trace/tracer.h"
#include "types/lent_tensor.h"

// After the library's own names.
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "compiler/api/public_support.h"

namespace litz {
inline namespace v1 {
namespace {

// Both enumerations list the types in the same order; this checks both ends.
static_assert(static_cast<int>(v1::DType::complex128) == static_cast<int>(OwnDType::c128));
static_assert(static_cast<int>(v1::DType::float32) == static_cast<int>(OwnDType::f32));

// Empty unless all are known.
std::optional<std::vector<int64_t>> known_numbers(const Sizes& list) {
  std::vector<int64_t> result;
  for (const Expr value : list) {
    if (!value.is_constant()) return std::nullopt;
    result.push_back(value.constant());
  }
  return result;
}

const std::vector<int64_t>& known(const std::optional<std::vector<int64_t>>& list,
                                  const char* what) {
  if (list) return *list;
  throw Error(ErrorKind::unsupported, std::string("a function that is traced must not ask for ") +
                                          what + " that depend on data");
}

}  // namespace

const std::shared_ptr<const TracedValue>& TensorAccess::traced(const Tensor& tensor) {
  static const std::shared_ptr<const TracedValue> none;
  return tensor.impl_ == nullptr ? none : tensor.impl_->traced;
}

const OwnTensor& TensorAccess::own(const Tensor& tensor) {
  static const OwnTensor empty = OwnTensor::zeros(OwnDType::f32, {0});
  if (tensor.impl_ == nullptr) return empty;
  if (tensor.impl_->traced != nullptr) {
    if (tensor.impl_->traced->tracer->is_finished()) {
      throw Error(
          ErrorKind::invalid_argument,
          "a tensor of a traced function must not be used after its trace: the function must "
          "return what it computes instead of storing it outside");
    }
    throw Error(
        ErrorKind::unsupported,
        "a function that is traced must not read the elements of a tensor that it computes; "
        "return the tensor and read it outside");
  }
  return tensor.impl_->tensor;
}

Tensor TensorAccess::shown(OwnTensor tensor) {
  return Tensor(std::make_unique<Tensor::Impl>(Tensor::Impl{std::move(tensor)}));
}

Tensor TensorAccess::shown(std::shared_ptr<trace::Tracer> tracer, ir::Value value) {
  auto traced = std::make_shared<TracedValue>();
  traced->sizes = known_numbers(value.tensor().sizes);
  traced->strides = known_numbers(value.tensor().strides);
  traced->tracer = std::move(tracer);
  traced->value = value;
  return Tensor(std::make_unique<Tensor::Impl>(Tensor::Impl{{}, std::move(traced)}));
}

Tensor::Tensor() : Tensor(DType::float32, {0}) {}

Tensor::~Tensor() = default;

Tensor::Tensor(const Tensor& other)
    : impl_(other.impl_ == nullptr ? nullptr : std::make_unique<Impl>(*other.impl_)) {}

Tensor::Tensor(Tensor&&) noexcept = default;

Tensor& Tensor::operator=(const Tensor& other) & {
  if (this != &other) *this = Tensor(other);
  return *this;
}

Tensor& Tensor::operator=(Tensor&&) & noexcept = default;

Tensor::Tensor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Tensor::Tensor(DType dtype, std::vector<int64_t> sizes) {
  try {
    impl_ = std::make_unique<Impl>(Impl{OwnTensor::zeros(own(dtype), std::move(sizes))});
  } catch (const OwnError& error) {
    throw std::length_error(error.what());
  }
}

Tensor Tensor::uninitialized(DType dtype, std::vector<int64_t> sizes) {
  try {
    std::vector<int64_t> strides = contiguous_strides(std::span<const int64_t>(sizes));
    return TensorAccess::shown(
        OwnTensor::empty_strided(own(dtype), std::move(sizes), std::move(strides)));
  } catch (const OwnError& error) {
    throw std::length_error(error.what());
  }
}

Tensor Tensor::over(DType dtype, std::vector<int64_t> sizes, void* data,
                    std::vector<int64_t> strides, std::shared_ptr<const void> owner) {
  try {
    return TensorAccess::shown(
        lent_tensor(own(dtype), std::move(sizes), std::move(strides), data, std::move(owner)));
  } catch (const OwnError& error) {
    throw std::length_error(error.what());
  }
}

Tensor Tensor::copy_of(DType dtype, std::vector<int64_t> sizes, const void* values, size_t bytes) {
  Tensor tensor(dtype, std::move(sizes));
  if (tensor.bytes() != bytes) {
    throw std::length_error("the number of values must be the product of the sizes");
  }
  if (bytes > 0) std::memcpy(tensor.data(), values, bytes);
  return tensor;
}

void Tensor::require_elements(DType type) const {
  const OwnDType wanted = own(type);
  if (!is_row_major()) {
    throw std::invalid_argument("the elements of a tensor with strides are not one after another");
  }
  const OwnDType actual = TensorAccess::own(*this).dtype();
  const bool is_bits =
      (wanted == OwnDType::u16 && (actual == OwnDType::f16 || actual == OwnDType::bf16)) ||
      (wanted == OwnDType::u8 && is_float8(actual));
  if (wanted == actual || is_bits) return;
  throw std::invalid_argument("the elements of a tensor of type " + std::string(name(actual)) +
                              " are not of type " + std::string(name(wanted)));
}

DType Tensor::dtype() const {
  const auto& traced = TensorAccess::traced(*this);
  return shown(traced != nullptr ? traced->value.tensor().dtype : TensorAccess::own(*this).dtype());
}

const std::vector<int64_t>& Tensor::sizes() const {
  const auto& traced = TensorAccess::traced(*this);
  return traced != nullptr ? known(traced->sizes, "sizes") : TensorAccess::own(*this).sizes();
}

const std::vector<int64_t>& Tensor::strides() const {
  const auto& traced = TensorAccess::traced(*this);
  return traced != nullptr ? known(traced->strides, "strides") : TensorAccess::own(*this).strides();
}

bool Tensor::is_row_major() const {
  const auto& traced = TensorAccess::traced(*this);
  return traced != nullptr ? is_contiguous(traced->value.tensor())
                           : TensorAccess::own(*this).is_contiguous();
}

int64_t Tensor::numel() const { return checked_numel(sizes()); }

size_t Tensor::bytes() const { return static_cast<size_t>(numel() * item_size(own(dtype()))); }

void Tensor::copy_to(DType dtype, void* values) const {
  raising([&] {
    const OwnTensor converted = TensorAccess::own(*this).to(own(dtype)).contiguous();
    const auto count = static_cast<size_t>(converted.numel() * item_size(converted.dtype()));
    if (count > 0) std::memcpy(values, converted.data(), count);
  });
}

std::byte* Tensor::data() {
  TensorAccess::own(*this);  // Throws for a traced value.
  return numel() == 0 ? nullptr : impl_->tensor.mutable_data();
}

const std::byte* Tensor::data() const {
  return numel() == 0 ? nullptr : TensorAccess::own(*this).data();
}

}  // namespace v1
}  // namespace litz
