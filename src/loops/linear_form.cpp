#include "loops/linear_form.h"

#include <algorithm>

namespace litz::loops {
namespace {

// Kinds that Execution computes by lanes; it evaluates others one lane at a time.
bool is_known_kind(ExprKind kind) {
  switch (kind) {
    case ExprKind::mul:
    case ExprKind::floor_div:
    case ExprKind::mod:
    case ExprKind::clean_div:
    case ExprKind::ceil_div:
    case ExprKind::min:
    case ExprKind::max:
    case ExprKind::where:
    case ExprKind::eq:
    case ExprKind::ne:
    case ExprKind::lt:
    case ExprKind::le:
    case ExprKind::logical_and:
    case ExprKind::logical_or:
    case ExprKind::logical_not:
    case ExprKind::abs:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<std::pair<SymbolId, int>> LinearSplitter::vars_in(Expr expr) const {
  std::vector<std::pair<SymbolId, int>> found;
  for (const SymbolId symbol : free_symbols(expr)) {
    if (kernel_.pool->symbol(symbol).kind != SymbolKind::index) continue;
    found.emplace_back(symbol, vars_.at(symbol));
  }
  return found;
}

int LinearSplitter::innermost_loop(const std::vector<std::pair<SymbolId, int>>& vars) const {
  // Loops are numbered from the outside in along any path.
  int loop = -1;
  for (const auto& [symbol, var] : vars) {
    loop = std::max(loop, program_.vars_loop[static_cast<size_t>(var)]);
  }
  return loop;
}

LinearForm LinearSplitter::split(Expr expr, int loop) {
  LinearForm form;
  std::vector<Expr> factors;
  collect(expr, factors, form);
  for (const LinearTerm& term : form) {
    if (term.opaque >= 0) reads_.emplace_back(loop, term.opaque);
  }
  return form;
}

void LinearSplitter::collect(Expr expr, std::vector<Expr>& factors, LinearForm& form) {
  const auto vars = vars_in(expr);
  if (vars.empty()) {
    LinearTerm term;
    term.factors = factors;
    term.factors.push_back(expr);
    form.push_back(std::move(term));
    return;
  }
  if (expr.kind() == ExprKind::symbol) {
    LinearTerm term;
    term.var = vars[0].second;
    term.factors = factors;
    form.push_back(std::move(term));
    return;
  }
  if (expr.kind() == ExprKind::add) {
    for (const Expr& operand : expr.operands()) collect(operand, factors, form);
    return;
  }
  if (expr.kind() == ExprKind::mul) return collect_product(expr, factors, form);
  add_opaque(expr, factors, form);
}

// A product is linear when only one factor varies.
void LinearSplitter::collect_product(Expr expr, std::vector<Expr>& factors, LinearForm& form) {
  std::vector<Expr> varying;
  const size_t before = factors.size();
  for (const Expr& operand : expr.operands()) {
    if (vars_in(operand).empty()) {
      factors.push_back(operand);
    } else {
      varying.push_back(operand);
    }
  }
  if (varying.size() == 1) {
    collect(varying[0], factors, form);
    factors.resize(before);
    return;
  }
  factors.resize(before);
  add_opaque(expr, factors, form);
}

void LinearSplitter::add_opaque(Expr expr, const std::vector<Expr>& factors, LinearForm& form) {
  LinearTerm term;
  term.opaque = opaque(expr);
  term.factors = factors;
  form.push_back(std::move(term));
}

int LinearSplitter::opaque(Expr expr) {
  std::pair key{expr, vars_in(expr)};
  for (const auto& [known, id] : known_) {
    if (known == key) return id;
  }
  Opaque made;
  made.expr = expr;
  made.kind = expr.kind();
  made.vars = key.second;
  made.loop = innermost_loop(key.second);
  made.is_known = is_known_kind(made.kind);
  for (const Expr& operand : expr.operands()) {
    made.is_known = made.is_known && operand.domain() != ExprDomain::real;
  }
  if (made.is_known) {
    for (const Expr& operand : expr.operands()) made.operands.push_back(split(operand, made.loop));
  }
  made.out = next_register_;
  next_register_ += 8;
  // Operands were numbered before: a block computes its opaques in order.
  const int id = static_cast<int>(program_.opaques.size());
  program_.loops[static_cast<size_t>(made.loop)].body.opaques.push_back(id);
  program_.opaques.push_back(std::move(made));
  known_.emplace_back(std::move(key), id);
  return id;
}

}  // namespace litz::loops
