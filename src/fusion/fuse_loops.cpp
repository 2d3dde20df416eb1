#include "fusion/fuse_loops.h"

#include <algorithm>
#include <map>

#include "fusion/kernel_edit.h"
#include "loops/instrs.h"
#include "loops/pointwise.h"
#include "types/address.h"

namespace litz::fusion {
namespace {

using loops::Block;
using loops::BufferId;
using loops::Index;
using loops::Instr;
using loops::InstrKind;
using loops::Kernel;
using loops::kNoValue;
using loops::LoopVar;
using loops::ValueId;

// An inner part this much longer than the outer loop is better off with all cores. Tuned on norms
// and softmax of 2 to 4096 rows.
constexpr double kLongestInner = 300;
// Iterations that fill a few vectors of any width. Shorter remainders are not worth a fused loop.
constexpr double kShortLoop = 32;

using Replacements = std::vector<std::pair<SymbolId, Expr>>;

Expr substituted(Expr expr, const Replacements& values) {
  return values.empty() ? expr : substitute(expr, values);
}

void substitute_in(Block& block, const Replacements& values) {
  if (values.empty()) return;
  edit_each_instr(block, [&](Instr& instr) {
    if (instr.kind == InstrKind::index || instr.kind == InstrKind::bound_index) {
      instr.expr = substitute(instr.expr, values);
    }
    for (Index& index : instr.indices) {
      if (auto* expr = std::get_if<Expr>(&index)) *expr = substitute(*expr, values);
    }
  });
}

/// Loads and stores of one side.
struct Accesses {
  std::map<BufferId, std::vector<const Instr*>> loads;
  std::map<BufferId, std::vector<const Instr*>> stores;

  void add(const Instr& instr) {
    if (instr.kind == InstrKind::load) loads[instr.buffer].push_back(&instr);
    if (instr.kind == InstrKind::store) stores[instr.buffer].push_back(&instr);
  }

  void add_nested(const Instr& instr) {
    add(instr);
    for (const auto& block : instr.blocks) {
      for_each_instr(*block, [&](const Instr& nested) { add(nested); });
    }
  }

  bool touches(BufferId buffer) const { return loads.contains(buffer) || stores.contains(buffer); }
};

bool conflict(const Accesses& stores, const Accesses& others) {
  return std::ranges::any_of(stores.stores,
                             [&](const auto& entry) { return others.touches(entry.first); });
}

using Stored = std::map<BufferId, std::pair<ValueId, std::vector<Index>>>;

void forward_to(Instr& instr, const Stored& values, std::map<ValueId, ValueId>& replaced) {
  const auto rewrite = [&](ValueId& value) {
    const auto found = replaced.find(value);
    if (found != replaced.end()) value = found->second;
  };
  for (ValueId& operand : instr.operands) rewrite(operand);
  rewrite(instr.predicate);
  rewrite(instr.other);
  for (Index& index : instr.indices) {
    if (auto* value = std::get_if<ValueId>(&index)) rewrite(*value);
  }
  if (instr.kind == InstrKind::load) {
    const auto found = values.find(instr.buffer);
    if (found != values.end() && found->second.second == instr.indices) {
      const ValueId value = found->second.first;
      if (instr.predicate == kNoValue) {
        replaced[instr.results[0]] = value;  // The load is dead now.
      } else {
        Instr select;
        select.op = loops::ScalarOp::select;
        select.operands = {instr.predicate, value, instr.other};
        select.results = instr.results;
        instr = std::move(select);
      }
    }
  }
  for (const auto& block : instr.blocks) {
    for (Instr& nested : block->instrs) forward_to(nested, values, replaced);
    for (ValueId& value : block->yields) rewrite(value);
  }
}

class LoopFuser {
 public:
  LoopFuser(Kernel& kernel, const machine::Machine& machine) : kernel_(kernel), machine_(machine) {}

