// Reads the small types of the program's JSON: dtypes, devices, layouts, tensor descriptions.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "support/json.h"
#include "types/dtype.h"
#include "types/tensor_type.h"

namespace litz::import_ {

class SymbolTable;

/// The dtype of a schema number; nothing for unassigned numbers.
std::optional<DType> dtype_of_schema(int64_t number);

// Each throws Error{corrupt} with the path, or Error{unsupported} for values that Litz cannot
// represent.
DType read_dtype(const JsonValue& value, const JsonPath& path);
/// Any known device is the program's logical device: a later step decides where the program runs.
Device read_device(const JsonValue& value, const JsonPath& path);
void require_strided(const JsonValue& value, const JsonPath& path);
MemoryFormat read_memory_format(const JsonValue& value, const JsonPath& path);

/// A tensor description without symbols, as in the index files.
struct LiteralTensorMeta {
  DType dtype = DType::f32;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t offset = 0;
};

LiteralTensorMeta read_literal_tensor_meta(const JsonValue& value, const JsonPath& path);
TensorType read_tensor_meta(const JsonValue& value, const JsonPath& path, SymbolTable& symbols);

}  // namespace litz::import_
