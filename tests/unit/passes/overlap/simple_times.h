// Short spellings for graphs with collectives, and round times.

#pragma once

#include <map>
#include <memory>
#include <string>

#include "ir/parser.h"
#include "ops/op_table.h"
#include "passes/overlap/prices.h"

namespace litz::passes {

inline std::unique_ptr<ir::Module> read(const std::string& text) {
  return ir::read_module(text, ops::standard_ops());
}

inline std::string short_name(const ir::Node& node) {
  const std::map<std::string, std::string> names{
      {"_c10d_functional.all_gather_into_tensor", "AG"},
      {"_c10d_functional.reduce_scatter_tensor", "RS"},
      {"_c10d_functional.reduce_scatter_tensor_coalesced", "RS"},
      {"_c10d_functional.all_reduce", "AR"},
      {"_c10d_functional.wait_tensor", "wait"}};
  const std::string op(node.op().name());
  const auto found = names.find(op);
  if (found != names.end()) return found->second;
  const std::string without = op.substr(op.find('.') + 1);
  return without.substr(0, without.find('.'));
}

/// "AR mm wait mm"
inline std::string order_of(const ir::Graph& graph) {
  std::string text;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    text += (text.empty() ? "" : " ") + short_name(*node);
  }
  return text;
}

/// "s0 m0 w0": names of first results.
inline std::string names_of(const ir::Graph& graph) {
  std::string text;
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    text += (text.empty() ? "" : " ") + std::string(node->output().name());
  }
  return text;
}

/// A product takes 10, a collective 8, another computation nothing; names in `special` otherwise.
inline PriceOptions simple_times(std::map<std::string, double> special = {}) {
  PriceOptions options;
  options.estimate = [special = std::move(special)](const ir::Node& node) -> std::optional<double> {
    const auto own = special.find(std::string(node.output().name()));
    if (own != special.end()) return own->second;
    const std::string name = short_name(node);
    if (name == "mm") return 10;
    return name == "AG" || name == "RS" || name == "AR" ? 8 : 0;
  };
  return options;
}

}  // namespace litz::passes
