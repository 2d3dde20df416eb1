#include "memory/alias_verifier.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "loops/iterations.h"
#include "lowering/last_use.h"
#include "memory/storages.h"
#include "support/check.h"

namespace litz::memory {
namespace {

using loops::Block;
using loops::Buffer;
using loops::BufferId;
using loops::BufferRole;
using loops::Index;
using loops::Instr;
using loops::InstrKind;
using loops::Kernel;
using loops::kNoValue;
using loops::LoopVar;
using lowering::KernelStep;
using lowering::kNoSlot;
using lowering::Plan;
using lowering::Slot;
using lowering::Step;

/// One level between the body of a kernel and an instruction.
struct Level {
  const Block* block = nullptr;
  size_t index = 0;
  const Instr* instr = nullptr;
};

struct Access {
  const Instr* instr = nullptr;
  std::vector<Level> path;  ///< Outermost first; the last level is the access.
};

bool is_sequential(const Instr& loop) {
  return loop.kind != InstrKind::loop || !loop.carried.empty();
}

/// Finds the variables that the value of an expression determines: those of a mixed-radix number.
class ToldVars {
 public:
  /// Adds everything that several values together determine: a // n and a mod n determine a.
  void add_all(std::vector<Expr> known) {
    for (size_t before = 0; before < known.size();) {
      before = known.size();
      for (size_t i = 0; i < before; ++i) {
        if (known[i].kind() != ExprKind::mod) continue;
        const Expr whole = known[i].operands()[0];
        const Expr above = floor_div(whole, known[i].operands()[1]);
        const bool is_told = std::ranges::count(known, above) > 0 || above.is_constant();
        if (is_told && std::ranges::count(known, whole) == 0) known.push_back(whole);
      }
    }
    for (const Expr expr : known) add(expr);
  }

  void add(Expr index) {
    Expr rest = index;
    std::vector<std::pair<Expr, const LoopVar*>> terms;
    for (const LoopVar* var : candidates) {
      const auto linear = linear_in(rest, var->symbol.symbol());
      if (!linear) return;
      if (linear->first.is(0)) continue;
      terms.emplace_back(linear->first, var);
      rest = linear->second;
    }
    for (const SymbolId symbol : free_symbols(rest)) {
      if (rest.pool()->symbol(symbol).kind == SymbolKind::index) return;
    }
    if (terms.size() == 1 && !known_not_equal(terms[0].first, 0)) return;
    if (terms.size() > 1 && !is_mixed_radix(terms)) return;
    for (const auto& [weight, var] : terms) told.push_back(var->symbol);
  }

  bool has(const LoopVar& var) const { return std::ranges::count(told, var.symbol) > 0; }

  std::vector<const LoopVar*> candidates;  ///< Variables that may occur.
  std::vector<Expr> told;

 private:
  // Each weight must span at least all smaller ones. A weight that spans exactly those comes next:
  // for i*n + j with j below n, 1 < n may be unknown.
  static bool is_mixed_radix(std::vector<std::pair<Expr, const LoopVar*>> terms) {
    Expr below = 1;
    while (!terms.empty()) {
      auto least = std::ranges::find_if(
          terms, [&](const auto& term) { return known_equal(term.first, below); });
      if (least == terms.end()) {
        least = std::ranges::min_element(
            terms, [](const auto& a, const auto& b) { return known_less(a.first, b.first); });
      }
      if (!known_less_equal(below, least->first)) return false;
      below = least->first * least->second->extent;
      terms.erase(least);
    }
    return true;
  }
};

class AccessVerifier {
 public:
  explicit AccessVerifier(const Kernel& kernel) : kernel_(kernel) {}

  void run() {
    loads_.resize(kernel_.buffers.size());
    stores_.resize(kernel_.buffers.size());
    std::vector<Level> path;
    collect(kernel_.body, path);
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      buffer_ = static_cast<BufferId>(i);
      for (const Access& store : stores_[i]) verify_store(store);
      if (stores_[i].empty()) continue;
      for (const Access& load : loads_[i]) verify_load(load);
    }
  }

 private:
  void collect(const Block& block, std::vector<Level>& path) {
    for (size_t i = 0; i < block.instrs.size(); ++i) {
      const Instr& instr = block.instrs[i];
      path.push_back({&block, i, &instr});
      if (instr.kind == InstrKind::load) {
        loads_[static_cast<size_t>(instr.buffer)].push_back({&instr, path});
      } else if (instr.kind == InstrKind::store) {
        stores_[static_cast<size_t>(instr.buffer)].push_back({&instr, path});
      }
      for (const auto& nested : instr.blocks) collect(*nested, path);
      path.pop_back();
    }
  }

