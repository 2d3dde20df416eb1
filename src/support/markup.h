// Text inside XML and HTML.

#pragma once

#include <string>
#include <string_view>

namespace litz {

/// The text as it stands inside an element or an attribute's double quotes: reserved characters as
/// entities. Bytes that no XML document may hold become `?`, and so does every byte above 127 when
/// the text is not UTF-8.
std::string escaped_markup(std::string_view text);

}  // namespace litz
