#include "litz_corpus/op_call.h"

#include "ir/parser.h"
#include "ir/printer.h"
#include "ops/op_table.h"
#include "ops/samples.h"
#include "support/check.h"
#include "support/json_writer.h"

namespace litz::corpus {
namespace {

constexpr int64_t kUnknownSize = 3;

Bindings hints(const ExprPool& pool) {
  Bindings bindings;
  for (SymbolId id = 0; id < pool.symbol_count(); ++id) {
    bindings.set(id, pool.symbol(id).hint.value_or(kUnknownSize));
  }
  return bindings;
}

void write_integers(JsonWriter& out, const std::vector<int64_t>& values) {
  out.begin_array();
  for (const int64_t value : values) out.value(value);
  out.end_array();
}

void write_inputs(JsonWriter& out, const ops::SampleCall& sample, const Bindings& bindings) {
  out.key("inputs").begin_array();
  for (const ops::SampleInput& input : sample.inputs) {
    const TensorType& type = input.value.tensor();
    out.begin_object().member("dtype", torch_name(type.dtype));
    write_integers(out.key("sizes"), evaluate(type.sizes, bindings));
    write_integers(out.key("strides"), evaluate(type.strides, bindings));
    out.member("lo", input.lo).member("hi", input.hi).end_object();
  }
  out.end_array();
}

// A sample of an operator, with a unique name.
struct Sample {
  const ir::OpInfo& op;
  std::string text;
  std::string name;
};

std::vector<Sample> all_samples(const ops::OpTable& ops) {
  std::vector<Sample> samples;
  for (const ir::OpInfo* op : ops.all()) {
    int number = 0;
    for (const std::string& text : ops::sample_texts(*op)) {
      samples.push_back({*op, text, std::string(op->name()) + "/" + std::to_string(number++)});
    }
  }
  return samples;
}

std::string line(const Sample& call, const std::shared_ptr<const ir::OpSet>& ops) {
  ir::Module module(ops);
  ir::Graph& graph = module.add_graph("main");
  const ops::SampleCall sample = ops::parse_sample(call.op, call.text, graph);
  JsonWriter out;
  out.begin_object()
      .member("case", call.name)
      .member("op", call.op.name())
      .member("call", call.text)
      .member("random", ir::has(call.op.traits, ir::Trait::random));
  write_inputs(out, sample, hints(module.exprs()));
  return out.end_object().take() + "\n";
}

void read_back(ir::Program& program, const std::shared_ptr<const ir::OpSet>& ops) {
  const std::string text = ir::to_string(*program.module);
  const std::string name = program.graph().name();
  program.module = ir::read_module(text, ops);
  program.main = {program.module->find_graph(name)->id()};
  check(ir::to_string(*program.module) == text,
        "a graph must print as the text that it was read from:", text);
}

}  // namespace

std::string list_calls() {
  const std::shared_ptr<const ops::OpTable> ops = ops::standard_ops();
  std::string text;
  for (const Sample& sample : all_samples(*ops)) text += line(sample, ops);
  return text;
}

std::vector<std::string> sample_cases() {
  std::vector<std::string> names;
  for (Sample& sample : all_samples(*ops::standard_ops())) names.push_back(std::move(sample.name));
  return names;
}

ir::Program call_program(const RecordedOpCall& call, const std::shared_ptr<const ir::OpSet>& ops,
                         bool reparse) {
  const ir::OpInfo* op = ops->find(call.op);
  require(op != nullptr, ErrorCode::unsupported, "unknown operator:", call.op);
  ir::Program program;
  program.module = std::make_unique<ir::Module>(ops);
  ir::Graph& graph = program.module->add_graph("main");
  program.main = {graph.id()};
  const ops::SampleCall sample = ops::parse_sample(*op, call.text, graph);
  const ir::Node* node = graph.create(*op, sample.arguments);
  std::vector<ir::Argument> results;
  for (const ir::Value& output : node->outputs()) {
    if (!std::holds_alternative<ir::NoneType>(output.type())) results.emplace_back(output);
  }
  graph.set_outputs(std::move(results));
  for (size_t i = 0; i < graph.input_count(); ++i) {
    program.inputs.push_back({.label = graph.input(i).name()});
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    program.outputs.push_back({.label = "out" + std::to_string(i)});
  }
  if (reparse) read_back(program, ops);
  return program;
}

}  // namespace litz::corpus
