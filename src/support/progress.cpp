#include "support/progress.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <unistd.h>

#include "support/text.h"

namespace litz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kRedraw = std::chrono::milliseconds(200);

// To the first column, then erase to the end of the line.
constexpr std::string_view kErase = "\r\x1b[K";

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count <= 0) return;  // A missing terminal is not an error.
    text.remove_prefix(static_cast<size_t>(count));
  }
}

}  // namespace

struct Progress::State {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::string task;
  std::string detail;
  uint64_t done = 0;
  uint64_t total = 0;
  int fd = 2;
  std::chrono::duration<double> delay{};
  Clock::time_point start = Clock::now();
  bool drawn = false;
  std::jthread painter;  // Last: it must stop before the rest goes.

  void paint(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    const auto never = [] { return false; };
    auto due = start + std::chrono::duration_cast<Clock::duration>(delay);
    while (true) {
      wake.wait_until(lock, stop, due, never);
      if (stop.stop_requested()) return;
      const std::chrono::duration<double> spent = Clock::now() - start;
      const std::string text = line(task, detail, done, total, spent.count());
      drawn = true;
      write_all(fd, std::string(kErase) + text);
      due = Clock::now() + kRedraw;
    }
  }
};

Progress::Progress(std::string_view task, uint64_t total, ProgressMode mode, int fd,
                   double delay_seconds) {
  if (mode == ProgressMode::off) return;
  if (mode == ProgressMode::automatic && ::isatty(fd) == 0) return;
  state_ = std::make_unique<State>();
  state_->task = task;
  state_->total = total;
  state_->fd = fd;
  state_->delay = std::chrono::duration<double>(delay_seconds);
  state_->painter =
      std::jthread([state = state_.get()](const std::stop_token& stop) { state->paint(stop); });
}

Progress::~Progress() {
  if (state_ == nullptr) return;
  state_->painter.request_stop();
  state_->painter.join();
  if (state_->drawn) write_all(state_->fd, kErase);
}

void Progress::advance(uint64_t steps) {
  if (state_ == nullptr) return;
  const std::lock_guard lock(state_->mutex);
  state_->done += steps;
}

void Progress::set_total(uint64_t total) {
  if (state_ == nullptr) return;
  const std::lock_guard lock(state_->mutex);
  state_->total = total;
}

void Progress::set_detail(std::string_view detail) {
  if (state_ == nullptr) return;
  const std::lock_guard lock(state_->mutex);
  state_->detail = detail;
}

std::string Progress::line(std::string_view task, std::string_view detail, uint64_t done,
                           uint64_t total, double seconds) {
  constexpr size_t kWidth = 79;  // A longer line would wrap and could not be erased.
  std::string text(task);
  if (total > 0) {
    const uint64_t shown = std::min(done, total);
    text += " " + std::to_string(shown) + "/" + std::to_string(total);
    text += " (" + std::to_string(shown * 100 / total) + "%)";
  } else if (done > 0) {
    text += " " + std::to_string(done);
  }
  const std::string time = " " + human_seconds(seconds);
  if (!detail.empty()) {
    text += " ";
    text += detail;
  }
  if (text.size() + time.size() > kWidth) text.resize(kWidth - std::min(kWidth, time.size()));
  return text + time;
}

}  // namespace litz
