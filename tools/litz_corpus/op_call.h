// Programs of one operator call each: lists the samples of the table for PyTorch to record, and
// rebuilds them to compare them with the recordings.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/program.h"
#include "litz_corpus/recorded_case.h"

namespace litz::corpus {

/// One line of JSON per sample of every operator, in-place forms included: `case`, `op`, `call`,
/// `inputs` (dtype, sizes at their hints, strides, and the half-open range of values) and `random`.
std::string list_calls();

/// The cases of list_calls, in order.
std::vector<std::string> sample_cases();

/// The program that makes the call on its inputs and returns all results. With `reparse` the graph
/// is printed and read back. Throws Error.
ir::Program call_program(const RecordedOpCall& call, const std::shared_ptr<const ir::OpSet>& ops,
                         bool reparse);

}  // namespace litz::corpus
