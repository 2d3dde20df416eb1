// The insides of Size. Include it after public_support.h.

#pragma once

#include <memory>

#include "expr/expr.h"
#include "trace/call_sizes.h"

// After the library's own names.
#include "compiler/api/public_support.h"
#include "litz/size.h"

namespace litz {
inline namespace v1 {

/// A size of the function that is being traced.
struct Size::Formula {
  std::shared_ptr<trace::CallSizes> sizes;
  Expr expr;
};

struct SizeAccess {
  static const std::shared_ptr<const Size::Formula>& formula(const Size& size) {
    return size.formula_;
  }

  static Size shown(const std::shared_ptr<trace::CallSizes>& sizes, Expr size);
  /// Throws Error for a formula of a function whose trace has ended.
  static Expr expr(const Size& size);
};

}  // namespace v1
}  // namespace litz
