// Computes pointwise consumers where their producers store.
//
//   kernel @norm:                           kernel @norm_relu:
//     for c { ... for i, j {                  for c { ... for i, j {
//       store %y[0, c, i, j], %9      =>        %10 = max %9, 0
//   kernel @relu:                               store %z[0, c, i, j], %10
//     store %z[...], max(%y[...], 0)
//
// The producer may have any loops, if it stores every element once. The consumer's loop variables
// are digits of the address that it loads. At the producer's store the address is known, and so are
// the digits.

#include <algorithm>
#include <array>

#include "fusion/kernel_edit.h"
#include "fusion/passes.h"
#include "loops/pointwise.h"
#include "types/address.h"

namespace litz::fusion {
namespace {

using loops::Block;
using loops::BufferId;
using loops::Index;
using loops::Instr;
using loops::InstrKind;
using loops::ValueId;

/// The consumer's loop variables as digits of an address in the producer's result.
struct Digits {
  std::vector<Digit> digits;  ///< By loop variable of the consumer.
  std::vector<size_t> order;  ///< Most significant first; loops of one iteration are left out.
  /// Used instead of digits if the consumer walks the result in its own shape. By loop variable:
  /// the dimension of the result that it counts, or -1 for one of a single element.
  std::optional<std::vector<int>> dimensions;
  std::vector<ValueId> loads;  ///< The consumer's loads of the result.
};

class Sinking {
 public:
  Sinking(PlanGraph& graph, CoalescingGate& gate, StepId producer, StepId consumer,
          const loops::PointwiseNest& nest)
      : graph_(graph),
        gate_(gate),
        first_(producer),
        second_(consumer),
        producer_(*graph.kernel(producer)),
        consumer_(*graph.kernel(consumer)),
        nest_(nest) {}

  /// Sinks consumers of results in the slot, or returns why not.
  std::optional<Reason> run(Slot slot) {
    slot_ = slot;
    if (const auto refusal = find_result()) return refusal;
    if (const auto refusal = find_digits()) return refusal;
    const size_t labels = graph_.labels(first_).size() + graph_.labels(second_).size();
    const auto added = static_cast<int>(nest_.instrs.size() + nest_.stores.size()) * stores_;
    if (is_too_large(graph_.machine(), labels, instr_count(producer_.kernel) + added,
                     producer_.buffers.size() + consumer_.buffers.size())) {
      return Reason::too_large;
    }
    if (!graph_.can_join(first_, second_)) return Reason::steps_between;
    make_fused();
    const KernelStep* fused = &fused_;
    if (gate_.refuses(graph_, {&fused, 1}, std::array{first_, second_})) {
      return Reason::coalescing;
    }
    commit();
    return std::nullopt;
  }

 private:
  const TensorType& written() const {
    return producer_.kernel.buffers[static_cast<size_t>(result_)].type;
  }

  // The producer's buffer, which must be stored to element by element, each once.
  std::optional<Reason> find_result() {
    for (size_t i = 0; i < producer_.buffers.size(); ++i) {
      if (producer_.buffers[i].slot != slot_) continue;
      if (result_ >= 0 || producer_.buffers[i].restrided) return Reason::layout;
      result_ = static_cast<BufferId>(i);
    }
    double trips = 0;
    if (!count_stores(producer_.kernel.body, 1, trips)) return Reason::not_pointwise;
    if (stores_ == 0 || trips > estimate(written().numel())) return Reason::not_pointwise;
    return std::nullopt;
  }

  bool count_stores(const Block& block, double trips, double& total) {
    for (const Instr& instr : block.instrs) {
      if (instr.kind == InstrKind::store && instr.buffer == result_) {
        const bool is_plain = instr.mode == loops::StoreMode::assign &&
                              instr.predicate == loops::kNoValue &&
                              std::ranges::all_of(instr.indices, [](const Index& index) {
                                return std::holds_alternative<Expr>(index);
                              });
        if (!is_plain) return false;
        total += trips;
        ++stores_;
      }
      double inner = trips;
      if (instr.kind == InstrKind::sort) return false;
      for (const loops::LoopVar& var : instr.vars) inner *= estimate(var.extent);
      for (const auto& nested : instr.blocks) {
        if (!count_stores(*nested, inner, total)) return false;
      }
    }
    return true;
  }

