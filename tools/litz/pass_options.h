// Options of commands that run passes: which output to show, and where to stop.

#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "passes/pass_driver.h"

namespace litz::tools {

struct PassSettings {
  std::string dump_after;
  bool time_passes = false;
  int64_t edit_limit = -1;  ///< Negative: no limit.
  std::string reproducer;   ///< File for the program before a pass that fails.
  bool verify_each = false;
  bool verify = false;  ///< Also checks fused kernels.
  std::string observe;  ///< Folder for the changes of every pass.
};

void add_pass_options(CLI::App& command, PassSettings& settings);

/// Writes a text file; throws Error{io} when that fails.
void write_text(const std::string& path, const std::string& text);

/// Dumps and times go to stderr. Throws Error for the name of a pass that does not exist.
passes::DriverOptions driver_options(const PassSettings& settings);

/// True if an option concerns passes, which do not run on compiled programs.
/// Throws Error for options about optimising passes beside --no-passes, which leaves them out.
void require_effect(bool no_passes, const PassSettings& settings);

bool asks_for_passes(const PassSettings& settings);

}  // namespace litz::tools
