// Text: joining, quoting, numbers that survive a round trip, sizes for people, and suggestions for
// misspelt names. All functions are independent of the locale.

#pragma once

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace litz {

std::string join(std::span<const std::string> parts, std::string_view separator);
std::string join(std::span<const std::string_view> parts, std::string_view separator);
std::string join(std::span<const int64_t> values, std::string_view separator);
std::string join(std::initializer_list<std::string_view> parts, std::string_view separator);

/// Splits at every separator; returns one more part than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Removes blanks, tabs and line ends on both sides.
std::string_view trim(std::string_view text);

/// The text in double quotes, escaped as JSON does; bytes above 127 pass unchanged.
std::string quote(std::string_view text);
/// Reverses `quote`, including \uXXXX escapes; nullopt if the text is not one quoted string.
std::optional<std::string> unquote(std::string_view text);
/// Appends the escaped text without quotes.
void append_escaped(std::string& out, std::string_view text);
/// True when the bytes are well-formed UTF-8 (no overlong forms, no surrogates).
bool is_valid_utf8(std::string_view text);
/// Appends the UTF-8 form of a code point below 0x110000.
void append_utf8(std::string& out, uint32_t code_point);

/// The shortest text that reads back as the same value. It always looks like a floating-point
/// number ("1.0", "1e-05", "inf", "-inf", "nan"), so a reader can tell it from an integer.
std::string format_double(double value);
std::string format_float(float value);
/// Prints at most `digits` significant digits, like %g: "0.333333", "1e+20", "-inf", "nan".
std::string rounded(double value, int digits);
/// "1.5-2j"
std::string rounded(std::complex<double> value, int digits);
/// Reads the whole text as a number, as `format_double` prints it. Returns nullopt if a character
/// is left over or the value does not fit.
std::optional<double> parse_double(std::string_view text);
std::optional<int64_t> parse_int(std::string_view text);

/// The number of insertions, deletions, replacements and swaps of neighbours between two texts.
size_t edit_distance(std::string_view a, std::string_view b);
/// Returns the candidate nearest to a misspelt name; nullopt if none is near enough.
std::optional<std::string_view> closest(std::string_view name,
                                        std::span<const std::string_view> candidates);

/// "1 kernel", "2 kernels", "0 kernels".
std::string counted(size_t count, std::string_view what);
/// "1.50 MiB", "12 B": three significant digits in binary units.
std::string human_bytes(uint64_t bytes);
/// "1.25 ms", "310 ns": three significant digits.
std::string human_seconds(double seconds);

}  // namespace litz