  // The consumer must load from one address, and from each of its values once.
  std::optional<Reason> find_digits() {
    std::optional<Expr> address;
    std::optional<std::vector<Expr>> element;
    for (const Instr* instr : nest_.instrs) {
      if (instr->kind != InstrKind::load) continue;
      const lowering::BufferSlot& binding = consumer_.buffers[static_cast<size_t>(instr->buffer)];
      if (binding.slot != slot_) {
        // Another result of the producer is not complete where this one is stored.
        if (graph_.producer(binding.slot) == first_) return Reason::other_iterations;
        continue;
      }
      const std::optional<Expr> own = address_read(*instr, binding);
      if (!own) return Reason::layout;
      if (address && !(*address == *own)) return Reason::other_iterations;
      address = own;
      element = element_read(*instr, binding);
      found_.loads.push_back(instr->results[0]);
    }
    if (!address) return Reason::layout;
    if (element) found_.dimensions = dimensions_of(*element);
    if (found_.dimensions) return std::nullopt;
    Expr rest = *address;
    Expr count = 1;
    for (const loops::LoopVar& var : nest_.vars) {
      const auto linear = linear_in(rest, var.symbol.symbol());
      if (!linear) return Reason::address;
      found_.digits.push_back({linear->first, var.extent});
      rest = linear->second;
      count = count * var.extent;
    }
    const auto order = mixed_radix_order(found_.digits);
    if (!rest.is(0) || !order || !known_equal(count, written().numel())) {
      return Reason::other_iterations;
    }
    found_.order = *order;
    return std::nullopt;
  }

  // The address in the producer's result, which must be dense so that digits follow from it.
  std::optional<Expr> address_read(const Instr& load, const lowering::BufferSlot& binding) const {
    const TensorType& read = consumer_.kernel.buffers[static_cast<size_t>(load.buffer)].type;
    if (read.dtype != written().dtype || load.predicate != loops::kNoValue) return std::nullopt;
    std::vector<Expr> indices;
    for (const Index& index : load.indices) {
      const auto* expr = std::get_if<Expr>(&index);
      if (expr == nullptr) return std::nullopt;
      indices.push_back(*expr);
    }
    return address_of(read, binding.offset(), indices);
  }

  std::optional<std::vector<Expr>> element_read(const Instr& load,
                                                const lowering::BufferSlot& binding) const {
    const TensorType& read = consumer_.kernel.buffers[static_cast<size_t>(load.buffer)].type;
    std::vector<Expr> indices;
    for (const Index& index : load.indices) indices.push_back(std::get<Expr>(index));
    return same_element(written(), read, binding.offset(), indices);
  }

  // The dimension that each of the consumer's loops counts, if each counts one.
  std::optional<std::vector<int>> dimensions_of(const std::vector<Expr>& element) const {
    std::vector<int> dimensions(nest_.vars.size(), -1);
    for (size_t d = 0; d < element.size(); ++d) {
      if (written().sizes[d].is(1)) continue;
      const auto var = std::ranges::find(nest_.vars, element[d], &loops::LoopVar::symbol);
      if (var == nest_.vars.end() || !(var->extent == written().sizes[d])) return std::nullopt;
      int& dimension = dimensions[static_cast<size_t>(var - nest_.vars.begin())];
      if (dimension >= 0) return std::nullopt;
      dimension = static_cast<int>(d);
    }
    for (size_t i = 0; i < dimensions.size(); ++i) {
      if (dimensions[i] < 0 && !nest_.vars[i].extent.is(1)) return std::nullopt;
    }
    return dimensions;
  }

  // By loop variable of the consumer, at an element of the result.
  std::vector<Expr> values_at(const std::vector<Expr>& indices) const {
    std::vector<Expr> values(nest_.vars.size(), Expr(0));
    if (found_.dimensions) {
      for (size_t i = 0; i < values.size(); ++i) {
        const int dimension = (*found_.dimensions)[i];
        if (dimension >= 0) values[i] = indices[static_cast<size_t>(dimension)];
      }
      return values;
    }
    const Expr address = address_of(written(), 0, indices);
    for (const size_t digit : found_.order) {
      const Expr above = floor_div(address, found_.digits[digit].weight);
      const bool is_top = digit == found_.order.front();
      values[digit] = is_top ? above : mod(above, found_.digits[digit].extent);
    }
    return values;
  }

  void make_fused() {
    fused_ = copy_step(producer_);
    buffers_.assign(consumer_.buffers.size(), -1);
    for (size_t i = 0; i < consumer_.buffers.size(); ++i) {
      if (consumer_.buffers[i].slot == slot_) continue;
      buffers_[i] = bind_alike(fused_, consumer_, static_cast<BufferId>(i));
    }
    emit_after_stores(fused_.kernel.body);
    clean_kernel(fused_);
    unread_ = remove_unread_stores(
        fused_, [&](Slot slot) { return !graph_.is_needed_beside(slot, second_); });
  }

