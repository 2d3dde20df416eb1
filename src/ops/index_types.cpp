#include "ops/index_types.h"

#include "support/check.h"

namespace litz::ops {

void require_index(const Call& call, std::string_view name, const TensorType& type,
                   IndexTypes types) {
  const bool fits =
      type.dtype == DType::i64 || (types == IndexTypes::i32_i64 && type.dtype == DType::i32);
  require(fits,
          types == IndexTypes::i64 ? "an index must be i64:" : "an index must be i32 or i64:", name,
          "of", call.op().name(), "is", litz::name(type.dtype));
}

void require_index(const Call& call, std::string_view name, IndexTypes types) {
  require_index(call, name, call.type(name), types);
}

}  // namespace litz::ops
