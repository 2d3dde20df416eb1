// Computes alias classes: one pass links views to their operands, and a union-find joins classes if
// one result may share memory with several operands. See alias_classes.h.

#include "ir/alias_classes.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "ir/child_graphs.h"
#include "support/check.h"

namespace litz::ir {
namespace {

constexpr uint32_t kNone = AliasClasses::kNone;

// The memory of a child graph's results: by result, the graph arguments that it may alias, and the
// first result that it aliases (itself if there is none before).
struct ChildSummary {
  std::vector<std::vector<size_t>> arguments;
  std::vector<size_t> same_as;
};

using ChildSummaries = std::unordered_map<uint32_t, ChildSummary>;

}  // namespace

class AliasAnalysis {
 public:
  AliasAnalysis(AliasClasses& out, const ChildSummaries& children)
      : out_(out), children_(children), graph_(out.graph()) {}

  void run(AliasClasses::SharedInputs shared) {
    for (const Value input : graph_.inputs()) add(input);
    for (const std::vector<size_t>& group : shared) {
      for (const size_t input : group) {
        check(input < graph_.input_count(), "shared arguments must exist:", input);
        join(static_cast<uint32_t>(group.front()), static_cast<uint32_t>(input));
      }
    }
    for (const Node* node = graph_.first(); node != nullptr; node = node->next()) visit(*node);
    number_classes();
    collect_members();
  }

  ChildSummary summary() const {
    ChildSummary summary;
    std::unordered_map<uint32_t, size_t> first_of;
    std::unordered_map<uint32_t, std::vector<size_t>> inputs_of;
    for (size_t i = 0; i < graph_.input_count(); ++i) {
      const uint32_t alias_class = out_.entries_[i].alias_class;
      if (alias_class != kNone) inputs_of[alias_class].push_back(i);
    }
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      summary.arguments.emplace_back();
      summary.same_as.push_back(i);
      const Argument& output = graph_.outputs()[i];
      if (!output.is_value() || !output.value().is_tensor()) continue;
      const uint32_t alias_class = out_.class_of(output.value());
      summary.same_as.back() = first_of.try_emplace(alias_class, i).first->second;
      const auto found = inputs_of.find(alias_class);
      if (found != inputs_of.end()) summary.arguments.back() = found->second;
    }
    return summary;
  }

 private:
  void add(Value value) {
    const auto index = static_cast<uint32_t>(out_.entries_.size());
    out_.entries_.push_back({value, kNone, index, kNone});
    parents_.push_back(index);
  }

  void visit(const Node& node) {
    if (node.id() >= out_.first_result_.size()) out_.first_result_.resize(node.id() + 1, kNone);
    out_.first_result_[node.id()] = static_cast<uint32_t>(out_.entries_.size());
    for (size_t i = 0; i < node.output_count(); ++i) add(node.output(i));
    const OpInfo& op = node.op();
    if (has(op.traits, Trait::higher_order)) return visit_calls(node);
    for (size_t i = 0; i < node.output_count(); ++i) {
      if (!node.output(i).is_tensor()) continue;
      if (has(op.traits, Trait::opaque)) link_to_all(node, i);
      link_result(node, i);
    }
  }

  void link_to_all(const Node& node, size_t result) {
    for (size_t k = 0; k < node.input_count(); ++k) {
      if (same_device(node.output(result), node.input(k))) link(node.output(result), node.input(k));
    }
  }

