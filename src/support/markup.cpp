#include "support/markup.h"

#include "support/text.h"

namespace litz {

std::string escaped_markup(std::string_view text) {
  const bool is_utf8 = is_valid_utf8(text);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else if ((byte < 0x20 && c != '\n' && c != '\t') || (byte > 0x7f && !is_utf8)) {
      out += '?';
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace litz
