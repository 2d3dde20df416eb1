// Dependences besides operands. See dependences.h.

#include "ir/dependences.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/alias_classes.h"
#include "ir/child_graphs.h"
#include "ir/effects.h"
#include "ir/inferred_types.h"

namespace litz::ir {
namespace {

using Pairs = std::vector<std::pair<Node*, Node*>>;

bool is_exclusive(const MemoryEffect& effect) {
  return effect.kind != EffectKind::read && effect.kind != EffectKind::allocate;
}

class EffectOrder {
 public:
  EffectOrder(const Graph& graph, Pairs& pairs) : pairs_(pairs), aliases_(graph) {
    // Readers of memory need tracking only if some node writes it.
    for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
      for (const MemoryEffect& effect : walk_.effects(*node, aliases_)) {
        if (is_exclusive(effect)) touched_.insert(key(effect));
      }
    }
    if (touched_.empty()) return;
    for (Node* node = graph.first(); node != nullptr; node = node->next()) add(node);
  }

 private:
  using Key = std::pair<Resource, uint32_t>;

  /// The last accesses of a resource.
  struct Record {
    Node* writer = nullptr;
    std::vector<Node*> readers;  ///< Since that write.
    std::vector<Node*> views;    ///< Views refer to the memory, which must exist for them.
  };

  // A view has the same elements at any position; its readers are ordered themselves.
  static bool is_view_of(const Node& node, const MemoryEffect& effect) {
    return has(node.op().traits, Trait::view) && effect.kind == EffectKind::read &&
           effect.resource == Resource::value;
  }

  static Key key(const MemoryEffect& effect) { return {effect.resource, effect.alias_class}; }

  void add(Node* node) {
    bool ordered = false;
    bool everything = false;
    for (const MemoryEffect& effect : walk_.effects(*node, aliases_)) {
      if (effect.kind == EffectKind::allocate || !touched_.contains(key(effect))) continue;
      if (is_view_of(*node, effect)) {
        records_[key(effect)].views.push_back(node);
        continue;
      }
      ordered = true;
      if (effect.resource == Resource::unknown) {
        everything = true;
        continue;
      }
      Record& record = records_[key(effect)];
      after(record.writer, node);
      if (is_exclusive(effect)) {
        for (Node* reader : record.readers) after(reader, node);
        record.readers.clear();
        record.writer = node;
        if (effect.kind == EffectKind::free) {
          for (Node* view : record.views) after(view, node);
          record.views.clear();
        }
      } else {
        record.readers.push_back(node);
      }
    }
    if (!ordered) return;
    after(fence_, node);
    if (everything) {
      for (Node* earlier : since_fence_) after(earlier, node);
      since_fence_.clear();
      records_.clear();
      fence_ = node;
    } else if (touched_.contains({Resource::unknown, AliasClasses::kNone})) {
      since_fence_.push_back(node);
    }
  }

  void after(Node* first, Node* second) {
    if (first != nullptr && first != second) pairs_.emplace_back(first, second);
  }

  Pairs& pairs_;
  AliasClasses aliases_;
  EffectWalk walk_;
  std::set<Key> touched_;
  std::map<Key, Record> records_;
  Node* fence_ = nullptr;  ///< The last node with unknown effects.
  std::vector<Node*> since_fence_;
};

class SymbolOrder {
 public:
  SymbolOrder(const Graph& graph, Pairs& pairs) {
    for (Node* node = graph.first(); node != nullptr; node = node->next()) {
      if (!definers_.empty()) {
        std::set<SymbolId> symbols;
        add_mentioned(*node, symbols);
        for (const SymbolId symbol : symbols) {
          const auto definer = definers_.find(symbol);
          if (definer != definers_.end()) pairs.emplace_back(definer->second, node);
        }
      }
      for (const Expr& symbol : defined_symbols(*node)) {
        if (depends_on_data(symbol)) definers_.try_emplace(symbol.symbol(), node);
      }
    }
  }

 private:
  static void add(const Expr& expr, std::set<SymbolId>& symbols) {
    if (expr.is_constant()) return;
    for (const SymbolId symbol : free_symbols(expr)) symbols.insert(symbol);
  }

  void add_mentioned(const Node& node, std::set<SymbolId>& symbols) {
    for (const Argument& argument : node.arguments()) {
      if (!argument.is_attribute()) continue;
      if (const auto* scalar = std::get_if<Expr>(&argument.attribute())) add(*scalar, symbols);
      if (const auto* list = std::get_if<Scalars>(&argument.attribute())) {
        for (const Expr& expr : *list) add(expr, symbols);
      }
    }
    if (!has(node.op().traits, Trait::higher_order)) return;
    for (const Graph* child : child_graphs(node)) {
      const std::set<SymbolId>& inside = mentioned(*child);
      symbols.insert(inside.begin(), inside.end());
    }
  }

  const std::set<SymbolId>& mentioned(const Graph& graph) {
    const auto [known, fresh] = inside_.try_emplace(graph.id());
    if (!fresh) return known->second;
    std::set<SymbolId> symbols;
    for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
      add_mentioned(*node, symbols);
    }
    return inside_[graph.id()] = std::move(symbols);
  }

  std::map<SymbolId, Node*> definers_;
  std::map<uint32_t, std::set<SymbolId>> inside_;  ///< By child graph.
};

}  // namespace

std::vector<std::pair<Node*, Node*>> hidden_dependences(const Graph& graph) {
  Pairs pairs(graph.order_edges().begin(), graph.order_edges().end());
  const EffectOrder effects(graph, pairs);
  const SymbolOrder symbols(graph, pairs);
  std::ranges::stable_sort(pairs, [](const auto& a, const auto& b) {
    return a.second != b.second && a.second->is_before(*b.second);
  });
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

}  // namespace litz::ir
