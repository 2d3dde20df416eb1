// Cuts a failing program down to a small one that still fails.
//
//   graph @main(%x, ...) { 40 nodes }     =>     graph @main(%v: f32[4, 3]) -> (...) { 2 nodes }
//
// Works on text, so that what fails may do with its copy what it likes, and a candidate that cannot
// be read back is no candidate.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ir/op_info.h"

namespace litz::ir {

struct MinimizeOptions {
  size_t max_attempts = 2000;  ///< Calls of `fails`.
};

/// Makes the graph @main of the text smaller in steps for which `fails` stays true: it returns less,
/// values become inputs, nodes give way to what they read. Other graphs stay while somebody calls
/// them. Exceptions from `fails` count as not failing. Check-fails unless the text itself fails;
/// throws Error{invalid_argument} when it cannot be read or has no @main.
std::string minimize(std::string_view text, std::shared_ptr<const OpSet> ops,
                     const std::function<bool(std::string_view text)>& fails,
                     const MinimizeOptions& options = {});

}  // namespace litz::ir
