// Messages for a person at the terminal, on standard error. Libraries log rarely: they return
// results and failures as values.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace litz {

enum class LogLevel : uint8_t { debug, info, warning, error, off };

/// Returns the level of that name, or nullopt.
std::optional<LogLevel> log_level_from(std::string_view name);
/// Messages below this level are dropped; `warning` unless set. Thread-safe.
void set_log_level(LogLevel level);
bool log_enabled(LogLevel level);
/// Gives messages to `sink` instead of standard error; an empty function restores that. The sink may
/// be called by several threads at a time; what it throws is dropped. Thread-safe.
using LogSink = std::function<void(LogLevel, std::string_view message)>;
void set_log_sink(LogSink sink);
/// Writes one line. Thread-safe; never throws.
void log(LogLevel level, std::string_view message) noexcept;

}  // namespace litz
