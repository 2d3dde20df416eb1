#include "support/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "support/check.h"

namespace litz {
namespace {

template <typename Parts>
std::string join_text(const Parts& parts, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) out += separator;
    first = false;
    out += part;
  }
  return out;
}

constexpr char kHexDigits[] = "0123456789abcdef";

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Reads four hexadecimal digits at the start of the text, or returns nullopt.
std::optional<uint32_t> read_hex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    const int digit = hex_value(text[i]);
    if (digit < 0) return std::nullopt;
    value = value * 16 + static_cast<uint32_t>(digit);
  }
  return value;
}

bool is_high_surrogate(uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }

bool is_low_surrogate(uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

// Reads the escape after a backslash and drops it from `rest`; false if it is not one.
bool append_unescaped(std::string& out, std::string_view& rest) {
  if (rest.empty()) return false;
  const char kind = rest.front();
  rest.remove_prefix(1);
  static constexpr std::string_view kPlain = "\"\\/bfnrt";
  static constexpr std::string_view kMeaning = "\"\\/\b\f\n\r\t";
  if (const size_t at = kPlain.find(kind); at != std::string_view::npos) {
    out += kMeaning[at];
    return true;
  }
  if (kind != 'u') return false;
  const std::optional<uint32_t> unit = read_hex4(rest);
  if (!unit || is_low_surrogate(*unit)) return false;
  rest.remove_prefix(4);
  if (!is_high_surrogate(*unit)) {
    append_utf8(out, *unit);
    return true;
  }
  if (!rest.starts_with("\\u")) return false;
  const std::optional<uint32_t> low = read_hex4(rest.substr(2));
  if (!low || !is_low_surrogate(*low)) return false;
  rest.remove_prefix(6);
  append_utf8(out, 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00));
  return true;
}

// The length of the well-formed sequence at the start of the text; 0 if there is none.
size_t utf8_sequence(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Second bytes that would make an overlong form, a surrogate, or a value beyond 0x10ffff.
  const unsigned second = byte(1);
  if (first == 0xe0 && second < 0xa0) return 0;
  if (first == 0xed && second > 0x9f) return 0;
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second > 0x8f) return 0;
  return length;
}

template <typename T>
std::string format_floating(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), result.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <typename T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Three significant digits: 1.25, 12.5, 125.
std::string three_digits(double value) {
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  std::array<char, 48> buffer;
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  return {buffer.data(), static_cast<size_t>(length)};
}

}  // namespace

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return join_text(parts, separator);
}

std::string join(std::span<const std::string_view> parts, std::string_view separator) {
  return join_text(parts, separator);
}

std::string join(std::initializer_list<std::string_view> parts, std::string_view separator) {
  return join_text(parts, separator);
}

std::string join(std::span<const int64_t> values, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += separator;
    out += std::to_string(values[i]);
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          out += "\\u00";
          out += kHexDigits[static_cast<unsigned char>(c) >> 4];
          out += kHexDigits[static_cast<unsigned char>(c) & 15];
        } else {
          out += c;
        }
    }
  }
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, text);
  out += '"';
  return out;
}

std::optional<std::string> unquote(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::nullopt;
  std::string_view rest = text.substr(1, text.size() - 2);
  std::string out;
  out.reserve(rest.size());
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == '"' || static_cast<unsigned char>(c) < 0x20) return std::nullopt;
    if (c != '\\') {
      out += c;
    } else if (!append_unescaped(out, rest)) {
      return std::nullopt;
    }
  }
  return out;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8_sequence(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void append_utf8(std::string& out, uint32_t code_point) {
  const auto tail = [&](int shift) {
    out += static_cast<char>(0x80 | ((code_point >> shift) & 0x3f));
  };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xc0 | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xe0 | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string format_double(double value) { return format_floating(value); }

std::string rounded(double value, int digits) {
  if (std::isnan(value)) return "nan";  // Whatever its sign.
  std::array<char, 48> buffer;          // 17 digits, a sign, a point and an exponent are fewer.
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                          std::chars_format::general, std::min(digits, 17));
  check(error == std::errc(), "a number must fit into its text:", digits);
  return {buffer.data(), end};
}

std::string rounded(std::complex<double> value, int digits) {
  const char* const sign = std::signbit(value.imag()) ? "" : "+";
  return rounded(value.real(), digits) + sign + rounded(value.imag(), digits) + "j";
}

std::string format_float(float value) { return format_floating(value); }

std::optional<double> parse_double(std::string_view text) {
  // from_chars takes "inf" and "nan" in any case and "nan(...)"; only the forms we print count.
  if (text.find_first_of("()") != std::string_view::npos) return std::nullopt;
  return parse_whole<double>(text);
}

std::optional<int64_t> parse_int(std::string_view text) { return parse_whole<int64_t>(text); }

size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table; the one before last serves swaps.
  std::vector<size_t> older(b.size() + 1);
  std::vector<size_t> previous(b.size() + 1);
  std::vector<size_t> current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], older[j - 2] + 1);
      }
    }
    std::swap(older, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

std::optional<std::string_view> closest(std::string_view name,
                                        std::span<const std::string_view> candidates) {
  // A third of the letters may differ: beyond that a suggestion confuses more than it helps.
  size_t best_distance = std::max<size_t>(1, name.size() / 3) + 1;
  std::optional<std::string_view> best;
  for (const std::string_view candidate : candidates) {
    const size_t lengths_differ_by = candidate.size() > name.size()
                                         ? candidate.size() - name.size()
                                         : name.size() - candidate.size();
    if (lengths_differ_by >= best_distance) continue;
    const size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string counted(size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string human_bytes(uint64_t bytes) {
  static constexpr std::array<std::string_view, 6> kUnits = {"KiB", "MiB", "GiB",
                                                             "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1023.5 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return three_digits(value) + " " + std::string(kUnits[unit]);
}

std::string human_seconds(double seconds) {
  if (!std::isfinite(seconds)) return format_double(seconds) + " s";
  if (seconds < 0) return "-" + human_seconds(-seconds);
  if (seconds == 0) return "0 s";
  if (seconds < 999.5e-9) return three_digits(seconds * 1e9) + " ns";
  if (seconds < 999.5e-6) return three_digits(seconds * 1e6) + " us";
  if (seconds < 0.9995) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds) + " s";
}

}  // namespace litz
