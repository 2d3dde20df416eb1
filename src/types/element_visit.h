// From a DType to the C++ type that stores its elements: the one switch over dtypes.
//
//   visit_dtype(dtype, [&]<typename T>() { fill(static_cast<T*>(data)); });
//
// Keep the body of the callable small: it is compiled once for each of the 21 types. For pairs of
// dtypes, do not nest visits (441 bodies); use a Wide type of scalar_cast.h instead.

#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "support/check.h"
#include "types/dtype.h"
#include "types/float_formats.h"

namespace litz {

/// Calls `body.template operator()<T>()` with the storage type of `dtype`; returns its result.
template <typename Body>
decltype(auto) visit_dtype(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::bool_:
      return body.template operator()<Bool8>();
    case DType::u8:
      return body.template operator()<uint8_t>();
    case DType::i8:
      return body.template operator()<int8_t>();
    case DType::u16:
      return body.template operator()<uint16_t>();
    case DType::i16:
      return body.template operator()<int16_t>();
    case DType::u32:
      return body.template operator()<uint32_t>();
    case DType::i32:
      return body.template operator()<int32_t>();
    case DType::u64:
      return body.template operator()<uint64_t>();
    case DType::i64:
      return body.template operator()<int64_t>();
    case DType::f8e4m3fn:
      return body.template operator()<Float8E4M3FN>();
    case DType::f8e5m2:
      return body.template operator()<Float8E5M2>();
    case DType::f8e4m3fnuz:
      return body.template operator()<Float8E4M3FNUZ>();
    case DType::f8e5m2fnuz:
      return body.template operator()<Float8E5M2FNUZ>();
    case DType::f8e8m0fnu:
      return body.template operator()<Float8E8M0FNU>();
    case DType::f16:
      return body.template operator()<Float16>();
    case DType::bf16:
      return body.template operator()<BFloat16>();
    case DType::f32:
      return body.template operator()<float>();
    case DType::f64:
      return body.template operator()<double>();
    case DType::c32:
      return body.template operator()<ComplexHalf>();
    case DType::c64:
      return body.template operator()<std::complex<float>>();
    case DType::c128:
      return body.template operator()<std::complex<double>>();
  }
  fail(ErrorCode::internal, "a dtype must be one of the enumerators:", static_cast<int>(dtype));
}

/// The dtype whose elements T stores; C++ `bool` counts as Bool8.
template <typename T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, Bool8> || std::is_same_v<T, bool>)
    return DType::bool_;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return DType::u8;
  else if constexpr (std::is_same_v<T, int8_t>)
    return DType::i8;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return DType::u16;
  else if constexpr (std::is_same_v<T, int16_t>)
    return DType::i16;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return DType::u32;
  else if constexpr (std::is_same_v<T, int32_t>)
    return DType::i32;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return DType::u64;
  else if constexpr (std::is_same_v<T, int64_t>)
    return DType::i64;
  else if constexpr (std::is_same_v<T, Float8E4M3FN>)
    return DType::f8e4m3fn;
  else if constexpr (std::is_same_v<T, Float8E5M2>)
    return DType::f8e5m2;
  else if constexpr (std::is_same_v<T, Float8E4M3FNUZ>)
    return DType::f8e4m3fnuz;
  else if constexpr (std::is_same_v<T, Float8E5M2FNUZ>)
    return DType::f8e5m2fnuz;
  else if constexpr (std::is_same_v<T, Float8E8M0FNU>)
    return DType::f8e8m0fnu;
  else if constexpr (std::is_same_v<T, Float16>)
    return DType::f16;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return DType::bf16;
  else if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::f64;
  else if constexpr (std::is_same_v<T, ComplexHalf>)
    return DType::c32;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return DType::c64;
  else {
    static_assert(std::is_same_v<T, std::complex<double>>, "T must be a storage type");
    return DType::c128;
  }
}

}  // namespace litz
