// The names of one graph during import: tensors are values, host scalars are expressions.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "import/symbols.h"
#include "ir/graph.h"
#include "support/json.h"

namespace litz::import_ {

/// The meaning of a name: nothing usable (a script object), a value, or an expression.
using Binding = std::variant<std::monostate, ir::Value, Expr>;

class ValueScope {
 public:
  ValueScope(const JsonValue& graph, const JsonPath& path, SymbolTable& symbols);

  // Descriptions recorded for names; these throw Error{corrupt} (G2) if there is none.
  TensorType tensor_type(std::string_view name) const;
  bool has_tensor(std::string_view name) const;
  Expr scalar(std::string_view name, ExprDomain domain) const;
  /// The scalar in any recorded domain.
  std::optional<Expr> find_scalar(std::string_view name) const;

  /// Throws Error{corrupt} (G1) if the name is taken.
  void bind(std::string_view name, Binding binding);
  /// Throws Error{corrupt} (G1) for a name that is not defined yet.
  const Binding& find(std::string_view name) const;
  ir::Value value(std::string_view name) const;
  Expr expression(std::string_view name) const;

  SymbolTable& symbols() const { return symbols_; }

 private:
  const JsonValue& table(std::string_view key) const;

  const JsonValue& graph_;
  const JsonPath& path_;
  SymbolTable& symbols_;
  std::map<std::string, Binding, std::less<>> bindings_;
};

/// The name in a {"name": ...} object or a {"as_name": ...} union.
std::string_view argument_name(const JsonValue& value, const JsonPath& path);

/// Converts an argument of a node (a tagged union) except sub-graphs. Throws Error.
ir::Argument read_argument(const JsonMember& argument, const JsonPath& path,
                           const ValueScope& scope);

}  // namespace litz::import_
