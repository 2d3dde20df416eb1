#include "fusion/attention_kernels.h"

#include <optional>
#include <utility>
#include <vector>

namespace litz::fusion {
namespace {

using lowering::KernelStep;
using lowering::kNoSlot;
using lowering::LibraryStep;
using lowering::Slot;
using lowering::Step;

/// The places of the operands among the call's arguments (litz.attention).
enum Argument : size_t { kQuery, kKey, kValue, kMask, kScale, kSafe, kCausal };

class AttentionKernels {
 public:
  AttentionKernels(lowering::Plan& plan, const machine::Machine& machine, ExprPool* pool)
      : plan_(plan), machine_(machine), pool_(pool), types_(static_cast<size_t>(plan.slot_count)) {}

  void run() {
    for (size_t i = 0; i < plan_.input_slots.size(); ++i) {
      note(plan_.input_slots[i], plan_.input_types[i]);
    }
    for (Step& step : plan_.steps) {
      for (const lowering::Result& result : step.results) note(result.slot, result.type);
      const auto* call = std::get_if<LibraryStep>(&step.work);
      if (call == nullptr || call->function != "attention" || call->epilogue) continue;
      if (auto kernel = kernel_of(step, *call)) step.work = std::move(*kernel);
    }
  }

 private:
  void note(Slot slot, const ir::ValueType& type) {
    if (slot != kNoSlot) types_[static_cast<size_t>(slot)] = std::get_if<TensorType>(&type);
  }

  const TensorType& type_of(Slot slot) const { return *types_[static_cast<size_t>(slot)]; }

  static Slot slot_at(const LibraryStep& call, size_t argument) {
    const std::vector<Slot>& slots = call.arguments[argument].slots;
    return slots.empty() ? kNoSlot : slots[0];
  }

  /// The type with the matrices repeated for a batch of these sizes, and with these rows and
  /// columns.
  static TensorType repeated(TensorType type, const Sizes& batch, Expr rows, Expr columns) {
    Sizes sizes = batch;
    sizes.push_back(rows);
    sizes.push_back(columns);
    Sizes strides(sizes.size(), Expr(0));
    const size_t missing = sizes.size() - type.rank();
    for (size_t i = 0; i < type.rank(); ++i) {
      // Equal sizes of 1 may have any stride.
      const bool repeats = type.sizes[i].is(1) && !sizes[missing + i].is(1);
      if (!repeats) strides[missing + i] = type.strides[i];
    }
    type.sizes = std::move(sizes);
    type.strides = std::move(strides);
    type.offset = Expr(0);
    return type;
  }

  std::optional<KernelStep> kernel_of(const Step& step, const LibraryStep& call) const {
    const Slot made = step.results[0].slot;
    if (made == kNoSlot || !step.results[0].allocate) return std::nullopt;
    const TensorType& result = type_of(made);
    const TensorType& key = type_of(slot_at(call, kKey));
    const size_t rank = result.rank();
    const auto* const scale = std::get_if<Expr>(&call.arguments[kScale].attribute);
    const bool can_be =
        scale != nullptr && scale->is_constant() &&
        machine_.attends(result.dtype, key.sizes.back().maybe_constant().value_or(-1),
                         result.sizes.back().maybe_constant().value_or(-1), rank - 2);
    if (!can_be) return std::nullopt;
    const Sizes batch(result.sizes.begin(), result.sizes.end() - 2);
    const Expr rows = result.sizes[rank - 2];
    const Expr columns = result.sizes[rank - 1];
    const Expr keys = key.sizes[key.rank() - 2];
    const Expr depth = key.sizes.back();

    KernelStep kernel;
    kernel.kernel.name = "attention";
    kernel.kernel.pool = pool_;
    const auto add = [&](Slot slot, const TensorType& type, loops::BufferRole role) {
      const auto id = static_cast<loops::BufferId>(kernel.buffers.size());
      const TensorType& own = type_of(slot);
      const bool is_same = own.sizes == type.sizes && own.strides == type.strides;
      kernel.buffers.push_back({slot, is_same ? std::nullopt : std::optional(type)});
      kernel.kernel.buffers.push_back({"b" + std::to_string(id), role, type});
      return id;
    };
    const auto read = [&](size_t argument, Expr matrix_rows, Expr matrix_columns) {
      const Slot slot = slot_at(call, argument);
      return add(slot, repeated(type_of(slot), batch, matrix_rows, matrix_columns),
                 loops::BufferRole::input);
    };
    loops::Instr instr;
    instr.kind = loops::InstrKind::attend;
    instr.attend.query = read(kQuery, rows, depth);
    instr.attend.key = read(kKey, keys, depth);
    instr.attend.value = read(kValue, keys, columns);
    if (slot_at(call, kMask) != kNoSlot) instr.attend.mask = read(kMask, rows, keys);
    instr.attend.result =
        add(made, repeated(result, batch, rows, columns), loops::BufferRole::output);
    instr.attend.is_causal = std::get<Expr>(call.arguments[kCausal].attribute).boolean_constant();
    instr.literal = scale->real_constant();
    instr.flag = std::get<Expr>(call.arguments[kSafe].attribute).boolean_constant();
    kernel.kernel.body.instrs.push_back(std::move(instr));
    return kernel;
  }

  lowering::Plan& plan_;
  const machine::Machine& machine_;
  ExprPool* pool_;
  std::vector<const TensorType*> types_;  ///< By slot.
};

}  // namespace

void make_attention_kernels(lowering::Plan& plan, const machine::Machine& machine, ExprPool* pool) {
  if (machine.attends != nullptr) AttentionKernels(plan, machine, pool).run();
}

}  // namespace litz::fusion
