#include "fusion/fusion.h"

#include <algorithm>
#include <sstream>

#include "fusion/attention_kernels.h"
#include "fusion/kernel_edit.h"
#include "fusion/passes.h"
#include "loops/instrs.h"
#include "lowering/expand_calls.h"
#include "memory/alias_verifier.h"
#include "memory/order.h"

namespace litz::fusion {
namespace {

// A round may enable another one. Programs converge in a few.
constexpr int kMostRounds = 12;
// The most operator names in the name of a kernel; more do not make it clearer.
constexpr size_t kMostNames = 4;

struct Counts {
  int kernels = 0;
  int epilogues = 0;
  int views = 0;
};

/// Child plans count once per call that their steps will replace.
Counts count(const lowering::LoweredProgram& program) {
  const std::vector<int> copies = lowering::copies_of_plans(program);
  Counts counts;
  for (size_t i = 0; i < program.plans.size(); ++i) {
    for (const Step& step : program.plans[i].steps) {
      const auto* library = std::get_if<lowering::LibraryStep>(&step.work);
      const bool has_epilogue = library != nullptr && library->epilogue;
      counts.kernels += std::holds_alternative<KernelStep>(step.work) ? copies[i] : 0;
      counts.epilogues += has_epilogue ? copies[i] : 0;
      counts.views += std::holds_alternative<lowering::ViewStep>(step.work) ? copies[i] : 0;
    }
  }
  return counts;
}

// Lets expressions simplify by symbolic extents as by constant ones.
void declare_extents(const PlanGraph& graph) {
  for (const StepId id : graph.order()) {
    const auto* kernel = std::get_if<KernelStep>(&graph.step(id).work);
    if (kernel == nullptr) continue;
    ExprPool& pool = *kernel->kernel.pool;
    for_each_instr(kernel->kernel.body, [&](const loops::Instr& instr) {
      for (const loops::LoopVar& var : instr.vars) {
        if (!var.extent.is_constant()) pool.set_extent(var.symbol.symbol(), var.extent);
      }
    });
  }
}

std::string fused_name(std::vector<std::string> names, int number) {
  std::string text = "fused";
  std::vector<std::string> seen;
  for (std::string& name : names) {
    if (seen.size() == kMostNames) break;
    if (std::ranges::count(seen, name) > 0) continue;
    text += "_" + name;
    seen.push_back(std::move(name));
  }
  return text + "_" + std::to_string(number);
}

void name_kernels(PlanGraph& graph, int plan, FusionReport& report) {
  for (const StepId id : graph.order()) {
    KernelStep* kernel = graph.kernel_or_epilogue(id);
    if (kernel == nullptr || graph.labels(id).size() < 2) continue;
    const bool is_epilogue = graph.consuming_kernel(id) == nullptr;
    if (!is_epilogue || graph.names(id).size() > 1) {
      kernel->kernel.name = fused_name(graph.names(id), static_cast<int>(report.fused.size()));
    }
    std::string name = kernel->kernel.name;
    if (is_epilogue) {
      name = std::get<lowering::LibraryStep>(graph.step(id).work).function + " then " + name;
    }
    report.fused.push_back({plan, std::move(name), graph.labels(id)});
  }
}

void verify_fused(PlanGraph& graph) {
  for (const StepId id : graph.order()) {
    const KernelStep* kernel = graph.kernel_or_epilogue(id);
    if (kernel != nullptr && graph.is_made(id)) memory::verify_accesses(kernel->kernel);
  }
}

/// Rewrites one plan; `home` is its number in reports.
void fuse_plan(Plan& plan, int home, const FusionOptions& options, FusionReport& report) {
  PlanGraph graph(plan, options.machine);
  if (home == 0) graph.keep_before(options.kept_before);
  declare_extents(graph);
  resolve_views(graph);
  remove_unread_results(graph);
  CoalescingGate gate(options.access_price, options.machine);
  MissedPairs missed;
  for (int round = 0; round < kMostRounds; ++round) {
    bool changed = false;
    missed.begin_round();
    if (options.inline_producers) {
      changed = split_tails(graph);
      changed = inline_producers(graph, gate, missed) || changed;
    }
    if (options.sink_consumers) changed = sink_consumers(graph, gate, missed) || changed;
    if (options.merge_loops && !changed) changed = merge_loops(graph, gate, missed);
    if (options.chain_small && !changed) changed = chain_small_kernels(graph, missed);
    remove_unread_results(graph);
    if (!changed) break;
  }
  if (options.split_from > 0 && split_reductions(graph, options.split_from) &&
      options.merge_loops) {
    merge_loops(graph, gate, missed);  // Parts of the same values are read once.
  }
  if (options.use_scratch) {
    for (const StepId id : graph.order()) make_scratch(graph, id);
  }
  attach_epilogues(graph, missed);
  // Verify first: flat buffers hide which iteration stores an element.
  if (options.verify) verify_fused(graph);
  for (const StepId id : graph.order()) {
    if (KernelStep* kernel = graph.consuming_kernel(id)) flatten_buffers(*kernel);
  }
  name_kernels(graph, home, report);
  missed.report(graph, home, report);
  graph.finish();
}

}  // namespace

bool is_too_large(const machine::Machine& machine, size_t labels, int instrs, size_t buffers) {
  return labels > kMostLabels || instrs > machine.most_instructions ||
         buffers > machine.most_buffers;
}

void MissedPairs::note(StepId producer, StepId consumer, Reason reason) {
  if (noted_.insert({producer, consumer}).second) pairs_.push_back({producer, consumer, reason});
}

std::optional<Reason> MissedPairs::refusal(const PlanGraph& graph, StepId first, StepId second,
                                           Attempt attempt) const {
  const auto found = refusals_.find({first, second, attempt});
  if (found == refusals_.end()) return std::nullopt;
  const bool is_current = found->second.first_version == graph.version(first) &&
                          found->second.second_version == graph.version(second);
  return is_current ? std::optional(found->second.reason) : std::nullopt;
}

void MissedPairs::refuse(const PlanGraph& graph, StepId first, StepId second, Attempt attempt,
                         Reason reason) {
  refusals_.insert_or_assign({first, second, attempt},
                             Refusal{graph.version(first), graph.version(second), reason});
}

void MissedPairs::report(PlanGraph& graph, int plan, FusionReport& report) const {
  const auto text = [&](StepId id) {
    const std::vector<std::string>& labels = graph.labels(id);
    return labels.size() == 1 ? labels[0] : labels[0] + " ... " + labels.back();
  };
  for (const Pair& pair : pairs_) {
    if (!graph.is_live(pair.producer) || !graph.is_live(pair.consumer)) continue;
    report.missed.push_back({plan, text(pair.producer), text(pair.consumer), pair.reason});
  }
}

std::string_view name(Reason reason) {
  switch (reason) {
    case Reason::not_pointwise:
      return "not_pointwise";
    case Reason::read_elsewhere:
      return "read_elsewhere";
    case Reason::recompute_cost:
      return "recompute_cost";
    case Reason::expensive:
      return "expensive";
    case Reason::index_check:
      return "index_check";
    case Reason::layout:
      return "layout";
    case Reason::address:
      return "address";
    case Reason::loops_differ:
      return "loops_differ";
    case Reason::other_iterations:
      return "other_iterations";
    case Reason::steps_between:
      return "steps_between";
    case Reason::too_large:
      return "too_large";
    case Reason::little_shared:
      return "little_shared";
    case Reason::coalescing:
      return "coalescing";
  }
  return "";
}

void fuse(lowering::LoweredProgram& program, const FusionOptions& options, FusionReport& report) {
  const Counts before = count(program);
  report.kernels_before += before.kernels;
  report.views_before += before.views;
  const std::vector<int> homes = lowering::homes_of_plans(program);
  for (size_t i = 0; i < program.plans.size(); ++i) {
    fuse_plan(program.plans[i], homes[i], options, report);
    make_attention_kernels(program.plans[i], options.machine, program.pool);
  }
  // Each plan was rewritten once, even if it is called often. The order for memory needs all calls
  // expanded.
  lowering::expand_calls(program);
  for (size_t i = 0; i < program.plans.size(); ++i) {
    if (options.order_for_memory) {
      const memory::OrderReport order = memory::order_for_memory(program.plans[i]);
      if (i == 0) {
        report.peak_before = order.peak_before;
        report.peak_after = order.peak_after;
      }
    }
    if (options.verify) memory::verify_slots(program.plans[i]);
  }
  const Counts after = count(program);
  report.kernels_after += after.kernels;
  report.epilogues += after.epilogues;
  report.views_after += after.views;
}

std::string to_string(const FusionReport& report) {
  std::ostringstream out;
  out << report.kernels_before << " kernels became " << report.kernels_after << " and "
      << report.epilogues << " parts of library calls, " << report.views_before << " views "
      << report.views_after << "\n";
  out << "peak memory " << static_cast<int64_t>(report.peak_before) << " became "
      << static_cast<int64_t>(report.peak_after) << " bytes\n";
  for (const FusedKernel& kernel : report.fused) {
    out << "@" << kernel.name << "\n";
    for (const std::string& label : kernel.labels) out << "    " << label << "\n";
  }
  for (const MissedFusion& pair : report.missed) {
    out << "not fused (" << name(pair.reason) << "): " << pair.producer << " | " << pair.consumer
        << "\n";
  }
  return std::move(out).str();
}

}  // namespace litz::fusion
