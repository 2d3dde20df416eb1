// The walk over the expressions of an instruction, for everyone who must see them all.

#include "schedule/computed_sizes.h"

#include <utility>
#include <variant>

#include "loops/instrs.h"

namespace litz::schedule {
namespace {

std::optional<std::string> function_not_compiled(Expr expr) {
  if (expr.is_constant() || expr.is_symbol()) return std::nullopt;
  for (const Expr operand : expr.operands()) {
    if (auto found = function_not_compiled(operand)) return found;
  }
  switch (expr.kind()) {
    case ExprKind::round_decimals:
    case ExprKind::sign:
    case ExprKind::dense_indicator:
      return std::string(name(expr.kind())) + " of sizes";
    default:
      return std::nullopt;
  }
}

}  // namespace

void for_each_expr(const loops::Kernel& kernel, const loops::Instr& instr,
                   const std::function<void(Expr)>& visit) {
  if (instr.kind == loops::InstrKind::attend) {
    for (const loops::Buffer& buffer : kernel.buffers) {
      for (const Expr size : buffer.type.sizes) visit(size);
      for (const Expr stride : buffer.type.strides) visit(stride);
    }
    return;
  }
  visit(instr.expr);
  visit(instr.position.extent);
  for (const loops::LoopVar& var : instr.vars) visit(var.extent);
  for (const loops::Index& index : instr.indices) {
    if (const auto* offset = std::get_if<Expr>(&index)) visit(*offset);
  }
  for (const Expr stride : instr.strides) visit(stride);
}

std::optional<std::string> function_not_compiled(const loops::Kernel& kernel) {
  std::optional<std::string> reason;
  loops::for_each_instr(kernel.body, [&](const loops::Instr& instr) {
    for_each_expr(kernel, instr, [&](Expr expr) {
      if (auto function = function_not_compiled(expr)) reason = std::move(function);
    });
  });
  return reason;
}

}  // namespace litz::schedule
