// Streams and events of the emulated card. Work runs late, and streams overtake each other unless
// events order them; a seed decides.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <thread>

#include "machine.h"

namespace emulated {
namespace {

using litz::runtime::cuda::Copy2;
using litz::runtime::cuda::MemoryType;

struct Work {
  Job job;
  std::vector<Job> after;
  std::function<void()> run;
  std::function<bool()> is_ready;  ///< Empty: at once.
};

struct StreamObject {
  std::deque<Work> waiting;
  std::vector<Job> awaited;  ///< Jobs that the next work waits for.
  Job last = 0;
  bool is_capturing = false;
  std::vector<std::function<void()>> captured;
  std::thread::id owner;  ///< That gave work last: a rank, if there are several.
};

struct EventObject {
  Job job = 0;  ///< The event has come when this has run.
  bool has_time = false;
  std::chrono::steady_clock::time_point time;
};

struct Queue {
  Handles<StreamObject> streams{"stream"};
  Handles<EventObject> events{"event"};
  std::set<Job> pending;
  Job last = 0;
  std::condition_variable_any added;
};

Queue& queue() {
  static auto* const only = new Queue;
  return *only;
}

/// Those of CU_STREAM_LEGACY and CU_STREAM_PER_THREAD too; the emulation orders them with no other stream.
bool is_default(const void* handle) { return reinterpret_cast<uintptr_t>(handle) <= 2; }

StreamObject& stream_of(const void* handle) {
  if (is_default(handle) && !queue().streams.has(handle)) {
    queue().streams.add_as(handle, std::make_unique<StreamObject>());
  }
  return queue().streams.get(handle);
}

bool is_pending(Job job) { return queue().pending.contains(job); }

/// Runs the first work of a stream that waits for nothing. False if all waits for other threads.
bool run_one() {
  bool waits_for_others = false;
  std::vector<StreamObject*> ready;
  for (const auto& [handle, stream] : queue().streams.all()) {
    if (stream->waiting.empty()) continue;
    bool waits = false;
    for (const Job job : stream->waiting.front().after) waits = waits || is_pending(job);
    const std::function<bool()>& is_ready = stream->waiting.front().is_ready;
    const bool waits_here = !waits && is_ready && !is_ready();
    waits_for_others = waits_for_others || waits_here;
    if (!waits && !waits_here) ready.push_back(stream.get());
  }
  if (ready.empty() && waits_for_others) return false;
  if (ready.empty()) misuse("work waits for itself");
  StreamObject& stream = *ready[machine().random() % ready.size()];
  const Work work = std::move(stream.waiting.front());
  stream.waiting.pop_front();
  work.run();
  queue().pending.erase(work.job);
  return true;
}

bool has_own_work() {
  return std::ranges::any_of(queue().streams.all(), [](const auto& each) {
    return each.second->owner == std::this_thread::get_id() && !each.second->waiting.empty();
  });
}

void finish(Job job) {
  if (!is_pending(job)) return;
  const OpenMemory open;
  while (is_pending(job)) {
    if (!run_one() && !let_others_add()) misuse("work waits for a rank that does not come");
  }
}

/// A card may be fast: some of the work has run when more is added.
void run_some() {
  if (machine().random() % 4 != 0) return;
  const OpenMemory open;
  while (!queue().pending.empty() && machine().random() % 4 != 0) {
    if (!run_one()) return;
  }
}

}  // namespace

namespace {

Job add(void* stream, std::function<void()> work, Job after, std::function<bool()> is_ready) {
  StreamObject& own = stream_of(stream);
  if (own.is_capturing) {
    if (after != 0 || is_ready) misuse("work that follows other work is captured");
    own.captured.push_back(std::move(work));
    return 0;
  }
  Work given{++queue().last, {}, std::move(work), std::move(is_ready)};
  given.after.swap(own.awaited);
  if (after != 0) given.after.push_back(after);
  const Job job = given.job;
  own.last = job;
  own.owner = std::this_thread::get_id();
  own.waiting.push_back(std::move(given));
  queue().pending.insert(job);
  queue().added.notify_all();
  run_some();
  return job;
}

}  // namespace

Job give(void* stream, std::function<void()> work, Job after) {
  return add(stream, std::move(work), after, {});
}

Job give_when(void* stream, std::function<bool()> is_ready, std::function<void()> work) {
  return add(stream, std::move(work), 0, std::move(is_ready));
}

void wake_others() { queue().added.notify_all(); }

bool let_others_add() {
  constexpr std::chrono::seconds kMost{20};
  return queue().added.wait_for(machine().mutex, kMost) == std::cv_status::no_timeout;
}

void finish_stream(void* stream) {
  const StreamObject& own = stream_of(stream);
  if (own.is_capturing) misuse("a stream is awaited while it captures");
  for (const Job job : std::vector<Job>(own.awaited)) finish(job);
  finish(own.last);
}

void finish_all() {
  if (is_idle()) return;
  const OpenMemory open;
  while (!is_idle()) {
    if (run_one()) continue;
    // Each rank would have a card of its own.
    if (!has_own_work()) return;
    if (!let_others_add()) misuse("work waits for a rank that does not come");
  }
}

bool is_idle() { return queue().pending.empty(); }

namespace {

bool are_ranks = false;

}  // namespace

bool has_work_here() { return are_ranks ? has_own_work() : !is_idle(); }

void have_ranks() { are_ranks = true; }

size_t live_streams() {
  return static_cast<size_t>(std::ranges::count_if(
      queue().streams.all(), [](const auto& each) { return !is_default(each.first); }));
}

size_t live_events() { return queue().events.count(); }

}  // namespace emulated

