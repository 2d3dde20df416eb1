// Operators that only a program knows: its calls give them a signature, but they have no
// implementation.
//
//   op opaque mylib.stamp(Tensor x, int at) -> Tensor
//
// Texts declare them before graphs. If a user registered the operator, the name means that one, and
// the declaration must agree with it.

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

/// An operator set plus the declared operators.
class DeclaredOps final : public OpSet {
 public:
  explicit DeclaredOps(std::shared_ptr<const OpSet> known);

  /// Adds an operator of origin `program` and, if it writes operands, its functional form. Throws
  /// Error{invalid_argument} if the set has a different operator of that name, or Litz has one.
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

/// The signature of the operator that returns what this one writes: the results that are not
/// operands, then the new contents of every written operand. Named `litz.functional.<name>`.
Schema functional_schema(const Schema& schema);
/// The name without `litz.functional.`; empty for other names.
std::string_view name_of_written_form(std::string_view functional);

/// One line for every operator of the graphs that Litz does not implement itself, by name.
std::string operator_header(std::span<const Graph* const> graphs);
/// Parses such a line without its first word. Throws Error{invalid_argument}.
const OpInfo& parse_declaration(std::string_view line, DeclaredOps& ops);

}  // namespace litz::ir
