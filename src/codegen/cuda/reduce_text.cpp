// Reductions: one accumulator per thread, folded over the team in a fixed order.

#include "codegen/cuda/kernel_text.h"
#include "expr/estimate.h"
#include "loops/signature.h"
#include "schedule/blocks/block_schedule.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

using loops::ReduceKind;

/// Sums of more floats than this per thread are added in parts, whose errors do not add up.
constexpr double kLongSum = 256;
constexpr int kPartTerms = 64;

}  // namespace

void KernelText::add_reduce(const Instr& instr) {
  require_elements(instr);
  if (instr.reduce == ReduceKind::softmax) return add_softmax_reduce(instr);
  if (instr.reduce == ReduceKind::argmax || instr.reduce == ReduceKind::argmin) {
    return add_located_reduce(instr);
  }
  add_fold_reduce(instr);
}

/// The maximum of no elements does not exist, unless the reduction says so.
void KernelText::require_elements(const Instr& instr) {
  if (loops::has_identity(instr.reduce) || instr.flag) return;
  std::string is_empty;
  for (const loops::LoopVar& var : instr.vars) {
    const auto constant = var.extent.maybe_constant();
    if (constant && *constant > 0) continue;
    is_empty += (is_empty.empty() ? "" : " || ") + expr(var.extent) + " <= 0";
  }
  if (is_empty.empty()) return;
  add_failure(is_empty,
              {artifact::CheckKind::empty_reduction, std::string(loops::name(instr.reduce))}, "0",
              "0", [] {});
}

std::string KernelText::identity(ReduceKind kind, DType dtype) const {
  const std::string type = register_type(dtype);
  const bool is_real = type == "f32" || type == "f64";
  const auto limit = [&](bool highest) -> std::string {
    if (is_real) return (highest ? "" : "-") + ("infinity_of(" + type + "(0))");
    if (dtype == DType::bool_) return highest ? "true" : "false";
    const auto bits = static_cast<int>(8 * item_size(dtype));
    if (!is_signed(dtype)) return highest ? type + "(~" + type + "(0))" : "0";
    const std::string lowest = type + "(1ull << " + std::to_string(bits - 1) + ")";
    return highest ? type + "(~" + lowest + ")" : lowest;
  };
  switch (kind) {
    case ReduceKind::sum:
    case ReduceKind::any:
    case ReduceKind::bit_xor:
      return dtype == DType::bool_ ? "false" : "0";
    case ReduceKind::prod:
      return dtype == DType::bool_ ? "true" : "1";
    case ReduceKind::all:
      return "true";
    case ReduceKind::max:
    case ReduceKind::argmax:
      return limit(false);
    case ReduceKind::min:
    case ReduceKind::argmin:
      return limit(true);
    case ReduceKind::softmax:
      break;
  }
  check(false, "a reduction must start from one value:", loops::name(kind), kernel_.name);
  return "";
}

std::string KernelText::fold(ReduceKind kind, DType dtype, const std::string& a,
                             const std::string& b) const {
  const std::string type = register_type(dtype);
  const bool is_real = type == "f32" || type == "f64";
  const auto call = [&](const char* function) {
    return std::string(function) + "(" + a + ", " + b + ")";
  };
  const auto infix = [&](const char* symbol) { return "(" + a + symbol + b + ")"; };
  switch (kind) {
    case ReduceKind::sum:
      if (dtype == DType::bool_) return infix(" || ");
      return is_real ? infix(" + ") : call("wrap_add");
    case ReduceKind::prod:
      if (dtype == DType::bool_) return infix(" && ");
      return is_real ? infix(" * ") : call("wrap_mul");
    case ReduceKind::any:
      return infix(" || ");
    case ReduceKind::all:
      return infix(" && ");
    case ReduceKind::bit_xor:
      return dtype == DType::bool_ ? infix(" != ") : type + infix(" ^ ");
    case ReduceKind::max:
      if (dtype == DType::bool_) return infix(" || ");
      return is_real ? call("fold_max") : call("greatest");
    case ReduceKind::min:
      if (dtype == DType::bool_) return infix(" && ");
      return is_real ? call("fold_min") : call("least");
    case ReduceKind::argmax:
    case ReduceKind::argmin:
    case ReduceKind::softmax:
      break;
  }
  check(false, "a reduction must fold one value:", loops::name(kind), kernel_.name);
  return "";
}

