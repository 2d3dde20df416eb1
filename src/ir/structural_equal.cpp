// Structural equality and hashing. See structural_equal.h.

#include "ir/structural_equal.h"

#include <map>
#include <unordered_map>

#include "ir/graph_data.h"
#include "ir/printer.h"
#include "support/hash.h"

namespace litz::ir {
namespace {

const SymbolInfo& info(const Expr& symbol) { return symbol.pool()->symbol(symbol.symbol()); }

class Comparison {
 public:
  Comparison(const Module& left, const Module& right, const EqualOptions& options)
      : left_(left), right_(right), options_(options) {}

  std::string graphs(const Graph& a, const Graph& b) {
    const std::pair key{a.id(), b.id()};
    if (!compared_.emplace(key, true).second) return "";
    if (a.input_count() != b.input_count()) {
      return "graphs @" + a.name() + " and @" + b.name() + " take different numbers of arguments";
    }
    for (size_t i = 0; i < a.input_count(); ++i) {
      if (!same(a.input(i).type(), b.input(i).type())) {
        return "argument " + std::to_string(i) + " of @" + a.name() + " is " +
               to_string(a.input(i).type()) + ", of @" + b.name() + " " +
               to_string(b.input(i).type());
      }
      values_[a.input(i).data()] = b.input(i).data();
    }
    const Node* left = a.first();
    const Node* right = b.first();
    for (; left != nullptr && right != nullptr; left = left->next(), right = right->next()) {
      const std::string difference = nodes(*left, *right);
      if (!difference.empty()) return difference;
    }
    if (left != nullptr) return "only @" + a.name() + " has " + to_string(*left);
    if (right != nullptr) return "only @" + b.name() + " has " + to_string(*right);
    return same(a.outputs(), b.outputs()) ? order_edges(a, b)
                                          : pair(*a.return_node(), *b.return_node());
  }

 private:
  static std::string pair(const Node& a, const Node& b) {
    return "these differ:\n  " + to_string(a) + "\n  " + to_string(b);
  }

  std::string nodes(const Node& a, const Node& b) {
    bool equal = a.op().name() == b.op().name() && a.output_count() == b.output_count() &&
                 same(a.arguments(), b.arguments());
    for (size_t i = 0; equal && i < a.output_count(); ++i) {
      equal = !options_.types || same(a.output(i).type(), b.output(i).type());
      values_[a.output(i).data()] = b.output(i).data();
    }
    if (options_.annotations) equal = equal && a.annotations() == b.annotations();
    order_[&a] = &b;
    if (!equal && !child_difference_.empty()) return child_difference_;
    return equal ? "" : pair(a, b);
  }

  std::string order_edges(const Graph& a, const Graph& b) {
    bool equal = a.order_edges().size() == b.order_edges().size();
    for (size_t i = 0; equal && i < a.order_edges().size(); ++i) {
      const auto& [first, second] = a.order_edges()[i];
      bool found = false;
      for (const auto& other : b.order_edges()) {
        found = found || (order_[first] == other.first && order_[second] == other.second);
      }
      equal = found;
    }
    return equal ? "" : "graphs @" + a.name() + " and @" + b.name() + " have other ordering edges";
  }

  bool same(std::span<const Argument> a, std::span<const Argument> b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!same(a[i], b[i])) return false;
    }
    return true;
  }

  bool same(const Argument& a, const Argument& b) {
    if (a.is_value() != b.is_value() || a.is_value_list() != b.is_value_list()) return false;
    if (a.is_attribute()) return same(a.attribute(), b.attribute());
    if (a.values().size() != b.values().size()) return false;
    for (size_t i = 0; i < a.values().size(); ++i) {
      const Value left = a.values()[i];
      const Value right = b.values()[i];
      if (!left || !right) {
        if (left || right) return false;
        continue;
      }
      const auto found = values_.find(left.data());
      if (found == values_.end() || found->second != right.data()) return false;
    }
    return true;
  }

  bool same(const Attribute& a, const Attribute& b) {
    if (a.index() != b.index()) return false;
    if (const auto* left = std::get_if<Expr>(&a)) return same(*left, std::get<Expr>(b));
    if (const auto* left = std::get_if<Scalars>(&a)) return same(*left, std::get<Scalars>(b));
    if (const auto* left = std::get_if<GraphRef>(&a)) {
      child_difference_ = graphs(left_.graph(*left), right_.graph(std::get<GraphRef>(b)));
      return child_difference_.empty();
    }
    return is_identical(a, b);
  }

