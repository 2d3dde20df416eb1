// Operator names in any of PyTorch's spellings.

#pragma once

#include <string>
#include <string_view>

#include "schema/schema.h"

namespace litz::ir {

inline constexpr std::string_view kOpsPrefix = "torch.ops.";
inline constexpr std::string_view kDefaultOverload = ".default";

/// The name used in graphs: "torch.ops.aten.add.Tensor", "aten::add.Tensor" and "aten.add.Tensor"
/// become "aten.add.Tensor", "torch.ops.aten.relu.default" becomes "aten.relu". Texts that are not
/// PyTorch operators ("_operator.add", "math.trunc", "torch.sym_max") stay unchanged.
std::string operator_name(std::string_view spelled);

/// Uses dots and drops the path to PyTorch's operators; keeps ".default".
std::string with_dots(std::string_view spelled);

/// Like parse_schema, but the operator's name may be spelled "mylib::stamp.overload".
Schema parse_spelled_schema(std::string_view text);

}  // namespace litz::ir
