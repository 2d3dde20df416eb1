#include "loops/literal.h"

#include <complex>
#include <cstring>

#include "types/element_visit.h"
#include "types/scalar_cast.h"

namespace litz::loops {

LiteralBytes encode_literal(const Literal& literal, DType dtype) {
  LiteralBytes bytes{};
  visit_dtype(dtype, [&]<typename T>() {
    const T value = std::visit([](const auto& wide) { return store<T>(wide); }, literal);
    std::memcpy(bytes.data(), &value, sizeof(T));
  });
  return bytes;
}

Literal decode_literal(const LiteralBytes& bytes, DType dtype) {
  return visit_dtype(dtype, [&]<typename T>() -> Literal {
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    const auto wide = load(value);
    if constexpr (kIsComplex<Wide<T>>) {
      return std::complex<double>(wide);
    } else if constexpr (std::is_floating_point_v<Wide<T>>) {
      return static_cast<double>(wide);
    } else {
      return static_cast<int64_t>(wide);
    }
  });
}

Literal literal_as(int64_t value, DType dtype) {
  // Converts through the element, so that the dtype can represent the literal.
  return decode_literal(encode_literal(value, dtype), dtype);
}

}  // namespace litz::loops
