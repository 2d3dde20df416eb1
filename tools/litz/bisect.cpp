// litz bisect: finds the pass, rewrite, fusion or kernel that makes a program wrong.

#include "compiler/bisect/bisect.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "common/inputs.h"
#include "compiler/program_signature.h"
#include "litz/commands.h"
#include "litz/pass_options.h"
#include "litz/program_options.h"
#include "support/check.h"

namespace litz::tools {
namespace {

struct BisectSettings : ProgramSettings {
  std::string compare;
  std::string target = "host";
  std::string reproducer;
  double rtol = 1e-4;
  double atol = 1e-5;
  bool json = false;
};

std::vector<DType> result_dtypes(const ir::Program& program) {
  std::vector<DType> dtypes;
  const auto& outputs = program.graph().outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!ir::is_user_output(program.outputs[i].kind) || !outputs[i].is_value()) continue;
    const ir::Value value = outputs[i].value();
    if (value.is_tensor()) dtypes.push_back(value.tensor().dtype);
  }
  return dtypes;
}

int bisect(const BisectSettings& settings) {
  const auto import = [&settings] { return import_program(settings, {}); };
  const ir::Program program = import();
  require(!program.weights_missing, ErrorCode::not_found,
          "the archive has no weights, so the program can be inspected but not run");
  std::vector<compiler::Leaf> inputs = make_inputs(compiler::signature_of(program), settings);
  compiler::Options options;
  options.device = device_option(settings.device);
  options.seed = static_cast<uint64_t>(settings.seed);
  options.threads = settings.threads;
  options.target = settings.target;
  ThreadPool pool(settings.threads);
  compiler::BisectSubject subject =
      compiler::usual_subject(import, std::move(inputs), options, &pool);
  subject.rtol = settings.rtol;
  subject.atol = settings.atol;
  if (!settings.compare.empty()) {
    subject.expected = read_expected(settings.compare, result_dtypes(program));
  }
  subject.on_progress = [](std::string_view line) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
  };
  const compiler::BisectResult result = compiler::bisect(subject);
  if (!settings.reproducer.empty() && !result.reproducer.empty()) {
    write_text(settings.reproducer, result.reproducer);
  }
  std::printf("%s", settings.json ? (to_json(result) + "\n").c_str() : to_text(result).c_str());
  return result.culprit == compiler::Culprit::none ? kSuccess : kMismatch;
}

}  // namespace

void add_bisect(CLI::App& app, int& status) {
  auto settings = std::make_shared<BisectSettings>();
  CLI::App* command = app.add_subcommand(
      "bisect", "Find the pass, rewrite, fusion or kernel that makes a program wrong");
  add_program_options(*command, *settings, "as for `litz run`; made up where left out");
  command->get_option("model")->description("exported program (.pt2)");
  command->add_option("--compare", settings->compare,
                      "arrays that results should be; else what the interpreter makes of the "
                      "program without optimising passes");
  add_tolerance_options(*command, settings->rtol, settings->atol);
  command->add_option("--reproducer", settings->reproducer,
                      "write what repeats the mistake: a file for litz-check, or a kernel's text");
  add_target_option(*command, settings->target);
  command->add_flag("--json", settings->json, "print one JSON object");
  command->callback([settings, &status] { status = bisect(*settings); });
}

}  // namespace litz::tools
