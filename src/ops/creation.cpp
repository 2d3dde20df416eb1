#include "ops/families.h"

namespace litz::ops {

std::span<const OpDef> creation_ops() { return {}; }

}  // namespace litz::ops
