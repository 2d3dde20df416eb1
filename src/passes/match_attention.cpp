// Recognises attention that exporters and decompositions spell out, and replaces it by one call.
//
//   %k = aten.permute(%key, [0, 1, 3, 2])
//   %s = aten.matmul(%query, %k)
//   %c = aten.mul.Scalar(%s, 0.25)
//   %m = aten.where.ScalarOther(%mask, %c, -inf)
//   %w = aten._safe_softmax(%m, -1)
//   %y = aten.matmul(%w, %value)      =>      %y = litz.attention(%query, %key, %value, %mask,
//                                                                 scale=0.25, safe=True)
//
// Requires:        functional form; restored products.
// Ensures:         no softmax over the last dimension is left between two products if it is their
//                  only link and only scaling by literals, one additive or boolean mask and zeroing
//                  of fully masked rows lie between them; scores are f32 or f64, and operands may
//                  be halves that are cast before. Fully masked rows keep their results: zeros as
//                  weights or NaN. Results differ in rounding: factors of query and key are applied
//                  to scores.
// Why it matters:  the matrix of scores is the largest tensor of a transformer and need not exist.
// Cost:            one visit per softmax; a bounded walk from each.

#include <algorithm>
#include <array>
#include <cmath>

#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Node;
using ir::Value;

// Bounds the walk along a chain of nodes, so that hostile programs take linear time.
constexpr int kLongestChain = 8;

std::optional<double> literal(const Argument& argument) {
  if (!argument.is_attribute()) return std::nullopt;
  const auto* scalar = std::get_if<Expr>(&argument.attribute());
  if (scalar == nullptr || !scalar->is_constant()) return std::nullopt;
  if (scalar->domain() == ExprDomain::real) return scalar->real_constant();
  if (scalar->domain() == ExprDomain::integer) return static_cast<double>(scalar->constant());
  return std::nullopt;
}

bool is_minus_infinity(const Argument& argument) { return uniform_number(argument) == -INFINITY; }

// The finite literal by which a node multiplies its operand.
std::optional<double> factor_of(const Node& node) {
  const bool multiplies = node.is("aten.mul.Scalar") || node.is("aten.mul.Tensor");
  const bool divides = node.is("aten.div.Scalar") || node.is("aten.div.Tensor");
  if (!multiplies && !divides) return std::nullopt;
  const std::optional<double> number = literal(node.argument("other"));
  if (!number || !node.argument("self").is_value()) return std::nullopt;
  const double factor = divides ? 1 / *number : *number;
  return std::isfinite(factor) ? std::optional(factor) : std::nullopt;
}

bool is_last_dim(const Node& node, const char* name, const TensorType& type) {
  const auto dim = node.scalar(name).maybe_constant();
  const auto rank = static_cast<int64_t>(type.rank());
  return dim && (*dim == -1 || *dim == rank - 1);
}

// The only reader of a value; null if there are several or the caller reads it.
Node* only_reader(Value value) {
  if (value.use_count() != 1) return nullptr;
  Node* user = value.uses()[0].user;
  return user == value.graph()->return_node() ? nullptr : user;
}

Node* producer(Value value, std::string_view op) {
  Node* node = value.producer();
  return node != nullptr && node->is(op) ? node : nullptr;
}

class Match {
 public:
  explicit Match(Node* softmax) : softmax_(softmax), graph_(softmax->graph()) {}

  bool find() {
    const TensorType& type = softmax_->output().tensor();
    const bool is_safe = softmax_->is("aten._safe_softmax");
    const bool computes_here = type.dtype == DType::f32 || type.dtype == DType::f64;
    scores_ = softmax_->input(0);
    if (!computes_here || type.rank() < 2 || scores_.tensor().dtype != type.dtype ||
        !is_last_dim(*softmax_, "dim", type)) {
      return false;
    }
    safe_ = is_safe;
    weights_ = softmax_->output();
    if (!is_safe) find_zeroed_rows();
    product_ = only_reader(weights_);
    if (product_ == nullptr || !product_->is("aten.matmul") ||
        product_->argument("self").value() != weights_) {
      return false;
    }
    result_ = product_->output();
    value_ = product_->argument("other").value();
    return value_ != weights_ && walk_up(scores_, safe_ && !is_safe ? 2 : 1) && fits();
  }

  // Emits the call in place of everything between the operands and the result.
  void apply() {
    take_halves();
    Node* last = absorb_layout();
    const auto scope = graph_.insert_before(last);
    const Value key = key_is_transposed_ ? key_ : exchanged(key_);
    const Argument mask = mask_ ? Argument(widened(mask_)) : Argument();
    const Value made = create_typed(graph_, "litz.attention",
                                    {Argument(query_), Argument(key), Argument(value_), mask,
                                     Argument(Expr::real(scale_)), Argument(Expr::boolean(safe_))},
                                    type_);
    graph_.replace_uses(last->output(), made);
    // From the copy behind the result back to the product itself.
    for (Node* node : {last, result_.producer(), product_}) {
      if (!node->is_erased()) graph_.erase_if_unused(node);
    }
  }

