#include "runtime/program/program_runner.h"

#include <algorithm>
#include <utility>

#include "runtime/placement.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

std::shared_ptr<GraphDevice> device_of(const artifact::Program& program,
                                       const RunnerOptions& options) {
  if (options.device != nullptr) return options.device;
  return make_device_for(program.target, std::nullopt, options.pool);
}

std::unique_ptr<LoadedProgram> loaded(artifact::Program program, GraphDevice& device,
                                      const RunnerOptions& options) {
  if (!options.kernels) return std::make_unique<LoadedProgram>(std::move(program), device);
  return std::make_unique<LoadedProgram>(std::move(program), device, *options.kernels);
}

const ExprPool& symbols_of(const artifact::Program& program, const RunnerOptions& options) {
  const ExprPool* const pool = options.symbols != nullptr ? options.symbols : program.symbols.get();
  check(pool != nullptr, "somebody must own the symbols of a program:", program.name);
  return *pool;
}

std::vector<size_t> updated_inputs(const artifact::Program& program) {
  return {program.updated.begin(), program.updated.end()};
}

}  // namespace

ProgramRunner::ProgramRunner(artifact::Program program, const RunnerOptions& options)
    : device_(device_of(program, options)),
      supplied_(options.calls_supplied),
      loaded_(loaded(std::move(program), *device_, options)),
      symbols_(symbols_of(this->program(), options)),
      calls_(this->program().signature, symbols_, *device_, updated_inputs(this->program()),
             this->program().seed, options.calls),
      constants_(calls_.constant_weights()),
      list_steps_(steps_of_lists(this->program())),
      library_(device_->make_library(constants_)) {
  for (const artifact::PackedConstant& packed : this->program().packed) {
    calls_.watch_file_of(packed.data);
  }
  if (options.communicator != nullptr) library_->join(options.communicator);
  library_->adopt(this->program().packed, constants_);
  ListSurroundings with{.library = library_.get(), .calls = supplied_, .varying = {}};
  with.memory = options.memory;
  with.keeps_copies = options.keeps_graphs;
  if (this->program().seed) with.varying.push_back(symbols_.symbol_expr(*this->program().seed));
  for (size_t i = 0; i < this->program().lists.size(); ++i) {
    lists_.emplace_back(*loaded_, this->program().lists[i], weights_of(i), with);
  }
  if (!this->program().routines.empty()) {
    add_parts(options);
    routines_.emplace(*loaded_, symbols_, lists_, *library_,
                      [this](int32_t part, std::span<const Value> inputs, int64_t key) {
                        return parts_[static_cast<size_t>(part)]->run_under_key(inputs, key);
                      });
  }
}

ProgramRunner::~ProgramRunner() = default;

/// Parts run on the same device, whose threads they share.
void ProgramRunner::add_parts(const RunnerOptions& options) {
  RunnerOptions how;
  how.device = device_;
  how.memory = options.memory;
  how.keeps_graphs = options.keeps_graphs;
  how.communicator = options.communicator;
  how.calls.enforce_guards = options.calls.enforce_guards;
  for (const artifact::Program& part : program().parts) {
    parts_.push_back(std::make_unique<ProgramRunner>(part, how));
  }
}

/// By input of the list; undefined for inputs that calls pass.
std::vector<Tensor> ProgramRunner::weights_of(size_t list) const {
  if (program().routines.empty()) return constants_;
  std::vector<Tensor> weights(program().lists[list].inputs.size());
  if (list_steps_[list] == nullptr) return weights;
  for (size_t i = 0; i < weights.size(); ++i) {
    const int32_t weight = list_steps_[list]->inputs[i].weight;
    if (weight >= 0) weights[i] = constants_[static_cast<size_t>(weight)];
  }
  return weights;
}

/// By list: the step that runs it; null where routines have none.
std::vector<const artifact::ListStep*> ProgramRunner::steps_of_lists(
    const artifact::Program& program) {
  std::vector<const artifact::ListStep*> steps(program.lists.size());
  for (const artifact::Routine& routine : program.routines) {
    for (const artifact::Step& step : routine.steps) {
      const auto* const work = std::get_if<artifact::ListStep>(&step.work);
      if (work != nullptr) steps[static_cast<size_t>(work->list)] = work;
    }
  }
  return steps;
}

