#include "compiler/api/operator_calls.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "ops/user_operators.h"
#include "support/recently_used.h"
#include "support/thread_pool.h"
#include "trace/tracer.h"

namespace litz::compiler {

bool is_same(const Tensor& a, const Tensor& b) {
  return a.storage() == b.storage() && a.offset() == b.offset() && a.dtype() == b.dtype() &&
         a.sizes() == b.sizes() && a.strides() == b.strides();
}

std::optional<size_t> written_operand(const ir::OpInfo& op, size_t i) {
  const std::vector<ir::SchemaReturn>& returns = op.schema.returns;
  if (i >= returns.size() || !returns[i].mutated) return std::nullopt;
  const std::vector<ir::SchemaArgument>& arguments = op.schema.arguments;
  const auto operand = std::ranges::find_if(arguments, [&](const ir::SchemaArgument& argument) {
    return argument.mutated && argument.alias == returns[i].alias;
  });
  if (operand == arguments.end()) return std::nullopt;
  return static_cast<size_t>(operand - arguments.begin());
}

namespace {

/// Calls whose programs are kept, 45 KB each: more than those of a large model's one step.
constexpr size_t kMostCalls = 16384;

/// The bytes that tell two programs of one call apart.
class CallKey {
 public:
  template <typename T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  void add(const std::vector<int64_t>& list) {
    add(list.size());
    bytes_.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(int64_t));
  }

  void add(const CallArgument& argument, size_t i, bool with_offset) {
    const Tensor& tensor = argument.tensors[i];
    add(tensor.defined() ? static_cast<int>(tensor.dtype()) : -1);
    if (!tensor.defined()) return;
    add(tensor.device().kind);
    add(tensor.device().index);
    const void* variable = argument.variables.empty() ? nullptr : argument.variables[i];
    add(tensor.sizes());
    add(tensor.strides());
    if (with_offset) add(tensor.offset());
    add(number_of(tensor, variable));
    add(variable != nullptr);
  }

  void add(const ir::Attribute& attribute) {
    const std::string text = ir::to_string(attribute);
    add(text.size());
    bytes_ += text;
  }

  const std::string& bytes() const { return bytes_; }

  /// The different tensors of the call: the inputs of its program.
  const std::vector<Tensor>& tensors() const { return tensors_; }

  /// What collects their gradients.
  const std::vector<const void*>& variables() const { return variables_; }

  /// By tensor of the arguments that is there: its input.
  const std::vector<size_t>& numbers() const { return numbers_; }

 private:
  /// The first of the tensors so far that is the same: it becomes one input with them.
  size_t number_of(const Tensor& tensor, const void* variable) {
    size_t number = 0;
    while (number < tensors_.size() &&
           !(variables_[number] == variable && is_same(tensors_[number], tensor))) {
      ++number;
    }
    if (number == tensors_.size()) {
      tensors_.push_back(tensor);
      variables_.push_back(variable);
    }
    numbers_.push_back(number);
    return number;
  }

