// Automatic mixed precision on the CPU, as PyTorch 2.15 has it: which operators of a region read
// their floating operands in which dtype.
//
// Exports keep such a region as a call of its body, whose nodes have their operands uncast. Nodes get
// their casts when they are imported, so types are right from then on. Those that the file records
// tell what tracing cast, but strict exports trace without casts and record what is not so.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace litz::import_ {

class Autocast {
 public:
  /// Of code outside of any region: `cast` does nothing.
  Autocast() = default;
  /// `call`: the arguments of higher_order.wrap_with_autocast, in schema order. A region that is
  /// switched off casts nothing, whatever is around it.
  Autocast(const ir::OpInfo& op, const std::vector<ir::Argument>& call);

  bool is_enabled() const { return dtype_.has_value(); }

  /// Casts operands at the graph's insertion point: as the operator is listed, or else in the first
  /// way that gives the dtypes that are recorded. f64 is a decision of the user and stays.
  /// `is_traced_uncast` is set where the file turns out to record no casts, which then say nothing.
  /// Throws Error{unsupported} where nothing explains the recorded dtypes.
  void cast(const ir::OpInfo& op, ir::Graph& graph, std::vector<ir::Argument>& arguments,
            std::span<const ir::ValueType> recorded, bool& is_traced_uncast) const;

 private:
  std::optional<DType> dtype_;
  bool has_list_ = true;  ///< The CPU's lists are known; other devices' are not.
};

}  // namespace litz::import_
