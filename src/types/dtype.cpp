#include "types/dtype.h"

#include <array>
#include <utility>

#include "support/check.h"

namespace litz {
namespace {

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  std::string_view torch_name;
  int8_t bytes;
  DTypeCategory category;
  bool is_signed;
};

constexpr std::array<DTypeInfo, kDTypeCount> kInfo = {{
    {DType::bool_, "bool", "bool", 1, DTypeCategory::bool_, false},
    {DType::u8, "u8", "uint8", 1, DTypeCategory::integer, false},
    {DType::i8, "i8", "int8", 1, DTypeCategory::integer, true},
    {DType::u16, "u16", "uint16", 2, DTypeCategory::integer, false},
    {DType::i16, "i16", "int16", 2, DTypeCategory::integer, true},
    {DType::u32, "u32", "uint32", 4, DTypeCategory::integer, false},
    {DType::i32, "i32", "int32", 4, DTypeCategory::integer, true},
    {DType::u64, "u64", "uint64", 8, DTypeCategory::integer, false},
    {DType::i64, "i64", "int64", 8, DTypeCategory::integer, true},
    {DType::f8e4m3fn, "f8e4m3fn", "float8_e4m3fn", 1, DTypeCategory::floating, true},
    {DType::f8e5m2, "f8e5m2", "float8_e5m2", 1, DTypeCategory::floating, true},
    {DType::f8e4m3fnuz, "f8e4m3fnuz", "float8_e4m3fnuz", 1, DTypeCategory::floating, true},
    {DType::f8e5m2fnuz, "f8e5m2fnuz", "float8_e5m2fnuz", 1, DTypeCategory::floating, true},
    // Powers of two only: neither sign nor zero.
    {DType::f8e8m0fnu, "f8e8m0fnu", "float8_e8m0fnu", 1, DTypeCategory::floating, false},
    {DType::f16, "f16", "float16", 2, DTypeCategory::floating, true},
    {DType::bf16, "bf16", "bfloat16", 2, DTypeCategory::floating, true},
    {DType::f32, "f32", "float32", 4, DTypeCategory::floating, true},
    {DType::f64, "f64", "float64", 8, DTypeCategory::floating, true},
    {DType::c32, "c32", "complex32", 4, DTypeCategory::complex, true},
    {DType::c64, "c64", "complex64", 8, DTypeCategory::complex, true},
    {DType::c128, "c128", "complex128", 16, DTypeCategory::complex, true},
}};

constexpr bool rows_are_in_enum_order() {
  for (size_t i = 0; i < kInfo.size(); ++i) {
    if (static_cast<size_t>(kInfo[i].dtype) != i) return false;
  }
  return true;
}

static_assert(rows_are_in_enum_order());

const DTypeInfo& info(DType dtype) {
  auto index = static_cast<size_t>(dtype);
  check(index < kInfo.size(), "a dtype must be one of the enumerators:", index);
  return kInfo[index];
}

bool is_wide_unsigned(DType dtype) {
  return dtype == DType::u16 || dtype == DType::u32 || dtype == DType::u64;
}

DType promote_integers(DType a, DType b) {
  if (is_signed(a) == is_signed(b)) return item_size(a) >= item_size(b) ? a : b;
  // u8 with a signed type: the narrowest signed type that holds both.
  DType signed_one = is_signed(a) ? a : b;
  return signed_one == DType::i8 ? DType::i16 : signed_one;
}

DType promote_floats(DType a, DType b) {
  // Neither half type represents the other.
  if (a != b && is_half(a) && is_half(b)) return DType::f32;
  return item_size(a) >= item_size(b) ? a : b;
}

}  // namespace

std::string_view name(DType dtype) { return info(dtype).name; }

std::string_view torch_name(DType dtype) { return info(dtype).torch_name; }

std::optional<DType> parse_dtype(std::string_view text) {
  for (const DTypeInfo& row : kInfo) {
    if (row.name == text || row.torch_name == text) return row.dtype;
  }
  return std::nullopt;
}

int64_t item_size(DType dtype) { return info(dtype).bytes; }

DTypeCategory category(DType dtype) { return info(dtype).category; }

bool is_floating(DType dtype) { return category(dtype) == DTypeCategory::floating; }

bool is_complex(DType dtype) { return category(dtype) == DTypeCategory::complex; }

bool is_integer(DType dtype) { return category(dtype) == DTypeCategory::integer; }

bool is_signed(DType dtype) { return info(dtype).is_signed; }

bool is_float8(DType dtype) { return is_floating(dtype) && item_size(dtype) == 1; }

bool is_half(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

DType promote(DType a, DType b) {
  if (a == b) return a;
  require(!is_float8(a) && !is_float8(b), ErrorCode::unsupported,
          "float8 types promote only with themselves, cast one first:", name(a), name(b));
  if (is_wide_unsigned(a) || is_wide_unsigned(b)) {
    if (is_floating(a)) return a;
    if (is_floating(b)) return b;
    fail(ErrorCode::unsupported,
         "uint16, uint32 and uint64 promote only with floating types, cast one first:", name(a),
         name(b));
  }
  if (category(a) < category(b)) std::swap(a, b);
  if (category(a) == category(b)) {
    switch (category(a)) {
      case DTypeCategory::bool_:
        return a;
      case DTypeCategory::integer:
        return promote_integers(a, b);
      case DTypeCategory::floating:
        return promote_floats(a, b);
      case DTypeCategory::complex:
        return item_size(a) >= item_size(b) ? a : b;
    }
  }
  // A floating type widens a complex type's parts; everything else yields to the higher category.
  if (is_complex(a) && is_floating(b)) return complex_dtype(promote_floats(real_dtype(a), b));
  return a;
}

DType compute_dtype(DType dtype) {
  if (is_half(dtype) || is_float8(dtype)) return DType::f32;
  return dtype == DType::c32 ? DType::c64 : dtype;
}

DType real_dtype(DType dtype) {
  switch (dtype) {
    case DType::c32:
      return DType::f16;
    case DType::c64:
      return DType::f32;
    case DType::c128:
      return DType::f64;
    default:
      return dtype;
  }
}

DType complex_dtype(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return DType::c32;
    // No complex type has bf16 parts; PyTorch uses the next wider one.
    case DType::bf16:
    case DType::f32:
      return DType::c64;
    case DType::f64:
      return DType::c128;
    default:
      fail(ErrorCode::unsupported,
           "a complex type must have float16, float32 or float64 parts:", name(dtype));
  }
}

}  // namespace litz
