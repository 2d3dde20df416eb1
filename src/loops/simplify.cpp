#include "loops/simplify.h"

#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "loops/dead_code.h"
#include "loops/instrs.h"
#include "loops/lane_function.h"
#include "loops/literal.h"
#include "loops/signature.h"
#include "support/check.h"

namespace litz::loops {
namespace {

// One walk in program order: facts about operands are known before their uses, so folding needs no
// second walk.
class Simplifier {
 public:
  explicit Simplifier(Kernel& kernel)
      : kernel_(kernel), replaced_(kernel.values.size()), literals_(kernel.values.size()) {
    std::iota(replaced_.begin(), replaced_.end(), 0);
  }

  bool run() {
    simplify_block(kernel_.body);
    return changed_;
  }

 private:
  DType dtype(ValueId value) const { return kernel_.values[static_cast<size_t>(value)].dtype; }

  void rewrite(ValueId& value) const {
    if (value != kNoValue) value = replaced_[static_cast<size_t>(value)];
  }

  void rewrite(std::vector<ValueId>& values) const {
    for (ValueId& value : values) rewrite(value);
  }

  void rewrite(Expr& expr) const {
    if (!substitutions_.empty()) expr = substitute(expr, substitutions_);
  }

  const std::optional<Literal>& literal(ValueId value) const {
    return literals_[static_cast<size_t>(value)];
  }

  std::optional<bool> known_bool(ValueId value) const {
    if (value == kNoValue || !literal(value)) return std::nullopt;
    return std::get<int64_t>(*literal(value)) != 0;
  }

  // Later uses of `from` read `to`.
  void replace(ValueId from, ValueId to) {
    replaced_[static_cast<size_t>(from)] = to;
    changed_ = true;
  }

  void simplify_block(Block& block) {
    std::vector<Instr> before = std::exchange(block.instrs, {});
    block.instrs.reserve(before.size());
    for (Instr& instr : before) simplify_instr(std::move(instr), block.instrs);
    rewrite(block.yields);
  }

  void simplify_instr(Instr instr, std::vector<Instr>& out) {
    rewrite(instr.operands);
    rewrite(instr.predicate);
    rewrite(instr.other);
    rewrite(instr.expr);
    for (Index& index : instr.indices) {
      if (auto* expr = std::get_if<Expr>(&index)) {
        rewrite(*expr);
      } else {
        rewrite(std::get<ValueId>(index));
      }
    }
    switch (instr.kind) {
      case InstrKind::constant:
        literals_[static_cast<size_t>(instr.results[0])] = instr.literal;
        break;
      case InstrKind::index:
        fold_index(instr);
        break;
      case InstrKind::op:
        if (fold_op(instr)) return;
        break;
      case InstrKind::load:
      case InstrKind::store:
        if (fold_predicate(instr)) return;
        break;
      case InstrKind::check:
        if (known_bool(instr.operands[0]) == true) {
          changed_ = true;
          return;
        }
        break;
      case InstrKind::bound_index:
      case InstrKind::sort_row:
      case InstrKind::attend:
        break;
      case InstrKind::loop:
        return simplify_loop(std::move(instr), out);
      case InstrKind::reduce:
        return simplify_reduce(std::move(instr), out);
      case InstrKind::sort:
        simplify_block(*instr.blocks[0]);
        simplify_block(*instr.blocks[1]);
        break;
    }
    out.push_back(std::move(instr));
  }

  void make_constant(Instr& instr, const Literal& value) {
    Instr constant;
    constant.kind = InstrKind::constant;
    constant.results = instr.results;
    constant.literal = value;
    literals_[static_cast<size_t>(instr.results[0])] = value;
    instr = std::move(constant);
    changed_ = true;
  }

  void fold_index(Instr& instr) {
    const auto whole = instr.expr.maybe_constant();
    if (!whole) return;
    const DType type = dtype(instr.results[0]);
    make_constant(instr, literal_as(*whole, type));
  }

