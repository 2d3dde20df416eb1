// The formulas of elementary.h, one family a file; the interface is elementary.h.

#pragma once

#include <llvm/ADT/ArrayRef.h>

#include "codegen/llvm/elementary_lanes.h"
#include "loops/scalar_op.h"

namespace litz::codegen {

using Operands = llvm::ArrayRef<Real>;
using Formula = Real (*)(Operands);

// Each gives null for an op of another family and for one that has no formula in the type.
Formula exponential_formula(loops::ScalarOp op, bool is_f64);

}  // namespace litz::codegen
