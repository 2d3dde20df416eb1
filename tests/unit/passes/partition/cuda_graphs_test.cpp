#include "passes/partition/cuda_graphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/placement.h"
#include "ops/op_table.h"
#include "passes/partition/partitioner.h"
#include "support/text.h"

namespace litz::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::unique_ptr<ir::Module> parse(std::string_view text) {
  return ir::read_module(text, ops::standard_ops());
}

struct Judged {
  std::vector<std::string> sets;
  std::vector<std::string> left_out;  ///< "name: reason"
};

std::string name_of(const ir::Node& node) {
  return node.output_count() > 0 ? node.output().name() : std::string(node.op().name());
}

Judged judge(std::string_view text, RecordableOptions options = {}) {
  const auto module = parse(text);
  const Proposal proposal = propose_recordings(
      *module->find_graph("main"), recordable(std::move(options)), {.single_nodes = true});
  Judged judged;
  for (const Partition& partition : proposal.partitions) {
    std::vector<std::string> names;
    for (const ir::Node* node : partition.nodes) names.push_back(name_of(*node));
    judged.sets.push_back(join(names, " "));
  }
  for (const LeftOut& out : proposal.left_out) {
    judged.left_out.push_back(name_of(*out.node) + ": " + out.reason);
  }
  return judged;
}

TEST(CudaGraphs, NodesOnOneDeviceAreOneSet) {
  const Judged judged = judge(R"(
graph @main(%x: f32[4, 4]@cuda:0, %w: f32[4, 4]@cuda:0) {
  %a = aten.mm(%x, %w) : f32[4, 4]@cuda:0
  %v = aten.view(%a, [16]) : f32[16]@cuda:0
  %std, %mean = aten.std_mean(%v) : (f32[]@cuda:0, f32[]@cuda:0)
  %f = aten.full([4], 1.0, device=cuda:0) : f32[4]@cuda:0
  %b = aten.add.Tensor(%f, %std) : f32[4]@cuda:0
  return %b
})");
  EXPECT_THAT(judged.sets, ElementsAre("a v std f b"))
      << "views, several results, made on a device";
  EXPECT_THAT(judged.left_out, IsEmpty());
}

TEST(CudaGraphs, CopiesToTheHostAndBackStayOutside) {
  const Judged judged = judge(R"(
graph @main(%x: f32[4]@cuda:0) {
  %a = aten.relu(%x) : f32[4]@cuda:0
  %h = aten._to_copy(%a, device=cpu) : f32[4]
  %i = aten.exp(%h) : f32[4]
  %d = aten._to_copy(%i, device=cuda:0) : f32[4]@cuda:0
  %b = aten.relu(%d) : f32[4]@cuda:0
  %p = aten.exp(%x) : f32[4]@cuda:0
  %c = aten.add.Tensor(%b, %p) : f32[4]@cuda:0
  return %c
})");
  EXPECT_THAT(judged.sets, ElementsAre("b p c", "a")) << "as few as there can be";
  EXPECT_THAT(judged.left_out,
              ElementsAre("h: %h is on cpu", "i: operand %h is on cpu", "d: operand %i is on cpu"));
}

TEST(CudaGraphs, DevicesMustAgree) {
  const Judged judged = judge(R"(
graph @main(%x: f32[4]@cuda:0) {
  %a = aten._to_copy(%x, device=cuda:1) : f32[4]@cuda:1
  return %a
})");
  EXPECT_THAT(judged.left_out, ElementsAre("a: %x is on cuda:0 but %a on cuda:1"));
}

TEST(CudaGraphs, EachSetIsOnOneDevice) {
  const Judged judged = judge(R"(
graph @main(%x: f32[4]@cuda:0, %y: f32[4]@cuda:1) {
  %a = aten.relu(%x) : f32[4]@cuda:0
  %b = aten.exp(%y) : f32[4]@cuda:1
  %c = aten.neg(%a) : f32[4]@cuda:0
  %d = aten.add.Tensor(%b, %b) : f32[4]@cuda:1
  return %c, %d
})");
  EXPECT_THAT(judged.sets, UnorderedElementsAre("a c", "b d"));
}

