#include "runtime/cuda/cuda_streams.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "runtime/stream_use.h"
#include "runtime/thread_slot.h"
#include "support/check.h"

namespace litz::runtime::cuda {
namespace {

constexpr size_t kMostThreads = 16;
constexpr size_t kMostCallers = 40;

}  // namespace

CudaStreams::CudaStreams(std::shared_ptr<const CudaContext> context)
    : context_(std::move(context)) {
  make();
}

// At the end of the process the driver may be gone already.
CudaStreams::~CudaStreams() {
  const Driver& driver = context_->driver();
  driver.set_context.result_of(context_->handle());
  for (const State& stream : streams_) {
    if (!stream.is_callers) driver.synchronize_stream.result_of(stream.handle);
    if (stream.marker != nullptr) driver.destroy_event.result_of(stream.marker);
    if (!stream.is_callers) driver.destroy_stream.result_of(stream.handle);
  }
  for (const Event event : events_) driver.destroy_event.result_of(event);
  for (const Event event : spare_) driver.destroy_event.result_of(event);
  // The libraries of owners that are left may be gone, too.
  if (!kept_.empty()) new std::deque<Kept>(std::move(kept_));
}

CudaStreams::State& CudaStreams::state_of(StreamId stream) {
  require(stream.value >= 0 && static_cast<size_t>(stream.value) < streams_.size(),
          "a stream must be this device's:", stream.value);
  return streams_[static_cast<size_t>(stream.value)];
}

const CudaStreams::State& CudaStreams::state_of(StreamId stream) const {
  return const_cast<CudaStreams&>(*this).state_of(stream);
}

StreamId CudaStreams::add(Stream handle, bool is_callers) {
  State state;
  state.handle = handle;
  state.is_callers = is_callers;
  state.turn = std::make_unique<std::recursive_mutex>();
  streams_.push_back(std::move(state));
  return {static_cast<int32_t>(streams_.size()) - 1};
}

StreamId CudaStreams::make() {
  const Driver& driver = context_->enter();
  const std::lock_guard lock(mutex_);
  Stream handle = nullptr;
  driver.create_stream(&handle, kStreamNonBlocking);
  return add(handle, false);
}

StreamId CudaStreams::of_thread() {
  const size_t slot = thread_slot(kMostThreads);
  {
    const std::lock_guard lock(mutex_);
    if (slot < of_threads_.size() && of_threads_[slot].value >= 0) return of_threads_[slot];
  }
  const StreamId made = make();
  require(made.value < kMostStreams, ErrorCode::limit_exceeded,
          "calls must be on the first streams of a card:", kMostStreams);
  const std::lock_guard lock(mutex_);
  if (slot >= of_threads_.size()) of_threads_.resize(slot + 1, StreamId{-1});
  if (of_threads_[slot].value < 0) of_threads_[slot] = made;
  return of_threads_[slot];
}

StreamId CudaStreams::of_caller(Stream handle) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find_if(
        callers_, [&](StreamId stream) { return state_of(stream).handle == handle; });
    if (known != callers_.end()) {
      std::rotate(known, known + 1, callers_.end());
      return callers_.back();
    }
    if (callers_.size() < kMostCallers && streams_.size() < kMostStreams) {
      callers_.push_back(add(handle, true));
      return callers_.back();
    }
  }
  return replaced_caller(handle);
}

/// Gives the number of the stream that was used longest ago to another. Work of before has no order with
/// the new stream, so it must be done.
StreamId CudaStreams::replaced_caller(Stream handle) {
  finish();
  const std::lock_guard lock(mutex_);
  const auto oldest = std::ranges::find_if(callers_, [&](StreamId stream) {
    return state_of(stream).calls == 0 && state_of(stream).done == state_of(stream).last;
  });
  require(oldest != callers_.end(), ErrorCode::limit_exceeded,
          "calls must use at most this number of streams at a time:", kMostCallers);
  state_of(*oldest).handle = handle;
  std::rotate(oldest, oldest + 1, callers_.end());
  return callers_.back();
}

// The handle may stand for another stream than in the last call, which has ended.
void CudaStreams::begin_call(StreamId stream) {
  const Driver& driver = context_->enter();
  release_finished();
  const std::lock_guard lock(mutex_);
  State& state = state_of(stream);
  if (state.is_callers && state.marked != 0) driver.wait_event(state.handle, state.marker, 0);
  if (state.calls++ == 0) ++state.last_call;
}

uint64_t CudaStreams::last_call(StreamId stream) const {
  const std::lock_guard lock(mutex_);
  return state_of(stream).last_call;
}

void CudaStreams::mark(State& state) const {
  const Driver& driver = context_->driver();
  if (state.marker == nullptr) driver.create_event(&state.marker, kEventDisableTiming);
  driver.record_event(state.marker, state.handle);
  state.marked = std::max<Job>(state.last, 1);
}