  std::optional<Reason> fuse(Block& block, size_t first, size_t second, bool is_outermost) {
    const Instr& x = block.instrs[first];
    const Instr& y = block.instrs[second];
    const auto is_plain = [](const Instr& instr) {
      return instr.kind == InstrKind::loop && instr.carried.empty();
    };
    if (!is_plain(x) || !is_plain(y)) return Reason::loops_differ;
    Accesses in_x;
    Accesses in_y;
    Accesses between;
    in_x.add_nested(x);
    in_y.add_nested(y);
    for (size_t i = first + 1; i < second; ++i) between.add_nested(block.instrs[i]);
    // The first loop moves to the place of the second.
    if (conflict(in_x, between) || conflict(between, in_x)) return Reason::other_iterations;
    const size_t most = x.vars.size() + y.vars.size();
    Reason reason = Reason::loops_differ;
    for (size_t limit = most; limit > 0;) {
      Alignment found = align(*kernel_.pool, x.vars, y.vars, limit);
      if (found.common.empty()) break;
      const auto refusal = judge(found, x, y, in_x, in_y, is_outermost);
      if (!refusal) {
        apply(block, first, second, std::move(found));
        return std::nullopt;
      }
      reason = *refusal;
      limit = found.common.size() - 1;
    }
    return reason;
  }

 private:
  std::optional<Reason> judge(const Alignment& found, const Instr& x, const Instr& y,
                              const Accesses& in_x, const Accesses& in_y, bool is_outermost) const {
    for (const auto& [buffer, stores] : in_x.stores) {
      if (!in_y.touches(buffer)) continue;
      if (!is_same_iteration(found, buffer, in_x, in_y)) return Reason::other_iterations;
    }
    for (const auto& [buffer, stores] : in_y.stores) {
      if (!in_x.touches(buffer)) continue;
      if (!is_same_iteration(found, buffer, in_x, in_y)) return Reason::other_iterations;
    }
    const bool is_whole = found.first_rest.empty() && found.second_rest.empty();
    if (is_whole) return std::nullopt;
    if (!is_outermost) return Reason::loops_differ;  // Inner loops pass values or stay apart.
    const double common = trips(found.common);
    const double inner = std::max(trips(found.first_rest) * inner_trips(*x.blocks[0]),
                                  trips(found.second_rest) * inner_trips(*y.blocks[0]));
    const bool keeps_one = found.first_rest.empty() || found.second_rest.empty();
    const auto enough = static_cast<double>(machine_.enough_iterations);
    if (!keeps_one && common < enough) return Reason::loops_differ;
    if (inner > kLongestInner * common) return Reason::loops_differ;
    if (is_split_short(x.vars, found.first_rest) || is_split_short(y.vars, found.second_rest)) {
      return Reason::loops_differ;
    }
    return std::nullopt;
  }

  // The rest of a split loop that is too short for vectors.
  static bool is_split_short(const std::vector<LoopVar>& before, const std::vector<LoopVar>& rest) {
    if (rest.empty() || trips(rest) >= kShortLoop) return false;
    return std::ranges::count(before, rest[0].symbol, &LoopVar::symbol) == 0;
  }

  // All accesses agree in indices that identify the iteration of the common loop.
  bool is_same_iteration(const Alignment& found, BufferId buffer, const Accesses& in_x,
                         const Accesses& in_y) const {
    const size_t rank = kernel_.buffers[static_cast<size_t>(buffer)].type.rank();
    std::vector<std::optional<Expr>> shared(rank);
    std::vector<bool> differs(rank, false);
    const auto see = [&](const std::map<BufferId, std::vector<const Instr*>>& accesses,
                         const Replacements& values) {
      const auto entry = accesses.find(buffer);
      if (entry == accesses.end()) return;
      for (const Instr* instr : entry->second) {
        for (size_t d = 0; d < rank; ++d) {
          const auto* expr = std::get_if<Expr>(&instr->indices[d]);
          if (expr == nullptr) {
            differs[d] = true;
            continue;
          }
          const Expr index = substituted(*expr, values);
          if (shared[d] && !(*shared[d] == index)) differs[d] = true;
          shared[d] = index;
        }
      }
    };
    see(in_x.loads, found.first_values);
    see(in_x.stores, found.first_values);
    see(in_y.loads, found.second_values);
    see(in_y.stores, found.second_values);
    std::vector<Expr> told;
    for (size_t d = 0; d < rank; ++d) {
      if (!differs[d] && shared[d]) add_told(found, *shared[d], told);
    }
    return std::ranges::all_of(
        found.common, [&](const LoopVar& var) { return std::ranges::count(told, var.symbol) > 0; });
  }

