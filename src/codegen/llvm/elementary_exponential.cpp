#include "codegen/llvm/elementary_formulas.h"

namespace litz::codegen {

Formula exponential_formula(loops::ScalarOp, bool) { return nullptr; }

}  // namespace litz::codegen
