// Forms that write their results to given tensors: aten.add.out beside aten.add.Tensor.
//
// They are derived from the plain operator: the same arguments, then a tensor per result. Factories
// omit dtype, layout, device and pinning, which the tensor determines.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op_info.h"

namespace litz::ops {

/// The possible names of an `out` form's plain operator, the most likely first: "aten.add.out" may
/// belong to "aten.add" or "aten.add.Tensor". Empty for other names.
std::vector<std::string> plain_names(std::string_view out_form);

/// The schema of an `out` form; nullopt if the plain operator has none (views, lists, numbers).
std::optional<ir::Schema> out_schema(std::string_view out_form, const ir::OpInfo& plain);

/// The plain operator's arguments for a call of its `out` form.
std::vector<ir::Argument> plain_arguments(const ir::OpInfo& out_form, const ir::OpInfo& plain,
                                          std::span<const ir::Argument> arguments);

}  // namespace litz::ops
