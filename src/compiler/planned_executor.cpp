#include "compiler/planned_executor.h"

#include <algorithm>
#include <list>
#include <map>
#include <mutex>
#include <utility>

#include "compiler/arena_pool.h"
#include "compiler/build_program.h"
#include "compiler/laid_out.h"
#include "kernels/library_context.h"
#include "ops/random_seed.h"
#include "runtime/cpu/bound_program.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

using lowering::kNoSlot;

// Combinations of sizes that are kept; the one used longest ago goes first.
constexpr size_t kMostBuckets = 16;

/// A program that is bound to an arena, and what a call of it needs.
struct Bound {
  std::shared_ptr<ArenaPool::Arena> arena;
  runtime::BoundProgram program;
  std::vector<const Tensor*> inputs = {};  ///< Of the plan; null but for those of Impl::passed.
  std::vector<int64_t> values = {};        ///< Of the symbols that vary.
};

/// The program at one combination of sizes, with as many copies as were needed at a time.
struct Bucket {
  runtime::LoadedProgram loaded;
  Bindings bindings;
  std::vector<std::vector<int64_t>> strides;  ///< By input; empty where it is no tensor.
  size_t arena_bytes = 0;
  std::vector<Bound> idle;

  Bucket(artifact::Program program, runtime::HostDevice& device,
         std::vector<runtime::KernelId> kernels)
      : loaded(std::move(program), device, std::move(kernels)) {}
};

}  // namespace

struct PlannedExecutor::Impl {
  const lowering::Plan& plan;
  std::vector<Tensor> weights;
  std::vector<bool> is_weight;
  std::vector<size_t> passed;  ///< Inputs that calls give.
  ProgramKernels kernels;
  litz::kernels::LibraryContext context;
  std::vector<runtime::SuppliedCall> calls;
  /// Launches are the steps that do something at run time, in order.
  std::vector<size_t> step_of_launch;
  std::vector<SymbolId> varying;  ///< The seed of random numbers, if any.
  runtime::HostDevice device;
  std::vector<runtime::KernelId> device_kernels;

  std::mutex mutex;
  ArenaPool arenas;
  runtime::OutputPool outputs;
  std::map<std::vector<int64_t>, std::shared_ptr<Bucket>> buckets;
  std::vector<std::vector<int64_t>> order;  ///< Keys, least recently used first.
  std::vector<int64_t> key;                 ///< Of the call that looks for its bucket.
  size_t arena_bytes = 0;

  Impl(const lowering::Plan& of, std::vector<Tensor> constant, ThreadPool* pool)
      : plan(of),
        weights(std::move(constant)),
        context(pool, weights),
        device(pool),
        outputs(2 * std::max<size_t>(1, of.outputs.size())) {}  // Of this call and the last one.

  std::shared_ptr<Bucket> make_bucket(const Bindings& bindings);
  std::shared_ptr<Bucket> bucket_of(const Bindings& bindings);
  Bound take(Bucket& bucket);
  void drop_programs_of_dropped_arenas();
};

namespace {

bool mentions_symbol(const ir::Attribute& attribute, SymbolId symbol) {
  if (const auto* scalar = std::get_if<Expr>(&attribute)) return mentions(*scalar, symbol);
  const auto* scalars = std::get_if<ir::Scalars>(&attribute);
  return scalars != nullptr &&
         std::ranges::any_of(*scalars, [&](Expr scalar) { return mentions(scalar, symbol); });
}

// Kernels are told the seed with every call; everything else is evaluated once.
bool uses_seed_elsewhere(const lowering::Plan& plan, SymbolId seed) {
  for (const lowering::Step& step : plan.steps) {
    if (const auto* assertion = std::get_if<lowering::AssertStep>(&step.work)) {
      if (mentions(assertion->condition, seed)) return true;
    }
    const auto* library = std::get_if<lowering::LibraryStep>(&step.work);
    if (library == nullptr) continue;
    for (const lowering::LibraryOperand& operand : library->arguments) {
      if (mentions_symbol(operand.attribute, seed)) return true;
    }
  }
  return std::ranges::any_of(plan.outputs, [&](const lowering::ControlOperand& output) {
    return output.scalar && mentions(*output.scalar, seed);
  });
}

}  // namespace