  void commit() {
    graph_.join_labels(second_, first_);
    graph_.move_to(first_, second_);
    std::vector<lowering::Result>& results = graph_.step(first_).results;
    for (lowering::Result& result : graph_.step(second_).results) {
      results.push_back(std::move(result));
    }
    std::erase_if(results, [&](const lowering::Result& result) {
      return std::ranges::count(unread_, result.slot) > 0;
    });
    producer_ = std::move(fused_);
    graph_.remove(second_);
    graph_.refresh(first_);
  }

  void emit_after_stores(Block& block) {
    std::vector<Instr> before = std::exchange(block.instrs, {});
    for (Instr& instr : before) {
      for (const auto& nested : instr.blocks) emit_after_stores(*nested);
      const bool is_result = instr.kind == InstrKind::store && instr.buffer == result_;
      block.instrs.push_back(std::move(instr));
      if (is_result) emit(block.instrs);
    }
  }

  void emit(std::vector<Instr>& out) {
    InstrCopier copier(consumer_.kernel, fused_.kernel);
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i] >= 0) copier.map_buffer(static_cast<BufferId>(i), buffers_[i]);
    }
    std::vector<Expr> indices;
    for (const Index& index : out.back().indices) indices.push_back(std::get<Expr>(index));
    const std::vector<Expr> values = values_at(indices);
    for (size_t i = 0; i < values.size(); ++i) {
      copier.map_symbol(nest_.vars[i].symbol.symbol(), values[i]);
    }
    const ValueId stored = out.back().operands[0];
    for (const Instr* instr : nest_.instrs) {
      const bool is_forwarded =
          instr->kind == InstrKind::load && std::ranges::count(found_.loads, instr->results[0]) > 0;
      if (is_forwarded) {
        copier.map(instr->results[0], stored);
      } else {
        copier.copy(*instr, out);
      }
    }
    for (const loops::PointwiseStore& store : nest_.stores) copier.copy(*store.instr, out);
  }

  PlanGraph& graph_;
  CoalescingGate& gate_;
  StepId first_;
  StepId second_;
  KernelStep& producer_;
  KernelStep& consumer_;
  const loops::PointwiseNest& nest_;
  Slot slot_ = kNoSlot;
  BufferId result_ = -1;
  int stores_ = 0;
  Digits found_;
  std::vector<BufferId> buffers_;
  KernelStep fused_;
  std::vector<Slot> unread_;  ///< Results without readers after the fusion.
};

// The latest producer comes first, since the fewest steps are between it and the consumer.
std::vector<std::pair<int, Slot>> producers_of(PlanGraph& graph, StepId id) {
  std::vector<std::pair<int, Slot>> found;
  for (const lowering::BufferSlot& binding : graph.kernel(id)->buffers) {
    if (binding.slot == kNoSlot) continue;
    const StepId maker = graph.producer(binding.slot);
    if (maker == id || graph.kernel(maker) == nullptr) continue;
    found.emplace_back(graph.position(maker), binding.slot);
  }
  std::sort(found.rbegin(), found.rend());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool sink_consumer(PlanGraph& graph, CoalescingGate& gate, MissedPairs& missed, StepId id) {
  const std::optional<loops::PointwiseNest> nest = pointwise_nest(graph.kernel(id)->kernel);
  if (!nest) return false;
  for (const auto& [position, slot] : producers_of(graph, id)) {
    const StepId maker = graph.producer(slot);
    std::optional<Reason> refusal = missed.refusal(graph, maker, id, Attempt::sink);
    if (!refusal) {
      refusal = Sinking(graph, gate, maker, id, *nest).run(slot);
      if (!refusal) return true;
      // Other reasons may disappear when the steps around these two change.
      if (*refusal == Reason::coalescing) {
        missed.refuse(graph, maker, id, Attempt::sink, *refusal);
      }
    }
    missed.note(maker, id, *refusal);
  }
  return false;
}

}  // namespace

bool sink_consumers(PlanGraph& graph, CoalescingGate& gate, MissedPairs& missed) {
  bool changed = false;
  const std::vector<StepId> order = graph.order();
  for (const StepId id : order) {
    if (graph.kernel(id) != nullptr) changed = sink_consumer(graph, gate, missed, id) || changed;
  }
  return changed;
}

}  // namespace litz::fusion
