#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "support/log.h"
#include "support/text.h"

namespace litz::compiler {

/// Logs how long the phases of compiling take.
class PhaseLog {
 public:
  /// Ends the phase before, if there is one.
  void begin(std::string_view name) {
    const Clock::time_point now = Clock::now();
    if (!name_.empty() && log_enabled(LogLevel::debug)) {
      log(LogLevel::debug,
          name_ + ": " + human_seconds(std::chrono::duration<double>(now - start_).count()));
    }
    name_ = name;
    start_ = now;
  }

  void end() { begin(""); }

 private:
  using Clock = std::chrono::steady_clock;

  std::string name_;
  Clock::time_point start_;
};

}  // namespace litz::compiler
