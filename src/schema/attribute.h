// Attributes: the arguments of an operator call that are not values of the graph.
//
// All scalars are Exprs: a literal int, float or bool is a constant of that domain, a size an
// expression. So `1` and `1.0` stay different, as promotion requires, and one accessor serves both.

#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "expr/expr.h"
#include "support/hash.h"
#include "types/dtype.h"
#include "types/tensor_type.h"

namespace litz::ir {

enum class Layout : uint8_t { strided };

/// Names a graph of the same Module.
struct GraphRef {
  uint32_t id = 0;
  bool operator==(const GraphRef&) const = default;
};

/// Names an operator that is itself an argument (auto_functionalized and similar).
struct OpRef {
  std::string name;
  bool operator==(const OpRef&) const = default;
};

using Scalars = std::vector<Expr>;
using Strings = std::vector<std::string>;

/// All kinds of attributes.
using AttributeVariant =
    std::variant<std::monostate, Expr, std::complex<double>, Scalars, std::string, Strings, DType,
                 Layout, Device, MemoryFormat, GraphRef, OpRef>;

/// A compile-time constant or symbolic argument; monostate is Python's None. A class, so that the
/// variant's copy functions are compiled only once: they took half of the compile time of small
/// sources.
class Attribute : public AttributeVariant {
 public:
  Attribute();

  template <typename T>

  requires(!std::is_base_of_v<Attribute, std::remove_cvref_t<T>> &&
           std::is_constructible_v<AttributeVariant, T>) Attribute(T&& value)  // NOLINT
      : AttributeVariant(std::forward<T>(value)) {}

  Attribute(const Attribute& other);
  Attribute(Attribute&& other) noexcept;
  Attribute& operator=(const Attribute& other);
  Attribute& operator=(Attribute&& other) noexcept;
  ~Attribute();
};

/// True if equal in every bit. Complex numbers need this: 0 and -0 have equal values but can give
/// different results. Exprs always compare so.
bool is_identical(const Attribute& a, const Attribute& b);
/// Adds a hash that is equal for identical attributes.
void add_to(Hasher& hash, const Attribute& attribute);

/// IR spelling of any attribute. Graphs print as `@#id`; the printer, which knows their names, does
/// not use this for them.
std::string to_string(const Attribute& attribute);
/// One scalar: `1`, `1.0`, `true`, `inf`, or a symbolic expression.
std::string scalar_text(const Expr& value);
/// Text in double quotes with escapes, as the IR spells strings.
std::string quoted(std::string_view text);

}  // namespace litz::ir
