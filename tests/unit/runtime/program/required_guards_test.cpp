#include "runtime/program/required_guards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

using testing::HasSubstr;

artifact::ProgramInput input(std::string label, artifact::ValueType type) {
  artifact::ProgramInput input;
  input.label = std::move(label);
  input.type = std::move(type);
  return input;
}

class RequiredGuards : public testing::Test {
 protected:
  RequiredGuards() {
    batch_ = pool_.add_symbol({.name = "s27"});
    length_ = pool_.add_symbol({.name = "s2"});
    count_ = pool_.add_symbol({.name = "s5"});
    signature_.inputs = {input("opts['x']", contiguous_type(DType::f32, {8, batch_})),
                         input("y", contiguous_type(DType::f32, {batch_, 2 * length_, length_})),
                         input("n", artifact::HostScalar{ExprDomain::integer, count_})};
  }

  std::string refusal(Expr condition, std::string text) {
    signature_.guards = {{condition, std::move(text)}};
    Bindings bindings;
    bindings.set(batch_.symbol(), 3);
    bindings.set(length_.symbol(), 4);
    bindings.set(count_.symbol(), 5);
    try {
      require_guards(signature_, bindings);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  ExprPool pool_;
  Expr batch_;
  Expr length_;
  Expr count_;
  artifact::Signature signature_;
};

TEST_F(RequiredGuards, NameInputs) {
  EXPECT_EQ(refusal(ne(batch_, 4), "s27 != 4"), "");
  EXPECT_THAT(refusal(eq(batch_, length_), "s27 == s2"),
              HasSubstr("exported: opts['x'].size(1) == y.size(2) with "));
  EXPECT_THAT(refusal(eq(batch_, length_), "s27 == s2"), HasSubstr("opts['x'].size(1) = 3"));
  EXPECT_THAT(refusal(ne(count_, 5), "s5 != 5"), HasSubstr("exported: n != 5 with n = 5"));
  EXPECT_THAT(refusal(ne(batch_, 3), "aten.add.Tensor: add: sizes differ, s27 and s270"),
              HasSubstr("differ, opts['x'].size(1) and s270 with"));
}

TEST_F(RequiredGuards, ReadTheExportersPaths) {
  const auto named = [&](std::string_view text) { return in_names_of_inputs(text, signature_); };
  EXPECT_EQ(named("L['x'].size()[0] == L['args'][1].size()[2]"), "x.size(0) == args[1].size(2)");
  EXPECT_EQ(named("(1 + (((-1) + L['x'].size()[3]) // 2)) != 1"),
            "(1 + (((-1) + x.size(3)) // 2)) != 1");
  EXPECT_EQ(named("L['k']['m'].stride()[0] > L['n']"), "k['m'].stride(0) > n");
  for (const std::string text : {"", "L[", "L['x", "x.size()[", ".size()", "3 < 4"}) {
    EXPECT_EQ(named(text), text);
  }
}

}  // namespace
}  // namespace litz::runtime
