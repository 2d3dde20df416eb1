#include "compiler/execution/region_set.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/leaf.h"
#include "ir/parser.h"
#include "ops/random_streams.h"
#include "support/check.h"
#include "support/log.h"

namespace litz::compiler {
namespace {

std::string sentence(const ReportedRegion& region) {
  return region.name + ": " + std::to_string(region.nodes) + " nodes, " +
         std::to_string(region.inputs) + " inputs, " + std::to_string(region.constants) +
         " weights, " + std::to_string(region.outputs) + " outputs, " + region.key;
}

ReportedRegion describe(const passes::Region& outlined, const RegionProgram& region) {
  ReportedRegion report;
  report.name = outlined.graph->name();
  report.key = to_string(outlined.key);
  report.nodes = static_cast<int64_t>(outlined.nodes);
  report.inputs = static_cast<int64_t>(region.operands.size() + region.symbols.size());
  report.constants =
      std::ranges::count(region.program.inputs, ir::InputKind::constant, &ir::InputSpec::kind);
  report.outputs = static_cast<int64_t>(region.program.outputs.size());
  report.sources = outlined.sources;
  return report;
}

/// The options of code outside of regions.
Options plain(Options options) {
  options.optimize = false;
  options.fuse = false;
  return options;
}

}  // namespace

Options options_of_region(const Options& program, const passes::RegionKey& key) {
  const passes::RegionOptions own = passes::region_options(key);
  Options options = program;
  options.regional = false;
  options.cuda_graphs = false;
  if (own.executor) options.executor = parse_executor(*own.executor);
  options.target = own.target.value_or(options.target);
  options.threads = own.threads.value_or(options.threads);
  options.fuse = own.fuse.value_or(options.fuse);
  options.optimize = own.optimize.value_or(options.optimize);
  options.verify = own.verify.value_or(options.verify);
  return options;
}

RegionSet::RegionSet(const ir::Program& program, const lowering::LoweredProgram& lowered,
                     std::span<const passes::Region> outlined, const Options& options,
                     const Surroundings& surroundings, std::optional<size_t> only) {
  const ConstantValues constants(program);
  if (const auto seed = program.module->exprs().find_symbol(ops::kSeedSymbol)) {
    seed_ = seed->symbol();
  }
  for (const lowering::Plan& plan : lowered.plans) {
    for (const lowering::Step& step : plan.steps) {
      const auto* control = std::get_if<lowering::ControlStep>(&step.work);
      if (control == nullptr || !control->region) continue;
      const uint32_t graph = control->region->graph.id;
      const auto found = std::ranges::find_if(
          outlined, [&](const passes::Region& region) { return region.graph->id() == graph; });
      check(found != outlined.end(), "a region must have been outlined:", step.label);
      if (by_graph_.contains(graph)) continue;
      if (only && *only != regions_.size()) {
        by_graph_.emplace(graph, regions_.size());
        regions_.emplace_back();
        reports_.emplace_back();
        continue;
      }
      add(program, *control->region, constants, *found, options, surroundings);
    }
  }
}

void RegionSet::add(const ir::Program& program, const lowering::RegionBody& body,
                    const ConstantValues& constants, const passes::Region& outlined,
                    const Options& options, const Surroundings& surroundings) {
  const Options own = options_of_region(options, outlined.key);
  Surroundings around = surroundings;
  if (own.threads != options.threads) around.pool = nullptr;
  RegionProgram made = make_region_program(*program.module, body, program, constants);
  ReportedRegion report = describe(outlined, made);
  log(LogLevel::info, sentence(report));
  Region region;
  region.operands = std::move(made.operands);
  for (const SymbolId symbol : made.symbols) {
    region.symbols.push_back(program.module->exprs().symbol_expr(symbol));
  }
  try {
    region.executable = std::make_shared<Executable>(std::move(made.program), own, around);
  } catch (Error& error) {
    error.add_note("while compiling " + sentence(report));
    if (options.region_failure == RegionFailure::raise) throw;
    log(LogLevel::warning, std::string("a region runs operator by operator: ") + error.what());
    RegionProgram again = make_region_program(*program.module, body, program, constants);
    Options without = plain(options_of_region(options, {}));
    around.pool = surroundings.pool;
    region.executable = std::make_shared<Executable>(std::move(again.program), without, around);
    report.is_plain = true;
  }
  const LaunchCounts counts = region.executable->launch_counts();
  report.kernels = counts.kernels;
  report.interpreted = counts.interpreted;
  report.library_calls = counts.library_calls;
  by_graph_.emplace(body.graph.id, regions_.size());
  regions_.push_back(std::move(region));
  reports_.push_back(std::move(report));
}

std::vector<Leaf> RegionSet::run(ir::GraphRef body, std::span<const Leaf> operands,
                                 const Bindings& bindings) const {
  const Region& region = regions_[by_graph_.at(body.id)];
  const int64_t key = seed_ ? bindings.find(*seed_).value_or(0) : 0;
  std::vector<Leaf> leaves;
  leaves.reserve(region.operands.size() + region.symbols.size());
  for (const size_t operand : region.operands) leaves.push_back(operands[operand]);
  for (const Expr symbol : region.symbols) leaves.push_back(host_value(symbol, bindings));
  return region.executable->run_under_key(leaves, key);
}

artifact::ProgramStep RegionSet::step_of(const lowering::RegionBody& body,
                                         std::vector<artifact::Operand> operands) const {
  const size_t part = by_graph_.at(body.graph.id);
  artifact::ProgramStep step;
  step.part = static_cast<int32_t>(part);
  for (const size_t operand : regions_[part].operands) step.inputs.push_back(operands[operand]);
  for (const Expr symbol : regions_[part].symbols) step.inputs.emplace_back(symbol);
  return step;
}

}  // namespace litz::compiler
