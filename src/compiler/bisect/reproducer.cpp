#include "compiler/bisect/reproducer.h"

#include "passes/graph_passes.h"
#include "support/text.h"

namespace litz::compiler {
namespace {

// Directives of litz-check start a comment; this prefix keeps text from being read as one.
constexpr std::string_view kQuoted = "//   | ";

}  // namespace

std::string pipeline_until(std::string_view pass) {
  std::string names;
  for (const auto& pipeline : {passes::import_pipeline(), passes::inference_pipeline()}) {
    for (const passes::Pass& entry : pipeline) {
      names += (names.empty() ? "" : ",") + std::string(entry.name);
      if (entry.name == pass) return names;
    }
  }
  return names;
}

std::string reproducer_text(const PassReproducer& reproducer) {
  const std::string pass(reproducer.pass);
  const bool is_error = reproducer.failure == ReproducedFailure::error;
  std::string text = "// run: --pass=" + pass + " --once --stated-types --program";
  if (reproducer.edit_limit != UINT64_MAX) {
    text += " --edit-limit=" + std::to_string(reproducer.edit_limit);
  }
  text += is_error ? " --reproducer\n//\n" : " --same-results\n//\n";
  text += "// Pass " + pass + (is_error ? " fails here:\n" : " changes results here:\n");
  for (const std::string_view line : split(reproducer.message, '\n')) {
    text += std::string(trim(std::string(kQuoted) + std::string(line))) + "\n";
  }
  text += "// The pipeline up to it: " + pipeline_until(pass) + "\n";
  text += "// `litz-check FILE` repeats it, with weights made up.\n\n";
  return text + std::string(reproducer.module_before);
}

}  // namespace litz::compiler
