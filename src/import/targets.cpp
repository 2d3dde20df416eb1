#include "import/targets.h"

#include <algorithm>
#include <array>

namespace litz::import_ {
namespace {

constexpr std::string_view kPredispatch = "torch._functorch.predispatch.";

// Bookkeeping of vmap's levels during tracing, which is not needed at run time.
constexpr std::array<std::string_view, 3> kBookkeeping = {"functorch._vmap_decrement_nesting",
                                                          "functorch._vmap_increment_nesting",
                                                          "functorch.lazy_load_decompositions"};

constexpr std::array<std::string_view, 5> kSizeReaders = {"aten.sym_size", "aten.sym_size.int",
                                                          "aten.sym_stride.int", "aten.sym_numel",
                                                          "aten.sym_storage_offset"};

constexpr std::array<std::string_view, 4> kRewritten = {
    "higher_order.auto_functionalized", "higher_order.auto_functionalized_v2",
    "higher_order.out_dtype", "higher_order.with_effects"};

}  // namespace

std::string operator_name(std::string_view target) {
  if (target.starts_with(kPredispatch)) {
    return "functorch." + std::string(target.substr(kPredispatch.size()));
  }
  return ir::operator_name(target);
}

bool is_symbolic_computation(std::string_view name) {
  return name.starts_with("_operator.") || name.starts_with("math.") ||
         name.starts_with("torch.sym_") || name == "torch._sym_sqrt" ||
         std::ranges::find(kSizeReaders, name) != kSizeReaders.end();
}

bool is_dropped(std::string_view name) {
  return std::ranges::find(kBookkeeping, name) != kBookkeeping.end();
}

bool is_rewritten_on_import(std::string_view name) {
  return std::ranges::find(kRewritten, name) != kRewritten.end();
}

}  // namespace litz::import_
