// Slots become addresses in storages: in an input, a weight, the memory of an output, or a range of
// the arena. A view is another address in its source's storage.

#include "compiler/build_list.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "compiler/epilogue_launch.h"
#include "kernels/collectives.h"
#include "kernels/library.h"
#include "loops/access_conditions.h"
#include "loops/instrs.h"
#include "lowering/last_use.h"
#include "memory/memory_plan.h"
#include "support/check.h"
#include "types/span_bytes.h"

namespace litz::compiler {
namespace {

using artifact::PlannedStorage;
using artifact::StorageId;
using artifact::StorageKind;
using artifact::TensorSlot;
using lowering::kNoSlot;
using lowering::Step;

class ListBuilder {
 public:
  ListBuilder(const lowering::PlanPart& part, const StepKernels& kernels,
              const std::vector<bool>& is_weight, std::optional<SymbolId> seed, StepOfLaunch* steps)
      : part_(part),
        memory_(part),
        kernels_(kernels),
        is_weight_(is_weight),
        seed_(seed),
        steps_(steps),
        places_(static_cast<size_t>(part.slot_count)),
        types_(static_cast<size_t>(part.slot_count)),
        chunk_of_(memory_.chunks_by_slot()),
        storage_of_chunk_(memory_.chunks().size(), artifact::kNoStorage) {
    list_.name = part.name;
    list_.has_layouts = true;
    for (const memory::MemoryPlanner::SizedChunk& chunk : memory_.chunks()) {
      list_.blocks.push_back({chunk.bytes, chunk.first, chunk.last});
    }
  }

  artifact::LaunchList run() {
    add_inputs();
    for (const Step* step : part_.steps) {
      try {
        add_step(*step);
      } catch (Error& error) {
        error.add_note("while planning " + step->label);
        throw;
      }
    }
    add_outputs();
    end_storages();
    add_symbols();
    return std::move(list_);
  }

 private:
  /// The address of a slot's element 0.
  struct Place {
    StorageId storage = artifact::kNoStorage;
    Expr offset;  ///< Bytes.
  };

  static TensorType at_slot(TensorType type) {
    type.offset = Expr(0);
    return type;
  }

  StorageId add_storage(StorageKind kind, int32_t index, Expr bytes, std::string name) {
    PlannedStorage storage;
    storage.name = std::move(name);
    storage.kind = kind;
    storage.index = index;
    storage.bytes = bytes;
    storage.first = next_launch();
    storage.last = next_launch();
    list_.storages.push_back(std::move(storage));
    return static_cast<StorageId>(list_.storages.size()) - 1;
  }

  int32_t next_launch() const { return static_cast<int32_t>(list_.launches.size()); }

  Place& place(lowering::Slot slot) { return places_[static_cast<size_t>(slot)]; }

  artifact::Slot slot_at(Place place, Expr more_bytes = 0) {
    check(place.storage != artifact::kNoStorage,
          "a slot must have a place before it is used:", part_.name);
    PlannedStorage& storage = list_.storages[static_cast<size_t>(place.storage)];
    storage.last = std::max(storage.last, next_launch());
    return {place.storage, place.offset + more_bytes};
  }

  TensorSlot tensor_at(lowering::Slot slot, const TensorType& type) {
    return {slot_at(place(slot)), at_slot(type)};
  }

  /// Memory for a result: a range of the arena, possibly an operand's, or memory that the caller
  /// keeps.
  Place new_place(lowering::Slot slot, const TensorType& type) {
    for (const Expr size : type.sizes) {
      if (known_less_equal(0, size)) continue;
      list_.assertions.push_back({le(0, size), "a size must not be negative: " + to_string(size)});
    }
    const std::string name = "t" + std::to_string(slot);
    const int chunk = chunk_of_[static_cast<size_t>(slot)];
    if (chunk < 0) {
      return {add_storage(StorageKind::output, next_output_++, span_bytes(type), name), 0};
    }
    StorageId& storage = storage_of_chunk_[static_cast<size_t>(chunk)];
    if (storage == artifact::kNoStorage) {
      const Expr bytes = memory_.chunks()[static_cast<size_t>(chunk)].bytes;
      storage = add_storage(StorageKind::arena, chunk, bytes, name);
    }
    return {storage, 0};
  }

  void add_inputs() {
    list_.inputs.resize(part_.input_slots.size());
    for (size_t i = 0; i < part_.input_slots.size(); ++i) {
      const lowering::Slot slot = part_.input_slots[i];
      if (slot == kNoSlot) continue;
      const auto& type = std::get<TensorType>(part_.input_types[i]);
      list_.inputs[i] = type;
      const StorageKind kind = is_weight_[i] ? StorageKind::weight : StorageKind::input;
      place(slot) = {
          add_storage(kind, static_cast<int32_t>(i), span_bytes(type), "x" + std::to_string(i)), 0};
      types_[static_cast<size_t>(slot)] = &type;
    }
  }

