#include "compiler/api/traced_program.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <variant>

#include "passes/graph_passes.h"
#include "passes/pass_driver.h"
#include "support/check.h"
#include "support/random_keys.h"

namespace litz::compiler {
namespace {

/// The random numbers of calls so far.
struct Draws {
  std::mutex mutex;
  uint64_t seed = 0;
  uint64_t count = 0;
};

Draws& draws() {
  static Draws draws;
  return draws;
}

int64_t next_key() {
  const std::lock_guard lock(draws().mutex);
  return key_of_call(draws().seed, draws().count++);
}

/// The input that a value is a view of, if it is one.
std::optional<size_t> viewed_input(ir::Value value) {
  while (const ir::Node* producer = value.producer()) {
    if (!has(producer->op().traits, ir::Trait::view)) return std::nullopt;
    value = producer->input(0);
  }
  return value.index();
}

bool draws_numbers(const ir::Module& module) {
  for (const ir::Graph* graph : module.graphs()) {
    for (const ir::Node* node = graph->first(); node != nullptr; node = node->next()) {
      if (has(node->op().traits, ir::Trait::random)) return true;
    }
  }
  return false;
}

std::vector<int64_t> numbers(const Sizes& list) {
  std::vector<int64_t> result;
  for (const Expr value : list) result.push_back(value.constant());
  return result;
}

}  // namespace

void seed_random_numbers(uint64_t seed) {
  const std::lock_guard lock(draws().mutex);
  draws().seed = seed;
  draws().count = 0;
}

TracedProgram::TracedProgram(ir::Program program, const Options& options) {
  draws_ = draws_numbers(*program.module);
  // Afterwards, operators that may or may not be views are one or the other.
  passes::PassContext context{.program = &program};
  passes::run_pipeline(passes::import_pipeline(), *program.module, context);
  bool must_run = false;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    if (!is_user_output(program.outputs[i].kind)) {
      must_run = true;
      continue;
    }
    views_.emplace_back();
    const ir::Argument& output = program.graph().outputs()[i];
    const bool is_tensor = output.is_value() && output.value().is_tensor();
    const std::optional<size_t> input = is_tensor ? viewed_input(output.value()) : std::nullopt;
    if (input) {
      views_.back() = {*input, program.graph().input(*input).tensor(), output.value().tensor()};
    } else {
      must_run = true;
    }
  }
  if (must_run || views_.empty()) executable_.emplace(std::move(program), options);
}

Tensor TracedProgram::view_of(const Tensor& operand, const ViewResult& view) const {
  const int64_t from_bytes = item_size(view.from.dtype);
  const int64_t to_bytes = item_size(view.to.dtype);
  const int64_t moved = (operand.offset() - view.from.offset.constant()) * from_bytes;
  return {view.to.dtype, numbers(view.to.sizes), numbers(view.to.strides),
          view.to.offset.constant() + moved / to_bytes, operand.storage()};
}

std::vector<Tensor> TracedProgram::run(std::span<const Tensor> inputs) {
  std::vector<Leaf> results;
  if (executable_) {
    const std::vector<Leaf> leaves(inputs.begin(), inputs.end());
    results = draws_ ? executable_->run_under_key(leaves, next_key()) : executable_->run(leaves);
  }
  std::vector<Tensor> tensors;
  tensors.reserve(views_.size());
  for (size_t i = 0; i < views_.size(); ++i) {
    if (views_[i]) {
      tensors.push_back(view_of(inputs[views_[i]->input], *views_[i]));
    } else if (const auto* tensor = std::get_if<Tensor>(&results[i])) {
      const bool is_shared = std::ranges::any_of(
          inputs, [&](const Tensor& input) { return input.storage() == tensor->storage(); });
      tensors.push_back(is_shared ? tensor->clone(tensor->strides()) : *tensor);
    } else {
      require(std::holds_alternative<std::monostate>(results[i]), ErrorCode::unsupported,
              "a function of tensors must return tensors; result", i, "is a number");
      tensors.emplace_back();
    }
  }
  return tensors;
}

}  // namespace litz::compiler
