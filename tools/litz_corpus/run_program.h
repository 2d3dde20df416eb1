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
  bool random = false;  ///< Only dtypes and sizes could be compared.
  std::string reason;
  double seconds = 0;
  // Inferred against recorded types, over all nodes.
  int64_t types = 0;
  std::vector<std::string> type_differences;
};

/// Never throws; a refusal is an Error from import, lowering or execution.
Verdict run_program(const RecordedProgram& program, const compiler::Options& options);

}  // namespace litz::corpus
