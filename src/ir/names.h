// Turns candidates into value names; shared by the graph and by printers that generate names.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/op_info.h"

namespace litz::ir {

/// Replaces illegal characters by `_`; never empty and never starts with a digit.
std::string legal_name(std::string_view hint);

/// The candidate for an unnamed result: the operator's name without namespace and overload.
std::string default_name(const OpInfo& op);

struct NumberedName {
  std::string_view base;
  uint32_t number = 0;
};

/// Splits off the trailing `_N`; the number is 0 without one.
NumberedName split_number(std::string_view name);

}  // namespace litz::ir