  void link_result(const Node& node, size_t result) {
    const Schema& schema = node.op().schema;
    // A list of tensors counts as one return.
    const size_t slot = std::min(result, schema.returns.size() - 1);
    const char letter = schema.returns.empty() ? char{0} : schema.returns[slot].alias;
    if (letter == 0) {
      if (!has(node.op().traits, Trait::view)) return;
      for (const Argument& argument : node.arguments()) {
        if (argument.is_value() && argument.value().is_tensor()) {
          return link(node.output(result), argument.value());
        }
      }
      return;
    }
    for (size_t i = 0; i < schema.arguments.size(); ++i) {
      if (schema.arguments[i].alias != letter) continue;
      const std::span<const Value> values = node.arguments()[i].values();
      const bool element_wise = node.arguments()[i].is_value_list() &&
                                schema.returns[slot].kind == ArgKind::tensor_list &&
                                values.size() == node.output_count() - slot;
      for (size_t k = 0; k < values.size(); ++k) {
        if (element_wise && k != result - slot) continue;
        if (!values[k] || !values[k].is_tensor()) continue;
        if (may_lie_in(node.output(result), values[k], node)) link(node.output(result), values[k]);
      }
    }
  }

  // An alias letter says that the result may be the argument: conversions return it if there is
  // nothing to convert. A result with another type was converted, unless the operator is a view. An
  // operator with a memory format copies a tensor of another layout.
  static bool may_lie_in(Value result, Value argument, const Node& node) {
    if (has(node.op().traits, Trait::view)) return true;
    const TensorType& to = result.tensor();
    const TensorType& from = argument.tensor();
    if (to.dtype != from.dtype || to.device != from.device) return false;
    return node.op().schema.find("memory_format") < 0 || !has_other_steps(to, from);
  }

  // True if strides provably differ; the strides of dimensions of size 1 do not matter.
  static bool has_other_steps(const TensorType& a, const TensorType& b) {
    for (size_t d = 0; d < std::min(a.rank(), b.rank()); ++d) {
      if (!a.sizes[d].is(1) && known_not_equal(a.strides[d], b.strides[d])) return true;
    }
    return false;
  }

  void visit_calls(const Node& node) {
    for (const Graph* child : child_graphs(node)) {
      const auto known = children_.find(child->id());
      // Only a graph that calls itself is unknown: any of its results may alias anything.
      const ChildSummary summary = known != children_.end() ? known->second : worst(node, *child);
      const std::vector<Value> operands = child_operands(node, *child);
      for (size_t i = 0; i < std::min(summary.arguments.size(), node.output_count()); ++i) {
        const Value result = node.output(i);
        if (!result.is_tensor()) continue;
        const Value twin = node.output(summary.same_as[i]);
        if (twin != result && twin.is_tensor()) join(index_of(twin), index_of(result));
        const std::vector<size_t>& shared = summary.arguments[i];
        if (shared.empty()) continue;
        for (size_t k = 0; k < operands.size(); ++k) {
          const bool may =
              operands.size() != child->input_count() || std::ranges::binary_search(shared, k);
          if (may && same_device(result, operands[k])) link(result, operands[k]);
        }
      }
    }
  }

  static bool same_device(Value a, Value b) {
    return b && b.is_tensor() && a.tensor().device == b.tensor().device;
  }

  static ChildSummary worst(const Node& node, const Graph& child) {
    ChildSummary summary;
    std::vector<size_t> all(child.input_count());
    std::iota(all.begin(), all.end(), size_t{0});
    summary.arguments.assign(node.output_count(), all);
    summary.same_as.assign(node.output_count(), 0);
    return summary;
  }

  // Records that `result` shares the memory of `of`. The first such value is the one that it views.
  void link(Value result, Value of) {
    const uint32_t viewer = index_of(result);
    const uint32_t viewed = index_of(of);
    AliasClasses::Entry& entry = out_.entries_[viewer];
    if (entry.viewed == kNone) {
      entry.viewed = viewed;
      entry.base = out_.entries_[viewed].base;
    }
    join(viewed, viewer);
  }

  uint32_t index_of(Value value) const {
    const Node* producer = value.producer();
    const size_t first = producer == nullptr ? 0 : out_.first_result_[producer->id()];
    return static_cast<uint32_t>(first + value.index());
  }

  uint32_t root(uint32_t index) {
    while (parents_[index] != index) {
      parents_[index] = parents_[parents_[index]];
      index = parents_[index];
    }
    return index;
  }

