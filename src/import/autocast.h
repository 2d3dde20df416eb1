// Automatic mixed precision on the CPU as in PyTorch 2.15: the dtypes in which the operators of a
// region read their floating operands.
//
// Exports keep such a region as a call of its body, whose nodes have uncast operands. The importer
// adds the casts, so types are right from then on. The recorded dtypes show what tracing cast, but
// strict exports trace without casts and record dtypes that are wrong.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace litz::import_ {

class Autocast {
 public:
  /// For code outside any region: `cast` does nothing.
  Autocast() = default;
  /// `call`: the arguments of higher_order.wrap_with_autocast, in schema order. A disabled region
  /// casts nothing, even inside another.
  Autocast(const ir::OpInfo& op, const std::vector<ir::Argument>& call);

  bool is_enabled() const { return dtype_.has_value(); }

  /// Casts operands at the graph's insertion point: as the operator is listed, or else in the first
  /// way that gives the recorded dtypes. f64 is the user's choice and stays. Sets
  /// `is_traced_uncast` if the file records no casts, so that its dtypes mean nothing. Throws
  /// Error{unsupported} if no cast explains the recorded dtypes.
  void cast(const ir::OpInfo& op, ir::Graph& graph, std::vector<ir::Argument>& arguments,
            std::span<const ir::ValueType> recorded, bool& is_traced_uncast) const;

 private:
  std::optional<DType> dtype_;
  bool has_list_ = true;  ///< The lists are known for the CPU only.
};

}  // namespace litz::import_
