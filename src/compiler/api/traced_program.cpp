#include "compiler/api/traced_program.h"

#include <algorithm>
#include <compare>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>
#include <variant>

#include "compiler/api/saved_storages.h"
#include "passes/graph_passes.h"
#include "passes/pass_driver.h"
#include "runtime/device_tensor.h"
#include "support/check.h"
#include "support/random_keys.h"
#include "trace/call_sizes.h"
#include "types/span_bytes.h"

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

/// What a value is a view of: an input, or a result of another operator; itself if it is no view.
ir::Value root_of(ir::Value value) {
  while (const ir::Node* producer = value.producer()) {
    if (!has(producer->op().traits, ir::Trait::view)) break;
    value = producer->input(0);
  }
  return value;
}

bool draws_numbers(const ir::Module& module) {
  for (const ir::Graph* graph : module.graphs()) {
    for (const ir::Node* node = graph->first(); node != nullptr; node = node->next()) {
      if (has(node->op().traits, ir::Trait::random)) return true;
    }
  }
  return false;
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
  const int64_t begin = tensor.offset() * item_size(tensor.dtype());
  const auto bytes = static_cast<int64_t>(span_bytes(tensor));
  return Extent{tensor.storage().get(), begin, begin + bytes, input};
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

/// The card that an input lies on; the host if none does. Throws Error if there are two.
Device device_of(const ir::Program& program) {
  Device device;
  for (const ir::Value input : program.graph().inputs()) {
    const Device own = input.tensor().device;
    if (own == Device{}) continue;
    require(device == Device{} || device == own,
            "the tensors of a call must lie on one device, not on", to_string(device), "and",
            to_string(own));
    device = own;
  }
  return device;
}

}  // namespace

void seed_random_numbers(uint64_t seed) {
  const std::lock_guard lock(draws().mutex);
  draws().seed = seed;
  draws().count = 0;
}

/// Results that are views of an input or of one another: the program then makes what several of them view
/// once, and keeps its other results.
std::vector<TracedProgram::Result> TracedProgram::share_results(ir::Program& program) {
  ir::Graph& graph = program.graph();
  std::map<const ir::ValueData*, size_t> views;  // By what they are of: how many there are.
  const auto root_at = [&](size_t i) {
    const ir::Argument& output = graph.outputs()[i];
    const bool is_tensor = output.is_value() && output.value().is_tensor();
    return is_tensor && is_user_output(program.outputs[i].kind) ? root_of(output.value())
                                                                : ir::Value();
  };
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    if (const ir::Value root = root_at(i)) ++views[root.data()];
  }
  std::vector<Result> results;
  std::vector<ir::Argument> outputs;
  std::vector<ir::OutputSpec> specs;
  std::map<const ir::ValueData*, size_t> places;  // Of what is made once.
  size_t made = 0;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    ir::Argument output = graph.outputs()[i];
    if (is_user_output(program.outputs[i].kind)) {
      Result result{.index = made};
      const ir::Value root = root_at(i);
      if (root && root.producer() == nullptr) {
        result.of_input = View{root.index(), root.tensor(), output.value().tensor()};
      } else if (root && views.at(root.data()) > 1) {
        const auto [place, is_first] = places.try_emplace(root.data(), made);
        result.of_made = View{place->second, root.tensor(), output.value().tensor()};
        output = root;
        if (!is_first) {
          results.push_back(std::move(result));
          continue;
        }
      }
      results.push_back(std::move(result));
      ++made;
    }
    outputs.push_back(std::move(output));
    specs.push_back(program.outputs[i]);
  }
  graph.set_outputs(std::move(outputs));
  program.outputs = std::move(specs);
  return results;
}

TracedProgram::TracedProgram(ir::Program program, const Options& options)
    : exprs_(program.module->shared_exprs()) {
  draws_ = draws_numbers(*program.module);
  const trace::RecalledSizes sizes(*exprs_);
  passes::PassContext context{.program = &program};
  const std::span<const passes::Pass> pipeline = passes::import_pipeline();
  const auto writes = std::ranges::find(pipeline, "functionalize", &passes::Pass::name);
  const auto before = static_cast<size_t>(writes - pipeline.begin());
  // What may or may not be a view is one or the other by then, and writes are not yet new values: a result
  // that is a written tensor, or a view of one, is still that.
  passes::run_pipeline(pipeline.first(before), *program.module, context);
  results_ = share_results(program);
  passes::run_pipeline(pipeline.subspan(before), *program.module, context);
  for (const ir::OutputSpec& output : program.outputs) {
    if (!is_user_output(output.kind)) written_.push_back(static_cast<size_t>(output.input));
  }
  const bool has_only_views = std::ranges::all_of(
      results_, [](const Result& result) { return result.of_input.has_value(); });
  if (!written_.empty() || !has_only_views || results_.empty()) {
    Options how = options;
    if (!how.device) how.device = device_of(program);
    executable_.emplace(std::move(program), how);
  }
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

Tensor TracedProgram::view_of(const Tensor& operand, const View& view, const Bindings& sizes) {
  const int64_t from = evaluate(view.from.offset, sizes);
  const int64_t moved = (operand.offset() - from) * item_size(view.from.dtype);
  const int64_t offset = evaluate(view.to.offset, sizes) + moved / item_size(view.to.dtype);
  return {view.to.dtype, evaluate(view.to.sizes, sizes), evaluate(view.to.strides, sizes), offset,
          operand.storage()};
}

std::vector<Tensor> TracedProgram::run(std::span<const Tensor> inputs, const Bindings& sizes) {
  std::vector<Tensor> made(results_.size());
  if (executable_) {
    const std::vector<Leaf> leaves(inputs.begin(), inputs.end());
    const std::vector<Leaf> results =
        draws_ ? executable_->run_under_key(leaves, next_key()) : executable_->run(leaves);
    for (const size_t i : written_) note_write(inputs[i].storage().get());
    for (size_t i = 0; i < results.size(); ++i) {
      if (const auto* tensor = std::get_if<Tensor>(&results[i])) {
        const bool is_shared = std::ranges::any_of(
            inputs, [&](const Tensor& input) { return input.storage() == tensor->storage(); });
        made[i] = is_shared ? runtime::cloned(*tensor) : *tensor;
      } else {
        require(std::holds_alternative<std::monostate>(results[i]), ErrorCode::unsupported,
                "a function of tensors must return tensors; result", i, "is a number");
      }
    }
  }
  std::vector<Tensor> tensors;
  tensors.reserve(results_.size());
  for (const Result& result : results_) {
    if (result.of_input) {
      tensors.push_back(view_of(inputs[result.of_input->index], *result.of_input, sizes));
    } else if (result.of_made) {
      tensors.push_back(view_of(made[result.of_made->index], *result.of_made, sizes));
    } else {
      tensors.push_back(made[result.index]);
    }
  }
  return tensors;
}

}  // namespace litz::compiler
