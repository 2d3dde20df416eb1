#include "passes/expand_node.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "ir/inferred_types.h"
#include "ir/streams.h"
#include "ir/symbol_replacement.h"
#include "ops/bodies.h"
#include "ops/op_table.h"
#include "ops/random_streams.h"
#include "support/check.h"

namespace litz::passes {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::Value;
using ir::ValueType;

namespace {

using Replacements = std::vector<ir::SymbolReplacement>;

bool same_strides(const TensorType& a, const TensorType& b) {
  for (size_t i = 0; i < a.rank(); ++i) {
    // The stride of a dimension with at most one element does not matter.
    if (a.sizes[i].is(1) || a.sizes[i].is(0)) continue;
    if (!known_equal(a.strides[i], b.strides[i])) return false;
  }
  return true;
}

// True if a reader interprets its operand's storage, or the caller gets the value.
bool strides_matter(Value value) {
  for (const Node* user : value.users()) {
    if (user == value.graph()->return_node()) return true;
    if (ir::has(user->op().traits, ir::Trait::view)) return true;
  }
  return false;
}

void learn_symbols(const ValueType& made, const ValueType& wanted, Replacements& replacements) {
  const auto learn = [&](Expr from, Expr to) {
    if (from == to || !from.is_symbol()) return;
    const bool fresh = depends_on_data(from);
    for (const auto& [id, meaning] : replacements) {
      if (id == from.symbol()) return;
    }
    if (fresh && !mentions(to, from.symbol())) replacements.emplace_back(from.symbol(), to);
  };
  if (const auto* tensor = std::get_if<TensorType>(&made)) {
    const auto* other = std::get_if<TensorType>(&wanted);
    if (other == nullptr || tensor->rank() != other->rank()) return;
    for (size_t i = 0; i < tensor->rank(); ++i) learn(tensor->sizes[i], other->sizes[i]);
    // A stated offset of 0 may belong to a result with a new layout, and names no symbol.
    if (other->offset.is_symbol()) learn(tensor->offset, other->offset);
  } else if (const auto* scalar = std::get_if<ir::ScalarType>(&made)) {
    const auto* other = std::get_if<ir::ScalarType>(&wanted);
    if (other != nullptr) learn(scalar->value, other->value);
  }
}

// Replaces symbols that emitted nodes created for sizes that the program already names.
void rename_symbols(Node* first, const Node* end, const Replacements& replacements) {
  for (Node* node = first; node != end; node = node->next()) {
    ir::replace_symbols(*node, replacements);
  }
}

void check_result(const Node& node, size_t i, Value made) {
  const auto* wanted = std::get_if<TensorType>(&node.output(i).type());
  if (wanted == nullptr) return;
  bool same = made && made.is_tensor() && made.tensor().dtype == wanted->dtype &&
              made.tensor().rank() == wanted->rank();
  for (size_t k = 0; same && k < wanted->rank(); ++k) {
    same = !known_not_equal(made.tensor().sizes[k], wanted->sizes[k]);
  }
  require(same, "the arguments disagree about the result:", node.op().name(), "result", i,
          made ? ir::to_string(made.type()) : "none", "must be", *wanted);
}

// Readers were typed with the strides and the offset that the operator stated.
Value laid_out_as(Value value, const TensorType& promised) {
  const TensorType& given = value.tensor();
  const bool in_place = known_equal(given.offset, promised.offset);
  if (in_place && same_strides(given, promised)) return value;
  check(in_place || promised.offset.is(0),
        "a decomposition must keep the place in the storage:", given, promised);
  return value.graph()
      ->create("litz.restride", {Argument(value), Argument(promised.strides)})
      ->output();
}

// The first node that draws random numbers takes over the stream of the replaced node; further ones
// get parts of it. Other nodes draw nothing.
void share_stream(const Node& node, Node* first) {
  const int64_t stream = ir::stream_of(node);
  if (stream == 0) return;
  int64_t part = 0;
  for (Node* made = first; made != &node; made = made->next()) {
    ir::set_stream(made, ops::draws(*made) ? ir::part_of_stream(stream, part++) : 0);
  }
}

// PyTorch returns the operand itself if nothing is dropped, although the schema does not say so.
constexpr std::array<std::string_view, 4> kReturnsOperand = {
    "aten.alpha_dropout", "aten.dropout", "aten.feature_alpha_dropout", "aten.feature_dropout"};

bool is_fresh_by_schema(const Node& node, size_t result) {
  const std::vector<ir::SchemaReturn>& returns = node.op().schema.returns;
  // A list of tensors counts as one return.
  const size_t slot = std::min(result, returns.size() - 1);
  return returns[slot].alias == 0 &&
         std::ranges::find(kReturnsOperand, node.op().name()) == kReturnsOperand.end();
}

// True when the value is an operand of the decomposed node or a view of one.
bool existed_before(Value value, const Node* first) {
  while (value.producer() != nullptr && ir::has(value.producer()->op().traits, ir::Trait::view)) {
    value = value.producer()->input(0);
  }
  return value.producer() == nullptr || first == nullptr || value.producer()->is_before(*first);
}

}  // namespace

bool writes_operands(const Node& node) {
  return node.op().schema.mutates() || ir::has(node.op().traits, ir::Trait::hidden_mutation);
}

bool is_decomposable(const Node& node, bool functional) {
  if (node.op().definition == nullptr || node.op().schema.mutates()) return false;
  if (!functional && writes_operands(node)) return false;
  return std::holds_alternative<ops::Decompose>(ops::definition(node.op()).impl);
}

Node* expand_node(Node* node, bool keep_fresh) {
  Graph& graph = node->graph();
  Node* before = node->prev();
  std::vector<ValueType> types;
  for (const Value output : node->outputs()) types.push_back(output.type());
  const auto scope = graph.insert_before(node);
  const ops::Call call(*node);
  ops::DecomposeCall decompose(call, graph, types);
  const auto& definition = std::get<ops::Decompose>(ops::definition(node->op()).impl);
  const std::vector<Value> made = definition.build(decompose);
  check(made.size() == types.size(), "a decomposition must give every result:", node->op().name(),
        made.size(), types.size());

  Replacements replacements;
  for (size_t i = 0; i < made.size(); ++i) {
    if (made[i]) learn_symbols(made[i].type(), types[i], replacements);
  }
  Node* first = before == nullptr ? graph.first() : before->next();
  if (!replacements.empty()) rename_symbols(first, node, replacements);

  for (size_t i = 0; i < made.size(); ++i) {
    const Value old = node->output(i);
    if (!old.has_uses()) continue;
    check_result(*node, i, made[i]);
    Value value = made[i];
    if (keep_fresh && value.is_tensor() && is_fresh_by_schema(*node, i) &&
        existed_before(value, first)) {
      value = graph.create("aten.clone", {Argument(value)})->output();
    }
    if (old.is_tensor() && strides_matter(old)) value = laid_out_as(value, old.tensor());
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): cleared below.
    const std::string name = old.name();
    graph.replace_uses(old, value);
    graph.set_name(old, "");
    if (value.producer() != nullptr && value.name().empty()) graph.set_name(value, name);
  }
  Node* after = node->next();
  first = before == nullptr ? graph.first() : before->next();
  const bool none = first == node;
  share_stream(*node, first);
  graph.erase(node);
  return none ? after : first;
}

}  // namespace litz::passes
