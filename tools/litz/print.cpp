// litz print: the program as text after any stage, from the imported graph to machine code.

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "artifact/program_json.h"
#include "common/keys.h"
#include "compiler/backend.h"
#include "compiler/execution/run_graph.h"
#include "compiler/graph_file.h"
#include "compiler/placement.h"
#include "fusion/tile_kernel.h"
#include "graph_tools/fx_printer.h"
#include "ir/child_graphs.h"
#include "ir/printer.h"
#include "litz/commands.h"
#include "litz/graph_drawing.h"
#include "litz/partition_options.h"
#include "litz/pass_options.h"
#include "litz/program_options.h"
#include "loops/clone.h"
#include "lowering/lower.h"
#include "machine/cpu_targets.h"
#include "passes/pass_driver.h"
#include "runtime/program/program_loader.h"
#include "schedule/schedule.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::tools {
namespace {

struct PrintSettings {
  std::string model;
  std::string model_name;
  std::string kernel;
  std::string target = "host";
  std::string stage = "imported";
  std::string drawing;
  std::string form = "ir";
  bool weights = false;
  bool strip_locations = false;
  bool names_sets = false;   ///< Some option of `sets` was given.
  bool names_calls = false;  ///< One that is about fused sets.
  std::vector<std::string> trusted;
  PassSettings passes;
  PartitionSettings sets;
};

// Stages of the imported program, besides the pipelines.
constexpr std::string_view kSetsStage = "partition";
constexpr std::string_view kFusedSetsStage = "fused-partition";

bool is_about_sets(const std::string& stage) {
  return stage == kSetsStage || stage == kFusedSetsStage;
}

constexpr std::array kPipelines{passes::import_pipeline, passes::inference_pipeline};

std::string stage_names() {
  std::string names = "imported, " + std::string(kSetsStage) + ", " + std::string(kFusedSetsStage);
  for (const auto& pipeline : kPipelines) {
    for (const passes::Pass& pass : pipeline()) names += ", " + std::string(pass.name);
  }
  return names + ", kernels, fused, scheduled, llvm, asm, cuda";
}

// The stages after all passes.
enum class LowStage : uint8_t { none, kernels, fused, scheduled, generated, assembly };

LowStage low_stage(const std::string& name) {
  if (name == "kernels") return LowStage::kernels;
  if (name == "fused") return LowStage::fused;
  if (name == "scheduled") return LowStage::scheduled;
  if (name == "llvm" || name == "cuda") return LowStage::generated;
  if (name == "asm") return LowStage::assembly;
  return LowStage::none;
}

/// CUDA text is for some architecture; any has the same.
std::string target_of(const PrintSettings& settings) {
  return settings.stage == "cuda" && settings.target == machine::kHostTarget ? "sm_90"
                                                                             : settings.target;
}

// Runs the pipelines up to the stage; kernels are generated after all of them.
void run_until(ir::Program& program, const PrintSettings& settings, passes::DriverOptions options) {
  require(
      low_stage(settings.stage) != LowStage::none || passes::find_pass(settings.stage) != nullptr,
      "a stage must be one of", stage_names(), "not", settings.stage);
  // Graphs are printed on any processor.
  const bool is_printed = low_stage(settings.stage) == LowStage::none;
  passes::PassContext context{
      .program = &program,
      .evaluate = compiler::run_graph,
      .machine = is_printed ? compiler::interpreted_machine()
                            : compiler::backend_for(target_of(settings))->machine()};
  for (const auto& pipeline : kPipelines) {
    const std::span<const passes::Pass> all = pipeline();
    const bool is_last = std::ranges::find(all, settings.stage, &passes::Pass::name) != all.end();
    options.stop_after = is_last ? settings.stage : std::string();
    passes::run_pipeline(all, *program.module, context, options);
    if (is_last) return;
  }
}

/// The kernel of a step; null if it has none.
const loops::Kernel* kernel_of(const lowering::Step& step) {
  if (const auto* kernel = std::get_if<lowering::KernelStep>(&step.work)) return &kernel->kernel;
  const auto* library = std::get_if<lowering::LibraryStep>(&step.work);
  return library != nullptr && library->epilogue ? &library->epilogue->kernel : nullptr;
}

std::string kernel_text(const loops::Kernel& kernel, LowStage stage,
                        const compiler::Backend& backend) {
  if (stage == LowStage::kernels || stage == LowStage::fused) return loops::to_string(kernel);
  const bool is_code = stage == LowStage::generated || stage == LowStage::assembly;
  if (const auto reason = backend.reason_not_compiled(kernel); reason && is_code) {
    return "// @" + kernel.name + " is interpreted: " + *reason + "\n";
  }
  const schedule::Schedule scheduled = backend.schedule(loops::clone(kernel));
  if (stage == LowStage::scheduled) return loops::to_string(scheduled.kernel);
  return backend.make_compiler()->text(scheduled, stage == LowStage::generated
                                                      ? compiler::CodeText::generated
                                                      : compiler::CodeText::assembly);
}

/// Epilogues are compiled for tiles.
std::string step_text(const lowering::Step& step, LowStage stage,
                      const compiler::Backend& backend) {
  const loops::Kernel& kernel = *kernel_of(step);
  const bool is_text = stage == LowStage::kernels || stage == LowStage::fused;
  if (is_text || std::holds_alternative<lowering::KernelStep>(step.work)) {
    return kernel_text(kernel, stage, backend);
  }
  return kernel_text(fusion::make_tile_kernel(kernel).kernel, stage, backend);
}

void require_kernel(const lowering::LoweredProgram& program, const std::string& name) {
  std::vector<std::string_view> names;
  for (const lowering::Plan& plan : program.plans) {
    for (const lowering::Step& step : plan.steps) {
      const loops::Kernel* kernel = kernel_of(step);
      if (kernel != nullptr && std::ranges::count(names, kernel->name) == 0) {
        names.emplace_back(kernel->name);
      }
    }
  }
  require(std::ranges::count(names, name) > 0, "--kernel must name a kernel of this stage, not",
          name, "- they are", join(names, ", "));
}

// With --kernel, prints only the kernel's text, so that other programs can read it.
void print_kernels(ir::Program& program, const PrintSettings& settings, LowStage stage) {
  const std::shared_ptr<const compiler::Backend> backend =
      compiler::backend_for(target_of(settings));
  lowering::LoweredProgram lowered = lowering::lower(program);
  const bool prints_all = settings.kernel.empty();
  if (stage != LowStage::kernels) {
    fusion::FusionReport report;
    fusion::fuse(lowered, compiler::fusion_options(backend.get(), settings.passes.verify), report);
    if (stage == LowStage::fused && prints_all) {
      std::printf("/*\n%s*/\n", fusion::to_string(report).c_str());
    }
  }
  if (!prints_all) require_kernel(lowered, settings.kernel);
  const char* comment = settings.stage == "llvm" ? ";" : settings.stage == "asm" ? "#" : "//";
  for (const lowering::Plan& plan : lowered.plans) {
    for (const lowering::Step& step : plan.steps) {
      const loops::Kernel* kernel = kernel_of(step);
      if (prints_all) std::printf("%s %s\n", comment, step.label.c_str());
      if (kernel == nullptr || (!prints_all && kernel->name != settings.kernel)) continue;
      std::printf("%s\n", step_text(step, stage, *backend).c_str());
      if (!prints_all) return;  // Others of the name are the same operator.
    }
  }
}

// Shows the sets that `litz partition` proposes: nodes have the number of their set, or sets are
// calls.
ir::DrawOptions show_sets(ir::Program& program, const PrintSettings& settings) {
  const passes::FuseOptions how = fuse_options(settings.sets);
  const std::vector<passes::GraphProposal> proposals = propose(program, settings.sets);
  for (const std::string& hint : hints(proposals, settings.sets)) {
    std::fprintf(stderr, "hint: %s\n", hint.c_str());
  }
  ir::DrawOptions drawing;
  if (settings.stage == kFusedSetsStage) {
    passes::fuse_in_program(proposals, how);
    return drawing;
  }
  for (const auto& [graph, proposal] : proposals) {
    for (size_t i = 0; i < proposal.partitions.size(); ++i) {
      const std::string number = std::to_string(i);
      const std::vector<ir::Node*>& nodes = proposal.partitions[i].nodes;
      drawing.groups.push_back({"partition " + number, {nodes.begin(), nodes.end()}});
      for (ir::Node* node : nodes) {
        ir::Annotations annotations = node->annotations();
        annotations["partition"] = number;
        graph->set_annotations(node, std::move(annotations));
      }
    }
  }
  return drawing;
}

void print_form(const ir::Graph& graph, const std::string& form) {
  const std::string text = form == "fx"        ? ir::fx_text(graph)
                           : form == "program" ? ir::program_text(graph)
                                               : ir::table_text(graph);
  std::printf("%s\n", text.c_str());
}

/// Prints the launches, memory and routines of a compiled program, which no longer has graphs.
int print_compiled(const PrintSettings& settings) {
  const bool is_plain = settings.stage == "imported" && settings.drawing.empty() &&
                        (settings.form == "ir" || settings.form == "json") &&
                        settings.kernel.empty() && !settings.names_sets &&
                        !asks_for_passes(settings.passes);
  require(is_plain, "a compiled program has no graph, so no stage, picture or other form of one:",
          settings.model);
  const bool is_json = settings.form == "json";
  require(is_json || !settings.weights, "--weights needs --form json");
  const artifact::Program program =
      runtime::load_program(settings.model, read_trusted(settings.trusted));
  const std::string text = is_json ? artifact::program_json(program, *program.symbols,
                                                            runtime::build_name(), settings.weights)
                                   : artifact::to_string(program);
  std::printf("%s", text.c_str());
  return kSuccess;
}

int print(const PrintSettings& settings) {
  if (is_compiled(settings.model)) return print_compiled(settings);
  if (!settings.trusted.empty()) refuse_unsigned(settings.model);
  // First, since a wrong pass name is the more obvious error.
  const passes::DriverOptions driving = driver_options(settings.passes);
  ir::Program program = compiler::open_program(settings.model, {.model = settings.model_name});
  const LowStage stage = low_stage(settings.stage);
  require(
      settings.form != "json" && !settings.weights,
      "--form json and --weights are for compiled programs, which this is not:", settings.model);
  require(stage != LowStage::none || settings.kernel.empty(),
          "--kernel needs a stage that has kernels, which this one has not:", settings.stage);
  require(stage == LowStage::none || settings.drawing.empty(),
          "--draw needs a stage that has a graph, which this one has not:", settings.stage);
  require(stage == LowStage::none || settings.form == "ir",
          "--form needs a stage that has a graph, which this one has not:", settings.stage);
  require(stage != LowStage::none || settings.target == machine::kHostTarget,
          "--target needs a stage that has kernels, which this one has not:", settings.stage);
  const bool shows_sets = is_about_sets(settings.stage);
  require(shows_sets || !settings.names_sets,
          "options of sets of nodes need --stage partition or fused-partition, not",
          settings.stage);
  require(settings.stage == kFusedSetsStage || !settings.names_calls,
          "--prefix and --boundary are about the calls of --stage fused-partition, not of",
          settings.stage);
  require(!settings.strip_locations ||
              (stage == LowStage::none && settings.drawing.empty() && settings.form == "ir"),
          "--strip-loc is about the text of graphs");
  const bool runs_passes = settings.stage != "imported" && !shows_sets;
  require(runs_passes || !asks_for_passes(settings.passes),
          "options of passes need a stage that passes lead to, such as --stage kernels, not",
          settings.stage);
  if (runs_passes) {
    compiler::place(program);
    run_until(program, settings, driving);
  }
  const ir::DrawOptions drawing = shows_sets ? show_sets(program, settings) : ir::DrawOptions();
  if (stage != LowStage::none) {
    print_kernels(program, settings, stage);
    return kSuccess;
  }
  if (!settings.drawing.empty()) {
    write_drawing(settings.drawing, program.graph(), drawing);
    return kSuccess;
  }
  if (settings.form != "ir") {
    std::vector<ir::Graph*> graphs = ir::post_order(program.graph());
    std::ranges::reverse(graphs);
    for (const ir::Graph* graph : graphs) print_form(*graph, settings.form);
    return kSuccess;
  }
  const ir::PrintOptions options{.locations = !settings.strip_locations};
  std::printf("%s", ir::to_string(*program.module, options).c_str());
  return kSuccess;
}

}  // namespace

