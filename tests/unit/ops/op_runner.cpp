#include "op_runner.h"

#include "kernels/library.h"
#include "loops/interpreter.h"
#include "ops/bodies.h"
#include "ops/random_streams.h"
#include "ops/samples.h"
#include "support/check.h"
#include "types/fill.h"

namespace litz::ops {
namespace {

TensorType type_of(const Tensor& tensor) {
  TensorType type;
  type.dtype = tensor.dtype();
  type.sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  type.strides.assign(tensor.strides().begin(), tensor.strides().end());
  type.offset = tensor.offset();
  return type;
}

std::vector<ir::Argument> add_arguments(GraphRunner& runner,
                                        const std::vector<TestArgument>& given) {
  std::vector<ir::Argument> arguments;
  for (const TestArgument& argument : given) {
    if (const auto* tensor = std::get_if<Tensor>(&argument)) {
      arguments.emplace_back(runner.add_input(*tensor));
    } else if (const auto* list = std::get_if<std::vector<Tensor>>(&argument)) {
      std::vector<ir::Value> entries;
      for (const Tensor& entry : *list) entries.push_back(runner.add_input(entry));
      arguments.emplace_back(std::move(entries));
    } else {
      arguments.emplace_back(std::get<ir::Attribute>(argument));
    }
  }
  return arguments;
}

// A tensor for a sample input; symbolic sizes take their hint.
Tensor fill_sample(const SampleInput& input, uint64_t seed, const Bindings& bindings) {
  const TensorType& type = input.value.tensor();
  const std::vector<int64_t> sizes = evaluate(type.sizes, bindings);
  Tensor values;
  if (is_floating(type.dtype) || is_complex(type.dtype)) {
    const double middle = (input.lo + input.hi) / 2;
    values = fill_floats(type.dtype, sizes, seed, static_cast<float>(input.hi - middle),
                         static_cast<float>(middle));
  } else {
    const auto span = static_cast<uint64_t>(input.hi - input.lo);
    values = fill_integers(DType::i64, sizes, seed, span);
    const Tensor lowest = Tensor::scalar_int(DType::i64, static_cast<int64_t>(input.lo));
    values = run("aten.add.Tensor", {values, lowest}).to(type.dtype);
  }
  return values.clone(evaluate(type.strides, bindings));
}

}  // namespace

const std::shared_ptr<const OpTable>& test_ops() {
  static const std::shared_ptr<const OpTable> table = standard_ops();
  return table;
}

GraphRunner::GraphRunner() : module_(test_ops()), graph_(&module_.add_graph("main")) {}

ir::Value GraphRunner::add_input(const Tensor& tensor) {
  const ir::Value value = graph_->add_input("x", type_of(tensor));
  values_[value.data()] = tensor;
  return value;
}

void GraphRunner::bind(ir::Value value, const Tensor& tensor) { values_[value.data()] = tensor; }

ir::Node& GraphRunner::add_sample(const ir::OpInfo& op, std::string_view text) {
  constexpr int64_t kSize = 3;
  const SampleCall sample = parse_sample(op, text, *graph_);
  const ExprPool& pool = graph_->module().exprs();
  for (SymbolId id = 0; id < pool.symbol_count(); ++id)
    bind(id, pool.symbol(id).hint.value_or(kSize));
  uint64_t seed = 1;
  for (const SampleInput& input : sample.inputs) {
    bind(input.value, fill_sample(input, seed++, bindings_));
  }
  return *graph_->create(op, sample.arguments);
}

std::vector<Tensor> GraphRunner::run_sample(const ir::OpInfo& op, std::string_view text) {
  std::vector<Tensor> results;
  for (const ir::Value& output : add_sample(op, text).outputs()) {
    if (output.is_tensor()) results.push_back(evaluate(output));
  }
  return results;
}

Tensor GraphRunner::evaluate(ir::Value value) {
  if (!values_.contains(value.data())) {
    check(value.producer() != nullptr, "every input of a test graph has a tensor");
    run(*value.producer());
  }
  return values_.at(value.data());
}

Tensor GraphRunner::tensor_of(const TensorType& type) {
  return Tensor::empty_strided(type.dtype, litz::evaluate(type.sizes, bindings_),
                               litz::evaluate(type.strides, bindings_));
}

void GraphRunner::bind_sizes(const TensorType& type, const Tensor& tensor) {
  for (size_t d = 0; d < type.rank() && d < tensor.rank(); ++d) {
    if (type.sizes[d].is_symbol()) bindings_.set(type.sizes[d].symbol(), tensor.sizes()[d]);
  }
}

bool GraphRunner::is_evaluated(const ir::Node& node) const {
  for (const ir::Value& output : node.outputs()) {
    if (!output.is_tensor() || !values_.contains(output.data())) return false;
  }
  return node.output_count() > 0;
}

void GraphRunner::run(ir::Node& node) {
  const OpDef& op = definition(node.op());
  const Call call(node);
  const std::vector<ir::Value> outputs = node.outputs();
  if (std::holds_alternative<View>(op.impl)) {
    const Tensor base = evaluate(node.input(0));
    for (const ir::Value& output : outputs) {
      const TensorType& type = output.tensor();
      values_[output.data()] = Tensor(type.dtype, litz::evaluate(type.sizes, bindings_),
                                      litz::evaluate(type.strides, bindings_),
                                      litz::evaluate(type.offset, bindings_), base.storage());
    }
  } else if (const auto* decompose = std::get_if<Decompose>(&op.impl)) {
    run_decomposition(node, call, *decompose);
  } else if (const auto* library = std::get_if<Library>(&op.impl)) {
    run_library(node, library->function);
  } else if (std::holds_alternative<Structural>(op.impl)) {
    // Assertions give nothing to look at.
    if (node.output_count() > 0) read_number(node);
  } else {
    run_kernel(node, call);
  }
}

void GraphRunner::run_decomposition(const ir::Node& node, const Call& call,
                                    const Decompose& decompose) {
  const std::vector<ir::Value> outputs = node.outputs();
  std::vector<ir::ValueType> types;
  for (const ir::Value& output : outputs) types.push_back(output.type());
  const std::vector<ir::Node*> before = graph_->in_order();
  DecomposeCall decompose_call(call, *graph_, types);
  const std::vector<ir::Value> results = decompose.build(decompose_call);
  check(results.size() == outputs.size(),
        "a decomposition gives every result:", definition(node.op()).schema.text());
  // In order, since one may define a symbol that a later one only mentions.
  for (ir::Node* made : graph_->in_order()) {
    const bool is_new = made->id() > before.back()->id();
    if (is_new && !is_evaluated(*made)) run(*made);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!results[i] || !results[i].is_tensor()) continue;
    values_[outputs[i].data()] = evaluate(results[i]);
    if (outputs[i].is_tensor()) bind_sizes(outputs[i].tensor(), values_[outputs[i].data()]);
  }
}

