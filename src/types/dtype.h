// Element types: every dtype an exported program can name, with sizes and PyTorch's promotion.
//
// Enumerators use the IR's own spelling (`f32[2, 3]`), except `bool_`, which prints as "bool".

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace litz {

enum class DType : uint8_t {
  bool_,
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  u64,
  i64,
  f8e4m3fn,
  f8e5m2,
  f8e4m3fnuz,
  f8e5m2fnuz,
  f8e8m0fnu,
  f16,
  bf16,
  f32,
  f64,
  c32,   ///< Two f16.
  c64,   ///< Two f32.
  c128,  ///< Two f64.
};

inline constexpr int kDTypeCount = 21;

/// The promotion ladder: a higher category wins over a lower one, whatever the widths.
enum class DTypeCategory : uint8_t { bool_, integer, floating, complex };

/// Spelling in IR text: "f32", "bool".
std::string_view name(DType dtype);
/// PyTorch's spelling: "float32", "bool"; also NumPy's if NumPy has the type.
std::string_view torch_name(DType dtype);
/// Parses either spelling; nothing for unknown text.
std::optional<DType> parse_dtype(std::string_view text);

/// Bytes of one element.
int64_t item_size(DType dtype);
DTypeCategory category(DType dtype);
bool is_floating(DType dtype);
bool is_complex(DType dtype);
/// Integers of any width, but not bool.
bool is_integer(DType dtype);
bool is_signed(DType dtype);
bool is_float8(DType dtype);
/// f16 and bf16: types whose arithmetic PyTorch does in f32.
bool is_half(DType dtype);

/// The result type of two tensors with dimensions, as in torch.promote_types. Float8 and wide
/// unsigned types promote only as PyTorch allows; other pairs throw Error{unsupported}.
DType promote(DType a, DType b);

/// The type in which PyTorch computes: f32 for f16, bf16 and float8; c64 for c32; else itself.
DType compute_dtype(DType dtype);
/// The real type of a complex type's parts; itself for real types.
DType real_dtype(DType dtype);
/// The complex type with parts of the given floating type.
DType complex_dtype(DType dtype);

}  // namespace litz
