// The streams and events of a card, and which of their work has finished.
//
// Work is numbered over all streams. Memory that is freed while work waits is used again once all
// work up to the number at that time has finished; so nothing need be known about who uses what.
//
// A stream of a caller is used like others during the caller's calls. Its owner may destroy it after
// them, so at the end of each call an event is recorded, which stands for the stream from then on.

#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/cuda/cuda_context.h"
#include "runtime/device.h"

namespace litz::runtime::cuda {

/// Thread-safe.
class CudaStreams {
 public:
  using Job = uint64_t;

  explicit CudaStreams(std::shared_ptr<const CudaContext> context);
  CudaStreams(const CudaStreams&) = delete;
  CudaStreams& operator=(const CudaStreams&) = delete;
  ~CudaStreams();

  const CudaContext& context() const { return *context_; }

  const std::shared_ptr<const CudaContext>& shared_context() const { return context_; }

  StreamId make();

  /// The stream of this thread; threads beyond the sixteenth share streams.
  StreamId of_thread();
  /// A caller's stream; later calls with the same handle return the same number.
  StreamId of_caller(Stream handle);

  /// Begins a call that adds work to the stream, and ends it.
  void begin_call(StreamId stream);
  void end_call(StreamId stream) noexcept;

  bool is_callers(StreamId stream) const;

  /// Keeps other threads from adding work to the stream, and from looking for its failures.
  using Hold = std::unique_lock<std::recursive_mutex>;
  [[nodiscard]] Hold hold(StreamId stream);

  /// Adds work to a stream while it lives; afterwards the work counts as a job.
  class Use {
   public:
    Use(CudaStreams& streams, StreamId stream, Stream handle, std::recursive_mutex& turn)
        : turn_(turn), streams_(streams), stream_(stream), handle_(handle) {}

    ~Use() { streams_.note_job(stream_); }

    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

    const Driver& driver() const { return streams_.context_->driver(); }

    Stream stream() const { return handle_; }

   private:
    Hold turn_;
    CudaStreams& streams_;
    StreamId stream_;
    Stream handle_;
  };

  /// Makes the card current.
  Use use(StreamId stream);

  EventId record(StreamId stream);
  void wait(StreamId stream, EventId event);
  /// Returns when the event has come.
  void wait_on_host(EventId event);

  /// Makes later work of one stream run after all work that the other has now.
  void order(StreamId before, StreamId after);

  /// The same for work of a call, unless it was awaited. The first failure of the stream is then one of
  /// the later stream too.
  void order_after_call(StreamId before, uint64_t call, StreamId after);

  /// The number of the last call that has begun on a stream.
  uint64_t last_call(StreamId stream) const;

  /// Runs `work` on the host when the stream is synchronised next. What it throws is a failure of
  /// the stream. Work of the same `key` runs once; null: as often as it is given.
  void at_end(StreamId stream, std::function<void()> work, const void* key = nullptr);

  /// Waits, and throws the first failure of the stream that was not thrown yet.
  void synchronize(StreamId stream);

  /// Waits, and leaves failures for synchronize.
  void settle(StreamId stream);

  /// Waits for the work of all streams.
  void finish();

  /// Waits for the work of all streams at the end of a device. Returns false if the wait failed. What
  /// would run at their ends is forgotten if no other device has these streams.
  bool abandon(bool is_last);

  /// Releases an owner of memory once the work that there is now has finished.
  void release_later(std::shared_ptr<const void> owner);
  /// Releases the owners whose work has finished.
  void release_finished();

  /// The number of the last job.
  Job last_job() const { return last_job_.load(); }

  /// True if all jobs up to this one are known to have finished.
  bool has_finished(Job job) const;

  /// Asks the driver what has finished.
  void poll();

 private:
  struct AtEnd {
    std::function<void()> work;
    const void* key;
  };

  struct State {
    Stream handle = nullptr;
    bool is_callers = false;
    int calls = 0;  ///< That add work now. Without one, a caller's handle is not used.
    uint64_t last_call = 0;
    uint64_t awaited_call = 0;  ///< All work of calls up to this one has finished.
    Job last = 0;
    Job done = 0;            ///< All of its jobs up to this number have finished.
    Event marker = nullptr;  ///< Recorded after job `marked`.
    Job marked = 0;          ///< 0: not recorded.
    uint64_t before = 0;     ///< Bits of streams whose failures it has too.
    std::vector<AtEnd> at_end;
    /// Held while work is added and while work at the end runs.
    std::unique_ptr<std::recursive_mutex> turn;
    std::exception_ptr failure;
  };

  struct Kept {
    Job last_job;
    std::shared_ptr<const void> owner;
  };

  State& state_of(StreamId stream);
  const State& state_of(StreamId stream) const;
  StreamId add(Stream handle, bool is_callers);
  StreamId replaced_caller(Stream handle);
  void mark(State& state) const;
  bool is_finished(Job job) const;
  Event event_of(EventId event) const;
  void note_job(StreamId stream);
  Event spare_event();
  void drop_finished_events();
  void drop_finished_owners();

  std::shared_ptr<const CudaContext> context_;
  mutable std::mutex mutex_;
  std::deque<State> streams_;
  std::vector<StreamId> of_threads_;
  std::vector<StreamId> callers_;  ///< Used last comes last.
  std::deque<Kept> kept_;
  std::deque<Event> events_;  ///< Recorded and perhaps not finished; consecutive numbers.
  int32_t first_event_ = 0;   ///< The number of events_[0].
  std::vector<Event> spare_;
  std::atomic<Job> last_job_{0};
};

}  // namespace litz::runtime::cuda