  // Computes like the interpreter; returns true if the instruction was removed.
  bool fold_op(Instr& instr) {
    const ValueId result = instr.results[0];
    if (instr.op == ScalarOp::cast && dtype(instr.operands[0]) == dtype(result)) {
      replace(result, instr.operands[0]);
      return true;
    }
    if (instr.op == ScalarOp::select) {
      const auto condition = known_bool(instr.operands[0]);
      if (condition || instr.operands[1] == instr.operands[2]) {
        replace(result, instr.operands[condition.value_or(true) ? 1 : 2]);
        return true;
      }
    }
    for (const ValueId operand : instr.operands) {
      if (!literal(operand)) return false;
    }
    if (const auto value = evaluate_op(instr)) make_constant(instr, *value);
    return false;
  }

  std::optional<Literal> evaluate_op(const Instr& instr) const {
    std::array<LiteralBytes, 3> bytes{};
    std::array<const std::byte*, 3> operands{};
    for (size_t i = 0; i < instr.operands.size(); ++i) {
      const ValueId operand = instr.operands[i];
      bytes[i] = encode_literal(*literal(operand), dtype(operand));
      operands[i] = bytes[i].data();
    }
    const DType from = dtype(instr.operands.back());
    const DType to = dtype(instr.results[0]);
    LiteralBytes out{};
    try {
      if (instr.op == ScalarOp::cast && from != wide_dtype(from)) {
        cast_lane_function(from, wide_dtype(from))(out.data(), operands.data(), 1);
        if (to != wide_dtype(from)) {
          bytes[0] = out;
          cast_lane_function(wide_dtype(from), to)(out.data(), operands.data(), 1);
        }
      } else {
        lane_function(instr.op, from, to)(out.data(), operands.data(), 1);
      }
    } catch (const InternalError&) {
      throw;
    } catch (const Error&) {
      return std::nullopt;  // Division by zero fails when it runs, not before.
    }
    return decode_literal(out, to);
  }

  // Returns true if the access never happens.
  bool fold_predicate(Instr& instr) {
    const auto predicate = known_bool(instr.predicate);
    if (!predicate) return false;
    if (!*predicate) {
      changed_ = true;
      if (instr.kind == InstrKind::load) replace(instr.results[0], instr.other);
      return true;
    }
    instr.predicate = kNoValue;
    instr.other = kNoValue;
    changed_ = true;
    return false;
  }

  // Drops variables of one iteration; returns true if an extent is zero.
  bool simplify_vars(std::vector<LoopVar>& vars) {
    bool is_empty = false;
    std::vector<LoopVar> kept;
    for (const LoopVar& var : vars) {
      if (var.extent.is(1)) {
        substitutions_.emplace_back(var.symbol.symbol(), Expr(0));
        changed_ = true;
      } else {
        is_empty = is_empty || var.extent.is(0);
        kept.push_back(var);
      }
    }
    vars = std::move(kept);
    return is_empty;
  }

  // Replaces a loop of one iteration by its body.
  void splice(Block& block, std::vector<Instr>& out) {
    simplify_block(block);
    for (Instr& instr : block.instrs) out.push_back(std::move(instr));
  }

  void simplify_loop(Instr instr, std::vector<Instr>& out) {
    if (simplify_vars(instr.vars)) {
      changed_ = true;
      for (size_t i = 0; i < instr.results.size(); ++i)
        replace(instr.results[i], instr.operands[i]);
      return;
    }
    if (is_combining(instr)) return simplify_combining(std::move(instr), out);
    Block& block = *instr.blocks[0];
    if (!instr.vars.empty()) {
      simplify_block(block);
      out.push_back(std::move(instr));
      return;
    }
    for (size_t i = 0; i < instr.carried.size(); ++i) {
      replace(instr.carried[i], instr.operands[i]);
    }
    splice(block, out);
    for (size_t i = 0; i < instr.results.size(); ++i) replace(instr.results[i], block.yields[i]);
  }

