// The signature of a compiled program, from the program that it was made of.

#pragma once

#include "artifact/signature.h"
#include "ir/program.h"
#include "ir/value_type.h"

namespace litz::compiler {

artifact::ValueType value_type(const ir::ValueType& type);

artifact::Literal literal_of(const ir::Attribute& literal);

/// With the data of weights that the graph reads or writes; memory of the others, which folding has
/// read for the last time, is given back where it is a mapped file's. Throws Error{not_found} for a
/// weight that is read but missing, by name.
artifact::Signature signature_of(const ir::Program& program);

}  // namespace litz::compiler
