// Restores products that exporters split up: linear layers and batched products.
//
//   %a = aten.view(%x, [32, 64])           // %x: f32[2, 16, 64]
//   %t = aten.permute(%w, [1, 0])
//   %m = aten.addmm(%b, %a, %t)
//   %y = aten.view(%m, [2, 16, 8])   =>    %y = aten.linear(%x, %w, %b)
//
// Requires:        functional form; composed views.
// Ensures:         addmm of a vector and a transposed matrix is linear; products between views that
//                  only join and split leading dimensions have their operands' own shapes; copies
//                  and expansions before batched products are gone if a broadcasting product
//                  computes the same; a vector that is added to a product without other readers is
//                  its bias. The last changes the rounding of halves, so it only applies to f32 and
//                  f64, where sums may be taken in another order.
// Why it matters:  one product with a bias is one library call; views and copies around it are
//                  memory traffic.
// Cost:            one visit per node, and another sweep while any is restored; a bounded walk up
//                  the views of an operand.

#include <algorithm>

#include "ops/view_geometry.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Node;
using ir::Value;

// Bounds the walk along a chain of nodes, so that hostile programs take linear time.
constexpr int kLongestChain = 8;

bool is_one(const Argument& argument) { return uniform_number(argument) == 1; }

bool same_sizes(std::span<const Expr> a, std::span<const Expr> b) {
  return std::ranges::equal(a, b, [](Expr x, Expr y) { return known_equal(x, y); });
}

// The value without copies that only change its layout: products read any layout.
Value without_copies(Value value) {
  for (int i = 0; i < kLongestChain; ++i) {
    const Node* node = value.producer();
    if (node == nullptr || !is_plain_copy(*node)) break;
    value = node->input(0);
  }
  return value;
}

// True if both end in the same sizes, and what precedes these has as many entries. The latter follows
// from equal numbers of elements, unless there are none.
bool have_same_ends(std::span<const Expr> a, std::span<const Expr> b, size_t kept) {
  if (a.size() < kept || b.size() < kept || !same_sizes(a.last(kept), b.last(kept))) return false;
  return std::ranges::none_of(a.last(kept), [](Expr size) { return size.is(0); });
}

// Also looks through expansions of leading dimensions, which a product broadcasts itself.
Value broadcast_source(Value value) {
  for (int i = 0; i < kLongestChain; ++i) {
    value = without_copies(value);
    const Node* node = value.producer();
    if (node == nullptr || !node->is("aten.expand")) break;
    const TensorType& from = node->input(0).tensor();
    const TensorType& to = value.tensor();
    const bool is_matrix = from.rank() >= 2 &&
                           known_equal(from.sizes[from.rank() - 1], to.sizes[to.rank() - 1]) &&
                           known_equal(from.sizes[from.rank() - 2], to.sizes[to.rank() - 2]);
    if (!is_matrix) break;
    value = node->input(0);
  }
  return value;
}

// True when the leading dimensions of both broadcast to `batch`.
bool broadcasts_to(Value a, Value b, std::span<const Expr> batch) {
  const Sizes& left = a.tensor().sizes;
  const Sizes& right = b.tensor().sizes;
  for (size_t back = 3; back < batch.size() + 3; ++back) {
    const Expr x = back <= left.size() ? left[left.size() - back] : Expr(1);
    const Expr y = back <= right.size() ? right[right.size() - back] : Expr(1);
    const Expr wanted = batch[batch.size() + 2 - back];
    if (!known_equal(x, wanted) && !(x.is(1) && known_equal(y, wanted))) return false;
    if (!known_equal(y, wanted) && !y.is(1)) return false;
  }
  return true;
}

// The values that a product may read instead without changing its result's sizes.
std::pair<Value, Value> broadcast_sources(Value left, Value right) {
  const size_t rank = std::max(left.tensor().rank(), right.tensor().rank());
  std::vector<Expr> batch;
  for (size_t back = rank; back > 2; --back) {
    const auto size = [back](Value value) {
      const Sizes& sizes = value.tensor().sizes;
      return back <= sizes.size() ? sizes[sizes.size() - back] : Expr(1);
    };
    batch.push_back(size(left).is(1) ? size(right) : size(left));
  }
  const Value a = broadcast_source(left);
  const Value b = broadcast_source(right);
  if (broadcasts_to(a, b, batch)) return {a, b};
  if (broadcasts_to(without_copies(left), b, batch)) return {without_copies(left), b};
  if (broadcasts_to(a, without_copies(right), batch)) return {a, without_copies(right)};
  return {without_copies(left), without_copies(right)};
}

// The matrix that the value is the transpose of.
Value transposed_of(Value value) {
  const Node* node = value.producer();
  if (node == nullptr || value.tensor().rank() != 2) return {};
  const auto dims = permutation_of(*node);
  return dims && (*dims)[0] == 1 ? node->input(0) : Value();
}

// The operand of a view that only changes leading dimensions: both end in the same `kept` sizes.
Value other_leading(Value value, size_t kept) {
  const Node* node = value.producer();
  if (node == nullptr || !node->is("aten.view")) return {};
  const Value source = node->input(0);
  return have_same_ends(source.tensor().sizes, value.tensor().sizes, kept) ? source : Value();
}

