// The rows that all torch.fx forms share: names, targets and arguments in Python's spelling. See
// fx_printer.h.

#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// Python's str() is for people, its repr() can be read back. In str, values have a percent sign.
enum class Spelling : uint8_t { str, repr };

/// A placeholder, a child graph, a call, or a getitem.
struct FxRow {
  std::string opcode;
  std::string name;
  std::string target;
  std::string args;
  std::string kwargs;
  size_t users = 0;
  const Node* node = nullptr;  ///< Null for placeholders.
  Value value;  ///< Null for child graphs, and the tuple of a call with several results.

  bool is_call() const { return opcode == "call_function"; }

  bool is_item() const { return target == "operator.getitem"; }

  bool is_child() const { return opcode == "get_attr"; }
};

class FxRows {
 public:
  FxRows(const Graph& graph, Spelling spelling);

  const std::vector<FxRow>& rows() const { return rows_; }

  /// A Python tuple; all forms spell its nodes by their bare names.
  std::string outputs() const;

  const std::string& name(Value value) const { return names_.at(value.data()); }

  const std::string& child_name(GraphRef child) const { return children_.at(child.id); }

 private:
  void reserve(Value value);
  std::string fresh(const std::string& hint);
  std::string take_name(Value value, const std::string& hint);
  std::string reference(const std::string& name) const;
  void count_calls();
  void child_rows(const Node& node);
  void call(const Node& node);
  void arguments(const Node& node, FxRow& row) const;
  std::string text(const Argument& given) const;

  const Graph& graph_;
  Spelling spelling_;
  std::vector<FxRow> rows_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, size_t> numbers_;  ///< The last number tried, by hint.
  std::unordered_map<const ValueData*, std::string> names_;
  std::unordered_map<uint32_t, size_t> calls_;          ///< By child graph.
  std::unordered_map<uint32_t, std::string> children_;  ///< The names of child graphs.
};

/// The parts, each spelled by `text`, with the separator between them.
template <typename Parts, typename Text>
std::string joined(const Parts& parts, const char* separator, Text text) {
  std::string out;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) out += separator;
    first = false;
    out += text(part);
  }
  return out;
}

}  // namespace litz::ir
