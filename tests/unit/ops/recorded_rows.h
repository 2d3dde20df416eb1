// Calls with the values that PyTorch gave for them, as rows of a table.

#pragma once

#include <string>
#include <vector>

#include "op_runner.h"

namespace litz::ops {

struct RecordedRow {
  std::string op;
  std::vector<TestArgument> arguments;        ///< In schema order.
  std::vector<std::vector<double>> expected;  ///< Per result, row-major; complex as pairs.
};

/// Runs each call and compares every result, NaN with NaN, others within f32's rounding.
void expect_recorded(const std::vector<RecordedRow>& rows);

/// A bool tensor of zeros and ones, and a list of floating numbers.
Tensor truth(std::vector<int64_t> sizes, std::initializer_list<int64_t> values);
TestArgument numbers(std::vector<double> values);

}  // namespace litz::ops
