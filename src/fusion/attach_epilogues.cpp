// Computes pointwise consumers of a library call's result on the part that the call has just
// written. This saves a separate pass over memory.
//
//   %1 = convolution %x, %w                 %1 %2 = convolution %x, %w then relu %1
//   %2 = relu %1                       =>
//
// The consumer becomes a nest over the elements of the result in address order. Its loop variables
// are digits of the address that it loads. Every other access has a step for each of them, so parts
// of any shape can be computed separately.

#include <algorithm>

#include "fusion/kernel_edit.h"
#include "fusion/passes.h"
#include "loops/pointwise.h"
#include "types/address.h"

namespace litz::fusion {
namespace {

using loops::BufferId;
using loops::Index;
using loops::Instr;
using loops::InstrKind;
using lowering::LibraryStep;

// The most work in outer loops of the consumer, since it is then repeated for every element. A few
// loads and a root per channel, as in a batch norm, are hidden while the tile is in the cache.
constexpr double kMostOuterCost = 24;

/// A load or store of the consumer, in terms of its nest's loops.
struct NestAccess {
  const Instr* instr = nullptr;
  Expr offset;              ///< In elements from element 0 of the slot.
  std::vector<Expr> steps;  ///< By loop variable that is left.
};

class Attaching {
 public:
  Attaching(PlanGraph& graph, StepId call, StepId consumer, const loops::PointwiseNest& nest)
      : graph_(graph),
        call_(call),
        second_(consumer),
        consumer_(*graph.kernel(consumer)),
        nest_(nest) {}

  /// Fuses the consumer of the call's result, or returns why not.
  std::optional<Reason> run() {
    slot_ = graph_.step(call_).results[0].slot;
    if (nest_.has_check) return Reason::index_check;
    if (nest_.outer_cost > kMostOuterCost) return Reason::recompute_cost;
    if (consumer_.buffers.size() > graph_.machine().most_buffers) return Reason::too_large;
    if (const auto refusal = read_accesses()) return refusal;
    if (const auto refusal = order_loops()) return refusal;
    merge_loops();
    if (!runs_along_memory()) return Reason::layout;
    if (!graph_.can_join(call_, second_)) return Reason::steps_between;
    apply();
    return std::nullopt;
  }

 private:
  const TensorType& written() const {
    return std::get<TensorType>(graph_.step(call_).results[0].type);
  }

  bool is_result(const Instr& instr) const {
    return consumer_.buffers[static_cast<size_t>(instr.buffer)].slot == slot_;
  }

  bool has_loop_variable(Expr expr) const {
    for (const SymbolId symbol : free_symbols(expr)) {
      if (consumer_.kernel.pool->symbol(symbol).kind == SymbolKind::index) return true;
    }
    return false;
  }

  std::optional<Reason> read_accesses() {
    for (const Instr* instr : nest_.instrs) {
      if (instr->kind == InstrKind::index && has_loop_variable(instr->expr)) return Reason::address;
      if (instr->kind != InstrKind::load) continue;
      if (const auto refusal = read_access(*instr)) return refusal;
    }
    for (const loops::PointwiseStore& store : nest_.stores) {
      if (const auto refusal = read_access(*store.instr)) return refusal;
    }
    return std::nullopt;
  }

  std::optional<Reason> read_access(const Instr& instr) {
    const auto buffer = static_cast<size_t>(instr.buffer);
    const TensorType& type = consumer_.kernel.buffers[buffer].type;
    std::vector<Expr> indices;
    for (const Index& index : instr.indices) {
      const auto* expr = std::get_if<Expr>(&index);
      if (expr == nullptr) return Reason::address;
      indices.push_back(*expr);
    }
    NestAccess access{&instr, address_of(type, consumer_.buffers[buffer].offset(), indices), {}};
    for (const loops::LoopVar& var : nest_.vars) {
      const auto linear = linear_in(access.offset, var.symbol.symbol());
      if (!linear || has_loop_variable(linear->first)) return Reason::address;
      // Tensors have no negative strides.
      if (known_less(linear->first, 0)) return Reason::address;
      access.steps.push_back(linear->first);
      access.offset = linear->second;
    }
    if (has_loop_variable(access.offset)) return Reason::address;
    if (is_result(instr)) {
      if (!(type.dtype == written().dtype)) return Reason::layout;
      if (instr.predicate != loops::kNoValue || !access.offset.is(0)) {
        return Reason::other_iterations;
      }
      if (result_ < accesses_.size() && accesses_[result_].steps != access.steps) {
        return Reason::other_iterations;
      }
      result_ = std::min(result_, accesses_.size());
    }
    accesses_.push_back(std::move(access));
    return std::nullopt;
  }

