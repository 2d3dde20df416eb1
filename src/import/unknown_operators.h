// Declares operators without an implementation, with signatures derived from the calls in an
// archive.
//
// An archive records the names and kinds of arguments, but not defaults. It records which operands
// are written only for calls that were made functional (auto_functionalized_v2).

#pragma once

#include <memory>

#include "ir/op_info.h"
#include "support/json.h"

namespace litz::import_ {

/// Returns `ops` plus the unknown operators that a graph and its sub-graphs call, declared with all
/// arguments of any call. In a functional program they are assumed to write only what their calls
/// say, and never to be dead; otherwise they may do anything with the memory of their operands.
/// Throws Error{unsupported} (G3) that lists those that cannot be nodes, with the first call of
/// each, the number of other calls, and similar names.
std::shared_ptr<const ir::OpSet> with_unknown_operators(const JsonValue& graph,
                                                        const JsonPath& path,
                                                        std::shared_ptr<const ir::OpSet> ops,
                                                        bool is_functional);

/// The name of input `position` of such a call, which may be recorded without one.
std::string operand_name(std::string_view name, size_t position);

}  // namespace litz::import_
