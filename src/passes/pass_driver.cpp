#include "passes/pass_driver.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <span>
#include <vector>

#include "ir/printer.h"
#include "ir/verifier.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::passes {
namespace {

using Clock = std::chrono::steady_clock;

size_t count_nodes(const ir::Module& module) {
  size_t nodes = 0;
  for (const ir::Graph* graph : module.graphs()) nodes += graph->node_count();
  return nodes;
}

// The first graph with at least this id, or null.
ir::Graph* graph_from(const ir::Module& module, uint32_t id) {
  for (ir::Graph* graph : module.graphs()) {
    if (graph->id() >= id) return graph;
  }
  return nullptr;
}

void check_name(std::span<const Pass> passes, const std::string& name) {
  if (std::ranges::find(passes, name, &Pass::name) != passes.end()) return;
  std::vector<std::string_view> names;
  for (const Pass& pass : passes) names.push_back(pass.name);
  fail(ErrorCode::invalid_argument, "unknown pass:", name, "- the pipeline is", join(names, ", "));
}

// The result types that the caller of a program sees.
std::vector<ir::ValueType> result_types_of(const ir::Program& program) {
  std::vector<ir::ValueType> types;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const ir::Argument& result = program.graph().outputs()[i];
    if (!is_mutation(program.outputs[i].kind) && result.is_value()) {
      types.push_back(result.value().type());
    }
  }
  return types;
}

// Only internal layouts may change.
void check_results(std::span<const ir::ValueType> before, std::span<const ir::ValueType> after) {
  check(before.size() == after.size(), "a pass must keep the results of a program:", before.size(),
        after.size());
  for (size_t i = 0; i < before.size(); ++i) {
    const auto* from = std::get_if<TensorType>(&before[i]);
    const auto* to = std::get_if<TensorType>(&after[i]);
    if (from == nullptr || to == nullptr || from->numel().is(0)) continue;
    for (size_t d = 0; d < from->rank(); ++d) {
      check(from->rank() == to->rank() &&
                (from->sizes[d].is(1) || !known_not_equal(from->strides[d], to->strides[d])),
            "a pass must keep the strides of what the caller sees: result", i, *from, *to);
    }
  }
}

// Runs a pass with all requested checks.
PassStatistics run_checked(const Pass& pass, ir::Module& module, PassContext& context,
                           const DriverOptions& options) {
  const uint64_t rewrites = context.rewrites;
  const bool keep_collectives = options.verify_each && !pass.reorders_collectives;
  std::map<uint32_t, ir::CollectiveOrder> collectives;
  if (keep_collectives) collectives = ir::collective_orders(module);
  const bool was_functional = context.program != nullptr && context.program->functional;
  std::vector<ir::ValueType> results;
  if (options.verify_each && was_functional) results = result_types_of(*context.program);
  const Clock::time_point start = Clock::now();
  const Changed changed = run_pass(pass, module, context);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const PassStatistics statistics{pass.name, changed, seconds, count_nodes(module),
                                  context.rewrites - rewrites};
  try {
    // Imported and replayed nodes state types whose strides inference may not repeat.
    if (options.verify_each) {
      ir::verify(module, {.infer_types = false,
                          .forbid_overwritten_reads = was_functional,
                          .collectives_at_entry = keep_collectives ? &collectives : nullptr});
      if (was_functional) check_results(results, result_types_of(*context.program));
    }
  } catch (Error& error) {
    error.add_note("after pass " + std::string(pass.name));
    throw;
  }
  if (options.run_twice) {
    check(run_pass(pass, module, context) == Changed::no,
          "a second run of a pass must change nothing:", pass.name);
  }
  return statistics;
}

}  // namespace

void require_order(std::span<const Pass> passes, std::span<const PassOrder> orders) {
  for (const auto& [first, second] : orders) {
    bool seen = false;
    for (const Pass& pass : passes) {
      seen = seen || pass.name == second;
      require(!seen || pass.name != first, ErrorCode::invalid_argument, "a pass must not follow",
              second, "which needs what it does:", first);
    }
  }
}

Changed run_pass(const Pass& pass, ir::Module& module, PassContext& context) {
  module.set_current_pass(std::string(pass.name));
  Changed changed = Changed::no;
  try {
    // Looked up again each time, since inlining removes graphs.
    uint32_t id = 0;
    while (ir::Graph* graph = graph_from(module, id)) {
      id = graph->id() + 1;
      if (pass.run(*graph, context) == Changed::yes) changed = Changed::yes;
    }
  } catch (Error& error) {
    error.add_note("in pass " + std::string(pass.name));
    throw;
  } catch (const std::bad_alloc&) {
    throw;  // Says nothing about the pass.
  } catch (const std::exception& error) {
    InternalError wrapped(error.what());
    wrapped.add_note("in pass " + std::string(pass.name));
    throw wrapped;
  }
  module.set_current_pass("");
  return changed;
}

std::vector<PassStatistics> run_pipeline(std::span<const Pass> passes, ir::Module& module,
                                         PassContext& context, const DriverOptions& options) {
  if (!options.stop_after.empty()) check_name(passes, options.stop_after);
  for (const std::string& name : options.disabled) check_name(passes, name);
  if (options.edit_limit) context.rewrite_limit = *options.edit_limit;
  std::vector<PassStatistics> statistics;
  for (const Pass& pass : passes) {
    if (std::ranges::find(options.disabled, pass.name) != options.disabled.end()) continue;
    const uint64_t rewrites_left =
        context.rewrite_limit == UINT64_MAX ? UINT64_MAX : context.rewrite_limit - context.rewrites;
    std::string before;
    if (options.keep_text) before = ir::to_string(module);
    if (options.before_pass) options.before_pass(pass, module);
    try {
      statistics.push_back(run_checked(pass, module, context, options));
    } catch (Error& error) {
      if (options.on_failure) options.on_failure({pass, before, rewrites_left, error});
      throw;
    }
    if (options.after_pass) options.after_pass(statistics.back(), module);
    if (pass.name == options.stop_after) break;
  }
  return statistics;
}

std::string to_string(const PassStatistics& statistics) {
  return std::string(statistics.name) + "  " + human_seconds(statistics.seconds) + "  " +
         std::to_string(statistics.nodes) + " nodes  " + std::to_string(statistics.rewrites) +
         " rewrites";
}

}  // namespace litz::passes
