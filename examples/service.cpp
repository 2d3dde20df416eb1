// A service: workers take requests from a queue, and each runs with a deadline.
//   service MODEL.pt2 WORKERS < requests      one number of rows in each line
//
// The model takes one tensor f32[rows, features]. Each call runs on the thread of its worker, which
// serves many small requests best; large ones would share threads instead (litz::Threads).
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <litz/litz.h>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLimit{1000};

struct Request {
  int number = 0;
  int64_t rows = 0;
};

/// Requests that wait for a worker.
class Queue {
 public:
  void add(Request request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    changed_.notify_one();
  }

  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

  /// Waits for a request; nothing once the queue is closed and empty.
  std::optional<Request> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_closed_ || !requests_.empty(); });
    if (requests_.empty()) return std::nullopt;
    const Request request = requests_.front();
    requests_.pop_front();
    return request;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> requests_;
  bool is_closed_ = false;
};

void serve(litz::Executable& program, int64_t features, Queue& queue) {
  while (const std::optional<Request> request = queue.take()) {
    const litz::Tensor rows(litz::DType::float32, {request->rows, features});
    const Clock::time_point start = Clock::now();
    litz::CallLimit limit;
    limit.deadline = start + kLimit;
    const auto outputs = program.run(std::vector<litz::Value>{rows}, limit);
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (outputs) {
      std::printf("request %d: %lld rows in %.2f ms\n", request->number,
                  static_cast<long long>(request->rows), ms);
    } else {
      std::printf("request %d failed: %s\n", request->number, outputs.error().message.c_str());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: service MODEL.pt2 WORKERS\n"), 2;
  litz::set_log(litz::LogLevel::warning, [](litz::LogLevel, std::string_view message) {
    std::fprintf(stderr, "service: %.*s\n", static_cast<int>(message.size()), message.data());
  });
  litz::Options options;
  options.threads = 1;
  litz::Result<litz::Executable> program = litz::load(argv[1], options);
  if (!program) return std::fprintf(stderr, "%s\n", program.error().message.c_str()), 1;
  const std::vector<litz::SizeInfo> sizes = program->inputs().at(0).sizes;
  const int64_t features = sizes.at(1).least;
  // The first request finds memory planned.
  const litz::Tensor example(litz::DType::float32, {sizes[0].least, features});
  if (const auto ready = program->prepare(std::vector<litz::Value>{example}); !ready) {
    return std::fprintf(stderr, "%s\n", ready.error().message.c_str()), 1;
  }
  Queue queue;
  std::vector<std::thread> workers;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    workers.emplace_back([&] { serve(*program, features, queue); });
  }
  int number = 0;
  for (int64_t rows = 0; std::cin >> rows;) queue.add({number++, rows});
  queue.close();
  for (std::thread& worker : workers) worker.join();
}
