// Matrix products by NVIDIA's cuBLASLt, which is opened when the first product is planned.
//
// Products of f32 are computed in f32, without TF32; those of f16 and bf16 add in f32. Only
// algorithms whose results do not depend on the order of blocks are taken.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "types/dtype.h"

namespace litz::runtime::cuda {

/// A batch of matrices in memory.
struct BlasMatrix {
  int64_t lead = 0;        ///< Elements from one row to the next; from column to column if turned.
  bool is_turned = false;  ///< Columns are contiguous instead of rows.
  int64_t batch_stride = 0;  ///< Elements from one matrix to the next.

  bool operator==(const BlasMatrix&) const = default;
};

/// What is added to a product.
enum class BlasAddend : uint8_t {
  none,
  bias,   ///< One element per column, times 1.
  matrix  ///< A matrix like the result, times beta.
};

/// result[b, i, j] = alpha * (sum over k of left[b, i, k] * right[b, k, j]) + addend.
struct BlasProduct {
  DType dtype = DType::f32;         ///< Of all operands: f16, bf16, f32 or f64.
  DType result_dtype = DType::f32;  ///< The same, or f32 for halves. Also of what is added.
  int64_t batch = 1;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  BlasMatrix left;
  BlasMatrix right;
  BlasMatrix result;  ///< Not turned.
  BlasAddend addend = BlasAddend::none;
  BlasMatrix addend_matrix;  ///< Not turned.
  double alpha = 1;
  double beta = 0;
  int64_t alignment = 16;  ///< All addresses are multiples of so many bytes.

  bool operator==(const BlasProduct&) const = default;
};

class BlasLt;

/// The algorithm for one product. Thread-safe.
class BlasPlan {
 public:
  ~BlasPlan();
  BlasPlan(const BlasPlan&) = delete;
  BlasPlan& operator=(const BlasPlan&) = delete;

  size_t workspace_bytes() const { return workspace_bytes_; }

  struct Operands {
    const void* left = nullptr;
    const void* right = nullptr;
    const void* addend = nullptr;
    void* result = nullptr;
    void* workspace = nullptr;
  };

  /// Adds the product to a stream of the driver's; a capturing one records it.
  void run(void* stream, const Operands& operands) const;

 private:
  friend class BlasLt;
  BlasPlan() = default;

  const BlasLt* library_ = nullptr;
  DType scale_ = DType::f32;
  void* description_ = nullptr;
  void* left_ = nullptr;
  void* right_ = nullptr;
  void* result_ = nullptr;
  void* addend_ = nullptr;  ///< The result's layout unless a matrix is added.
  std::array<uint64_t, 8> algorithm_{};
  size_t workspace_bytes_ = 0;
  bool has_bias_ = false;
  double alpha_ = 1;
  double beta_ = 0;
  mutable std::mutex mutex_;  ///< The description holds the bias' address.
};

/// The library with a handle on the context that is current while it is made.
class BlasLt {
 public:
  /// Throws Error{unsupported} if the library cannot be opened.
  BlasLt();
  ~BlasLt();
  BlasLt(const BlasLt&) = delete;
  BlasLt& operator=(const BlasLt&) = delete;

  /// Empty if the library can be opened, else why not.
  static std::string reason_missing();

  /// True for dtypes and layouts that the library takes.
  static bool takes(const BlasProduct& product);
  /// Null if the library has no algorithm for it.
  std::unique_ptr<BlasPlan> plan(const BlasProduct& product) const;

 private:
  friend class BlasPlan;
  void* handle_ = nullptr;
};

}  // namespace litz::runtime::cuda
