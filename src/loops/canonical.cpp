#include "loops/canonical.h"

#include <string>
#include <utility>
#include <vector>

namespace litz::loops {
namespace {

class Canonicalizer {
 public:
  explicit Canonicalizer(Kernel& kernel)
      : kernel_(kernel), numbers_(kernel.values.size(), kNoValue) {}

  void run() {
    kernel_.name = "kernel";
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      kernel_.buffers[i].name = "b" + std::to_string(i);
    }
    rename(kernel_.body);
    kernel_.values = std::move(values_);
  }

 private:
  void define(ValueId& value) {
    const auto old = static_cast<size_t>(value);
    numbers_[old] = static_cast<ValueId>(values_.size());
    values_.push_back(kernel_.values[old]);
    value = numbers_[old];
  }

  void use(ValueId& value) const {
    if (value != kNoValue) value = numbers_[static_cast<size_t>(value)];
  }

  void use(Expr& expr) const {
    if (!replacements_.empty()) expr = substitute(expr, replacements_);
  }

  void declare(LoopVar& var) {
    if (!var.symbol.is_symbol()) return;
    use(var.extent);
    const Expr renamed =
        new_loop_var(*kernel_.pool, "i" + std::to_string(next_var_++), var.extent).symbol;
    replacements_.emplace_back(var.symbol.symbol(), renamed);
    var.symbol = renamed;
  }

  void rename(Block& block) {
    for (Instr& instr : block.instrs) rename(instr);
    for (ValueId& value : block.yields) use(value);
  }

  void rename(Instr& instr) {
    for (ValueId& value : instr.operands) use(value);
    use(instr.predicate);
    use(instr.other);
    use(instr.marks.mean_of);
    use(instr.expr);
    for (Index& index : instr.indices) {
      std::visit([&](auto& coordinate) { use(coordinate); }, index);
    }
    const size_t outer = replacements_.size();
    for (LoopVar& var : instr.vars) declare(var);
    declare(instr.position);
    for (ValueId& value : instr.carried) define(value);
    for (const auto& block : instr.blocks) rename(*block);
    replacements_.resize(outer);
    for (ValueId& value : instr.results) define(value);
  }

  Kernel& kernel_;
  std::vector<ValueId> numbers_;  ///< New numbers by old.
  std::vector<ValueInfo> values_;
  std::vector<std::pair<SymbolId, Expr>> replacements_;
  int next_var_ = 0;
};

}  // namespace

void canonicalize(Kernel& kernel) { Canonicalizer(kernel).run(); }

}  // namespace litz::loops
