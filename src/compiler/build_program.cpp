#include "compiler/build_program.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "compiler/passed_weights.h"
#include "compiler/program_signature.h"
#include "lowering/last_use.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

using artifact::Routine;
using lowering::kNoSlot;
using lowering::Plan;
using lowering::Slot;
using lowering::Step;

/// Maps each step's kernel to its code or its callback.
class KernelNumbers {
 public:
  KernelNumbers(const lowering::LoweredProgram& program, const KernelSet& kernels)
      : kernels_(kernels) {
    size_t kernel = 0;
    size_t epilogue = 0;
    for (const Plan& plan : program.plans) {
      for (const Step& step : plan.steps) {
        if (std::holds_alternative<lowering::KernelStep>(step.work)) numbers_[&step] = kernel++;
        const auto* library = std::get_if<lowering::LibraryStep>(&step.work);
        if (library == nullptr || !library->epilogue) continue;
        numbers_[&step] = kernels.epilogue(epilogue++);
      }
    }
  }

  KernelChoice kernel(const Step& step) {
    const size_t kernel = numbers_.at(&step);
    if (kernels_.reason_interpreted(kernel).empty()) {
      return {true, static_cast<int32_t>(kernels_.compiled_index(kernel))};
    }
    calls_.emplace_back(
        [&set = kernels_, kernel](std::span<Tensor> buffers, const Bindings& symbols) {
          set.run(kernel, buffers, symbols);
        });
    return {false, static_cast<int32_t>(calls_.size()) - 1};
  }

  EpilogueChoice epilogue(const Step& step) {
    EpilogueChoice choice;
    choice.kernel = kernel(step);
    const fusion::TileSymbols* symbols = kernels_.tile_symbols(numbers_.at(&step));
    if (symbols != nullptr) choice.symbols = *symbols;
    return choice;
  }

  std::vector<runtime::SuppliedCall> take_calls() { return std::move(calls_); }

 private:
  const KernelSet& kernels_;
  std::unordered_map<const Step*, size_t> numbers_;
  std::vector<runtime::SuppliedCall> calls_;
};

artifact::Operand operand_of(const lowering::ControlOperand& operand) {
  if (operand.slot != kNoSlot) return artifact::ValueRef{operand.slot};
  if (operand.scalar) return *operand.scalar;
  if (operand.text) return *operand.text;
  return std::monostate();
}

std::vector<artifact::Operand> operands_of(const std::vector<lowering::ControlOperand>& operands) {
  std::vector<artifact::Operand> result;
  result.reserve(operands.size());
  for (const lowering::ControlOperand& operand : operands) result.push_back(operand_of(operand));
  return result;
}

artifact::ControlKind kind_of(lowering::ControlKind kind) {
  switch (kind) {
    case lowering::ControlKind::call:
      return artifact::ControlKind::call;
    case lowering::ControlKind::cond:
      return artifact::ControlKind::cond;
    case lowering::ControlKind::while_loop:
      return artifact::ControlKind::while_loop;
    case lowering::ControlKind::scan:
      return artifact::ControlKind::scan;
    case lowering::ControlKind::associative_scan:
      return artifact::ControlKind::associative_scan;
    case lowering::ControlKind::map:
      return artifact::ControlKind::map;
    case lowering::ControlKind::splice:
    case lowering::ControlKind::region:
      break;
  }
  fail(ErrorCode::internal, "control flow that a program can hold");
}

