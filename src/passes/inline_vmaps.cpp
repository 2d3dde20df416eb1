// Restores the dimensions of tensors that vmap hid.
//
//   %r = functorch._add_batch_dim(%x, 0, 1)  : f32[5]        (of f32[4, 5])
//   %y = aten.add.Tensor(%r, %w)             : f32[5]   =>   %y = aten.add.Tensor(%x, %w) : f32[4, 5]
//   %z = functorch._remove_batch_dim(%y, 1, 4, 0) : f32[4, 5]
//
// Elementwise operators get hidden dimensions as leading ones. Runs of nodes that contain others
// become the body of a map over the product of the hidden dimensions.
//
// Requires:        levels that nest, as vmap makes them; no writes to tensors with hidden
//                  dimensions.
// Ensures:         no mark of vmap is left.
// Why it matters:  recorded types of hidden dimensions are types of slices, which cannot be run.
// Cost:            one visit per node; a few views per operand that has fewer dimensions than
//                  others.

#include <algorithm>
#include <map>
#include <set>

#include "ops/bodies.h"
#include "ops/op_table.h"
#include "passes/graph_passes.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::Value;

constexpr std::string_view kHide = "functorch._add_batch_dim";
constexpr std::string_view kShow = "functorch._remove_batch_dim";

// A tensor with its hidden dimensions in front, in the order of their levels.
struct Batched {
  Value whole;
  std::vector<int64_t> levels;
};

using Levels = std::set<int64_t>;

class VmapInliner {
 public:
  explicit VmapInliner(Graph& graph) : graph_(graph) {}

  Changed run();

 private:
  void hide(Node* node);
  void show(Node* node);
  bool make_elementwise(Node* node, const Levels& levels);
  Node* make_map(Node* first);

  Levels levels_of(const Node& node) const;
  const Batched* batched(Value value) const;
  Value aligned(Value value, const Levels& levels, size_t rank);
  Value expanded(Value value, const Levels& levels);
  Value permuted(Value value, const std::vector<int64_t>& order);
  Value viewed(Value value, Sizes sizes);
  std::vector<Node*> run_from(Node* first) const;
  void finish(Node* node, Value value);

  Graph& graph_;
  std::map<const ir::ValueData*, Batched> batched_;  // For lookup only.
  std::map<int64_t, Expr> sizes_;                    // By open level.
};

const Batched* VmapInliner::batched(Value value) const {
  const auto found = batched_.find(value.data());
  return found == batched_.end() ? nullptr : &found->second;
}

Levels VmapInliner::levels_of(const Node& node) const {
  Levels levels;
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (const Batched* found = batched(node.input(i))) {
      levels.insert(found->levels.begin(), found->levels.end());
    }
  }
  return levels;
}

Value VmapInliner::permuted(Value value, const std::vector<int64_t>& order) {
  if (std::ranges::is_sorted(order)) return value;
  return graph_.create("aten.permute", {value, ir::Scalars(order.begin(), order.end())})->output();
}

Value VmapInliner::viewed(Value value, Sizes sizes) {
  if (value.tensor().sizes == sizes) return value;
  return graph_.create("aten.reshape", {value, ir::Scalars(std::move(sizes))})->output();
}

// Readers were typed with the recorded layout.
void VmapInliner::finish(Node* node, Value value) {
  const TensorType& recorded = node->output().tensor();
  if (value.tensor().strides != recorded.strides) {
    value = graph_.create("litz.restride", {value, ir::Scalars(recorded.strides)})->output();
  }
  graph_.replace_uses(node->output(), value);
  graph_.erase(node);
}

void VmapInliner::hide(Node* node) {
  const ops::Call call(*node);
  const Value self = call.value("self");
  const Batched* outer = batched(self);
  Batched inner = outer != nullptr ? *outer : Batched{self, {}};
  const int64_t level = call.integer("level");
  require(inner.levels.empty() || inner.levels.back() < level, ErrorCode::unsupported,
          "levels of vmap must rise:", level);
  const auto hidden = static_cast<int64_t>(inner.levels.size());
  const size_t rank = self.tensor().rank();
  const int64_t dim = hidden + call.dim("batch_dim", rank);
  std::vector<int64_t> order;
  for (int64_t d = 0; d < hidden + static_cast<int64_t>(rank); ++d) {
    if (d == hidden) order.push_back(dim);
    if (d != dim) order.push_back(d);
  }
  if (dim == hidden + static_cast<int64_t>(rank)) order.push_back(dim);
  sizes_[level] = inner.whole.tensor().sizes[static_cast<size_t>(dim)];
  inner.whole = permuted(inner.whole, order);
  inner.levels.push_back(level);
  batched_[node->output().data()] = std::move(inner);
}

