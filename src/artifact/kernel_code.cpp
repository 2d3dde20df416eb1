#include "artifact/kernel_code.h"

#include "support/check.h"

namespace litz::artifact {

void throw_failure(const KernelCheck& check, int64_t value, int64_t extent) {
  switch (check.kind) {
    case CheckKind::index:
    case CheckKind::wrapping_index:
      fail(ErrorCode::out_of_range, "an index must lie in its dimension:", check.text,
           "must be at least", check.kind == CheckKind::index ? 0 : -extent, "and below", extent,
           "but is", value);
    case CheckKind::division:
      fail(ErrorCode::invalid_argument,
           "an integer divisor must not be zero (integer division or modulo by zero)");
    case CheckKind::empty_reduction:
      fail(ErrorCode::invalid_argument,
           "a reduction without identity must not be empty:", check.text);
  }
  fail(ErrorCode::internal, "a kernel reported an unknown check");
}

}  // namespace litz::artifact
