// Operators as people name them: however PyTorch spells them.

#pragma once

#include <string>
#include <string_view>

#include "ir/op_info.h"

namespace litz::ir {

/// The name that graphs use: "torch.ops.aten.add.Tensor", "aten::add.Tensor" and "aten.add.Tensor" are
/// "aten.add.Tensor", "torch.ops.aten.relu.default" is "aten.relu". Texts that name no operator of
/// PyTorch ("_operator.add", "math.trunc", "torch.sym_max") stay as they are.
std::string operator_name(std::string_view spelled);

/// What a user who names operators means, for names_operator: one overload ("aten.add.Tensor",
/// "aten.relu.default") or all ("aten.add"). The namespace may be left out where only one has such an
/// operator ("relu"). Throws Error{invalid_argument} with suggestions for a name that the set does not
/// have.
std::string resolve_operator(const OpSet& ops, std::string_view spelled);

/// True for the full name of an operator ("aten.add.Tensor"; "aten.relu.default" for one without an
/// overload's name) and for that of all its overloads ("aten.add"), in any spelling.
bool names_operator(std::string_view name, const OpInfo& op);

/// As parse_schema, but for the operator's name, which may be spelled "mylib::stamp.overload".
Schema parse_spelled_schema(std::string_view text);

}  // namespace litz::ir
