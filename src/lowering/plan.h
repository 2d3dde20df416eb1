// A lowered program: steps over numbered slots, still symbolic in sizes.
//
// Lowering turns every node of a graph into one step: a kernel, a library call, a view, a host
// scalar, an assertion, or control flow over child plans. A slot holds a tensor; a step names the
// slots that it reads for the last time, so a runner can free them. A view owns its storage too, so
// freeing a slot whose storage is still viewed is safe.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/program.h"
#include "loops/kernel.h"
#include "ops/bodies.h"

namespace litz::lowering {

using Slot = int32_t;
inline constexpr Slot kNoSlot = -1;

/// Binds a kernel's buffer to a slot, or to a slot's storage under another type, whose offset
/// counts from the slot's element 0. Scratch buffers come last and have no slot.
struct BufferSlot {
  Slot slot = kNoSlot;
  std::optional<TensorType> restrided;

  /// The distance of the buffer's element 0 from element 0 of the slot, in the buffer's elements.
  Expr offset() const { return restrided ? restrided->offset : Expr(0); }
};

struct KernelStep {
  loops::Kernel kernel;
  std::vector<BufferSlot> buffers;  ///< In the kernel's buffer order.
};

/// An argument of a library call: none, slots, or an attribute to evaluate.
struct LibraryOperand {
  std::vector<Slot> slots;  ///< One for a tensor.
  bool is_list = false;
  ir::Attribute attribute;
};

struct LibraryStep {
  std::string function;
  std::vector<LibraryOperand> arguments;
  /// The call has effects besides its results: it keeps its place among the other steps.
  bool keeps_order = false;
  /// Runs after the call, or on each part of the result that the call has just written. It is a
  /// nest of independent loops that reads the call's one result through buffer 0, element by
  /// element, and stores the last results of the step. It loads and stores only at those loops'
  /// variables.
  std::optional<KernelStep> epilogue;
};

/// results[0] = the storage of `source` under `type`. Offsets are those of the exported program.
/// Only their difference matters, since the storage at run time may start elsewhere.
struct ViewStep {
  Slot source = kNoSlot;
  TensorType type;
  Expr source_offset;
  DType source_dtype = DType::f32;
};

/// Binds a symbol to the value of a rank-0 (or one-element) tensor: aten.item.
struct ScalarStep {
  Slot source = kNoSlot;
  SymbolId symbol = 0;
  ExprDomain domain = ExprDomain::integer;
};

/// Fails the call unless the condition on sizes and host scalars holds. Kernels check conditions on
/// data (loops::InstrKind::check).
struct AssertStep {
  Expr condition;
  std::string message;
};

/// An operand or result of control flow: tensor slot, host scalar, text (outputs only), or None.
struct ControlOperand {
  Slot slot = kNoSlot;
  std::optional<Expr> scalar;
  std::optional<std::string> text;
};

/// `splice` is a call that its callee's steps will replace (expand_calls.h). Its operands have
/// exactly the types of the child plan's inputs, and it defines no symbols. Among its operands it
/// returns only those that it updated, as results over them.
enum class ControlKind : uint8_t {
  call,
  splice,
  cond,
  while_loop,
  scan,
  associative_scan,
  map,
  region
};

/// The body of a region: a separate program, which other parts than lowering make.
struct RegionBody {
  ir::GraphRef graph;
  std::vector<SymbolId> symbols;  ///< Symbols in it that are known at the call.
};

struct ControlStep {
  ControlKind kind = ControlKind::call;
  std::vector<int> plans;  ///< Child plans, in argument order.
  std::optional<ControlOperand> predicate;
  std::vector<ControlOperand>
      carried;  ///< cond, call, splice, region: all operands; scan: init; map: none.
  std::vector<ControlOperand> xs;  ///< scan, map.
  std::vector<ControlOperand> additional;
  std::optional<RegionBody> region;  ///< region only, which has no plans.
  /// splice only: slots for those that the child plan had when it was lowered.
  Slot reserved = kNoSlot;
  int reserved_count = 0;
};

struct Result {
  Slot slot = kNoSlot;  ///< kNoSlot: a result without readers, or an absent one.
  ir::ValueType type;
  bool allocate = false;  ///< The runner allocates it before the step from `type`.
  /// The slot whose memory the result reuses. The result has that slot's contents except where the
  /// step stores. The memory is read afterwards only through the result.
  Slot over = kNoSlot;
};

struct Step {
  std::variant<KernelStep, LibraryStep, ViewStep, ScalarStep, AssertStep, ControlStep> work;
  std::vector<Result> results;
  std::vector<SymbolId> defines;  ///< Data-dependent symbols that the results bind.
  std::vector<Slot> dead;         ///< Freed after the step.
  std::string label;              ///< "%7 = aten.gelu"
  ir::Location location;          ///< For error notes.
};

/// The number of results that the library function makes; those of the epilogue follow.
size_t call_results(const Step& step);

/// True if a result of the step reuses the memory of a slot.
bool is_update(const Step& step);

/// One graph of the program.
struct Plan {
  std::string name;
  std::vector<ir::ValueType> input_types;
  std::vector<Slot> input_slots;  ///< kNoSlot: a scalar, or an input without readers.
  std::vector<SymbolId> defines;  ///< Symbols that the inputs bind.
  std::vector<Step> steps;
  std::vector<ControlOperand> outputs;
  int slot_count = 0;
};

/// Steps of a plan that are considered together, with their inputs from outside and their outputs
/// to outside. The plan must outlive it.
struct PlanPart {
  std::string name;
  std::vector<ir::ValueType> input_types;
  std::vector<Slot> input_slots;  ///< kNoSlot: a scalar, or an input without readers.
  std::vector<const Step*> steps;
  std::vector<ControlOperand> outputs;
  int slot_count = 0;  ///< Slots are numbered as in the plan.
};

/// The whole plan as a part.
PlanPart whole(const Plan& plan);

/// The inputs whose memory the plan changes, ascending.
std::vector<size_t> updated_inputs(const Plan& plan);

struct LoweredProgram {
  std::vector<Plan> plans;   ///< [0] is the main graph.
  ExprPool* pool = nullptr;  ///< The module's; outlives the program.
};

}  // namespace litz::lowering
