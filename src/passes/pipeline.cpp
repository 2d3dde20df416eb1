// The order of passes, and why each stands where it stands.

#include <algorithm>
#include <array>

#include "passes/graph_passes.h"

namespace litz::passes {
namespace {

constexpr std::array kImport{
    Pass{"inline-wrappers", inline_wrappers,
         "regions become plain nodes first, so that every later pass sees one graph"},
    Pass{"decompose", decompose,
         "operators that may or may not be views become one or the other before aliasing counts"},
    Pass{"functionalize", functionalize,
         "everything after this may reorder and share, since no value changes once computed"},
    Pass{"decompose-functional", decompose,
         "the functional forms of in-place operators may themselves be decomposed"},
    Pass{"eliminate-dead-nodes", eliminate_dead_nodes,
         "last, because each pass before it leaves unread results behind"},
};

}  // namespace

std::span<const Pass> import_pipeline() { return kImport; }

const Pass* find_pass(std::string_view name) {
  const auto found = std::ranges::find(kImport, name, &Pass::name);
  return found == kImport.end() ? nullptr : &*found;
}

}  // namespace litz::passes
