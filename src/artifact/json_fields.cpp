#include "artifact/json_fields.h"

#include <optional>

#include "expr/parse.h"

namespace litz::artifact {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string hex_text(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    const auto value = std::to_integer<size_t>(byte);
    text += kDigits[value >> 4U];
    text += kDigits[value & 15U];
  }
  return text;
}

std::vector<std::byte> bytes_of_hex(std::string_view text, const JsonPath& path) {
  require(text.size() % 2 == 0, ErrorCode::corrupt, "a program as JSON:", path,
          "must have two digits for each byte");
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const size_t high = kDigits.find(text[i]);
    const size_t low = kDigits.find(text[i + 1]);
    require(high != std::string_view::npos && low != std::string_view::npos, ErrorCode::corrupt,
            "a program as JSON:", path, "must be hexadecimal digits: position", i);
    bytes.push_back(static_cast<std::byte>(high << 4U | low));
  }
  return bytes;
}

Expr symbol_of_json(std::string_view name, const ExprPool& pool, const JsonPath& path) {
  const std::optional<Expr> symbol = pool.find_symbol(name);
  require(symbol.has_value(), ErrorCode::corrupt, "a program as JSON:", path,
          "must be a symbol of the program:", name);
  return *symbol;
}

Expr expr_of_json(std::string_view text, ExprPool& pool, const JsonPath& path) {
  const auto symbol = [&](const std::string& name, bool /*positive*/) {
    return symbol_of_json(name, pool, path);
  };
  try {
    return parse_expr(text, pool, {.symbol = symbol, .path = {}});
  } catch (const InternalError&) {
    throw;
  } catch (const Error& error) {
    fail(ErrorCode::corrupt, "a program as JSON:", path,
         "must be an expression over the program's symbols:", text, "-", error.message());
  }
}

}  // namespace litz::artifact
