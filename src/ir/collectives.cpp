// Order of collectives. See collectives.h.

#include "ir/collectives.h"

#include <unordered_map>

#include "ir/child_graphs.h"
#include "support/check.h"

namespace litz::ir {
namespace {

constexpr size_t kMaxStarts = 1'000'000;

std::string signature(const Node& node) {
  std::string text(node.op().name());
  for (const Argument& argument : node.arguments()) {
    text += "; ";
    if (argument.is_attribute()) text += to_string(argument.attribute());
    for (const Value value : argument.values()) {
      text += value ? to_string(value.type()) + " " : "none ";
    }
  }
  return text;
}

void append(CollectiveOrder& order, const CollectiveOrder& called) {
  for (const auto& [group, starts] : called) {
    std::vector<CollectiveStart>& all = order[group];
    require(all.size() + starts.size() <= kMaxStarts, ErrorCode::limit_exceeded,
            "calls of child graphs must not repeat so many collectives of group", group);
    for (const CollectiveStart& start : starts) all.push_back({0, start.signature});
  }
}

using Orders = std::unordered_map<uint32_t, CollectiveOrder>;

CollectiveOrder order_of(const Graph& graph, const Orders& children) {
  CollectiveOrder order;
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (has(node->op().traits, Trait::collective_start)) {
      order[collective_group(*node)].push_back({node->id(), signature(*node)});
    }
    if (!has(node->op().traits, Trait::higher_order)) continue;
    for (const Graph* child : child_graphs(*node)) {
      const auto found = children.find(child->id());
      if (found != children.end()) append(order, found->second);
    }
  }
  return order;
}

void add_with_children(const Graph& graph, Orders& orders) {
  for (const Graph* each : post_order(graph.module().graph({graph.id()}))) {
    if (!orders.contains(each->id())) orders.emplace(each->id(), order_of(*each, orders));
  }
}

std::string group_text(std::string_view group) {
  return group.empty() ? "of the default group" : "of group " + std::string(group);
}

std::string difference(const std::string& group, const std::vector<CollectiveStart>& entry,
                       const std::vector<CollectiveStart>& now) {
  std::unordered_map<uint32_t, size_t> position;
  for (size_t i = 0; i < entry.size(); ++i) {
    if (entry[i].node != 0) position.emplace(entry[i].node, i);
  }
  size_t last = 0;
  for (size_t i = 0; i < now.size(); ++i) {
    const auto known = position.find(now[i].node);
    if (known != position.end()) {
      if (known->second < last) {
        return "collectives " + group_text(group) + " must start in the order of entry: number " +
               std::to_string(i) + " was number " + std::to_string(known->second) + ", " +
               now[i].signature;
      }
      last = known->second;
    }
    if (i < entry.size() && entry[i].signature == now[i].signature) continue;
    return "collectives " + group_text(group) + " must be those of entry: number " +
           std::to_string(i) + " is " + now[i].signature +
           (i < entry.size() ? ", was " + entry[i].signature : ", which was not there");
  }
  if (now.size() == entry.size()) return "";
  return "collectives " + group_text(group) + " must be those of entry: number " +
         std::to_string(now.size()) + " is gone, " + entry[now.size()].signature;
}

}  // namespace

std::string collective_group(const Node& start) {
  const int i = start.op().schema.find("group_name");
  if (i < 0) return "";
  const Argument& given = start.arguments()[static_cast<size_t>(i)];
  const auto* name = given.is_attribute() ? std::get_if<std::string>(&given.attribute()) : nullptr;
  return name != nullptr ? *name : "";
}

CollectiveOrder collective_order(const Graph& graph) {
  Orders orders;
  add_with_children(graph, orders);
  return std::move(orders[graph.id()]);
}

std::map<uint32_t, CollectiveOrder> collective_orders(const Module& module) {
  Orders orders;
  for (const Graph* graph : module.graphs()) add_with_children(*graph, orders);
  std::map<uint32_t, CollectiveOrder> found;
  for (auto& [id, order] : orders) {
    if (!order.empty()) found.emplace(id, std::move(order));
  }
  return found;
}

std::string collective_order_difference(const CollectiveOrder& entry, const Graph& graph) {
  const CollectiveOrder now = collective_order(graph);
  const std::vector<CollectiveStart> none;
  for (const auto& [group, starts] : entry) {
    const auto found = now.find(group);
    const std::string text = difference(group, starts, found == now.end() ? none : found->second);
    if (!text.empty()) return text;
  }
  for (const auto& [group, starts] : now) {
    if (!entry.contains(group)) return difference(group, none, starts);
  }
  return "";
}

}  // namespace litz::ir
