// Splits index expressions into linear terms, without new expressions: preparing a kernel must not
// change the pool, which other threads may be reading.

#pragma once

#include <map>
#include <vector>

#include "loops/program.h"

namespace litz::loops {

/// The loop variables in scope during a walk over a kernel.
class LinearSplitter {
 public:
  /// `next_register` allocates registers of i64; opaques are added to `program`.
  LinearSplitter(const Kernel& kernel, Program& program, Register& next_register)
      : kernel_(kernel), program_(program), next_register_(next_register) {}

  void enter(SymbolId symbol, int var) { vars_[symbol] = var; }

  void leave(SymbolId symbol) { vars_.erase(symbol); }

  /// Returns the form of an expression that `loop` evaluates.
  LinearForm split(Expr expr, int loop);
  /// Loop variables in the expression, with their numbers.
  std::vector<std::pair<SymbolId, int>> vars_in(Expr expr) const;

  /// Reads of opaques: the loop of each, and the opaque.
  const std::vector<std::pair<int, int>>& reads() const { return reads_; }

 private:
  void collect(Expr expr, std::vector<Expr>& factors, LinearForm& form);
  void collect_product(Expr expr, std::vector<Expr>& factors, LinearForm& form);
  void add_opaque(Expr expr, const std::vector<Expr>& factors, LinearForm& form);
  int opaque(Expr expr);

  const Kernel& kernel_;
  Program& program_;
  Register& next_register_;
  int innermost_loop(const std::vector<std::pair<SymbolId, int>>& vars) const;

  std::map<SymbolId, int> vars_;
  std::vector<std::pair<int, int>> reads_;
  /// By expression and its variables: several loops may use one symbol in turn.
  std::vector<std::pair<std::pair<Expr, std::vector<std::pair<SymbolId, int>>>, int>> known_;
};

}  // namespace litz::loops
