#include "compiler/collective_agreement.h"

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributed/simulated_world.h"
#include "support/check.h"
#include "text_program.h"

namespace litz::compiler {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What each of two ranks says about the programs of both.
std::vector<std::string> answers(const std::function<std::string(int)>& text) {
  distributed::SimulatedWorld world({.ranks = 2});
  std::vector<std::string> answers;
  for (const std::exception_ptr& error : world.try_run([&](const auto& rank) {
         const ir::Program program = text_program(text(rank->rank()));
         distributed::require_agreement(collective_starts(program.graph()), *rank);
       })) {
    answers.emplace_back();
    if (error == nullptr) continue;
    try {
      std::rethrow_exception(error);
    } catch (const Error& thrown) {
      answers.back() = thrown.what();
    }
  }
  return answers;
}

std::string sums(const std::vector<std::string>& reductions) {
  std::string text = "graph @main(%x: f32[4]) -> (f32[4]) {\n";
  std::string last = "x";
  for (size_t i = 0; i < reductions.size(); ++i) {
    const std::string number = std::to_string(i);
    text += "%s" + number + " = _c10d_functional.all_reduce(%" + last + ", \"" + reductions[i] +
            "\", \"0\")\n%w" + number + " = _c10d_functional.wait_tensor(%s" + number + ")\n";
    last = "w" + number;
  }
  return text + "return %" + last + "\n}";
}

TEST(CollectiveAgreement, EqualProgramsAgree) {
  EXPECT_THAT(answers([](int /*rank*/) { return sums({"sum", "max"}); }), Each(IsEmpty()));
}

TEST(CollectiveAgreement, TheFirstDifferenceIsNamed) {
  const auto texts = answers([](int rank) {
    return rank == 0 ? sums({"sum", "min"}) : sums({"sum", "max"});
  });
  EXPECT_THAT(texts, Each(AllOf(HasSubstr("in the same order"), HasSubstr(": 0 1 "))));
  EXPECT_THAT(texts[0], HasSubstr("\"min\""));
  EXPECT_THAT(texts[1], HasSubstr("\"max\""));
}

TEST(CollectiveAgreement, OneProgramMayEndEarlier) {
  const auto texts = answers([](int rank) {
    return rank == 0 ? sums({"sum", "min"}) : sums({"sum"});
  });
  EXPECT_THAT(texts, Each(HasSubstr(": 0 1 ")));
  EXPECT_THAT(texts[1], HasSubstr("nothing more"));
}

TEST(CollectiveAgreement, NumbersOfExchangedRowsMayDiffer) {
  const auto text = [](int rank) {
    const std::string rows = std::to_string(rank + 2);
    return "graph @main(%x: f32[" + rows +
           ", 2]) -> (f32[5, 2]) {\n"
           "%s = _c10d_functional.all_to_all_single(%x, [2, 3], [1, " +
           std::to_string(rank + 1) +
           "], \"0\")\n%w = _c10d_functional.wait_tensor(%s)\nreturn %w\n}";
  };
  EXPECT_THAT(answers(text), Each(IsEmpty()));
}

}  // namespace
}  // namespace litz::compiler
