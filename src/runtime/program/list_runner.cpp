#include "runtime/program/list_runner.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/program/arena_pool.h"
#include "runtime/program/bound_list.h"
#include "runtime/program/laid_out.h"
#include "runtime/thread_slot.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

// The most copies that wait for calls at their sizes. More keep more sizes bound, but use more
// memory and caches.
constexpr size_t kMostIdle = 64;
// The most sizes that are remembered, to detect those that return.
constexpr size_t kMostSeen = 64;
// The most threads with a copy of their own; more share them.
constexpr size_t kThreadSlots = 16;

/// A copy of the list that is bound to sizes and an arena, with the state of its calls.
struct Bound {
  std::vector<int64_t> key;  ///< The sizes.
  bool is_for_new = true;    ///< Their first call bound it: no call has repeated them.
  std::shared_ptr<const SizeBucket> bucket;
  std::shared_ptr<ArenaPool::Arena> arena;
  std::optional<BoundList> list;
  std::vector<std::vector<int64_t>> strides;  ///< By input; empty where calls give no tensor.
  std::vector<const Tensor*> inputs;          ///< Null, except for those of Impl::passed.
  std::vector<int64_t> values;                ///< Values of the symbols that vary.
};

}  // namespace

struct ListRunner::Impl {
  const LoadedProgram& program;
  const artifact::LaunchList& list;
  std::vector<Tensor> weights;
  ListSurroundings with;
  bool is_tested;              ///< Test modes allow one call at a time.
  std::vector<size_t> passed;  ///< Inputs that calls give.

  SizeBuckets buckets;
  std::mutex turn;  ///< Calls in test modes follow each other.

  std::mutex mutex;
  ArenaPool own_arenas;
  ArenaPool& arenas;
  OutputPool outputs;
  std::vector<std::unique_ptr<Bound>> idle;  ///< Used last comes last.
  /// The copies that threads used last, by thread. A thread takes its own without a lock, so that
  /// callers do not exchange copies, whose memory would move between their caches. Each keeps its
  /// arena taken; where there is none, null.
  std::array<std::atomic<Bound*>, kThreadSlots> parked{};
  std::list<std::vector<int64_t>> seen;  ///< Sizes that copies were bound to, last first.
  size_t arena_bytes = 0;
  int64_t copies_made = 0;

  Impl(const LoadedProgram& loaded, const artifact::LaunchList& launches,
       std::vector<Tensor> constant, ListSurroundings surroundings)
      : program(loaded),
        list(launches),
        weights(std::move(constant)),
        with(std::move(surroundings)),
        is_tested(loaded.device().modes().any()),
        buckets(ArenaPlanner(list.blocks)),
        own_arenas(program.device()),
        arenas(with.memory != nullptr ? with.memory->arenas() : own_arenas),
        // The outputs of this call and the last one.
        outputs(program.device(), 2 * std::max<size_t>(1, list.outputs.size())) {
    for (size_t i = 0; i < list.inputs.size(); ++i) {
      if (list.inputs[i] && !weights[i].defined()) passed.push_back(i);
    }
  }

  ~Impl() {
    for (std::atomic<Bound*>& slot : parked) delete slot.load();
  }

  std::shared_ptr<const SizeBucket> placed(const Bindings& bindings);
  std::unique_ptr<Bound> take(const Bindings& bindings, StreamId stream);
  std::unique_ptr<Bound> take_parked(const Bindings& bindings, StreamId stream);
  void unpark();
  void keep(std::unique_ptr<Bound> bound);
  bool has_key(const Bound& bound, const Bindings& bindings) const;
  std::unique_ptr<Bound> take_idle(const std::vector<int64_t>& wanted);
  void bind(Bound& bound, const Bindings& bindings, StreamId stream);
  void give_back(std::unique_ptr<Bound> bound);
  void wait_for(const ArenaPool::Arena& arena, StreamId stream) const;
};

ListRunner::ListRunner(const LoadedProgram& program, const artifact::LaunchList& list,
                       std::vector<Tensor> weights, ListSurroundings surroundings)
    : impl_(std::make_unique<Impl>(program, list, std::move(weights), std::move(surroundings))) {}

ListRunner::~ListRunner() = default;
ListRunner::ListRunner(ListRunner&&) noexcept = default;
ListRunner& ListRunner::operator=(ListRunner&&) noexcept = default;