void VmapInliner::show(Node* node) {
  const ops::Call call(*node);
  const Value self = call.value("self");
  const int64_t level = call.integer("level");
  const Batched* found = batched(self);
  Batched result = found != nullptr ? *found : Batched{self, {}};
  const auto place = std::ranges::find(result.levels, level);
  const int64_t out = call.dim("out_dim", self.tensor().rank() + 1);
  if (place == result.levels.end()) {
    const int64_t dim = static_cast<int64_t>(result.levels.size()) + out;
    Sizes sizes = result.whole.tensor().sizes;
    sizes.insert(sizes.begin() + dim, call.expr("batch_size"));
    const Value lifted = graph_.create("aten.unsqueeze", {result.whole, Expr(dim)})->output();
    result.whole = graph_.create("aten.expand", {lifted, ir::Scalars(sizes)})->output();
  } else {
    const int64_t from = place - result.levels.begin();
    result.levels.erase(place);
    const int64_t to = static_cast<int64_t>(result.levels.size()) + out;
    std::vector<int64_t> order;
    for (int64_t d = 0; d < static_cast<int64_t>(result.whole.tensor().rank()); ++d) {
      if (d != from) order.push_back(d);
    }
    order.insert(order.begin() + to, from);
    result.whole = permuted(result.whole, order);
  }
  if (result.levels.empty()) {
    finish(node, result.whole);
  } else {
    batched_[node->output().data()] = std::move(result);
  }
}

// The value with one dimension per level, of size 1 if it lacks it, and 1s up to this rank.
Value VmapInliner::aligned(Value value, const Levels& levels, size_t rank) {
  const Batched* found = batched(value);
  if (found == nullptr) return value;
  Sizes sizes;
  size_t own = 0;
  for (const int64_t level : levels) {
    const bool has = own < found->levels.size() && found->levels[own] == level;
    sizes.push_back(has ? found->whole.tensor().sizes[own++] : Expr(1));
  }
  const Sizes& seen = value.tensor().sizes;
  sizes.insert(sizes.end(), rank - std::min(rank, seen.size()), Expr(1));
  const Sizes& whole = found->whole.tensor().sizes;
  sizes.insert(sizes.end(), whole.begin() + static_cast<ptrdiff_t>(own), whole.end());
  return viewed(found->whole, std::move(sizes));
}

// True if the node is elementwise; its recomputed result then replaces it.
bool VmapInliner::make_elementwise(Node* node, const Levels& levels) {
  if (!ir::has(node->op().traits, ir::Trait::pointwise) || node->output_count() != 1) return false;
  if (ir::has(node->op().traits, ir::Trait::random) || node->op().schema.mutates()) return false;
  const TensorType& recorded = node->output().tensor();
  const auto scope = graph_.insert_before(node);
  std::vector<Argument> arguments;
  for (const Argument& argument : node->arguments()) {
    if (argument.is_value_list()) return false;
    const bool is_tensor = argument.is_value() && argument.value().is_tensor();
    arguments.push_back(is_tensor ? Argument(aligned(argument.value(), levels, recorded.rank()))
                                  : argument);
  }
  Node* made = graph_.create(node->op(), std::move(arguments));
  const TensorType& type = made->output().tensor();
  // A rank of 0 is weaker in promotion than the rank with hidden dimensions.
  const bool fits = type.dtype == recorded.dtype;
  if (fits && type.rank() == recorded.rank() + levels.size()) {
    batched_[node->output().data()] = {made->output(), {levels.begin(), levels.end()}};
    return true;
  }
  if (fits && type.rank() == recorded.rank()) {
    // The operands only provided a dtype, as those of new_ones do.
    graph_.replace_uses(node->output(), made->output());
    graph_.erase(node);
    return true;
  }
  graph_.erase(made);
  return false;
}

Value VmapInliner::expanded(Value value, const Levels& levels) {
  const Value whole = aligned(value, levels, value.tensor().rank());
  Sizes sizes;
  for (const int64_t level : levels) sizes.push_back(sizes_.at(level));
  const Sizes& seen = value.tensor().sizes;
  sizes.insert(sizes.end(), seen.begin(), seen.end());
  return graph_.create("aten.expand", {whole, ir::Scalars(sizes)})->output();
}

// Nodes from this one on that read values with hidden dimensions, up to the next mark.
std::vector<Node*> VmapInliner::run_from(Node* first) const {
  std::vector<Node*> nodes;
  std::set<const ir::ValueData*> made;  // Looked up, never walked.
  for (Node* node = first; node != graph_.return_node() && !node->is(kHide) && !node->is(kShow);
       node = node->next()) {
    bool depends = !levels_of(*node).empty();
    for (size_t i = 0; i < node->input_count(); ++i) {
      depends = depends || made.contains(node->input(i).data());
    }
    if (!depends) continue;
    nodes.push_back(node);
    for (const Value output : node->outputs()) made.insert(output.data());
  }
  return nodes;
}