void add_print(CLI::App& app, int& status) {
  auto settings = std::make_shared<PrintSettings>();
  CLI::App* command = app.add_subcommand("print", "Print the program as text, at any stage");
  command
      ->add_option("model", settings->model,
                   "exported program (.pt2), compiled one, or what litz partition -o wrote")
      ->required();
  add_operators_option(*command);
  command->add_option("--model-name", settings->model_name,
                      "which model of an archive with several");
  command->add_option("--stage", settings->stage, "after which stage: " + stage_names())
      ->capture_default_str();
  command->add_option("--kernel", settings->kernel, "only the kernel of this name");
  command->add_option("--draw", settings->drawing,
                      "write a picture instead: FILE.svg, FILE.html or FILE.dot");
  command
      ->add_option("--form", settings->form,
                   "of graphs: ir, or as torch.fx has it; of compiled programs also json, which "
                   "`litz compile` takes")
      ->check(CLI::IsMember({"ir", "fx", "program", "table", "json"}))
      ->capture_default_str();
  command->add_flag("--weights", settings->weights, "with --form json: the weights, too");
  add_target_option(*command, settings->target);
  add_trust_option(*command, settings->trusted);
  command->add_flag("--strip-loc", settings->strip_locations, "leave out Python source lines");
  add_pass_options(*command, settings->passes);
  add_partition_options(*command, settings->sets);
  command->callback([settings, command, &status] {
    settings->names_sets = asks_for_partitions(*command);
    for (const char* option : {"--prefix", "--boundary"}) {
      settings->names_calls |= command->get_option(option)->count() > 0;
    }
    status = print(*settings);
  });
}

}  // namespace litz::tools