TEST(CudaGraphs, WhatDependsOnDataStaysOutside) {
  const Judged judged = judge(R"(
sym u0
sym u1 data_dependent
graph @main(%x: f32[4]@cuda:0) {
  %n = aten.nonzero(%x) : i64[u0, 1]@cuda:0
  %r = aten.neg(%n) : i64[u0, 1]@cuda:0
  %s = aten.sum(%x) : f32[]@cuda:0
  %i = aten._local_scalar_dense(%s) : real(u1)
  return %r, %i
})");
  EXPECT_THAT(judged.sets, ElementsAre("s"));
  ASSERT_EQ(judged.left_out.size(), 3u);
  EXPECT_THAT(judged.left_out[0], HasSubstr("a size of %n depends on data (u0)"));
  EXPECT_THAT(judged.left_out[1], HasSubstr("r: a size of"));
  EXPECT_THAT(judged.left_out[2], HasSubstr("it reads a value from a tensor (u1) on the host"));
}

TEST(CudaGraphs, NumbersThatDependOnDataStayOutside) {
  const Judged judged = judge(R"(
sym u0 data_dependent
graph @main(%x: f32[4]@cuda:0) {
  %s = aten.sum(%x) : f32[]@cuda:0
  %i = aten._local_scalar_dense(%s) : real(u0)
  %m = aten.mul.Tensor(%x, u0) : f32[4]@cuda:0
  return %m
})");
  ASSERT_EQ(judged.left_out.size(), 2u);
  EXPECT_THAT(judged.left_out[1], HasSubstr("m: it takes a number that depends on data (u0)"));
}

TEST(CudaGraphs, UnsafeOperatorsStayOutside) {
  constexpr const char* kText = R"(
graph @main(%g: f32[4, 8]@cuda:0, %i: i64[4]@cuda:0, %x: f32[4]@cuda:0) {
  %e = aten.embedding_dense_backward(%g, %i, 10, -1, false) : f32[10, 8]@cuda:0
  %d = aten.rand_like(%x) : f32[4]@cuda:0
  %r = aten.relu(%x) : f32[4]@cuda:0
  return %e, %d, %r
})";
  const Judged judged = judge(kText);
  EXPECT_THAT(judged.sets, ElementsAre("d r"));
  EXPECT_THAT(judged.left_out,
              ElementsAre(HasSubstr("e: aten.embedding_dense_backward waits for the device")));
  EXPECT_THAT(judge(kText, {.unsafe = {"aten.relu"}}).left_out,
              ElementsAre(HasSubstr("e: "), HasSubstr("r: aten.relu is marked as unsafe")));
  EXPECT_THAT(judge(kText, {.has_generator_state = false}).left_out,
              ElementsAre(HasSubstr("e: "), HasSubstr("d: it draws random numbers")));
}

TEST(CudaGraphs, NormsOfRawProgramsAreRecorded) {
  const Judged judged = judge(R"(
graph @main(%x: f32[2, 3, 4]@cuda:0, %m: f32[3]@cuda:0, %v: f32[3]@cuda:0) {
  %y = aten.batch_norm(%x, none, none, %m, %v, false, 0.1, 1e-05, true) : f32[2, 3, 4]@cuda:0
  %z = aten.batch_norm(%y, none, none, %m, %v, true, 0.1, 1e-05, true) : f32[2, 3, 4]@cuda:0
  return %z
})");
  EXPECT_THAT(judged.sets, ElementsAre("y z"));
}

TEST(CudaGraphs, AssertionsActOnTheHost) {
  const Judged judged = judge(R"(
sym s0 in [2, 64]
graph @main(%x: f32[s0]@cuda:0) {
  aten._assert_scalar(s0 > 3, "too small")
  %r = aten.relu(%x) : f32[s0]@cuda:0
  return %r
})");
  EXPECT_THAT(judged.sets, ElementsAre("r"));
  EXPECT_THAT(judged.left_out, ElementsAre(HasSubstr("it acts on the host")));
}

// A kernel asserts what the device knows; whether a factorization failed, the host asks.
TEST(CudaGraphs, TheHostWaitsForNoAssertionOnTheDevice) {
  const Judged judged = judge(R"(
graph @main(%x: f32[4]@cuda:0, %p: bool[]@cuda:0, %q: bool[], %info: i32[]@cuda:0) {
  aten._assert_async(%p)
  aten._assert_async.msg(%p, "positive")
  aten._assert_async(%q)
  aten._linalg_check_errors(%info, "linalg.inv", is_matrix=true)
  %r = aten.relu(%x) : f32[4]@cuda:0
  return %r
})");
  EXPECT_THAT(judged.sets, ElementsAre("aten._assert_async aten._assert_async.msg r"));
  EXPECT_THAT(judged.left_out, ElementsAre(HasSubstr("operand %q is on cpu"),
                                           HasSubstr("_linalg_check_errors: it acts on the host")));
}

