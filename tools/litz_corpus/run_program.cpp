#include "litz_corpus/run_program.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "compiler/gradients.h"
#include "compiler/program_signature.h"
#include "import/import.h"
#include "litz_corpus/judge.h"
#include "litz_corpus/op_call.h"
#include "litz_corpus/unrepeatable.h"
#include "ops/op_table.h"
#include "runtime/program/call_inputs.h"
#include "support/check.h"

namespace litz::corpus {
namespace {

using compiler::Executable;
using compiler::Leaf;

std::string difference(const ir::Node& node, size_t result, const TensorType& inferred,
                       const TensorType& recorded) {
  return "%" + node.output(result).name() + " = " + std::string(node.op().name()) + ": inferred " +
         to_string(inferred) + ", recorded " + to_string(recorded);
}

bool same_type(const TensorType& a, const TensorType& b) {
  if (a.dtype != b.dtype || a.rank() != b.rank()) return false;
  // Strides of tensors without elements, and of dimensions of size 1, have no effect.
  const bool empty = known_equal(a.numel(), Expr(0));
  for (size_t d = 0; d < a.rank(); ++d) {
    if (!known_equal(a.sizes[d], b.sizes[d])) return false;
    if (empty || known_equal(a.sizes[d], Expr(1))) continue;
    if (!known_equal(a.strides[d], b.strides[d])) return false;
  }
  return true;
}

ir::Program import_recorded(const RecordedProgram& recorded, Verdict& verdict,
                            const std::map<std::string, int64_t>& sizes = {}) {
  const WeightRecipe recipe(recorded);
  import_::ImportOptions options;
  options.fixed_sizes = sizes;
  options.weights = [&](const std::string& entry, size_t bytes) {
    return recipe.fill(entry, bytes);
  };
  options.on_type = [&](const ir::Node& node, size_t result, const TensorType& inferred,
                        const TensorType& recorded_type) {
    ++verdict.types;
    if (!same_type(inferred, recorded_type)) {
      verdict.type_differences.push_back(difference(node, result, inferred, recorded_type));
    }
  };
  return import_::import_program(recorded.archive, ops::standard_ops(), options);
}

Leaf host_value(const Tensor& tensor, ExprDomain domain) {
  switch (domain) {
    case ExprDomain::integer:
      return tensor.int_at({});
    case ExprDomain::real:
      return tensor.at({});
    case ExprDomain::boolean:
      return tensor.int_at({}) != 0;
  }
  return std::monostate();
}

// Elements in the layout that the program has in memory. Recorded arrays of single calls are dense.
Tensor laid_out(const Tensor& tensor, const TensorType& type) {
  if (!std::ranges::all_of(type.strides, &Expr::is_constant)) return tensor;
  return tensor.clone(evaluate(type.strides, Bindings()));
}

// Compares the layouts that the program states for its results with PyTorch's.
void compare_strides(const ir::Program& program, const RecordedOpCall& call, Verdict& verdict) {
  const std::span<const ir::Argument> outputs = program.graph().outputs();
  for (size_t i = 0; i < outputs.size() && i < call.strides.size(); ++i) {
    const ir::Value value = outputs[i].value();
    const auto* type = std::get_if<TensorType>(&value.type());
    if (type == nullptr || !call.strides[i]) continue;
    TensorType recorded = *type;
    recorded.strides.assign(call.strides[i]->begin(), call.strides[i]->end());
    ++verdict.types;
    if (recorded.strides.size() != type->rank() || same_type(*type, recorded)) continue;
    verdict.type_differences.push_back(call.op + " output " + std::to_string(i) + ": inferred " +
                                       to_string(*type) + ", recorded " + to_string(recorded));
  }
}

// The recorded arrays as the program's user inputs, in order.
std::vector<Leaf> input_leaves(const ir::Program& program, const RecordedCall& call) {
  std::vector<Leaf> leaves;
  const ir::Graph& graph = program.graph();
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const ir::InputSpec& spec = program.inputs[i];
    if (spec.kind == ir::InputKind::constant_value) {
      leaves.push_back(runtime::literal_value(compiler::literal_of(spec.literal)));
      continue;
    }
    if (spec.kind != ir::InputKind::user) continue;
    const size_t k = leaves.size();
    require(k < call.inputs.size() && call.inputs[k].defined(), ErrorCode::not_found,
            "the corpus has no array for input", k);
    const ir::ValueType& type = graph.input(i).type();
    if (const auto* tensor = std::get_if<TensorType>(&type)) {
      const Tensor given = with_dtype(call.inputs[k], tensor->dtype);
      leaves.push_back(call.is_dense ? laid_out(given, *tensor) : given);
    } else {
      leaves.push_back(host_value(call.inputs[k], std::get<ir::ScalarType>(type).domain));
    }
  }
  return leaves;
}

void note(Verdict& verdict, const Judgement& judgement, const std::string& what) {
  verdict.error = std::max(verdict.error, judgement.error);
  if (judgement.right || verdict.outcome == Outcome::wrong) return;
  verdict.outcome = Outcome::wrong;
  verdict.reason = what + ": " + judgement.reason;
}

// Repeats the call, with a later device call failing each time, until none fails. A failed call
// leaves its updates in place behind, so programs that update anything only run.
std::vector<Leaf> run_with_faults(Executable& executable, const std::vector<Leaf>& inputs) {
  const bool updates = std::ranges::any_of(
      executable.program()->outputs,
      [](const ir::OutputSpec& output) { return ir::is_mutation(output.kind); });
  if (updates) return executable.run(inputs);
  for (int64_t n = 1;; n += 1 + n / 16) {
    executable.fail_call(n);
    try {
      return executable.run(inputs);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io) throw;
    }
  }
}

