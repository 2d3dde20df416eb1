// Prints symbol declarations of the text form. See printed_symbols.h.

#include "ir/printed_symbols.h"

#include <algorithm>
#include <array>

#include "ir/declared_ops.h"

namespace litz::ir {
namespace {

struct KindName {
  SymbolKind kind;
  std::string_view name;
  std::string_view prefix;  ///< Empty: the name does not imply the kind.
};

constexpr std::array kKinds{
    KindName{SymbolKind::size, "size", "s"},
    KindName{SymbolKind::data_dependent, "data_dependent", "u"},
    KindName{SymbolKind::index, "index", ""},
    KindName{SymbolKind::real_input, "real_input", "zf"},
    KindName{SymbolKind::real_data, "real_data", "zuf"},
    KindName{SymbolKind::boolean, "boolean", ""},
};

void collect(const Expr& value, std::vector<SymbolId>& out) {
  if (value.is_constant()) return;
  const std::vector<SymbolId> symbols = free_symbols(value);
  out.insert(out.end(), symbols.begin(), symbols.end());
}

void collect(const ValueType& type, std::vector<SymbolId>& out) {
  if (const auto* scalar = std::get_if<ScalarType>(&type)) collect(scalar->value, out);
  const auto* tensor = std::get_if<TensorType>(&type);
  if (tensor == nullptr) return;
  for (const Expr& size : tensor->sizes) collect(size, out);
  for (const Expr& stride : tensor->strides) collect(stride, out);
  collect(tensor->offset, out);
}

void collect(const Node& node, std::vector<SymbolId>& out) {
  for (const Argument& argument : node.arguments()) {
    if (!argument.is_attribute()) continue;
    if (const auto* value = std::get_if<Expr>(&argument.attribute())) collect(*value, out);
    if (const auto* values = std::get_if<Scalars>(&argument.attribute())) {
      for (const Expr& value : *values) collect(value, out);
    }
  }
  for (const Value output : node.outputs()) collect(output.type(), out);
}

void sort_unique(std::vector<SymbolId>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

std::string bound(int64_t value) {
  if (value == Interval::kMin) return "-inf";
  return value == Interval::kMax ? "inf" : std::to_string(value);
}

std::string declaration(const SymbolInfo& symbol) {
  std::string text = "sym " + symbol.name;
  if (implied_symbol_kind(symbol.name) != symbol.kind) {
    text.append(" ").append(symbol_kind_name(symbol.kind));
  }
  if (symbol.range != Interval{}) {
    text += " in [" + bound(symbol.range.lo) + ", " + bound(symbol.range.hi) + "]";
  }
  if (symbol.hint) text += " hint " + std::to_string(*symbol.hint);
  return text + "\n";
}

}  // namespace

std::string_view symbol_kind_name(SymbolKind kind) {
  return kKinds[static_cast<size_t>(kind)].name;
}

std::optional<SymbolKind> parse_symbol_kind(std::string_view text) {
  for (const KindName& entry : kKinds) {
    if (entry.name == text) return entry.kind;
  }
  return std::nullopt;
}

std::optional<SymbolKind> implied_symbol_kind(std::string_view name) {
  const size_t digits = name.find_first_of("0123456789");
  if (digits == std::string_view::npos ||
      name.find_first_not_of("0123456789", digits) != std::string_view::npos) {
    return std::nullopt;
  }
  for (const KindName& entry : kKinds) {
    if (!entry.prefix.empty() && entry.prefix == name.substr(0, digits)) return entry.kind;
  }
  return std::nullopt;
}

std::vector<SymbolId> symbols_in(const Graph& graph) {
  std::vector<SymbolId> ids;
  for (const Value input : graph.inputs()) collect(input.type(), ids);
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    collect(*node, ids);
    if (ids.size() > 4096) sort_unique(ids);  // Keeps memory bounded on large graphs.
  }
  collect(*graph.return_node(), ids);
  sort_unique(ids);
  return ids;
}

std::string module_header(const Module& module, std::span<const Graph* const> graphs) {
  std::vector<SymbolId> ids;
  for (const Graph* graph : graphs) {
    const std::vector<SymbolId> more = symbols_in(*graph);
    ids.insert(ids.end(), more.begin(), more.end());
  }
  sort_unique(ids);
  std::string text = operator_header(graphs);
  for (const SymbolId id : ids) text += declaration(module.exprs().symbol(id));
  return text;
}

}  // namespace litz::ir
