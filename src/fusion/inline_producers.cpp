// Computes pointwise producers where their consumers load them.
//
//   kernel @add: store %sum[i, j], %a[i, j] + %b[i, j]
//   kernel @exp: store %out[i], exp(%sum[0, i])          =>  store %out[i], exp(%a[0, i] + %b[0, i])
//
// A load's address is known relative to the storage that the producer filled. This gives the
// coordinates at which the producer's body is computed instead (address.h). A conditional load
// passes its condition to the producer's loads.
//
// Profitable if the memory traffic saved outweighs the repeated computation.

#include <algorithm>
#include <map>

#include "fusion/kernel_edit.h"
#include "fusion/passes.h"
#include "loops/clone.h"
#include "loops/instrs.h"
#include "loops/pointwise.h"
#include "support/check.h"
#include "types/address.h"

namespace litz::fusion {
namespace {

using loops::Block;
using loops::BufferId;
using loops::Index;
using loops::Instr;
using loops::InstrKind;
using loops::kNoValue;
using loops::ValueId;

/// A load that the producer's body can replace.
struct Site {
  const loops::PointwiseStore* store = nullptr;
  std::vector<Expr> element;                           ///< An element of the producer's result.
  std::vector<std::pair<SymbolId, ValueId>> computed;  ///< Symbols in `element` for values.
  double trips = 1;
  bool is_conditional = false;
};

/// By the loaded value.
using Sites = std::map<ValueId, Site>;

/// The loads of one consumer that would be replaced.
struct Use {
  StepId consumer = kNoStep;
  Sites sites;
  std::optional<KernelStep> fused;  ///< The consumer then, once it was asked for.
};

class SiteFinder {
 public:
  SiteFinder(const KernelStep& producer, const loops::PointwiseNest& nest,
             const KernelStep& consumer)
      : producer_(producer), nest_(nest), consumer_(consumer) {}

  /// The reason why some load of the producer's results cannot be replaced.
  std::optional<Reason> find() {
    visit(consumer_.kernel.body, 1);
    return refusal_;
  }

  Sites sites;

 private:
  void visit(const Block& block, double trips) {
    for (const Instr& instr : block.instrs) {
      if (instr.kind == InstrKind::load) visit_load(instr, trips);
      double inner = trips;
      for (const loops::LoopVar& var : instr.vars) inner *= estimate(var.extent);
      for (const auto& nested : instr.blocks) visit(*nested, inner);
    }
  }

  void visit_load(const Instr& load, double trips) {
    const auto& binding = consumer_.buffers[static_cast<size_t>(load.buffer)];
    for (const loops::PointwiseStore& store : nest_.stores) {
      if (producer_.buffers[static_cast<size_t>(store.buffer)].slot == binding.slot) {
        return add_site(load, binding, store, trips);
      }
    }
  }

  void add_site(const Instr& load, const lowering::BufferSlot& binding,
                const loops::PointwiseStore& store, double trips) {
    const TensorType& written = producer_.kernel.buffers[static_cast<size_t>(store.buffer)].type;
    const TensorType& read = consumer_.kernel.buffers[static_cast<size_t>(load.buffer)].type;
    if (written.dtype != read.dtype) return refuse(Reason::layout);
    Site site;
    site.store = &store;
    site.trips = trips;
    site.is_conditional = load.predicate != kNoValue;
    std::vector<Expr> indices;
    for (size_t d = 0; d < load.indices.size(); ++d) {
      if (const auto* expr = std::get_if<Expr>(&load.indices[d])) {
        indices.push_back(*expr);
        continue;
      }
      // The index was checked before the load, so it has the range of a loop variable.
      const loops::LoopVar var = make_loop_var(*consumer_.kernel.pool, "element", read.sizes[d]);
      site.computed.emplace_back(var.symbol.symbol(), std::get<ValueId>(load.indices[d]));
      indices.push_back(var.symbol);
    }
    const Expr offset = binding.offset();
    auto element = same_element(written, read, offset, indices);
    if (!element) {
      element = element_at(written, address_of(read, offset, indices), site.is_conditional);
    }
    if (!element) return refuse(Reason::address);
    site.element = std::move(*element);
    if (!site.computed.empty() && !is_all_computable(site)) return refuse(Reason::address);
    sites.emplace(load.results[0], std::move(site));
  }

  // True if everything that depends on the element can be expressed as instructions.
  bool is_all_computable(const Site& site) const {
    return std::ranges::all_of(site.element, is_computable) &&
           std::ranges::all_of(nest_.instrs, [](const Instr* instr) {
             if (instr->kind == InstrKind::index) return is_computable(instr->expr);
             return std::ranges::all_of(instr->indices, [](const Index& index) {
               const auto* expr = std::get_if<Expr>(&index);
               return expr == nullptr || is_computable(*expr);
             });
           });
  }

