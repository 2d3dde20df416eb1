// How candidates become value names; shared by the graph and by printers that name on the fly.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/op_info.h"

namespace litz::ir {

/// Replaces illegal characters by `_`; never empty and never starts with a digit.
std::string legal_name(std::string_view hint);

/// The candidate for an unnamed result: the operator without namespace and overload.
std::string default_name(const OpInfo& op);

struct NumberedName {
  std::string_view base;
  uint32_t number = 0;
};

/// Splits the trailing `_N` off; number 0 when there is none.
NumberedName split_number(std::string_view name);

}  // namespace litz::ir
