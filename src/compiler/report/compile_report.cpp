// Gathers the report from the parts of an executable. Schedules are not kept after code generation,
// so they are computed again.

#include "compiler/report/compile_report.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "compiler/build_list.h"
#include "compiler/report/sources.h"
#include "expr/guard.h"
#include "loops/clone.h"
#include "loops/instrs.h"
#include "loops/iterations.h"
#include "loops/marks.h"
#include "lowering/expand_calls.h"
#include "lowering/lower.h"
#include "memory/memory_plan.h"
#include "schedule/schedule.h"
#include "support/text.h"

namespace litz::compiler {
namespace {

using lowering::kNoSlot;

std::string extents_of(const std::vector<loops::LoopVar>& vars) {
  std::vector<std::string> extents;
  extents.reserve(vars.size());
  for (const loops::LoopVar& var : vars) extents.push_back(to_string(var.extent));
  return join(extents, " x ");
}

void add_loops(const loops::Block& block, int depth, std::vector<ReportedLoop>& out) {
  for (const loops::Instr& instr : block.instrs) {
    if (instr.blocks.empty()) continue;
    std::string kind = "sort";
    if (instr.kind == loops::InstrKind::loop) kind = "for";
    if (instr.kind == loops::InstrKind::reduce) {
      kind = "reduce " + std::string(loops::name(instr.reduce));
    }
    out.push_back({depth, std::move(kind), extents_of(instr.vars)});
    for (const auto& nested : instr.blocks) add_loops(*nested, depth + 1, out);
  }
}

void add_lanes(const loops::Instr& instr, std::vector<int>& lanes) {
  const auto add = [&](const loops::Instr& own) {
    if (const int count = loops::lanes_of(own); count > 1) lanes.push_back(count);
  };
  add(instr);
  loops::for_each_inside(instr, add);
}

std::vector<ReportedOperator> operators_of(const std::vector<std::string>& labels, int plan,
                                           std::span<const StepOrigin> origins) {
  std::vector<ReportedOperator> operators;
  for (const std::string& label : labels) {
    const auto found = std::ranges::find_if(origins, [&](const StepOrigin& origin) {
      return origin.plan == plan && origin.label == label;
    });
    operators.push_back({label, found != origins.end() ? found->module_path : std::string()});
  }
  return operators;
}

class Reporter {
 public:
  explicit Reporter(const ReportSources& sources) : sources_(sources) {}

  CompileReport run() {
    report_.target = sources_.backend.processor();
    report_.features = sources_.backend.features();
    for (const passes::PassStatistics& pass : sources_.passes) {
      report_.passes.push_back({std::string(pass.name), pass.changed == passes::Changed::yes,
                                pass.seconds, pass.nodes, pass.rewrites});
    }
    for (const fusion::FusedKernel& kernel : sources_.fusion.fused) {
      labels_[{kernel.plan, kernel.name}] = &kernel.labels;
    }
    for (size_t i = 0; i < sources_.lowered.plans.size(); ++i) add_plan(static_cast<int>(i));
    report_.kernels_before = sources_.fusion.kernels_before;
    report_.kernels_after = sources_.fusion.kernels_after;
    report_.views_before = sources_.fusion.views_before;
    report_.views_after = sources_.fusion.views_after;
    for (const fusion::MissedFusion& pair : sources_.fusion.missed) {
      report_.missed.push_back(
          {pair.plan, pair.producer, pair.consumer, std::string(fusion::name(pair.reason))});
    }
    add_memory();
    if (const Profile* profile = sources_.profile; profile != nullptr && profile->calls > 0) {
      report_.measured_calls = profile->calls;
      report_.seconds_per_call = profile->seconds / static_cast<double>(profile->calls);
    }
    return std::move(report_);
  }

 private:
  bool is_known(Expr expr) const { return loops::value_of(expr, sources_.bindings).has_value(); }

  /// Bytes that a tensor spans; nothing if sizes depend on data.
  std::optional<int64_t> bytes_of(const TensorType& type) const {
    const auto known = [&](Expr expr) { return is_known(expr); };
    if (!std::ranges::all_of(type.sizes, known) || !std::ranges::all_of(type.strides, known)) {
      return std::nullopt;
    }
    return storage_span(evaluate(type.sizes, sources_.bindings),
                        evaluate(type.strides, sources_.bindings), 0) *
           item_size(type.dtype);
  }

  void add_bytes(const TensorType& type, bool is_write, ReportedStep& out) const {
    int64_t& sum = is_write ? out.bytes_written : out.bytes_read;
    const std::optional<int64_t> bytes = bytes_of(type);
    is_unknown_ = is_unknown_ || !bytes;
    sum += bytes.value_or(0);
  }