  void expect(bool condition, const char* rule) const {
    if (condition) return;
    throw InternalError(std::string(rule) + ": buffer %" +
                        kernel_.buffers[static_cast<size_t>(buffer_)].name + " of kernel @" +
                        kernel_.name);
  }

  // The variables of the levels from `first` on.
  static std::vector<const LoopVar*> vars_around(const Access& access, size_t first = 0) {
    std::vector<const LoopVar*> vars;
    for (const Level& level : std::span(access.path).subspan(first)) {
      for (const LoopVar& var : level.instr->vars) vars.push_back(&var);
      if (level.instr->kind == InstrKind::sort) vars.push_back(&level.instr->position);
    }
    return vars;
  }

  // The address in the buffer, unless an index is computed.
  std::optional<Expr> address(const Access& access) const {
    const TensorType& type = kernel_.buffers[static_cast<size_t>(buffer_)].type;
    Expr sum;
    for (size_t d = 0; d < access.instr->indices.size(); ++d) {
      const auto* index = std::get_if<Expr>(&access.instr->indices[d]);
      if (index == nullptr) return std::nullopt;
      sum = sum + *index * type.strides[d];
    }
    return sum;
  }

  // Iterations of independent loops store to different elements.
  void verify_store(const Access& store) const {
    // Other modes run in order by definition.
    if (store.instr->mode != loops::StoreMode::assign) return;
    if (kernel_.buffers[static_cast<size_t>(buffer_)].role == BufferRole::scratch) return;
    ToldVars told;
    told.candidates = vars_around(store);
    std::vector<Expr> known;
    for (const Index& index : store.instr->indices) {
      const auto* expr = std::get_if<Expr>(&index);
      if (expr == nullptr) return;  // Scattered by the program's own indices.
      known.push_back(*expr);
    }
    known.push_back(*address(store));
    told.add_all(std::move(known));
    const bool are_told = std::ranges::all_of(independent_vars(store), [&](const LoopVar* var) {
      return var->extent.is(1) || told.has(*var);
    });
    expect(are_told || stores_are_apart(store),
           "iterations that may run together must store to different elements");
  }

  static std::vector<const LoopVar*> independent_vars(const Access& access) {
    std::vector<const LoopVar*> vars;
    for (const Level& level : access.path) {
      if (is_sequential(*level.instr)) continue;
      for (const LoopVar& var : level.instr->vars) vars.push_back(&var);
    }
    return vars;
  }

  // Proves the same by enumeration of all iterations.
  bool stores_are_apart(const Access& store) const {
    const std::vector<const LoopVar*> vars = vars_around(store);
    const std::vector<const LoopVar*> independent = independent_vars(store);
    const std::optional<Expr> place = address(store);
    if (!place || !iteration_count(vars)) return false;
    // By place: the independent iteration that stores it.
    std::unordered_map<int64_t, int64_t> owner;
    Bindings values;
    bool is_apart = true;
    for_each_iteration(vars, values, [&] {
      int64_t iteration = 0;
      for (const LoopVar* var : independent) {
        iteration = iteration * var->extent.constant() + *values.find(var->symbol.symbol());
      }
      const std::optional<int64_t> at = loops::value_of(*place, values);
      is_apart = is_apart && at && owner.emplace(*at, iteration).first->second == iteration;
    });
    return is_apart;
  }

  // The number of levels around both accesses.
  static size_t common_levels(const Access& a, const Access& b) {
    size_t level = 0;
    while (level < a.path.size() && level < b.path.size() &&
           a.path[level].block == b.path[level].block &&
           a.path[level].index == b.path[level].index) {
      ++level;
    }
    return level;
  }

  void verify_load(const Access& load) const {
    std::vector<const Access*> before;
    for (const Access& store : stores_[static_cast<size_t>(buffer_)]) {
      const size_t common = common_levels(load, store);
      const bool is_same_block = load.path[common].block == store.path[common].block;
      const bool is_before = is_same_block && store.path[common].index < load.path[common].index;
      if (is_before) before.push_back(&store);
      verify_iteration(load, store, common);
    }
    expect(!before.empty(), "what is loaded must have been stored before");
    expect(is_covered(load, before), "every element that is loaded must have been stored before");
  }

