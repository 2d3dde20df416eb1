// Operators that only a program knows: it calls them, so there is a signature, but nobody says how
// they are computed.
//
//   op opaque mylib.stamp(Tensor x, int at) -> Tensor
//
// Texts declare them in front of graphs. Where a user registered the operator, the registered one is
// meant and the declaration must agree with it.

#pragma once

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// An operator set and, besides, what was declared.
class DeclaredOps final : public OpSet {
 public:
  explicit DeclaredOps(std::shared_ptr<const OpSet> known);

  /// Adds an operator of origin `program`, and, if it writes operands, its functional form. Throws
  /// Error{invalid_argument} where the set knows another operator of the name, or Litz has one.
  const OpInfo& declare(Schema schema, Trait traits);

  const OpInfo* find(std::string_view name) const override;
  std::vector<std::string> suggestions(std::string_view name) const override;

  std::span<const OpInfo* const> all() const override { return sorted_; }

 private:
  OpInfo& add(OpInfo op);
  void sort();

  std::shared_ptr<const OpSet> known_;
  std::deque<OpInfo> declared_;  ///< Stable addresses.
  std::map<std::string_view, const OpInfo*> by_name_;
  std::vector<const OpInfo*> sorted_;
};

/// The signature of the operator that returns what this one writes: the results that are no operands,
/// then the new contents of every operand that is written. Named `litz.functional.<name>`.
Schema functional_schema(const Schema& schema);
/// The name without `litz.functional.`; empty for other names.
std::string_view name_of_written_form(std::string_view functional);

/// One line for every operator of the graphs that Litz does not have itself, by name.
std::string operator_header(std::span<const Graph* const> graphs);
/// Reads such a line without its first word. Throws Error{invalid_argument}.
const OpInfo& parse_declaration(std::string_view line, DeclaredOps& ops);

}  // namespace litz::ir
