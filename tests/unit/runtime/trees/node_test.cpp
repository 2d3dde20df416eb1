#include "runtime/trees/node.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/trees/work.h"
#include "tree_fixture.h"

namespace litz::runtime::trees {
namespace {

/// A recording of y = x + 1 whose input is patched.
class NodeTest : public testing::Test {
 protected:
  void SetUp() override {
    const Tensor x = floats({1, 2});
    node_.inputs.resize(1);
    node_.inputs[0].binding = InputBinding::patched;
    Work work(*device_, {}, {x}, {.records = true, .pool = &pool_, .taken = {}});
    const Tensor y = add(work, work.take(0), 1);
    node_.recording = work.record();
    const std::vector<Value> outputs{y, first_half(y), int64_t{7}, floats({9})};
    node_.outputs = classified(outputs, std::vector<Argument>{x}, pool_);
  }

  static Tensor floats(std::initializer_list<float> values) {
    return Tensor::of<float>(DType::f32, {static_cast<int64_t>(values.size())}, values);
  }

  std::vector<Value> run(const std::vector<Argument>& inputs) {
    return replay(node_, inputs, *device_, pool_, {}, costs_);
  }

  std::shared_ptr<GraphDevice> device_ = make_tested_device(false);
  Pool pool_{device_, size_t{1} << 20};
  Node node_;
  ReplayCosts costs_;
};

TEST_F(NodeTest, classifies_outputs) {
  EXPECT_EQ(node_.outputs[0].kind, OutputClass::fresh);
  EXPECT_EQ(node_.outputs[1].kind, OutputClass::output);
  EXPECT_EQ(node_.outputs[1].of, 0U);
  EXPECT_EQ(node_.outputs[2].kind, OutputClass::value);
  EXPECT_EQ(node_.outputs[3].kind, OutputClass::persistent);
  const Tensor x = floats({1, 2});
  const std::vector<Value> views{first_half(x)};
  EXPECT_EQ(classified(views, std::vector<Argument>{x}, pool_)[0].kind, OutputClass::input);
}

TEST_F(NodeTest, replays_on_the_inputs_of_each_call) {
  for (int i = 0; i < 3; ++i) {
    const Tensor x = floats({static_cast<float>(i), 5});
    const std::vector<Value> outputs = run({x});
    EXPECT_EQ(std::get<Tensor>(outputs[0]).at({0}), i + 1);
    EXPECT_EQ(std::get<Tensor>(outputs[1]).storage(), std::get<Tensor>(outputs[0]).storage());
    EXPECT_EQ(std::get<int64_t>(outputs[2]), 7);
  }
  EXPECT_EQ(costs_.copies, 0);
}

TEST_F(NodeTest, fits_unless_its_memory_is_held) {
  const std::vector<Argument> inputs{floats({1, 2})};
  EXPECT_EQ(misfits(node_, inputs, pool_).kind, Misfit::none);
  const std::vector<Value> held = run(inputs);
  EXPECT_EQ(misfits(node_, inputs, pool_).kind, Misfit::memory_held);
}

TEST_F(NodeTest, moves_and_leaves_what_is_held) {
  const std::vector<Argument> inputs{floats({1, 2})};
  const std::vector<Value> first = run(inputs);
  move(node_, inputs, pool_);
  EXPECT_EQ(misfits(node_, inputs, pool_).kind, Misfit::none);
  const std::vector<Value> second = run({floats({7, 8})});
  EXPECT_EQ(std::get<Tensor>(first[0]).at({0}), 2);
  EXPECT_EQ(std::get<Tensor>(second[0]).at({0}), 8);
  EXPECT_EQ(std::get<Tensor>(second[1]).at({0}), 8);
}

TEST_F(NodeTest, a_fixed_address_must_be_that_of_the_recording) {
  const Tensor x = floats({1, 2});
  const Tensor other = floats({1, 2});
  Function function;
  function.inputs = {{.name = "w", .source = "model.py:3", .mutated_by = ""}};
  for (const auto binding : {InputBinding::fixed, InputBinding::managed}) {
    node_.inputs[0].binding = binding;
    node_.inputs[0].address = x.address();
    EXPECT_EQ(misfits(node_, std::vector<Argument>{x}, pool_).kind, Misfit::none);
    const std::vector<Argument> moved{other};
    const Misfits found = misfits(node_, moved, pool_);
    EXPECT_EQ(found.kind,
              binding == InputBinding::fixed ? Misfit::fixed_moved : Misfit::managed_moved);
    EXPECT_NE(describe(found, node_, function, moved).find("input 0 w (model.py:3) was at"),
              std::string::npos);
  }
}

TEST_F(NodeTest, counts_descendants) {
  node_.children.push_back(std::make_unique<Node>());
  node_.children[0]->children.push_back(std::make_unique<Node>());
  EXPECT_EQ(descendants(node_), 2);
}

}  // namespace
}  // namespace litz::runtime::trees