  // Replaces a single iteration by its element, combined with the first tuple.
  void simplify_combining(Instr instr, std::vector<Instr>& out) {
    if (!instr.vars.empty()) {
      for (const auto& block : instr.blocks) simplify_block(*block);
      out.push_back(std::move(instr));
      return;
    }
    const size_t count = instr.operands.size();
    const Block& combination = *instr.blocks[1];
    splice(*instr.blocks[0], out);
    for (size_t i = 0; i < count; ++i) {
      replace(instr.carried[i], instr.operands[i]);
      replace(instr.carried[count + i], instr.blocks[0]->yields[i]);
    }
    splice(*instr.blocks[1], out);
    for (size_t i = 0; i < count; ++i) replace(instr.results[i], combination.yields[i]);
    if (instr.blocks.size() == 2) return;
    for (size_t i = 0; i < count; ++i) replace(instr.carried[2 * count + i], combination.yields[i]);
    splice(*instr.blocks[2], out);
  }

  void simplify_reduce(Instr instr, std::vector<Instr>& out) {
    const ValueId result = instr.results[0];
    const DType type = dtype(result);
    if (simplify_vars(instr.vars)) {
      if (has_identity(instr.reduce)) {
        const bool is_one = instr.reduce == ReduceKind::prod || instr.reduce == ReduceKind::all;
        make_constant(instr, literal_as(is_one ? 1 : 0, type));
      } else if (instr.flag) {
        make_limit(instr, out);
      } else {
        simplify_block(*instr.blocks[0]);  // It stays, to fail when it runs.
      }
      out.push_back(std::move(instr));
      return;
    }
    Block& block = *instr.blocks[0];
    if (!instr.vars.empty()) {
      simplify_block(block);
      out.push_back(std::move(instr));
      return;
    }
    splice(block, out);
    if (instr.reduce == ReduceKind::softmax) {
      add_exp_of_difference(block.yields[0], instr.results[1], out);
      replace(result, block.yields[0]);
    } else if (instr.reduce == ReduceKind::argmax || instr.reduce == ReduceKind::argmin) {
      make_constant(instr, int64_t{0});
      out.push_back(std::move(instr));
    } else if (instr.reduce == ReduceKind::sum && (is_floating(type) || is_complex(type))) {
      // A sum starts at zero, so a single -0 becomes 0.
      add_zero(block.yields[0], result, out);
    } else {
      replace(result, block.yields[0]);
    }
  }

  // The value of a maximum, minimum or softmax of no elements.
  void make_limit(Instr& instr, std::vector<Instr>& out) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (instr.reduce == ReduceKind::softmax) {
      Instr sum;
      sum.results = {instr.results[1]};
      make_constant(sum, 0.0);
      out.push_back(std::move(sum));
      instr.results.pop_back();
    }
    make_constant(instr, instr.reduce == ReduceKind::min ? kInfinity : -kInfinity);
  }

  // The result is not simply one: infinities and NaN give NaN.
  void add_exp_of_difference(ValueId value, ValueId result, std::vector<Instr>& out) {
    Instr difference;
    kernel_.values.push_back({dtype(value)});
    replaced_.push_back(static_cast<ValueId>(replaced_.size()));
    literals_.emplace_back();
    difference.op = ScalarOp::sub;
    difference.operands = {value, value};
    difference.results = {replaced_.back()};
    Instr exponential;
    exponential.op = ScalarOp::exp;
    exponential.operands = difference.results;
    exponential.results = {result};
    simplify_instr(std::move(difference), out);
    simplify_instr(std::move(exponential), out);
  }

  void add_zero(ValueId value, ValueId result, std::vector<Instr>& out) {
    Instr zero;
    zero.kind = InstrKind::constant;
    kernel_.values.push_back({dtype(value)});
    replaced_.push_back(static_cast<ValueId>(replaced_.size()));
    zero.literal = literal_as(0, dtype(value));
    zero.results = {replaced_.back()};
    literals_.push_back(zero.literal);
    Instr sum;
    sum.op = ScalarOp::add;
    sum.operands = {value, zero.results[0]};
    sum.results = {result};
    out.push_back(std::move(zero));
    simplify_instr(std::move(sum), out);
  }

  Kernel& kernel_;
  std::vector<ValueId> replaced_;
  std::vector<std::optional<Literal>> literals_;
  std::vector<std::pair<SymbolId, Expr>> substitutions_;
  bool changed_ = false;
};

}  // namespace

bool simplify(Kernel& kernel) {
  const bool folded = Simplifier(kernel).run();
  const bool removed = remove_dead_code(kernel);
  return folded || removed;
}

}  // namespace litz::loops
