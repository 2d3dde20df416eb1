// The names by which users know operators.

#pragma once

#include <string_view>

namespace litz::ops {

/// The name of the operator that was written, for one of Litz that took its place ("litz.index"); other
/// names stay. Messages about values name operators so.
std::string_view written_name(std::string_view name);

}  // namespace litz::ops