 private:
  // Matches where(not any(not (scores == -inf)), 0, softmax(scores)), the exporters' safe softmax.
  void find_zeroed_rows() {
    for (Node* user : softmax_->output().users()) {
      if (!user->is("aten.where.self")) continue;
      const Argument& other = user->argument("other");
      if (!other.is_value() || other.value() != softmax_->output()) return;
      if (uniform_number(user->argument("self")) != 0) return;
      const Node* none = producer(user->argument("condition").value(), "aten.logical_not");
      const Node* any = none != nullptr ? producer(none->input(0), "aten.any.dim") : nullptr;
      const Node* kept = any != nullptr ? producer(any->input(0), "aten.logical_not") : nullptr;
      const Node* masked = kept != nullptr ? producer(kept->input(0), "aten.eq.Scalar") : nullptr;
      if (masked == nullptr || masked->input(0) != scores_ ||
          literal(masked->argument("other")) != -INFINITY ||
          !is_last_dim(*any, "dim", scores_.tensor()) ||
          !any->scalar("keepdim").boolean_constant()) {
        return;
      }
      // Another reader needs the plain softmax (one that only takes its shape for zeros does not).
      for (const Node* reader : softmax_->output().users()) {
        if (reader != user && !is_fill(*reader)) return;
      }
      if (only_reader(masked->output()) == nullptr || only_reader(kept->output()) == nullptr) {
        return;
      }
      weights_ = user->output();
      safe_ = true;
      return;
    }
  }

  // Walks from the scores to the product of query and key. The first value may have `uses` readers,
  // because the test for masked rows reads the scores; the others have one.
  bool walk_up(Value value, size_t uses) {
    for (int i = 0; i < kLongestChain; ++i, uses = 1) {
      Node* node = value.producer();
      if (node == nullptr || value.use_count() != uses) return false;
      if (node->is("aten.matmul")) return take_product(node);
      if (const std::optional<double> factor = factor_of(*node)) {
        scale_ *= *factor;
        value = node->argument("self").value();
      } else if (!take_mask(node, value)) {
        return false;
      }
    }
    return false;
  }

  bool take_mask(Node* node, Value& value) {
    // A mask that is scaled with the scores would be a different mask.
    if (mask_ || scale_ != 1) return false;
    if (node->is("aten.where.ScalarOther") || node->is("aten.where.self")) {
      if (!is_minus_infinity(node->argument("other")) || !node->argument("self").is_value()) {
        return false;
      }
      mask_ = node->argument("condition").value();
      value = node->argument("self").value();
      return mask_.tensor().dtype == DType::bool_;
    }
    if (!node->is("aten.add.Tensor") || uniform_number(node->argument("alpha")) != 1) return false;
    const Argument& self = node->argument("self");
    const Argument& other = node->argument("other");
    if (!self.is_value() || !other.is_value()) return false;
    const bool self_leads = leads_to_product(self.value());
    value = self_leads ? self.value() : other.value();
    const Value added = self_leads ? other.value() : self.value();
    if (!added.is_tensor()) return false;
    // Adding zeros changes no score except -0.0, whose weight is that of 0.0.
    if (uniform_number(added) == 0) return true;
    mask_ = added;
    const DType dtype = added.tensor().dtype;
    const DType computed = value.tensor().dtype;
    return dtype == computed || (is_half(dtype) && computed == DType::f32);
  }

  static bool leads_to_product(Value value) {
    for (int i = 0; i < kLongestChain && value.producer() != nullptr; ++i) {
      const Node& node = *value.producer();
      if (node.is("aten.matmul")) return true;
      if (!factor_of(node)) return false;
      value = node.argument("self").value();
    }
    return false;
  }

  bool take_product(Node* node) {
    query_ = unscaled(node->argument("self").value());
    key_ = unscaled(node->argument("other").value());
    if (query_.tensor().rank() < 2 || key_.tensor().rank() < 2) return false;
    // Looks through the transpose, and through a copy of the transposed key.
    Value source = key_;
    for (int i = 0; i < kLongestChain; ++i) {
      const Node* made_by = source.producer();
      if (made_by == nullptr) break;
      const auto dims = permutation_of(*made_by);
      if (dims && exchanges_last(*dims)) {
        key_ = unscaled(made_by->input(0));
        key_is_transposed_ = true;
        break;
      }
      if (!is_plain_copy(*made_by)) break;
      source = made_by->input(0);
    }
    return true;
  }

  static bool exchanges_last(const std::vector<int64_t>& dims) {
    const auto rank = static_cast<int64_t>(dims.size());
    if (rank < 2 || dims[dims.size() - 1] != rank - 2 || dims[dims.size() - 2] != rank - 1) {
      return false;
    }
    for (int64_t i = 0; i + 2 < rank; ++i) {
      if (dims[static_cast<size_t>(i)] != i) return false;
    }
    return true;
  }

  // The operand without literal factors, which are multiplied into the scale.
  Value unscaled(Value value) {
    for (int i = 0; i < kLongestChain && value.producer() != nullptr; ++i) {
      const Node& node = *value.producer();
      const std::optional<double> factor = factor_of(node);
      if (!factor || node.output().tensor().dtype != node.argument("self").value().tensor().dtype) {
        break;
      }
      scale_ *= *factor;
      value = node.argument("self").value();
    }
    return value;
  }

