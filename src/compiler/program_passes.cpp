#include "compiler/program_passes.h"

#include "autodiff/recompute.h"
#include "compiler/aligned_prices.h"
#include "compiler/backend.h"
#include "compiler/execution/run_graph.h"
#include "ir/verifier.h"
#include "machine/cpu_targets.h"
#include "passes/overlap/prices.h"
#include "support/log.h"

namespace litz::compiler {
namespace {

/// Elements that the interpreter processes in the time that compiling a kernel takes, some
/// milliseconds. Folding ResNet-50's batch norms on two busy cores takes 0.38 to 0.6 s interpreted,
/// 0.24 s compiled, and 0.10 to 0.17 s with code from the cache.
constexpr int64_t kWorthCompilingForOneRun = int64_t{1} << 16;

void overlap(ir::Graph& graph, const Options& options, bool verifies) {
  passes::JoinOptions join = *options.overlap;
  passes::PriceOptions& prices = join.overlap.prices;
  const bool has_own_prices = prices.measured != nullptr || prices.estimate;
  if (has_own_prices && options.communicator && options.communicator->world() > 1) {
    prices.estimate = aligned_prices(graph, prices, *options.communicator);
    prices.estimate_is_heavy = false;
  }
  passes::overlap_collectives(graph, join);
  if (verifies) ir::verify(graph.module(), {.infer_types = false});
}

/// What PassContext::recompute does with these options.
passes::Changed recompute(ir::Graph& graph, const Options& options) {
  if (!options.memory_budget && !autodiff::has_checkpoints(graph)) return passes::Changed::no;
  const size_t copies =
      autodiff::recompute(graph, {.memory_budget = options.memory_budget.value_or(1),
                                  .is_one_program = true,
                                  .keeps_all = !options.memory_budget,
                                  .time = passes::operations_of});
  return copies > 0 ? passes::Changed::yes : passes::Changed::no;
}

}  // namespace

std::vector<passes::PassStatistics> run_passes(ir::Program& program, const Options& options,
                                               const Backend* backend,
                                               const KernelSetOptions& kernels) {
  KernelSetOptions once = kernels;
  once.on_phase = nullptr;
  once.compile_above = kWorthCompilingForOneRun;
  if (backend != nullptr && !backend->runs_on_host()) {
    once.target = machine::kHostTarget;
    once.compile = has_code_generator();
  }
  passes::PassContext context{.program = &program, .machine = machine_of(backend)};
  context.evaluate = [&](ir::Graph& graph, std::span<const Tensor> inputs) {
    return run_graph_as(graph, inputs, once);
  };
  context.recompute = [&](ir::Graph& graph) { return recompute(graph, options); };
  passes::DriverOptions driver = options.passes;
  if (options.on_phase) {
    driver.before_pass = [&](const passes::Pass& pass, ir::Module& module) {
      options.on_phase(pass.name);
      if (options.passes.before_pass) options.passes.before_pass(pass, module);
    };
  }
  if (log_enabled(LogLevel::debug)) {
    driver.after_pass = [&](const passes::PassStatistics& pass, const ir::Module& module) {
      log(LogLevel::debug, to_string(pass));
      if (options.passes.after_pass) options.passes.after_pass(pass, module);
    };
  }
  driver.verify_each = driver.verify_each || options.verify;
  std::vector<passes::PassStatistics> statistics =
      passes::run_pipeline(passes::import_pipeline(), *program.module, context,
                           {.verify_each = driver.verify_each,
                            .before_pass = driver.before_pass,
                            .after_pass = driver.after_pass,
                            .keep_text = driver.keep_text,
                            .on_failure = driver.on_failure});
  if (options.buckets) {
    passes::bucket_collectives(program.graph(), *options.buckets);
    if (driver.verify_each) ir::verify(*program.module, {.infer_types = false});
  }
  if (options.optimize && !outlines_regions(options)) {
    const std::vector<passes::PassStatistics> more =
        passes::run_pipeline(passes::inference_pipeline(), *program.module, context, driver);
    statistics.insert(statistics.end(), more.begin(), more.end());
  }
  if (options.overlap) overlap(program.graph(), options, driver.verify_each);
  return statistics;
}

bool outlines_regions(const Options& options) { return options.regional || options.cuda_graphs; }

}  // namespace litz::compiler
