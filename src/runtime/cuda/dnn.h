// Convolutions by NVIDIA's cuDNN, which is opened when the first one is planned.
//
// Convolutions of f32 are computed in f32, without TF32; those of f16 and bf16 add in f32. Only
// engines that the library calls deterministic are taken, the first of those that its heuristics
// name.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/cuda/dnn_graph.h"
#include "types/dtype.h"

namespace litz::runtime::cuda {

/// A convolution of images [batch, channels, ...] with two or three spatial dimensions.
struct DnnConvolution {
  DType dtype = DType::f32;  ///< Of all operands: f16, bf16, f32 or f64.
  std::vector<int64_t> input_sizes;
  std::vector<int64_t> input_strides;
  std::vector<int64_t> weight_sizes;
  std::vector<int64_t> weight_strides;
  std::vector<int64_t> result_sizes;
  std::vector<int64_t> result_strides;
  std::vector<int64_t> padding;  ///< By spatial dimension, as the next ones.
  std::vector<int64_t> stride;
  std::vector<int64_t> dilation;
  bool is_transposed = false;
  bool has_bias = false;   ///< One element per channel of the result, side by side.
  int64_t alignment = 16;  ///< Bytes; all addresses are multiples of it.
};

class Dnn;

/// The engine for one convolution. Thread-safe.
class DnnPlan {
 public:
  ~DnnPlan();
  DnnPlan(const DnnPlan&) = delete;
  DnnPlan& operator=(const DnnPlan&) = delete;

  size_t workspace_bytes() const { return workspace_bytes_; }

  struct Operands {
    const void* input = nullptr;
    const void* weight = nullptr;
    const void* bias = nullptr;
    void* result = nullptr;
    void* workspace = nullptr;
  };

  /// Adds the convolution to a stream of the driver's; a capturing one records it.
  void run(void* stream, const Operands& operands) const;

 private:
  friend class Dnn;
  DnnPlan() = default;

  /// Describes what adds a bias; false if the library cannot.
  bool describe_bias(const DnnConvolution& convolution);

  const Dnn* library_ = nullptr;
  bool is_double_ = false;
  std::vector<dnn::Descriptor> parts_;  ///< What the plan was made of, then the plan.
  size_t workspace_bytes_ = 0;
  void* bias_ = nullptr;    ///< Null: there is none.
  void* target_ = nullptr;  ///< What it is added to.
};

/// The library with a handle on the context that is current while it is made.
class Dnn {
 public:
  /// Throws Error{unsupported} if the library cannot be opened.
  Dnn();
  ~Dnn();
  Dnn(const Dnn&) = delete;
  Dnn& operator=(const Dnn&) = delete;

  /// Empty if the library can be opened, else why not.
  static std::string reason_missing();

  /// Null if the library has no deterministic engine for it.
  std::unique_ptr<DnnPlan> plan(const DnnConvolution& convolution) const;

 private:
  friend class DnnPlan;
  void* handle_ = nullptr;
  mutable std::mutex mutex_;  ///< The handle holds the stream.
};

}  // namespace litz::runtime::cuda
