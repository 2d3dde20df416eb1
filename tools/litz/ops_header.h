// The C++ functions of operators.

#pragma once

#include "ops/op_table.h"

namespace litz::tools {

/// Prints include/litz/ops.h.
void print_ops_header(const ops::OpTable& table);

}  // namespace litz::tools