// The only reader of a batch of matrices if it is a view that splits the batch.
Node* split_batch(Value value) {
  if (value.use_count() != 1) return nullptr;
  Node* user = value.uses()[0].user;
  if (!user->is("aten.view")) return nullptr;
  const Sizes& to = user->output().tensor().sizes;
  return to.size() >= 3 && have_same_ends(to, value.tensor().sizes, 2) ? user : nullptr;
}

bool only_views_read(Value value) {
  if (!value.has_uses()) return false;
  for (const ir::UseSite& use : value.uses()) {
    if (!use.user->is("aten.view")) return false;
  }
  return true;
}

class Restoring {
 public:
  Restoring(ir::Graph& graph, PassContext& context) : graph_(graph), context_(context) {}

  Changed visit(Node* node) {
    bool changed = false;
    if (node->is("aten.addmm")) {
      changed = restore_linear(node);
    } else if (node->is("aten.mm")) {
      changed = restore_linear(node) || reshape_product(node);
    } else if (node->is("aten.bmm")) {
      changed = restore_batched(node);
    } else if (node->is("aten.linear")) {
      changed = reshape_product(node);
    } else if (node->is("aten.matmul")) {
      changed = restore_layer(node) || broadcast_product(node, "self", "other");
    } else if (node->is("aten.add.Tensor")) {
      changed = absorb_bias(node);
    }
    return changed ? Changed::yes : Changed::no;
  }

 private:
  bool replace(Node* old, std::string_view op, std::vector<Argument> arguments) {
    if (!context_.may_rewrite()) return false;
    substitute(old, op, std::move(arguments));
    return true;
  }

  void substitute(Node* old, std::string_view op, std::vector<Argument> arguments) {
    const auto scope = graph_.insert_before(old);
    const Value made = create_typed(graph_, op, std::move(arguments), old->output().type());
    graph_.replace_uses(old->output(), made);
    graph_.erase_if_unused(old);
  }

  // Turns addmm(b, x, permute(w)) and mm(x, permute(w)) into linear layers, and other matrix
  // products if that removes views.
  bool restore_linear(Node* node) {
    const bool has_bias = node->is("aten.addmm");
    const Value input = node->argument(has_bias ? "mat1" : "self").value();
    const Value matrix = node->argument("mat2").value();
    Value weight = transposed_of(matrix);
    if (!has_bias) {
      return weight && replace(node, "aten.linear", {Argument(input), Argument(weight)});
    }
    const Value bias = node->argument("self").value();
    const bool is_plain = is_one(node->argument("alpha")) && is_one(node->argument("beta")) &&
                          bias.tensor().rank() == 1 &&
                          known_equal(bias.tensor().sizes[0], matrix.tensor().sizes[1]);
    if (!is_plain || (!weight && !joined_source(node, input))) return false;
    if (!weight) {
      const auto scope = graph_.insert_before(node);
      const ir::Scalars exchanged{Expr(1), Expr(0)};
      weight = graph_.create("aten.permute", {Argument(matrix), Argument(exchanged)})->output();
    }
    return replace(node, "aten.linear", {Argument(input), Argument(weight), Argument(bias)});
  }

  // The value that the first operand of a product shows with joined leading dimensions, if all
  // readers of the product are views that can split them again.
  static Value joined_source(const Node* node, Value input) {
    const Value source = other_leading(input, 1);
    const bool fits = source && source.tensor().rank() >= 2 && only_views_read(node->output());
    return fits ? source : Value();
  }

  // Turns view(product(view(x))) into view(product(x)).
  bool reshape_product(Node* node) {
    const bool is_linear = node->is("aten.linear");
    const Value source = joined_source(node, node->argument(is_linear ? "input" : "self").value());
    if (!source || !context_.may_rewrite()) return false;
    std::vector<Argument> arguments(node->arguments().begin(), node->arguments().end());
    arguments[0] = Argument(source);
    TensorType type = node->output().tensor();
    const Expr columns = type.sizes.back();
    type.sizes = source.tensor().sizes;
    type.sizes.back() = columns;
    type.strides = contiguous_strides(type.sizes);
    const auto scope = graph_.insert_before(node);
    const Value product =
        create_typed(graph_, is_linear ? "aten.linear" : "aten.matmul", std::move(arguments), type);
    for (Node* view : node->output().users()) {
      const Value shown = view->output();
      const bool is_same = same_layout(type, shown.tensor());
      if (is_same) {
        graph_.replace_uses(shown, product);
        graph_.erase_if_unused(view);
      } else {
        graph_.set_input(view, 0, product);
      }
    }
    graph_.erase_if_unused(node);
    return true;
  }