// Maps the nodes from `first` on over the dimensions hidden from them; returns the node after them.
Node* VmapInliner::make_map(Node* first) {
  const std::vector<Node*> nodes = run_from(first);
  const std::set<const Node*> inside(nodes.begin(), nodes.end());
  Levels levels;
  for (const Node* node : nodes) levels.merge(levels_of(*node));
  Expr count = 1;
  for (const int64_t level : levels) count = count * sizes_.at(level);

  Node* after = nodes.back()->next();
  const auto scope = graph_.insert_before(after);
  Graph& body = graph_.module().add_graph(graph_.name() + ".vmap");
  std::map<const ir::ValueData*, Value> inner;
  std::vector<Value> mapped;
  std::vector<Value> others;
  const auto each_operand = [&](const auto& visit) {
    for (Node* node : nodes) {
      require(!node->op().schema.mutates(), ErrorCode::unsupported,
              "writing to a tensor under vmap is not supported:", node->op().name());
      for (size_t i = 0; i < node->input_count(); ++i) {
        const Value operand = node->input(i);
        const bool is_inside = operand.producer() != nullptr && inside.contains(operand.producer());
        if (!is_inside && !inner.contains(operand.data())) visit(operand);
      }
    }
  };
  each_operand([&](Value operand) {
    if (batched(operand) == nullptr) return;
    Sizes sizes{count};
    const Sizes& seen = operand.tensor().sizes;
    sizes.insert(sizes.end(), seen.begin(), seen.end());
    mapped.push_back(viewed(expanded(operand, levels), std::move(sizes)));
    TensorType slice = contiguous_type(operand.tensor().dtype, seen, operand.tensor().device);
    slice.strides.assign(mapped.back().tensor().strides.begin() + 1,
                         mapped.back().tensor().strides.end());
    inner[operand.data()] = body.add_input(operand.name(), slice);
  });
  each_operand([&](Value operand) {
    others.push_back(operand);
    inner[operand.data()] = body.add_input(operand.name(), operand.type());
  });
  std::vector<Value> left;  // Values that are read outside the body.
  for (const Node* node : nodes) {
    Node* copy = body.clone(*node, [&](Value value) { return inner.at(value.data()); });
    for (size_t i = 0; i < node->output_count(); ++i) {
      inner[node->output(i).data()] = copy->output(i);
      const auto users = node->output(i).users();
      const bool leaves =
          std::ranges::any_of(users, [&](const Node* user) { return !inside.contains(user); });
      if (leaves) left.push_back(node->output(i));
    }
  }
  if (left.empty()) {
    graph_.module().erase_graph({body.id()});
    return after;
  }
  std::vector<Argument> outputs;
  for (const Value value : left) outputs.emplace_back(inner.at(value.data()));
  body.set_outputs(std::move(outputs));
  const Node* map = graph_.create("higher_order.map_impl",
                                  {ir::GraphRef{body.id()}, std::move(mapped), std::move(others)});
  for (size_t i = 0; i < left.size(); ++i) {
    Sizes sizes;
    for (const int64_t level : levels) sizes.push_back(sizes_.at(level));
    const Sizes& seen = left[i].tensor().sizes;
    sizes.insert(sizes.end(), seen.begin(), seen.end());
    batched_[left[i].data()] = {viewed(map->output(i), std::move(sizes)),
                                {levels.begin(), levels.end()}};
  }
  return after;
}

Changed VmapInliner::run() {
  std::vector<Node*> replaced;  // In order; erased once they have no readers.
  for (Node* node = graph_.first(); node != nullptr && node != graph_.return_node();) {
    Node* next = node->next();
    const bool hides = node->is(kHide);
    const bool shows = node->is(kShow);
    if (hides || shows) {
      const auto scope = graph_.insert_before(node);
      const bool ends = shows && node->output().has_uses();
      if (hides) hide(node);
      if (ends) show(node);
      if (!node->is_erased()) replaced.push_back(node);
    } else if (const Levels levels = levels_of(*node); !levels.empty()) {
      if (make_elementwise(node, levels)) {
        if (!node->is_erased()) replaced.push_back(node);
      } else {
        const std::vector<Node*> nodes = run_from(node);
        replaced.insert(replaced.end(), nodes.begin(), nodes.end());
        next = make_map(node);
      }
    }
    node = next == graph_.return_node() ? nullptr : next;
  }
  for (const Argument& output : graph_.outputs()) {
    require(!output.is_value() || batched(output.value()) == nullptr, ErrorCode::corrupt,
            "a hidden dimension must be shown before a graph ends");
  }
  for (size_t i = replaced.size(); i-- > 0;) graph_.erase(replaced[i]);
  return replaced.empty() && batched_.empty() ? Changed::no : Changed::yes;
}

}  // namespace

Changed inline_vmaps(Graph& graph, PassContext& /*context*/) { return VmapInliner(graph).run(); }

}  // namespace litz::passes