void KernelText::add_iterations(const Instr& instr, const std::string& position, const Body& body) {
  std::vector<const loops::LoopVar*> vars;
  for (const loops::LoopVar& var : instr.vars) vars.push_back(&var);
  if (in_team()) {
    alone_ = true;
    if (schedule_.width_of(instr) > 1) {
      add_shared_wide(instr, body);
    } else {
      add_shared(vars, position, body);
    }
    alone_ = false;
    return;
  }
  add_serial(vars, [&] {
    if (instr.reduce == ReduceKind::argmax || instr.reduce == ReduceKind::argmin) {
      std::string place = "i64(0)";
      for (const loops::LoopVar* var : vars) {
        place = "(" + place + " * " + expr(var->extent) + " + " +
                symbols_.at(var->symbol.symbol()).text + ")";
      }
      line("const i64 " + position + " = " + place + ";");
    }
    body();
  });
}

std::string KernelText::team_fold(const std::string& value, const std::string& fold) const {
  const std::string threads = std::to_string(team_);
  const std::string function = is_warp()      ? "fold_warp("
                               : has_columns_ ? "fold_columns<" + threads + ">("
                                              : "fold_block<" + threads + ">(";
  return function + value + ", " + fold + ")";
}

void KernelText::add_fold_reduce(const Instr& instr) {
  const Block& block = *instr.blocks[0];
  const DType yielded = dtype(block.yields[0]);
  const DType result = dtype(instr.results[0]);
  const std::string type = register_type(result);
  const std::string own = name(instr.results[0]);
  const bool is_real = type == "f32" || type == "f64";
  const bool is_long = instr.reduce == ReduceKind::sum && is_real &&
                       schedule::trips(instr, kLongSize) / (in_team() ? team_ : 1) > kLongSum;
  line(type + " " + own + " = " + identity(instr.reduce, result) + ";");
  const bool is_shared = in_team();
  add_scope("", [&] {
    if (is_long) line(type + " part = 0;");
    if (is_long) line("int terms = 0;");
    const std::string& total = is_long ? "part" : own;
    add_iterations(instr, unique("n"), [&] {
      add_block(block);
      const std::string term = cast(name(block.yields[0]), yielded, result);
      line(total + " = " + fold(instr.reduce, result, total, term) + ";");
      if (is_long) {
        line("if (++terms == " + std::to_string(kPartTerms) + ") " + own + " += part, part = 0, " +
             "terms = 0;");
      }
    });
    if (is_long) line(own + " += part;");
    if (is_shared) {
      line(own + " = " +
           team_fold(own, "[](" + type + " a, " + type + " b) { return " + type + "(" +
                              fold(instr.reduce, result, "a", "b") + "); }") +
           ";");
    }
  });
}

void KernelText::add_located_reduce(const Instr& instr) {
  const Block& block = *instr.blocks[0];
  const DType yielded = dtype(block.yields[0]);
  const std::string type = std::string("Located<") + register_type(yielded) + ">";
  const std::string function = instr.reduce == ReduceKind::argmax ? "better_max" : "better_min";
  const std::string best = unique("best");
  const bool is_shared = in_team();
  line(type + " " + best + " = {" + identity(instr.reduce, yielded) + ", i64(~0ull >> 1)};");
  const std::string position = unique("n");
  add_iterations(instr, position, [&] {
    add_block(block);
    line(best + " = " + function + "(" + best + ", " + type + "{" + name(block.yields[0]) +
         ", i64(" + position + ")});");
  });
  if (is_shared) {
    line(best + " = " +
         team_fold(best, "[](" + type + " a, " + type + " b) { return " + function + "(a, b); }") +
         ";");
  }
  define(instr.results[0], best + ".place");
}

void KernelText::add_softmax_reduce(const Instr& instr) {
  const Block& block = *instr.blocks[0];
  const std::string real = register_type(dtype(block.yields[0]));
  const std::string type = "Exponentials<" + real + ">";
  const std::string all = unique("all");
  const bool is_shared = in_team();
  line(type + " " + all + " = {-infinity_of(" + real + "(0)), 0};");
  add_iterations(instr, unique("n"), [&] {
    add_block(block);
    line(all + " = with_term(" + all + ", " + name(block.yields[0]) + ");");
  });
  if (is_shared) {
    line(all + " = " +
         team_fold(all, "[](" + type + " a, " + type + " b) { return joined(a, b); }") + ";");
  }
  define(instr.results[0], all + ".most");
  // The sum relative to an infinite maximum is NaN.
  std::vector<const loops::LoopVar*> vars;
  for (const loops::LoopVar& var : instr.vars) vars.push_back(&var);
  define(instr.results[1], product(vars) + " > 0 ? " + all + ".sum + (" + all + ".most - " + all +
                               ".most) : " + real + "(0)");
}

}  // namespace litz::codegen