  // The earlier one stays the root, so classes are numbered by their first value.
  void join(uint32_t a, uint32_t b) {
    a = root(a);
    b = root(b);
    parents_[std::max(a, b)] = std::min(a, b);
  }

  void number_classes() {
    uint32_t count = 0;
    for (uint32_t i = 0; i < out_.entries_.size(); ++i) {
      AliasClasses::Entry& entry = out_.entries_[i];
      if (!entry.value.is_tensor()) {
        entry.base = kNone;
        continue;
      }
      const uint32_t first = root(i);
      entry.alias_class = first == i ? count++ : out_.entries_[first].alias_class;
    }
    out_.first_member_.assign(count + 1, 0);
  }

  // A stable counting sort by class.
  void collect_members() {
    std::vector<uint32_t>& first = out_.first_member_;
    for (const AliasClasses::Entry& entry : out_.entries_) {
      if (entry.alias_class != kNone) ++first[entry.alias_class + 1];
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
    out_.members_.resize(first.back());
    std::vector<uint32_t> next(first.begin(), first.end() - 1);
    for (const AliasClasses::Entry& entry : out_.entries_) {
      if (entry.alias_class != kNone) out_.members_[next[entry.alias_class]++] = entry.value;
    }
  }

  AliasClasses& out_;
  const ChildSummaries& children_;
  const Graph& graph_;
  std::vector<uint32_t> parents_;  // Union-find over entries.
};

AliasClasses::AliasClasses(const Graph& graph, Empty)
    : stamp_(graph, EpochStamp::Depends::structure_and_types) {}

AliasClasses::AliasClasses(const Graph& graph, SharedInputs shared) : AliasClasses(graph, Empty()) {
  ChildSummaries children;
  // Callees come before callers, so each graph is summarised once.
  for (const Graph* child : post_order(graph.module().graph({graph.id()}))) {
    if (child == &graph) continue;
    AliasClasses classes(*child, AliasClasses::Empty());
    AliasAnalysis analysis(classes, children);
    analysis.run({});
    children.emplace(child->id(), analysis.summary());
  }
  AliasAnalysis(*this, children).run(shared);
}

uint32_t AliasClasses::index_of(Value value) const {
  stamp_.check_current("alias classes");
  check(value && value.graph() == &graph(),
        "alias classes know the values of one graph:", graph().name());
  const Node* producer = value.producer();
  const size_t first = producer == nullptr ? 0 : first_result_[producer->id()];
  return static_cast<uint32_t>(first + value.index());
}

const AliasClasses::Entry& AliasClasses::entry(Value value) const {
  return entries_[index_of(value)];
}

uint32_t AliasClasses::class_of(Value value) const { return entry(value).alias_class; }

size_t AliasClasses::class_count() const {
  stamp_.check_current("alias classes");
  return first_member_.size() - 1;
}

std::span<const Value> AliasClasses::members(uint32_t alias_class) const {
  check(alias_class < class_count(), "an alias class must exist:", alias_class);
  return std::span(members_).subspan(first_member_[alias_class],
                                     first_member_[alias_class + 1] - first_member_[alias_class]);
}

bool AliasClasses::may_share(Value a, Value b) const {
  const uint32_t alias_class = class_of(a);
  return alias_class != kNone && alias_class == class_of(b);
}

Value AliasClasses::viewed(Value value) const {
  const uint32_t viewed = entry(value).viewed;
  return viewed == kNone ? Value() : entries_[viewed].value;
}

Value AliasClasses::base(Value value) const {
  const uint32_t base = entry(value).base;
  return base == kNone ? Value() : entries_[base].value;
}

std::vector<const Node*> AliasClasses::view_chain(Value value) const {
  std::vector<const Node*> chain;
  for (const Entry* at = &entry(value); at->viewed != kNone; at = &entries_[at->viewed]) {
    chain.push_back(at->value.producer());
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace litz::ir
