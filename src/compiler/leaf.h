// The runtime's values and functions on them, under this folder's names.

#pragma once

#include "runtime/program/laid_out.h"
#include "runtime/program/value.h"

namespace litz::compiler {

/// A flat input or output.
using Leaf = runtime::Value;
using runtime::allocate;
using runtime::bind_symbol;
using runtime::element_value;
using runtime::host_value;
using runtime::laid_out;
using runtime::restrided;
using runtime::same_number;
using runtime::to_string;

}  // namespace litz::compiler
