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
  /// Built from families; duplicate names check-fail.
  explicit OpTable(std::span<const std::span<const OpDef>> families);
  ~OpTable() override;

  /// `out` forms (out_forms.h) are found too, although `all` leaves them out.
  const ir::OpInfo* find(std::string_view name) const override;
  std::vector<std::string> suggestions(std::string_view name) const override;
  std::span<const ir::OpInfo* const> all() const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A table of every family. Building takes milliseconds; build once and pass it down.
std::shared_ptr<const OpTable> standard_ops();

/// The definition behind an OpInfo of an OpTable.
const OpDef& definition(const ir::OpInfo& op);
/// For a form that writes in place or to tensors it is given: the functional operator it mirrors;
/// else null.
const ir::OpInfo* functional_form(const ir::OpInfo& op);
/// The arguments of the functional form for a call of a form that writes.
std::vector<ir::Argument> functional_arguments(const ir::OpInfo& op,
                                               std::span<const ir::Argument> arguments);
/// For an operator that updates a copy of self: its form that updates self; else null.
const ir::OpInfo* updating_form(const ir::OpInfo& op);

}  // namespace litz::ops
