// Value names: legal, unique in their graph, and the same for two graphs built by the same calls.
//
// A taken candidate `add` continues as `add_1`, `add_2`; the trailing `_N` of a candidate starts
// its count. Names of erased values become free again, the counters stay.

#include <charconv>

#include "ir/graph_data.h"
#include "ir/names.h"
#include "support/check.h"

namespace litz::ir {

std::string legal_name(std::string_view hint) {
  std::string name;
  name.reserve(hint.size() + 1);
  for (const char c : hint) {
    const bool legal = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += legal ? c : '_';
  }
  if (name.empty()) return "value";
  if (name.front() >= '0' && name.front() <= '9') name.insert(name.begin(), '_');
  return name;
}

std::string default_name(const OpInfo& op) {
  std::string_view name = op.name();
  name.remove_prefix(name.find('.') + 1);
  name = name.substr(0, name.find('.'));
  while (name.starts_with('_')) name.remove_prefix(1);
  while (name.ends_with('_')) name.remove_suffix(1);
  return legal_name(name);
}

NumberedName split_number(std::string_view name) {
  const size_t bar = name.rfind('_');
  uint32_t number = 0;
  if (bar == std::string_view::npos || bar == 0 || bar + 1 == name.size()) return {name, 0};
  const char* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + bar + 1, end, number);
  // A number would not print as "x_01" again.
  if (parsed.ec != std::errc() || parsed.ptr != end || name[bar + 1] == '0') return {name, 0};
  return {name.substr(0, bar), number};
}

std::string Graph::unique_name(std::string_view hint) {
  std::string name = legal_name(hint);
  if (!names_.contains(name)) return name;
  const auto [base_view, start] = split_number(name);
  const std::string base(base_view);
  uint32_t& counter = name_counters_[base];
  const uint32_t old = counter;
  record([this, base, old] { name_counters_[base] = old; });
  if (counter < start) counter = start;
  do {
    name = base + "_" + std::to_string(++counter);
  } while (names_.contains(name));
  return name;
}

void Graph::take_name(const std::string& name) {
  if (!name.empty()) names_.insert(name);
}

void Graph::release_name(const std::string& name) {
  if (!name.empty()) names_.erase(name);
}

void Graph::set_name(Value value, std::string_view hint) {
  check(value && value.graph() == this, "a value must be edited through its own graph:", name_);
  ValueData* data = value.data();
  if (data->name == hint) return;
  const std::string old = data->name;
  release_name(old);
  data->name = hint.empty() ? std::string() : unique_name(hint);
  take_name(data->name);
  record([this, data, old] {
    release_name(data->name);
    data->name = old;
    take_name(old);
  });
  ++edit_count_;
}

}  // namespace litz::ir
