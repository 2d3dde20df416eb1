// Enumerates the iterations of loops with constant extents. It decides small cases that no rule
// about expressions decides.

#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "expr/expr.h"
#include "loops/kernel.h"

namespace litz::loops {

/// The most iterations to enumerate; longer proofs cost more compile time than they gain.
inline constexpr int64_t kMostIterations = 1 << 16;

/// Returns the number of iterations of all loops together; nullopt if an extent is not constant or
/// the product exceeds kMostIterations.
std::optional<int64_t> iteration_count(const std::vector<const loops::LoopVar*>& vars);

/// Calls `body` once per iteration, the last variable fastest, with the variables set in `values`.
void for_each_iteration(const std::vector<const loops::LoopVar*>& vars, Bindings& values,
                        const std::function<void()>& body);

/// Returns the value of an expression; nullopt if a symbol in it has no value.
std::optional<int64_t> value_of(Expr expr, const Bindings& values);

}  // namespace litz::loops