  void add_plan(int index) {
    const lowering::Plan& plan = sources_.lowered.plans[static_cast<size_t>(index)];
    std::map<lowering::Slot, const TensorType*> types;
    for (size_t i = 0; i < plan.input_slots.size(); ++i) {
      const auto* type = std::get_if<TensorType>(&plan.input_types[i]);
      if (type != nullptr) types[plan.input_slots[i]] = type;
    }
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      const lowering::Step& step = plan.steps[i];
      for (const lowering::Result& result : step.results) {
        const auto* type = std::get_if<TensorType>(&result.type);
        if (type != nullptr) types[result.slot] = type;
      }
      add_step(step, index, static_cast<int>(i), types);
    }
  }

  void add_step(const lowering::Step& step, int plan, int number,
                const std::map<lowering::Slot, const TensorType*>& types) {
    ReportedStep out;
    out.plan = plan;
    out.step = number;
    out.bytes_read = out.bytes_written = 0;
    is_unknown_ = false;
    std::vector<std::string> labels{step.label};
    if (const auto* kernel = std::get_if<lowering::KernelStep>(&step.work)) {
      add_kernel(*kernel, out);
      const auto found = labels_.find({plan, out.name});
      if (found != labels_.end()) labels = *found->second;
    } else if (const auto* library = std::get_if<lowering::LibraryStep>(&step.work)) {
      add_library(step, *library, types, out);
    } else if (std::holds_alternative<lowering::ControlStep>(step.work)) {
      out.kind = StepKind::control;
      out.name = "control";
      is_unknown_ = true;
    } else {
      return;
    }
    if (is_unknown_) out.bytes_read = out.bytes_written = -1;
    out.operators = operators_of(labels, plan, sources_.origins);
    // Labels of nodes without results are not unique.
    if (labels.size() == 1) out.operators[0].module_path = step.location.module_path;
    out.seconds = seconds_of(plan, number);
    report_.steps.push_back(std::move(out));
  }

  double seconds_of(int plan, int step) const {
    const Profile* profile = sources_.profile;
    if (profile == nullptr || profile->calls == 0) return 0;
    const auto p = static_cast<size_t>(plan);
    const auto s = static_cast<size_t>(step);
    if (p >= profile->step_seconds.size() || s >= profile->step_seconds[p].size()) return 0;
    return profile->step_seconds[p][s] / static_cast<double>(profile->calls);
  }

  void add_kernel(const lowering::KernelStep& step, ReportedStep& out) {
    const size_t kernel = next_kernel_++;
    out.name = step.kernel.name;
    for (const loops::Buffer& buffer : step.kernel.buffers) {
      if (buffer.role == loops::BufferRole::scratch) continue;
      add_bytes(buffer.type, buffer.role == loops::BufferRole::output, out);
    }
    add_loops(step.kernel.body, 0, out.loops);
    out.reason_interpreted = sources_.kernels.reason_interpreted(kernel);
    if (!out.reason_interpreted.empty()) return;
    out.code_bytes = static_cast<int64_t>(sources_.kernels.code_bytes(kernel));
    out.was_cached = sources_.kernels.was_cached(kernel);
    const auto [first, is_new] =
        makers_.emplace(sources_.kernels.compiled_index(kernel),
                        step.kernel.name + " of step " + std::to_string(out.step));
    if (!is_new) out.shares_code_with = first->second;
    add_phases(step.kernel, out);
  }

  void add_phases(const loops::Kernel& kernel, ReportedStep& out) const {
    const schedule::Schedule schedule = sources_.backend.schedule(loops::clone(kernel));
    out.loops.clear();  // Scheduling changed them.
    add_loops(schedule.kernel.body, 0, out.loops);
    for (const schedule::Phase& phase : schedule.phases) {
      ReportedPhase entry;
      entry.iterations = loops::value_of(phase.iterations, sources_.bindings).value_or(-1);
      entry.grain = phase.grain;
      const auto picoseconds = loops::value_of(phase.cost, sources_.bindings);
      entry.nanoseconds = static_cast<double>(picoseconds.value_or(-1000)) / 1000;
      entry.is_tiled = phase.is_tiled;
      if (const loops::Instr* loop = schedule.loop_of(phase)) {
        entry.extents = extents_of(loop->vars);
        add_lanes(*loop, entry.lanes);
      } else {
        for (const loops::Instr& instr : schedule.kernel.body.instrs) {
          add_lanes(instr, entry.lanes);
        }
      }
      out.phases.push_back(std::move(entry));
    }
  }

