#include "runtime/trees/path.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "tree_fixture.h"

namespace litz::runtime::trees {
namespace {

class PathTest : public testing::Test {
 protected:
  PathTest() {
    function_.name = "f";
    function_.outputs = {{.source = ""}, {.source = "", .is_visible = false, .is_saved = true}};
  }

  Tensor output(size_t index, OutputPolicy policy) {
    const Tensor tensor(DType::f32, {2}, {1}, 0, pool_.allocate(8));
    Storage* const storage = tensor.storage().get();
    PathStep step{&function_, {}, true};
    step.outputs.push_back({tensor.storage(), pool_.giving_of(storage), &function_, index, policy});
    path_.calls.push_back(std::move(step));
    return tensor;
  }

  PathEnd end(const std::vector<Argument>& inputs = {}) {
    return path_.end(pool_, inputs, "a call of g", {}, kept_);
  }

  std::shared_ptr<GraphDevice> device_ = make_tested_device(false);
  Pool pool_{device_, size_t{1} << 20};
  Function function_;
  Path path_;
  std::vector<std::weak_ptr<Storage>> kept_;
};

TEST_F(PathTest, knows_what_is_held) {
  Tensor a = output(0, OutputPolicy::trap);
  EXPECT_EQ(path_.live(pool_).size(), 1U);
  EXPECT_TRUE(path_.holds(a.storage().get(), pool_));
  a = {};
  EXPECT_TRUE(path_.live(pool_).empty());
}

TEST_F(PathTest, a_storage_that_is_used_again_is_another_output) {
  const Storage* const was = output(0, OutputPolicy::trap).storage().get();
  const Tensor other(DType::f32, {2}, {1}, 0, pool_.allocate(8));
  ASSERT_EQ(other.storage().get(), was);
  EXPECT_FALSE(path_.holds(was, pool_));
  EXPECT_TRUE(path_.live(pool_).empty());
}

TEST_F(PathTest, ends_by_policy) {
  const Tensor fresh = output(0, OutputPolicy::fresh);
  const Tensor cloned = output(0, OutputPolicy::clone);
  const Tensor hidden = output(1, OutputPolicy::clone);
  const Tensor trapped = output(0, OutputPolicy::trap);
  const Tensor pinned = output(0, OutputPolicy::trap);
  std::byte* const was = cloned.address();
  const PathEnd ended = end({pinned});
  EXPECT_EQ(ended.clones, 2);
  EXPECT_EQ(ended.traps, 2);
  EXPECT_EQ(kept_.size(), 1U);
  EXPECT_NE(cloned.address(), was);
  EXPECT_TRUE(hidden.storage()->is_ended());
  EXPECT_TRUE(trapped.storage()->is_ended());
  EXPECT_FALSE(pinned.storage()->is_ended());
  EXPECT_FALSE(fresh.storage()->is_ended());
  EXPECT_TRUE(path_.calls.empty());
  EXPECT_EQ(path_.state, PathState::none);
}

TEST_F(PathTest, awaits_a_backward_call_while_saved_values_are_held) {
  output(0, OutputPolicy::trap);
  EXPECT_FALSE(path_.awaits_backward(pool_));
  Tensor saved = output(1, OutputPolicy::trap);
  EXPECT_TRUE(path_.awaits_backward(pool_));
  saved = {};
  EXPECT_FALSE(path_.awaits_backward(pool_));
  saved = output(1, OutputPolicy::trap);
  path_.end_awaiting();
  EXPECT_FALSE(path_.awaits_backward(pool_));
}

TEST_F(PathTest, notices_functions_that_repeat) {
  output(0, OutputPolicy::trap);
  EXPECT_FALSE(path_.repeats(&function_));
  output(0, OutputPolicy::trap);
  EXPECT_TRUE(path_.repeats(&function_));
}

TEST(Steps, begin_with_outermost_entries) {
  Steps steps;
  steps.enter();
  steps.enter();
  EXPECT_EQ(steps.now, 1);
  steps.leave();
  steps.leave();
  steps.enter();
  EXPECT_EQ(steps.now, 2);
  steps.leave();
  steps.enter(true);
  EXPECT_EQ(steps.now, 2) << "a backward call belongs to the step before";
}

TEST(Steps, a_stated_step_lasts_until_its_first_function_returns) {
  Steps steps;
  steps.state();
  for (const int32_t function : {4, 5, 6}) {
    steps.enter();
    steps.call({function});
    EXPECT_EQ(steps.now, 1);
    steps.leave();
  }
  steps.enter();
  steps.call({4});
  EXPECT_EQ(steps.now, 2);
  EXPECT_FALSE(steps.are_stated());
  steps.leave();
  steps.enter();
  EXPECT_EQ(steps.now, 3);
}

TEST(Trap, names_the_operation_and_remedies_that_work) {
  Function function;
  function.name = "f";
  function.outputs = {{.source = "aten.add (model.py:12)"},
                      {.source = "mul_backward", .is_gradient = true}};
  PathOutput output;
  output.function = &function;
  std::string text = trap_text(output, "a call of g");
  EXPECT_NE(text.find("output 0 of f, made by aten.add (model.py:12)"), std::string::npos);
  EXPECT_NE(text.find("a call of g began another step"), std::string::npos);
  output.index = 1;
  text = trap_text(output, "a call of g");
  EXPECT_NE(text.find("gradient output 1"), std::string::npos);
  EXPECT_EQ(text.find("StepScope"), std::string::npos);
}

}  // namespace
}  // namespace litz::runtime::trees