  // Checks that no other iteration of a loop around both stores the element that is loaded.
  void verify_iteration(const Access& load, const Access& store, size_t common) const {
    if (kernel_.buffers[static_cast<size_t>(buffer_)].role == BufferRole::scratch) return;
    ToldVars told;
    told.candidates = vars_around(store);
    std::vector<Expr> known;
    for (size_t d = 0; d < load.instr->indices.size(); ++d) {
      const auto* read = std::get_if<Expr>(&load.instr->indices[d]);
      const auto* written = std::get_if<Expr>(&store.instr->indices[d]);
      if (read == nullptr || written == nullptr) continue;
      if (*read == *written) known.push_back(*read);
      // 6*i + j and 6*i + k agree in i.
      for (const LoopVar* var : told.candidates) {
        const auto linear = linear_in(*written, var->symbol.symbol());
        if (!linear || !known_less(1, linear->first)) continue;
        const Expr above = floor_div(*written, linear->first);
        if (above == floor_div(*read, linear->first)) known.push_back(above);
      }
    }
    const std::optional<Expr> read = address(load);
    if (read && read == address(store)) known.push_back(*read);
    told.add_all(std::move(known));
    for (size_t level = 0; level < common; ++level) {
      const Instr& loop = *load.path[level].instr;
      if (is_sequential(loop)) continue;
      for (const LoopVar& var : loop.vars) {
        expect(var.extent.is(1) || told.has(var),
               "an iteration must not read what another one stores");
      }
    }
  }

  // Finds the instruction on the path to the access that defines a value.
  static const Instr* definition(const Access& access, loops::ValueId value) {
    for (const Level& level : access.path) {
      for (const Instr& instr : level.block->instrs) {
        if (std::ranges::count(instr.results, value) > 0) return &instr;
      }
    }
    return nullptr;
  }

  // True if a predicate on the path holds at exactly one position, even an unknown one.
  static bool holds_once(const Access& access, Expr position) {
    const Instr* is = definition(access, access.instr->predicate);
    if (is == nullptr) return false;
    if (is->kind == InstrKind::index) {
      return is->expr.kind() == ExprKind::eq &&
             std::ranges::count(is->expr.operands(), position) == 1;
    }
    const auto is_position = [&](loops::ValueId operand) {
      const Instr* counted = definition(access, operand);
      return counted != nullptr && counted->kind == InstrKind::index && counted->expr == position;
    };
    return is->kind == InstrKind::op && is->op == loops::ScalarOp::eq &&
           std::ranges::any_of(is->operands, is_position);
  }

  // True if the store takes the element at one position of a sort, as a median does: one iteration
  // stores.
  static bool picks_position(const Access& store) {
    const auto level = std::ranges::find_if(
        store.path, [](const Level& l) { return l.instr->kind == InstrKind::sort; });
    if (level == store.path.end() || !holds_once(store, level->instr->position.symbol)) {
      return false;
    }
    return std::ranges::all_of(store.instr->indices, [&](const Index& index) {
      const auto* expr = std::get_if<Expr>(&index);
      return expr != nullptr && !mentions(*expr, level->instr->position.symbol.symbol());
    });
  }

  static bool is_made(const Access& store) {
    return store.instr->predicate == kNoValue || picks_position(store);
  }

  bool is_covered(const Access& load, const std::vector<const Access*>& stores) const {
    const size_t rank = load.instr->indices.size();
    // A store of the same iteration to this address covers the load, however its indices are
    // written.
    const std::optional<Expr> read = address(load);
    for (const Access* store : stores) {
      const bool is_inside = common_levels(load, *store) + 1 < store->path.size();
      if (!is_made(*store) || is_inside) continue;
      if (read && read == address(*store)) return true;
    }
    if (fill(load, stores)) return true;
    if (are_stored(load, stores)) return true;
    // One store covers the load, or several that follow each other along one dimension.
    for (size_t along = 0; along < std::max<size_t>(rank, 1); ++along) {
      std::vector<const Access*> useful;
      for (const Access* store : stores) {
        if (!is_made(*store)) continue;
        bool fits = true;
        for (size_t d = 0; d < rank && fits; ++d) {
          fits = d == along || covers(load, *store, d);
        }
        if (fits) useful.push_back(store);
      }
      if (rank == 0 ? !useful.empty() : is_covered_along(load, useful, along)) return true;
    }
    return false;
  }

  bool is_covered_along(const Access& load, const std::vector<const Access*>& stores,
                        size_t d) const {
    for (const Access* store : stores) {
      if (covers(load, *store, d)) return true;
    }
    std::vector<std::pair<Expr, Expr>> ranges;
    for (const Access* store : stores) {
      if (const auto range = stored_range(load, *store, d)) ranges.push_back(*range);
    }
    return is_inside(load, d, 0, joined_end(ranges));
  }

