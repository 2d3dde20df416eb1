// A progress line on a terminal for work that takes more than a second.
//
// The line appears one second after the start. A separate thread redraws it several times a second
// with the time spent, so a terminal is never silent for two seconds. Nothing is printed if
// standard error is not a terminal or progress is switched off.

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
  /// `total` counts the steps; 0 if their number is unknown. `always` draws even if `fd` is not a
  /// terminal (for tests).
  explicit Progress(std::string_view task, uint64_t total = 0,
                    ProgressMode mode = ProgressMode::automatic, int fd = 2,
                    double delay_seconds = 1.0);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Reports finished steps, and the present work.
  void advance(uint64_t steps = 1);
  void set_total(uint64_t total);
  void set_detail(std::string_view detail);

  /// Returns the line as drawn `seconds` after the start.
  static std::string line(std::string_view task, std::string_view detail, uint64_t done,
                          uint64_t total, double seconds);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace litz
