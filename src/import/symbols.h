// The symbols of a program and the expressions over them; each text is parsed once.
//
// A symbol is declared at its first use, with the range that the program states; hints are kept as
// hints and never used as values.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "expr/expr.h"
#include "support/json.h"

namespace litz::import_ {

class SymbolTable {
 public:
  explicit SymbolTable(ExprPool& pool) : pool_(pool) {}

  /// Replaces symbols by values from now on (ImportOptions::fixed_sizes).
  void fix(std::map<std::string, int64_t> values);

  ExprPool& pool() { return pool_; }

  /// Reads `range_constraints`; entries for expressions are facts that already follow.
  void read_ranges(const JsonValue& ranges, const JsonPath& path);

  // Unions of an expression and a literal: SymInt, SymFloat, SymBool. Throw Error{corrupt}.
  Expr sym_int(const JsonValue& value, const JsonPath& path);
  Expr sym_float(const JsonValue& value, const JsonPath& path);
  Expr sym_bool(const JsonValue& value, const JsonPath& path);

 private:
  Expr expression(const JsonValue& expr, const JsonPath& path);
  Expr declare(const std::string& name, bool positive, std::optional<int64_t> hint);

  ExprPool& pool_;
  std::map<std::string, Interval, std::less<>> ranges_;
  std::map<std::string, int64_t> fixed_;
  std::map<std::string, Expr, std::less<>> parsed_;
};

}  // namespace litz::import_
