// What litz/partition.h promises, as a project that installed Litz sees it: partitions MODEL FOLDER,
// with the model of tests/data/pt2/v2_15_mlp_dynamic.raw.pt2.

#include <cstdio>
#include <cstdlib>
#include <litz/partition.h>
#include <utility>

namespace {

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "must hold: %s\n", what);
  std::exit(1);
}

template <typename T>
T value_of(litz::Result<T> result) {
  return std::move(result.value());
}

std::vector<float> outputs_of(litz::Executable program) {
  std::vector<float> values(4 * 8);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) - 3.0F;
  std::vector<litz::Value> outputs =
      program.run({litz::Tensor::from<float>({4, 8}, values)}).value();
  const auto result = std::get<litz::Tensor>(outputs.at(0)).as<float>();
  return {result.begin(), result.end()};
}

void test_predicates(litz::Program& program) {
  size_t asked = 0;
  litz::PartitionOptions options;
  options.single_nodes = true;
  options.predicate = [&](const litz::NodeInfo& node) -> std::string {
    ++asked;
    expect(node.graph == "main" && !node.name.empty() && !node.inputs.empty(),
           "nodes are described");
    expect(node.outputs.at(0).dtype == litz::DType::float32, "values have their dtype");
    return node.op == "aten.linear" ? "it is a product" : "";
  };
  const litz::Proposal found = program.propose(options).value();
  expect(asked == program.nodes().size(), "predicates are asked once for every node");
  expect(found.sets.size() == 1 && found.sets[0].nodes == std::vector<std::string>{"relu"},
         "predicates choose nodes");
  expect(found.sets[0].inputs == std::vector<std::string>{"linear"} &&
             found.sets[0].outputs == std::vector<std::string>{"relu"},
         "sets say what they take and give");
  expect(found.left_out.at(0).reason == "it is a product", "reasons are those of predicates");
}

void test_mistakes(litz::Program& program) {
  const std::string before = program.text();
  expect(!program.propose({}), "something must be chosen");
  expect(!program.propose({.operators = {"aten.rellu"}}), "operators must exist");
  expect(!program.propose({.nodes = {"nowhere"}}), "nodes must exist");
  litz::NodeSet around;
  around.graph = "main";
  around.nodes = {"linear", "linear_1"};
  const auto circle = program.fuse(std::vector{around});
  expect(!circle && circle.error().message.find("%relu") != std::string::npos,
         "a set that needs itself is refused with the path");
  around.nodes = {"linear", "no_node"};
  expect(!program.fuse(std::vector{around}), "sets name nodes of the graph");
  expect(!program.place_on("gpu"), "devices are cpu, cuda and cuda:N");
  expect(!program.propose({.cuda_graphs = true}).value().hints.empty(), "no device gives a hint");
  expect(program.text() == before, "failures leave programs as they were");
}

void test_fusing(litz::Program& program, const std::vector<float>& expected,
                 const std::string& path) {
  const std::string before = program.text();
  const litz::Proposal found = program.propose({.operators = {"aten.linear", "aten.relu"}}).value();
  const std::vector<std::string> graphs = program.fuse(found.sets, {.prefix = "part_"}).value();
  expect(graphs == std::vector<std::string>{"main.part_0"}, "child graphs have the prefix");
  expect(program.text().find("@main.part_0") != std::string::npos, "sets are calls");
  expect(outputs_of(value_of(program.prepare())) == expected, "fused programs compute the same");
  expect(program.save(path).value() > 0, "programs are saved");
  expect(outputs_of(value_of(litz::load(path))) == expected, "what was saved runs");
  litz::Program again = value_of(litz::open_program(path));
  expect(again.text() == program.text(), "what was saved is the program");
  expect(again.inline_graphs(graphs).value() == 1, "calls are counted");
  expect(again.text() == before, "inlining is the way back");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  litz::Program program = value_of(litz::open_program(argv[1]));
  const std::vector<float> expected = outputs_of(value_of(program.prepare()));
  test_predicates(program);
  test_mistakes(program);
  test_fusing(program, expected, std::string(argv[2]) + "/fused.litz");
  expect(!litz::open_program("nowhere.pt2"), "files must exist");
}
