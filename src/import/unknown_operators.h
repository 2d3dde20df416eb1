// Operators that nobody knows: their signatures are made up from the calls in an archive.
//
// An archive names arguments and tells what kind each value is; it says neither defaults nor, but
// for calls that were made functional (auto_functionalized_v2), which operands are written.

#pragma once

#include <memory>

#include "ir/op_info.h"
#include "support/json.h"

namespace litz::import_ {

/// `ops`, and the operators besides that a graph and its sub-graphs call, declared with all arguments
/// that some call gives. In a functional program they are taken to write nothing but what calls say, and
/// never to be superfluous; else they may do anything with the memory of their operands. Throws
/// Error{unsupported} (G3) that lists those that cannot be nodes, with the first that calls each, how
/// many more do, and similar names.
std::shared_ptr<const ir::OpSet> with_unknown_operators(const JsonValue& graph,
                                                        const JsonPath& path,
                                                        std::shared_ptr<const ir::OpSet> ops,
                                                        bool is_functional);

/// The name of input `position` of a call of such an operator, which may have been given without one.
std::string operand_name(std::string_view name, size_t position);

}  // namespace litz::import_
