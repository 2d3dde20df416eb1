// Binds kernels to storage instead of views of it.
//
//   %1 = view %0 as f32[4, 8]{1, 4}          kernel (buffer %0 as f32[4, 8]{1, 4})
//   kernel (buffer %1)                  =>

#include <optional>

#include "fusion/passes.h"

namespace litz::fusion {
namespace {

/// A slot as a view: its storage, and the offset of its element 0 in that storage.
struct Origin {
  Slot root = kNoSlot;
  Expr bytes;
};

Origin origin_of(const lowering::ViewStep& view, const Origin& source) {
  const Expr start = view.type.offset * item_size(view.type.dtype);
  const Expr before = view.source_offset * item_size(view.source_dtype);
  return {source.root, source.bytes + start - before};
}

void bind_to_root(lowering::BufferSlot& binding, const loops::Buffer& buffer,
                  const Origin& origin) {
  const Expr item = item_size(buffer.type.dtype);
  const Expr own = binding.restrided ? binding.restrided->offset : Expr(0);
  const Expr bytes = origin.bytes + own * item;
  const std::optional<Expr> offset = exact_quotient(bytes, item);
  if (!offset) return;  // Starts between elements, as far as is known.
  TensorType type = buffer.type;
  type.offset = *offset;
  binding.slot = origin.root;
  binding.restrided = std::move(type);
}

}  // namespace

void resolve_views(PlanGraph& graph) {
  std::vector<Origin> origins(static_cast<size_t>(graph.plan().slot_count));
  for (size_t slot = 0; slot < origins.size(); ++slot) origins[slot].root = static_cast<Slot>(slot);
  for (const StepId id : graph.order()) {
    Step& step = graph.step(id);
    if (const auto* view = std::get_if<lowering::ViewStep>(&step.work)) {
      origins[static_cast<size_t>(step.results[0].slot)] =
          origin_of(*view, origins[static_cast<size_t>(view->source)]);
    }
    auto* kernel = std::get_if<KernelStep>(&step.work);
    if (kernel == nullptr) continue;
    for (size_t i = 0; i < kernel->buffers.size(); ++i) {
      const Slot slot = kernel->buffers[i].slot;
      if (slot == kNoSlot || origins[static_cast<size_t>(slot)].root == slot) continue;
      bind_to_root(kernel->buffers[i], kernel->kernel.buffers[i],
                   origins[static_cast<size_t>(slot)]);
    }
    graph.refresh(id);
  }
  const std::vector<StepId> order = graph.order();
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const Step& step = graph.step(*id);
    if (std::holds_alternative<lowering::ViewStep>(step.work) &&
        !graph.is_needed(step.results[0].slot)) {
      graph.remove(*id);
    }
  }
}

}  // namespace litz::fusion
