// Measured times of collectives and operators, which replace formulas.
//
// A file has one JSON object a line:
//
//   {"what": "all_gather", "dtype": "bf16", "ranks": 8, "bytes": 1048576, "us": 31.5}
//   {"what": "aten.mm", "dtype": "bf16", "work": 2147483648, "us": 12.0}

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace litz::machine {

/// What a time depends on besides the amount.
struct MeasuredKind {
  std::string what;   ///< A collective's traffic or an operator.
  std::string dtype;  ///< Of the result: "bf16".
  int64_t ranks = 0;  ///< Of a collective's group; 0 for operators.

  auto operator<=>(const MeasuredKind&) const = default;
};

class MeasuredTimes {
 public:
  /// Throws Error for lines that are no samples; `origin` names the text.
  static MeasuredTimes parse(std::string_view lines, std::string_view origin);
  static MeasuredTimes open(const std::string& path);

  void add(const MeasuredKind& kind, double amount, double us);

  /// Of several samples of one amount, the median counts. Between two amounts the time is
  /// interpolated. Below the smallest one it is that one's, since latency does not shrink; above
  /// the largest one it grows with the amount. Nothing for a kind without samples.
  std::optional<double> us(const MeasuredKind& kind, double amount) const;

 private:
  std::map<MeasuredKind, std::map<double, std::vector<double>>> samples_;
};

}  // namespace litz::machine
