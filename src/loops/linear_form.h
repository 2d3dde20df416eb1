// Splits index expressions into linear terms, without making new expressions: preparing a kernel
// must not touch the pool, which other threads may be reading.

#pragma once

#include <map>
#include <vector>

#include "loops/program.h"

namespace litz::loops {

/// What a walk over a kernel knows about the loop variables in scope.
class LinearSplitter {
 public:
  /// `new_register` hands out registers of i64; found opaques go to `program`.
  LinearSplitter(const Kernel& kernel, Program& program, Register& next_register)
      : kernel_(kernel), program_(program), next_register_(next_register) {}

  void enter(SymbolId symbol, int var) { vars_[symbol] = var; }

  void leave(SymbolId symbol) { vars_.erase(symbol); }

  /// The form, as read from inside `loop`.
  LinearForm split(Expr expr, int loop);
  /// Loop variables that occur, with their numbers.
  std::vector<std::pair<SymbolId, int>> vars_in(Expr expr) const;

  /// Every read of an opaque: the loop it happens in, and which.
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
  /// By expression and the variables in it: a symbol may serve several loops in turn.
  std::vector<std::pair<std::pair<Expr, std::vector<std::pair<SymbolId, int>>>, int>> known_;
};

}  // namespace litz::loops
