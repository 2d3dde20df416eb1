// The values of control flow, independent of how its children run.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "expr/expr.h"
#include "runtime/program/device_stream.h"
#include "runtime/program/value.h"
#include "support/thread_pool.h"
#include "types/tensor_type.h"

namespace litz::runtime {

/// Runs child `child` of the control flow, by argument order, on its inputs.
using CallChild = detail::FunctionRef<std::vector<Value>(size_t child, std::vector<Value> inputs)>;

/// Evaluates a condition: a bool, a number or a tensor with one element.
bool truth(const Value& value, const DeviceStream& where);

/// The key of random operators in a loop's body, which draw other numbers in every iteration. Each
/// iteration's key is derived from the key around the loop.
struct LoopKey {
  std::optional<SymbolId> symbol;  ///< The symbol of the key; none if the body draws nothing.
  Bindings& bindings;
};

/// Child 0 is the condition, child 1 the body. Both take the carried values, then `additional`.
std::vector<Value> run_while(std::vector<Value> carried, const std::vector<Value>& additional,
                             const LoopKey& key, const DeviceStream& where, const CallChild& call);

struct Scan {
  std::vector<Value> carried;  ///< Empty for a map and an associative scan.
  std::vector<Value> xs;       ///< Split along dimension 0.
  std::vector<Value> additional;
  bool is_associative = false;  ///< The first entries are carried unchanged.
  /// The type of the child's first entry; null if that is not a tensor.
  const TensorType* entry_type = nullptr;
  /// Types of the stacked results, which follow the carried ones; null for a result without
  /// readers.
  std::vector<const TensorType*> stacked;
};

/// Runs scan, associative_scan and map: calls child 0 once per entry and stacks its last results.
/// They follow the carried values. `what` names the step in errors.
std::vector<Value> run_over_entries(Scan scan, const LoopKey& key, const DeviceStream& where,
                                    std::string_view what, const CallChild& call);

}  // namespace litz::runtime
