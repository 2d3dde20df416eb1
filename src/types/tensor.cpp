#include "types/tensor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "support/check.h"
#include "support/mapped_file.h"
#include "types/element_visit.h"
#include "types/scalar_cast.h"
#include "types/strided_copy.h"

namespace litz {
namespace {

constexpr size_t kAlignment = 64;  // A cache line, and the widest vector register.

int64_t checked_multiply(int64_t a, int64_t b) {
  int64_t result = 0;
  require(!__builtin_mul_overflow(a, b, &result), ErrorCode::out_of_range,
          "a tensor's extent must fit 64 bits:", a, '*', b);
  return result;
}

int64_t checked_add(int64_t a, int64_t b) {
  int64_t result = 0;
  require(!__builtin_add_overflow(a, b, &result), ErrorCode::out_of_range,
          "a tensor's extent must fit 64 bits:", a, '+', b);
  return result;
}

size_t checked_bytes(int64_t elements, DType dtype) {
  return static_cast<size_t>(checked_multiply(elements, item_size(dtype)));
}

void require_sizes(std::span<const int64_t> sizes) {
  for (int64_t size : sizes) require(size >= 0, "sizes must not be negative:", size);
}

/// Row-major, ignoring strides of dimensions with one element.
bool is_row_major(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  int64_t expected = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

// Allocates memory at a multiple of kAlignment, with malloc's pointer stored before it. The C
// library's own aligned_alloc does not reuse freed blocks of the same size (glibc before 2.38): an
// output that is freed and allocated in every call would make the heap grow.
std::byte* allocate_aligned(size_t bytes) {
  auto* const block = static_cast<std::byte*>(std::malloc(bytes + sizeof(void*) + kAlignment - 1));
  if (block == nullptr) {
    fail(ErrorCode::out_of_memory, "memory for a tensor must be available, bytes:", bytes);
  }
  const auto address = reinterpret_cast<uintptr_t>(block) + sizeof(void*);
  std::byte* const aligned =
      block + sizeof(void*) + (kAlignment - address % kAlignment) % kAlignment;
  std::memcpy(aligned - sizeof(void*), &block, sizeof(void*));
  return aligned;
}

void free_aligned(const std::byte* aligned) {
  void* block = nullptr;
  std::memcpy(&block, aligned - sizeof(void*), sizeof(void*));
  std::free(block);
}

}  // namespace

std::shared_ptr<Storage> Storage::allocate(size_t bytes) {
  std::shared_ptr<Storage> storage = allocate_uninitialized(bytes);
  std::memset(storage->data_, 0, bytes);
  return storage;
}

std::shared_ptr<Storage> Storage::allocate_uninitialized(size_t bytes) {
  require(bytes <= size_t{1} << 62, ErrorCode::out_of_memory,
          "a storage must be smaller than the address space:", bytes);
  auto storage = std::shared_ptr<Storage>(new Storage());
  storage->data_ = allocate_aligned(bytes);
  storage->size_ = bytes;
  storage->writable_ = true;
  storage->owned_ = true;
  return storage;
}

std::shared_ptr<Storage> Storage::borrow(std::span<const std::byte> bytes,
                                         std::shared_ptr<const void> keeper,
                                         const MappedFile* file) {
  auto storage = std::shared_ptr<Storage>(new Storage());
  // Never written through: mutable_data refuses while writable_ is false.
  storage->data_ = const_cast<std::byte*>(bytes.data());
  storage->size_ = bytes.size();
  storage->keeper_ = std::move(keeper);
  storage->file_ = file;
  return storage;
}

void Storage::release_pages(size_t begin, size_t bytes) const {
  check(begin <= size_ && bytes <= size_ - begin, "a part of a storage must lie in it:", begin,
        bytes, size_);
  if (file_ != nullptr) file_->release_pages({data_ + begin, bytes});
}

std::shared_ptr<Storage> Storage::lend(std::span<std::byte> bytes, Device device,
                                       std::shared_ptr<const void> keeper, StreamUse* use) {
  auto storage = std::shared_ptr<Storage>(new Storage());
  storage->data_ = bytes.data();
  storage->size_ = bytes.size();
  storage->device_ = device;
  storage->writable_ = true;
  storage->keeper_ = std::move(keeper);
  storage->use_ = use;
  return storage;
}

Storage::~Storage() {
  if (owned_) free_aligned(data_);
}

std::byte* Storage::mutable_data() {
  check(writable_, "a storage that is written must be owned, not borrowed, bytes:", size_);
  if (device_.kind != DeviceKind::cpu || is_ended()) refuse_host_access();
  return data_;
}

void Storage::end(std::string text) {
  check(!owned_ && !is_ended(), "only lent memory ends, and once, bytes:", size_);
  data_ = nullptr;
  use_ = nullptr;
  keeper_ = std::make_shared<const std::string>(std::move(text));
  is_ended_.store(true, std::memory_order_relaxed);
}

void Storage::refuse_ended() const {
  fail(ErrorCode::invalid_argument, static_cast<const std::string*>(keeper_.get())->c_str());
}

void Storage::move_to(std::shared_ptr<Storage> memory) {
  check(!owned_ && !is_ended(), "only lent memory moves, bytes:", size_);
  check(memory->device() == device_ && memory->size() >= size_ && memory->is_writable(),
        "a storage must move to enough memory of its device:", size_, memory->size());
  data_ = memory->address();
  use_ = memory->use_;
  keeper_ = std::move(memory);
}

void Storage::refuse_host_access() const {
  if (is_ended()) refuse_ended();
  fail(ErrorCode::invalid_argument,
       "the host must not read or write memory of a device; copy the tensor to the host first:",
       to_string(device_));
}

constinit const Geometry Tensor::kNone;

Tensor::Tensor(DType dtype, std::vector<int64_t> sizes, std::vector<int64_t> strides,
               int64_t offset, std::shared_ptr<Storage> storage)
    : Tensor(dtype,
             std::make_shared<const Geometry>(Geometry{std::move(sizes), std::move(strides)}),
             offset, std::move(storage)) {}

Tensor::Tensor(DType dtype, std::shared_ptr<const Geometry> geometry, int64_t offset,
               std::shared_ptr<Storage> storage)
    : dtype_(dtype), geometry_(std::move(geometry)), offset_(offset), storage_(std::move(storage)) {
  require(storage_ != nullptr, "a tensor needs a storage");
  require(sizes().size() == strides().size(),
          "a tensor needs one stride for each size:", sizes().size(), strides().size());
  checked_bytes(offset_, dtype_);  // An empty tensor may have any offset that fits.
  size_t bytes = checked_bytes(storage_span(sizes(), strides(), offset_), dtype_);
  require(bytes <= storage_->size(), ErrorCode::out_of_range,
          "a tensor must lie inside its storage, needed and present bytes:", bytes,
          storage_->size());
}

Tensor Tensor::empty(DType dtype, std::vector<int64_t> sizes) {
  auto storage = Storage::allocate_uninitialized(checked_bytes(checked_numel(sizes), dtype));
  std::vector<int64_t> strides = contiguous_strides(sizes);
  return Tensor(dtype, std::move(sizes), std::move(strides), 0, std::move(storage));
}

Tensor Tensor::empty_strided(DType dtype, std::vector<int64_t> sizes,
                             std::vector<int64_t> strides) {
  require(sizes.size() == strides.size(), "a tensor needs one stride for each size:", sizes.size(),
          strides.size());
  auto storage = Storage::allocate(checked_bytes(storage_span(sizes, strides, 0), dtype));
  return Tensor(dtype, std::move(sizes), std::move(strides), 0, std::move(storage));
}

Tensor Tensor::zeros(DType dtype, std::vector<int64_t> sizes) {
  std::vector<int64_t> strides = contiguous_strides(sizes);
  return empty_strided(dtype, std::move(sizes), std::move(strides));
}

Tensor Tensor::scalar(DType dtype, double value) {
  Tensor result = empty(dtype, {});
  cast_elements(result.mutable_data(), dtype, reinterpret_cast<const std::byte*>(&value),
                DType::f64, 1);
  return result;
}

Tensor Tensor::scalar_int(DType dtype, int64_t value) {
  Tensor result = empty(dtype, {});
  cast_elements(result.mutable_data(), dtype, reinterpret_cast<const std::byte*>(&value),
                DType::i64, 1);
  return result;
}

Tensor Tensor::of_bytes(DType dtype, std::vector<int64_t> sizes, std::span<const std::byte> bytes) {
  Tensor result = empty(dtype, std::move(sizes));
  require(bytes.size() == checked_bytes(result.numel(), dtype),
          "values must be as many as the sizes say, bytes and elements:", bytes.size(),
          result.numel());
  if (!bytes.empty()) std::memcpy(result.mutable_data(), bytes.data(), bytes.size());
  return result;
}

int64_t Tensor::numel() const {
  // Unsigned: the other sizes of an empty tensor may overflow before the 0.
  uint64_t product = 1;
  for (const int64_t size : sizes()) product *= static_cast<uint64_t>(size);
  return static_cast<int64_t>(product);
}

const std::byte* Tensor::data() const {
  check(defined(), "data is asked of a defined tensor");
  return storage_->data() + offset_ * item_size(dtype_);
}

std::byte* Tensor::mutable_data() {
  check(defined(), "data is asked of a defined tensor");
  return storage_->mutable_data() + offset_ * item_size(dtype_);
}

bool Tensor::is_contiguous() const { return numel() == 0 || is_row_major(sizes(), strides()); }

Tensor Tensor::view(std::vector<int64_t> sizes, std::vector<int64_t> strides,
                    int64_t offset) const {
  return Tensor(dtype_, std::move(sizes), std::move(strides), offset, storage_);
}

Tensor Tensor::view_as(DType dtype) const {
  require(item_size(dtype) == item_size(dtype_),
          "a reinterpreted element must keep its size, from and to:", name(dtype_), name(dtype));
  return Tensor(dtype, geometry_, offset_, storage_);
}

Tensor Tensor::contiguous() const { return is_contiguous() ? *this : clone(); }

Tensor Tensor::clone(std::vector<int64_t> strides) const {
  Tensor result =
      strides.empty() ? empty(dtype_, sizes()) : empty_strided(dtype_, sizes(), std::move(strides));
  result.copy_from(*this);
  return result;
}

void Tensor::copy_from(const Tensor& source) {
  require(sizes() == source.sizes(), "a copy needs equal sizes, ranks:", rank(), source.rank());
  if (numel() == 0) return;
  copy_elements({mutable_data(), dtype_, strides()},
                {source.data(), source.dtype_, source.strides()}, sizes());
}

Tensor Tensor::to(DType dtype) const {
  if (dtype == dtype_) return contiguous();
  Tensor result = empty(dtype, sizes());
  result.copy_from(*this);
  return result;
}

const std::byte* Tensor::address(std::span<const int64_t> index) const {
  require(index.size() == rank(), "an index needs one number for each dimension:", index.size(),
          rank());
  int64_t position = 0;
  for (size_t i = 0; i < index.size(); ++i) {
    require(index[i] >= 0 && index[i] < sizes()[i], ErrorCode::out_of_range,
            "an index must lie inside the tensor, dimension, index, size:", i, index[i],
            sizes()[i]);
    position += index[i] * strides()[i];
  }
  return data() + position * item_size(dtype_);
}

double Tensor::at(std::span<const int64_t> index) const { return complex_at(index).real(); }

int64_t Tensor::int_at(std::span<const int64_t> index) const {
  int64_t value = 0;
  cast_elements(reinterpret_cast<std::byte*>(&value), DType::i64, address(index), dtype_, 1);
  return value;
}

std::complex<double> Tensor::complex_at(std::span<const int64_t> index) const {
  std::complex<double> value;
  cast_elements(reinterpret_cast<std::byte*>(&value), DType::c128, address(index), dtype_, 1);
  return value;
}

int64_t checked_numel(std::span<const int64_t> sizes) {
  require_sizes(sizes);
  // The other sizes of an empty tensor may have a product that does not fit.
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
  int64_t product = 1;
  for (int64_t size : sizes) product = checked_multiply(product, size);
  return product;
}

int64_t storage_span(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                     int64_t offset) {
  require_sizes(sizes);
  require(offset >= 0, "a storage offset must not be negative:", offset);
  for (int64_t stride : strides) require(stride >= 0, "strides must not be negative:", stride);
  // numel must fit as well: stride 0 makes huge tensors of small storages.
  if (checked_numel(sizes) == 0) return 0;
  int64_t last = offset;
  for (size_t i = 0; i < sizes.size(); ++i) {
    last = checked_add(last, checked_multiply(sizes[i] - 1, strides[i]));
  }
  return checked_add(last, 1);
}

std::vector<int64_t> contiguous_strides(std::span<const int64_t> sizes) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  bool is_empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    // An empty tensor's strides address nothing, so their overflow is harmless but must be defined.
    if (__builtin_mul_overflow(step, std::max<int64_t>(sizes[i], 1), &step)) {
      require(is_empty, ErrorCode::out_of_range, "a tensor's extent must fit 64 bits:", sizes[i]);
    }
  }
  return strides;
}

void normalize_booleans(std::byte* data, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) data[i] = std::byte{data[i] != std::byte{0}};
}

}  // namespace litz
