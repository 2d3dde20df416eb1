#include "expr/estimate.h"

#include "expr/node.h"
#include "support/check.h"

namespace litz {

double estimate(Expr size, int64_t unknown) {
  if (const auto whole = size.maybe_constant()) return static_cast<double>(*whole);
  try {
    return static_cast<double>(evaluate_unknown(size, unknown));
  } catch (const Error&) {
    return 1;
  }
}

}  // namespace litz
