#include "recorded_rows.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::ops {
namespace {

std::vector<double> flat_values(const Tensor& tensor) {
  if (!is_complex(tensor.dtype())) return values(tensor);
  return values(run("aten.view_as_real", {tensor}));
}

void expect_near(const std::vector<double>& given, const std::vector<double>& expected) {
  ASSERT_EQ(given.size(), expected.size());
  for (size_t i = 0; i < given.size(); ++i) {
    if (std::isnan(expected[i]) || std::isinf(expected[i])) {
      EXPECT_EQ(std::isnan(given[i]), std::isnan(expected[i])) << "element " << i;
      if (std::isinf(expected[i])) EXPECT_EQ(given[i], expected[i]) << "element " << i;
    } else {
      EXPECT_NEAR(given[i], expected[i], 1e-6 + 2e-5 * std::abs(expected[i])) << "element " << i;
    }
  }
}

}  // namespace

void expect_recorded(const std::vector<RecordedRow>& rows) {
  for (size_t row = 0; row < rows.size(); ++row) {
    SCOPED_TRACE(rows[row].op + ", row " + std::to_string(row));
    try {
      const std::vector<Tensor> results = run_all(rows[row].op, rows[row].arguments);
      ASSERT_EQ(results.size(), rows[row].expected.size());
      for (size_t i = 0; i < results.size(); ++i) {
        expect_near(flat_values(results[i]), rows[row].expected[i]);
      }
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

Tensor truth(std::vector<int64_t> sizes, std::initializer_list<int64_t> values) {
  return i64(std::move(sizes), values).to(DType::bool_);
}

TestArgument numbers(std::vector<double> values) {
  ir::Scalars scalars;
  for (const double value : values) scalars.push_back(Expr::real(value));
  return ir::Attribute(std::move(scalars));
}

}  // namespace litz::ops