  bool fits() {
    const DType dtype = softmax_->output().tensor().dtype;
    for (const Value operand : {query_, key_, value_}) {
      if (operand.tensor().dtype != dtype || operand.tensor().rank() < 2) return false;
    }
    if (!std::isfinite(scale_) || result_.tensor().dtype != dtype) return false;
    if (mask_ && mask_.tensor().rank() > scores_.tensor().rank()) return false;
    // A mask that broadcasts the scores creates more rows than the query has.
    const Sizes& scores = scores_.tensor().sizes;
    const Sizes& queries = query_.tensor().sizes;
    type_ = result_.tensor();
    return known_equal(scores[scores.size() - 2], queries[queries.size() - 2]) &&
           known_equal(scores.back(), value_.tensor().sizes[value_.tensor().rank() - 2]) &&
           batch_is_covered();
  }

  // The call broadcasts its operands to each other, but not to the mask.
  bool batch_is_covered() const {
    const Sizes& result = type_.sizes;
    for (size_t back = 3; back <= result.size(); ++back) {
      const Expr wanted = result[result.size() - back];
      const bool covered =
          std::ranges::any_of(std::array{query_, key_, value_}, [&](Value operand) {
            const Sizes& sizes = operand.tensor().sizes;
            return back <= sizes.size() && known_equal(sizes[sizes.size() - back], wanted);
          });
      if (!covered && !wanted.is(1)) return false;
    }
    return true;
  }

  static Value half_source(Value value) {
    Node* node = value.producer();
    if (node == nullptr || !node->is("aten._to_copy") || value.tensor().dtype != DType::f32) {
      return {};
    }
    const Value source = node->input(0);
    const bool fits =
        is_half(source.tensor().dtype) && source.tensor().device == value.tensor().device;
    return fits ? source : Value();
  }

  // Lets the call read and write halves that were cast up before and down after it.
  void take_halves() {
    const Value query = half_source(query_);
    const Value key = half_source(key_);
    const Value value = half_source(value_);
    Node* cast = only_reader(result_);
    if (!query || !key || !value || cast == nullptr || !cast->is("aten._to_copy")) return;
    const DType dtype = query.tensor().dtype;
    const TensorType& down = cast->output().tensor();
    if (key.tensor().dtype != dtype || value.tensor().dtype != dtype || down.dtype != dtype) return;
    query_ = query;
    key_ = key;
    value_ = value;
    result_ = cast->output();
    type_ = down;
  }

  // Makes the call write its result in the layout of a copy behind it, also behind a permutation.
  // Returns the node that the call replaces.
  Node* absorb_layout() {
    Node* last = result_.producer();
    Node* next = only_reader(result_);
    if (next == nullptr) return last;
    if (is_plain_copy(*next)) {
      type_ = next->output().tensor();
      return next;
    }
    const auto dims = permutation_of(*next);
    Node* copy = dims ? only_reader(next->output()) : nullptr;
    if (copy == nullptr || !is_plain_copy(*copy)) return last;
    const TensorType& copied = copy->output().tensor();
    for (size_t i = 0; i < dims->size(); ++i) {
      type_.strides[static_cast<size_t>((*dims)[i])] = copied.strides[i];
    }
    graph_.set_type(next->output(), copied);
    graph_.replace_uses(copy->output(), next->output());
    graph_.erase_if_unused(copy);
    return last;
  }

  // The mask in the compute dtype.
  Value widened(Value mask) {
    if (!is_half(mask.tensor().dtype)) return mask;
    return graph_.create("prims.convert_element_type", {Argument(mask), Argument(DType::f32)})
        ->output();
  }

  Value exchanged(Value value) {
    const auto rank = static_cast<int64_t>(value.tensor().rank());
    ir::Scalars dims;
    for (int64_t i = 0; i + 2 < rank; ++i) dims.emplace_back(i);
    dims.emplace_back(rank - 1);
    dims.emplace_back(rank - 2);
    return graph_.create("aten.permute", {Argument(value), Argument(dims)})->output();
  }

  Node* softmax_;
  ir::Graph& graph_;
  Node* product_ = nullptr;  // The product of weights and value.
  Value scores_;
  Value weights_;
  Value query_;
  Value key_;
  Value value_;
  Value mask_;
  Value result_;
  TensorType type_;  // The type of the call's result.
  double scale_ = 1;
  bool safe_ = false;
  bool key_is_transposed_ = false;
};

}  // namespace

Changed match_attention(ir::Graph& graph, PassContext& context) {
  Changed changed = Changed::no;
  for (const char* op : {"aten._safe_softmax", "aten._softmax"}) {
    for (Node* softmax : graph.in_order(op)) {
      Match match(softmax);
      if (!match.find() || !context.may_rewrite()) continue;
      match.apply();
      changed = Changed::yes;
    }
  }
  return changed;
}

}  // namespace litz::passes