using namespace emulated;

extern "C" {

Result cuCtxSynchronize() {
  return enter("cuCtxSynchronize", true, [&] {
    finish_all();
    return kSuccess;
  });
}

Result cuStreamCreate(void** stream, unsigned flags) {
  return enter("cuStreamCreate", true, [&] {
    if (flags != litz::runtime::cuda::kStreamNonBlocking) return kInvalidValue;
    *stream = queue().streams.add(std::make_unique<StreamObject>());
    return kSuccess;
  });
}

Result cuStreamDestroy_v2(void* stream) {
  return enter("cuStreamDestroy", true, [&] {
    finish_stream(stream);
    queue().streams.remove(stream);
    return kSuccess;
  });
}

Result cuStreamBeginCapture_v2(void* stream, int mode) {
  return enter("cuStreamBeginCapture", true, [&] {
    StreamObject& own = stream_of(stream);
    if (own.is_capturing || mode < 0 || mode > 2) return kInvalidValue;
    own.is_capturing = true;
    return kSuccess;
  });
}

Result cuStreamEndCapture(void* stream, void** graph) {
  return enter("cuStreamEndCapture", true, [&] {
    StreamObject& own = stream_of(stream);
    if (!own.is_capturing) return kInvalidValue;
    own.is_capturing = false;
    *graph = graph_of_work(std::move(own.captured));
    own.captured.clear();
    return kSuccess;
  });
}

Result cuStreamSynchronize(void* stream) {
  return enter("cuStreamSynchronize", true, [&] {
    finish_stream(stream);
    return kSuccess;
  });
}

Result cuStreamWaitEvent(void* stream, void* event, unsigned flags) {
  return enter("cuStreamWaitEvent", true, [&] {
    const EventObject& awaited = queue().events.get(event);
    StreamObject& own = stream_of(stream);
    if (flags != 0) return kInvalidValue;
    if (is_pending(awaited.job)) own.awaited.push_back(awaited.job);
    return kSuccess;
  });
}

Result cuEventCreate(void** event, unsigned flags) {
  return enter("cuEventCreate", true, [&] {
    auto made = std::make_unique<EventObject>();
    made->has_time = (flags & litz::runtime::cuda::kEventDisableTiming) == 0;
    *event = queue().events.add(std::move(made));
    return kSuccess;
  });
}

Result cuEventDestroy_v2(void* event) {
  return enter("cuEventDestroy", true, [&] {
    finish(queue().events.get(event).job);
    queue().events.remove(event);
    return kSuccess;
  });
}

Result cuEventRecord(void* event, void* stream) {
  return enter("cuEventRecord", true, [&] {
    EventObject& recorded = queue().events.get(event);
    recorded.job = give(stream, [&recorded] { recorded.time = std::chrono::steady_clock::now(); });
    return kSuccess;
  });
}

Result cuEventQuery(void* event) {
  return enter("cuEventQuery", true, [&] {
    run_some();
    return is_pending(queue().events.get(event).job) ? kNotReady : kSuccess;
  });
}

Result cuEventSynchronize(void* event) {
  return enter("cuEventSynchronize", true, [&] {
    finish(queue().events.get(event).job);
    return kSuccess;
  });
}

Result cuEventElapsedTime(float* milliseconds, void* begin, void* end) {
  return enter("cuEventElapsedTime", true, [&] {
    const EventObject& first = queue().events.get(begin);
    const EventObject& last = queue().events.get(end);
    if (!first.has_time || !last.has_time) return kInvalidValue;
    if (is_pending(first.job) || is_pending(last.job)) return kNotReady;
    *milliseconds = std::chrono::duration<float, std::milli>(last.time - first.time).count();
    return kSuccess;
  });
}

// --- Copies and fills

// Memory that is not pinned has been read when the call returns; pinned memory is read late.
Result cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, void* stream) {
  return enter("cuMemcpyHtoDAsync", true, [&] {
    require_usable(to, bytes, "cuMemcpyHtoDAsync");
    if (is_pinned(from)) {
      give(stream, [=] {
        require_usable(to, bytes, "cuMemcpyHtoDAsync");
        require_usable(reinterpret_cast<uintptr_t>(from), bytes, "cuMemcpyHtoDAsync");
        std::memcpy(pointer_to(to), from, bytes);
      });
    } else {
      const auto* const first = static_cast<const std::byte*>(from);
      give(stream, [=, data = std::vector<std::byte>(first, first + bytes)] {
        require_usable(to, bytes, "cuMemcpyHtoDAsync");
        std::memcpy(pointer_to(to), data.data(), bytes);
      });
    }
    return kSuccess;
  });
}