  void add_step(const Step& step) {
    for (const lowering::Result& result : step.results) {
      if (result.slot == kNoSlot || !std::holds_alternative<TensorType>(result.type)) continue;
      const auto& type = std::get<TensorType>(result.type);
      types_[static_cast<size_t>(result.slot)] = &type;
      if (result.over != kNoSlot) place(result.slot) = place(result.over);
      if (!result.allocate) continue;
      place(result.slot) = new_place(result.slot, type);
    }
    if (const auto* view = std::get_if<lowering::ViewStep>(&step.work)) {
      const Expr from = view->source_offset * static_cast<int64_t>(item_size(view->source_dtype));
      const Expr to = view->type.offset * static_cast<int64_t>(item_size(view->type.dtype));
      const Place source = place(view->source);
      place(step.results[0].slot) = {source.storage, source.offset + to - from};
      return;
    }
    if (const auto* assertion = std::get_if<lowering::AssertStep>(&step.work)) {
      list_.assertions.push_back({assertion->condition, assertion->message});
      return;
    }
    artifact::Launch launch;
    launch.label = step.label;
    if (const auto* kernel = std::get_if<lowering::KernelStep>(&step.work)) {
      add_kernel(*kernel, kernels_.kernel(step), launch);
      return add_launch(step, std::move(launch));
    }
    const auto& library = std::get<lowering::LibraryStep>(step.work);
    add_library(step, library, launch);
    if (!library.epilogue) return add_launch(step, std::move(launch));
    const EpilogueChoice choice = kernels_.epilogue(step);
    if (choice.symbols) add_epilogue(*library.epilogue, choice, launch);
    add_launch(step, std::move(launch));
    if (choice.symbols) return;
    artifact::Launch after;
    after.label = step.label;
    add_kernel(*library.epilogue, choice.kernel, after);
    add_launch(step, std::move(after));
  }

  void add_launch(const Step& step, artifact::Launch launch) {
    list_.launches.push_back(std::move(launch));
    if (steps_ != nullptr) steps_->push_back(&step);
  }

  void add_access(artifact::Launch& launch, const artifact::Slot& begin, const TensorType& type,
                  bool is_write) {
    const Expr bytes = span_bytes(type);
    if (bytes.is(0)) return;  // An empty view may lie past the end of its storage.
    assert_forward(type, launch.label);
    launch.accesses.push_back({begin, bytes, is_write});
    assert_inside(begin, bytes, launch.label);
  }

  /// The computed spans assume non-negative strides.
  void assert_forward(const TensorType& type, const std::string& label) {
    for (size_t d = 0; d < type.rank(); ++d) {
      const Expr forward = logical_or(le(type.sizes[d], 1), le(0, type.strides[d]));
      if (known(forward) == true || !asserted_.insert(forward).second) continue;
      list_.assertions.push_back({forward, "strides must not be negative: " + label});
    }
  }

  /// Conditions on sizes that are not known yet are checked once they are: whatever a program
  /// states about its sizes, no launch leaves its storages.
  void assert_inside(const artifact::Slot& begin, Expr bytes, const std::string& label) {
    const Expr limit = list_.storages[static_cast<size_t>(begin.storage)].bytes;
    const Expr end = begin.offset + bytes;
    if (begin.offset.is_constant() && end.is_constant() && limit.is_constant()) {
      require(begin.offset.constant() >= 0 && end.constant() <= limit.constant(),
              "a view must lie inside of its tensor, but sizes, strides and offset state bytes",
              begin.offset, "to", end, "of", limit);
      return;
    }
    if (known_less_equal(0, begin.offset) && known_less_equal(end, limit)) return;
    const Expr is_inside = logical_and(le(0, begin.offset), le(end, limit));
    const Expr holds = logical_or(eq(bytes, 0), is_inside);
    if (!asserted_.insert(holds).second) return;
    list_.assertions.push_back({holds, "a view must lie inside of its tensor: " + label});
  }

  /// Sizes that an operation combines may differ in a file that states them wrongly.
  void assert_accesses(const loops::Kernel& kernel, const std::string& label) {
    for (const loops::AccessCondition& condition : loops::access_conditions(kernel)) {
      if (!asserted_.insert(condition.holds).second) continue;
      list_.assertions.push_back(
          {condition.holds, "sizes must fit each other: " + label +
                                " would use elements outside of " +
                                kernel.buffers[static_cast<size_t>(condition.buffer)].name});
    }
  }

