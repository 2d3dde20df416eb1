// The reference interpreter of loop IR: the oracle that every optimised path is compared with.
//
// Arithmetic is done in the dtype that the kernel states; elementary functions are evaluated wider
// and rounded once; floating sums and products accumulate in double and are rounded at the end: so
// no result depends on an order of evaluation. Independent iterations run in lanes for speed.
//
// Kernels of a schedule run as their words say, as far as results can tell: vector loops in as many
// lanes, parallel variables backwards. Where words are not true, results differ.

#pragma once

#include <memory>
#include <span>

#include "expr/expr.h"
#include "loops/kernel.h"
#include "types/tensor.h"

namespace litz::loops {

struct Program;

/// A kernel made ready to run many times. Keeps nothing of the kernel but expressions of its pool,
/// which must outlive it; any number of threads may run one at a time.
class PreparedKernel {
 public:
  /// The kernel must verify.
  explicit PreparedKernel(const Kernel& kernel);
  ~PreparedKernel();
  PreparedKernel(PreparedKernel&&) noexcept;
  PreparedKernel& operator=(PreparedKernel&&) noexcept;

  /// As `interpret`.
  void run(std::span<const Tensor> buffers, const Bindings& bindings) const;

 private:
  std::unique_ptr<const Program> program_;
};

/// Runs a kernel. `buffers` are in the kernel's order and have the evaluated sizes and strides of
/// its types (checked); outputs are written in place. Throws Error{out_of_range} for a bad index.
void interpret(const Kernel& kernel, std::span<const Tensor> buffers, const Bindings& bindings);

}  // namespace litz::loops
