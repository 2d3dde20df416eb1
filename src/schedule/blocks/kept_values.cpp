// Costly values that several loops compute from kept rows stay in registers, too.
//
//   for i0 in 0..16384 {
//     %1 = reduce max ...                       The second loop writes its exponentials to registers
//     reduce sum i1 { exp(%x - %1) }        =>  of the threads; the third loop divides those, since
//     for i2 { store exp(%x - %1) / ... }       each thread takes the same elements in both.
//   }

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "loops/instrs.h"
#include "schedule/blocks/block_rewriting.h"

namespace litz::schedule {
namespace {

using loops::Instr;
using loops::InstrKind;
using loops::ValueId;

/// Operations of at least this price are worth a register an element.
constexpr double kCostly = 8;
/// Registers of a thread that values may take.
constexpr int64_t kMostValueBytes = 192;

/// A computation of loops over the same rows: of what earlier ones gave, by their numbers, or of values
/// from outside of the loops.
struct Computation {
  const Instr* instr = nullptr;  ///< The first that computes it.
  const Instr* loop = nullptr;   ///< Around that.
  std::vector<size_t> operands;
  std::optional<size_t> row;  ///< Loads: the kept row.
  bool is_costly = false;     ///< Itself, or something that it is computed from.

  bool equals(const Computation& other, const loops::Kernel& kernel) const {
    const auto type = [&](const Instr& of) {
      return kernel.values[static_cast<size_t>(of.results[0])].dtype;
    };
    return instr->kind == other.instr->kind && type(*instr) == type(*other.instr) &&
           instr->op == other.instr->op && operands == other.operands && row == other.row &&
           instr->literal == other.instr->literal;
  }
};

class Values {
 public:
  explicit Values(Schedule& schedule) : schedule_(schedule) {}

  /// Numbers what a loop computes, and keeps what earlier ones have computed, too. The threads take so
  /// many chunks of all loops.
  void add(const Instr& loop, int64_t chunks) {
    Known known;
    for (const Instr& instr : loop.blocks[0]->instrs) {
      const std::optional<size_t> number = number_of(instr, loop);
      for (const ValueId result : instr.results) numbers_[result] = number;
      if (number && computations_[*number].loop != &loop) known.emplace(&instr, *number);
    }
    for (const Instr& instr : loop.blocks[0]->instrs) {
      const auto found = known.find(&instr);
      if (found == known.end() || !computations_[found->second].is_costly) continue;
      if (is_last(instr, loop, known)) {
        keep(instr, computations_[found->second], chunks * schedule_.width_of(loop));
      }
    }
  }

 private:
  /// Instructions of a loop that earlier loops have, too, and the numbers of what they compute.
  using Known = std::unordered_map<const Instr*, size_t>;

  std::optional<size_t> number_of(const Instr& instr, const Instr& loop) {
    if (instr.results.size() != 1) return std::nullopt;
    Computation own{&instr, &loop, {}, {}, false};
    if (const auto row = schedule_.kept_row_of.find(&instr); row != schedule_.kept_row_of.end()) {
      own.row = row->second;
    } else if (instr.kind == InstrKind::op) {
      own.is_costly = loops::cost(instr.op) >= kCostly;
      for (const ValueId operand : instr.operands) {
        const auto found = numbers_.find(operand);
        if (found == numbers_.end()) {
          own.operands.push_back(kOutside + static_cast<size_t>(operand));
          continue;
        }
        if (!found->second) return std::nullopt;
        own.operands.push_back(*found->second);
        own.is_costly |= computations_[*found->second].is_costly;
      }
    } else if (instr.kind != InstrKind::constant) {
      return std::nullopt;
    }
    const auto found = std::ranges::find_if(computations_, [&](const Computation& other) {
      return other.equals(own, schedule_.kernel);
    });
    if (found != computations_.end()) return found - computations_.begin();
    computations_.push_back(std::move(own));
    return computations_.size() - 1;
  }

  /// True if something that no earlier loop computes uses the result.
  static bool is_last(const Instr& instr, const Instr& loop, const Known& known) {
    const ValueId value = instr.results[0];
    const loops::Block& block = *loop.blocks[0];
    return std::ranges::find(block.yields, value) != block.yields.end() ||
           std::ranges::any_of(block.instrs, [&](const Instr& user) {
             return uses(user, value) && !known.contains(&user);
           });
  }

  static bool uses(const Instr& user, ValueId value) {
    bool does = user.predicate == value || user.other == value ||
                std::ranges::find(user.operands, value) != user.operands.end();
    for (const loops::Index& index : user.indices) {
      const auto* const computed = std::get_if<ValueId>(&index);
      does |= computed != nullptr && *computed == value;
    }
    return does;
  }

  void keep(const Instr& instr, const Computation& computation, int64_t elements) {
    const auto found = schedule_.kept_value_of.find(computation.instr);
    if (found != schedule_.kept_value_of.end()) {
      schedule_.kept_value_of[&instr] = found->second;
      return;
    }
    const DType dtype = schedule_.kernel.values[static_cast<size_t>(instr.results[0])].dtype;
    const int64_t bytes = elements * std::max<int64_t>(4, item_size(dtype));
    if (bytes_ + bytes > kMostValueBytes) return;
    bytes_ += bytes;
    schedule_.kept_value_of[computation.instr] = schedule_.kept_values.size();
    schedule_.kept_value_of[&instr] = schedule_.kept_values.size();
    schedule_.kept_values.push_back({computation.instr, computation.loop, elements});
  }

  static constexpr size_t kOutside = size_t{1} << 32;

  Schedule& schedule_;
  std::vector<Computation> computations_;
  /// Of values inside the loops; none: something else than a computation gives it.
  std::unordered_map<ValueId, std::optional<size_t>> numbers_;
  int64_t bytes_ = 0;
};

}  // namespace

void keep_values_in_registers(Schedule& schedule, const Phase& phase) {
  if (phase.block.team == 1) return;
  std::vector<const Instr*> loops;
  for (const Instr& instr : schedule.loop_of(phase)->blocks[0]->instrs) {
    if (schedule.chunks.contains(&instr)) loops.push_back(&instr);
  }
  const auto is_alike = [&](const Instr* loop) {
    return schedule.chunks.at(loop) == schedule.chunks.at(loops[0]) &&
           schedule.width_of(*loop) == schedule.width_of(*loops[0]) &&
           loop->vars[0].extent == loops[0]->vars[0].extent;
  };
  if (loops.size() < 2 || !std::ranges::all_of(loops, is_alike)) return;
  Values values(schedule);
  for (const Instr* const loop : loops) values.add(*loop, schedule.chunks.at(loop));
}

}  // namespace litz::schedule
