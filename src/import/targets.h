// Node targets: which of them get a node.

#pragma once

#include <string>
#include <string_view>

#include "ir/operator_names.h"

namespace litz::import_ {

/// As ir::operator_name; what vmap leaves behind is of the namespace functorch.
std::string operator_name(std::string_view target);

/// A target that computes a host scalar from others or from sizes: its value is in the symbolic
/// value tables, so no node is needed.
bool is_symbolic_computation(std::string_view operator_name);

/// What only traces a program: it has no effect on a run, and gives nothing.
bool is_dropped(std::string_view operator_name);

/// Higher-order operators that the importer rewrites on the spot instead of giving them a node.
bool is_rewritten_on_import(std::string_view operator_name);

}  // namespace litz::import_