  // Expresses the consumer's loops as digits of the address of a result element; the result is
  // dense.
  std::optional<Reason> order_loops() {
    if (result_ >= accesses_.size()) return Reason::layout;
    std::vector<Digit> stored;
    for (size_t d = 0; d < written().rank(); ++d) {
      stored.push_back({written().strides[d], written().sizes[d]});
    }
    if (!mixed_radix_order(stored)) return Reason::layout;
    std::vector<Digit> digits;
    Expr count = 1;
    for (size_t i = 0; i < nest_.vars.size(); ++i) {
      digits.push_back({accesses_[result_].steps[i], nest_.vars[i].extent});
      count = count * nest_.vars[i].extent;
    }
    const auto order = mixed_radix_order(digits);
    if (!order || order->empty() || !known_equal(count, written().numel())) {
      return Reason::other_iterations;
    }
    for (const size_t i : *order) extents_.push_back(nest_.vars[i].extent);
    for (NestAccess& access : accesses_) {
      std::vector<Expr> steps;
      for (const size_t i : *order) steps.push_back(access.steps[i]);
      access.steps = std::move(steps);
    }
    return std::nullopt;
  }

  // Merges two loops if every access treats them as one.
  void merge_loops() {
    for (size_t i = extents_.size(); i-- > 1;) {
      const bool is_one = std::ranges::all_of(accesses_, [&](const NestAccess& access) {
        return known_equal(access.steps[i - 1], access.steps[i] * extents_[i]);
      });
      if (!is_one) continue;
      extents_[i - 1] = extents_[i - 1] * extents_[i];
      extents_.erase(extents_.begin() + static_cast<std::ptrdiff_t>(i));
      for (NestAccess& access : accesses_) {
        access.steps.erase(access.steps.begin() + static_cast<std::ptrdiff_t>(i) - 1);
      }
    }
  }

  bool runs_along_memory() const {
    return std::ranges::all_of(accesses_, [](const NestAccess& access) {
      const Expr step = access.steps.back();
      return step.is(1) || (step.is(0) && access.instr->kind == InstrKind::load);
    });
  }

  void apply() {
    KernelStep epilogue;
    epilogue.kernel.name = consumer_.kernel.name;
    epilogue.kernel.pool = consumer_.kernel.pool;
    buffer_of(accesses_[result_], epilogue);
    Instr loop;
    loop.kind = InstrKind::loop;
    for (size_t i = 0; i < extents_.size(); ++i) {
      loop.vars.push_back(
          make_loop_var(*epilogue.kernel.pool, "i" + std::to_string(i), extents_[i]));
    }
    loop.blocks.push_back(std::make_unique<loops::Block>());
    fill(epilogue, loop.vars, loop.blocks[0]->instrs);
    epilogue.kernel.body.instrs.push_back(std::move(loop));
    graph_.join_labels(second_, call_);
    graph_.move_to(call_, second_);
    Step& step = graph_.step(call_);
    for (lowering::Result& result : graph_.step(second_).results) {
      step.results.push_back(std::move(result));
    }
    std::get<LibraryStep>(step.work).epilogue = std::move(epilogue);
    graph_.remove(second_);
    graph_.refresh(call_);
  }

