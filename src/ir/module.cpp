// Modules: graphs by id and name, their shared symbols, and the operators that they may call.

#include "ir/graph_data.h"
#include "support/check.h"

namespace litz::ir {

Module::Module(std::shared_ptr<const OpSet> ops)
    : Module(std::move(ops), std::make_shared<ExprPool>()) {}

Module::Module(std::shared_ptr<const OpSet> ops, std::shared_ptr<ExprPool> exprs)
    : ops_(std::move(ops)), exprs_(std::move(exprs)) {
  check(ops_ != nullptr, "a module needs an operator set");
  check(exprs_ != nullptr, "a module needs a pool of expressions");
}

Module::~Module() = default;

Graph& Module::add_graph(std::string name) {
  for (char& c : name) {
    const bool legal = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '.';
    if (!legal) c = '_';
  }
  if (name.empty()) name = "graph";
  std::string unique = name;
  for (int i = 1; find_graph(unique) != nullptr; ++i) unique = name + "_" + std::to_string(i);
  const auto id = static_cast<uint32_t>(graphs_.size());
  graphs_.push_back(std::unique_ptr<Graph>(new Graph(*this, id, std::move(unique))));
  graphs_by_name_.emplace(graphs_.back()->name(), graphs_.back().get());
  return *graphs_.back();
}

Graph& Module::graph(GraphRef ref) const {
  check(contains(ref), "a graph reference must name a graph of the module:", ref.id);
  return *graphs_[ref.id];
}

Graph* Module::find_graph(std::string_view name) const {
  const auto found = graphs_by_name_.find(name);
  return found == graphs_by_name_.end() ? nullptr : found->second;
}

std::vector<Graph*> Module::graphs() const {
  std::vector<Graph*> graphs;
  for (const auto& graph : graphs_) {
    if (graph) graphs.push_back(graph.get());
  }
  return graphs;
}

void Module::erase_graph(GraphRef ref) {
  graphs_by_name_.erase(graph(ref).name());
  graphs_[ref.id].reset();
}

Expr Module::fresh_symbol(Interval range, ExprDomain domain) {
  const bool real = domain == ExprDomain::real;
  std::string name;
  do {
    name = (real ? "zuf" : "u") + std::to_string(next_symbol_++);
  } while (exprs_->find_symbol(name).has_value());
  return exprs_->add_symbol({.name = std::move(name),
                             .kind = real ? SymbolKind::real_data : SymbolKind::data_dependent,
                             .range = range,
                             .hint = std::nullopt});
}

}  // namespace litz::ir
