// Runs kernels on the emulated card and compares them with the interpreter.

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cuda/emulated_card.h"
#include "loops/builder.h"
#include "schedule/schedule.h"
#include "types/tensor.h"

namespace litz::codegen {

/// A tensor of these values, converted to the dtype.
Tensor tensor_of(DType dtype, std::vector<int64_t> sizes, const std::vector<double>& values);
/// Small whole numbers, whose sums are exact in any order: from -`most` to `most`.
Tensor whole_numbers(DType dtype, std::vector<int64_t> sizes, int most = 5);

/// Copies with the same strides.
std::vector<Tensor> clones(const std::vector<Tensor>& tensors);

/// Expects the same elements: any NaN for NaN, zeros of any sign, other reals within `tolerance` of
/// the expected one.
void expect_equal(const Tensor& actual, const Tensor& expected, double tolerance = 0);

/// Expects the same bits, but any NaN for NaN. Reals only, not complex numbers.
void expect_same_bits(const Tensor& actual, const Tensor& expected);

/// A test that compiles kernels for the emulated card.
class EmulatedKernelTest : public runtime::CudaTest {
 protected:
  void SetUp() override;

  loops::Kernel parsed(std::string_view text) { return loops::parse_kernel(text, pool_); }

  /// Runs the kernel on copies of the tensors, then copies outputs back. Each lies so many elements
  /// behind the start of its memory.
  void run(const loops::Kernel& kernel, std::span<const Tensor> buffers, const Bindings& sizes = {},
           int64_t elements_before = 0);

  /// Expects of the card what the interpreter gives. Returns the outputs of the card.
  std::vector<Tensor> compare(const loops::Kernel& kernel, const std::vector<Tensor>& buffers,
                              const Bindings& sizes = {}, double tolerance = 0);
  std::vector<Tensor> compare(std::string_view text, const std::vector<Tensor>& buffers,
                              double tolerance = 0);

  /// Expects that the kernel fails as the interpreter says.
  void expect_same_failure(const loops::Kernel& kernel, const std::vector<Tensor>& buffers,
                           const Bindings& sizes = {});

  ExprPool pool_;

 private:
  std::vector<std::shared_ptr<Storage>> put(std::span<const Tensor> buffers,
                                            int64_t elements_before);
};

/// The schedule for a large card.
schedule::Schedule block_schedule(const loops::Kernel& kernel);

}  // namespace litz::codegen