TEST(CudaGraphs, CallsAreJudgedByTheirNodes) {
  const Judged judged = judge(R"(
graph @main(%x: f32[4]@cuda:0, %p: bool[]@cuda:0) {
  %a = higher_order.invoke_subgraph(@good, [%x]) : f32[4]@cuda:0
  %b = higher_order.invoke_subgraph(@bad, [%x]) : f32[4]@cuda:0
  %c = higher_order.cond(%p, @good, @good, [%x]) : f32[4]@cuda:0
  return %a, %b, %c
}
graph @good(%x: f32[4]@cuda:0) -> (f32[4]@cuda:0) {
  %r = aten.relu(%x) : f32[4]@cuda:0
  return %r
}
graph @bad(%x: f32[4]@cuda:0) -> (f32[4]@cuda:0) {
  %h = aten._to_copy(%x, device=cpu) : f32[4]
  %d = aten._to_copy(%h, device=cuda:0) : f32[4]@cuda:0
  return %d
})");
  EXPECT_THAT(judged.sets, ElementsAre("a"));
  EXPECT_THAT(judged.left_out,
              ElementsAre(HasSubstr("b: in @bad, aten._to_copy: %h is on cpu"),
                          HasSubstr("c: the host decides which of its child graphs run")));
}

// Fills of what nobody reads any more keep their place, and a set may consist of them alone.
TEST(CudaGraphs, WritesArePartOfSets) {
  const Judged judged = judge(R"(
graph @main(%x: f32[4]@cuda:0) {
  %c = aten.clone(%x) : f32[4]@cuda:0
  %s = aten.slice.Tensor(%c, 0, 0, 0) : f32[0]@cuda:0
  %f = aten.fill_.Scalar(%s, 1.0) : f32[0]@cuda:0
  %g = aten.fill_.Scalar(%c, 2.0) : f32[4]@cuda:0
  return %c, %s
})");
  EXPECT_THAT(judged.sets, ElementsAre("c s f g"));
}

// Masks among indices are counted on the host; whole numbers, and values that are masks, are not.
TEST(CudaGraphs, MasksAreCountedOnTheHost) {
  const Judged judged = judge(R"(
graph @main(%x: f32[4]@cuda:0, %m: bool[4]@cuda:0, %u: u8[4]@cuda:0, %i: i64[2]@cuda:0, %v: f32[]@cuda:0) {
  %a = aten.index_put(%x, [%m], %v) : f32[4]@cuda:0
  %b = aten.index_put(%x, [%i], %v) : f32[4]@cuda:0
  %c = aten._unsafe_index_put(%x, [%u], %v) : f32[4]@cuda:0
  %d = aten.index_put(%m, [%i], %m) : bool[4]@cuda:0
  %e = aten.index.Tensor(%x, [%i]) : f32[2]@cuda:0
  %f = aten.index_put_(%x, [%m], %v) : f32[4]@cuda:0
  return %a, %b, %c, %d, %e, %f
})");
  EXPECT_THAT(judged.sets, ElementsAre("b d e"));
  EXPECT_THAT(judged.left_out, ElementsAre(HasSubstr("a: how many elements the mask %m selects"),
                                           HasSubstr("c: how many elements the mask %u selects"),
                                           HasSubstr("f: how many elements the mask %m selects")));
}

TEST(CudaGraphs, EigenvaluesWaitForTheDevice) {
  const Judged judged = judge(R"(
graph @main(%x: f32[4, 4]@cuda:0) {
  %a, %b = aten._linalg_eigh(%x) : (f32[4]@cuda:0, f32[4, 4]@cuda:0)
  %c = aten.linalg_eigvalsh(%x) : f32[4]@cuda:0
  %d = aten.mm(%x, %x) : f32[4, 4]@cuda:0
  return %a, %c, %d
})");
  EXPECT_THAT(judged.sets, ElementsAre("d"));
}

TEST(CudaGraphs, StatementsOfTypesAreRecorded) {
  const Judged judged = judge(R"(
graph @main(%x: f32[4]@cuda:0) {
  %a = aten.relu(%x) : f32[4]@cuda:0
  aten._assert_tensor_metadata(%a, dtype=f32, device=cuda:0)
  %h = aten.to.device(%a, cpu, f32) : f32[4]
  aten._assert_tensor_metadata(%h, dtype=f32, device=cpu)
  return %h
})");
  EXPECT_THAT(judged.sets, ElementsAre("a aten._assert_tensor_metadata"));
}

