#include "litz/pass_options.h"

#include <cstdio>

#include "ir/printer.h"
#include "support/check.h"

namespace litz::tools {

void add_pass_options(CLI::App& command, PassSettings& settings) {
  command.add_option("--dump-after", settings.dump_after,
                     "write the program to stderr after this pass ('all': after each)");
  command.add_flag("--time-passes", settings.time_passes,
                   "write to stderr what each pass did and how long it took");
  command
      .add_option("--edit-limit", settings.edit_limit,
                  "at most so many rewrites by optimising passes; halve it to find a wrong one")
      ->check(CLI::Range(int64_t{0}, INT64_MAX).description("INTEGER >= 0"));
}

passes::DriverOptions driver_options(const PassSettings& settings) {
  const bool dumps_all = settings.dump_after == "all";
  require(
      dumps_all || settings.dump_after.empty() || passes::find_pass(settings.dump_after) != nullptr,
      "--dump-after must name a pass, got", settings.dump_after);
  passes::DriverOptions options;
  if (settings.edit_limit >= 0) options.edit_limit = static_cast<uint64_t>(settings.edit_limit);
  options.after_pass = [settings, dumps_all](const passes::PassStatistics& pass,
                                             const ir::Module& module) {
    if (settings.time_passes) std::fprintf(stderr, "%s\n", to_string(pass).c_str());
    if (!dumps_all && pass.name != settings.dump_after) return;
    const bool changed = pass.changed == passes::Changed::yes;
    std::fprintf(stderr, "// after %s%s\n", std::string(pass.name).c_str(),
                 changed ? "" : ": unchanged");
    if (changed) std::fprintf(stderr, "%s", ir::to_string(module).c_str());
  };
  return options;
}

}  // namespace litz::tools