void GraphRunner::read_number(ir::Node& node) {
  if (node.is("aten._assert_async.msg")) {
    require(evaluate(node.input(0)).int_at({}) != 0, "an assertion must hold");
    return;
  }
  require(node.input_count() == 1 && node.output_count() == 1 &&
              ir::is_scalar(node.output().type()) && node.output().scalar().value.is_symbol(),
          ErrorCode::unsupported,
          "tests run no structural operators:", definition(node.op()).schema.text());
  bindings_.set(node.output().scalar().value.symbol(), evaluate(node.input(0)).int_at({}));
}

namespace {

kernels::LibraryArgument library_argument(const ir::Attribute& attribute,
                                          const Bindings& bindings) {
  if (const auto* scalar = std::get_if<Expr>(&attribute)) {
    if (scalar->domain() == ExprDomain::real) return evaluate_real(*scalar, bindings);
    if (scalar->domain() == ExprDomain::boolean) return evaluate_boolean(*scalar, bindings);
    return evaluate(*scalar, bindings);
  }
  if (const auto* scalars = std::get_if<ir::Scalars>(&attribute)) {
    std::vector<int64_t> numbers;
    for (const Expr entry : *scalars) {
      const bool is_flag = entry.domain() == ExprDomain::boolean;
      numbers.push_back(is_flag ? static_cast<int64_t>(evaluate_boolean(entry, bindings))
                                : evaluate(entry, bindings));
    }
    return numbers;
  }
  if (const auto* complex = std::get_if<std::complex<double>>(&attribute)) return *complex;
  if (const auto* name = std::get_if<std::string>(&attribute)) return *name;
  if (const auto* dtype = std::get_if<DType>(&attribute)) return *dtype;
  return std::monostate();
}

bool is_known(const TensorType& type, const Bindings& bindings) {
  for (const Expr size : type.sizes) {
    for (const SymbolId symbol : free_symbols(size)) {
      if (!bindings.find(symbol)) return false;
    }
  }
  return true;
}

}  // namespace