  void add_library(const lowering::Step& step, const lowering::LibraryStep& work,
                   const std::map<lowering::Slot, const TensorType*>& types, ReportedStep& out) {
    out.kind = StepKind::library;
    out.name = work.function;
    if (work.epilogue) {
      out.name += " then " + work.epilogue->kernel.name;
      for (size_t i = 1; i < work.epilogue->buffers.size(); ++i) {  // The first: the result.
        const loops::Buffer& buffer = work.epilogue->kernel.buffers[i];
        if (buffer.role == loops::BufferRole::input) add_bytes(buffer.type, false, out);
      }
    }
    for (const lowering::LibraryOperand& operand : work.arguments) {
      for (const lowering::Slot slot : operand.slots) {
        const auto found = types.find(slot);
        if (slot != kNoSlot && found != types.end()) add_bytes(*found->second, false, out);
      }
    }
    for (const lowering::Result& result : step.results) {
      const auto* type = std::get_if<TensorType>(&result.type);
      if (result.slot != kNoSlot && type != nullptr) add_bytes(*type, true, out);
    }
  }

  void add_memory() {
    ReportedMemory& memory = report_.memory;
    std::set<const Storage*> counted;
    const lowering::Plan& plan = sources_.lowered.plans[0];
    for (size_t i = 0; i < sources_.program.inputs.size(); ++i) {
      const Tensor& data = sources_.program.inputs[i].data;
      // Other inputs were folded, or merged with equal ones.
      const bool is_read = plan.input_slots[i] != kNoSlot;
      if (!is_read || !data.defined() || !counted.insert(data.storage().get()).second) continue;
      memory.weight_bytes += static_cast<int64_t>(data.storage()->size());
    }
    memory.packed_bytes = static_cast<int64_t>(sources_.packed_bytes);
    if (sources_.list == nullptr) {
      memory.reason_not_planned = reason_not_one_list(plan);
      return;
    }
    const std::shared_ptr<const runtime::SizeBucket> bucket =
        sources_.list->bucket_of(sources_.bindings);
    const memory::MemoryPlan planned = plan_of(*bucket);
    for (const auto& [symbol, range] : bucket->sizes) {
      const std::string& name = sources_.program.module->exprs().symbol(symbol).name;
      memory.sizes.push_back(describe_range(name, range));
    }
    memory.arena_bytes = planned.bytes;
    memory.peak_bytes = planned.peak;
    memory.sum_of_bytes = planned.unplanned;
    memory.in_place = static_cast<int64_t>(planned.in_place.size());
    for (const memory::Placement& place : planned.placements) {
      ReportedRange range;
      range.offset = place.offset;
      range.bytes = place.bytes;
      range.first = place.first;
      range.last = place.last;
      if (place.first >= 0) range.maker = plan.steps[static_cast<size_t>(place.first)].label;
      range.is_in_place = std::ranges::any_of(
          planned.in_place, [&](const memory::InPlace& pair) { return pair.result == place.slot; });
      memory.ranges.push_back(std::move(range));
    }
  }

  std::string reason_not_one_list(const lowering::Plan& plan) const {
    for (const lowering::Step& step : plan.steps) {
      if (auto reason = reason_not_listed(step, sources_.seed)) return *reason;
    }
    return "the interpreter runs step by step";
  }

  /// The layout that the runtime chose, with the contents of each range.
  memory::MemoryPlan plan_of(const runtime::SizeBucket& bucket) const {
    const memory::MemoryPlanner planner(sources_.lowered.plans[0]);
    const bool is_exact = std::ranges::all_of(
        bucket.sizes, [](const auto& size) { return size.second.lo == size.second.hi; });
    if (is_exact) return planner.plan(sources_.bindings);
    return planner.plan(SizeBox(bucket.sizes)).value();
  }

  const ReportSources& sources_;
  CompileReport report_;
  std::map<std::pair<int, std::string>, const std::vector<std::string>*> labels_;  ///< Of kernels.
  std::map<size_t, std::string> makers_;  ///< By compiled code: its first kernel.
  size_t next_kernel_ = 0;
  mutable bool is_unknown_ = false;  ///< Whether some operand of the step has an unknown size.
};

}  // namespace

std::vector<StepOrigin> step_origins(const lowering::LoweredProgram& program) {
  const std::vector<int> homes = lowering::homes_of_plans(program);
  std::vector<StepOrigin> origins;
  for (size_t i = 0; i < program.plans.size(); ++i) {
    for (const lowering::Step& step : program.plans[i].steps) {
      origins.push_back({homes[i], step.label, step.location.module_path});
    }
  }
  return origins;
}

CompileReport make_report(const ReportSources& sources) { return Reporter(sources).run(); }

std::string_view name(StepKind kind) {
  switch (kind) {
    case StepKind::kernel:
      return "kernel";
    case StepKind::library:
      return "call";
    case StepKind::control:
      return "control";
  }
  return "";
}

}  // namespace litz::compiler