  void add_epilogue(const lowering::KernelStep& step, const EpilogueChoice& choice,
                    artifact::Launch& launch) {
    assert_accesses(step.kernel, launch.label);
    const auto index = static_cast<size_t>(choice.kernel.number);
    artifact::EpilogueLaunch epilogue =
        epilogue_launch(step, *choice.symbols, kernels_.codes[index]);
    epilogue.kernel = choice.kernel.number;
    for (size_t i = 0; i < step.buffers.size(); ++i) {
      epilogue.buffers[i].slot = slot_at(place(step.buffers[i].slot), more_bytes(step.buffers[i]));
      if (i == 0) continue;  // The call's result, which the call itself writes.
      add_access(launch, epilogue.buffers[i].slot, step.kernel.buffers[i].type,
                 step.kernel.buffers[i].role != loops::BufferRole::input);
    }
    std::get<artifact::LibraryLaunch>(launch.work).epilogue = std::move(epilogue);
  }

  static Expr more_bytes(const lowering::BufferSlot& buffer) {
    if (!buffer.restrided) return 0;
    return buffer.restrided->offset * static_cast<int64_t>(item_size(buffer.restrided->dtype));
  }

  /// Numbers of the program must not divide by a size of 0; places in tensors may.
  void assert_divisors(Expr expr) {
    const bool chooses = expr.kind() == ExprKind::where || expr.domain() == ExprDomain::boolean;
    if (expr.is_constant() || expr.is_symbol() || chooses) return;
    for (const Expr operand : expr.operands()) assert_divisors(operand);
    if (expr.kind() != ExprKind::floor_div && expr.kind() != ExprKind::mod) return;
    const Expr divisor = expr.operands()[1];
    const bool is_size = std::ranges::none_of(free_symbols(divisor), [&](SymbolId symbol) {
      return divisor.pool()->symbol(symbol).kind == SymbolKind::index;
    });
    if (!is_size || known_not_equal(divisor, 0)) return;
    list_.assertions.push_back(
        {ne(divisor, 0), "a number must not be divided by zero: " + to_string(expr)});
  }

  void add_kernel(const lowering::KernelStep& step, KernelChoice choice, artifact::Launch& launch) {
    loops::for_each_instr(step.kernel.body, [&](const loops::Instr& instr) {
      if (instr.kind == loops::InstrKind::index) assert_divisors(instr.expr);
    });
    assert_accesses(step.kernel, launch.label);
    artifact::KernelLaunch work;
    artifact::CallLaunch call;
    work.kernel = choice.number;
    call.call = choice.number;
    for (size_t i = 0; i < step.buffers.size(); ++i) {
      const lowering::BufferSlot& buffer = step.buffers[i];
      if (buffer.slot == lowering::kNoSlot) break;  // Scratch.
      const loops::Buffer& declared = step.kernel.buffers[i];
      TensorSlot tensor{slot_at(place(buffer.slot), more_bytes(buffer)), at_slot(declared.type)};
      add_access(launch, tensor.slot, declared.type, declared.role != loops::BufferRole::input);
      work.buffers.push_back(tensor.slot);
      call.buffers.push_back(std::move(tensor));
    }
    if (choice.is_compiled) {
      const auto index = static_cast<size_t>(choice.number);
      for (const SymbolId symbol : kernels_.codes[index].scalars) {
        work.scalars.push_back(step.kernel.pool->symbol_expr(symbol));
      }
      launch.work = std::move(work);
    } else {
      launch.work = std::move(call);
    }
  }

  const TensorType& type_of(lowering::Slot slot) const {
    const TensorType* type = types_[static_cast<size_t>(slot)];
    check(type != nullptr, "a slot must have a type:", slot);
    return *type;
  }

  artifact::LibraryArgument argument(const lowering::LibraryOperand& operand,
                                     artifact::Launch& launch) {
    const auto read = [&](lowering::Slot slot) {
      TensorSlot tensor = tensor_at(slot, type_of(slot));
      add_access(launch, tensor.slot, type_of(slot), false);
      return tensor;
    };
    if (operand.is_list) {
      std::vector<TensorSlot> list;
      for (const lowering::Slot slot : operand.slots) {
        list.push_back(slot == kNoSlot ? TensorSlot() : read(slot));
      }
      return list;
    }
    if (!operand.slots.empty()) return read(operand.slots[0]);
    return attribute(operand.attribute);
  }

  static artifact::LibraryArgument attribute(const ir::Attribute& attribute) {
    if (const auto* scalar = std::get_if<Expr>(&attribute)) return *scalar;
    if (const auto* scalars = std::get_if<ir::Scalars>(&attribute)) {
      return std::vector<Expr>(scalars->begin(), scalars->end());
    }
    if (const auto* complex = std::get_if<std::complex<double>>(&attribute)) return *complex;
    if (const auto* text = std::get_if<std::string>(&attribute)) return *text;
    if (const auto* dtype = std::get_if<DType>(&attribute)) return *dtype;
    if (const auto* texts = std::get_if<ir::Strings>(&attribute)) return *texts;
    return std::monostate();
  }

