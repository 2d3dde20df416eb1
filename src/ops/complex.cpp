#include "ops/families.h"

namespace litz::ops {

std::span<const OpDef> complex_ops() { return {}; }

}  // namespace litz::ops