bool ListRunner::Impl::has_key(const Bound& bound, const Bindings& bindings) const {
  for (size_t i = 0; i < list.symbols.size(); ++i) {
    if (bound.key[i] != bindings.find(list.symbols[i]).value_or(0)) return false;
  }
  return true;
}

/// Returns the copy that this thread used last if it is bound to these sizes, else null.
std::unique_ptr<Bound> ListRunner::Impl::take_parked(const Bindings& bindings, StreamId stream) {
  std::atomic<Bound*>& slot = parked[thread_slot(kThreadSlots)];
  if (slot.load(std::memory_order_relaxed) == nullptr) return nullptr;
  std::unique_ptr<Bound> bound(slot.exchange(nullptr, std::memory_order_acq_rel));
  if (bound == nullptr) return nullptr;
  if (has_key(*bound, bindings)) {
    wait_for(*bound->arena, stream);
    return bound;
  }
  const std::lock_guard lock(mutex);
  give_back(std::move(bound));
  return nullptr;
}

/// Keeps the copy for this thread's next call, with its arena; if it has one already, the copy is idle.
void ListRunner::Impl::keep(std::unique_ptr<Bound> bound) {
  Bound* none = nullptr;
  // Other lists need the arena.
  const bool parks = with.memory == nullptr && with.keeps_copies;
  if (parks && parked[thread_slot(kThreadSlots)].compare_exchange_strong(
                   none, bound.get(), std::memory_order_acq_rel)) {
    bound.release();
    return;
  }
  const std::lock_guard lock(mutex);
  give_back(std::move(bound));
}

/// Makes the copies of all threads idle, for calls that need other sizes or have none of their own.
/// The caller must hold the lock.
void ListRunner::Impl::unpark() {
  for (std::atomic<Bound*>& slot : parked) {
    if (slot.load(std::memory_order_relaxed) == nullptr) continue;
    std::unique_ptr<Bound> bound(slot.exchange(nullptr, std::memory_order_acq_rel));
    if (bound != nullptr) give_back(std::move(bound));
  }
}

/// Returns a copy that is bound to these sizes, and takes it with its arena.
namespace {

// The computation that first uses memory whose size these bindings do not give.
const artifact::Launch* first_without_size(const artifact::LaunchList& list,
                                           const Bindings& sizes) {
  for (const artifact::PlannedStorage& storage : list.storages) {
    if (storage.kind != artifact::StorageKind::arena) continue;
    try {
      if (evaluate(storage.bytes, sizes) >= 0) continue;
    } catch (const Error&) {
    }
    return &list.launches[static_cast<size_t>(storage.first)];
  }
  return nullptr;
}

}  // namespace

std::shared_ptr<const SizeBucket> ListRunner::Impl::placed(const Bindings& bindings) {
  try {
    return buckets.at(bindings);
  } catch (Error& error) {
    const artifact::Launch* user = first_without_size(list, bindings);
    if (user != nullptr) error.add_note("while placing the memory of " + user->label);
    throw;
  }
}

std::unique_ptr<Bound> ListRunner::Impl::take(const Bindings& bindings, StreamId stream) {
  if (std::unique_ptr<Bound> own = take_parked(bindings, stream)) return own;
  std::unique_lock lock(mutex);
  unpark();
  // Find a copy that is bound to these sizes, in an arena without a user.
  const auto ready = std::ranges::find_if(idle.rbegin(), idle.rend(), [&](const auto& bound) {
    return !bound->arena->is_taken && !bound->arena->is_dropped && has_key(*bound, bindings);
  });
  if (ready != idle.rend()) {
    std::unique_ptr<Bound> bound = std::move(*ready);
    idle.erase(std::next(ready).base());
    bound->arena->is_taken = true;
    wait_for(*bound->arena, stream);
    return bound;
  }
  lock.unlock();
  std::vector<int64_t> wanted;
  for (const SymbolId symbol : list.symbols) wanted.push_back(bindings.find(symbol).value_or(0));
  // This may take time, so other calls do not wait for it.
  std::shared_ptr<const SizeBucket> bucket = placed(bindings);
  lock.lock();
  std::unique_ptr<Bound> bound = take_idle(wanted);
  bound->bucket = std::move(bucket);
  arena_bytes = static_cast<size_t>(bound->bucket->layout.bytes);
  bound->arena = arenas.take(arena_bytes);
  // Arenas that were too small live as long as copies are bound to them.
  std::erase_if(idle, [](const auto& other) { return other->arena->is_dropped; });
  lock.unlock();
  try {
    wait_for(*bound->arena, stream);
    bind(*bound, bindings, stream);
  } catch (...) {
    lock.lock();
    ArenaPool::give_back(*bound->arena);
    throw;
  }
  bound->key = std::move(wanted);
  return bound;
}