  // The common variables that follow from the value of an index.
  static void add_told(const Alignment& found, Expr index, std::vector<Expr>& told) {
    std::vector<Digit> digits;
    std::vector<Expr> vars;
    Expr rest = index;
    for (const LoopVar& var : found.common) {
      if (!mentions(rest, var.symbol.symbol())) continue;
      const auto linear = linear_in(rest, var.symbol.symbol());
      if (!linear) return;
      digits.push_back({linear->first, var.extent});
      vars.push_back(var.symbol);
      rest = linear->second;
    }
    if (vars.empty() || !free_index_symbols(rest).empty()) return;
    if (vars.size() > 1 && !mixed_radix_order(digits)) return;
    if (vars.size() == 1 && known_equal(digits[0].weight, 0)) return;
    told.insert(told.end(), vars.begin(), vars.end());
  }

  static std::vector<SymbolId> free_index_symbols(Expr expr) {
    std::vector<SymbolId> symbols;
    for (const SymbolId symbol : free_symbols(expr)) {
      if (expr.pool()->symbol(symbol).kind == SymbolKind::index) symbols.push_back(symbol);
    }
    return symbols;
  }

  // The part of one side in the new loop.
  static std::vector<Instr> part(Instr& loop, std::vector<LoopVar> rest,
                                 const Replacements& values) {
    substitute_in(*loop.blocks[0], values);
    if (rest.empty()) return std::move(loop.blocks[0]->instrs);
    loop.vars = std::move(rest);
    std::vector<Instr> instrs;
    instrs.push_back(std::move(loop));
    return instrs;
  }

  void apply(Block& block, size_t first, size_t second, Alignment found) {
    Instr x = std::move(block.instrs[first]);
    Instr y = std::move(block.instrs[second]);
    const bool forwards = found.first_rest.empty();
    Instr both;
    both.kind = InstrKind::loop;
    both.vars = std::move(found.common);
    both.blocks.push_back(std::make_unique<Block>());
    Block& body = *both.blocks[0];
    body.instrs = part(x, std::move(found.first_rest), found.first_values);
    const size_t split = body.instrs.size();
    for (Instr& instr : part(y, std::move(found.second_rest), found.second_values)) {
      body.instrs.push_back(std::move(instr));
    }
    if (forwards) forward_stores(body, split);
    fuse_inside(body, split);
    block.instrs[second] = std::move(both);
    block.instrs.erase(block.instrs.begin() + static_cast<ptrdiff_t>(first));
  }

  // Fuses loops of the first part with loops of the second one that share data.
  void fuse_inside(Block& body, size_t split) {
    for (size_t second = split; second < body.instrs.size(); ++second) {
      if (body.instrs[second].kind != InstrKind::loop) continue;
      for (size_t first = split; first-- > 0;) {
        if (body.instrs[first].kind != InstrKind::loop) continue;
        if (!share(body.instrs[first], body.instrs[second])) continue;
        if (fuse(body, first, second, false)) continue;
        --second;
        --split;
        break;
      }
    }
  }

  static bool share(const Instr& first, const Instr& second) {
    Accesses in_first;
    Accesses in_second;
    in_first.add_nested(first);
    in_second.add_nested(second);
    return conflict(in_first, in_second) ||
           std::ranges::any_of(in_first.loads, [&](const auto& entry) {
             return in_second.loads.contains(entry.first);
           });
  }

  Kernel& kernel_;
  const machine::Machine& machine_;
};

}  // namespace

void forward_stores(Block& body, size_t split) {
  std::map<BufferId, const Instr*> stored;
  std::vector<BufferId> unclear;
  for (size_t i = 0; i < body.instrs.size(); ++i) {
    const Instr& instr = body.instrs[i];
    Accesses nested;
    if (instr.kind == InstrKind::store && i < split) {
      const bool is_plain = instr.mode == loops::StoreMode::assign && instr.predicate == kNoValue;
      if (!is_plain || stored.contains(instr.buffer)) unclear.push_back(instr.buffer);
      stored[instr.buffer] = &instr;
    } else {
      nested.add_nested(instr);
      for (const auto& [buffer, stores] : nested.stores) unclear.push_back(buffer);
    }
  }
  for (const BufferId buffer : unclear) stored.erase(buffer);
  Stored values;
  for (const auto& [buffer, store] : stored) {
    values[buffer] = {store->operands[0], store->indices};
  }
  std::map<ValueId, ValueId> replaced;
  for (size_t i = split; i < body.instrs.size(); ++i) forward_to(body.instrs[i], values, replaced);
}

std::optional<Reason> fuse_loops(Kernel& kernel, Block& block, size_t first, size_t second,
                                 const machine::Machine& machine) {
  return LoopFuser(kernel, machine).fuse(block, first, second, true);
}

}  // namespace litz::fusion