  void refuse(Reason reason) { refusal_ = reason; }

  const KernelStep& producer_;
  const loops::PointwiseNest& nest_;
  const KernelStep& consumer_;
  std::optional<Reason> refusal_;
};

/// Rewrites a consumer.
class Inliner {
 public:
  Inliner(const KernelStep& producer, const loops::PointwiseNest& nest, KernelStep& consumer,
          const Sites& sites)
      : producer_(producer), nest_(nest), consumer_(consumer), sites_(sites) {}

  void run() {
    buffers_.assign(producer_.buffers.size(), -1);
    for (const Instr* instr : nest_.instrs) {
      if (instr->kind != InstrKind::load) continue;
      BufferId& buffer = buffers_[static_cast<size_t>(instr->buffer)];
      if (buffer < 0) buffer = bind_alike(consumer_, producer_, instr->buffer);
    }
    rewrite(consumer_.kernel.body);
  }

 private:
  void rewrite(Block& block) {
    std::vector<Instr> before = std::exchange(block.instrs, {});
    block.instrs.reserve(before.size() + nest_.instrs.size());
    for (Instr& instr : before) {
      for (ValueId& operand : instr.operands) rewrite(operand);
      rewrite(instr.predicate);
      rewrite(instr.other);
      for (Index& index : instr.indices) {
        if (auto* value = std::get_if<ValueId>(&index)) rewrite(*value);
      }
      for (const auto& nested : instr.blocks) rewrite(*nested);
      if (instr.kind == InstrKind::load && sites_.contains(instr.results[0])) {
        replaced_[instr.results[0]] = emit(sites_.at(instr.results[0]), instr, block.instrs);
      } else {
        block.instrs.push_back(std::move(instr));
      }
    }
    for (ValueId& value : block.yields) rewrite(value);
  }

  void rewrite(ValueId& value) const {
    const auto found = replaced_.find(value);
    if (found != replaced_.end()) value = found->second;
  }

  ValueId emit(const Site& site, const Instr& load, std::vector<Instr>& out) {
    InstrCopier copier(producer_.kernel, consumer_.kernel);
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i] >= 0) copier.map_buffer(static_cast<BufferId>(i), buffers_[i]);
    }
    std::vector<Expr> values(nest_.vars.size(), Expr(0));
    for (size_t d = 0; d < site.element.size(); ++d) {
      const int var = site.store->vars[d];
      if (var >= 0) values[static_cast<size_t>(var)] = site.element[d];
    }
    for (size_t i = 0; i < values.size(); ++i) {
      copier.map_symbol(nest_.vars[i].symbol.symbol(), values[i]);
    }
    for (const auto& [symbol, value] : site.computed) {
      ValueId seen = value;
      rewrite(seen);
      copier.map_computed(symbol, seen);
    }
    if (load.predicate != kNoValue) copier.guard(load.predicate);
    for (const Instr* instr : nest_.instrs) copier.copy(*instr, out);
    const ValueId stored = copier.mapped(site.store->instr->operands[0]);
    if (load.predicate == kNoValue) return stored;
    Instr select;
    select.op = loops::ScalarOp::select;
    select.operands = {load.predicate, stored, load.other};
    const DType dtype = consumer_.kernel.values[static_cast<size_t>(stored)].dtype;
    consumer_.kernel.values.push_back({dtype});
    select.results = {static_cast<ValueId>(consumer_.kernel.values.size()) - 1};
    out.push_back(std::move(select));
    return out.back().results[0];
  }

  const KernelStep& producer_;
  const loops::PointwiseNest& nest_;
  KernelStep& consumer_;
  const Sites& sites_;
  std::vector<BufferId> buffers_;
  std::map<ValueId, ValueId> replaced_;
};

double bytes_of(const TensorType& type) {
  return estimate(type.numel()) * static_cast<double>(item_size(type.dtype));
}

/// Decides on the inlining of one producer, and performs it.
class ProducerInlining {
 public:
  ProducerInlining(PlanGraph& graph, CoalescingGate& gate, MissedPairs& missed, StepId id,
                   loops::PointwiseNest nest)
      : graph_(graph),
        gate_(gate),
        missed_(missed),
        id_(id),
        producer_(*graph.kernel(id)),
        nest_(std::move(nest)) {}

