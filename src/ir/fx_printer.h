// Text forms that readers of torch.fx know: for comparing with expectations and for people.

#pragma once

#include <string>

#include "ir/graph.h"

namespace litz::ir {

/// The IR form: one `%name : [num_users=N] = call_function[target=T](args = (...), kwargs = {...})`
/// per node; results of calls with several go through operator.getitem.
std::string fx_text(const Graph& graph);

/// The program form: one statement per node, the values that die with it, and source lines as
/// comments where they change.
std::string program_text(const Graph& graph);

/// One row per node: opcode, name, target, args, kwargs.
std::string table_text(const Graph& graph);

}  // namespace litz::ir
