#include "ops/families.h"

namespace litz::ops {

std::span<const OpDef> bitwise_ops() { return {}; }

}  // namespace litz::ops