  bool run() {
    find_uses();
    if (uses_.empty()) return false;
    if (is_everywhere_ && pays(uses_, true) && !spoils_lanes(uses_, true)) {
      for (Use& use : uses_) apply(use);
      graph_.remove(id_);
      return true;
    }
    // The producer stays; a reader may still recompute it if that is cheaper than reading it.
    bool changed = false;
    for (Use& use : uses_) {
      if (!pays({&use, 1}, false) || spoils_lanes({&use, 1}, false)) {
        const bool is_told = is_everywhere_ || refusal_ == Reason::coalescing;
        missed_.note(id_, use.consumer, is_told ? refusal_ : Reason::read_elsewhere);
        continue;
      }
      apply(use);
      changed = true;
    }
    return changed;
  }

 private:
  void find_uses() {
    std::vector<StepId> readers;
    for (const loops::PointwiseStore& store : nest_.stores) {
      const Slot slot = producer_.buffers[static_cast<size_t>(store.buffer)].slot;
      is_everywhere_ = is_everywhere_ && !graph_.is_output(slot);
      for (const StepId reader : graph_.readers(slot)) {
        if (std::ranges::count(readers, reader) == 0) readers.push_back(reader);
      }
    }
    for (const StepId reader : readers) {
      Use use;
      use.consumer = reader;
      if (find_use(use)) {
        uses_.push_back(std::move(use));
      } else {
        is_everywhere_ = false;
      }
    }
  }

  bool find_use(Use& use) {
    KernelStep* consumer = graph_.consuming_kernel(use.consumer);
    if (consumer == nullptr || takes_over(use.consumer) || !reads_intact(use.consumer) ||
        graph_.is_held_before(id_, use.consumer)) {
      return false;
    }
    SiteFinder finder(producer_, nest_, *consumer);
    std::optional<Reason> refusal = finder.find();
    use.sites = std::move(finder.sites);
    if (!refusal && nest_.has_check && !covers_once(use)) refusal = Reason::index_check;
    const size_t labels = graph_.labels(use.consumer).size() + graph_.labels(id_).size();
    const auto added = static_cast<int>(nest_.instrs.size() * use.sites.size());
    if (!refusal && is_too_large(graph_.machine(), labels, instr_count(consumer->kernel) + added,
                                 consumer->buffers.size() + static_cast<size_t>(nest_.loads))) {
      refusal = Reason::too_large;
    }
    if (refusal) missed_.note(id_, use.consumer, *refusal);
    return !refusal;
  }

  // A producer may transpose its operands, like a copy of a permuted tensor, while the consumer's
  // loops walk the result in one order only.
  bool spoils_lanes(std::span<Use> uses, bool is_removed) {
    std::vector<const KernelStep*> fused;
    std::vector<StepId> parts;
    if (is_removed) parts.push_back(id_);
    for (Use& use : uses) {
      make_fused(use);
      fused.push_back(&*use.fused);
      parts.push_back(use.consumer);
    }
    if (!gate_.refuses(graph_, fused, parts)) return false;
    refusal_ = Reason::coalescing;
    return true;
  }

  void make_fused(Use& use) {
    if (use.fused) return;
    // Sites name values and loop variables of the consumer.
    const KernelStep& consumer = *graph_.consuming_kernel(use.consumer);
    use.fused = KernelStep{loops::clone(consumer.kernel), consumer.buffers};
    Inliner(producer_, nest_, *use.fused, use.sites).run();
    clean_kernel(*use.fused);
  }

  // An update needs the memory that the producer fills.
  bool takes_over(StepId consumer) const {
    return std::ranges::any_of(graph_.step(consumer).results, [&](const lowering::Result& result) {
      return result.over != lowering::kNoSlot && graph_.producer(result.over) == id_;
    });
  }

  // An update may be between the producer and its consumer, or be the consumer.
  bool reads_intact(StepId consumer) const {
    return std::ranges::all_of(nest_.instrs, [&](const Instr* instr) {
      if (instr->kind != InstrKind::load) return true;
      const Slot slot = producer_.buffers[static_cast<size_t>(instr->buffer)].slot;
      return slot == kNoSlot || graph_.is_intact_at(slot, consumer);
    });
  }

  // A check that can fail must run for the same elements, and should not be repeated: one site must
  // read every element, with loop variables of the consumer as indices.
  bool covers_once(const Use& use) const {
    if (use.sites.size() != 1) return false;
    const Site& site = use.sites.begin()->second;
    if (site.is_conditional || !site.computed.empty()) return false;
    const TensorType& type = producer_.kernel.buffers[static_cast<size_t>(site.store->buffer)].type;
    std::vector<Expr> seen;
    for (size_t d = 0; d < site.element.size(); ++d) {
      const Expr index = site.element[d];
      if (index.is(0) && type.sizes[d].is(1)) continue;
      if (!index.is_symbol() || std::ranges::count(seen, index) > 0) return false;
      if (!iterates(index, type.sizes[d], *graph_.consuming_kernel(use.consumer))) return false;
      seen.push_back(index);
    }
    return site.trips <= estimate(type.numel());
  }

