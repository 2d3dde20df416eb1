// Finds operators by names in any of PyTorch's spellings.

#pragma once

#include <string>
#include <string_view>

#include "ir/op_info.h"

namespace litz::ir {

/// Resolves a user's spelling to a name for names_operator: one overload ("aten.add.Tensor",
/// "aten.relu.default") or all ("aten.add"). The namespace may be omitted if only one has such an
/// operator ("relu"). Throws Error{invalid_argument} with suggestions for an unknown name.
std::string resolve_operator(const OpSet& ops, std::string_view spelled);

/// True for the operator's full name ("aten.add.Tensor"; "aten.relu.default" for an unnamed
/// overload) and for the name of all its overloads ("aten.add"), in any spelling.
bool names_operator(std::string_view name, const OpInfo& op);

}  // namespace litz::ir
