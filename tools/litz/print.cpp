// litz print: the program as IR text after any stage.

#include <cstdio>
#include <memory>

#include "import/import.h"
#include "ir/printer.h"
#include "litz/commands.h"
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
};

std::string stage_names() {
  std::string names = "imported";
  for (const passes::Pass& pass : passes::import_pipeline()) names += ", " + std::string(pass.name);
  return names + ", kernels";
}

void print_kernels(ir::Program& program) {
  for (const lowering::Plan& plan : lowering::lower(program).plans) {
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
  if (settings.stage != "imported") {
    passes::PassContext context{.program = &program};
    const bool kernels = settings.stage == "kernels";
    passes::run_pipeline(passes::import_pipeline(), *program.module, context,
                         {.stop_after = kernels ? std::string() : settings.stage});
    if (kernels) {
      print_kernels(program);
      return kSuccess;
    }
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
  command->callback([settings, &status] { status = print(*settings); });
}

}  // namespace litz::tools
