// The symbols of a program and the expressions over them, read from their text once.
//
// A symbol is declared when it is first met, with the range that the program states; hints are kept
// as hints, never used as values.

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

  /// Symbols that stand for a value from now on (ImportOptions::fixed_sizes).
  void fix(std::map<std::string, int64_t> values);

  ExprPool& pool() { return pool_; }

  /// Reads `range_constraints`; keys that are expressions are facts already implied.
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
