#include "runtime/cuda/cuda_streams.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "support/check.h"

namespace litz::runtime::cuda {

CudaStreams::CudaStreams(std::shared_ptr<const CudaContext> context)
    : context_(std::move(context)) {
  make();
}

// At the end of the process the driver may be gone already.
CudaStreams::~CudaStreams() {
  const Driver& driver = context_->driver();
  driver.set_context.result_of(context_->handle());
  for (const State& stream : streams_) {
    driver.synchronize_stream.result_of(stream.handle);
    if (stream.marker != nullptr) driver.destroy_event.result_of(stream.marker);
    driver.destroy_stream.result_of(stream.handle);
  }
  for (const Event event : events_) driver.destroy_event.result_of(event);
  for (const Event event : spare_) driver.destroy_event.result_of(event);
}

CudaStreams::State& CudaStreams::state_of(StreamId stream) {
  require(stream.value >= 0 && static_cast<size_t>(stream.value) < streams_.size(),
          "a stream must be this device's:", stream.value);
  return streams_[static_cast<size_t>(stream.value)];
}

StreamId CudaStreams::make() {
  const Driver& driver = context_->enter();
  const std::lock_guard lock(mutex_);
  State state{.ending = std::make_unique<std::mutex>()};
  driver.create_stream(&state.handle, kStreamNonBlocking);
  streams_.push_back(std::move(state));
  return {static_cast<int32_t>(streams_.size()) - 1};
}

CudaStreams::Use CudaStreams::use(StreamId stream) {
  context_->enter();
  const std::lock_guard lock(mutex_);
  return {*this, stream, state_of(stream).handle};
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

void CudaStreams::order(StreamId before, StreamId after) { wait(after, record(before)); }

// --- Waiting

void CudaStreams::at_end(StreamId stream, std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  state_of(stream).at_end.push_back(std::move(work));
}

void CudaStreams::settle(StreamId stream) {
  const Driver& driver = context_->enter();
  std::unique_lock lock(mutex_);
  State& state = state_of(stream);
  const Job job = state.last;
  lock.unlock();
  driver.synchronize_stream(state.handle);
  const std::lock_guard ending(*state.ending);
  lock.lock();
  state.done = std::max(state.done, job);
  const std::vector<std::function<void()>> work = std::exchange(state.at_end, {});
  lock.unlock();
  for (const std::function<void()>& each : work) {
    try {
      each();
    } catch (...) {
      lock.lock();
      if (!state.failure) state.failure = std::current_exception();
      lock.unlock();
    }
  }
}

void CudaStreams::synchronize(StreamId stream) {
  settle(stream);
  std::exception_ptr failure;
  {
    const std::lock_guard lock(mutex_);
    failure = std::exchange(state_of(stream).failure, nullptr);
  }
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
bool CudaStreams::abandon() {
  context_->driver().set_context.result_of(context_->handle());
  const bool has_waited = context_->driver().synchronize.result_of() == kSuccess;
  std::vector<std::function<void()>> dropped;
  const std::lock_guard lock(mutex_);
  for (State& state : streams_) {
    state.done = state.last;
    for (std::function<void()>& work : state.at_end) dropped.push_back(std::move(work));
    state.at_end.clear();
  }
  return has_waited;
}

bool CudaStreams::has_finished(Job job) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(
      streams_, [&](const State& state) { return state.done >= state.last || state.done >= job; });
}

void CudaStreams::poll() {
  const Driver& driver = context_->enter();
  const std::lock_guard lock(mutex_);
  for (State& state : streams_) {
    if (state.done >= state.last) continue;
    if (state.marked != 0) {
      if (driver.query_event.result_of(state.marker) != kSuccess) continue;
      state.done = std::max(state.done, state.marked);
      state.marked = 0;
    }
    if (state.done >= state.last) continue;
    if (state.marker == nullptr) state.marker = spare_event();
    driver.record_event(state.marker, state.handle);
    state.marked = state.last;
  }
}

}  // namespace litz::runtime::cuda
