#include "fusion/coalescing.h"

#include <algorithm>
#include <optional>

#include "fusion/address.h"
#include "fusion/pointwise.h"

namespace litz::fusion {
namespace {

using loops::Index;
using loops::Instr;
using loops::Kernel;

constexpr double kCachedBytes = 32 << 10;
// What a launch and its own pass over memory cost, in strided bytes.
constexpr double kFreeBytes = 64 << 10;
constexpr double kTolerance = 1.05;

/// How far the address moves with the variable, nearly always: digits of a row-major number step by
/// one or stay. Nothing where that is not known.
std::optional<Expr> usual_step(Expr address, SymbolId var) {
  if (!mentions(address, var)) return Expr(0);
  if (const auto linear = linear_in(address, var)) return linear->first;
  const std::span<const Expr> operands = address.operands();
  switch (address.kind()) {
    case ExprKind::add: {
      Expr sum = 0;
      for (const Expr operand : operands) {
        const auto step = usual_step(operand, var);
        if (!step) return std::nullopt;
        sum = sum + *step;
      }
      return sum;
    }
    case ExprKind::mul: {
      std::optional<Expr> product = Expr(1);
      for (const Expr operand : operands) {
        if (!mentions(operand, var)) {
          product = *product * operand;
          continue;
        }
        const auto step = usual_step(operand, var);
        if (!step) return std::nullopt;
        product = *product * *step;
      }
      return product;
    }
    case ExprKind::mod:
      return usual_step(operands[0], var);
    case ExprKind::floor_div: {
      const auto step = usual_step(operands[0], var);
      if (!step || mentions(operands[1], var)) return std::nullopt;
      if (known_less(*step, operands[1])) return Expr(0);
      return floor_div(*step, operands[1]);
    }
    default:
      return std::nullopt;
  }
}

bool is_apart(Expr address, SymbolId var) {
  const auto step = usual_step(address, var);
  return !step || !(step->is(0) || step->is(1) || step->is(-1));
}

/// The strided bytes of one top-level nest.
class Nest {
 public:
  Nest(const Kernel& kernel, const Instr& top) : kernel_(kernel) {
    if (top.vars.empty()) return;
    outer_ = top.vars.back().symbol.symbol();
    visit(top, 1);
  }

  double bytes() const { return has_nested_ ? std::min(by_inner_, by_outer_) : 0; }

 private:
  void visit(const Instr& loop, double around) {
    const double inside = around * trips(loop.vars);
    const SymbolId inner = loop.vars.back().symbol.symbol();
    for (const auto& block : loop.blocks) {
      for (const Instr& instr : block->instrs) {
        if (instr.buffer >= 0) add(instr, inner, inside);
        if (instr.blocks.empty() || instr.vars.empty()) continue;
        has_nested_ = true;
        visit(instr, inside);
      }
    }
  }

  void add(const Instr& access, SymbolId inner, double times) {
    const TensorType& type = kernel_.buffers[static_cast<size_t>(access.buffer)].type;
    const auto item = static_cast<double>(item_size(type.dtype));
    if (estimate(type.numel()) * item <= kCachedBytes) return;
    std::vector<Expr> indices;
    for (const Index& index : access.indices) {
      const auto* expr = std::get_if<Expr>(&index);
      if (expr == nullptr) return;
      indices.push_back(*expr);
    }
    const Expr address = address_of(type, 0, indices);
    if (is_apart(address, inner)) by_inner_ += times * item;
    if (is_apart(address, outer_)) by_outer_ += times * item;
  }

  const Kernel& kernel_;
  SymbolId outer_ = 0;
  bool has_nested_ = false;
  double by_inner_ = 0;  ///< With lanes along the innermost variables.
  double by_outer_ = 0;  ///< With lanes along the last variable of the nest.
};

}  // namespace

double strided_bytes(const Kernel& kernel) {
  double bytes = 0;
  for (const Instr& instr : kernel.body.instrs) {
    if (!instr.blocks.empty()) bytes += Nest(kernel, instr).bytes();
  }
  return bytes;
}

bool spoils_coalescing(const Kernel& fused, double apart) {
  return strided_bytes(fused) > kTolerance * apart + kFreeBytes;
}

}  // namespace litz::fusion
