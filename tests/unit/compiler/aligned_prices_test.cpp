#include "compiler/aligned_prices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributed/simulated_world.h"
#include "passes/overlap/schedule.h"
#include "support/check.h"
#include "text_program.h"

namespace litz::compiler {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr const char* kProgram = R"(
graph @main(%x: f32[4, 4], %y: f32[4, 4]) -> (f32[4, 4]) {
  %s = _c10d_functional.all_reduce(%x, "sum", "0")
  %w = _c10d_functional.wait_tensor(%s)
  %c = aten.clone(%y)
  %n = aten.mm(%w, %c)
  return %n
})";

/// What each of three ranks says.
template <typename Body>
std::vector<std::string> answers(const Body& body) {
  distributed::SimulatedWorld world({.ranks = 3});
  std::vector<std::string> answers(3);
  const auto errors = world.try_run(
      [&](const auto& rank) { answers[static_cast<size_t>(rank->rank())] = body(*rank); });
  for (size_t i = 0; i < errors.size(); ++i) {
    if (errors[i] == nullptr) continue;
    try {
      std::rethrow_exception(errors[i]);
    } catch (const Error& error) {
      answers[i] = error.what();
    }
  }
  return answers;
}

/// A rank for which this operator takes so long.
passes::PriceOptions slow(const char* op, double us) {
  passes::PriceOptions options;
  options.estimate = [=](const ir::Node& node) -> std::optional<double> {
    if (node.is(op)) return us;
    return std::nullopt;
  };
  return options;
}

// One rank claims that a clone takes long; all use the median.
TEST(AlignedPrices, CustomNonFlopNodeIsAligned) {
  const auto said = answers([](distributed::Communicator& rank) {
    const ir::Program program = text_program(kProgram);
    const passes::Estimator agreed =
        aligned_prices(program.graph(), slow("aten.clone", 10.0 * (1 + rank.rank())), rank);
    return std::to_string(*agreed(*program.graph().in_order("aten.clone")[0]));
  });
  EXPECT_THAT(said, Each(std::to_string(20.0)));
}

// The ranks measure differently and still choose the same order.
TEST(AlignedPrices, SyncDecisionCrossRanks) {
  const auto said = answers([](distributed::Communicator& rank) {
    ir::Program program = text_program(kProgram);
    passes::OverlapOptions options;
    options.prices = slow("aten.mm", rank.rank() == 1 ? 2 : 1);
    options.prices.estimate = aligned_prices(program.graph(), options.prices, rank);
    passes::schedule_collectives(program.graph(), options);
    std::string order;
    for (const ir::Node* node : program.graph().in_order()) order += node->op().name();
    return order;
  });
  EXPECT_THAT(said, Each(said[0]));
}

TEST(AlignedPrices, DifferentGraphsAreAnError) {
  const auto said = answers([](distributed::Communicator& rank) {
    std::string text = kProgram;
    if (rank.rank() == 2) text.replace(text.find("aten.clone"), 10, "aten.neg");
    const ir::Program program = text_program(text);
    aligned_prices(program.graph(), {}, rank);
    return std::string();
  });
  EXPECT_THAT(said[0], HasSubstr("runtime nodes differ across ranks"));
}

}  // namespace
}  // namespace litz::compiler
