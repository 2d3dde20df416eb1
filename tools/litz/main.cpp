// litz: opens exported PyTorch programs, runs and inspects them.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>
#include <optional>

#include "litz/commands.h"
#include "support/check.h"
#include "support/log.h"
#include "support/text.h"

namespace {

using litz::Error;
namespace tools = litz::tools;

bool is_command(const CLI::App& app, const std::string& name) {
  const std::vector<const CLI::App*> commands = app.get_subcommands({});
  return std::ranges::any_of(commands, [&](const CLI::App* c) { return c->get_name() == name; });
}

std::string command_names(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  // A file that grows past a limit is an error of the write, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app{"Runs exported PyTorch programs (.pt2) without Python."};
  app.require_subcommand(0, 1);
  app.fallthrough();  // Options of all commands may follow the command.
  app.set_version_flag("--version", LITZ_VERSION);
  app.footer(
      "Exit status: 0 success, 1 a comparison differs, 2 options or inputs do not fit, 3 a file\n"
      "cannot be read or written, 4 the file or program is not supported, 5 the system refuses\n"
      "memory, 6 no trusted key signed the file, 70 a bug in litz. docs/errors.md says more.");
  app.add_option_function<std::string>(
         "--log",
         [](const std::string& name) {
           const std::optional<litz::LogLevel> level = litz::log_level_from(name);
           if (!level)
             throw CLI::ValidationError("--log", "must be debug, info, warning, error or off");
           litz::set_log_level(*level);
         },
         "what is told on standard error: debug, info, warning, error or off")
      ->type_name("LEVEL");
  int status = tools::kSuccess;
  tools::add_run(app, status);
  tools::add_bench(app, status);
  tools::add_bisect(app, status);
  tools::add_compile(app, status);
  tools::add_info(app, status);
  tools::add_explain(app, status);
  tools::add_partition(app, status);
  tools::add_buckets(app, status);
  tools::add_print(app, status);
  tools::add_ops(app, status);
  tools::add_doctor(app, status);
  tools::add_cache(app, status);
  tools::add_key(app, status);
  tools::add_sign(app, status);
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return "litz: " + CLI::FailureMessage::simple(failed, error);
  });
  if (argc > 1 && argv[1][0] != '-' && !is_command(app, argv[1])) {
    std::fprintf(stderr, "litz: %s is no command; commands are %s\n", litz::quote(argv[1]).c_str(),
                 command_names(app).c_str());
    return tools::kBadUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? tools::kSuccess : tools::kBadUsage;
  } catch (const Error& error) {
    std::fprintf(stderr, "litz: %s\n", error.what());
    return tools::status_of(error);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "litz: memory must be available\n");
    return tools::kNoMemory;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "litz: %s\n", error.what());
    return tools::kInternal;
  }
  if (app.get_subcommands().empty()) {
    std::printf("%s", app.help().c_str());
    status = tools::kBadUsage;
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "litz: what is printed must be writable (is the disk full?)\n");
    return tools::kBadFile;
  }
  return status;
}
