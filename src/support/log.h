// Messages for the person at the terminal, on standard error. Libraries log rarely: results and
// failures travel as values.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace litz {

enum class LogLevel : uint8_t { debug, info, warning, error, off };

/// The level of that name, or nothing.
std::optional<LogLevel> log_level_from(std::string_view name);
/// Messages below this level are dropped; `warning` unless set. Thread-safe.
void set_log_level(LogLevel level);
bool log_enabled(LogLevel level);
/// Writes one line. Thread-safe; never throws.
void log(LogLevel level, std::string_view message) noexcept;

}  // namespace litz