  bool same(const Scalars& a, const Scalars& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!same(a[i], b[i])) return false;
    }
    return true;
  }

  bool same(const Expr& a, const Expr& b) {
    if (a.is_constant() || b.is_constant()) return a == b;
    if (a.kind() != b.kind()) return false;
    if (a.is_symbol()) return same_symbol(a, b);
    if (a.operands().size() != b.operands().size()) return false;
    for (size_t i = 0; i < a.operands().size(); ++i) {
      if (!same(a.operands()[i], b.operands()[i])) return false;
    }
    return true;
  }

  bool same_symbol(const Expr& a, const Expr& b) {
    if (info(a).kind != info(b).kind) return false;
    if (!comes_from_data(info(a).kind)) return info(a).name == info(b).name;
    const auto forward = symbols_.emplace(a.symbol(), b.symbol()).first;
    const auto backward = symbols_back_.emplace(b.symbol(), a.symbol()).first;
    return forward->second == b.symbol() && backward->second == a.symbol();
  }

  bool same(const ValueType& a, const ValueType& b) {
    if (a.index() != b.index()) return false;
    if (const auto* left = std::get_if<ScalarType>(&a)) {
      const auto& right = std::get<ScalarType>(b);
      return left->domain == right.domain && same(left->value, right.value);
    }
    const auto* left = std::get_if<TensorType>(&a);
    if (left == nullptr) return true;
    const auto& right = std::get<TensorType>(b);
    return left->dtype == right.dtype && left->device == right.device &&
           same(left->sizes, right.sizes) && same(left->strides, right.strides) &&
           same(left->offset, right.offset);
  }

  const Module& left_;
  const Module& right_;
  const EqualOptions& options_;
  std::map<std::pair<uint32_t, uint32_t>, bool> compared_;
  std::unordered_map<const ValueData*, const ValueData*> values_;
  std::unordered_map<const Node*, const Node*> order_;
  std::map<SymbolId, SymbolId> symbols_;
  std::map<SymbolId, SymbolId> symbols_back_;
  std::string child_difference_;
};

class GraphHash {
 public:
  uint64_t graph(const Graph& graph) {
    const auto known = hashes_.find(graph.id());
    if (known != hashes_.end()) return known->second;
    Hasher hasher;
    size_t next = 0;
    for (const Value input : graph.inputs()) {
      numbers_[input.data()] = next++;
      type(hasher, input.type());
    }
    for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
      hasher.add(node->op().name());
      for (const Argument& given : node->arguments()) argument(hasher, graph, given);
      for (const Value output : node->outputs()) {
        numbers_[output.data()] = next++;
        type(hasher, output.type());
      }
      for (const auto& [key, value] : node->annotations()) hasher.add(key).add(value);
    }
    for (const Argument& output : graph.outputs()) argument(hasher, graph, output);
    return hashes_[graph.id()] = hasher.value();
  }

 private:
  void argument(Hasher& hasher, const Graph& graph, const Argument& given) {
    hasher.add(given.is_value() ? 1 : given.is_value_list() ? 2 : 3);
    hasher.add(given.values().size());
    for (const Value value : given.values()) {
      hasher.add(value ? numbers_[value.data()] + 1 : size_t{0});
    }
    if (!given.is_attribute()) return;
    const Attribute& attribute = given.attribute();
    hasher.add(attribute.index());
    if (const auto* child = std::get_if<GraphRef>(&attribute)) {
      hasher.add(this->graph(graph.module().graph(*child)));
    } else if (const auto* value = std::get_if<Expr>(&attribute)) {
      expression(hasher, *value);
    } else if (const auto* values = std::get_if<Scalars>(&attribute)) {
      expressions(hasher, *values);
    } else {
      hasher.add(to_string(attribute));
    }
  }

  void type(Hasher& hasher, const ValueType& type) {
    hasher.add(type.index());
    if (const auto* scalar = std::get_if<ScalarType>(&type)) {
      hasher.add(static_cast<int>(scalar->domain));
      expression(hasher, scalar->value);
    }
    if (const auto* tensor = std::get_if<TensorType>(&type)) {
      hasher.add(name(tensor->dtype)).add(litz::to_string(tensor->device));
      expressions(hasher, tensor->sizes);
      expressions(hasher, tensor->strides);
      expression(hasher, tensor->offset);
    }
  }

  void expressions(Hasher& hasher, const Scalars& values) {
    hasher.add(values.size());
    for (const Expr& value : values) expression(hasher, value);
  }

  void expression(Hasher& hasher, const Expr& value) {
    if (value.is_constant()) {
      hasher.add(scalar_text(value));
      return;
    }
    hasher.add(static_cast<int>(value.kind()));
    if (value.is_symbol()) {
      const SymbolInfo& symbol = info(value);
      hasher.add(static_cast<int>(symbol.kind));
      if (!comes_from_data(symbol.kind)) hasher.add(symbol.name);
      return;
    }
    for (const Expr& operand : value.operands()) expression(hasher, operand);
  }

  std::unordered_map<const ValueData*, size_t> numbers_;
  std::unordered_map<uint32_t, uint64_t> hashes_;
};

}  // namespace

std::string structural_difference(const Graph& a, const Graph& b, const EqualOptions& options) {
  return Comparison(a.module(), b.module(), options).graphs(a, b);
}

uint64_t structural_hash(const Graph& graph) { return GraphHash().graph(graph); }

}  // namespace litz::ir