artifact::StepArgument argument_of(const lowering::LibraryOperand& operand) {
  if (operand.is_list) {
    std::vector<artifact::ValueRef> list;
    for (const Slot slot : operand.slots) list.push_back({slot});
    return list;
  }
  if (!operand.slots.empty()) return artifact::ValueRef{operand.slots[0]};
  const ir::Attribute& attribute = operand.attribute;
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

/// Converts a step between lists to host work.
struct HostWork {
  const PartOfRegion& part_of_region;

  decltype(artifact::Step::work) operator()(const lowering::LibraryStep& work) const {
    check(!work.epilogue, "a call between lists has no epilogue:", work.function);
    artifact::LibraryStep step{work.function, {}};
    for (const lowering::LibraryOperand& operand : work.arguments) {
      step.arguments.push_back(argument_of(operand));
    }
    return step;
  }

  decltype(artifact::Step::work) operator()(const lowering::ScalarStep& work) const {
    return artifact::ItemStep{work.source, work.symbol, work.domain};
  }

  decltype(artifact::Step::work) operator()(const lowering::ControlStep& work) const {
    if (work.region) {
      check(part_of_region != nullptr, "somebody must make parts of a program's regions");
      return part_of_region(*work.region, operands_of(work.carried));
    }
    artifact::ControlStep step;
    step.kind = kind_of(work.kind);
    step.routines.assign(work.plans.begin(), work.plans.end());
    if (work.predicate) step.predicate = operand_of(*work.predicate);
    step.carried = operands_of(work.carried);
    step.xs = operands_of(work.xs);
    step.additional = operands_of(work.additional);
    return step;
  }

  template <typename Work>
  decltype(artifact::Step::work) operator()(const Work& /*work*/) const {
    fail(ErrorCode::internal, "kernels, views and assertions belong to lists");
  }
};

/// Converts one plan to a routine and its lists.
class RoutineBuilder {
 public:
  using AddList = std::function<int32_t(const lowering::PlanPart&, const std::vector<bool>&)>;

  /// `weights` as weights_passed says.
  RoutineBuilder(const Plan& plan, std::optional<SymbolId> seed,
                 const std::vector<int32_t>& weights, const AddList& add_list,
                 const PartOfRegion& part_of_region)
      : plan_(plan),
        seed_(seed),
        weights_(weights),
        add_list_(add_list),
        part_of_region_(part_of_region),
        types_(static_cast<size_t>(plan.slot_count)),
        views_(static_cast<size_t>(plan.slot_count)),
        weight_of_(static_cast<size_t>(plan.slot_count), -1) {
    routine_.name = plan.name;
    routine_.value_count = plan.slot_count;
    routine_.defines = plan.defines;
    routine_.outputs = operands_of(plan.outputs);
  }

  Routine run() {
    note_inputs();
    divide();
    find_needs();
    for (const Group& group : groups_) emit(group);
    take_inputs();
    mark_dead();
    return std::move(routine_);
  }

 private:
  /// The steps of a list, or one host step.
  struct Group {
    std::vector<const Step*> steps;
    bool is_list = false;
    std::vector<const Step*> repeated;  ///< Earlier views that the list reads.
    std::vector<Slot> inputs;           ///< Earlier values that it reads, without repeated views.
    std::vector<Slot> outputs;          ///< Values that later groups read.
  };

  void note_inputs() {
    for (size_t i = 0; i < plan_.input_slots.size(); ++i) {
      const Slot slot = plan_.input_slots[i];
      if (slot == kNoSlot) continue;
      types_[static_cast<size_t>(slot)] = &std::get<TensorType>(plan_.input_types[i]);
      weight_of_[static_cast<size_t>(slot)] = weights_[i];
    }
  }

  void divide() {
    for (const Step& step : plan_.steps) {
      for (const lowering::Result& result : step.results) {
        const auto* type = std::get_if<TensorType>(&result.type);
        if (result.slot != kNoSlot) types_[static_cast<size_t>(result.slot)] = type;
      }
      if (std::holds_alternative<lowering::ViewStep>(step.work)) {
        views_[static_cast<size_t>(step.results[0].slot)] = &step;
      }
      const bool is_list = !reason_not_listed(step, seed_).has_value();
      const bool continues = is_list && !groups_.empty() && groups_.back().is_list;
      if (!continues) groups_.push_back({{}, is_list, {}, {}, {}});
      groups_.back().steps.push_back(&step);
    }
  }

  static std::vector<Slot> read_by(const Step& step) {
    std::vector<Slot> slots = lowering::slots_read(step);
    for (const lowering::Result& result : step.results) slots.push_back(result.over);
    return slots;
  }

  /// Returns the memory behind a slot and appends the views in between, the one nearest to the
  /// memory first.
  Slot add_chain(Slot slot, std::vector<const Step*>& chain) const {
    std::vector<const Step*> reversed;
    while (const Step* view = views_[static_cast<size_t>(slot)]) {
      reversed.push_back(view);
      slot = std::get<lowering::ViewStep>(view->work).source;
    }
    chain.insert(chain.end(), reversed.rbegin(), reversed.rend());
    return slot;
  }

  /// Goes backwards, since later reads decide what a list returns.
  void find_needs() {
    std::set<Slot> needed;
    for (const lowering::ControlOperand& output : plan_.outputs) needed.insert(output.slot);
    for (size_t g = groups_.size(); g-- > 0;) {
      Group& group = groups_[g];
      std::set<Slot> made;
      for (const Step* step : group.steps) {
        for (const lowering::Result& result : step->results) {
          if (result.slot == kNoSlot) continue;
          made.insert(result.slot);
          if (needed.contains(result.slot)) group.outputs.push_back(result.slot);
        }
      }
      find_inputs(group, made);
      needed.insert(group.inputs.begin(), group.inputs.end());
    }
    needed.erase(kNoSlot);
  }

  void find_inputs(Group& group, const std::set<Slot>& made) const {
    std::set<Slot> inputs;
    std::set<const Step*> repeated;
    for (const Step* step : group.steps) {
      for (const Slot slot : read_by(*step)) {
        if (slot == kNoSlot || made.contains(slot)) continue;
        if (!group.is_list) {
          inputs.insert(slot);
          continue;
        }
        std::vector<const Step*> chain;
        inputs.insert(add_chain(slot, chain));
        for (const Step* view : chain) {
          if (repeated.insert(view).second) group.repeated.push_back(view);
        }
      }
    }
    group.inputs.assign(inputs.begin(), inputs.end());
  }

  void emit(const Group& group) {
    if (group.is_list) return emit_list(group);
    const Step& step = *group.steps[0];
    artifact::Step& made = routine_.steps.emplace_back();
    made.work = std::visit(HostWork{part_of_region_}, step.work);
    made.defines = step.defines;
    made.label = step.label;
    for (const lowering::Result& result : step.results) {
      made.results.push_back({result.slot, value_type(result.type), result.allocate, result.over});
    }
  }

  void emit_list(const Group& group) {
    lowering::PlanPart part;
    part.name = plan_.name + "_" + std::to_string(list_count_++);
    part.slot_count = plan_.slot_count;
    part.steps = group.repeated;
    part.steps.insert(part.steps.end(), group.steps.begin(), group.steps.end());
    artifact::ListStep work;
    std::vector<bool> is_weight;
    for (const Slot slot : group.inputs) {
      part.input_slots.push_back(slot);
      part.input_types.emplace_back(*types_[static_cast<size_t>(slot)]);
      const int32_t weight = weight_of_[static_cast<size_t>(slot)];
      is_weight.push_back(weight >= 0);
      work.inputs.push_back(weight >= 0 ? artifact::ListInput{artifact::kNoValue, weight}
                                        : artifact::ListInput{slot, -1});
    }
    artifact::Step step;
    for (const Slot slot : group.outputs) {
      part.outputs.push_back({.slot = slot, .scalar = std::nullopt, .text = std::nullopt});
      step.results.push_back({slot, *types_[static_cast<size_t>(slot)], false, artifact::kNoValue});
    }
    const bool does_nothing =
        group.outputs.empty() && std::ranges::all_of(group.steps, [](const Step* each) {
          return std::holds_alternative<lowering::ViewStep>(each->work);
        });
    if (does_nothing) return;
    step.label = group.steps[0]->label;
    work.list = add_list_(part, is_weight);
    step.work = std::move(work);
    routine_.steps.push_back(std::move(step));
  }

  /// Calls `use` with every value that a step reads.
  template <typename Use>
  static void for_each_read(const artifact::Step& step, const Use& use) {
    const auto use_operand = [&](const artifact::Operand& operand) {
      if (const auto* ref = std::get_if<artifact::ValueRef>(&operand)) use(ref->value);
    };
    if (const auto* list = std::get_if<artifact::ListStep>(&step.work)) {
      for (const artifact::ListInput& input : list->inputs) use(input.value);
    } else if (const auto* library = std::get_if<artifact::LibraryStep>(&step.work)) {
      for (const artifact::StepArgument& argument : library->arguments) {
        if (const auto* ref = std::get_if<artifact::ValueRef>(&argument)) use(ref->value);
        if (const auto* refs = std::get_if<std::vector<artifact::ValueRef>>(&argument)) {
          for (const artifact::ValueRef& ref : *refs) use(ref.value);
        }
      }
    } else if (const auto* item = std::get_if<artifact::ItemStep>(&step.work)) {
      use(item->source);
    } else if (const auto* control = std::get_if<artifact::ControlStep>(&step.work)) {
      use_operand(control->predicate);
      for (const auto* operands : {&control->carried, &control->xs, &control->additional}) {
        for (const artifact::Operand& operand : *operands) use_operand(operand);
      }
    } else if (const auto* part = std::get_if<artifact::ProgramStep>(&step.work)) {
      for (const artifact::Operand& operand : part->inputs) use_operand(operand);
    }
    for (const artifact::StepResult& result : step.results) use(result.over);
  }

  /// Inputs that only lists read, as weights, are not values of the routine.
  void take_inputs() {
    std::set<artifact::ValueId> read;
    for (const artifact::Step& step : routine_.steps) {
      for_each_read(step, [&](artifact::ValueId value) { read.insert(value); });
    }
    for (const artifact::Operand& output : routine_.outputs) {
      if (const auto* ref = std::get_if<artifact::ValueRef>(&output)) read.insert(ref->value);
    }
    for (size_t i = 0; i < plan_.input_slots.size(); ++i) {
      routine_.input_types.push_back(value_type(plan_.input_types[i]));
      const Slot slot = plan_.input_slots[i];
      routine_.input_values.push_back(read.contains(slot) ? slot : artifact::kNoValue);
    }
  }

  void mark_dead() {
    std::set<artifact::ValueId> later = {artifact::kNoValue};
    for (const artifact::Operand& output : routine_.outputs) {
      if (const auto* ref = std::get_if<artifact::ValueRef>(&output)) later.insert(ref->value);
    }
    for (size_t i = routine_.steps.size(); i-- > 0;) {
      artifact::Step& step = routine_.steps[i];
      const auto use = [&](artifact::ValueId value) {
        if (later.insert(value).second) step.dead.push_back(value);
      };
      for_each_read(step, use);
      for (const artifact::StepResult& result : step.results) use(result.value);
    }
  }

  const Plan& plan_;
  std::optional<SymbolId> seed_;
  const std::vector<int32_t>& weights_;  ///< By input; -1: a value.
  const AddList& add_list_;
  const PartOfRegion& part_of_region_;
  std::vector<const TensorType*> types_;  ///< Indexed by slot.
  std::vector<const Step*> views_;        ///< Indexed by slot: its view; null: memory.
  std::vector<int32_t> weight_of_;        ///< Indexed by slot.
  std::vector<Group> groups_;
  int list_count_ = 0;
  Routine routine_;
};

/// A program is a single list if all its steps can be listed and no output is drawn.
bool is_one_list(const Plan& main, std::optional<SymbolId> seed) {
  const bool has_all = std::ranges::none_of(
      main.steps, [&](const Step& step) { return reason_not_listed(step, seed).has_value(); });
  return has_all && std::ranges::none_of(main.outputs, [&](const auto& output) {
           return seed && output.scalar && mentions(*output.scalar, *seed);
         });
}

}  // namespace

