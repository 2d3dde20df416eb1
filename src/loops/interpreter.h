// The reference interpreter of loop IR; tests compare every optimised path with it.
//
// Arithmetic uses the dtype that the kernel states. Elementary functions are evaluated wider and
// rounded once. Floating sums and products accumulate in double and are rounded at the end, so
// results hardly depend on the order of evaluation. Independent iterations run in lanes for speed.
//
// Scheduled kernels run as their marks say, as far as results can show: vector loops in as many
// lanes, parallel variables backwards. A wrong mark changes the results.

#pragma once

#include <memory>
#include <span>

#include "expr/expr.h"
#include "loops/kernel.h"
#include "types/tensor.h"

namespace litz::loops {

struct Program;

/// A kernel prepared for many runs. It keeps only expressions of the kernel's pool, which must
/// outlive it. Thread-safe.
class PreparedKernel {
 public:
  /// The kernel must be valid.
  explicit PreparedKernel(const Kernel& kernel);
  ~PreparedKernel();
  PreparedKernel(PreparedKernel&&) noexcept;
  PreparedKernel& operator=(PreparedKernel&&) noexcept;

  /// Like `interpret`.
  void run(std::span<const Tensor> buffers, const Bindings& bindings) const;

 private:
  std::unique_ptr<const Program> program_;
};

/// Runs a kernel. `buffers` are in the kernel's order and have the evaluated sizes and strides of
/// its types (checked); outputs are written in place. Throws Error{out_of_range} for a bad index.
void interpret(const Kernel& kernel, std::span<const Tensor> buffers, const Bindings& bindings);

}  // namespace litz::loops
