// Tensors with data: a strided view on a shared storage.

#pragma once

#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "types/dtype.h"
#include "types/element_visit.h"
#include "types/tensor_type.h"

namespace litz {

class MappedFile;

/// Which streams of a device use a block of its memory (runtime/stream_use.h).
struct StreamUse {
  std::atomic<int32_t> writer = -1;  ///< The stream that wrote it last; -1: it is ready.
  /// Bits of streams: work that they get comes after that write.
  std::atomic<uint64_t> users = 0;
};

/// A block of bytes on a device: owned (64-byte aligned), or foreign memory that `keeper` keeps
/// alive. Lent memory may end or move while tensors are on it; only one thread may use them then.
class Storage {
 public:
  /// Zero-filled.
  static std::shared_ptr<Storage> allocate(size_t bytes);
  /// Contents unspecified; for buffers that are fully written.
  static std::shared_ptr<Storage> allocate_uninitialized(size_t bytes);
  /// Read-only bytes in place; `keeper` owns them, and the mapped file if they belong to one.
  static std::shared_ptr<Storage> borrow(std::span<const std::byte> bytes,
                                         std::shared_ptr<const void> keeper,
                                         const MappedFile* file = nullptr);
  /// Writable foreign bytes: a caller's, or a device's memory, which only its launches access.
  /// `keeper` also owns `use`, which is null for memory whose work is ordered otherwise.
  static std::shared_ptr<Storage> lend(std::span<std::byte> bytes, Device device = {},
                                       std::shared_ptr<const void> keeper = nullptr,
                                       StreamUse* use = nullptr);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  size_t size() const { return size_; }

  Device device() const { return device_; }

  /// The address for the device; the host may only dereference its own. Throws if the storage has
  /// ended.
  std::byte* address() const {
    if (is_ended()) [[unlikely]] {
      refuse_ended();
    }
    return data_;
  }

  /// Check-fails for memory of a device. Throws if the storage has ended.
  const std::byte* data() const {
    if (device_.kind != DeviceKind::cpu || is_ended()) [[unlikely]] {
      refuse_host_access();
    }
    return data_;
  }

  /// Check-fails for memory of a device and for borrowed bytes.
  std::byte* mutable_data();

  bool is_writable() const { return writable_; }

  /// The streams that use memory of a device; null: nobody keeps account of them.
  StreamUse* use() const { return use_; }

  /// Ends lent memory, which gets other contents: every later access throws Error{invalid_argument}
  /// with the text.
  void end(std::string text);

  bool is_ended() const { return is_ended_.load(std::memory_order_relaxed); }

  /// Continues in `memory`, of the same device and at least this size, which has the same contents.
  /// Tensors follow; addresses that were read before do not. Only for lent memory.
  void move_to(std::shared_ptr<Storage> memory);

  /// Hints that these bytes will hardly be read again: pages of a mapped file are dropped and
  /// reloaded when read. Has no effect on other storages.
  void release_pages(size_t begin, size_t bytes) const;

 private:
  Storage() = default;
  [[noreturn]] void refuse_host_access() const;
  [[noreturn]] void refuse_ended() const;

  std::byte* data_ = nullptr;
  size_t size_ = 0;
  Device device_;
  bool writable_ = false;
  bool owned_ = false;
  std::atomic<bool> is_ended_ = false;
  std::shared_ptr<const void> keeper_;  ///< After the end: the text.
  StreamUse* use_ = nullptr;
  const MappedFile* file_ = nullptr;
};

/// Sizes and strides. Copies of a tensor share them, so that copying allocates nothing.
struct Geometry {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

/// A dtype, sizes, strides and an offset on a Storage; copying shares the storage.
class Tensor {
 public:
  /// An undefined tensor.
  Tensor() = default;
  /// Requires that every element lies inside the storage (overflow-checked).
  Tensor(DType dtype, std::vector<int64_t> sizes, std::vector<int64_t> strides, int64_t offset,
         std::shared_ptr<Storage> storage);
  Tensor(DType dtype, std::shared_ptr<const Geometry> geometry, int64_t offset,
         std::shared_ptr<Storage> storage);
  /// Fresh row-major memory; contents unspecified.
  static Tensor empty(DType dtype, std::vector<int64_t> sizes);
  /// Fresh memory with these strides (sized for the furthest element); zero-filled.
  static Tensor empty_strided(DType dtype, std::vector<int64_t> sizes,
                              std::vector<int64_t> strides);
  static Tensor zeros(DType dtype, std::vector<int64_t> sizes);
  /// Rank 0 tensors.
  static Tensor scalar(DType dtype, double value);
  static Tensor scalar_int(DType dtype, int64_t value);

