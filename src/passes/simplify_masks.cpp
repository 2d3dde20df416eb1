// Drops masks of attention that hide nothing, or only what lies behind the diagonal.
//
//   %m = aten.tril(%ones)                    // or computed from constants alone
//   %a = litz.attention(%q, %k, %v, %m, scale=0.125)
//     =>
//   %a = litz.attention(%q, %k, %v, scale=0.125, causal=True)
//
// Requires:        attention as match-attention makes it; an evaluator for computed masks.
// Ensures:         no attention has a constant mask of up to kMostElements that hides nothing or exactly
//                  the keys behind the diagonal, and none that is equal for all matrices of a batch
//                  has one for each. Hidden keys have weight 0; infinite values of such keys no longer
//                  make NaN of it.
// Why it matters:  half of the scores need not be computed, and the mask is read once a head and layer.
// Cost:            computing the masks, and one visit per element.

#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "passes/constant_values.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Node;
using ir::Value;

constexpr int64_t kMostElements = int64_t{1} << 24;

/// Added to a score, this leaves nothing of it in f32: exporters write the lowest number for
/// minus infinity.
constexpr double kHides = -1e30;

enum class Visible : uint8_t { all, up_to_diagonal, other };

/// True if the mask hides the element; nothing if it neither hides nor shows it whole.
std::optional<bool> hides(const Tensor& mask, const std::byte* element) {
  if (mask.dtype() == DType::bool_) return *element == std::byte{0};
  const double added = mask.dtype() == DType::f64 ? *reinterpret_cast<const double*>(element)
                                                  : *reinterpret_cast<const float*>(element);
  if (added == 0) return false;
  return added <= kHides ? std::optional(true) : std::nullopt;
}

/// What the matrices of a dense mask show, all alike.
Visible visible_in(const Tensor& mask) {
  const int64_t columns = mask.sizes().back();
  const int64_t rows = mask.sizes()[mask.rank() - 2];
  const int64_t item = item_size(mask.dtype());
  bool shows_all = true;
  bool is_causal = true;
  const std::byte* element = mask.data();
  const int64_t lines = mask.numel() / columns;
  for (int64_t line = 0; line < lines && (shows_all || is_causal); ++line) {
    const int64_t row = line % rows;
    for (int64_t column = 0; column < columns; ++column, element += item) {
      const std::optional<bool> is_hidden = hides(mask, element);
      if (!is_hidden) return Visible::other;
      shows_all = shows_all && !*is_hidden;
      is_causal = is_causal && *is_hidden == (column > row);
    }
  }
  return shows_all ? Visible::all : is_causal ? Visible::up_to_diagonal : Visible::other;
}

/// True if the elements are equal for all places along a dimension of a dense tensor.
bool repeats_along(const Tensor& tensor, size_t dim) {
  int64_t inner = item_size(tensor.dtype());
  for (size_t d = dim + 1; d < tensor.rank(); ++d) inner *= tensor.sizes()[d];
  const int64_t size = tensor.sizes()[dim];
  const int64_t outer = tensor.numel() * item_size(tensor.dtype()) / (inner * size);
  for (int64_t i = 0; i < outer; ++i) {
    const std::byte* const first = tensor.data() + i * size * inner;
    if (std::memcmp(first, first + inner, static_cast<size_t>((size - 1) * inner)) != 0) {
      return false;
    }
  }
  return true;
}

bool is_ones(Value value) { return uniform_number(value) == 1; }

/// True for tril(ones): causal whatever its sizes are.
bool is_triangle(Value mask) {
  const Node* const node = mask.producer();
  return node != nullptr && node->is("aten.tril") && mask.tensor().dtype == DType::bool_ &&
         node->scalar("diagonal").is(0) && is_ones(node->input(0));
}

class Masks {
 public:
  Masks(ir::Graph& graph, PassContext& context)
      : graph_(graph), context_(context), calls_(graph.in_order("litz.attention")) {}

  Changed run() {
    evaluate();
    Changed changed = Changed::no;
    for (Node* const call : calls_) {
      if (simplify(call)) changed = Changed::yes;
    }
    return changed;
  }

 private:
  struct Computed {
    Tensor elements;
    Visible visible = Visible::other;
  };

