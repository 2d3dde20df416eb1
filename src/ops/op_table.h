// All operators by name.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op_info.h"
#include "ops/op_def.h"

namespace litz::ops {

class OpTable final : public ir::OpSet {
 public:
  /// Builds the table from families; check-fails for duplicate names.
  explicit OpTable(std::span<const std::span<const OpDef>> families);
  ~OpTable() override;

  /// Also finds `out` forms (out_forms.h), which `all` omits.
  const ir::OpInfo* find(std::string_view name) const override;
  std::vector<std::string> suggestions(std::string_view name) const override;
  std::span<const ir::OpInfo* const> all() const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A table of all families. Building it takes milliseconds; build it once and pass it on.
std::shared_ptr<const OpTable> standard_ops();

/// The definition behind an OpInfo of an OpTable.
const OpDef& definition(const ir::OpInfo& op);
/// The functional operator of a form that writes in place or to given tensors; null for others.
const ir::OpInfo* functional_form(const ir::OpInfo& op);
/// The functional form's arguments for a call of a form that writes.
std::vector<ir::Argument> functional_arguments(const ir::OpInfo& op,
                                               std::span<const ir::Argument> arguments);
/// For an operator that updates a copy of self: the form that updates self; null for others.
const ir::OpInfo* updating_form(const ir::OpInfo& op);

}  // namespace litz::ops