ir::Program program_of(std::string_view text) {
  ir::Program program;
  program.module = parse(text);
  program.main = {program.module->find_graph("main")->id()};
  program.inputs.resize(program.graph().input_count());
  program.outputs.resize(program.graph().outputs().size());
  return program;
}

TEST(CudaGraphs, MutatedInputsAreReported) {
  constexpr const char* kRaw = R"(
graph @main(%b: f32[4]@cuda:0, %x: f32[4]@cuda:0, %y: f32[4]@cuda:0) {
  %v = aten.view(%x, [2, 2]) : f32[2, 2]@cuda:0
  %w = aten.add_.Tensor(%v, 1) : f32[2, 2]@cuda:0
  %u = aten.add_.Tensor(%b, 1) : f32[4]@cuda:0
  %c = aten.clone(%y) : f32[4]@cuda:0
  %d = aten.add_.Tensor(%c, 1) : f32[4]@cuda:0
  return %d
})";
  ir::Program raw = program_of(kRaw);
  raw.inputs[0].kind = ir::InputKind::buffer;
  EXPECT_EQ(reason_not_recorded(raw), "mutated inputs (1 instances)")
      << "buffers keep their place from call to call; copies are nobody's inputs";
  ir::Program functional = program_of(R"(
graph @main(%x: f32[4]@cuda:0) {
  %a = aten.add.Tensor(%x, 1) : f32[4]@cuda:0
  return %a, %a
})");
  functional.functional = true;
  EXPECT_EQ(reason_not_recorded(functional), "");
  functional.outputs[0] = {.kind = ir::OutputKind::input_mutation, .input = 0, .label = ""};
  EXPECT_EQ(reason_not_recorded(functional), "mutated inputs (1 instances)");
}

TEST(CudaGraphs, ProgramsAreRefusedInPyTorchsWords) {
  const auto reason = [](std::string_view text, const RecordableOptions& options = {}) {
    ir::Program program = program_of(text);
    program.functional = true;
    return reason_not_recorded(program, options);
  };
  EXPECT_EQ(reason(R"(
graph @main(%x: f32[4]@cuda:0) {
  %h = aten._to_copy(%x, device=cpu) : f32[4]
  return %h
})"),
            "cpu device (h)");
  EXPECT_EQ(reason(R"(
graph @main(%x: f32[4]@cuda:0, %y: f32[4]@cuda:1) {
  return %x, %y
})"),
            "multiple devices: cuda:0, cuda:1");
  EXPECT_EQ(reason(R"(
sym u0 data_dependent
graph @main(%x: f32[4]@cuda:0) {
  %a = aten.relu(%x) : f32[4]@cuda:0
  %n = aten.nonzero(%a) : i64[u0, 1]@cuda:0
  return %n
})"),
            "incompatible op (n)");
  constexpr const char* kSymbolic = R"(
sym s0 in [2, 9]
graph @main(%x: f32[s0]@cuda:0) {
  %a = aten.relu(%x) : f32[s0]@cuda:0
  return %a
})";
  EXPECT_EQ(reason(kSymbolic), "");
  EXPECT_EQ(reason(kSymbolic, {.skip_symbolic_sizes = true}), "graph with symbolic shapes inputs");
  EXPECT_EQ(reason("graph @main(%x: f32[4]) {\n  return %x\n}", {.device = DeviceKind::cpu}), "");
}

TEST(CudaGraphs, ModelsExportedOnTheHostAreJudgedAsIfMoved) {
  const auto module = parse(R"(
graph @main(%x: f32[4]) {
  %f = aten.full([4], 1.0, device=cpu) : f32[4]
  %a = aten.add.Tensor(%x, %f) : f32[4]
  return %a
})");
  ir::Graph& graph = *module->find_graph("main");
  EXPECT_THAT(propose_partitions(graph, recordable(), {.single_nodes = true}).partitions,
              IsEmpty());
  ir::place_on(*module, {DeviceKind::cuda, 0});
  const Proposal proposal = propose_partitions(graph, recordable(), {.single_nodes = true});
  ASSERT_EQ(proposal.partitions.size(), 1u);
  EXPECT_EQ(proposal.partitions[0].nodes.size(), 2u);
}

}  // namespace
}  // namespace litz::passes