  // The buffer of an access, with one dimension per loop.
  BufferId buffer_of(const NestAccess& access, KernelStep& to) const {
    const auto from = static_cast<size_t>(access.instr->buffer);
    loops::Buffer buffer = consumer_.kernel.buffers[from];
    buffer.type.sizes.assign(extents_.begin(), extents_.end());
    buffer.type.strides.assign(access.steps.begin(), access.steps.end());
    buffer.type.offset = Expr(0);
    lowering::BufferSlot binding{consumer_.buffers[from].slot, buffer.type};
    binding.restrided->offset = access.offset;
    for (size_t i = 0; i < to.buffers.size(); ++i) {
      if (to.buffers[i].slot == binding.slot && to.kernel.buffers[i].type == buffer.type &&
          to.buffers[i].restrided->offset == access.offset) {
        return static_cast<BufferId>(i);
      }
    }
    buffer.name = "b" + std::to_string(to.buffers.size());
    to.kernel.buffers.push_back(std::move(buffer));
    to.buffers.push_back(std::move(binding));
    return static_cast<BufferId>(to.buffers.size()) - 1;
  }

  void fill(KernelStep& to, const std::vector<loops::LoopVar>& vars,
            std::vector<Instr>& out) const {
    InstrCopier copier(consumer_.kernel, to.kernel);
    size_t next = 0;
    const auto copy = [&](const Instr& instr) {
      const bool is_access = instr.kind == InstrKind::load || instr.kind == InstrKind::store;
      if (is_access) copier.map_buffer(instr.buffer, buffer_of(accesses_[next++], to));
      copier.copy(instr, out);
      if (!is_access) return;
      out.back().indices.clear();
      for (const loops::LoopVar& var : vars) out.back().indices.emplace_back(var.symbol);
    };
    for (const Instr* instr : nest_.instrs) copy(*instr);
    for (const loops::PointwiseStore& store : nest_.stores) copy(*store.instr);
  }

  PlanGraph& graph_;
  StepId call_;
  StepId second_;
  KernelStep& consumer_;
  const loops::PointwiseNest& nest_;
  Slot slot_ = kNoSlot;
  std::vector<NestAccess> accesses_;  ///< Loads in order, then stores.
  size_t result_ = SIZE_MAX;          ///< The first load of the call's result.
  std::vector<Expr> extents_;         ///< Extents of the nest, most significant digit first.
};

/// Library calls whose results the kernel loads, the latest first.
std::vector<StepId> calls_before(PlanGraph& graph, StepId id) {
  std::vector<StepId> found;
  for (const lowering::BufferSlot& binding : graph.kernel(id)->buffers) {
    if (binding.slot == kNoSlot) continue;
    const StepId maker = graph.producer(binding.slot);
    if (maker == kNoStep || maker == id || std::ranges::count(found, maker) > 0) continue;
    const auto* library = std::get_if<LibraryStep>(&graph.step(maker).work);
    if (library == nullptr || library->epilogue) continue;
    if (!graph.machine().facts_of(library->function).takes_epilogue) continue;
    const std::vector<lowering::Result>& results = graph.step(maker).results;
    const bool is_known = results.size() == 1 && results[0].allocate &&
                          std::holds_alternative<TensorType>(results[0].type) &&
                          !is_complex(std::get<TensorType>(results[0].type).dtype);
    if (is_known) found.push_back(maker);
  }
  std::ranges::sort(found, std::greater<>(), [&](StepId call) { return graph.position(call); });
  return found;
}

}  // namespace

void attach_epilogues(PlanGraph& graph, MissedPairs& missed) {
  const std::vector<StepId> order = graph.order();
  for (const StepId id : order) {
    if (graph.kernel(id) == nullptr) continue;
    const std::vector<StepId> calls = calls_before(graph, id);
    if (calls.empty()) continue;
    const std::optional<loops::PointwiseNest> nest = pointwise_nest(graph.kernel(id)->kernel);
    for (const StepId call : calls) {
      const auto refusal =
          nest ? Attaching(graph, call, id, *nest).run() : std::optional(Reason::not_pointwise);
      if (!refusal) break;
      missed.note(call, id, *refusal);
    }
  }
}

}  // namespace litz::fusion
