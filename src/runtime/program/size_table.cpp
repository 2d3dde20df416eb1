#include "runtime/program/size_table.h"

#include <algorithm>

#include "artifact/kernel_code.h"

namespace litz::runtime {

int32_t SizeTable::add(Expr expr) {
  const auto [at, is_new] = numbers_.try_emplace(expr, static_cast<int32_t>(exprs_.size()));
  if (is_new) {
    if (!expr.is_constant()) symbolic_.push_back(exprs_.size());
    values_.push_back(value_of(expr));
    exprs_.push_back(expr);
    has_changed_.push_back(0);
  }
  return at->second;
}

int64_t SizeTable::value_of(Expr expr) const { return artifact::scalar_bits(expr, symbols_); }

void SizeTable::set_symbols(const Bindings& symbols) {
  symbols_ = symbols;
  for (const size_t i : symbolic_) {
    const int64_t value = value_of(exprs_[i]);
    has_changed_[i] = value != values_[i] ? 1 : 0;
    values_[i] = value;
  }
}

SizeNumbers add_all(SizeTable& table, std::span<const Expr> exprs) {
  SizeNumbers numbers;
  numbers.reserve(exprs.size());
  for (const Expr expr : exprs) numbers.push_back(table.add(expr));
  return numbers;
}

bool has_any_changed(const SizeTable& table, const SizeNumbers& numbers) {
  return std::ranges::any_of(numbers, [&](int32_t number) { return table.has_changed(number); });
}

void look_up(const SizeTable& table, const SizeNumbers& numbers, std::span<int64_t> to) {
  for (size_t i = 0; i < numbers.size(); ++i) to[i] = table[numbers[i]];
}

}  // namespace litz::runtime