std::vector<Value> ProgramRunner::run_under_key(ProgramCalls& calls, std::span<const Value> given,
                                                int64_t key) {
  return calls.run(given, key,
                   [&](const InputOf& input_of, Bindings& bindings, StreamId stream,
                       std::span<const Tensor> into, std::vector<Value>& results) {
                     compute(input_of, bindings, stream, into, results);
                   });
}

void ProgramRunner::run_into(ProgramCalls& calls, std::span<const Value> given, int64_t key,
                             std::span<Value> into) {
  calls.run_into(
      given, key,
      [&](const InputOf& input_of, Bindings& bindings, StreamId stream,
          std::span<const Tensor> memory,
          std::vector<Value>& results) { compute(input_of, bindings, stream, memory, results); },
      into);
}

void ProgramRunner::compute(const InputOf& input_of, Bindings& bindings, StreamId stream,
                            std::span<const Tensor> into, std::vector<Value>& results) const {
  if (routines_) {
    results = routines_->run(input_of, bindings, stream);
  } else {
    lists_[0].run_into(input_of, bindings, stream, into, results);
  }
}

std::vector<Value> ProgramRunner::run_timed(std::span<const Value> given, int64_t key,
                                            std::vector<double>& seconds) {
  check(!routines_.has_value(), "only programs of one list are timed by launch");
  return calls_.run(given, key,
                    [&](const InputOf& input_of, Bindings& bindings, StreamId stream,
                        std::span<const Tensor> into, std::vector<Value>& results) {
                      lists_[0].run_into(input_of, bindings, stream, into, results, &seconds);
                    });
}

void ProgramRunner::prepare(std::span<const Value> given) {
  if (routines_) return;
  lists_[0].prepare(calls_.inputs().bind(given), StreamId{});
}

namespace {

/// Sizes that a call could have: those of weights, else those of the export, else the smallest; at
/// least `least`, where the program permits that.
Bindings example_sizes(const artifact::LaunchList& list, const ExprPool& pool,
                       std::span<const Tensor> weights, int64_t least) {
  Bindings sizes;
  for (const SymbolId symbol : list.symbols) {
    const SymbolInfo& info = pool.symbol(symbol);
    const int64_t size = info.hint.value_or(std::max<int64_t>(info.range.lo, 0));
    const bool grows = info.kind == SymbolKind::size;
    sizes.set(symbol, grows ? std::max(size, std::min(least, info.range.hi)) : size);
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    if (!weights[i].defined() || !list.inputs[i]) continue;
    const Sizes& declared = list.inputs[i]->sizes;
    for (size_t d = 0; d < declared.size(); ++d) {
      if (declared[d].is_symbol()) sizes.set(declared[d].symbol(), weights[i].sizes()[d]);
    }
  }
  return sizes;
}

}  // namespace

void ProgramRunner::pack_constants() {
  // An example of a dynamic batch often has two entries, and products of few rows read weights as
  // they are.
  constexpr int64_t kUsualRows = 8;
  for (size_t i = 0; i < lists_.size(); ++i) {
    const artifact::LaunchList& list = program().lists[i];
    const std::vector<Tensor> weights = weights_of(i);
    if (std::ranges::none_of(weights, &Tensor::defined)) continue;
    const Bindings example = example_sizes(list, symbols_, weights, 0);
    const Bindings more = example_sizes(list, symbols_, weights, kUsualRows);
    pack_constants(i, weights, example);
    const bool differ = std::ranges::any_of(
        list.symbols, [&](SymbolId symbol) { return more.find(symbol) != example.find(symbol); });
    if (!differ) continue;
    try {
      pack_constants(i, weights, more);
    } catch (const Error&) {
      // Only the example must fit in memory.
    }
  }
}

/// Does what a call with these sizes packs. Throws Error{out_of_memory}.
void ProgramRunner::pack_constants(size_t which, const std::vector<Tensor>& weights,
                                   const Bindings& sizes) {
  const artifact::LaunchList& list = program().lists[which];
  try {
    std::vector<Tensor> inputs(list.inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!list.inputs[i] || weights[i].defined()) continue;
      // Zeros also replace weights that the program changes, which must not change here.
      inputs[i] =
          Tensor::empty_strided(list.inputs[i]->dtype, evaluate(list.inputs[i]->sizes, sizes),
                                evaluate(list.inputs[i]->strides, sizes));
    }
    lists_[which].run([&](size_t i) { return &inputs[i]; }, sizes, StreamId{});
  } catch (const Error& error) {
    if (error.code() == ErrorCode::out_of_memory) throw;
    // The program may refuse zeros; constants packed until then count.
  }
}

}  // namespace litz::runtime
