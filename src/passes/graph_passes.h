// The table of contents of graph passes: one free function each, one file each.

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
/// cannot execute.
using Evaluator = std::function<std::vector<Tensor>(ir::Graph&, std::span<const Tensor>)>;

/// What passes get besides the graph. They never read options or the environment.
struct PassContext {
  ir::Program* program = nullptr;  ///< Null when a lone graph is rewritten.
  Evaluator evaluate;              ///< Empty: nothing is computed ahead.
  machine::Machine machine = {};   ///< What the program will run on, library included.
  uint64_t rewrites = 0;           ///< Counted by `may_rewrite`.
  uint64_t rewrite_limit = UINT64_MAX;

  /// Optimising passes ask before each rewrite, which stands or falls as a whole. Once the limit is
  /// reached the answer is no: halving the limit finds the rewrite that breaks a program.
  bool may_rewrite() {
    if (rewrites >= rewrite_limit) return false;
    ++rewrites;
    return true;
  }
};

/// Inlines wrap_with_set_grad_enabled, strict_mode, checkpoint wrappers, ...; wrap_with_autocast
/// with its casts applied; invoke_subgraph where operands have the types of its body.
Changed inline_wrappers(ir::Graph& graph, PassContext& context);
/// Gives tensors the dimensions back that vmap hid from the nodes between its marks.
Changed inline_vmaps(ir::Graph& graph, PassContext& context);
/// Makes a raw graph functional: in-place operators, views written through, hidden mutation;
/// appends mutation outputs to the program's signature.
Changed functionalize(ir::Graph& graph, PassContext& context);
/// Replaces operators that are defined by decomposition, until none is left.
Changed decompose(ir::Graph& graph, PassContext& context);
/// Removes nodes without uses and effects.
Changed eliminate_dead_nodes(ir::Graph& graph, PassContext& context);

// Of the inference pipeline. They need functional form without decomposable operators.

/// Removes operators that return their operand, and views and copies that change nothing.
Changed remove_no_ops(ir::Graph& graph, PassContext& context);
/// Folds chains of views of one kind into one view of the first operand.
Changed compose_views(ir::Graph& graph, PassContext& context);
/// Drops the inner one of two casts where it is exact.
Changed simplify_casts(ir::Graph& graph, PassContext& context);
/// Resolves pads of pads and parts of pads.
Changed simplify_pads(ir::Graph& graph, PassContext& context);
/// Resolves parts of concatenations and concatenations of parts.
Changed simplify_joins(ir::Graph& graph, PassContext& context);
/// Puts linear layers and batched products together again.
Changed restore_products(ir::Graph& graph, PassContext& context);
/// Folds the statistics of inference batch norms into one factor and one term a channel.
Changed fold_batch_norm(ir::Graph& graph, PassContext& context);
/// Computes what depends on constant weights and literals alone; results become constant inputs.
Changed fold_constants(ir::Graph& graph, PassContext& context);
/// Makes attention that is spelled out one call, litz.attention.
Changed match_attention(ir::Graph& graph, PassContext& context);
/// Lets equal calls share one node, and equal weights one input.
Changed merge_equal_nodes(ir::Graph& graph, PassContext& context);
/// Lets images lie channel by channel where convolutions are faster so.
Changed choose_image_layouts(ir::Graph& graph, PassContext& context);
/// Lets query heads that share keys and values read them without copies.
Changed share_heads(ir::Graph& graph, PassContext& context);
/// Lets internal values lie as their makers and readers want, so that copies of layout go away.
Changed choose_layouts(ir::Graph& graph, PassContext& context);
/// Lets updates of a copy update the memory itself where nobody needs what it held.
Changed reinplace(ir::Graph& graph, PassContext& context);
/// Makes one graph of blocks that do the same, and calls it for each.
Changed outline_repeats(ir::Graph& graph, PassContext& context);

struct Pass {
  std::string_view name;
  Changed (*run)(ir::Graph&, PassContext&);
  std::string_view reason;  ///< Why it stands where it stands.
  /// May change which collectives a group starts and in which order; else verification refuses it.
  bool reorders_collectives = false;
};

/// From an imported program to what lowering takes.
std::span<const Pass> import_pipeline();
/// From there to a program that computes the same with less work; each pass may be left out.
std::span<const Pass> inference_pipeline();

/// Wherever both are in a pipeline, every `first` comes before every `second`.
struct PassOrder {
  std::string_view first;
  std::string_view second;
};

/// What must hold however the pipelines are rearranged; see require_order in pass_driver.h.
std::span<const PassOrder> pass_orders();
/// Of any pipeline; null for an unknown name.
const Pass* find_pass(std::string_view name);

}  // namespace litz::passes
