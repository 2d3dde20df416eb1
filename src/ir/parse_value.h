// Parses types and attributes in IR text, for the parser of graphs.

#pragma once

#include "ir/graph.h"
#include "ir/text_cursor.h"

namespace litz::ir {

/// `f32[2, s0]{s0, 1}+4@cuda:0`, `int(s0)`, `token`, `none`.
ValueType parse_value_type(TextCursor& cursor, Module& module);

/// `(type, type)` or one type.
std::vector<ValueType> parse_value_types(TextCursor& cursor, Module& module);

/// Any attribute. `kind` resolves ambiguous spellings (an empty list, a word).
Attribute parse_attribute(TextCursor& cursor, Module& module, ArgKind kind);

/// `#{key = "value", ...}` after its `#`.
Annotations parse_annotations(TextCursor& cursor);
/// `("file":12, "module.path")` after `loc`.
Location parse_location(TextCursor& cursor);

/// `s0 in [2, 4096] hint 128` after `sym`; adds the symbol.
void parse_symbol(TextCursor& cursor, Module& module);

}  // namespace litz::ir
