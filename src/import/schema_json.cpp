#include "import/schema_json.h"

#include <algorithm>
#include <array>

#include "import/symbols.h"
#include "support/check.h"
#include "support/text.h"
#include "types/tensor.h"

namespace litz::import_ {
namespace {

constexpr size_t kMaxRank = 64;
// Devices without support for tensors: programs exported there are read as programs of the host.
constexpr std::array<std::string_view, 7> kOtherDevices = {"hip",  "xpu", "mps", "hpu",
                                                           "mtia", "npu", "xla"};

void check_ranks(size_t sizes, size_t strides, const JsonPath& path) {
  require(sizes == strides, ErrorCode::corrupt,
          "G7: a tensor must have as many strides as sizes:", path, sizes, strides);
  require(sizes <= kMaxRank, ErrorCode::corrupt,
          "G7: the rank of a tensor must be at most 64:", path, sizes);
}

int64_t read_literal(const JsonValue& value, const JsonPath& path) {
  int64_t number = 0;
  if (value.is_int()) {
    number = value.as_int(path);
  } else {
    const JsonMember& member = value.as_union(path);
    require(member.key == "as_int", ErrorCode::corrupt,
            "W3: the sizes of a weight must be literal:", path, quote(member.key));
    number = member.value.as_int(path / "as_int");
  }
  require(number >= 0, ErrorCode::corrupt,
          "G7: sizes, strides and offsets must not be negative:", path, number);
  return number;
}

std::vector<int64_t> read_literals(const JsonValue& value, const JsonPath& path) {
  std::vector<int64_t> numbers;
  const std::span<const JsonValue> items = value.as_array(path);
  for (size_t i = 0; i < items.size(); ++i) numbers.push_back(read_literal(items[i], path / i));
  return numbers;
}

Sizes read_sizes(const JsonValue& value, const JsonPath& path, SymbolTable& symbols) {
  Sizes sizes;
  const std::span<const JsonValue> items = value.as_array(path);
  for (size_t i = 0; i < items.size(); ++i) {
    sizes.push_back(symbols.sym_int(items[i], path / i));
    const auto constant = sizes.back().maybe_constant();
    require(!constant || *constant >= 0, ErrorCode::corrupt,
            "G7: sizes, strides and offsets must not be negative:", (path / i).text(),
            constant.value_or(0));
  }
  return sizes;
}

// Checks the bytes between the first and the last element, if the sizes are literal.
void check_extent(const TensorType& type, const JsonPath& path) {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  for (size_t i = 0; i < type.sizes.size(); ++i) {
    const auto size = type.sizes[i].maybe_constant();
    const auto stride = type.strides[i].maybe_constant();
    if (!size || !stride) continue;
    sizes.push_back(*size);
    strides.push_back(*stride);
  }
  int64_t bytes = 0;
  bool fits = true;
  try {
    checked_numel(sizes);
    const int64_t span = storage_span(sizes, strides, type.offset.maybe_constant().value_or(0));
    fits = !__builtin_mul_overflow(span, item_size(type.dtype), &bytes);
  } catch (const Error&) {
    fits = false;
  }
  require(fits, ErrorCode::corrupt, "G8: the extent of a tensor must fit 64 bits:", path);
}

}  // namespace

std::optional<DType> dtype_of_schema(int64_t number) {
  switch (number) {
    case 1:
      return DType::u8;
    case 2:
      return DType::i8;
    case 3:
      return DType::i16;
    case 4:
      return DType::i32;
    case 5:
      return DType::i64;
    case 6:
      return DType::f16;
    case 7:
      return DType::f32;
    case 8:
      return DType::f64;
    case 9:
      return DType::c32;
    case 10:
      return DType::c64;
    case 11:
      return DType::c128;
    case 12:
      return DType::bool_;
    case 13:
      return DType::bf16;
    case 28:
      return DType::u16;
    case 29:
      return DType::f8e4m3fn;
    case 30:
      return DType::f8e5m2;
    case 31:
      return DType::f8e4m3fnuz;
    case 32:
      return DType::f8e5m2fnuz;
    case 33:
      return DType::f8e8m0fnu;
    case 34:
      return DType::u32;
    case 35:
      return DType::u64;
    default:
      return std::nullopt;
  }
}

DType read_dtype(const JsonValue& value, const JsonPath& path) {
  const int64_t number = value.as_int(path);
  const auto dtype = dtype_of_schema(number);
  require(dtype.has_value(), ErrorCode::corrupt, "J6: unknown dtype number:", path, number);
  return *dtype;
}

Device read_device(const JsonValue& value, const JsonPath& path) {
  const std::string_view type = value.at("type", path).as_string(path / "type");
  const JsonValue* index = value.get("index", path);
  if (std::ranges::find(kOtherDevices, type) != kOtherDevices.end()) return {};
  std::string text(type);
  if (index != nullptr && !index->is_null()) {
    const int64_t number = index->as_int(path / "index");
    require(number >= 0, ErrorCode::corrupt,
            "J6: the index of a device must not be negative:", path, number);
    text += ":" + std::to_string(number);
  }
  const std::optional<Device> device = parse_device(text);
  require(device.has_value() && device->kind != DeviceKind::sim, ErrorCode::unsupported,
          "G9: device is not supported:", path, quote(text));
  // There is one host, whatever its index is.
  return device->kind == DeviceKind::cpu ? Device{} : *device;
}

void require_strided(const JsonValue& value, const JsonPath& path) {
  const int64_t layout = value.as_int(path);
  require(layout >= 1 && layout <= 7, ErrorCode::corrupt, "J6: unknown layout number:", path,
          layout);
  require(layout == 7, ErrorCode::unsupported, "G9: only strided tensors are supported:", path,
          layout);
}

MemoryFormat read_memory_format(const JsonValue& value, const JsonPath& path) {
  const int64_t number = value.as_int(path);
  switch (number) {
    case 1:
      return MemoryFormat::contiguous;
    case 2:
      return MemoryFormat::channels_last;
    case 3:
      return MemoryFormat::channels_last_3d;
    case 4:
      return MemoryFormat::preserve;
    default:
      break;
  }
  fail(ErrorCode::corrupt, "J6: unknown memory format number:", path, number);
}

LiteralTensorMeta read_literal_tensor_meta(const JsonValue& value, const JsonPath& path) {
  LiteralTensorMeta meta;
  meta.dtype = read_dtype(value.at("dtype", path), path / "dtype");
  require_strided(value.at("layout", path), path / "layout");
  meta.sizes = read_literals(value.at("sizes", path), path / "sizes");
  meta.strides = read_literals(value.at("strides", path), path / "strides");
  check_ranks(meta.sizes.size(), meta.strides.size(), path);
  meta.offset = read_literal(value.at("storage_offset", path), path / "storage_offset");
  return meta;
}

TensorType read_tensor_meta(const JsonValue& value, const JsonPath& path, SymbolTable& symbols) {
  TensorType type;
  type.dtype = read_dtype(value.at("dtype", path), path / "dtype");
  require_strided(value.at("layout", path), path / "layout");
  type.device = read_device(value.at("device", path), path / "device");
  type.sizes = read_sizes(value.at("sizes", path), path / "sizes", symbols);
  type.strides = read_sizes(value.at("strides", path), path / "strides", symbols);
  check_ranks(type.sizes.size(), type.strides.size(), path);
  type.offset = symbols.sym_int(value.at("storage_offset", path), path / "storage_offset");
  const auto offset = type.offset.maybe_constant();
  require(!offset || *offset >= 0, ErrorCode::corrupt,
          "G7: sizes, strides and offsets must not be negative:", path, type.offset);
  check_extent(type, path);
  return type;
}

}  // namespace litz::import_
