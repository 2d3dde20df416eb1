#include "ops/reduced_dims.h"

#include <string_view>

namespace litz::ops {

std::vector<int64_t> reduced_dims(const Call& call, size_t rank) {
  const std::string_view name = call.op().name();
  const bool keeps_all = (name == "aten.all.dims" || name == "aten.any.dims") && call.has("dim");
  return call.dims("dim", rank, keeps_all ? Call::WhenEmpty::none : Call::WhenEmpty::all);
}

}  // namespace litz::ops