  std::string bytes_;
  std::vector<Tensor> tensors_;
  std::vector<const void*> variables_;
  std::vector<size_t> numbers_;
};

/// Views of a view count from the start of the memory, all else from its own first element.
bool counts_from_start(const ir::OpInfo& op) { return has(op.traits, ir::Trait::view); }

ir::Program program_of(const ir::OpInfo& op, const std::vector<CallArgument>& arguments,
                       const CallKey& key) {
  trace::Tracer tracer(program_ops());
  std::vector<ir::Value> inputs;
  for (const Tensor& tensor : key.tensors()) {
    TensorType type = trace::type_of(tensor);
    if (counts_from_start(op)) type.offset = tensor.offset();
    inputs.push_back(tracer.add_argument(type, "input" + std::to_string(inputs.size())));
  }
  size_t next = 0;
  const auto input = [&](const Tensor& tensor) {
    return tensor.defined() ? inputs[key.numbers()[next++]] : ir::Value();
  };
  std::vector<ir::Argument> operands;
  for (const CallArgument& argument : arguments) {
    if (argument.kind == CallArgument::Kind::attribute) {
      operands.emplace_back(argument.attribute);
    } else if (argument.kind == CallArgument::Kind::tensor) {
      operands.emplace_back(input(argument.tensors[0]));
    } else {
      std::vector<ir::Value> list;
      for (const Tensor& tensor : argument.tensors) list.push_back(input(tensor));
      operands.emplace_back(std::move(list));
    }
  }
  std::vector<ir::Argument> outputs;
  const std::vector<ir::Value> results = tracer.call(op.name(), std::move(operands));
  for (size_t i = 0; i < results.size(); ++i) {
    if (!written_operand(op, i)) outputs.emplace_back(results[i]);
  }
  return tracer.finish(std::move(outputs));
}

/// As PyTorch: what has dimensions lies on one device, but for copies and indices.
void require_one_device(const ir::OpInfo& op, std::span<const Tensor> tensors) {
  const auto is_on_card = [](const Tensor& tensor) { return tensor.device() != Device{}; };
  const auto card = std::ranges::find_if(tensors, is_on_card);
  if (card == tensors.end() || op.name() == "aten.copy_" || op.name().starts_with("aten.index")) {
    return;
  }
  for (const Tensor& tensor : tensors) {
    require(is_on_card(tensor) || tensor.rank() == 0, "the tensors of", op.name(),
            "must lie on one device, not on", to_string(card->device()), "and cpu: copy them");
  }
}

CallKey key_of(const ir::OpInfo& op, const std::vector<CallArgument>& arguments) {
  CallKey key;
  key.add(reinterpret_cast<uintptr_t>(&op));
  for (const CallArgument& argument : arguments) {
    key.add(argument.kind);
    if (argument.kind == CallArgument::Kind::attribute) key.add(argument.attribute);
    if (argument.kind != CallArgument::Kind::attribute) key.add(argument.tensors.size());
    for (size_t i = 0; i < argument.tensors.size(); ++i) {
      key.add(argument, i, counts_from_start(op));
    }
  }
  require_one_device(op, key.tensors());
  return key;
}

std::shared_ptr<TracedProgram> prepared(const ir::OpInfo& op,
                                        const std::vector<CallArgument>& arguments,
                                        const CallKey& key) {
  static std::mutex mutex;
  static RecentlyUsed<std::shared_ptr<TracedProgram>> calls(kMostCalls);
  {
    const std::lock_guard lock(mutex);
    if (const auto* known = calls.find(key.bytes())) return *known;
  }
  auto call = std::make_shared<TracedProgram>(program_of(op, arguments, key), traced_options());
  const std::lock_guard lock(mutex);
  if (const auto* known = calls.find(key.bytes())) return *known;
  return calls.add(key.bytes(), std::move(call));
}

/// A call's program with gradients, or why there is none.
struct PreparedGradients {
  std::shared_ptr<DifferentiableProgram> program;
  std::string failure;
};

PreparedGradients differentiated(const ir::OpInfo& op, const std::vector<CallArgument>& arguments,
                                 const CallKey& key) {
  std::vector<size_t> wanted;
  for (size_t i = 0; i < key.variables().size(); ++i) {
    if (key.variables()[i] != nullptr) wanted.push_back(i);
  }
  try {
    return {std::make_shared<DifferentiableProgram>(program_of(op, arguments, key),
                                                    std::move(wanted), traced_options()),
            ""};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return {nullptr, error.what()};
  }
}

PreparedGradients prepared_gradients(const ir::OpInfo& op,
                                     const std::vector<CallArgument>& arguments,
                                     const CallKey& key) {
  static std::mutex mutex;
  static RecentlyUsed<PreparedGradients> calls(kMostCalls);
  {
    const std::lock_guard lock(mutex);
    if (const auto* known = calls.find(key.bytes())) return *known;
  }
  PreparedGradients call = differentiated(op, arguments, key);
  const std::lock_guard lock(mutex);
  if (const auto* known = calls.find(key.bytes())) return *known;
  return calls.add(key.bytes(), std::move(call));
}

}  // namespace

Options traced_options() {
  static const auto pool = std::make_shared<ThreadPool>();
  Options options;
  options.pool = pool;
  options.use_cache = true;
  return options;
}

std::shared_ptr<const ir::OpSet> program_ops() { return ops::known_ops(); }

std::vector<Tensor> call_operator(const ir::OpInfo& op,
                                  const std::vector<CallArgument>& arguments) {
  const CallKey key = key_of(op, arguments);
  const std::shared_ptr<TracedProgram> program = prepared(op, arguments, key);
  const bool writes_list =
      std::ranges::any_of(op.schema.arguments, [](const ir::SchemaArgument& argument) {
        return argument.mutated && argument.kind == ir::ArgKind::tensor_list;
      });
  if (writes_list) program->require_apart(key.tensors());
  std::vector<Tensor> results = program->run(key.tensors());
  for (size_t i = 0; i < op.schema.returns.size(); ++i) {
    if (const auto operand = written_operand(op, i)) {
      results.insert(results.begin() + static_cast<std::ptrdiff_t>(i),
                     arguments[*operand].tensors[0]);
    }
  }
  return results;
}

RecordedOutcome call_for_gradients(const ir::OpInfo& op,
                                   const std::vector<CallArgument>& arguments) {
  const CallKey key = key_of(op, arguments);
  const PreparedGradients prepared = prepared_gradients(op, arguments, key);
  RecordedOutcome outcome;
  if (prepared.program == nullptr) {
    outcome.results = call_operator(op, arguments);
    outcome.failure = prepared.failure;
  } else {
    DifferentiableProgram::Outcome run = prepared.program->run(key.tensors());
    outcome.results = std::move(run.results);
    outcome.saved = std::move(run.saved);
    outcome.program = prepared.program;
    outcome.is_constant = std::ranges::none_of(
        prepared.program->gradients(), [](const auto& gradient) { return gradient.has_value(); });
  }
  for (const void* variable : key.variables()) {
    if (variable != nullptr) outcome.variables.push_back(variable);
  }
  return outcome;
}

}  // namespace litz::compiler