// Without an event, nobody could wait for the work later.
void CudaStreams::end_call(StreamId stream) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    State& state = state_of(stream);
    if (state.is_callers) {
      context_->enter();
      mark(state);
    }
    --state.calls;
  } catch (const std::exception&) {
    const Driver& driver = context_->driver();
    driver.set_context.result_of(context_->handle());
    const std::lock_guard lock(mutex_);
    State& state = state_of(stream);
    driver.synchronize_stream.result_of(state.handle);
    state.done = state.last;
    state.marked = 0;
    --state.calls;
  }
}

bool CudaStreams::is_callers(StreamId stream) const {
  const std::lock_guard lock(mutex_);
  return state_of(stream).is_callers;
}

CudaStreams::Hold CudaStreams::hold(StreamId stream) {
  std::recursive_mutex* turn = nullptr;
  {
    const std::lock_guard lock(mutex_);
    turn = state_of(stream).turn.get();
  }
  return Hold(*turn);
}

CudaStreams::Use CudaStreams::use(StreamId stream) {
  context_->enter();
  Stream handle = nullptr;
  std::recursive_mutex* turn = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const State& state = state_of(stream);
    handle = state.handle;
    turn = state.turn.get();
  }
  return {*this, stream, handle, *turn};
}

// Only afterwards: others must not take work that is being added for finished.
void CudaStreams::note_job(StreamId stream) {
  const std::lock_guard lock(mutex_);
  State& state = state_of(stream);
  const Job job = ++last_job_;
  if (state.done == state.last) state.done = job - 1;
  state.last = job;
}

// --- Events

Event CudaStreams::spare_event() {
  Event event = nullptr;
  if (spare_.empty()) {
    context_->driver().create_event(&event, kEventDisableTiming);
  } else {
    event = spare_.back();
    spare_.pop_back();
  }
  return event;
}

void CudaStreams::drop_finished_events() {
  constexpr int kMost = 4;  // More than one is added at a time, so the list cannot grow for ever.
  for (int i = 0; i < kMost && !events_.empty(); ++i) {
    if (context_->driver().query_event.result_of(events_.front()) != kSuccess) return;
    spare_.push_back(events_.front());
    events_.pop_front();
    first_event_ = (first_event_ + 1) & std::numeric_limits<int32_t>::max();
  }
}

EventId CudaStreams::record(StreamId stream) {
  const Driver& driver = context_->enter();
  const std::lock_guard lock(mutex_);
  const State& state = state_of(stream);
  drop_finished_events();
  const Event event = spare_event();
  events_.push_back(event);
  driver.record_event(event, state.handle);
  const int64_t number = int64_t{first_event_} + static_cast<int64_t>(events_.size()) - 1;
  return {static_cast<int32_t>(number & std::numeric_limits<int32_t>::max())};
}

/// Null if the event has come long ago.
Event CudaStreams::event_of(EventId event) const {
  require(event.value >= 0, "an event must be this device's:", event.value);
  // Numbers wrap; those before the first have finished.
  const auto place = static_cast<uint32_t>(event.value - first_event_) &
                     static_cast<uint32_t>(std::numeric_limits<int32_t>::max());
  return place < events_.size() ? events_[place] : nullptr;
}

void CudaStreams::wait(StreamId stream, EventId event) {
  const Use use = this->use(stream);
  const std::lock_guard lock(mutex_);
  const Event found = event_of(event);
  if (found != nullptr) use.driver().wait_event(use.stream(), found, 0);
}

// An event that is used again meanwhile comes later, which is late enough.
void CudaStreams::wait_on_host(EventId event) {
  const Driver& driver = context_->enter();
  Event found = nullptr;
  {
    const std::lock_guard lock(mutex_);
    found = event_of(event);
  }
  if (found != nullptr) driver.synchronize_event(found);
}

void CudaStreams::order(StreamId before, StreamId after) {
  if (before == after) return;
  const Driver& driver = context_->enter();
  bool is_marked = false;
  {
    const std::lock_guard lock(mutex_);
    const State& first = state_of(before);
    const State& second = state_of(after);
    if (!first.is_callers && first.done >= first.last) return;
    is_marked = first.is_callers && first.calls == 0;
    if (is_marked && first.marked != 0) driver.wait_event(second.handle, first.marker, 0);
  }
  if (!is_marked) wait(after, record(before));
}

void CudaStreams::order_after_call(StreamId before, uint64_t call, StreamId after) {
  {
    const std::lock_guard lock(mutex_);
    const State& first = state_of(before);
    if (call <= first.awaited_call && !first.failure) return;
    state_of(after).before |= (first.before | bit_of(before)) & ~bit_of(after);
  }
  order(before, after);
}

