// The signature of a compiled program, made from its source program.

#pragma once

#include "artifact/signature.h"
#include "ir/program.h"
#include "ir/value_type.h"

namespace litz::compiler {

artifact::ValueType value_type(const ir::ValueType& type);

artifact::Literal literal_of(const ir::Attribute& literal);

/// Includes the data of weights that the graph reads or writes. Other weights were last read by
/// constant folding; their memory is released if it belongs to a mapped file. Throws
/// Error{not_found} for a missing weight that is read, by name.
artifact::Signature signature_of(const ir::Program& program);

}  // namespace litz::compiler
