#include "artifact/graph_file.h"

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::artifact {
namespace {

GraphFile example() {
  GraphFile file;
  file.torch_version = "2.15.0";
  file.main = "main";
  file.graph = "graph @main() -> () {}";
  file.tensors = {Tensor::of<float>(DType::f32, {2}, {1, 2})};
  StoredInput input;
  input.kind = 1;
  input.persistent = false;
  input.tensor = 0;
  input.target = "a.b";
  file.inputs = {input};
  file.outputs = {{2, 0, "y"}};
  file.guards = {{"s0 != 3", "not three"}};
  return file;
}

TEST(GraphFile, ComesBack) {
  const std::vector<std::byte> bytes = write_graph_file(example());
  const GraphFile read = read_graph_file(bytes, nullptr);
  EXPECT_EQ(read.graph, example().graph);
  EXPECT_EQ(read.torch_version, "2.15.0");
  ASSERT_EQ(read.inputs.size(), 1U);
  EXPECT_EQ(read.inputs[0].target, "a.b");
  EXPECT_FALSE(read.inputs[0].persistent);
  EXPECT_EQ(read.outputs[0].label, "y");
  EXPECT_EQ(read.guards[0].condition, "s0 != 3");
  EXPECT_EQ(read.tensors[0].at({1}), 2);
}

TEST(GraphFile, InputsHaveTheirData) {
  GraphFile file = example();
  file.inputs[0].tensor = 1;
  EXPECT_THROW(read_graph_file(write_graph_file(file), nullptr), Error);
}

}  // namespace
}  // namespace litz::artifact