/// Chooses the copy to bind. New sizes share one copy in turn, since those of a decoder never
/// return; so this copy stays in the caches and others stay bound. Sizes that return get their own
/// copy while there are few.
std::unique_ptr<Bound> ListRunner::Impl::take_idle(const std::vector<int64_t>& wanted) {
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

/// Orders later work of the stream after the last use of the arena.
void ListRunner::Impl::wait_for(const ArenaPool::Arena& arena, StreamId stream) const {
  if (arena.last_user && *arena.last_user != stream) {
    program.device().order(*arena.last_user, stream);
  }
}

void ListRunner::Impl::bind(Bound& bound, const Bindings& bindings, StreamId stream) {
  const ListMemory memory{.weights = weights,
                          .calls = with.calls,
                          .arena = bound.arena->memory,
                          .outputs = with.memory != nullptr ? nullptr : &outputs,
                          .shared = with.memory,
                          .library = with.library,
                          .varying = with.varying,
                          .layout = &bound.bucket->layout,
                          .stream = stream};
  if (bound.list) {
    bound.list->rebind(bindings, memory);
  } else {
    bound.list.emplace(program, list, bindings, memory);
    bound.inputs.resize(list.inputs.size());
    bound.strides.resize(list.inputs.size());
  }
  for (const size_t i : passed) bound.strides[i] = evaluate(list.inputs[i]->strides, bindings);
}

/// Makes a copy idle and its arena free. The caller must hold the lock.
void ListRunner::Impl::give_back(std::unique_ptr<Bound> bound) {
  ArenaPool::give_back(*bound->arena);
  if (!with.keeps_copies) return;
  if (idle.size() == kMostIdle) idle.erase(idle.begin());
  idle.push_back(std::move(bound));
}

void ListRunner::prepare(const Bindings& bindings, StreamId stream) const {
  std::unique_lock test(impl_->turn, std::defer_lock);
  if (impl_->is_tested) test.lock();
  impl_->keep(impl_->take(bindings, stream));
}

void ListRunner::run_into(const InputOf& input_of, const Bindings& bindings, StreamId stream,
                          std::span<const Tensor> into, std::vector<Value>& outputs,
                          std::vector<double>* seconds) const {
  Impl& impl = *impl_;
  GraphDevice& device = impl.program.device();
  std::unique_lock test(impl.turn, std::defer_lock);
  if (impl.is_tested) test.lock();
  std::unique_ptr<Bound> bound = impl.take(bindings, stream);

  // A copy whose call failed is dropped, since its state is undefined; its arena is reused.
  struct Failure {
    Impl& impl;
    std::unique_ptr<Bound>& bound;

    ~Failure() {
      if (bound == nullptr) return;
      const std::lock_guard lock(impl.mutex);
      ArenaPool::give_back(*bound->arena);
    }
  };

  const Failure failure{impl, bound};
  std::list<Tensor> copies;
  for (const size_t i : impl.passed) {
    const Tensor* tensor = input_of(i);
    if (tensor != nullptr && tensor->defined() && tensor->strides() != bound->strides[i]) {
      tensor = &copies.emplace_back(laid_out(*tensor, bound->strides[i], {device, stream}));
    }
    bound->inputs[i] = tensor;
  }
  bound->values.clear();
  for (const Expr symbol : impl.with.varying) {
    bound->values.push_back(bindings.find(symbol.symbol()).value_or(0));
  }
  ListCall call{.stream = stream, .values = bound->values, .into = into};
  if (seconds != nullptr && !impl.is_tested) {  // Test modes have more nodes than launches.
    seconds->resize(impl.list.launches.size());
    call.seconds = seconds;
  }
  // A launch that fails may have left work.
  if (!device.caps().is_immediate) bound->arena->last_user = stream;
  bound->list->run_on(bound->inputs, call, outputs);
  impl.keep(std::move(bound));
}

std::shared_ptr<const SizeBucket> ListRunner::bucket_of(const Bindings& bindings) const {
  return impl_->buckets.at(bindings);
}

int64_t ListRunner::plans_made() const { return impl_->buckets.plans_made(); }

int64_t ListRunner::copies_made() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->copies_made;
}

size_t ListRunner::arena_bytes() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->arena_bytes;
}

size_t ListRunner::held_bytes() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->arenas.bytes();
}

}  // namespace litz::runtime
