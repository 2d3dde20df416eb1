#include "loops/access_conditions.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

namespace litz::loops {
namespace {

class Accesses {
 public:
  explicit Accesses(const Kernel& kernel) : kernel_(kernel) {}

  std::vector<AccessCondition> run() {
    visit(kernel_.body);
    return std::move(conditions_);
  }

 private:
  void visit(const Block& block) {
    for (const Instr& instr : block.instrs) {
      const bool accesses = instr.kind == InstrKind::load || instr.kind == InstrKind::store;
      if (accesses && instr.predicate == kNoValue) visit_access(instr);
      const size_t outer = extents_.size();
      for (const LoopVar& var : instr.vars) enter(var);
      if (instr.position.symbol.is_symbol()) enter(instr.position);
      for (const auto& inner : instr.blocks) visit(*inner);
      extents_.resize(outer);
    }
  }

  void enter(const LoopVar& var) {
    extent_of_[var.symbol.symbol()] = var.extent;
    extents_.push_back(var.extent);
  }

  void visit_access(const Instr& instr) {
    const Sizes& sizes = kernel_.buffers[static_cast<size_t>(instr.buffer)].type.sizes;
    if (instr.indices.size() != sizes.size()) return;  // Flat.
    for (size_t d = 0; d < sizes.size(); ++d) {
      const auto* const index = std::get_if<Expr>(&instr.indices[d]);
      if (index != nullptr) visit_coordinate(instr.buffer, *index, sizes[d]);
    }
  }

  void visit_coordinate(BufferId buffer, Expr index, Expr size) {
    if (index.is_symbol()) {
      const auto extent = extent_of_.find(index.symbol());
      if (extent != extent_of_.end() && extent->second == size) return;
    }
    const auto range = range_of(index);
    if (!range) return;
    const bool is_of_numbers =
        range->first.is_constant() && range->second.is_constant() && size.is_constant();
    if (is_of_numbers) return;
    const Expr holds = logical_and(le(0, range->first), lt(range->second, size));
    if (known(holds) != true) add({buffer, logical_or(holds, is_never_made())});
  }

  /// The smallest and the largest value; nothing if the loops do not tell.
  std::optional<std::pair<Expr, Expr>> range_of(Expr index) const {
    std::vector<std::pair<SymbolId, Expr>> least;
    std::vector<std::pair<SymbolId, Expr>> most;
    for (const SymbolId id : free_symbols(index)) {
      const auto extent = extent_of_.find(id);
      if (extent == extent_of_.end()) continue;
      const std::array next{std::pair(id, index.pool()->symbol_expr(id) + 1)};
      const Expr step = substitute(index, next) - index;
      if (!step.is_constant()) return std::nullopt;
      const Expr last = extent->second - 1;
      least.emplace_back(id, step.constant() < 0 ? last : Expr(0));
      most.emplace_back(id, step.constant() < 0 ? Expr(0) : last);
    }
    return std::pair(substitute(index, least), substitute(index, most));
  }

  Expr is_never_made() const {
    Expr result = Expr::boolean(false);
    for (const Expr extent : extents_) result = logical_or(result, le(extent, 0));
    return result;
  }

  void add(const AccessCondition& condition) {
    const auto same = [&](const AccessCondition& other) {
      return other.buffer == condition.buffer && other.holds == condition.holds;
    };
    if (std::ranges::none_of(conditions_, same)) conditions_.push_back(condition);
  }

  const Kernel& kernel_;
  std::map<SymbolId, Expr> extent_of_;
  std::vector<Expr> extents_;  ///< Of the loops around.
  std::vector<AccessCondition> conditions_;
};

}  // namespace

std::vector<AccessCondition> access_conditions(const Kernel& kernel) {
  return Accesses(kernel).run();
}

}  // namespace litz::loops
