// What control flow does with values, whoever runs its children.

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

/// A condition: a bool, a number or a tensor with one element.
bool truth(const Value& value, const DeviceStream& where);

/// Random operators of a loop's body draw other numbers in every iteration: each has a key of its
/// own, made of the key around the loop.
struct LoopKey {
  std::optional<SymbolId> symbol;  ///< Of the key; nothing where nobody draws.
  Bindings& bindings;
};

/// Child 0 is the condition, child 1 the body; both get what is carried and then `additional`.
std::vector<Value> run_while(std::vector<Value> carried, const std::vector<Value>& additional,
                             const LoopKey& key, const DeviceStream& where, const CallChild& call);

struct Scan {
  std::vector<Value> carried;  ///< Of a map and an associative scan: none.
  std::vector<Value> xs;       ///< Taken apart along dimension 0.
  std::vector<Value> additional;
  bool is_associative = false;  ///< The first entries are carried as they are.
  /// The type of the child's first entry; null where it takes none that is a tensor.
  const TensorType* entry_type = nullptr;
  /// Types of what is stacked: the results behind what is carried; null where nothing reads one.
  std::vector<const TensorType*> stacked;
};

/// scan, associative_scan and map: one call of child 0 per entry, whose last results are stacked
/// behind what is carried. `what` names the step in errors.
std::vector<Value> run_over_entries(Scan scan, const LoopKey& key, const DeviceStream& where,
                                    std::string_view what, const CallChild& call);

}  // namespace litz::runtime
