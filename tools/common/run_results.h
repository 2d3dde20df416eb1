// Shows, saves and compares the results of `litz run` and `litz-run`.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "artifact/signature.h"
#include "runtime/program/value.h"

namespace litz::tools {

struct ResultSettings {
  std::string output;
  std::string compare;
  double rtol = 1e-4;
  double atol = 1e-5;
  int64_t repeat = 1;
  bool json = false;
  bool is_quiet = false;  ///< Prints nothing.
};

void add_result_options(CLI::App& command, ResultSettings& settings);
/// --rtol and --atol, which do nothing without `compare`, if that is given.
void add_tolerance_options(CLI::App& command, double& rtol, double& atol,
                           CLI::Option* compare = nullptr);
/// A check for options: a number within the bounds, which NaN and text are not.
CLI::Validator number_within(double least, double most, const std::string& description);

struct RunTimes {
  double load_s = 0;
  double first_s = 0;
  double last_s = 0;
};

/// Calls as often as the settings say; gives the last call's results and adds the times.
std::vector<runtime::Value> timed_calls(const ResultSettings& settings,
                                        const std::function<std::vector<runtime::Value>()>& call,
                                        RunTimes& times);

/// Prints, saves and compares; gives the exit status. `exported_on` names devices.
int finish_run(const ResultSettings& settings, const artifact::Signature& signature,
               const std::string& exported_on, const std::vector<runtime::Value>& outputs,
               const RunTimes& times);

}  // namespace litz::tools