  void add_library(const Step& step, const lowering::LibraryStep& library,
                   artifact::Launch& launch) {
    artifact::LibraryLaunch work;
    work.function = library.function;
    for (const lowering::LibraryOperand& operand : library.arguments) {
      work.arguments.push_back(argument(operand, launch));
    }
    for (const lowering::Result& result : std::span(step.results).first(call_results(step))) {
      if (result.slot == kNoSlot) {
        work.results.emplace_back();
        continue;
      }
      const auto& type = std::get<TensorType>(result.type);
      work.results.push_back(tensor_at(result.slot, type));
      add_access(launch, work.results.back().slot, type, true);
    }
    launch.work = std::move(work);
  }

  void add_outputs() {
    for (const lowering::ControlOperand& output : part_.outputs) {
      if (output.slot != kNoSlot) {
        list_.outputs.emplace_back(tensor_at(output.slot, type_of(output.slot)));
      } else if (output.scalar) {
        list_.outputs.emplace_back(*output.scalar);
      } else if (output.text) {
        list_.outputs.emplace_back(*output.text);
      } else {
        list_.outputs.emplace_back();
      }
    }
  }

  /// Outputs are read after the last launch.
  void end_storages() {
    const int32_t last = std::max(next_launch() - 1, 0);
    for (PlannedStorage& storage : list_.storages) {
      storage.first = std::min(storage.first, last);
      storage.last = std::min(storage.last, last);
    }
  }

  /// Everything in the list is a function of these symbols.
  void add_symbols() {
    list_.symbols = artifact::symbols_of(list_, kernels_.codes);
    if (seed_) std::erase(list_.symbols, *seed_);
  }

  const lowering::PlanPart& part_;
  memory::MemoryPlanner memory_;
  const StepKernels& kernels_;
  const std::vector<bool>& is_weight_;
  std::optional<SymbolId> seed_;
  StepOfLaunch* steps_;
  std::vector<Place> places_;
  std::vector<const TensorType*> types_;  ///< Indexed by the plan's slots.
  std::vector<int> chunk_of_;             ///< Indexed by slot: its chunk of the memory plan.
  std::vector<StorageId> storage_of_chunk_;
  int32_t next_output_ = 0;
  std::unordered_set<Expr> asserted_;  ///< Conditions under which launches stay in their storages.
  artifact::LaunchList list_;
};

bool mentions_symbol(const ir::Attribute& attribute, SymbolId symbol) {
  if (const auto* scalar = std::get_if<Expr>(&attribute)) return mentions(*scalar, symbol);
  const auto* scalars = std::get_if<ir::Scalars>(&attribute);
  return scalars != nullptr &&
         std::ranges::any_of(*scalars, [&](Expr scalar) { return mentions(scalar, symbol); });
}

bool reads_symbol(const lowering::LibraryStep& library, SymbolId symbol) {
  return std::ranges::any_of(library.arguments, [&](const lowering::LibraryOperand& operand) {
    return mentions_symbol(operand.attribute, symbol);
  });
}

}  // namespace

std::optional<std::string> reason_not_listed(const Step& step, std::optional<SymbolId> seed) {
  if (std::holds_alternative<lowering::ControlStep>(step.work)) return "control flow";
  if (std::holds_alternative<lowering::ScalarStep>(step.work)) return "a value read from data";
  if (!step.defines.empty()) return "sizes that depend on data";
  if (const auto* assertion = std::get_if<lowering::AssertStep>(&step.work)) {
    // Kernels get the seed with every call; everything else is evaluated once.
    if (seed && mentions(assertion->condition, *seed)) return "an assertion about the seed";
    return std::nullopt;
  }
  if (std::holds_alternative<lowering::ViewStep>(step.work)) return std::nullopt;
  const auto* library = std::get_if<lowering::LibraryStep>(&step.work);
  if (library != nullptr && kernels::find_library_entry(library->function) == nullptr) {
    return "an operator without a function";
  }
  if (library != nullptr && seed && reads_symbol(*library, *seed)) {
    return "a library call that draws numbers";
  }
  if (library != nullptr && kernels::is_collective(library->function)) return "a collective";
  for (const lowering::Result& result : step.results) {
    const bool has_place = result.allocate || result.over != kNoSlot;
    if (result.slot != kNoSlot && !has_place) return "results of a library's own making";
  }
  return std::nullopt;
}

artifact::LaunchList build_list(const lowering::PlanPart& part, const StepKernels& kernels,
                                const std::vector<bool>& is_weight, std::optional<SymbolId> seed,
                                StepOfLaunch* steps) {
  return ListBuilder(part, kernels, is_weight, seed, steps).run();
}

}  // namespace litz::compiler