  static bool is_masked(const Node& call) { return call.argument("mask").is_value(); }

  /// Computes the constant masks, all at once.
  void evaluate() {
    const bool is_main = context_.program != nullptr && &context_.program->graph() == &graph_;
    if (!is_main || !context_.evaluate || calls_.empty()) return;
    const ConstantValues constants(graph_, context_);
    std::vector<Value> masks;
    for (const Node* const call : calls_) {
      if (!is_masked(*call)) continue;
      const Value mask = call->argument("mask").value();
      const std::optional<int64_t> count = mask.tensor().numel().maybe_constant();
      if (mask.tensor().rank() < 2 || !count || *count == 0 || *count > kMostElements ||
          !constants.contains(mask) || std::ranges::find(masks, mask) != masks.end()) {
        continue;
      }
      masks.push_back(mask);
    }
    if (masks.empty()) return;
    const std::vector<Tensor> computed = evaluate_constants(graph_, context_, masks);
    for (size_t i = 0; i < masks.size(); ++i) {
      const Tensor elements = computed[i].contiguous();
      computed_.emplace(masks[i].data(), Computed{elements, visible_in(elements)});
    }
  }

  bool simplify(Node* call) {
    if (!is_masked(*call)) return false;
    const Value mask = call->argument("mask").value();
    const auto found = computed_.find(mask.data());
    Visible visible = is_triangle(mask) ? Visible::up_to_diagonal : Visible::other;
    if (found != computed_.end()) visible = found->second.visible;
    if (visible == Visible::up_to_diagonal && !covers(mask, *call)) visible = Visible::other;
    if (visible == Visible::other) {
      return found != computed_.end() && narrow(call, mask, found->second.elements);
    }
    if (!context_.may_rewrite()) return false;
    const auto scope = graph_.insert_before(call);
    const Value made =
        create_typed(graph_, "litz.attention",
                     {call->argument("query"), call->argument("key"), call->argument("value"),
                      Argument(), call->argument("scale"), call->argument("safe"),
                      Argument(Expr::boolean(visible == Visible::up_to_diagonal))},
                     call->output().tensor());
    replace(call, made);
    return true;
  }

  /// True if the mask's rows and columns are those of the scores, none of which it repeats.
  static bool covers(Value mask, const Node& call) {
    const TensorType& query = call.argument("query").value().tensor();
    const TensorType& key = call.argument("key").value().tensor();
    const Sizes& sizes = mask.tensor().sizes;
    return known_equal(sizes[sizes.size() - 2], query.sizes[query.rank() - 2]) &&
           known_equal(sizes.back(), key.sizes[key.rank() - 2]);
  }

  /// Takes the first of equal matrices along each dimension of the batch.
  bool narrow(Node* call, Value mask, const Tensor& elements) {
    const auto narrowed = narrowed_.find(mask.data());
    Value own = narrowed != narrowed_.end() ? narrowed->second : mask;
    if (narrowed == narrowed_.end()) {
      const auto scope = graph_.insert_before(call);
      for (size_t d = 0; d + 2 < elements.rank(); ++d) {
        if (elements.sizes()[d] == 1 || !repeats_along(elements, d)) continue;
        own = graph_
                  .create("aten.slice.Tensor",
                          {own, Expr(static_cast<int64_t>(d)), Expr(0), Expr(1), Expr(1)})
                  ->output();
      }
      if (own != mask) {
        if (!context_.may_rewrite()) return false;
        own = graph_.create("aten.clone", {own})->output();
      }
      narrowed_.emplace(mask.data(), own);
    }
    if (own == mask) return false;
    graph_.set_argument(call, "mask", own);
    return true;
  }

  void replace(Node* call, Value made) {
    graph_.replace_uses(call->output(), made);
    graph_.erase_if_unused(call);
  }

  ir::Graph& graph_;
  PassContext& context_;
  std::vector<Node*> calls_;
  // For lookup only, since their order is not deterministic.
  std::unordered_map<const ir::ValueData*, Computed> computed_;
  std::unordered_map<const ir::ValueData*, Value> narrowed_;
};

}  // namespace

Changed simplify_masks(ir::Graph& graph, PassContext& context) {
  return Masks(graph, context).run();
}

}  // namespace litz::passes