  // Any index is inside its dimension if the access is made.
  bool is_inside(const Access& load, size_t d, Expr first, Expr end) const {
    const auto* read = std::get_if<Expr>(&load.instr->indices[d]);
    if (read != nullptr && known_less_equal(first, *read) && known_less(*read, end)) return true;
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(buffer_)];
    return known_less_equal(first, 0) && known_less_equal(buffer.type.sizes[d], end);
  }

  // First and one past the last index that the store reaches while the load's iteration stays.
  static std::optional<std::pair<Expr, Expr>> stored_range(const Access& load, const Access& store,
                                                           size_t d) {
    const auto* written = std::get_if<Expr>(&store.instr->indices[d]);
    return written == nullptr ? std::nullopt : reached(load, store, *written);
  }

  // The same for any expression over the variables of the store.
  static std::optional<std::pair<Expr, Expr>> reached(const Access& load, const Access& store,
                                                      Expr first) {
    const size_t common = common_levels(load, store);
    std::vector<std::pair<Expr, Expr>> steps;  // Weight and extent of the loops inside.
    for (const LoopVar* var : vars_around(store, common)) {
      const auto linear = linear_in(first, var->symbol.symbol());
      if (!linear) return std::nullopt;
      if (!linear->first.is(0)) steps.emplace_back(linear->first, var->extent);
      first = linear->second;
    }
    // The innermost variable counts by one, each other by the size of everything inside it.
    Expr count = 1;
    while (!steps.empty()) {
      const auto next = std::ranges::find_if(
          steps, [&](const auto& step) { return known_equal(step.first, count); });
      if (next == steps.end()) return std::nullopt;
      count = count * next->second;
      steps.erase(next);
    }
    return std::pair{first, first + count};
  }

  // Checks by enumeration of all iterations of loops without common ones that every loaded place is
  // stored.
  bool are_stored(const Access& load, const std::vector<const Access*>& stores) const {
    std::unordered_set<int64_t> stored;
    for (const Access* store : stores) {
      const std::vector<const LoopVar*> vars = vars_around(*store);
      const std::optional<Expr> place = address(*store);
      if (!is_made(*store) || !place || !iteration_count(vars)) continue;
      if (common_levels(load, *store) > 0) continue;
      Bindings values;
      for_each_iteration(vars, values, [&] {
        if (const auto at = loops::value_of(*place, values)) stored.insert(*at);
      });
    }
    const std::vector<const LoopVar*> vars = vars_around(load);
    const std::optional<Expr> place = address(load);
    if (stored.empty() || !place || !iteration_count(vars)) return false;
    Bindings values;
    bool is_stored = true;
    for_each_iteration(vars, values, [&] {
      const std::optional<int64_t> at = loops::value_of(*place, values);
      is_stored = is_stored && at && stored.contains(*at);
    });
    return is_stored;
  }

  // True if the stores cover every element of a dense buffer, however their indices are written.
  bool fill(const Access& load, const std::vector<const Access*>& stores) const {
    const TensorType& type = kernel_.buffers[static_cast<size_t>(buffer_)].type;
    if (type.strides != contiguous_strides(type.sizes)) return false;
    std::vector<std::pair<Expr, Expr>> ranges;
    for (const Access* store : stores) {
      const std::optional<Expr> written = address(*store);
      if (!is_made(*store) || !written) continue;
      if (const auto range = reached(load, *store, *written)) ranges.push_back(*range);
    }
    return known_less_equal(type.numel(), joined_end(ranges));
  }

  // The end of ranges that together start at 0 without a gap, in any order. Any may be empty.
  static Expr joined_end(const std::vector<std::pair<Expr, Expr>>& ranges) {
    Expr end = 0;
    for (size_t round = 0; round < ranges.size(); ++round) {
      const Expr before = end;
      for (const auto& [first, last] : ranges) {
        if (known_less_equal(first, end) && known_less_equal(end, last)) end = last;
      }
      if (end != before) continue;
      // A range that begins just here may be of s0 - 2 entries: if that is negative, less is
      // claimed.
      const auto next = std::ranges::find(ranges, end, &std::pair<Expr, Expr>::first);
      if (next != ranges.end()) end = next->second;
    }
    return end;
  }

  bool covers(const Access& load, const Access& store, size_t d) const {
    const auto range = stored_range(load, store, d);
    return range && is_inside(load, d, range->first, range->second);
  }

  const Kernel& kernel_;
  BufferId buffer_ = -1;
  std::vector<std::vector<Access>> loads_;  ///< By buffer.
  std::vector<std::vector<Access>> stores_;
};

