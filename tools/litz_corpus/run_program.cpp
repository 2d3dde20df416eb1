#include "litz_corpus/run_program.h"

#include <algorithm>
#include <chrono>

#include "import/import.h"
#include "litz_corpus/judge.h"
#include "ops/op_table.h"
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
  // Strides of tensors without elements, and of dimensions of size 1, address nothing.
  const bool empty = known_equal(a.numel(), Expr(0));
  for (size_t d = 0; d < a.rank(); ++d) {
    if (!known_equal(a.sizes[d], b.sizes[d])) return false;
    if (empty || known_equal(a.sizes[d], Expr(1))) continue;
    if (!known_equal(a.strides[d], b.strides[d])) return false;
  }
  return true;
}

// Values that nobody can repeat: random numbers and uninitialised memory.
bool is_random(const ir::Program& program) {
  for (const ir::Graph* graph : program.module->graphs()) {
    for (const ir::Node* node : graph->in_order()) {
      if (has(node->op().traits, ir::Trait::random)) return true;
      const std::string_view name = node->op().name();
      if (name.starts_with("aten.empty") || name.starts_with("aten.new_empty")) {
        return true;
      }
    }
  }
  return false;
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

Leaf scalar_leaf(const Tensor& tensor, ExprDomain domain) {
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

// The recorded arrays as the program's user inputs, in order.
std::vector<Leaf> input_leaves(const ir::Program& program, const RecordedCall& call) {
  std::vector<Leaf> leaves;
  const ir::Graph& graph = program.graph();
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const ir::InputSpec& spec = program.inputs[i];
    if (spec.kind == ir::InputKind::constant_value) {
      leaves.push_back(compiler::literal_leaf(spec.literal));
      continue;
    }
    if (spec.kind != ir::InputKind::user) continue;
    const size_t k = leaves.size();
    require(k < call.inputs.size() && call.inputs[k].defined(), ErrorCode::not_found,
            "the corpus has no array for input", k);
    const ir::ValueType& type = graph.input(i).type();
    if (const auto* tensor = std::get_if<TensorType>(&type)) {
      leaves.push_back(with_dtype(call.inputs[k], tensor->dtype));
    } else {
      leaves.push_back(scalar_leaf(call.inputs[k], std::get<ir::ScalarType>(type).domain));
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

// The call again and again, with a later device call failing each time, until none does. A call that
// fails leaves behind what it has updated in place, so programs that update anything only run.
std::vector<Leaf> run_with_faults(Executable& executable, const std::vector<Leaf>& inputs) {
  const bool updates = std::ranges::any_of(
      executable.program().outputs,
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

void run_call(Executable& executable, const RecordedCall& call, int number, bool has_faults,
              Verdict& verdict) {
  const std::vector<Leaf> inputs = input_leaves(executable.program(), call);
  const std::vector<Leaf> outputs =
      has_faults ? run_with_faults(executable, inputs) : executable.run(inputs);
  const std::string prefix = number == 0 ? "" : "call " + std::to_string(number) + ", ";
  size_t k = 0;
  for (const Leaf& leaf : outputs) {
    const Tensor* tensor = std::get_if<Tensor>(&leaf);
    if (tensor == nullptr) continue;
    if (k >= call.outputs.size()) break;
    if (call.outputs[k].values.defined()) {
      note(verdict, judge(*tensor, call.outputs[k], verdict.random),
           prefix + "output " + std::to_string(k));
    }
    ++k;
  }
  if (k != call.outputs.size()) {
    note(verdict, {false, 0, "the program returned another number of tensors than recorded"},
         prefix + std::to_string(call.outputs.size()) + " outputs");
  }
  for (size_t i = 0; i < call.after.size() && i < inputs.size(); ++i) {
    const Tensor* input = std::get_if<Tensor>(&inputs[i]);
    if (input == nullptr || !call.after[i].defined()) continue;
    note(verdict, judge(*input, {.values = call.after[i]}, verdict.random),
         prefix + "input " + std::to_string(i) + " after the call");
  }
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

Verdict run_program(const RecordedProgram& recorded, const compiler::Options& options) {
  Verdict verdict;
  const auto start = std::chrono::steady_clock::now();
  try {
    ir::Program program = import_recorded(recorded, verdict);
    const auto read_again = [&](const std::map<std::string, int64_t>& sizes) {
      Verdict unused;
      return import_recorded(recorded, unused, sizes);
    };
    Executable executable(std::move(program), options, {.read_again = read_again});
    // Asked of what runs: dropout outside training draws nothing.
    verdict.random = is_random(executable.program());
    const std::vector<RecordedCall> calls = load_calls(recorded);
    for (size_t k = 0; k < calls.size(); ++k) {
      run_call(executable, calls[k], static_cast<int>(k), options.test_modes.fault, verdict);
    }
  } catch (const InternalError& error) {
    verdict.outcome = Outcome::crashed;
    verdict.reason = error.what();
  } catch (const Error& error) {
    verdict.outcome = Outcome::refused;
    verdict.reason = error.what();
  } catch (const std::exception& error) {
    verdict.outcome = Outcome::crashed;
    verdict.reason = error.what();
  }
  verdict.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return verdict;
}

}  // namespace litz::corpus
