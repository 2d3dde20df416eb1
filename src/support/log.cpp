#include "support/log.h"

#include <array>
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <unistd.h>
#include <utility>

namespace litz {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"debug", "info", "warning", "error", "off"};

std::atomic<LogLevel>& least_level() {
  static std::atomic<LogLevel> level{LogLevel::warning};
  return level;
}

struct Sink {
  std::mutex mutex;
  std::shared_ptr<const LogSink> sink;
};

Sink& sink() {
  static Sink sink;
  return sink;
}

std::shared_ptr<const LogSink> current_sink() {
  const std::lock_guard lock(sink().mutex);
  return sink().sink;
}

/// The escape sequence for the colour of the level's name.
std::string_view colour(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "\033[36m";
    case LogLevel::info:
      return "\033[32m";
    case LogLevel::warning:
      return "\033[1;33m";
    case LogLevel::error:
    case LogLevel::off:
      return "\033[1;31m";
  }
  return "";
}

}  // namespace

std::optional<LogLevel> log_level_from(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

void set_log_sink(LogSink to) {
  auto made = to ? std::make_shared<const LogSink>(std::move(to)) : nullptr;
  const std::lock_guard lock(sink().mutex);
  sink().sink = std::move(made);
}

void set_log_level(LogLevel level) { least_level().store(level, std::memory_order_relaxed); }

bool log_enabled(LogLevel level) {
  return level != LogLevel::off && level >= least_level().load(std::memory_order_relaxed);
}

void log(LogLevel level, std::string_view message) noexcept {
  if (!log_enabled(level)) return;
  try {
    if (const std::shared_ptr<const LogSink> own = current_sink()) {
      (*own)(level, message);
      return;
    }
    const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
    std::string line = "litz: ";
    if (is_terminal) line += colour(level);
    line += kNames[static_cast<size_t>(level)];
    if (is_terminal) line += "\033[0m";
    line += ": ";
    line += message;
    line += '\n';
    // A single call, so that lines of several threads stay whole.
    std::fwrite(line.data(), 1, line.size(), stderr);
  } catch (...) {
    // A message that cannot be written must not stop the work that it reports on.
  }
}

}  // namespace litz
