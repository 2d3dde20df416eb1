// Operator names in any of PyTorch's spellings.

#pragma once

#include <string>
#include <string_view>

#include "ir/op_info.h"

namespace litz::ir {

/// The name used in graphs: "torch.ops.aten.add.Tensor", "aten::add.Tensor" and "aten.add.Tensor"
/// become "aten.add.Tensor", "torch.ops.aten.relu.default" becomes "aten.relu". Texts that are not
/// PyTorch operators ("_operator.add", "math.trunc", "torch.sym_max") stay unchanged.
std::string operator_name(std::string_view spelled);

/// Resolves a user's spelling to a name for names_operator: one overload ("aten.add.Tensor",
/// "aten.relu.default") or all ("aten.add"). The namespace may be omitted if only one has such an
/// operator ("relu"). Throws Error{invalid_argument} with suggestions for an unknown name.
std::string resolve_operator(const OpSet& ops, std::string_view spelled);

/// True for the operator's full name ("aten.add.Tensor"; "aten.relu.default" for an unnamed
/// overload) and for the name of all its overloads ("aten.add"), in any spelling.
bool names_operator(std::string_view name, const OpInfo& op);

/// Like parse_schema, but the operator's name may be spelled "mylib::stamp.overload".
Schema parse_spelled_schema(std::string_view text);

}  // namespace litz::ir
