// The values of a program's expressions at its bound sizes, each evaluated once.
//
// A program repeats the same few expressions: sizes of tensors, strides, iterations. A user of one
// stores its number, and looks the value up again when sizes change.

#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expr/expr.h"

namespace litz::runtime {

class SizeTable {
 public:
  /// Every symbol in the expressions must have a value.
  explicit SizeTable(Bindings symbols) : symbols_(std::move(symbols)) {}

  /// Returns the number of an expression's value; equal expressions share one. A real value is
  /// stored as the bits of a double. Throws what evaluate() throws.
  int32_t add(Expr expr);
  /// Evaluates at the present sizes, without a number.
  int64_t value_of(Expr expr) const;

  int64_t operator[](int32_t number) const { return values_[static_cast<size_t>(number)]; }

  /// True if the last change of symbols changed the value.
  bool has_changed(int32_t number) const { return has_changed_[static_cast<size_t>(number)] != 0; }

  /// Replaces the values of all symbols.
  void set_symbols(const Bindings& symbols);

  /// Sets a symbol that differs in every call; values that depend on it are not updated.
  void set_varying(SymbolId symbol, int64_t value) { symbols_.set(symbol, value); }

  const Bindings& symbols() const { return symbols_; }

 private:
  Bindings symbols_;
  std::vector<Expr> exprs_;
  std::vector<int64_t> values_;
  std::vector<uint8_t> has_changed_;
  std::vector<size_t> symbolic_;  ///< Numbers of expressions that are not constant.
  std::unordered_map<Expr, int32_t> numbers_;
};

/// Numbers of a list.
using SizeNumbers = std::vector<int32_t>;
SizeNumbers add_all(SizeTable& table, std::span<const Expr> exprs);
bool has_any_changed(const SizeTable& table, const SizeNumbers& numbers);
/// `to` has one element per number.
void look_up(const SizeTable& table, const SizeNumbers& numbers, std::span<int64_t> to);

}  // namespace litz::runtime
