#include "compiler/api/tape.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "compiler/api/saved_storages.h"
#include "support/check.h"
#include "support/recently_used.h"

// After the library's own names.
#include "compiler/api/tracing.h"
#include "litz/tape.h"

namespace litz {
inline namespace v1 {
namespace {

// Tapes of more structures than that are compiled again.
constexpr size_t kMostBackwardPrograms = 256;

int& scopes_without_gradients() {
  thread_local int scopes = 0;
  return scopes;
}

/// How a pass over a tape is put together, apart from the tensors.
class Pass {
 public:
  /// Calls that `of` depends on, the last first, and the leaves that they lead to.
  explicit Pass(const std::shared_ptr<Variable>& of) {
    std::set<const RecordedCall*> seen;
    std::vector<const Variable*> todo{of.get()};
    while (!todo.empty()) {
      const Variable* variable = todo.back();
      todo.pop_back();
      const RecordedCall* call = variable->call.get();
      if (call == nullptr || !seen.insert(call).second) continue;
      require(call->program != nullptr, OwnErrorCode::unsupported,
              "a result depends on an operator without gradients:", call->failure);
      require(!call->is_released, OwnErrorCode::invalid_argument,
              "the tensors that gradients need were released by an earlier backward pass: retain "
              "them there, with backward({.retains = true})");
      calls_.push_back(call);
      for (const auto& operand : call->operands) todo.push_back(operand.get());
    }
    std::ranges::sort(calls_, std::ranges::greater(), &RecordedCall::number);
    number(of.get());
    for (const RecordedCall* call : calls_) {
      for (const auto& operand : call->operands) number(operand.get());
    }
  }

  std::span<const RecordedCall* const> calls() const { return calls_; }

  /// Equal for passes of one program: which backward parts there are, and how they are connected.
  std::string structure(const OwnTensor& cotangent) const {
    std::string bytes = to_string(trace::type_of(cotangent));
    const auto add = [&](auto value) {
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    for (const RecordedCall* call : calls_) {
      add(reinterpret_cast<uintptr_t>(call->program.get()));
      for (size_t i = 0; i < call->results.size(); ++i) add(number_of(call, i));
      for (const auto& operand : call->operands) {
        add(numbers_.at(operand.get()));
        add(operand->call == nullptr);
      }
    }
    return bytes;
  }

  /// The program of all backward parts: from the cotangent and the saved tensors, call by call, to the
  /// gradients of leaves. `reached` gets the numbers of the leaves that have one.
  ir::Program program(const OwnTensor& cotangent, std::vector<size_t>& reached) const {
    trace::Tracer tracer(compiler::program_ops());
    std::vector<ir::Value> gradients(variables_.size());
    gradients[0] = tracer.add_argument(trace::type_of(cotangent), "cotangent");
    for (const RecordedCall* call : calls_) {
      const compiler::DifferentiableProgram& program = *call->program;
      std::vector<ir::Value> inputs;
      for (const OwnTensor& tensor : call->saved) {
        inputs.push_back(tracer.add_argument(trace::type_of(tensor), "saved"));
      }
      for (const size_t result : program.varying_results()) {
        inputs.push_back(cotangent_of(tracer, call, result, gradients));
      }
      const std::vector<ir::Argument> outputs =
          tracer.add_graph(program.backward().graph(), inputs);
      for (size_t i = 0; i < call->operands.size(); ++i) {
        if (!program.gradients()[i]) continue;
        ir::Value& sum = gradients[numbers_.at(call->operands[i].get())];
        const ir::Value gradient = outputs[*program.gradients()[i]].value();
        sum = sum ? tracer.call("aten.add.Tensor", {sum, gradient})[0] : gradient;
      }
    }
    std::vector<ir::Argument> results;
    for (size_t i = 0; i < variables_.size(); ++i) {
      if (variables_[i]->call != nullptr || !gradients[i]) continue;
      reached.push_back(i);
      // A gradient of its own, which shares no memory with another one.
      results.emplace_back(
          tracer.call("aten.clone", {gradients[i], ir::Attribute(OwnMemoryFormat::contiguous)})[0]);
    }
    return tracer.finish(std::move(results));
  }

  Variable& variable(size_t number) const { return *variables_[number]; }

 private:
  void number(const Variable* variable) {
    if (numbers_.try_emplace(variable, variables_.size()).second) {
      variables_.push_back(const_cast<Variable*>(variable));
      if (variable->call)
        results_[{variable->call.get(), variable->result}] = variables_.size() - 1;
    }
  }

  static constexpr size_t kNone = SIZE_MAX;

  size_t number_of(const RecordedCall* call, size_t result) const {
    const auto found = results_.find({call, result});
    return found == results_.end() ? kNone : found->second;
  }

  /// The gradient of a result; zeros if nothing depends on it.
  ir::Value cotangent_of(trace::Tracer& tracer, const RecordedCall* call, size_t result,
                         const std::vector<ir::Value>& gradients) const {
    const size_t number = number_of(call, result);
    if (number != kNone && gradients[number]) {
      return tracer.call("aten.clone",
                         {gradients[number], ir::Attribute(OwnMemoryFormat::contiguous)})[0];
    }
    const TensorType& type = call->results[result];
    return tracer.call("aten.zeros", {ir::Scalars(type.sizes.begin(), type.sizes.end()),
                                      ir::Attribute(type.dtype)})[0];
  }

  std::vector<const RecordedCall*> calls_;
  std::vector<Variable*> variables_;
  std::unordered_map<const Variable*, size_t> numbers_;
  std::map<std::pair<const RecordedCall*, size_t>, size_t> results_;
};

struct BackwardProgram {
  compiler::TracedProgram program;
  std::vector<size_t> reached;
  std::vector<std::shared_ptr<const compiler::DifferentiableProgram>> parts;  ///< Named in the key.
};

std::shared_ptr<BackwardProgram> program_for(const Pass& pass, const OwnTensor& cotangent) {
  static std::mutex mutex;
  static RecentlyUsed<std::shared_ptr<BackwardProgram>> programs(kMostBackwardPrograms);
  std::string key = pass.structure(cotangent);
  const std::lock_guard lock(mutex);
  if (const auto* known = programs.find(key)) return *known;
  std::vector<size_t> reached;
  ir::Program program = pass.program(cotangent, reached);
  auto made = std::make_shared<BackwardProgram>(
      BackwardProgram{compiler::TracedProgram(std::move(program), compiler::traced_options()),
                      std::move(reached),
                      {}});
  for (const RecordedCall* call : pass.calls()) made->parts.push_back(call->program);
  return programs.add(std::move(key), std::move(made));
}

void accumulate(Variable& leaf, OwnTensor gradient) {
  if (leaf.gradient) {
    const NoGrad scope;
    const Tensor sum = detail::call_for_one(
        "aten.add.Tensor",
        {TensorAccess::shown(*leaf.gradient), TensorAccess::shown(std::move(gradient)), Scalar(1)});
    leaf.gradient = TensorAccess::own(sum);
  } else {
    leaf.gradient = std::move(gradient);
  }
}

void release(RecordedCall& call) {
  for (const OwnTensor& tensor : call.saved) compiler::forget_writes(tensor.storage().get());
  call.saved.clear();
  call.writes.clear();
  call.is_released = true;
}

}  // namespace

// Calls hang on each other in chains as long as a program; ending them one inside the other would
// take as much stack.
RecordedCall::~RecordedCall() {
  if (!is_released) release(*this);
  std::vector<std::shared_ptr<Variable>> todo = std::move(operands);
  while (!todo.empty()) {
    const std::shared_ptr<Variable> variable = std::move(todo.back());
    todo.pop_back();
    if (variable.use_count() > 1 || variable->call.use_count() != 1) continue;
    std::vector<std::shared_ptr<Variable>> inner = std::move(variable->call->operands);
    variable->call->operands.clear();
    for (auto& each : inner) todo.push_back(std::move(each));
  }
}

bool records_gradients() { return scopes_without_gradients() == 0 && current_tracer() == nullptr; }

NoGrad::NoGrad() { ++scopes_without_gradients(); }

NoGrad::~NoGrad() { --scopes_without_gradients(); }

std::vector<std::shared_ptr<Variable>> record(const std::shared_ptr<RecordedCall>& call,
                                              std::span<const OwnTensor> results) {
  static std::atomic<uint64_t> calls = 0;
  call->number = calls++;
  for (const OwnTensor& tensor : call->saved) {
    call->writes.push_back(compiler::count_writes(tensor.storage().get()));
  }
  std::vector<std::shared_ptr<Variable>> variables(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    call->results.push_back(trace::type_of(results[i]));
    const bool varies = is_floating(results[i].dtype()) || is_complex(results[i].dtype());
    if (varies) variables[i] = std::make_shared<Variable>(Variable{call, i});
  }
  return variables;
}

void run_backward(const std::shared_ptr<Variable>& variable, const OwnTensor& cotangent,
                  bool retains) {
  if (variable->call == nullptr) return accumulate(*variable, cotangent.clone(cotangent.strides()));
  const Pass pass(variable);
  std::vector<OwnTensor> inputs{cotangent};
  for (const RecordedCall* call : pass.calls()) {
    for (size_t i = 0; i < call->saved.size(); ++i) {
      const OwnTensor& tensor = call->saved[i];
      const uint64_t writes = compiler::count_writes(tensor.storage().get());
      compiler::forget_writes(tensor.storage().get());
      require(writes == call->writes[i], OwnErrorCode::invalid_argument,
              "a tensor that a gradient needs was written in place after it was used:",
              trace::type_of(tensor));
      inputs.push_back(tensor);
    }
  }
  const std::shared_ptr<BackwardProgram> program = program_for(pass, cotangent);
  if (!retains) {
    for (const RecordedCall* call : pass.calls()) release(const_cast<RecordedCall&>(*call));
  }
  std::vector<OwnTensor> gradients = program->program.run(inputs);
  for (size_t i = 0; i < gradients.size(); ++i) {
    accumulate(pass.variable(program->reached[i]), std::move(gradients[i]));
  }
}

}  // namespace v1
}  // namespace litz