void expect(bool condition, const char* rule, const Step& step) {
  if (!condition) throw InternalError(std::string(rule) + ": " + step.label);
}

/// `first_result` is the first one that the kernel makes.
void verify_bindings(const Step& step, const KernelStep& kernel, size_t first_result) {
  expect(kernel.buffers.size() == kernel.kernel.buffers.size(),
         "a kernel must have one binding per buffer", step);
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Slot slot = kernel.buffers[i].slot;
    const BufferRole role = kernel.kernel.buffers[i].role;
    const auto own = std::span(step.results).subspan(first_result);
    const bool is_result = std::ranges::count(own, slot, &lowering::Result::slot) > 0;
    if (role == BufferRole::scratch) {
      expect(slot == kNoSlot, "memory that only the kernel uses must have no slot", step);
    } else if (role == BufferRole::output) {
      expect(is_result, "a kernel must store to its own results", step);
    } else {
      expect(slot != kNoSlot && !is_result, "a kernel must not read its results as inputs", step);
    }
  }
}

void verify_epilogue(const Step& step, const KernelStep& epilogue) {
  expect(lowering::call_results(step) == 1 && step.results.size() > 1 &&
             epilogue.buffers.at(0).slot == step.results[0].slot,
         "an epilogue must read the one result of its call through its first buffer", step);
  verify_bindings(step, epilogue, 1);
}

}  // namespace

namespace {

/// Checks that no slot is read after its memory was updated.
class UpdateVerifier {
 public:
  explicit UpdateVerifier(const Plan& plan)
      : storages_(find_storages(plan)),
        updates_(storages_.all.size(), 0),
        shown_(storages_.of_slot.size(), 0) {}

  void visit(const Step& step) {
    for (const Slot slot : lowering::slots_read(step)) {
      if (slot == kNoSlot || storages_.of_slot[static_cast<size_t>(slot)] < 0) continue;
      const bool is_made_here = std::ranges::count(step.results, slot, &lowering::Result::slot) > 0;
      expect(is_made_here || shown_[static_cast<size_t>(slot)] == updates(slot),
             "a slot must not be read after its memory was updated", step);
    }
    for (const lowering::Result& result : step.results) {
      if (result.slot == kNoSlot) continue;
      if (result.over != kNoSlot) ++updates(result.slot);
      shown_[static_cast<size_t>(result.slot)] = updates(result.slot);
    }
  }

 private:
  int& updates(Slot slot) {
    return updates_[static_cast<size_t>(storages_.of_slot[static_cast<size_t>(slot)])];
  }

  Storages storages_;
  std::vector<int> updates_;  ///< By storage, so far.
  std::vector<int> shown_;    ///< By slot: how many of them its value is from.
};

}  // namespace

void verify_slots(const Plan& plan) {
  enum State : char { kUnmade, kLive, kDead };

  std::vector<State> states(static_cast<size_t>(plan.slot_count), kUnmade);
  const auto state = [&](Slot slot) -> State& { return states[static_cast<size_t>(slot)]; };
  for (const Slot slot : plan.input_slots) {
    if (slot != kNoSlot) state(slot) = kLive;
  }
  UpdateVerifier updates(plan);
  for (const Step& step : plan.steps) {
    updates.visit(step);
    for (const lowering::Result& result : step.results) {
      if (result.slot == kNoSlot) continue;
      expect(state(result.slot) == kUnmade, "a slot must be made once", step);
      state(result.slot) = kLive;
    }
    for (const Slot slot : lowering::slots_read(step)) {
      if (slot == kNoSlot) continue;
      expect(state(slot) != kUnmade, "a slot must be made before it is read", step);
      expect(state(slot) != kDead, "a slot must not be read after it was freed", step);
    }
    if (const auto* kernel = std::get_if<KernelStep>(&step.work)) verify_bindings(step, *kernel, 0);
    const auto* library = std::get_if<lowering::LibraryStep>(&step.work);
    if (library != nullptr && library->epilogue) verify_epilogue(step, *library->epilogue);
    for (const Slot slot : step.dead) {
      expect(state(slot) == kLive, "only a live slot must be freed", step);
      state(slot) = kDead;
    }
  }
  for (const lowering::ControlOperand& output : plan.outputs) {
    check(output.slot == kNoSlot || state(output.slot) == kLive,
          "an output must be made and not be freed:", plan.name, output.slot);
  }
}

void verify_accesses(const Kernel& kernel) { AccessVerifier(kernel).run(); }

}  // namespace litz::memory
