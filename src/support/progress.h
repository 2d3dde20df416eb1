// A progress line on a terminal for anything that takes more than a second.
//
// A line appears one second after the start and is redrawn several times a second by a thread of
// its own, with the time spent, so that a terminal is never silent for two seconds. Nothing is
// printed when standard error is not a terminal or when progress is switched off.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace litz {

enum class ProgressMode : uint8_t { automatic, off, always };

/// Shows progress while it lives, and erases its line at the end. Thread-safe.
class Progress {
 public:
  /// `total` counts the steps, or is 0 when their number is unknown. `always` draws even when
  /// `fd` is no terminal (tests use it).
  explicit Progress(std::string_view task, uint64_t total = 0,
                    ProgressMode mode = ProgressMode::automatic, int fd = 2,
                    double delay_seconds = 1.0);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Notes that steps are done, and what is being done now.
  void advance(uint64_t steps = 1);
  void set_total(uint64_t total);
  void set_detail(std::string_view detail);

  /// The line as it would be drawn `seconds` after the start.
  static std::string line(std::string_view task, std::string_view detail, uint64_t done,
                          uint64_t total, double seconds);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace litz
