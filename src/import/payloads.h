// The tensors of an archive by their fully qualified names: parameters, buffers, constants.
//
// Bytes stay in the mapping; names that share a payload share one Storage, so aliasing survives.
// Every record is checked against its payload before a tensor is made:
//
//   W1 payload name   W2 bounds   W3 literal strided metadata   W4 names   W5 pickled payloads

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "import/archive.h"
#include "import/import.h"
#include "types/tensor.h"

namespace litz::import_ {

/// One record. Without data, `tensor` is undefined but the shape is valid.
struct Payload {
  DType dtype = DType::f32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t offset = 0;
  bool is_object = false;  ///< A script object instead of a tensor; it cannot be used.
  std::string entry;       ///< The entry with the bytes.
  Tensor tensor;
};

class PayloadTable {
 public:
  /// Reads index files or pickled payloads. Throws Error.
  static PayloadTable load(const Archive& archive, const ImportOptions& options);

  /// The record of a name, or null.
  const Payload* find(std::string_view name) const;

  /// In name order.
  const std::map<std::string, Payload, std::less<>>& all() const { return payloads_; }

 private:
  class Loader;
  std::map<std::string, Payload, std::less<>> payloads_;
};

}  // namespace litz::import_
