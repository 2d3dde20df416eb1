// What PyTorch gave for sample calls (tests/data/operator_values, tools/record_operator_values.py).

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "op_runner.h"
#include "ops/samples.h"
#include "support/check.h"
#include "types/compare.h"

namespace litz::ops {
namespace {

struct RecordedCall {
  std::string op;
  std::string arguments;
  std::vector<std::string> results;  ///< "f32[2, 3] 0 1 2 3 4 5"
};

std::vector<RecordedCall> read_calls(const std::filesystem::path& path) {
  std::vector<RecordedCall> calls;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '=') {
      calls.back().results.push_back(line.substr(2));
    } else {
      const size_t space = line.find(' ');
      calls.push_back({line.substr(0, space), line.substr(space + 1), {}});
    }
  }
  return calls;
}

Tensor read_tensor(const std::string& text) {
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  const std::optional<DType> dtype = parse_dtype(text.substr(0, open));
  check(dtype.has_value(), "a recorded result begins with a dtype:", text);
  std::vector<int64_t> sizes;
  std::istringstream dims(text.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(dims, word, ',');) sizes.push_back(std::stoll(word));
  std::vector<double> values;
  std::istringstream numbers(text.substr(close + 1));
  for (std::string word; numbers >> word;) values.push_back(std::stod(word));
  if (!is_complex(*dtype)) return Tensor::of(*dtype, sizes, std::span<const double>(values));
  std::vector<std::complex<double>> pairs;
  for (size_t i = 0; i + 1 < values.size(); i += 2) pairs.emplace_back(values[i], values[i + 1]);
  return Tensor::of(*dtype, sizes, std::span<const std::complex<double>>(pairs));
}

struct Tolerance {
  double relative;
  double absolute;
};

// As PyTorch compares tensors of these dtypes.
Tolerance tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return {1e-3, 1e-5};
    case DType::bf16:
      return {1.6e-2, 1e-5};
    case DType::f64:
    case DType::c128:
      return {1e-7, 1e-7};
    default:
      return {1.3e-6, 1e-5};
  }
}

void expect_recorded(const RecordedCall& recorded) {
  const ir::OpInfo* op = test_ops()->find(recorded.op);
  ASSERT_NE(op, nullptr);
  GraphRunner runner;
  const std::vector<Tensor> results = runner.run_sample(*op, recorded.arguments);
  ASSERT_EQ(results.size(), recorded.results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor expected = read_tensor(recorded.results[i]);
    const auto [relative, absolute] = tolerance_of(expected.dtype());
    const Comparison comparison = compare(results[i], expected, relative, absolute);
    EXPECT_TRUE(comparison.matches()) << "result " << i << ": " << comparison.message();
  }
}

TEST(RecordedValues, AreThoseOfPyTorch) {
  for (const auto& entry : std::filesystem::directory_iterator("tests/data/operator_values")) {
    for (const RecordedCall& recorded : read_calls(entry.path())) {
      SCOPED_TRACE(recorded.op + " " + recorded.arguments);
      try {
        expect_recorded(recorded);
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace litz::ops
