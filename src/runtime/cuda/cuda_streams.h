// The streams and events of a card, and which of their work has finished.
//
// Work is numbered over all streams. Memory that is freed while work waits is used again once all
// work up to the number at that time has finished; so nothing need be known about who uses what.

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

  /// Adds work to a stream while it lives; afterwards the work counts as a job.
  class Use {
   public:
    Use(CudaStreams& streams, StreamId stream, Stream handle)
        : streams_(streams), stream_(stream), handle_(handle) {}

    ~Use() { streams_.note_job(stream_); }

    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

    const Driver& driver() const { return streams_.context_->driver(); }

    Stream stream() const { return handle_; }

   private:
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

  /// Runs `work` on the host when the stream is synchronised next. What it throws is a failure of
  /// the stream.
  void at_end(StreamId stream, std::function<void()> work);

  /// Waits, and throws the first failure of the stream that was not thrown yet.
  void synchronize(StreamId stream);

  /// Waits, and leaves failures for synchronize.
  void settle(StreamId stream);

  /// Waits for the work of all streams.
  void finish();

  /// Waits for the work of all streams and forgets what would run at their ends, at the end of the
  /// device. Returns false if the wait failed.
  bool abandon();

  /// The number of the last job.
  Job last_job() const { return last_job_.load(); }

  /// True if all jobs up to this one are known to have finished.
  bool has_finished(Job job) const;

  /// Asks the driver what has finished.
  void poll();

 private:
  struct State {
    Stream handle = nullptr;
    Job last = 0;
    Job done = 0;            ///< All of its jobs up to this number have finished.
    Event marker = nullptr;  ///< Recorded after job `marked`.
    Job marked = 0;          ///< 0: not recorded.
    std::vector<std::function<void()>> at_end;
    std::unique_ptr<std::mutex> ending;  ///< Held while work at the end runs.
    std::exception_ptr failure;
  };

  State& state_of(StreamId stream);
  Event event_of(EventId event) const;
  void note_job(StreamId stream);
  Event spare_event();
  void drop_finished_events();

  std::shared_ptr<const CudaContext> context_;
  mutable std::mutex mutex_;
  std::deque<State> streams_;
  std::deque<Event> events_;  ///< Recorded and perhaps not finished; consecutive numbers.
  int32_t first_event_ = 0;   ///< The number of events_[0].
  std::vector<Event> spare_;
  std::atomic<Job> last_job_{0};
};

}  // namespace litz::runtime::cuda
