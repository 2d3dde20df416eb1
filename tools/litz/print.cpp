// litz print: the program as IR text after any stage.

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "compiler/run_graph.h"
#include "fusion/fusion.h"
#include "import/import.h"
#include "ir/printer.h"
#include "litz/commands.h"
#include "litz/pass_options.h"
#include "lowering/lower.h"
#include "ops/op_table.h"
#include "passes/pass_driver.h"
#include "support/check.h"

namespace litz::tools {
namespace {

struct PrintSettings {
  std::string model;
  std::string stage = "imported";
  bool strip_locations = false;
  PassSettings passes;
};

constexpr std::array kPipelines{passes::import_pipeline, passes::inference_pipeline};

std::string stage_names() {
  std::string names = "imported";
  for (const auto& pipeline : kPipelines) {
    for (const passes::Pass& pass : pipeline()) names += ", " + std::string(pass.name);
  }
  return names + ", kernels, fused";
}

bool is_lowered(const std::string& stage) { return stage == "kernels" || stage == "fused"; }

// Runs the pipelines up to the stage; kernels are made after all of them.
void run_until(ir::Program& program, const PrintSettings& settings) {
  require(is_lowered(settings.stage) || passes::find_pass(settings.stage) != nullptr,
          "a stage must be one of", stage_names(), "not", settings.stage);
  passes::PassContext context{.program = &program, .evaluate = compiler::run_graph};
  passes::DriverOptions options = driver_options(settings.passes);
  for (const auto& pipeline : kPipelines) {
    const std::span<const passes::Pass> all = pipeline();
    const bool is_last = std::ranges::find(all, settings.stage, &passes::Pass::name) != all.end();
    options.stop_after = is_last ? settings.stage : std::string();
    passes::run_pipeline(all, *program.module, context, options);
    if (is_last) return;
  }
}

void print_kernels(ir::Program& program, bool is_fused) {
  lowering::LoweredProgram lowered = lowering::lower(program);
  if (is_fused) {
    fusion::FusionReport report;
    fusion::fuse(lowered, {}, report);
    std::printf("/*\n%s*/\n", fusion::to_string(report).c_str());
  }
  for (const lowering::Plan& plan : lowered.plans) {
    for (const lowering::Step& step : plan.steps) {
      std::printf("// %s\n", step.label.c_str());
      if (const auto* kernel = std::get_if<lowering::KernelStep>(&step.work)) {
        std::printf("%s\n", loops::to_string(kernel->kernel).c_str());
      }
    }
  }
}

int print(const PrintSettings& settings) {
  ir::Program program = import_::import_program(settings.model, ops::standard_ops());
  if (settings.stage != "imported") run_until(program, settings);
  if (is_lowered(settings.stage)) {
    print_kernels(program, settings.stage == "fused");
    return kSuccess;
  }
  const ir::PrintOptions options{.locations = !settings.strip_locations};
  std::printf("%s", ir::to_string(*program.module, options).c_str());
  return kSuccess;
}

}  // namespace

void add_print(CLI::App& app, int& status) {
  auto settings = std::make_shared<PrintSettings>();
  CLI::App* command = app.add_subcommand("print", "Print the program as IR text");
  command->add_option("model", settings->model, "exported program (.pt2)")->required();
  command->add_option("--stage", settings->stage, "after which stage: " + stage_names())
      ->capture_default_str();
  command->add_flag("--strip-loc", settings->strip_locations, "leave out Python source lines");
  add_pass_options(*command, settings->passes);
  command->callback([settings, &status] { status = print(*settings); });
}

}  // namespace litz::tools
