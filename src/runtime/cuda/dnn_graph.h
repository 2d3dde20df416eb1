// Descriptors of cuDNN's graph interface: objects with attributes that are set, then finalised.
// Numbers are the library's own (cudnn_graph.h).

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace litz::runtime::cuda::dnn {

enum class Kind : int {
  convolution = 1,
  engine = 2,
  engine_config = 3,
  engine_heuristics = 4,
  execution_plan = 5,
  convolve_forward = 10,
  convolve_backward_data = 12,
  operation_graph = 15,
  variant_pack = 16,
  tensor = 17,
};

enum class Attribute : int {
  convolution_type = 100,
  convolution_mode = 101,
  convolution_dilations = 102,
  convolution_strides = 103,
  convolution_post_paddings = 104,
  convolution_pre_paddings = 105,
  convolution_spatial_dims = 106,
  heuristics_mode = 200,
  heuristics_graph = 201,
  heuristics_results = 202,
  config_engine = 300,
  plan_handle = 400,
  plan_config = 401,
  plan_workspace = 402,
  forward_alpha = 700,
  forward_beta = 701,
  forward_convolution = 702,
  forward_w = 703,
  forward_x = 704,
  forward_y = 705,
  backward_alpha = 706,
  backward_beta = 707,
  backward_convolution = 708,
  backward_w = 709,
  backward_dx = 710,
  backward_dy = 711,
  graph_handle = 800,
  graph_operations = 801,
  tensor_alignment = 900,
  tensor_type = 901,
  tensor_sizes = 902,
  tensor_strides = 903,
  tensor_id = 906,
  pack_ids = 1000,
  pack_pointers = 1001,
  pack_workspace = 1003,
  engine_notes = 1303,
};

enum class Type : int {
  handle = 0,
  data_type = 1,
  integer = 3,
  single = 4,
  double_ = 5,
  pointer = 6,
  convolution_mode = 7,
  heuristics_mode = 8,
  note = 11,
  descriptor = 15,
};

/// Facts about the numbers that an engine gives.
enum class Note : int {
  tensor_core = 0,
  down_converts = 1,
  reduces_in_less = 2,
  fft = 3,
  nondeterministic = 4,
  winograd_13 = 8,
};

inline constexpr int kMostNotes = 16;

enum class HeuristicsMode : int { fallback = 2, a = 3 };

struct GraphFunctions {
  int (*create)(int kind, void** descriptor) = nullptr;
  int (*destroy)(void* descriptor) = nullptr;
  int (*finalize)(void* descriptor) = nullptr;
  int (*set)(void* descriptor, int attribute, int type, int64_t count,
             const void* values) = nullptr;
  int (*get)(void* descriptor, int attribute, int type, int64_t wanted, int64_t* count,
             void* values) = nullptr;
  int (*execute)(void* handle, void* plan, void* pack) = nullptr;
};

/// Owns a descriptor. Setting and finalising fail silently until `finalize` says so.
class Descriptor {
 public:
  Descriptor(const GraphFunctions& functions, Kind kind);
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&&) = delete;

  void* get() const { return handle_; }

  void set(Attribute attribute, Type type, int64_t count, const void* values);

  template <typename Value>
  void set_one(Attribute attribute, Type type, Value value) {
    set(attribute, type, 1, &value);
  }

  void set_integers(Attribute attribute, std::span<const int64_t> values) {
    set(attribute, Type::integer, static_cast<int64_t>(values.size()), values.data());
  }

  void set_part(Attribute attribute, const Descriptor& part) {
    set_one(attribute, Type::descriptor, part.get());
  }

  /// True if the library took everything that was set.
  bool finalize();

  /// The number of values that were written to `values`, which has room for `room`; -1: it failed.
  int64_t read(Attribute attribute, Type type, int64_t room, void* values) const;

 private:
  const GraphFunctions* functions_;
  void* handle_ = nullptr;
  bool is_good_ = true;
};

}  // namespace litz::runtime::cuda::dnn