// The random results of a program: user results in order, and mutated inputs by user input.
struct RandomResults {
  std::vector<bool> outputs;
  std::vector<bool> inputs;

  explicit RandomResults(const ir::Program& program) {
    const std::vector<bool> unrepeatable = unrepeatable_outputs(program);
    std::vector<bool> by_input(program.inputs.size(), false);
    for (size_t i = 0; i < program.outputs.size(); ++i) {
      const ir::OutputSpec& spec = program.outputs[i];
      if (ir::is_user_output(spec.kind)) outputs.push_back(unrepeatable[i]);
      if (ir::is_mutation(spec.kind)) by_input[static_cast<size_t>(spec.input)] = unrepeatable[i];
    }
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      const ir::InputKind kind = program.inputs[i].kind;
      const bool is_given = kind == ir::InputKind::user || kind == ir::InputKind::constant_value;
      if (is_given) inputs.push_back(by_input[i]);
    }
  }

  bool any() const {
    return std::ranges::count(outputs, true) + std::ranges::count(inputs, true) > 0;
  }
};

// Runs the calls of one program and judges them.
class Session {
 public:
  Session(const RecordedProgram& recorded, const RunOptions& options, Executable& executable,
          Verdict& verdict)
      : recorded_(recorded),
        has_faults_(options.compile.test_modes.fault),
        executable_(executable),
        random_(*executable.program()),
        verdict_(verdict) {
    verdict_.random |= random_.any();
  }

  void call(const RecordedCall& call, const std::string& where) {
    const std::vector<Leaf> inputs = input_leaves(*executable_.program(), call);
    const std::vector<Leaf> outputs =
        has_faults_ ? run_with_faults(executable_, inputs) : executable_.run(inputs);
    if (!call.is_judged) return;
    judge_outputs(call, outputs, where);
    for (size_t i = 0; i < call.after.size() && i < inputs.size(); ++i) {
      const Tensor* input = std::get_if<Tensor>(&inputs[i]);
      if (input == nullptr || !call.after[i].values.defined()) continue;
      note(verdict_, judge(*input, call.after[i], yardstick(random_.inputs.at(i))),
           where + "input " + std::to_string(i) + " after the call");
    }
  }

 private:
  Yardstick yardstick(bool random) const { return {random, recorded_.tolerance}; }

  void judge_outputs(const RecordedCall& call, const std::vector<Leaf>& outputs,
                     const std::string& where) {
    size_t k = 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Tensor* tensor = std::get_if<Tensor>(&outputs[i]);
      if (tensor == nullptr) continue;
      if (k < call.outputs.size() && call.outputs[k].values.defined()) {
        note(verdict_, judge(*tensor, call.outputs[k], yardstick(random_.outputs.at(i))),
             where + "output " + std::to_string(k));
      }
      ++k;
    }
    if (k == call.outputs.size()) return;
    note(verdict_,
         {false, 0,
          "the program returned " + std::to_string(k) + " tensors, recorded are " +
              std::to_string(call.outputs.size())},
         where + "outputs");
  }

  const RecordedProgram& recorded_;
  bool has_faults_;
  Executable& executable_;
  RandomResults random_;
  Verdict& verdict_;
};

