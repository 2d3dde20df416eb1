#include "ops/families/vector_choice.h"

#include <vector>

#include "ops/meta.h"

namespace litz::ops {

bool fills_no_vectors(const Call& call, std::initializer_list<std::string_view> names) {
  constexpr int64_t kStepBytes = 64;
  std::vector<Sizes> shapes;
  std::vector<TensorType> types;
  for (const std::string_view name : names) {
    if (call.op().schema.find(name) < 0 || !call.has(name) || !call.is_tensor(name)) continue;
    types.push_back(call.type(name));
    shapes.push_back(types.back().sizes);
  }
  const auto step = kStepBytes / static_cast<int64_t>(item_size(promoted_dtype(types)));
  return known_less(product(broadcast_sizes(shapes)), Expr(step));
}

}  // namespace litz::ops
