// Numbers of library calls, evaluated.

#pragma once

#include <span>

#include "expr/expr.h"
#include "kernels/library.h"

namespace litz::runtime {

/// An integer, real or boolean, by the expression's domain.
kernels::LibraryArgument number(const Expr& value, const Bindings& symbols);
/// Integers, or reals when any of them is real.
kernels::LibraryArgument numbers(std::span<const Expr> values, const Bindings& symbols);

}  // namespace litz::runtime
