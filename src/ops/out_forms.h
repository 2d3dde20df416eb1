// Forms that write their results to tensors they are given: aten.add.out beside aten.add.Tensor.
//
// They follow from the plain operator: the same arguments, then a tensor to write per result.
// Factories leave out dtype, layout, device and pinning, which are those of the tensor.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op_info.h"

namespace litz::ops {

/// The names that the plain operator of an `out` form may have, likelier ones first: "aten.add.out"
/// may belong to "aten.add" or "aten.add.Tensor". None for names of other forms.
std::vector<std::string> plain_names(std::string_view out_form);

/// The schema of an `out` form; nullopt where the plain operator has none (views, lists, numbers).
std::optional<ir::Schema> out_schema(std::string_view out_form, const ir::OpInfo& plain);

/// The arguments for the plain operator, from those of its `out` form.
std::vector<ir::Argument> plain_arguments(const ir::OpInfo& out_form, const ir::OpInfo& plain,
                                          std::span<const ir::Argument> arguments);

}  // namespace litz::ops