void GraphRunner::run_library(ir::Node& node, std::string_view function) {
  const kernels::LibraryFunction body = kernels::find_library_function(function);
  require(body != nullptr, ErrorCode::unsupported, "the library has no such function:", function);
  std::vector<kernels::LibraryArgument> arguments;
  for (const ir::Argument& argument : node.arguments()) {
    if (argument.is_value_list()) {
      std::vector<Tensor> list;
      for (const ir::Value& entry : argument.values()) {
        list.push_back(entry ? evaluate(entry) : Tensor());
      }
      arguments.emplace_back(std::move(list));
    } else if (argument.is_value()) {
      arguments.emplace_back(evaluate(argument.value()));
    } else {
      arguments.push_back(library_argument(argument.attribute(), bindings_));
    }
  }
  if (ir::has(node.op().traits, ir::Trait::random)) {
    arguments.emplace_back(int64_t{1});           // The key,
    arguments.emplace_back(ir::stream_of(node));  // and the stream.
  }
  std::vector<Tensor> results;
  for (const ir::Value& output : node.outputs()) {
    const bool is_made = output.is_tensor() && is_known(output.tensor(), bindings_);
    results.push_back(is_made ? tensor_of(output.tensor()) : Tensor());
  }
  kernels::LibraryCall library_call{function, arguments, results};
  body(library_call);
  for (size_t i = 0; i < results.size(); ++i) {
    const ir::Value output = node.output(i);
    if (!output.is_tensor()) continue;
    check(results[i].defined(), "a library function makes every result:", function);
    bind_sizes(output.tensor(), results[i]);
    const std::vector<int64_t> strides = litz::evaluate(output.tensor().strides, bindings_);
    values_[output.data()] =
        results[i].strides() == strides ? results[i] : results[i].clone(strides);
  }
}

void GraphRunner::run_kernel(ir::Node& node, const Call& call) {
  std::vector<ir::ValueType> types;
  for (const ir::Value& output : node.outputs()) {
    types.push_back(output.type());
    if (output.is_tensor()) values_[output.data()] = tensor_of(output.tensor());
  }
  const BoundKernel bound = build_kernel(definition(node.op()), call, types);
  const ExprPool& pool = module_.exprs();
  for (SymbolId id = 0; id < pool.symbol_count(); ++id) {
    if (pool.symbol(id).name == kSeedSymbol) bindings_.set(id, 1);
  }
  std::vector<Tensor> buffers;
  for (const KernelBinding& binding : bound.bindings) {
    const Tensor tensor = binding.source == KernelBinding::Source::operand
                              ? evaluate(binding.operand)
                              : values_.at(node.output(binding.result).data());
    buffers.push_back(binding.restrided
                          ? tensor.view(litz::evaluate(binding.type.sizes, bindings_),
                                        litz::evaluate(binding.type.strides, bindings_),
                                        litz::evaluate(binding.type.offset, bindings_))
                          : tensor);
  }
  loops::interpret(bound.kernel, buffers, bindings_);
}

std::vector<Tensor> run_all(std::string_view op, const std::vector<TestArgument>& arguments) {
  GraphRunner runner;
  ir::Node* node = runner.graph().create(op, add_arguments(runner, arguments));
  std::vector<Tensor> results;
  for (const ir::Value& output : node->outputs()) {
    if (output.is_tensor()) results.push_back(runner.evaluate(output));
  }
  return results;
}

Tensor run(std::string_view op, const std::vector<TestArgument>& arguments) {
  return run_all(op, arguments).at(0);
}

std::vector<ir::ValueType> infer(std::string_view op, const std::vector<TestArgument>& arguments) {
  GraphRunner runner;
  ir::Node* node = runner.graph().create(op, add_arguments(runner, arguments));
  std::vector<ir::ValueType> types;
  for (const ir::Value& output : node->outputs()) types.push_back(output.type());
  return types;
}

Tensor f32(std::vector<int64_t> sizes, std::initializer_list<float> values) {
  return Tensor::of(DType::f32, std::move(sizes), values);
}

Tensor i64(std::vector<int64_t> sizes, std::initializer_list<int64_t> values) {
  return Tensor::of(DType::i64, std::move(sizes), values);
}

TestArgument number(double value) { return ir::Attribute(Expr::real(value)); }

TestArgument integer(int64_t value) { return ir::Attribute(Expr(value)); }

TestArgument boolean(bool value) { return ir::Attribute(Expr::boolean(value)); }

TestArgument text(std::string value) { return ir::Attribute(std::move(value)); }

TestArgument none() { return ir::Attribute(std::monostate{}); }

TestArgument integers(std::vector<int64_t> values) {
  return ir::Attribute(ir::Scalars(values.begin(), values.end()));
}

std::vector<double> values(const Tensor& tensor) {
  const Tensor flat = tensor.to(DType::f64).contiguous();
  std::vector<double> result(static_cast<size_t>(flat.numel()));
  const Tensor row = flat.view({flat.numel()}, {1}, flat.offset());
  for (int64_t i = 0; i < flat.numel(); ++i) result[static_cast<size_t>(i)] = row.at({i});
  return result;
}

}  // namespace litz::ops
