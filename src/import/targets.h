// Node targets: from the exporter's spelling to operator names, and the list of those nobody knows.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op_info.h"
#include "support/json.h"

namespace litz::import_ {

/// "torch.ops.aten.add.Tensor" -> "aten.add.Tensor"; the overload "default" is dropped. Other
/// targets ("_operator.add", "math.trunc", "torch.sym_max") stay as they are.
std::string operator_name(std::string_view target);

/// A target that computes a host scalar from others or from sizes: its value is in the symbolic
/// value tables, so no node is needed.
bool is_symbolic_computation(std::string_view operator_name);

/// What only traces a program: it has no effect on a run, and gives nothing.
bool is_dropped(std::string_view operator_name);

/// Higher-order operators that the importer rewrites on the spot instead of giving them a node.
bool is_rewritten_on_import(std::string_view operator_name);

/// Walks a graph and its sub-graphs and throws Error{unsupported} that lists every operator the set
/// does not know, with the first node that uses it, how many more do, and similar names (G3).
void require_known_targets(const JsonValue& graph, const JsonPath& path, const ir::OpSet& ops);

}  // namespace litz::import_
