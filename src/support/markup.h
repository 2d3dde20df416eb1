// Text inside XML and HTML.

#pragma once

#include <string>
#include <string_view>

namespace litz {

/// Escapes text for an element or an attribute in double quotes: reserved characters become
/// entities. Bytes that XML does not allow become `?`; so does every byte above 127 if the text is
/// not UTF-8.
std::string escaped_markup(std::string_view text);

}  // namespace litz