  /// Row-major copy of the values, cast to the dtype; T: a storage type (element_visit.h) or bool.
  template <typename T>  // NOLINTNEXTLINE(performance-unnecessary-value-param): sizes is moved
  static Tensor of(DType dtype, std::vector<int64_t> sizes, std::span<const T> values) {
    return of_bytes(dtype_of<T>(), std::move(sizes), std::as_bytes(values)).to(dtype);
  }

  template <typename T>
  static Tensor of(DType dtype, std::vector<int64_t> sizes, std::initializer_list<T> values) {
    return of(dtype, std::move(sizes), std::span<const T>(values.begin(), values.size()));
  }

  /// Row-major copy of elements given as bytes; require-fails unless there are exactly enough.
  static Tensor of_bytes(DType dtype, std::vector<int64_t> sizes, std::span<const std::byte> bytes);

  bool defined() const { return storage_ != nullptr; }

  DType dtype() const { return dtype_; }

  const std::vector<int64_t>& sizes() const { return geometry().sizes; }

  const std::vector<int64_t>& strides() const { return geometry().strides; }

  int64_t offset() const { return offset_; }

  size_t rank() const { return sizes().size(); }

  int64_t numel() const;

  const std::shared_ptr<Storage>& storage() const { return storage_; }

  /// The storage's device; the host without a storage.
  Device device() const { return storage_ != nullptr ? storage_->device() : Device{}; }

  /// The address of element 0 for its device; the host may only dereference its own.
  std::byte* address() const {
    return storage_->address() + offset_ * static_cast<int64_t>(item_size(dtype_));
  }

  /// Address of element 0 on the host; check-fails for tensors of another device.
  const std::byte* data() const;
  std::byte* mutable_data();

  bool is_contiguous() const;
  /// Another view on the same storage; bounds-checked.
  Tensor view(std::vector<int64_t> sizes, std::vector<int64_t> strides, int64_t offset) const;
  /// The same bytes as elements of another dtype of the same size (u16 bits as bf16).
  Tensor view_as(DType dtype) const;
  /// A row-major copy, or itself if already row-major.
  Tensor contiguous() const;
  /// A new copy with the given strides (row-major if empty).
  Tensor clone(std::vector<int64_t> strides = {}) const;
  /// Copies values elementwise from a tensor of the same sizes, casting as PyTorch's copy_ does.
  void copy_from(const Tensor& source);
  /// Row-major in another dtype (itself if nothing changes), cast like PyTorch: to int truncates.
  Tensor to(DType dtype) const;

  /// The element at a multi-index, cast (slow; for tests and tools). Throws if out of range.
  double at(std::span<const int64_t> index) const;
  int64_t int_at(std::span<const int64_t> index) const;
  std::complex<double> complex_at(std::span<const int64_t> index) const;

  double at(std::initializer_list<int64_t> index) const { return at(std::span(index)); }

  int64_t int_at(std::initializer_list<int64_t> index) const { return int_at(std::span(index)); }

 private:
  const Geometry& geometry() const { return geometry_ != nullptr ? *geometry_ : kNone; }

  const std::byte* address(std::span<const int64_t> index) const;

  static const Geometry kNone;

  DType dtype_ = DType::f32;
  std::shared_ptr<const Geometry> geometry_;  ///< Null in an undefined tensor.
  int64_t offset_ = 0;
  std::shared_ptr<Storage> storage_;
};

/// The product of sizes; throws Error{out_of_range} if it exceeds int64.
int64_t checked_numel(std::span<const int64_t> sizes);
/// Elements from the storage start to one past the furthest element; 0 if empty. Throws on
/// overflow.
int64_t storage_span(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                     int64_t offset);
std::vector<int64_t> contiguous_strides(std::span<const int64_t> sizes);
/// Changes every non-zero byte to 1: files may use any byte for true, code uses booleans as masks.
void normalize_booleans(std::byte* data, size_t bytes);

/// A few values, dtype and shape, for people.
std::string to_string(const Tensor& tensor);

}  // namespace litz
