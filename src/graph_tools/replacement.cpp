// Replaces several nodes by several others. See replacement.h.

#include "graph_tools/replacement.h"

#include <algorithm>

#include "ir/topological_sort.h"
#include "support/check.h"

namespace litz::ir {
namespace {

bool permits(TypeChange set, TypeChange field) {
  return (static_cast<uint8_t>(set) & static_cast<uint8_t>(field)) != 0;
}

bool same_sizes(const Sizes& a, const Sizes& b) {
  return std::ranges::equal(a, b, [](const Expr& x, const Expr& y) { return known_equal(x, y); });
}

bool same_layout(const TensorType& a, const TensorType& b) {
  if (a.rank() != b.rank() || !known_equal(a.offset, b.offset)) return false;
  for (size_t i = 0; i < a.rank(); ++i) {
    if (a.sizes[i].is(0) || a.sizes[i].is(1)) continue;
    if (!known_equal(a.strides[i], b.strides[i])) return false;
  }
  return true;
}

bool in_order(const Node* a, const Node* b) { return a->is_before(*b); }

std::vector<Node*> in_graph_order(std::span<Node* const> nodes) {
  std::vector<Node*> sorted(nodes.begin(), nodes.end());
  std::ranges::sort(sorted, in_order);
  return sorted;
}

Node* behind(Graph& graph, const std::vector<Node*>& nodes) {
  check(!nodes.empty(), "a replacement replaces something in graph", graph.name());
  Node* next = nodes.back()->next();
  return next != nullptr ? next : graph.return_node();
}

}  // namespace

std::string forbidden_change(const ValueType& from, const ValueType& to, TypeChange may_change) {
  if (from == to || may_change == TypeChange::any) return "";
  const auto* a = std::get_if<TensorType>(&from);
  const auto* b = std::get_if<TensorType>(&to);
  if (a == nullptr || b == nullptr) return from.index() == to.index() ? "value" : "kind";
  if (a->dtype != b->dtype && !permits(may_change, TypeChange::dtype)) return "dtype";
  if (a->device != b->device && !permits(may_change, TypeChange::device)) return "device";
  const bool sizes = same_sizes(a->sizes, b->sizes);
  if (!sizes && !permits(may_change, TypeChange::sizes)) return "sizes";
  // Other sizes imply other strides.
  if (sizes && !same_layout(*a, *b) && !permits(may_change, TypeChange::layout)) return "layout";
  return "";
}

Replacement::Replacement(Graph& graph, std::span<Node* const> sources)
    : graph_(graph),
      sources_(in_graph_order(sources)),
      scope_(graph.insert_for(behind(graph, sources_), sources_)) {
  check(std::ranges::adjacent_find(sources_) == sources_.end(),
        "a replaced node must be named once in graph", graph.name());
}

bool Replacement::is_source(const Node* node) const {
  return node != nullptr && std::ranges::binary_search(sources_, node, in_order);
}

std::vector<Value> Replacement::replaced() const {
  std::vector<Value> values;
  for (const Node* source : sources_) {
    for (size_t i = 0; i < source->output_count(); ++i) values.push_back(source->output(i));
  }
  return values;
}

void Replacement::check_results(std::span<const Value> results, TypeChange may_change) const {
  const std::vector<Value> old = replaced();
  check(results.size() == old.size(),
        "a replacement gives a value for every result:", results.size(), "for", old.size());
  for (size_t i = 0; i < old.size(); ++i) {
    const Node* source = old[i].producer();
    if (!results[i]) {
      for (const Node* user : old[i].users()) {
        check(is_source(user), "a result that is read must be replaced:", source->op().name());
      }
      continue;
    }
    check(!is_source(results[i].producer()),
          "a replacement must not itself be replaced:", source->op().name());
    const std::string field = forbidden_change(old[i].type(), results[i].type(), may_change);
    check(field.empty(), "a replacement must keep the type, or permit the change of", field, "-",
          source->op().name(), "gave", to_string(old[i].type()), "not",
          to_string(results[i].type()));
  }
}

void Replacement::commit(std::span<const Value> results, TypeChange may_change) {
  check_results(results, may_change);
  const std::vector<Value> old = replaced();
  bool sorted = true;
  for (size_t i = 0; i < old.size(); ++i) {
    if (!results[i]) continue;
    Node* maker = results[i].producer();
    for (const Node* user : old[i].users()) {
      if (maker == nullptr || is_source(user) || maker->is_before(*user)) continue;
      // Later readers of the sources are behind the new nodes, so this is a new node.
      check(user->is_before(*sources_.back()),
            "a new node must not read what it replaces:", user->op().name());
      sorted = false;
    }
  }
  for (size_t i = 0; i < old.size(); ++i) {
    if (results[i]) graph_.replace_uses(old[i], results[i]);
  }
  for (size_t i = 0; i < old.size(); ++i) {
    const std::string name = old[i].name();
    if (!results[i] || name.empty() || !results[i].name().empty()) continue;
    graph_.set_name(old[i], "");
    graph_.set_name(results[i], name);
  }
  for (auto source = sources_.rbegin(); source != sources_.rend(); ++source) graph_.erase(*source);
  sources_.clear();
  // Readers of an early source may lie between the sources, so before the new nodes.
  if (!sorted) sort_topologically(graph_);
}

}  // namespace litz::ir
