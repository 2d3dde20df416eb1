#include "compiler/planned_executor.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>

#include "compiler/arena_pool.h"
#include "compiler/build_program.h"
#include "compiler/laid_out.h"
#include "compiler/test_modes.h"
#include "kernels/library_context.h"
#include "ops/random_streams.h"
#include "runtime/cpu/bound_program.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

using lowering::kNoSlot;

// Copies that wait for calls at their sizes.
constexpr size_t kMostIdle = 16;
// Sizes that count as coming again when they come again.
constexpr size_t kMostSeen = 64;

/// A copy of the program that is bound to sizes and an arena, and what a call of it needs.
struct Bound {
  std::vector<int64_t> key;  ///< The sizes.
  bool is_for_new = true;    ///< Their first call bound it to them: none may follow.
  std::shared_ptr<const SizeBucket> bucket;
  std::shared_ptr<ArenaPool::Arena> arena;
  std::optional<runtime::BoundProgram> program;
  std::vector<std::vector<int64_t>> strides;  ///< By input; empty where calls give no tensor.
  std::vector<const Tensor*> inputs;          ///< Of the plan; null but for those of Impl::passed.
  std::vector<int64_t> values;                ///< Of the symbols that vary.
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

  fusion::MemoryPlanner memory;
  SizeBuckets buckets;
  std::optional<runtime::LoadedProgram> loaded;

  bool is_tested = false;  ///< In test modes, which are for one call at a time.
  std::mutex turn;         ///< Of those calls.

  std::mutex mutex;
  ArenaPool arenas;
  runtime::OutputPool outputs;
  std::vector<std::unique_ptr<Bound>> idle;  ///< Used last comes last.
  std::vector<int64_t> key;                  ///< Of the call that looks for its copy.
  std::list<std::vector<int64_t>> seen;      ///< Sizes that copies were bound to, last first.
  size_t arena_bytes = 0;
  int64_t copies_made = 0;

  Impl(const lowering::Plan& of, std::vector<Tensor> constant, ThreadPool* pool)
      : plan(of),
        weights(std::move(constant)),
        context(pool, weights),
        device(pool),
        memory(of),
        buckets(memory),
        outputs(2 * std::max<size_t>(1, of.outputs.size())) {}  // Of this call and the last one.

  void load();
  std::unique_ptr<Bound> take(const Bindings& bindings);
  std::unique_ptr<Bound> take_idle(const std::vector<int64_t>& wanted);
  void bind(Bound& bound, const Bindings& bindings);
  void give_back(std::unique_ptr<Bound> bound);
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
                                 std::optional<SymbolId> seed, const TestModes& modes)
    : impl_(std::make_unique<Impl>(plan, std::move(weights), pool)) {
  impl_->is_tested = modes.any();
  impl_->device.set_modes(device_modes(modes));
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
  impl_->load();
  fail_call(modes.fail_call);
}

void PlannedExecutor::fail_call(int64_t n) { impl_->device.fail_call(n); }

PlannedExecutor::~PlannedExecutor() = default;
PlannedExecutor::PlannedExecutor(PlannedExecutor&&) noexcept = default;
PlannedExecutor& PlannedExecutor::operator=(PlannedExecutor&&) noexcept = default;

void PlannedExecutor::Impl::load() {
  loaded.emplace(build_program(plan, memory, kernels, is_weight), device, device_kernels);
}

/// A copy that is ready for these sizes and taken with its arena.
std::unique_ptr<Bound> PlannedExecutor::Impl::take(const Bindings& bindings) {
  std::unique_lock lock(mutex);
  key.clear();
  for (const SymbolId symbol : plan.defines) key.push_back(bindings.find(symbol).value_or(0));
  // Bound to these sizes, in an arena that nobody uses.
  const auto ready = std::ranges::find_if(idle.rbegin(), idle.rend(), [&](const auto& bound) {
    return bound->key == key && !bound->arena->is_taken && !bound->arena->is_dropped;
  });
  if (ready != idle.rend()) {
    std::unique_ptr<Bound> bound = std::move(*ready);
    idle.erase(std::next(ready).base());
    bound->arena->is_taken = true;
    return bound;
  }
  std::vector<int64_t> wanted = key;
  lock.unlock();
  // This may take some time, and other calls need not wait for it.
  std::shared_ptr<const SizeBucket> bucket = buckets.at(bindings);
  device.count_call();
  lock.lock();
  std::unique_ptr<Bound> bound = take_idle(wanted);
  bound->bucket = std::move(bucket);
  arena_bytes = static_cast<size_t>(bound->bucket->layout.bytes);
  bound->arena = arenas.take(arena_bytes);
  // Arenas that were too small live as long as copies are bound to them.
  std::erase_if(idle, [](const auto& other) { return other->arena->is_dropped; });
  lock.unlock();
  try {
    bind(*bound, bindings);
  } catch (...) {
    lock.lock();
    ArenaPool::give_back(*bound->arena);
    throw;
  }
  bound->key = std::move(wanted);
  return bound;
}

