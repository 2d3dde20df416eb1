// Runs one recorded program and judges every output of every call.

#pragma once

#include <string>
#include <vector>

#include "compiler/executable.h"
#include "litz_corpus/recorded_case.h"

namespace litz::corpus {

enum class Outcome : uint8_t { right, wrong, refused, crashed };

std::string_view name(Outcome outcome);

struct Verdict {
  Outcome outcome = Outcome::right;
  double error = 0;     ///< Worst over all outputs, relative to each output's largest magnitude.
  bool random = false;  ///< Only dtypes and sizes of some results could be compared.
  std::string reason;
  double seconds = 0;
  // Inferred against recorded types, over all nodes.
  int64_t types = 0;
  std::vector<std::string> type_differences;
};

struct RunOptions {
  compiler::Options compile;
  bool reparse = false;  ///< Calls of operators: the graph is printed and read back first.
};

/// Never throws; a refusal is an Error from import, lowering or execution. Where PyTorch raises, a
/// refusal is right, and a result wrong.
Verdict run_program(const RecordedProgram& program, const RunOptions& options);

}  // namespace litz::corpus
