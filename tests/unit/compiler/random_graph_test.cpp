// Random programs, compiled with all passes, against the same programs interpreted as they stand. A
// failure prints a program cut down to what fails.

#include "random_graph.h"

#include <string>

#include <gtest/gtest.h>

#include "graph_tools/minimize.h"
#include "ir/parser.h"
#include "ops/op_table.h"
#include "passes/pass_driver.h"
#include "passes/repeats.h"
#include "support/check.h"
#include "text_program.h"

namespace litz::compiler {
namespace {

constexpr int kGraphs = 40;
constexpr int kRepeats = 15;
// One in so many runs in test modes, too.
constexpr int kTested = 3;

// An exception is a difference, too: the interpreter runs every random program.
std::string difference_or_error(std::string_view text, int seed) {
  try {
    const std::string wrong = compiled_difference(text);
    if (!wrong.empty() || seed % kTested != 0) return wrong;
    return tested_difference(text, static_cast<uint64_t>(seed));
  } catch (const std::exception& error) {
    return error.what();
  }
}

void compile_and_compare(std::string (*make)(uint32_t), int count) {
  const int first = count_from_environment("LITZ_RANDOM_FIRST", 0);
  for (int seed = first; seed < first + count; ++seed) {
    const std::string text = make(static_cast<uint32_t>(seed));
    const std::string wrong = difference_or_error(text, seed);
    if (wrong.empty()) continue;
    if (difference_or_error(text, seed).empty()) {
      ADD_FAILURE() << "seed " << seed << ", once, and not again: " << wrong << "\n" << text;
      continue;
    }
    const std::string small = ir::minimize(
        text, ops::standard_ops(),
        [&](std::string_view candidate) { return !difference_or_error(candidate, seed).empty(); },
        {.max_attempts = 300});
    ADD_FAILURE() << "seed " << seed << ": " << wrong << "\n"
                  << small << difference_or_error(small, seed);
  }
}

TEST(RandomGraphs, CompiledAsInterpreted) {
  compile_and_compare(random_graph, count_from_environment("LITZ_RANDOM_GRAPHS", kGraphs));
}

TEST(RandomGraphs, RepeatedOnesAsInterpreted) {
  compile_and_compare(random_repeats, count_from_environment("LITZ_RANDOM_REPEATS", kRepeats));
}

TEST(RandomGraphs, RepeatedOnesHaveRepeats) {
  int found = 0;
  for (uint32_t seed = 0; seed < kRepeats; ++seed) {
    const auto module = ir::read_module(random_repeats(seed), ops::standard_ops());
    passes::PassContext context;
    passes::run_pipeline(passes::import_pipeline(), *module, context);
    found += passes::find_repeats(*module->find_graph("main")).empty() ? 0 : 1;
  }
  EXPECT_GE(found, kRepeats / 4);
}

// Found by seed 37664.
TEST(RandomGraphs, WhatReadsBackwardsIsNoEpilogue) {
  EXPECT_EQ(difference_or_error(R"(
graph @main(%p_w: f32[3, 1], %x: f32[1, 8, 3, 1], %y: f32[1, 8, 3, 1], %m: bool[1, 8, 3, 3]) -> (
    f32[1, 8, 3, 3]) {
  %a = aten.linear(%x, %p_w)
  %b = aten.flip(%y, [1])
  %c = aten.where.self(%m, %a, %b)
  return %c
})",
                                37664),
            "");
}

TEST(RandomGraphs, DependOnTheSeedAlone) {
  EXPECT_EQ(random_graph(5), random_graph(5));
  EXPECT_NE(random_graph(5), random_graph(6));
}

}  // namespace
}  // namespace litz::compiler