/// A copy to be bound to sizes. New sizes take turns in one, as those of a decoder that never come
/// again do, so that it stays in the caches and others stay bound; sizes that do come again get a
/// copy of their own as long as there are few.
std::unique_ptr<Bound> PlannedExecutor::Impl::take_idle(const std::vector<int64_t>& wanted) {
  const auto known = std::ranges::find(seen, wanted);
  const bool is_new = known == seen.end();
  if (is_new) {
    seen.push_front(wanted);
    if (seen.size() > kMostSeen) seen.pop_back();
  } else {
    seen.splice(seen.begin(), seen, known);
  }
  auto at = std::ranges::find_if(idle, [&](const auto& bound) { return bound->key == wanted; });
  if (at == idle.end() && is_new) {
    at = std::ranges::find_if(idle, [](const auto& bound) { return bound->is_for_new; });
  }
  if (at == idle.end() && idle.size() == kMostIdle) at = idle.begin();
  std::unique_ptr<Bound> bound;
  if (at == idle.end()) {
    ++copies_made;
    bound = std::make_unique<Bound>();
  } else {
    bound = std::move(*at);
    idle.erase(at);
  }
  bound->is_for_new = is_new;
  return bound;
}

void PlannedExecutor::Impl::bind(Bound& bound, const Bindings& bindings) {
  const runtime::ProgramMemory with{.weights = weights,
                                    .calls = calls,
                                    .arena = bound.arena->memory,
                                    .outputs = &outputs,
                                    .context = &context,
                                    .varying = varying,
                                    .layout = &bound.bucket->layout};
  if (bound.program) {
    bound.program->rebind(bindings, with);
  } else {
    bound.program.emplace(*loaded, bindings, with);
    bound.inputs.resize(plan.input_slots.size());
    bound.strides.resize(plan.input_slots.size());
  }
  for (const size_t i : passed) {
    bound.strides[i] = evaluate(std::get<TensorType>(plan.input_types[i]).strides, bindings);
  }
}

/// While the lock is held.
void PlannedExecutor::Impl::give_back(std::unique_ptr<Bound> bound) {
  if (idle.size() == kMostIdle) idle.erase(idle.begin());
  idle.push_back(std::move(bound));
}

void PlannedExecutor::prepare(const Bindings& bindings) const {
  std::unique_lock test(impl_->turn, std::defer_lock);
  if (impl_->is_tested) test.lock();
  std::unique_ptr<Bound> bound = impl_->take(bindings);
  const std::lock_guard lock(impl_->mutex);
  ArenaPool::give_back(*bound->arena);
  impl_->give_back(std::move(bound));
}

std::vector<Leaf> PlannedExecutor::run(const InputOf& input_of, const Bindings& bindings) const {
  Impl& impl = *impl_;
  std::unique_lock test(impl.turn, std::defer_lock);
  if (impl.is_tested) test.lock();
  std::unique_ptr<Bound> bound = impl.take(bindings);
  std::unique_lock lock(impl.mutex, std::defer_lock);

  // A copy whose call failed is dropped, since its memory is as it was left; the arena is not.
  struct GiveBack {
    std::unique_lock<std::mutex>& lock;
    std::shared_ptr<ArenaPool::Arena> arena;

    ~GiveBack() {
      if (!lock.owns_lock()) lock.lock();
      ArenaPool::give_back(*arena);
    }
  };

  const GiveBack give_back{lock, bound->arena};
  std::list<Tensor> copies;
  for (const size_t i : impl.passed) {
    const Tensor* tensor = input_of(i);
    if (tensor != nullptr && tensor->defined() && tensor->strides() != bound->strides[i]) {
      tensor = &copies.emplace_back(laid_out(*tensor, bound->strides[i]));
    }
    bound->inputs[i] = tensor;
  }
  bound->values.clear();
  for (const SymbolId symbol : impl.varying) {
    bound->values.push_back(bindings.find(symbol).value_or(0));
  }
  std::vector<Leaf> outputs = bound->program->run_on(bound->inputs, bound->values);
  lock.lock();
  impl.give_back(std::move(bound));
  return outputs;
}

std::vector<Leaf> PlannedExecutor::run_timed(const InputOf& input_of, const Bindings& bindings,
                                             std::vector<double>& seconds) const {
  const std::vector<size_t>& step_of_launch = impl_->step_of_launch;
  seconds.resize(impl_->plan.steps.size());
  if (impl_->is_tested) return run(input_of, bindings);  // There are more nodes than launches.
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
  for (size_t i = 0; i < launches.size(); ++i) seconds[step_of_launch[i]] += launches[i];
  return outputs;
}

std::shared_ptr<const SizeBucket> PlannedExecutor::bucket_of(const Bindings& bindings) const {
  return impl_->buckets.at(bindings);
}

int64_t PlannedExecutor::plans_made() const { return impl_->buckets.plans_made(); }

int64_t PlannedExecutor::copies_made() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->copies_made;
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