std::optional<std::string> PlannedExecutor::reason_against(const lowering::Plan& plan,
                                                           const ExprPool& pool) {
  const auto seed = pool.find_symbol(ops::kSeedSymbol);
  if (seed && uses_seed_elsewhere(plan, seed->symbol())) return "a library call that draws numbers";
  return reason_not_planned(plan);
}

PlannedExecutor::PlannedExecutor(const lowering::Plan& plan, const KernelSet& kernels,
                                 std::vector<Tensor> weights, ThreadPool* pool,
                                 std::optional<SymbolId> seed)
    : impl_(std::make_unique<Impl>(plan, std::move(weights), pool)) {
  for (size_t i = 0; i < impl_->weights.size(); ++i) {
    const bool is_weight = impl_->weights[i].defined();
    impl_->is_weight.push_back(is_weight);
    if (!is_weight && plan.input_slots[i] != kNoSlot) impl_->passed.push_back(i);
  }
  if (seed) impl_->varying.push_back(*seed);
  impl_->kernels.codes = kernels.codes();
  impl_->device_kernels = kernels.add_to(impl_->device);
  const auto choose = [&](size_t kernel) -> KernelChoice {
    if (kernels.reason_interpreted(kernel).empty()) {
      return {true, static_cast<int32_t>(kernels.compiled_index(kernel))};
    }
    impl_->calls.emplace_back(
        [&kernels, kernel](std::span<Tensor> buffers, const Bindings& symbols) {
          kernels.run(kernel, buffers, symbols);
        });
    return {false, static_cast<int32_t>(impl_->calls.size()) - 1};
  };
  size_t next_kernel = 0;
  size_t next_epilogue = 0;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const auto& work = plan.steps[i].work;
    const auto* library = std::get_if<lowering::LibraryStep>(&work);
    const bool is_kernel = std::holds_alternative<lowering::KernelStep>(work);
    if (is_kernel) impl_->kernels.choices.push_back(choose(next_kernel++));
    if (is_kernel || library != nullptr) impl_->step_of_launch.push_back(i);
    if (library == nullptr || !library->epilogue) continue;
    const size_t kernel = kernels.epilogue(next_epilogue++);
    EpilogueChoice& choice = impl_->kernels.epilogues.emplace_back();
    choice.kernel = choose(kernel);
    const fusion::TileSymbols* symbols = kernels.tile_symbols(kernel);
    if (symbols != nullptr) {
      choice.symbols = *symbols;
    } else {
      impl_->step_of_launch.push_back(i);
    }
  }
}

PlannedExecutor::~PlannedExecutor() = default;
PlannedExecutor::PlannedExecutor(PlannedExecutor&&) noexcept = default;
PlannedExecutor& PlannedExecutor::operator=(PlannedExecutor&&) noexcept = default;

std::shared_ptr<Bucket> PlannedExecutor::Impl::make_bucket(const Bindings& bindings) {
  auto bucket = std::make_shared<Bucket>(build_program(plan, bindings, kernels, is_weight), device,
                                         device_kernels);
  bucket->bindings = bindings;
  bucket->arena_bytes = runtime::BoundProgram::arena_bytes(bucket->loaded.program(), bindings);
  for (size_t i = 0; i < plan.input_types.size(); ++i) {
    std::vector<int64_t>& strides = bucket->strides.emplace_back();
    if (plan.input_slots[i] == kNoSlot || is_weight[i]) continue;
    strides = evaluate(std::get<TensorType>(plan.input_types[i]).strides, bindings);
  }
  return bucket;
}

std::shared_ptr<Bucket> PlannedExecutor::Impl::bucket_of(const Bindings& bindings) {
  key.clear();
  for (const SymbolId symbol : plan.defines) key.push_back(bindings.find(symbol).value_or(0));
  if (const auto found = buckets.find(key); found != buckets.end()) {
    const auto at = std::ranges::find(order, key);
    std::rotate(at, at + 1, order.end());
    return found->second;
  }
  std::shared_ptr<Bucket> bucket = make_bucket(bindings);
  if (buckets.size() == kMostBuckets) {
    buckets.erase(order.front());
    order.erase(order.begin());
  }
  arena_bytes = bucket->arena_bytes;
  order.push_back(key);
  buckets.emplace(key, bucket);
  return bucket;
}