  static bool iterates(Expr symbol, Expr extent, const KernelStep& consumer) {
    bool found = false;
    for_each_instr(consumer.kernel.body, [&](const Instr& instr) {
      for (const loops::LoopVar& var : instr.vars) {
        found = found || (var.symbol == symbol && var.extent == extent);
      }
    });
    return found;
  }

  // Compares the producer's traffic and work with the work that consumers would repeat.
  bool pays(std::span<const Use> uses, bool is_removed) {
    double numel = 1;
    for (const loops::LoopVar& var : nest_.vars) numel *= estimate(var.extent);
    if (numel == 0) return true;
    double read = 0;
    std::vector<BufferId> seen;
    for (const Instr* instr : nest_.instrs) {
      if (instr->kind != InstrKind::load || std::ranges::count(seen, instr->buffer) > 0) continue;
      seen.push_back(instr->buffer);
      const auto& type = producer_.kernel.buffers[static_cast<size_t>(instr->buffer)].type;
      const double item = static_cast<double>(item_size(type.dtype));
      read += std::min(bytes_of(type), numel * item);
    }
    double written = 0;
    for (const loops::PointwiseStore& store : nest_.stores) {
      written += bytes_of(producer_.kernel.buffers[static_cast<size_t>(store.buffer)].type);
    }
    const auto consumers = static_cast<double>(uses.size());
    double evaluations = 0;
    for (const Use& use : uses) {
      for (const auto& [value, site] : use.sites) evaluations += site.trips;
    }
    double saved = written * consumers - read * consumers;
    if (is_removed) saved += written + read;
    // The first evaluation of every element is free if the producer is removed. The load of the
    // value itself also goes.
    const double own = nest_.cost - loops::kLoadCost * (nest_.loads > 0 ? 1 : 0);
    const double extra = std::max(evaluations - (is_removed ? numel : 0), 0.0);
    const double hoisted = nest_.outer_cost * evaluations;
    if (nest_.is_expensive && extra > 0) return refuse(Reason::expensive);
    if (extra * own + hoisted <= saved * graph_.machine().instructions_per_byte) return true;
    return refuse(Reason::recompute_cost);
  }

  bool refuse(Reason reason) {
    refusal_ = reason;
    return false;
  }

  void apply(Use& use) {
    make_fused(use);
    *graph_.consuming_kernel(use.consumer) = std::move(*use.fused);
    graph_.join_labels(id_, use.consumer);
    graph_.refresh(use.consumer);
  }

  PlanGraph& graph_;
  CoalescingGate& gate_;
  MissedPairs& missed_;
  StepId id_;
  const KernelStep& producer_;
  loops::PointwiseNest nest_;
  std::vector<Use> uses_;
  bool is_everywhere_ = true;  ///< All readers can compute it themselves.
  Reason refusal_ = Reason::recompute_cost;
};

// Results must be bound as they were allocated, one buffer each.
bool stores_plainly(const KernelStep& kernel, const loops::PointwiseNest& nest) {
  return std::ranges::all_of(nest.stores, [&](const loops::PointwiseStore& store) {
    const auto& binding = kernel.buffers[static_cast<size_t>(store.buffer)];
    const auto same_slot = [&](const lowering::BufferSlot& other) {
      return other.slot == binding.slot;
    };
    return !binding.restrided && std::ranges::count_if(kernel.buffers, same_slot) == 1;
  });
}

}  // namespace

bool can_inline(const KernelStep& producer, const loops::PointwiseNest& nest,
                const KernelStep& consumer) {
  return stores_plainly(producer, nest) && !nest.has_check &&
         !SiteFinder(producer, nest, consumer).find();
}

bool inline_producers(PlanGraph& graph, CoalescingGate& gate, MissedPairs& missed) {
  bool changed = false;
  const std::vector<StepId> order = graph.order();
  for (const StepId id : order) {
    KernelStep* kernel = graph.kernel(id);
    if (kernel == nullptr) continue;
    std::optional<loops::PointwiseNest> nest = pointwise_nest(kernel->kernel);
    if (!nest || !stores_plainly(*kernel, *nest)) continue;
    changed = ProducerInlining(graph, gate, missed, id, std::move(*nest)).run() || changed;
  }
  return changed;
}

}  // namespace litz::fusion