std::optional<std::string> reason_not_built(const lowering::LoweredProgram& program) {
  for (const Plan& plan : program.plans) {
    for (const Step& step : plan.steps) {
      const auto* control = std::get_if<lowering::ControlStep>(&step.work);
      if (control != nullptr && control->kind == lowering::ControlKind::region) return "regions";
    }
  }
  return std::nullopt;
}

BuiltProgram build_program(const lowering::LoweredProgram& lowered, const KernelSet& kernels,
                           const std::vector<bool>& is_constant, std::optional<SymbolId> seed,
                           const PartOfRegion& part_of_region) {
  BuiltProgram built;
  artifact::Program& program = built.program;
  program.kernels = kernels.codes();
  program.seed = seed;
  const Plan& main = lowered.plans[0];
  for (const size_t input : lowering::updated_inputs(main)) {
    program.updated.push_back(static_cast<int32_t>(input));
  }
  KernelNumbers numbers(lowered, kernels);
  const StepKernels code{program.kernels, [&](const Step& step) { return numbers.kernel(step); },
                         [&](const Step& step) { return numbers.epilogue(step); }};
  const auto add_list = [&](const lowering::PlanPart& part, const std::vector<bool>& is_weight) {
    program.lists.push_back(build_list(part, code, is_weight, seed, &built.steps.emplace_back()));
    return static_cast<int32_t>(program.lists.size()) - 1;
  };
  if (is_one_list(main, seed)) {
    add_list(lowering::whole(main), is_constant);
  } else {
    const RoutineBuilder::AddList add = add_list;
    const std::vector<std::vector<int32_t>> weights = weights_passed(lowered, is_constant);
    for (size_t i = 0; i < lowered.plans.size(); ++i) {
      program.routines.push_back(
          RoutineBuilder(lowered.plans[i], seed, weights[i], add, part_of_region).run());
    }
  }
  built.calls = numbers.take_calls();
  return built;
}

}  // namespace litz::compiler
