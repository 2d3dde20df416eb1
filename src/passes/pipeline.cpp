// The order of passes, with a reason for each position.

#include <algorithm>
#include <array>

#include "passes/assign_streams.h"
#include "passes/graph_passes.h"

namespace litz::passes {
namespace {

// Passes that replace forms of a collective by others have `true` for Pass::reorders_collectives.
constexpr std::array kImport{
    Pass{"assign-streams", assign_streams,
         "before anything is copied or replaced; imported programs have their streams already"},
    Pass{"inline-wrappers", inline_wrappers,
         "regions become plain nodes first, so that every later pass sees one graph"},
    Pass{"inline-vmaps", inline_vmaps,
         "before anything asks for types: those of hidden dimensions are types of slices"},
    Pass{"decompose", decompose,
         "operators that may or may not be views become one or the other before aliasing counts",
         true},
    Pass{"merge-waits", merge_waits,
         "after lists of waits are single ones, before the first wait for a write is its end"},
    Pass{"functionalize", functionalize,
         "everything after this may reorder and share, since no value changes once computed", true},
    Pass{"merge-shared-inputs", merge_shared_inputs,
         "as soon as it is known what is written, so that one memory is one value from here on"},
    Pass{"decompose-functional", decompose,
         "the functional forms of in-place operators may themselves be decomposed"},
    Pass{"assign-streams-again", assign_streams,
         "decompositions may draw on behalf of operators that do not say so"},
    Pass{"eliminate-dead-nodes", eliminate_dead_nodes,
         "last, because each pass before it leaves unread results behind"},
};

constexpr std::array kInference{
    Pass{"remove-no-ops", remove_no_ops,
         "first, because what returns its operand hides every pattern that follows"},
    Pass{"compose-views", compose_views,
         "one spelling and no chains, so that joins, products and equal nodes are recognised"},
    Pass{"simplify-casts", simplify_casts, "casts meet once the views between them are gone"},
    Pass{"simplify-pads", simplify_pads,
         "before joins, whose operands may then be adjacent parts of what was padded"},
    Pass{"simplify-joins", simplify_joins, "parts are compared with what they were split from"},
    Pass{"remove-no-ops-again", remove_no_ops,
         "composed views and joins of all parts of a tensor may amount to nothing"},
    Pass{"eliminate-dead-views", eliminate_dead_nodes,
         "products look whether somebody else reads what they would replace"},
    Pass{"restore-products", restore_products,
         "after views have one spelling; attention is recognised by whole products"},
    Pass{"eliminate-dead-operands", eliminate_dead_nodes,
         "norms and attention look, too, and products leave views and copies behind"},
    Pass{"fold-batch-norm", fold_batch_norm,
         "before constants are computed, since it asks for its two vectors by nodes"},
    Pass{"merge-equal-nodes", merge_equal_nodes,
         "one spelling makes equal nodes look equal; what is merged is computed ahead once"},
    Pass{"fold-constants", fold_constants,
         "after everything that asks for new weights, before what asks how simple a mask is"},
    Pass{"remove-no-ops-of-fills", remove_no_ops,
         "masks that turned out to be fills make operators neutral"},
    Pass{"match-attention", match_attention,
         "once products are whole and masks are as simple as they get"},
    Pass{
        "simplify-masks", simplify_masks,
        "while a mask is one operand of a whole call, before what is left of it is computed ahead"},
    Pass{"compose-views-again", compose_views,
         "attention turns keys around that were turned for a product"},
    Pass{"merge-equal-nodes-again", merge_equal_nodes,
         "keys turned around and views of what was computed ahead repeat in every layer"},
    Pass{"eliminate-dead-nodes-again", eliminate_dead_nodes,
         "each pass before it leaves unread results behind, which would count as readers"},
    Pass{"multiply-patches", multiply_patches,
         "before images get layouts: what is no convolution any more does not count"},
    Pass{"choose-image-layouts", choose_image_layouts,
         "before copies are looked at, some of which only change layouts of images"},
    Pass{"pad-products", pad_products, "while weights may still be computed ahead"},
    Pass{"fold-constants-again", fold_constants,
         "weights in the layouts and sizes that were just chosen"},
    Pass{"share-heads", share_heads,
         "of whole attention calls; what else their operands are copied for is for layouts to "
         "settle"},
    Pass{"expand-attention", expand_attention,
         "after heads are shared, for machines that compute attention by products"},
    Pass{"choose-layouts", choose_layouts,
         "once it is settled who reads what, and before updates take over memory that copies read"},
    Pass{"recompute", recompute,
         "after everything that would merge equal nodes again, while no value is overwritten"},
    Pass{
        "reinplace", reinplace,
        "last of what changes nodes: none may move or merge what reads memory that is overwritten"},
    Pass{"outline-repeats", outline_repeats,
         "after everything that looks at the neighbours of a node, which it may put elsewhere"},
};

constexpr std::array kOrders{
    PassOrder{"inline-wrappers", "inline-vmaps"},
    PassOrder{"inline-vmaps", "decompose"},
    PassOrder{"assign-streams", "inline-wrappers"},
    PassOrder{"inline-wrappers", "functionalize"},
    PassOrder{"decompose", "functionalize"},
    PassOrder{"merge-waits", "functionalize"},
    PassOrder{"functionalize", "decompose-functional"},
    PassOrder{"functionalize", "merge-shared-inputs"},
    PassOrder{"remove-no-ops", "compose-views"},
    PassOrder{"compose-views", "restore-products"},
    PassOrder{"restore-products", "fold-batch-norm"},
    PassOrder{"fold-batch-norm", "fold-constants"},
    PassOrder{"fold-constants", "match-attention"},
    PassOrder{"match-attention", "simplify-masks"},
    PassOrder{"simplify-masks", "fold-constants-again"},
    PassOrder{"simplify-masks", "share-heads"},
    PassOrder{"share-heads", "expand-attention"},
    PassOrder{"expand-attention", "choose-layouts"},
    PassOrder{"choose-image-layouts", "fold-constants-again"},
    PassOrder{"pad-products", "fold-constants-again"},
    PassOrder{"choose-image-layouts", "choose-layouts"},
    PassOrder{"choose-layouts", "reinplace"},
    PassOrder{"merge-equal-nodes-again", "recompute"},
    PassOrder{"choose-layouts", "recompute"},
    PassOrder{"recompute", "reinplace"},
    PassOrder{"merge-equal-nodes-again", "reinplace"},
    PassOrder{"reinplace", "outline-repeats"},
};

}  // namespace

Changed recompute(ir::Graph& graph, PassContext& context) {
  const bool is_main = context.program != nullptr && &graph == &context.program->graph();
  if (!is_main || !context.recompute || !context.may_rewrite()) return Changed::no;
  return context.recompute(graph);
}

std::span<const PassOrder> pass_orders() { return kOrders; }

std::span<const Pass> import_pipeline() { return kImport; }

std::span<const Pass> inference_pipeline() { return kInference; }

const Pass* find_pass(std::string_view name) {
  for (const std::span<const Pass> pipeline : {import_pipeline(), inference_pipeline()}) {
    const auto found = std::ranges::find(pipeline, name, &Pass::name);
    if (found != pipeline.end()) return &*found;
  }
  return nullptr;
}

}  // namespace litz::passes
