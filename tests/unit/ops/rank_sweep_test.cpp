// Every operator with one tensor of other dimensions than its samples have: it runs, or refuses with
// an error meant for people, but never fails a check, nor looks for what is not there.

#include <cctype>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "op_runner.h"
#include "ops/samples.h"
#include "support/check.h"

namespace litz::ops {
namespace {

/// The sizes of a tensor in the text of a sample, changed.
using ChangeSizes = std::string (*)(const std::string& sizes);

std::string none(const std::string&) { return ""; }

std::string one_more(const std::string& sizes) { return sizes.empty() ? "2" : "2, " + sizes; }

std::string one_less(const std::string& sizes) {
  const size_t comma = sizes.find(", ");
  return comma == std::string::npos ? "" : sizes.substr(comma + 2);
}

std::string last_of_one(const std::string& sizes) {
  const size_t comma = sizes.rfind(", ");
  return comma == std::string::npos ? "1" : sizes.substr(0, comma) + ", 1";
}

/// The sample with each of its tensors changed, one at a time; strides are left out.
std::vector<std::string> changed(const std::string& sample, ChangeSizes change) {
  std::vector<std::string> texts;
  for (size_t open = 1; (open = sample.find('[', open)) != std::string::npos; ++open) {
    const bool is_tensor = std::isalnum(static_cast<unsigned char>(sample[open - 1])) != 0;
    if (!is_tensor) continue;  // A list.
    const size_t close = sample.find(']', open);
    size_t end = close + 1;
    const size_t strides = sample.find_first_not_of(' ', end);
    if (strides != std::string::npos && sample[strides] == '{') end = sample.find('}', end) + 1;
    texts.push_back(sample.substr(0, open + 1) + change(sample.substr(open + 1, close - open - 1)) +
                    "]" + sample.substr(end));
  }
  return texts;
}

class RankSweep : public ::testing::TestWithParam<ChangeSizes> {};

TEST_P(RankSweep, RunsOrRefuses) {
  for (const ir::OpInfo* op : test_ops()->all()) {
    if (op->functional != nullptr) continue;
    for (const std::string& sample : sample_texts(*op)) {
      for (const std::string& text : changed(sample, GetParam())) {
        SCOPED_TRACE(std::string(op->name()) + text);
        try {
          GraphRunner().run_sample(*op, text);
        } catch (const Error& error) {
          EXPECT_NE(error.code(), ErrorCode::internal) << error.what();
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, RankSweep,
                         ::testing::Values(&none, &one_more, &one_less, &last_of_one));

}  // namespace
}  // namespace litz::ops
