#include "ops/random_streams.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "ir/child_graphs.h"
#include "ir/printed_symbols.h"
#include "support/philox.h"

namespace litz::ops {
namespace {

using ir::Graph;
using ir::Node;

bool needs_stream(const Node& node) { return draws(node) && ir::stream_of(node) == 0; }

// Tells whether a call sets an argument to false, by PyTorch's names for such arguments.
bool is_known_false(const Node& node, std::string_view name) {
  const int i = node.op().schema.find(name);
  if (i < 0) return false;
  const ir::Argument& argument = node.arguments()[static_cast<size_t>(i)];
  const auto* flag = argument.is_attribute() ? std::get_if<Expr>(&argument.attribute()) : nullptr;
  if (flag == nullptr || !flag->is_constant()) return false;
  switch (flag->domain()) {
    case ExprDomain::boolean:
      return !flag->boolean_constant();
    case ExprDomain::integer:
      return flag->constant() == 0;
    case ExprDomain::real:
      return flag->real_constant() == 0;
  }
  return false;
}

/// Copies graphs that several calls share and that draw random numbers without streams.
class Separation {
 public:
  void separate(Graph& graph) {
    if (!visited_.insert(graph.id()).second) return;
    for (Node* node : graph.in_order()) {
      for (const ir::SchemaArgument& parameter : node->op().schema.arguments) {
        const ir::Argument& argument = node->argument(parameter.name);
        if (!argument.is_attribute()) continue;
        const auto* ref = std::get_if<ir::GraphRef>(&argument.attribute());
        if (ref == nullptr) continue;
        Graph* child = &graph.module().graph(*ref);
        if (needs_streams(*child) && is_copyable(*child)) {
          child = &ir::exclusive_child(*node, parameter.name);
        }
        separate(*child);
      }
    }
  }

 private:
  bool needs_streams(const Graph& graph) {
    const auto [known, is_new] = needs_.try_emplace(graph.id(), false);
    if (!is_new) return known->second;
    bool needs = false;
    for (const Node* node = graph.first(); node != nullptr && !needs; node = node->next()) {
      needs = needs_stream(*node) ||
              std::ranges::any_of(ir::child_graphs(*node),
                                  [&](const Graph* child) { return needs_streams(*child); });
    }
    return needs_[graph.id()] = needs;
  }

  // A copy would define its data-dependent symbols again.
  static bool is_copyable(const Graph& graph) {
    return std::ranges::none_of(ir::symbols_in(graph), [&](SymbolId symbol) {
      return comes_from_data(graph.module().exprs().symbol(symbol).kind);
    });
  }

  std::set<uint32_t> visited_;
  std::map<uint32_t, bool> needs_;
};

int64_t highest_number(const ir::Module& module) {
  int64_t highest = 0;
  for (const Graph* graph : module.graphs()) {
    for (const Node* node = graph->first(); node != nullptr; node = node->next()) {
      highest = std::max(highest, ir::stream_of(*node) & UINT32_MAX);
    }
  }
  return highest;
}

}  // namespace

Expr seed_symbol(ir::Module& module) {
  if (const std::optional<Expr> found = module.exprs().find_symbol(kSeedSymbol)) return *found;
  return module.exprs().add_symbol({.name = std::string(kSeedSymbol),
                                    .kind = SymbolKind::size,
                                    .range = {0, INT64_MAX >> 1},
                                    .hint = {}});
}

bool draws(const Node& node) {
  if (!ir::has(node.op().traits, ir::Trait::random)) return false;
  constexpr std::array<std::string_view, 4> kSwitches{"train", "training", "dropout_p", "dropout"};
  return std::ranges::none_of(kSwitches,
                              [&](std::string_view name) { return is_known_false(node, name); });
}

bool draws(const ir::Module& module) {
  return std::ranges::any_of(module.graphs(), [](const Graph* graph) {
    for (const Node* node = graph->first(); node != nullptr; node = node->next()) {
      if (draws(*node)) return true;
    }
    return false;
  });
}

bool assign_streams(ir::Module& module) {
  const auto has_work = [](const Graph* graph) {
    for (const Node* node = graph->first(); node != nullptr; node = node->next()) {
      if (needs_stream(*node)) return true;
    }
    return false;
  };
  if (std::ranges::none_of(module.graphs(), has_work)) return false;
  Separation separation;
  for (Graph* graph : module.graphs()) {
    if (ir::callers(*graph).empty()) separation.separate(*graph);
  }
  int64_t last = highest_number(module);
  for (Graph* graph : module.graphs()) {
    for (Node* node = graph->first(); node != nullptr; node = node->next()) {
      if (needs_stream(*node)) ir::set_stream(node, ++last);
    }
  }
  return true;
}

int64_t stream_of(const Call& call) {
  const auto* context = dynamic_cast<const StreamContext*>(call.context());
  return context == nullptr ? 0 : context->stream();
}

}  // namespace litz::ops