bool is_floating_tensor(const ir::ValueType& type) {
  const auto* tensor = std::get_if<TensorType>(&type);
  return tensor != nullptr && is_floating(tensor->dtype);
}

// Makes the gradients of all floating inputs the only results. The cotangents of the floating
// results are further inputs.
void differentiate(ir::Program& program) {
  compiler::make_differentiable(program);
  ir::Graph& graph = program.graph();
  autodiff::Request request;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const bool is_given = program.inputs[i].kind == ir::InputKind::user;
    if (is_given && is_floating_tensor(graph.input(i).type())) request.inputs.push_back(i);
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const ir::Argument& output = graph.outputs()[i];
    const bool is_result = ir::is_user_output(program.outputs[i].kind) && output.is_value();
    if (is_result && is_floating_tensor(output.value().type())) request.outputs.push_back(i);
  }
  const size_t results = program.outputs.size();
  const autodiff::Joint joint = compiler::add_gradients(program, request);
  require(program.outputs.size() > results, ErrorCode::unsupported,
          "no result depends on an input that has a gradient");
  const std::vector<ir::Argument> outputs(graph.outputs().begin(), graph.outputs().end());
  graph.set_outputs({outputs.begin() + static_cast<ptrdiff_t>(results), outputs.end()});
  program.outputs.erase(program.outputs.begin(),
                        program.outputs.begin() + static_cast<ptrdiff_t>(results));
}

ir::Program program_of(const RecordedProgram& recorded, const RunOptions& options,
                       Verdict& verdict) {
  static const std::shared_ptr<const ops::OpTable> table = ops::standard_ops();
  if (recorded.op_call) {
    ir::Program program = call_program(*recorded.op_call, table, options.reparse);
    compare_strides(program, *recorded.op_call, verdict);
    return program;
  }
  ir::Program program = import_recorded(recorded, verdict);
  if (recorded.gradients) differentiate(program);
  return program;
}

void run_calls(const RecordedProgram& recorded, const RecordedRun& run, const std::string& where,
               const RunOptions& options, Verdict& verdict) {
  Verdict types;
  const auto read_again = [&](const std::map<std::string, int64_t>& sizes) {
    Verdict unused;
    return import_recorded(recorded, unused, sizes);
  };
  compiler::Surroundings surroundings;
  if (!recorded.op_call && !recorded.gradients) surroundings.read_again = read_again;
  Executable executable(program_of(recorded, options, types), options.compile, surroundings);
  if (verdict.types == 0) {
    verdict.types = types.types;
    verdict.type_differences = std::move(types.type_differences);
  }
  Session session(recorded, options, executable, verdict);
  for (size_t k = 0; k < run.calls.size(); ++k) {
    session.call(run.calls[k], where + (k == 0 ? "" : "call " + std::to_string(k) + ", "));
  }
}

void run_and_judge(const RecordedProgram& recorded, const RecordedRun& run,
                   const std::string& where, const RunOptions& options, Verdict& verdict) {
  try {
    run_calls(recorded, run, where, options, verdict);
  } catch (const InternalError&) {
    throw;
  } catch (const Error&) {
    if (!run.is_refused) throw;
    return;
  }
  if (!run.is_refused) return;
  note(verdict, {false, INFINITY, "the program ran, and PyTorch raises"}, where + "call");
}

}  // namespace

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::right:
      return "right";
    case Outcome::wrong:
      return "wrong";
    case Outcome::refused:
      return "refused";
    case Outcome::crashed:
      return "crashed";
  }
  return "?";
}

Verdict run_program(const RecordedProgram& recorded, const RunOptions& options) {
  Verdict verdict;
  const auto start = std::chrono::steady_clock::now();
  std::string where;
  try {
    const std::vector<RecordedRun> runs = load_runs(recorded);
    for (size_t i = 0; i < runs.size(); ++i) {
      if (runs.size() > 1) where = "run " + std::to_string(i) + ", ";
      run_and_judge(recorded, runs[i], where, options, verdict);
    }
  } catch (const InternalError& error) {
    verdict.outcome = Outcome::crashed;
    verdict.reason = where + error.what();
  } catch (const Error& error) {
    // A wrong result of an earlier run takes precedence.
    if (verdict.outcome != Outcome::wrong) {
      verdict.outcome = Outcome::refused;
      verdict.reason = where + error.what();
    }
  } catch (const std::exception& error) {
    verdict.outcome = Outcome::crashed;
    verdict.reason = where + error.what();
  }
  verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return verdict;
}

}  // namespace litz::corpus
