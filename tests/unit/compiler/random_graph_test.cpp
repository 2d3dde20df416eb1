// Random programs, compiled with all passes, against the same programs interpreted as they stand. A
// failure prints a program cut down to what fails.

#include "random_graph.h"

#include <string>

#include <gtest/gtest.h>

#include "ir/minimize.h"
#include "ops/op_table.h"
#include "support/check.h"
#include "text_program.h"

namespace litz::compiler {
namespace {

constexpr int kGraphs = 40;

// An exception is a difference, too: the interpreter runs every random program.
std::string difference_or_error(std::string_view text) {
  try {
    return compiled_difference(text);
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(RandomGraphs, CompiledAsInterpreted) {
  const int first = count_from_environment("LITZ_RANDOM_FIRST", 0);
  const int count = count_from_environment("LITZ_RANDOM_GRAPHS", kGraphs);
  for (int seed = first; seed < first + count; ++seed) {
    const std::string text = random_graph(static_cast<uint32_t>(seed));
    const std::string wrong = difference_or_error(text);
    if (wrong.empty()) continue;
    const std::string small = ir::minimize(
        text, ops::standard_ops(),
        [](std::string_view candidate) { return !difference_or_error(candidate).empty(); },
        {.max_attempts = 300});
    ADD_FAILURE() << "seed " << seed << ": " << wrong << "\n"
                  << small << difference_or_error(small);
  }
}

TEST(RandomGraphs, DependOnTheSeedAlone) {
  EXPECT_EQ(random_graph(5), random_graph(5));
  EXPECT_NE(random_graph(5), random_graph(6));
}

}  // namespace
}  // namespace litz::compiler