// --- Waiting

void CudaStreams::at_end(StreamId stream, std::function<void()> work, const void* key) {
  const std::lock_guard lock(mutex_);
  std::vector<AtEnd>& all = state_of(stream).at_end;
  const bool is_known = key != nullptr && std::ranges::count(all, key, &AtEnd::key) > 0;
  if (!is_known) all.push_back({std::move(work), key});
}

void CudaStreams::settle(StreamId stream) {
  const Driver& driver = context_->enter();
  // Nobody adds work meanwhile, which might fail while failures are looked for.
  const Hold turn = hold(stream);
  std::unique_lock lock(mutex_);
  State& state = state_of(stream);
  const Job job = state.last;
  // Calls that go on may add more.
  const uint64_t call = state.calls == 0 ? state.last_call : state.last_call - 1;
  const bool is_marked = state.is_callers && state.calls == 0;
  const Event marker = state.marked != 0 ? state.marker : nullptr;
  lock.unlock();
  if (!is_marked) {
    driver.synchronize_stream(state.handle);
  } else if (marker != nullptr) {
    driver.synchronize_event(marker);
  }
  lock.lock();
  state.done = std::max(state.done, job);
  std::vector<AtEnd> work = std::exchange(state.at_end, {});
  lock.unlock();
  for (const AtEnd& each : work) {
    try {
      each.work();
    } catch (...) {
      lock.lock();
      if (!state.failure) state.failure = std::current_exception();
      lock.unlock();
    }
  }
  work.clear();  // What it owns may need the lock.
  const std::lock_guard again(mutex_);
  state.awaited_call = std::max(state.awaited_call, call);
}

void CudaStreams::synchronize(StreamId stream) {
  settle(stream);
  std::exception_ptr failure;
  uint64_t before = 0;
  {
    const std::lock_guard lock(mutex_);
    failure = std::exchange(state_of(stream).failure, nullptr);
    before = std::exchange(state_of(stream).before, 0);
  }
  // Those who wait for these streams get their failures too.
  for (; before != 0; before &= before - 1) {
    const StreamId other{std::countr_zero(before)};
    settle(other);
    const std::lock_guard lock(mutex_);
    if (!failure) failure = state_of(other).failure;
  }
  release_finished();
  if (failure) std::rethrow_exception(failure);
}

void CudaStreams::finish() {
  const Driver& driver = context_->enter();
  const Job job = last_job();
  driver.synchronize();
  const std::lock_guard lock(mutex_);
  for (State& state : streams_) state.done = std::max(state.done, std::min(state.last, job));
}

// At the end of the process the driver may be gone already.
bool CudaStreams::abandon(bool is_last) {
  context_->driver().set_context.result_of(context_->handle());
  const Job job = last_job();
  const bool has_waited = context_->driver().synchronize.result_of() == kSuccess;
  std::vector<AtEnd> dropped;
  {
    const std::lock_guard lock(mutex_);
    for (State& state : streams_) {
      state.done = std::max(state.done, std::min(state.last, job));
      if (!is_last) continue;
      for (AtEnd& work : state.at_end) dropped.push_back(std::move(work));
      state.at_end.clear();
    }
  }
  if (has_waited) drop_finished_owners();
  return has_waited;
}

// Owners are released without the lock, since their releases may use the card.
void CudaStreams::release_later(std::shared_ptr<const void> owner) {
  const std::lock_guard lock(mutex_);
  if (!is_finished(last_job())) kept_.push_back({last_job(), std::move(owner)});
}

void CudaStreams::release_finished() {
  {
    const std::lock_guard lock(mutex_);
    if (kept_.empty()) return;
  }
  poll();
  drop_finished_owners();
}

void CudaStreams::drop_finished_owners() {
  std::vector<Kept> released;
  const std::lock_guard lock(mutex_);
  while (!kept_.empty() && is_finished(kept_.front().last_job)) {
    released.push_back(std::move(kept_.front()));
    kept_.pop_front();
  }
}

bool CudaStreams::is_finished(Job job) const {
  return std::ranges::all_of(
      streams_, [&](const State& state) { return state.done >= state.last || state.done >= job; });
}

bool CudaStreams::has_finished(Job job) const {
  const std::lock_guard lock(mutex_);
  return is_finished(job);
}

void CudaStreams::poll() {
  const Driver& driver = context_->enter();
  const std::lock_guard lock(mutex_);
  for (State& state : streams_) {
    if (state.done >= state.last) continue;
    if (state.marked != 0) {
      if (driver.query_event.result_of(state.marker) != kSuccess) continue;
      state.done = std::max(state.done, state.marked);
      if (!state.is_callers) state.marked = 0;
    }
    if (state.done < state.last && !state.is_callers) mark(state);
  }
}

}  // namespace litz::runtime::cuda
