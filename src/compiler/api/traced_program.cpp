#include "compiler/api/traced_program.h"

#include <algorithm>
#include <compare>
#include <mutex>
#include <numeric>
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

/// The bytes from the first to behind the last element.
struct Extent {
  const Storage* storage = nullptr;
  int64_t begin = 0;
  int64_t end = 0;
  size_t input = 0;

  auto operator<=>(const Extent&) const = default;
};

std::optional<Extent> extent_of(const Tensor& tensor, size_t input) {
  if (tensor.numel() == 0) return std::nullopt;
  int64_t last = tensor.offset();
  for (size_t d = 0; d < tensor.rank(); ++d) last += (tensor.sizes()[d] - 1) * tensor.strides()[d];
  const int64_t item = item_size(tensor.dtype());
  return Extent{tensor.storage().get(), tensor.offset() * item, (last + 1) * item, input};
}

/// True if no element of one can be an element of the other, as with two columns of a matrix: all
/// steps are multiples of a number that the distance of the first elements is not.
bool are_interleaved(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) return false;
  int64_t step = 0;
  for (const Tensor* tensor : {&a, &b}) {
    for (size_t d = 0; d < tensor->rank(); ++d) {
      if (tensor->sizes()[d] > 1) step = std::gcd(step, tensor->strides()[d]);
    }
  }
  const int64_t distance = a.offset() - b.offset();
  return step == 0 ? distance != 0 : distance % step != 0;
}

}  // namespace

void seed_random_numbers(uint64_t seed) {
  const std::lock_guard lock(draws().mutex);
  draws().seed = seed;
  draws().count = 0;
}

std::optional<TracedProgram::ViewResult> TracedProgram::view_result(const ir::Graph& graph,
                                                                    const ir::Argument& output) {
  if (!output.is_value() || !output.value().is_tensor()) return std::nullopt;
  const std::optional<size_t> input = viewed_input(output.value());
  if (!input) return std::nullopt;
  return ViewResult{*input, graph.input(*input).tensor(), output.value().tensor()};
}

TracedProgram::TracedProgram(ir::Program program, const Options& options) {
  draws_ = draws_numbers(*program.module);
  // Before writes become new values: a result that is a written input stays that input.
  std::vector<std::optional<ViewResult>> stated;
  for (const ir::Argument& output : program.graph().outputs()) {
    stated.push_back(view_result(program.graph(), output));
  }
  // Afterwards, operators that may or may not be views are one or the other.
  passes::PassContext context{.program = &program};
  passes::run_pipeline(passes::import_pipeline(), *program.module, context);
  bool must_run = false;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    if (!is_user_output(program.outputs[i].kind)) {
      must_run = true;
      written_.push_back(static_cast<size_t>(program.outputs[i].input));
      continue;
    }
    const std::optional<ViewResult>& view = stated[views_.size()];
    views_.push_back(view ? view : view_result(program.graph(), program.graph().outputs()[i]));
    must_run = must_run || !views_.back();
  }
  if (must_run || views_.empty()) executable_.emplace(std::move(program), options);
}

void TracedProgram::require_apart(std::span<const Tensor> inputs) const {
  if (written_.empty()) return;
  std::vector<bool> is_written(inputs.size());
  for (const size_t i : written_) is_written[i] = true;
  std::vector<Extent> extents;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (const auto extent = extent_of(inputs[i], i)) extents.push_back(*extent);
  }
  std::ranges::sort(extents);
  for (size_t k = 0; k < extents.size(); ++k) {
    for (size_t other = k + 1;
         other < extents.size() && extents[other].storage == extents[k].storage &&
         extents[other].begin < extents[k].end;
         ++other) {
      const size_t a = extents[k].input;
      const size_t b = extents[other].input;
      require((!is_written[a] && !is_written[b]) || are_interleaved(inputs[a], inputs[b]),
              ErrorCode::unsupported,
              "a compiled function must not write a tensor and use another one that shares its "
              "memory: pass one of them, and make the view of it inside");
    }
  }
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
