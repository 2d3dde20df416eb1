#include "litz/pass_options.h"

#include <cstdio>
#include <filesystem>
#include <memory>

#include "compiler/bisect/reproducer.h"
#include "ir/printer.h"
#include "passes/pass_observer.h"
#include "support/check.h"
#include "support/whole_file.h"

namespace litz::tools {
namespace {

/// Writes the reproducer of the failure, or says how to have it written.
void keep_failure(const std::string& path, const passes::PassFailure& failure) {
  if (path.empty()) {
    failure.error.add_note("--reproducer FILE writes the program before this pass, for litz-check");
    return;
  }
  try {
    write_text(path, compiler::reproducer_text({.pass = failure.pass.name,
                                                .module_before = failure.before,
                                                .message = failure.error.what(),
                                                .edit_limit = failure.rewrites_left}));
    failure.error.add_note("the program before this pass is in " + path + ", for litz-check");
  } catch (const Error& error) {
    failure.error.add_note(error.what());
  }
}

void observe(const std::string& folder, passes::DriverOptions& options) {
  std::error_code error;
  // Parents are not created: a misspelt path would leave folders behind.
  std::filesystem::create_directory(folder, error);
  require(!error, ErrorCode::io, "a folder must be writable:", folder + ":", error.message());
  const auto observer = std::make_shared<passes::PassObserver>(
      [folder](const std::string& file, const std::string& text) {
        write_text(folder + "/" + file, text);
      });
  observer->attach(options);
  // Only the hooks in the options use it, so the options own it.
  options.before_pass = [observer, next = std::move(options.before_pass)](
                            const passes::Pass& pass, ir::Module& module) { next(pass, module); };
}

}  // namespace

void write_text(const std::string& path, const std::string& text) {
  write_whole_file(path, std::as_bytes(std::span(text)));
}

void add_pass_options(CLI::App& command, PassSettings& settings) {
  command.add_option("--dump-after", settings.dump_after,
                     "write the program to stderr after this pass ('all': after each)");
  command.add_flag("--time-passes", settings.time_passes,
                   "write to stderr what each pass did and how long it took");
  command.add_flag("--verify-passes", settings.verify_each, "check the program after every pass");
  command.add_flag(
      "--verify", settings.verify,
      "check everything: the checksums of all weights, the program after every pass, and "
      "that no fused kernel reads what is not stored yet");
  command.add_option("--observe", settings.observe,
                     "write to this folder what every pass did, with pictures before and after");
  command.add_option("--reproducer", settings.reproducer,
                     "if a pass fails, write the program before it to this file, for litz-check");
  command
      .add_option("--edit-limit", settings.edit_limit,
                  "at most so many rewrites by optimising passes; halve it to find a wrong one")
      ->check(CLI::Range(int64_t{0}, INT64_MAX).description("INTEGER >= 0"));
}

bool asks_for_passes(const PassSettings& settings) {
  return !settings.dump_after.empty() || settings.time_passes || settings.verify_each ||
         !settings.observe.empty() || !settings.reproducer.empty() || settings.edit_limit >= 0;
}

void require_effect(bool no_passes, const PassSettings& settings) {
  require(!no_passes || settings.edit_limit < 0,
          "--edit-limit is about optimising passes, which --no-passes leaves out");
}

passes::DriverOptions driver_options(const PassSettings& settings) {
  const bool dumps_all = settings.dump_after == "all";
  require(
      dumps_all || settings.dump_after.empty() || passes::find_pass(settings.dump_after) != nullptr,
      "--dump-after must name a pass (--time-passes lists them), got", settings.dump_after);
  passes::DriverOptions options;
  if (settings.edit_limit >= 0) options.edit_limit = static_cast<uint64_t>(settings.edit_limit);
  options.verify_each = settings.verify_each || settings.verify;
  options.keep_text = !settings.reproducer.empty();
  options.on_failure = [path = settings.reproducer](const passes::PassFailure& failure) {
    keep_failure(path, failure);
  };
  options.after_pass = [settings, dumps_all](const passes::PassStatistics& pass,
                                             const ir::Module& module) {
    if (settings.time_passes) std::fprintf(stderr, "%s\n", to_string(pass).c_str());
    if (!dumps_all && pass.name != settings.dump_after) return;
    const bool changed = pass.changed == passes::Changed::yes;
    std::fprintf(stderr, "// after %s%s\n", std::string(pass.name).c_str(),
                 changed ? "" : ": unchanged");
    if (changed) std::fprintf(stderr, "%s", ir::to_string(module).c_str());
  };
  if (!settings.observe.empty()) observe(settings.observe, options);
  return options;
}

}  // namespace litz::tools
