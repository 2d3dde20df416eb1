// Programs of which partitions were fused give, bit for bit, what they gave before.

#include <algorithm>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "compiler/execution/run_graph.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/op_table.h"
#include "passes/partition/fuse_partitions.h"
#include "passes/partition/partitioner.h"
#include "passes/pass_driver.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

// Pure nodes and, with `writes`, writes to values made before, some of them through views.
std::string random_text(uint32_t seed, bool writes) {
  std::mt19937 random(seed);
  std::string text = "graph @main(%x: f32[4], %y: f32[4]) {\n  %v0 = aten.mul.Tensor(%x, %y)\n";
  const size_t count = 4 + random() % 24;
  for (size_t i = 1; i < count; ++i) {
    const auto value = [&] { return "%v" + std::to_string(random() % i); };
    const std::string name = "  %v" + std::to_string(i) + " = ";
    switch (random() % (writes ? 8 : 6)) {
      case 0:
        text += name + "aten.relu(" + value() + ")\n";
        break;
      case 1:
        text += name + "aten.tanh(" + value() + ")\n";
        break;
      case 2:
        text += name + "aten.clone(" + value() + ")\n";
        break;
      case 3:
        text += name + "aten.flip(" + value() + ", [0])\n";
        break;
      case 4:
      case 5:
        text += name + "aten.add.Tensor(" + value() + ", " + value() + ")\n";
        break;
      case 6:
        text += name + "aten.view(" + value() + ", [4])\n";
        break;
      default:
        text += name + "aten.add_.Tensor(" + value() + ", 1)\n";
        break;
    }
  }
  return text + "  return %v0, %v" + std::to_string(count / 2) + ", %v" +
         std::to_string(count - 1) + "\n}\n";
}

enum class Fused : uint8_t { no, all_together, connected, by_kind };

std::vector<passes::Partition> propose(const ir::Graph& graph, Fused how) {
  if (how == Fused::by_kind) {
    return passes::propose_partitions_by_kind(graph,
                                              [](const ir::Node& node) -> passes::KindOrRefusal {
                                                return {std::to_string(node.id() % 3), {}};
                                              },
                                              {.single_nodes = true})
        .partitions;
  }
  return passes::propose_partitions(
             graph,
             passes::operators({"aten.add", "aten.add_", "aten.relu", "aten.clone", "aten.view"}),
             {.single_nodes = true, .join_unconnected = how == Fused::all_together})
      .partitions;
}

std::vector<Tensor> run(const std::string& text, Fused how) {
  const auto module = ir::read_module(text, ops::standard_ops());
  ir::Graph& graph = *module->find_graph("main");
  if (how != Fused::no) {
    passes::fuse_partitions(graph, propose(graph, how));
    ir::verify(*module);
    const std::string fused = ir::to_string(*module);
    EXPECT_EQ(ir::to_string(*ir::read_module(fused, ops::standard_ops())), fused);
  }
  passes::PassContext context;
  passes::run_pipeline(passes::import_pipeline(), *module, context, {.verify_each = true});
  const std::vector<Tensor> inputs{fill_floats(DType::f32, {4}, 1, 1, 0),
                                   fill_floats(DType::f32, {4}, 2, 1, 0)};
  return run_graph(graph, inputs);
}

void expect_same(const std::string& text) {
  const std::vector<Tensor> want = run(text, Fused::no);
  for (const Fused how : {Fused::all_together, Fused::connected, Fused::by_kind}) {
    const std::vector<Tensor> have = run(text, how);
    ASSERT_EQ(have.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      const Tensor a = have[i].contiguous();
      const Tensor b = want[i].contiguous();
      ASSERT_EQ(a.numel(), b.numel());
      const auto bytes = static_cast<size_t>(a.numel() * item_size(a.dtype()));
      ASSERT_EQ(std::memcmp(a.data(), b.data(), bytes), 0)
          << "result " << i << ", variant " << static_cast<int>(how) << "\n"
          << text;
    }
  }
}

TEST(PartitionRun, PureProgramsGiveTheSame) {
  for (uint32_t seed = 0; seed < 40; ++seed) expect_same(random_text(seed, false));
}

TEST(PartitionRun, ProgramsThatWriteGiveTheSame) {
  for (uint32_t seed = 0; seed < 80; ++seed) expect_same(random_text(100 + seed, true));
}

}  // namespace
}  // namespace litz::compiler
