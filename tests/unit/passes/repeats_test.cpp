#include "passes/repeats.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ops/op_table.h"

namespace litz::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

/// One layer from %h<k> to %h<k + 1>, between two products.
std::string layer(int k, const std::string& weight, const std::string& middle = "exp") {
  const std::string n = std::to_string(k);
  return "  %a" + n + " = aten.linear(%h" + n + ", %" + weight + ")\n" +  //
         "  %b" + n + " = aten.sin(%a" + n + ")\n" +                      //
         "  %c" + n + " = aten." + middle + "(%b" + n + ")\n" +           //
         "  %d" + n + " = aten.linear(%c" + n + ", %" + weight + ")\n" +  //
         "  %e" + n + " = aten.cos(%d" + n + ")\n" +                      //
         "  %f" + n + " = aten.add.Tensor(%e" + n + ", %h" + n + ")\n" +  //
         "  %g" + n + " = aten.abs(%f" + n + ")\n" +                      //
         "  %h" + std::to_string(k + 1) + " = aten.tanh(%g" + n + ")\n";
}

class Repeats : public ::testing::Test {
 protected:
  std::vector<Repeat> of(const std::string& body, const std::string& result,
                         const std::string& type = "f32[4, 8]") {
    module_ = ir::read_module(
        "graph @main(%h0: f32[4, 8], %u: f32[8, 8], %v: f32[8, 8], %i: i64[2], %s: f32[2, 8], %q0: "
        "f32[4, 8], %q1: f32[4, 8]) -> "
        "(" +
            type + ") {\n" + body + "  return " + result + "\n}\n",
        ops::standard_ops());
    return find_repeats(*module_->find_graph("main"));
  }

  std::unique_ptr<ir::Module> module_;
};

TEST_F(Repeats, AreTheLayersOfANetwork) {
  const std::vector<Repeat> repeats = of(layer(0, "u") + layer(1, "v") + layer(2, "u"), "%h3");
  ASSERT_THAT(repeats, SizeIs(1));
  ASSERT_THAT(repeats[0].blocks, SizeIs(3));
  EXPECT_EQ(repeats[0].blocks[1].front()->output().name(), "a1");
  EXPECT_EQ(repeats[0].blocks[1].back()->output().name(), "h2");
  EXPECT_THAT(repeats[0].results, ElementsAre(Pair(7, 0)));
}

TEST_F(Repeats, MayStandApart) {
  const std::vector<Repeat> repeats = of(
      layer(0, "u") + layer(1, "v", "log") + layer(2, "u") + layer(3, "v", "relu") + layer(4, "v"),
      "%h5");
  ASSERT_THAT(repeats, SizeIs(1));
  EXPECT_THAT(repeats[0].blocks, SizeIs(3));
}

TEST_F(Repeats, OfTwoKindsAreKeptApart) {
  std::string body;
  for (int k = 0; k < 6; ++k) body += layer(k, "u", k % 3 == 2 ? "log" : "exp");
  const std::vector<Repeat> repeats = of(body, "%h6");
  ASSERT_THAT(repeats, SizeIs(1));  // Three layers at a time save more than any one.
  EXPECT_THAT(repeats[0].blocks, SizeIs(2));
  EXPECT_THAT(repeats[0].blocks[0], SizeIs(24));
}

TEST_F(Repeats, PassValuesOnAlike) {
  // The third one reads the second weight in its second product.
  std::string odd = layer(2, "u");
  odd.replace(odd.find("linear(%c2, %u)"), 15, "linear(%c2, %v)");
  const std::vector<Repeat> repeats = of(layer(0, "u") + layer(1, "v") + odd, "%h3");
  ASSERT_THAT(repeats, SizeIs(1));
  EXPECT_THAT(repeats[0].blocks, SizeIs(2));
}

TEST_F(Repeats, AreNotCutWhereKernelsFuse) {
  // A sine in front of each product would be computed with the tangent of the layer before.
  std::string body;
  for (int k = 0; k < 3; ++k) {
    const std::string n = std::to_string(k);
    std::string one = layer(k, "u");
    one.replace(one.find("linear(%h" + n), 9 + n.size(), "linear(%i" + n);
    body += "  %i" + n + " = aten.sin(%h" + n + ")\n" + one;
  }
  const std::vector<Repeat> repeats = of(body, "%h3");
  ASSERT_THAT(repeats, SizeIs(1));
  ASSERT_THAT(repeats[0].blocks, SizeIs(2));
  EXPECT_EQ(repeats[0].blocks[0].front()->output().name(), "a0");
  EXPECT_EQ(repeats[0].blocks[0].back()->output().name(), "i1");
}

TEST_F(Repeats, HaveNoEffectsAndNoDraws) {
  std::string body;
  for (int k = 0; k < 2; ++k) {
    std::string one = layer(k, "u");
    one.replace(one.find("aten.cos("), 9, "aten.rand_like(");
    body += one;
  }
  EXPECT_THAT(of(body, "%h2"), IsEmpty());
}

TEST_F(Repeats, ReturnNoViewOfWhatTheyAreGiven) {
  // The transposed weight is read behind the layer.
  std::string body;
  for (int k = 0; k < 2; ++k) {
    const std::string n = std::to_string(k);
    body +=
        "  %t" + n + " = aten.permute(%" + (k == 0 ? "u" : "v") + ", [1, 0])\n" + layer(k, "t" + n);
  }
  body += "  %y = aten.mm(%t0, %t1)\n";
  const std::vector<Repeat> repeats = of(body, "%y, %h2", "f32[8, 8], f32[4, 8]");
  ASSERT_THAT(repeats, SizeIs(1));  // Without the view.
  EXPECT_EQ(repeats[0].blocks[0].front()->output().name(), "a0");
}

TEST_F(Repeats, MayUpdateWhatTheyReturn) {
  const auto body = [](const std::string& more) {
    std::string text;
    for (int k = 0; k < 2; ++k) {
      const std::string n = std::to_string(k);
      std::string one = layer(k, "u");
      one.insert(one.find("  %d" + n), "  %n" + n + " = aten.index_copy_(%q" + n +
                                           ", 0, %i, %s)\n" + "  %v" + n +
                                           " = aten.slice.Tensor(%n" + n + ", 0, 0, 1)\n");
      text += one;
    }
    return text + more;
  };
  const std::string types = "f32[4, 8], f32[4, 8], f32[4, 8]";
  const std::vector<Repeat> repeats = of(body(""), "%n0, %n1, %h2", types);
  ASSERT_THAT(repeats, SizeIs(1));
  EXPECT_THAT(repeats[0].results, ElementsAre(Pair(3, 0), Pair(9, 0)));
  // A second name for the memory that is updated could not be told from the first; an update that
  // nobody hears of could not be seen.
  EXPECT_THAT(of(body(""), "%n0, %n1, %h2, %v0", types + ", f32[1, 8]"), IsEmpty());
  EXPECT_THAT(of(body(""), "%h2"), IsEmpty());
}

}  // namespace
}  // namespace litz::passes
