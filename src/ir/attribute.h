// Attributes and arguments: what an operator call is given, in schema order.
//
// Scalars are Exprs throughout: a literal int, float or bool is a constant of that domain, a size
// an expression. So `1` and `1.0` stay apart (promotion needs that); one accessor serves both.

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

class Value;

enum class Layout : uint8_t { strided };

/// Names a graph of the same Module.
struct GraphRef {
  uint32_t id = 0;
  bool operator==(const GraphRef&) const = default;
};

/// Names an operator, where an operator is itself an argument (auto_functionalized and friends).
struct OpRef {
  std::string name;
  bool operator==(const OpRef&) const = default;
};

using Scalars = std::vector<Expr>;
using Strings = std::vector<std::string>;

/// What an attribute can be.
using AttributeVariant =
    std::variant<std::monostate, Expr, std::complex<double>, Scalars, std::string, Strings, DType,
                 Layout, Device, MemoryFormat, GraphRef, OpRef>;

/// A compile-time constant or symbolic argument; monostate is Python's None.
/// A variant whose copies are compiled once: half of the time of small sources went into them.
class Attribute : public AttributeVariant {
 public:
  Attribute();

  template <typename T>

  requires(!std::is_base_of_v<Attribute, std::remove_cvref_t<T>> &&
           std::is_constructible_v<AttributeVariant, T>) Attribute(T&& value)
      : AttributeVariant(std::forward<T>(value)) {}  // NOLINT

  Attribute(const Attribute& other);
  Attribute(Attribute&& other) noexcept;
  Attribute& operator=(const Attribute& other);
  Attribute& operator=(Attribute&& other) noexcept;
  ~Attribute();
};

/// Equal in every bit, also of complex numbers, where 0 and -0 are equal by value: what computes
/// with one may not be given the other. Exprs are so by themselves.
bool is_identical(const Attribute& a, const Attribute& b);
/// The same for identical attributes.
void add_to(Hasher& hash, const Attribute& attribute);

/// IR spelling of any attribute. Graphs print as `@#id`; the printer, which knows their names, does
/// not use this for them.
std::string to_string(const Attribute& attribute);
/// One scalar: `1`, `1.0`, `true`, `inf`, or a symbolic expression.
std::string scalar_text(const Expr& value);
/// Text in double quotes with escapes, as the IR spells strings.
std::string quoted(std::string_view text);

/// `none` | value | list of values (entries may be null: None) | attribute.
class Argument;

}  // namespace litz::ir
