#include "ops/written_name.h"

#include <algorithm>
#include <iterator>

namespace litz::ops {
namespace {

struct Written {
  std::string_view name;
  std::string_view by_users;
};

/// Operators whose kernels check values: nobody writes them.
constexpr Written kWritten[] = {
    {"litz.index", "aten.index"},
    {"litz.index_put", "aten.index_put"},
    {"litz.index_put_", "aten.index_put"},
    {"litz.scatter_reduce", "aten.scatter_reduce"},
    {"litz.scatter_reduce_", "aten.scatter_reduce"},
};

}  // namespace

std::string_view written_name(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kWritten), std::end(kWritten),
                                         [&](const Written& each) { return each.name == name; });
  return found == std::end(kWritten) ? name : found->by_users;
}

}  // namespace litz::ops
