// Reduces a failing program to a small one that still fails.
//
//   graph @main(%x, ...) { 40 nodes }     =>     graph @main(%v: f32[4, 3]) -> (...) { 2 nodes }
//
// Works on text, so that the failing function may modify its copy freely. A candidate that cannot
// be read back is rejected.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ir/op_info.h"

namespace litz::ir {

struct MinimizeOptions {
  size_t max_attempts = 2000;  ///< Limits calls of `fails`.
};

/// Reduces the graph @main of the text in steps that keep `fails` true: it returns less, values
/// become inputs, nodes are replaced by their operands. Other graphs stay while they have callers.
/// An exception from `fails` counts as not failing. Check-fails unless the text itself fails;
/// throws Error{invalid_argument} if it cannot be read or has no @main.
std::string minimize(std::string_view text, std::shared_ptr<const OpSet> ops,
                     const std::function<bool(std::string_view text)>& fails,
                     const MinimizeOptions& options = {});

}  // namespace litz::ir
