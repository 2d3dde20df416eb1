// Makes every set of nodes with one of these operators a call, and saves the program:
//   partition_program model.pt2 fused.litz aten.relu aten.add
#include <algorithm>
#include <cstdio>
#include <litz/partition.h>

int fail(const std::string& message) { return std::fprintf(stderr, "%s\n", message.c_str()), 1; }

int main(int argc, char** argv) {
  if (argc < 4) return fail("usage: partition_program MODEL.pt2 OUTPUT OPERATOR ...");
  const std::vector<std::string> operators(argv + 3, argv + argc);
  litz::Result<litz::Program> program = litz::open_program(argv[1]);
  if (!program) return fail(program.error().message);
  litz::PartitionOptions options;
  options.single_nodes = true;
  options.predicate = [&](const litz::NodeInfo& node) -> std::string {
    const bool is_taken = std::any_of(operators.begin(), operators.end(), [&](const auto& name) {
      return node.op == name || node.op.compare(0, name.size() + 1, name + ".") == 0;
    });
    return is_taken ? "" : "this example was not asked for it";
  };
  litz::Result<litz::Proposal> found = program->propose(options);
  if (!found) return fail(found.error().message);
  for (const litz::NodeSet& set : found->sets) {
    std::printf("@%s:", set.graph.c_str());
    for (const std::string& node : set.nodes) std::printf(" %s", node.c_str());
    std::printf("\n");
  }
  litz::Result<std::vector<std::string>> graphs = program->fuse(found->sets);
  if (!graphs) return fail(graphs.error().message);
  litz::Result<size_t> size = program->save(argv[2]);
  if (!size) return fail(size.error().message);
  std::printf("%zu calls, %zu bytes\n", graphs->size(), *size);
}
