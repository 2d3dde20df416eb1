// Tensors of litz/litz.h: data, or values of a program that is being traced.

#include "runtime/device_tensor.h"
#include "runtime/placement.h"
#include "support/check.h"
#include "trace/tracer.h"
#include "types/lent_tensor.h"

// After the library's own names.
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "compiler/api/public_size.h"
#include "compiler/api/tracing.h"

namespace litz {
inline namespace v1 {
namespace {

// Both enumerations list the types in the same order; this checks both ends.
static_assert(static_cast<int>(v1::DType::complex128) == static_cast<int>(OwnDType::c128));
static_assert(static_cast<int>(v1::DType::float32) == static_cast<int>(OwnDType::f32));

/// The numbers of the traced call, which then every call of the program has.
const std::vector<int64_t>& fixed(std::optional<std::vector<int64_t>>& asked, const Sizes& list,
                                  const char* what) {
  if (asked) return *asked;
  std::vector<int64_t> numbers;
  for (const Expr entry : list) {
    const std::optional<int64_t> number = known_value(entry);
    if (!number) {
      throw Error(ErrorKind::unsupported,
                  std::string("a function that is traced must not ask for ") + what +
                      " that depend on data");
    }
    numbers.push_back(*number);
  }
  return asked.emplace(std::move(numbers));
}

}  // namespace

const std::shared_ptr<TracedValue>& TensorAccess::traced(const Tensor& tensor) {
  static const std::shared_ptr<TracedValue> none;
  if (tensor.impl_ == nullptr || tensor.impl_->traced == nullptr) return none;
  return tensor.impl_->traced->data ? none : tensor.impl_->traced;
}

const OwnTensor& TensorAccess::own(const Tensor& tensor) {
  static const OwnTensor empty = OwnTensor::zeros(OwnDType::f32, {0});
  if (tensor.impl_ == nullptr) return empty;
  if (tensor.impl_->traced == nullptr) return tensor.impl_->tensor;
  TracedValue& traced = *tensor.impl_->traced;
  if (!traced.data && traced.tracer == current_tracer()) {
    end_current_part("the elements of a tensor are read");
  }
  if (traced.data) return *traced.data;
  if (traced.tracer->is_finished()) {
    throw Error(ErrorKind::invalid_argument,
                "a tensor of a traced function must not be used after its trace: the function must "
                "return what it computes instead of storing it outside");
  }
  throw Error(
      ErrorKind::unsupported,
      "a function that is differentiated, or compiled as a whole, must not read the elements "
      "of a tensor that it computes; return the tensor and read it outside");
}

Tensor TensorAccess::lent(const OwnTensor& like, Device device, std::shared_ptr<const void> owner) {
  const std::span<std::byte> bytes(like.storage()->address(), like.storage()->size());
  return shown(OwnTensor(like.dtype(), like.sizes(), like.strides(), 0,
                         runtime::lent_memory(device, bytes, std::move(owner))));
}

Tensor TensorAccess::shown(OwnTensor tensor) {
  return Tensor(std::make_shared<Tensor::Impl>(Tensor::Impl{std::move(tensor)}));
}

Tensor TensorAccess::shown(const std::shared_ptr<FunctionTracer>& tracer, ir::Value value) {
  auto traced = std::make_shared<TracedValue>(TracedValue{tracer, value});
  tracer->shown.push_back(traced);
  return Tensor(std::make_shared<Tensor::Impl>(Tensor::Impl{{}, std::move(traced)}));
}

Tensor TensorAccess::shown(OwnTensor tensor, std::shared_ptr<Variable> variable) {
  return Tensor(std::make_unique<Tensor::Impl>(
      Tensor::Impl{std::move(tensor), nullptr, {}, std::move(variable)}));
}

const std::shared_ptr<Variable>& TensorAccess::variable(const Tensor& tensor) {
  static const std::shared_ptr<Variable> none;
  if (tensor.impl_ == nullptr) return none;
  const auto& traced = tensor.impl_->traced;
  return traced != nullptr ? traced->variable : tensor.impl_->variable;
}

void TensorAccess::set_variable(Tensor& tensor, std::shared_ptr<Variable> variable) {
  if (tensor.impl_ == nullptr) tensor = Tensor();
  const auto& traced = tensor.impl_->traced;
  (traced != nullptr ? traced->variable : tensor.impl_->variable) = std::move(variable);
}

SizeMarks& TensorAccess::marks(Tensor& tensor) {
  // Copies of the handle keep theirs.
  tensor.impl_ = std::make_shared<Tensor::Impl>(tensor.impl_ == nullptr ? Tensor::Impl{own(tensor)}
                                                                        : *tensor.impl_);
  return tensor.impl_->marks;
}

SizeMarks TensorAccess::marks(const Tensor& tensor) {
  return tensor.impl_ == nullptr ? SizeMarks() : tensor.impl_->marks;
}

Tensor::Tensor() = default;
Tensor::~Tensor() = default;
Tensor::Tensor(const Tensor&) = default;
Tensor::Tensor(Tensor&&) noexcept = default;
Tensor& Tensor::operator=(const Tensor&) & = default;
Tensor& Tensor::operator=(Tensor&&) & noexcept = default;

Tensor::Tensor(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Tensor::Tensor(DType dtype, std::vector<int64_t> sizes) {
  try {
    impl_ = std::make_shared<Impl>(Impl{OwnTensor::zeros(own(dtype), std::move(sizes))});
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
                    std::vector<int64_t> strides, std::shared_ptr<const void> owner,
                    const std::string& device) {
  const Device where = raising([&] { return runtime::parse_placement(device); });
  try {
    OwnTensor tensor = lent_tensor(own(dtype), std::move(sizes), std::move(strides), data,
                                   where == Device{} ? std::move(owner) : nullptr);
    if (where == Device{}) return TensorAccess::shown(std::move(tensor));
    return raising([&] { return TensorAccess::lent(tensor, where, std::move(owner)); });
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
  if (TensorAccess::own(*this).device() != Device{}) {
    throw std::invalid_argument("the elements of a tensor on " + device() +
                                " are not in the host's memory: copy it with to(\"cpu\")");
  }
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
  if (traced == nullptr) return TensorAccess::own(*this).sizes();
  return fixed(traced->sizes, traced->value.tensor().sizes, "sizes");
}

const std::vector<int64_t>& Tensor::strides() const {
  const auto& traced = TensorAccess::traced(*this);
  if (traced == nullptr) return TensorAccess::own(*this).strides();
  return fixed(traced->strides, traced->value.tensor().strides, "strides");
}

int64_t Tensor::dim() const {
  const auto& traced = TensorAccess::traced(*this);
  const size_t rank =
      traced == nullptr ? TensorAccess::own(*this).rank() : traced->value.tensor().rank();
  return static_cast<int64_t>(rank);
}

Size Tensor::size(int64_t dim) const {
  return raising([&]() -> Size {
    const int64_t rank = this->dim();
    require(-rank <= dim && dim < rank, OwnErrorCode::invalid_argument,
            "dimension out of range: a tensor of", rank, "dimensions has no", dim);
    const auto d = static_cast<size_t>(dim < 0 ? dim + rank : dim);
    const auto& traced = TensorAccess::traced(*this);
    if (traced == nullptr) return TensorAccess::own(*this).sizes()[d];
    const Expr size = traced->value.tensor().sizes[d];
    require(!depends_on_data(size), OwnErrorCode::unsupported,
            "a function that is traced must not ask for sizes that depend on data");
    return SizeAccess::shown(traced->tracer->sizes(), size);
  });
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
    const OwnTensor here = runtime::copied_to(TensorAccess::own(*this), Device{});
    const OwnTensor converted = here.to(own(dtype)).contiguous();
    const auto count = static_cast<size_t>(converted.numel() * item_size(converted.dtype()));
    if (count > 0) std::memcpy(values, converted.data(), count);
  });
}

std::byte* Tensor::data() {
  if (numel() == 0) return nullptr;
  OwnTensor tensor = TensorAccess::own(*this);
  return raising(
      [&] { return tensor.device() == Device{} ? tensor.mutable_data() : tensor.address(); });
}

const std::byte* Tensor::data() const {
  if (numel() == 0) return nullptr;
  const OwnTensor& tensor = TensorAccess::own(*this);
  return raising([&]() -> const std::byte* {
    return tensor.device() == Device{} ? tensor.data() : tensor.address();
  });
}

}  // namespace v1
}  // namespace litz