Bound PlannedExecutor::Impl::take(Bucket& bucket) {
  const auto ready =
      std::ranges::find_if(bucket.idle, [](const Bound& bound) { return !bound.arena->is_taken; });
  if (ready != bucket.idle.end()) {
    Bound bound = std::move(*ready);
    bucket.idle.erase(ready);
    bound.arena->is_taken = true;
    return bound;
  }
  std::shared_ptr<ArenaPool::Arena> arena = arenas.take(bucket.arena_bytes);
  drop_programs_of_dropped_arenas();
  try {
    return {arena, runtime::BoundProgram(bucket.loaded, bucket.bindings,
                                         {.weights = weights,
                                          .calls = calls,
                                          .arena = arena->memory,
                                          .outputs = &outputs,
                                          .context = &context,
                                          .varying = varying})};
  } catch (...) {
    ArenaPool::give_back(*arena);
    throw;
  }
}

void PlannedExecutor::Impl::drop_programs_of_dropped_arenas() {
  for (const auto& [sizes, bucket] : buckets) {
    std::erase_if(bucket->idle, [](const Bound& bound) { return bound.arena->is_dropped; });
  }
}

std::vector<Leaf> PlannedExecutor::run(const InputOf& input_of, const Bindings& bindings) const {
  Impl& impl = *impl_;
  std::unique_lock lock(impl.mutex);
  const std::shared_ptr<Bucket> bucket = impl.bucket_of(bindings);
  Bound bound = impl.take(*bucket);
  lock.unlock();

  // A program whose call failed is dropped, since its memory is as it was left; the arena is not.
  struct GiveBack {
    std::unique_lock<std::mutex>& lock;
    std::shared_ptr<ArenaPool::Arena> arena;

    ~GiveBack() {
      if (!lock.owns_lock()) lock.lock();
      ArenaPool::give_back(*arena);
    }
  };

  const GiveBack give_back{lock, bound.arena};
  bound.inputs.resize(impl.plan.input_slots.size());
  std::list<Tensor> copies;
  for (const size_t i : impl.passed) {
    const Tensor* tensor = input_of(i);
    if (tensor != nullptr && tensor->defined() && tensor->strides() != bucket->strides[i]) {
      tensor = &copies.emplace_back(laid_out(*tensor, bucket->strides[i]));
    }
    bound.inputs[i] = tensor;
  }
  bound.values.clear();
  for (const SymbolId symbol : impl.varying) {
    bound.values.push_back(bindings.find(symbol).value_or(0));
  }
  std::vector<Leaf> outputs = bound.program.run_on(bound.inputs, bound.values);
  lock.lock();
  bucket->idle.push_back(std::move(bound));
  return outputs;
}

std::vector<Leaf> PlannedExecutor::run_timed(const InputOf& input_of, const Bindings& bindings,
                                             std::vector<double>& seconds) const {
  const std::vector<size_t>& step_of_launch = impl_->step_of_launch;
  std::vector<double> launches(step_of_launch.size());
  const runtime::HostModes modes = impl_->device.modes();

  struct Restore {
    runtime::HostDevice& device;
    const runtime::HostModes& modes;

    ~Restore() { device.set_modes(modes); }
  };

  const Restore restore{impl_->device, modes};
  runtime::HostModes timed = modes;
  timed.node_seconds = &launches;
  impl_->device.set_modes(timed);
  std::vector<Leaf> outputs = run(input_of, bindings);
  seconds.resize(impl_->plan.steps.size());
  for (size_t i = 0; i < launches.size(); ++i) seconds[step_of_launch[i]] += launches[i];
  return outputs;
}

size_t PlannedExecutor::packed_bytes() const { return impl_->context.packed_bytes(); }

size_t PlannedExecutor::arena_bytes() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->arena_bytes;
}

size_t PlannedExecutor::held_bytes() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->arenas.bytes();
}

}  // namespace litz::compiler
