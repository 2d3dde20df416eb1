#include "ops/families.h"

namespace litz::ops {

std::span<const OpDef> elementary_ops() { return {}; }

}  // namespace litz::ops
