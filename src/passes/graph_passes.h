// The table of contents of graph passes: one free function and one file each.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/program.h"
#include "machine/machine.h"

namespace litz::passes {

enum class Changed : uint8_t { no, yes };

/// Computes the results of a graph that reads these tensors. Layers above supply it, since passes
/// cannot execute code.
using Evaluator = std::function<std::vector<Tensor>(ir::Graph&, std::span<const Tensor>)>;

/// The inputs of passes besides the graph. Passes never read options or the environment.
struct PassContext {
  ir::Program* program = nullptr;  ///< Null for a lone graph.
  Evaluator evaluate;              ///< Empty: nothing is computed at compile time.
  machine::Machine machine = {};   ///< The target, including its library.
  /// Lets the backward part of a joint graph compute values again. Layers above supply it, since
  /// passes do not know what a gradient is. Empty: all values are kept.
  std::function<Changed(ir::Graph&)> recompute;
  uint64_t rewrites = 0;  ///< Counted by `may_rewrite`.
  uint64_t rewrite_limit = UINT64_MAX;

  /// Optimising passes ask before each rewrite, which happens completely or not at all. Beyond the
  /// limit the answer is no, so bisecting the limit finds the rewrite that breaks a program.
  bool may_rewrite() {
    if (rewrites >= rewrite_limit) return false;
    ++rewrites;
    return true;
  }
};

/// Inlines wrap_with_set_grad_enabled, strict_mode, checkpoint wrappers, ...; wrap_with_autocast
/// with its casts applied; and invoke_subgraph if the operands have the types of its body.
Changed inline_wrappers(ir::Graph& graph, PassContext& context);
/// The same, except for calls for which `stays` holds.
Changed inline_wrappers_unless(ir::Graph& graph, const std::function<bool(const ir::Node&)>& stays);
/// Restores the dimensions that vmap hid from the nodes between its marks.
Changed inline_vmaps(ir::Graph& graph, PassContext& context);
/// Makes a raw graph functional: in-place operators, views written through, hidden mutation;
/// appends mutation outputs to the program's signature.
Changed functionalize(ir::Graph& graph, PassContext& context);
/// Makes one input of weights that are one tensor under several names, if the program writes it.
Changed merge_shared_inputs(ir::Graph& graph, PassContext& context);
/// Leaves one wait for every collective.
Changed merge_waits(ir::Graph& graph, PassContext& context);
/// Replaces operators that are defined by decomposition until none is left.
Changed decompose(ir::Graph& graph, PassContext& context);
/// Removes nodes without uses and effects.
Changed eliminate_dead_nodes(ir::Graph& graph, PassContext& context);

// The passes of the inference pipeline need functional form without decomposable operators.

/// Removes operators that return their operand, and views and copies without effect.
Changed remove_no_ops(ir::Graph& graph, PassContext& context);
/// Folds chains of views of one kind into one view of the first operand.
Changed compose_views(ir::Graph& graph, PassContext& context);
/// Drops the inner one of two casts if it is exact.
Changed simplify_casts(ir::Graph& graph, PassContext& context);
/// Simplifies pads of pads and parts of pads.
Changed simplify_pads(ir::Graph& graph, PassContext& context);
/// Simplifies parts of concatenations and concatenations of parts.
Changed simplify_joins(ir::Graph& graph, PassContext& context);
/// Restores linear layers and batched products that exporters split up.
Changed restore_products(ir::Graph& graph, PassContext& context);
/// Folds the statistics of inference batch norms into one factor and one term per channel.
Changed fold_batch_norm(ir::Graph& graph, PassContext& context);
/// Computes what depends only on constant weights and literals; results become constant inputs.
Changed fold_constants(ir::Graph& graph, PassContext& context);
/// Writes attention as products and a softmax, on machines without a call for it.
Changed expand_attention(ir::Graph& graph, PassContext& context);
/// Writes convolutions of windows that do not overlap as products, on machines whose convolutions
/// multiply channels.
Changed multiply_patches(ir::Graph& graph, PassContext& context);

/// Gives large products numbers of columns that fill whole multiples of some bytes, on machines that
/// are faster so.
Changed pad_products(ir::Graph& graph, PassContext& context);

/// Replaces attention that is spelled out by one call of litz.attention.
Changed match_attention(ir::Graph& graph, PassContext& context);
/// Drops masks of attention that hide nothing, or only what lies behind the diagonal.
Changed simplify_masks(ir::Graph& graph, PassContext& context);
/// Lets equal calls share one node, and equal weights one input.
Changed merge_equal_nodes(ir::Graph& graph, PassContext& context);
/// Makes images contiguous if that makes convolutions faster.
Changed choose_image_layouts(ir::Graph& graph, PassContext& context);
/// Lets query heads with shared keys and values read these without copies.
Changed share_heads(ir::Graph& graph, PassContext& context);
/// Gives internal values the layouts that their producers and readers prefer, which removes copies.
Changed choose_layouts(ir::Graph& graph, PassContext& context);
/// Lets the backward part of the program's main graph repeat nodes instead of keeping their results.
Changed recompute(ir::Graph& graph, PassContext& context);
/// Lets updates of a copy update the memory in place if its old contents are not read again.
Changed reinplace(ir::Graph& graph, PassContext& context);
/// Turns equal blocks into one graph with a call per block.
Changed outline_repeats(ir::Graph& graph, PassContext& context);

struct Pass {
  std::string_view name;
  Changed (*run)(ir::Graph&, PassContext&);
  std::string_view reason;  ///< Why it has this place in the pipeline.
  /// May change which collectives a group starts, and their order; otherwise verification rejects
  /// that.
  bool reorders_collectives = false;
};

/// From an imported program to the form that lowering accepts.
std::span<const Pass> import_pipeline();
/// From there to an equivalent program with less work; any of these passes can be disabled.
std::span<const Pass> inference_pipeline();

/// If a pipeline has both, every `first` comes before every `second`.
struct PassOrder {
  std::string_view first;
  std::string_view second;
};

/// The orders that any rearranged pipeline must respect; see require_order in pass_driver.h.
std::span<const PassOrder> pass_orders();
/// The pass of any pipeline with this name; null for an unknown name.
const Pass* find_pass(std::string_view name);

}  // namespace litz::passes
