// Marks of vmap: they hide a dimension of a tensor, and show it again. Nodes between them are
// recorded without it; the pass inline-vmaps restores it.

#include <array>

#include "ops/families/families.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;

TensorType hidden_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() > 0, "vmap C1: a tensor must have a dimension to hide:", self);
  Sizes sizes = self.sizes;
  sizes.erase(sizes.begin() + call.dim("batch_dim", self.rank()));
  return contiguous_type(self.dtype, std::move(sizes), self.device);
}

TensorType seen_meta(const Call& call) {
  const TensorType& self = call.type("self");
  Sizes sizes = self.sizes;
  sizes.insert(sizes.begin() + call.dim("out_dim", self.rank() + 1), call.expr("batch_size"));
  return contiguous_type(self.dtype, std::move(sizes), self.device);
}

constexpr std::array kOps{
    OpDef{.schema = "functorch._add_batch_dim(Tensor self, int batch_dim, int level) -> Tensor",
          .doc = "Self, a dimension of which is not seen until the level ends.\n"
                 "C1: there is a dimension.",
          .meta = hidden_meta,
          .impl = Structural{}},
    OpDef{.schema = "functorch._remove_batch_dim(Tensor self, int level, SymInt batch_size, "
                    "int out_dim) -> Tensor",
          .doc = "Self with the dimension that the level hid; repeated where self never had it.",
          .meta = seen_meta,
          .impl = Structural{}},
};

}  // namespace

std::span<const OpDef> batch_dim_ops() { return kOps; }

}  // namespace litz::ops
