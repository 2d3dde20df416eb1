#include "artifact/kernel_code.h"

#include <bit>
#include <new>

#include "support/check.h"
#include "support/hash.h"
#include "types/dtype.h"

namespace litz::artifact {

bool can_run(const KernelPhase& phase) {
  return phase.iterations.domain() == ExprDomain::integer && phase.grain >= 1 &&
         phase.threads >= 0 && phase.threads <= kMostBlockThreads &&
         phase.cost.domain() == ExprDomain::integer;
}

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
    case CheckKind::memory:
      throw std::bad_alloc();
    case CheckKind::assertion:
      fail(ErrorCode::invalid_argument, "an assertion of the program must hold:", check.text);
  }
  fail(ErrorCode::internal, "a kernel reported an unknown check");
}

int64_t digest_of(const KernelCode& code, const ExprPool& pool) {
  Hasher hash;
  for (const KernelPhase& phase : code.phases) {
    hash.add(phase.symbol).add(to_string(phase.iterations)).add(phase.grain).add(phase.threads);
  }
  hash.add(code.scalars.size());
  for (const SymbolId symbol : code.scalars) {
    const SymbolInfo& info = pool.symbol(symbol);
    hash.add(info.name).add(info.range.lo).add(info.range.hi);
  }
  hash.add(code.checks.size());
  for (const KernelCheck& check : code.checks) hash.add(static_cast<int>(check.kind));
  hash.add(code.buffers.size());
  for (const KernelBuffer& buffer : code.buffers) {
    hash.add(name(buffer.type.dtype)).add(buffer.is_written).add(buffer.type.rank());
    for (const Sizes* const numbers : {&buffer.type.sizes, &buffer.type.strides}) {
      for (const Expr number : *numbers) hash.add(to_string(number));
    }
  }
  return static_cast<int64_t>(hash.add(std::span(code.object)).value());
}

int64_t scalar_bits(Expr value, const Bindings& symbols) {
  switch (value.domain()) {
    case ExprDomain::real:
      return std::bit_cast<int64_t>(evaluate_real(value, symbols));
    case ExprDomain::boolean:
      return evaluate_boolean(value, symbols) ? 1 : 0;
    case ExprDomain::integer:
      break;
  }
  return evaluate(value, symbols);
}

}  // namespace litz::artifact