Result cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, void* stream) {
  return enter("cuMemcpyDtoHAsync", true, [&] {
    require_usable(from, bytes, "cuMemcpyDtoHAsync");
    const bool is_late = is_pinned(to);
    give(stream, [=] {
      require_usable(from, bytes, "cuMemcpyDtoHAsync");
      if (is_late) require_usable(reinterpret_cast<uintptr_t>(to), bytes, "cuMemcpyDtoHAsync");
      std::memcpy(to, pointer_to(from), bytes);
    });
    if (!is_late) finish_stream(stream);
    return kSuccess;
  });
}

Result cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void* stream) {
  return enter("cuMemcpyDtoDAsync", true, [&] {
    require_usable(to, bytes, "cuMemcpyDtoDAsync");
    require_usable(from, bytes, "cuMemcpyDtoDAsync");
    give(stream, [=] {
      require_usable(to, bytes, "cuMemcpyDtoDAsync");
      require_usable(from, bytes, "cuMemcpyDtoDAsync");
      std::memmove(pointer_to(to), pointer_to(from), bytes);
    });
    return kSuccess;
  });
}

Result cuMemcpy2DAsync_v2(const Copy2* copy, void* stream) {
  return enter("cuMemcpy2DAsync", true, [&] {
    const bool is_valid =
        copy->from.type == MemoryType::device && copy->to.type == MemoryType::device &&
        copy->from.x_bytes == 0 && copy->from.y == 0 && copy->to.x_bytes == 0 && copy->to.y == 0 &&
        copy->from.pitch >= copy->width_bytes && copy->to.pitch >= copy->width_bytes;
    if (!is_valid) return kInvalidValue;
    give(stream, [own = *copy] {
      for (size_t y = 0; y < own.height; ++y) {
        const Address to = own.to.device + y * own.to.pitch;
        const Address from = own.from.device + y * own.from.pitch;
        require_usable(to, own.width_bytes, "cuMemcpy2DAsync");
        require_usable(from, own.width_bytes, "cuMemcpy2DAsync");
        std::memcpy(pointer_to(to), pointer_to(from), own.width_bytes);
      }
    });
    return kSuccess;
  });
}

Result cuMemsetD8Async(Address to, unsigned char value, size_t count, void* stream) {
  return enter("cuMemsetD8Async", true, [&] {
    require_usable(to, count, "cuMemsetD8Async");
    give(stream, [=] {
      require_usable(to, count, "cuMemsetD8Async");
      std::memset(pointer_to(to), value, count);
    });
    return kSuccess;
  });
}

Result cuMemsetD32Async(Address to, unsigned value, size_t count, void* stream) {
  return enter("cuMemsetD32Async", true, [&] {
    if (to % 4 != 0) return kInvalidValue;
    require_usable(to, 4 * count, "cuMemsetD32Async");
    give(stream, [=] {
      require_usable(to, 4 * count, "cuMemsetD32Async");
      auto* const words = static_cast<unsigned*>(pointer_to(to));
      std::fill(words, words + count, value);
    });
    return kSuccess;
  });
}

}  // extern "C"