  // Turns view(bmm(view(a), view(b))) into matmul(a, b), and view(bmm(view(a), b)) into matmul(a,
  // view(b)).
  bool restore_batched(Node* node) {
    Node* view = split_batch(node->output());
    if (view == nullptr) return broadcast_product(node, "self", "mat2");
    const Sizes& sizes = view->output().tensor().sizes;
    const auto leading = std::span(sizes).first(sizes.size() - 2);
    const Split left = split_operand(node->argument("self").value(), leading);
    const Split right = split_operand(node->argument("mat2").value(), leading);
    const bool splits = left.value && right.value && (!left.type || !right.type);
    if (!splits || !context_.may_rewrite()) return broadcast_product(node, "self", "mat2");
    const auto [a, b] = broadcast_sources(shown(left, node), shown(right, node));
    substitute(view, "aten.matmul", {Argument(a), Argument(b)});
    graph_.erase_if_unused(node);
    return true;
  }

  // An operand with a split batch; with a type, it still needs a view of that type.
  struct Split {
    Value value;
    std::optional<TensorType> type;
  };

  static Split split_operand(Value operand, std::span<const Expr> leading) {
    const Value joined = without_copies(operand);
    const Value source = other_leading(joined, 2);
    if (source) {
      const Sizes& sizes = source.tensor().sizes;
      if (same_sizes(std::span(sizes).first(sizes.size() - 2), leading)) return {source, {}};
    }
    Sizes sizes(leading.begin(), leading.end());
    const Sizes& matrix = operand.tensor().sizes;
    sizes.insert(sizes.end(), matrix.end() - 2, matrix.end());
    for (const Value value : {joined, operand}) {
      if (auto type = ops::viewed(value.tensor(), sizes)) return {value, std::move(type)};
    }
    return {};
  }

  Value shown(const Split& split, Node* position) {
    if (!split.type) return split.value;
    const auto scope = graph_.insert_before(position);
    return create_typed(graph_, "aten.view",
                        {Argument(split.value), Argument(ir::Scalars(split.type->sizes))},
                        *split.type);
  }

  // Lets a product read the sources of copied or expanded operands.
  bool broadcast_product(Node* node, const char* first, const char* second) {
    const Value left = node->argument(first).value();
    const Value right = node->argument(second).value();
    if (left.tensor().rank() < 2 || right.tensor().rank() < 2) return false;
    const auto [a, b] = broadcast_sources(left, right);
    if (a == left && b == right) return false;
    return replace(node, "aten.matmul", {Argument(a), Argument(b)});
  }

  // Turns matmul(x, permute(w)) with one matrix for all of x into a linear layer.
  bool restore_layer(Node* node) {
    const Value weight = transposed_of(node->argument("other").value());
    const Value input = node->argument("self").value();
    if (!weight || input.tensor().rank() < 2) return false;
    return replace(node, "aten.linear", {Argument(input), Argument(weight)});
  }

  // Turns add(linear(x, w), b) and add(mm(x, w), b) into one product, if the sum is its only
  // reader.
  bool absorb_bias(Node* node) {
    const DType dtype = node->output().tensor().dtype;
    if ((dtype != DType::f32 && dtype != DType::f64) || !is_one(node->argument("alpha"))) {
      return false;
    }
    for (const auto& [product, added] : {std::pair{"self", "other"}, std::pair{"other", "self"}}) {
      const Argument& sum = node->argument(product);
      const Argument& bias = node->argument(added);
      if (sum.is_value() && bias.is_value() && absorb(node, sum.value(), bias.value())) return true;
    }
    return false;
  }

  bool absorb(Node* add, Value product, Value bias) {
    Node* node = product.producer();
    if (node == nullptr || product.use_count() != 1 || !bias.is_tensor()) return false;
    const TensorType& type = product.tensor();
    const bool fits = bias.tensor().rank() == 1 && bias.tensor().dtype == type.dtype &&
                      type.rank() >= 2 && known_equal(bias.tensor().sizes[0], type.sizes.back()) &&
                      can_stand_for(type, add->output());
    if (!fits) return false;
    std::vector<Argument> arguments(node->arguments().begin(), node->arguments().end());
    std::string_view op;
    if (node->is("aten.linear") && node->argument("bias").is_none()) {
      op = "aten.linear";
      arguments[2] = Argument(bias);
    } else if (node->is("aten.mm")) {
      op = "aten.addmm";
      arguments.insert(arguments.begin(), Argument(bias));
    } else {
      return false;
    }
    if (!replace(add, op, std::move(arguments))) return false;
    graph_.erase_if_unused(node);
    return true;
  }

  ir::Graph& graph_;
  PassContext& context_;
};

}  // namespace

Changed restore_products(ir::Graph& graph, PassContext& context) {
  Changed changed = Changed::no;
  Restoring restoring(graph, context);
  // A later rewrite may create the view that splits a product: the next round restores that one.
  for (Changed round = Changed::yes; round == Changed::yes;) {
    round = Changed::no;
    for (Node* node = graph.first(); node != nullptr;) {
      // The replacement may be restored further: look at it next.
      Node* before = node->prev();
      if (restoring.visit(node) == Changed::yes) {
        round = changed = Changed::yes;
        node = before == nullptr ? graph.first() : before;
        if (node == graph.return_node()) node = nullptr;
        continue;
      }
      node = node->next();
    }
  }
  return changed;
}

}  // namespace litz::passes
