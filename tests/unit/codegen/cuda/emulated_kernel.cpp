#include "emulated_kernel.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "codegen/cuda/cuda_compiler.h"
#include "loops/clone.h"
#include "loops/interpreter.h"
#include "schedule/blocks/block_schedule.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

/// The tensor in memory of a device, behind so many elements.
Tensor placed(const Tensor& tensor, std::shared_ptr<Storage> memory, int64_t elements_before) {
  return Tensor(tensor.dtype(), tensor.sizes(), tensor.strides(), elements_before,
                std::move(memory));
}

bool is_near(double actual, double expected, double tolerance) {
  if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) && std::isnan(expected);
  return actual == expected || std::abs(actual - expected) <= tolerance * std::abs(expected);
}

double real_at(const Tensor& tensor, int64_t i) {
  return reinterpret_cast<const double*>(tensor.data())[i];
}

/// The bytes of the element that begins at this byte, the lowest one last.
std::string hex(const Tensor& tensor, size_t at) {
  std::string text = "0x";
  for (auto i = static_cast<size_t>(item_size(tensor.dtype())); i-- > 0;) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(tensor.data()[at + i]));
    text += digits;
  }
  return text;
}

}  // namespace

Tensor tensor_of(DType dtype, std::vector<int64_t> sizes, const std::vector<double>& values) {
  return Tensor::of<double>(DType::f64, std::move(sizes), std::span<const double>(values))
      .to(dtype);
}

Tensor whole_numbers(DType dtype, std::vector<int64_t> sizes, int most) {
  Tensor tensor = Tensor::empty(DType::f64, std::move(sizes));
  auto* const values = reinterpret_cast<double*>(tensor.mutable_data());
  uint32_t state = 1;
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    state = state * 1664525 + 1013904223;
    values[i] = static_cast<int>(state >> 16) % (2 * most + 1) - most;
  }
  return tensor.to(dtype);
}

std::vector<Tensor> clones(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> copies;
  for (const Tensor& tensor : tensors) copies.push_back(tensor.clone(tensor.strides()));
  return copies;
}

void expect_equal(const Tensor& actual, const Tensor& expected, double tolerance) {
  ASSERT_EQ(actual.dtype(), expected.dtype());
  ASSERT_EQ(actual.sizes(), expected.sizes());
  const DType dtype = expected.dtype();
  if (is_integer(dtype) || dtype == DType::bool_) return expect_same_bits(actual, expected);
  const Tensor a = actual.to(DType::c128).contiguous();
  const Tensor b = expected.to(DType::c128).contiguous();
  const auto* const x = reinterpret_cast<const double*>(a.data());
  const auto* const y = reinterpret_cast<const double*>(b.data());
  for (int64_t i = 0; i < 2 * b.numel(); ++i) {
    ASSERT_TRUE(is_near(x[i], y[i], tolerance))
        << (i % 2 == 0 ? "" : "imaginary part of ") << "element " << i / 2 << " is " << x[i]
        << ", not " << y[i];
  }
}

void expect_same_bits(const Tensor& actual, const Tensor& expected) {
  ASSERT_EQ(actual.dtype(), expected.dtype());
  ASSERT_EQ(actual.sizes(), expected.sizes());
  const Tensor a = actual.contiguous();
  const Tensor b = expected.contiguous();
  const bool is_exact = is_integer(a.dtype()) || a.dtype() == DType::bool_;
  const Tensor x = is_exact ? a : a.to(DType::f64);
  const Tensor y = is_exact ? b : b.to(DType::f64);
  const auto item = static_cast<size_t>(item_size(a.dtype()));
  for (int64_t i = 0; i < b.numel(); ++i) {
    const auto at = static_cast<size_t>(i) * item;
    if (std::memcmp(a.data() + at, b.data() + at, item) == 0) continue;
    const bool are_nan = !is_exact && std::isnan(real_at(x, i)) && std::isnan(real_at(y, i));
    ASSERT_TRUE(are_nan) << "element " << i << " of " << name(a.dtype()) << " is " << hex(a, at)
                         << ", not " << hex(b, at);
  }
}

schedule::Schedule block_schedule(const loops::Kernel& kernel) {
  return schedule::make_block_schedule(loops::clone(kernel));
}

void EmulatedKernelTest::SetUp() {
#if defined(LITZ_EMULATED_CUDA_LIBRARY)
  ::setenv("LITZ_NVRTC", LITZ_EMULATED_CUDA_LIBRARY, 1);
#endif
  CudaTest::SetUp();
}

std::vector<std::shared_ptr<Storage>> EmulatedKernelTest::put(std::span<const Tensor> buffers,
                                                              int64_t elements_before) {
  std::vector<std::shared_ptr<Storage>> memory;
  for (const Tensor& buffer : buffers) {
    const auto before = static_cast<size_t>(elements_before * item_size(buffer.dtype()));
    memory.push_back(device_->allocate(before + buffer.storage()->size()));
    device_->copy({}, placed(buffer, memory.back(), elements_before), buffer);
  }
  return memory;
}

void EmulatedKernelTest::run(const loops::Kernel& kernel, std::span<const Tensor> buffers,
                             const Bindings& sizes, int64_t elements_before) {
  const artifact::KernelCode code = compile_for_cuda(block_schedule(kernel), "test_", "sm_90");
  const runtime::KernelId id = load(code);
  const auto memory = put(buffers, elements_before);
  std::vector<runtime::Ref> pointers;
  std::vector<runtime::Binding> bindings;
  for (size_t i = 0; i < memory.size(); ++i) {
    pointers.push_back(
        {static_cast<runtime::BufferId>(i), elements_before * item_size(buffers[i].dtype())});
    bindings.push_back(binding(memory[i]));
  }
  std::vector<int64_t> scalars;
  for (const SymbolId symbol : code.scalars) {
    scalars.push_back(artifact::scalar_bits(kernel.pool->symbol_expr(symbol), sizes));
  }
  std::vector<int64_t> extents;
  for (const artifact::KernelPhase& phase : code.phases) {
    extents.push_back(evaluate(phase.iterations, sizes));
  }
  const auto builder = device_->begin();
  builder->kernel({}, {id, pointers, scalars, extents, {}});
  const auto exec = device_->instantiate(*builder, bindings);
  exec->launch({});
  device_->synchronize({});
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (kernel.buffers[i].role != loops::BufferRole::output) continue;
    device_->copy({}, buffers[i], placed(buffers[i], memory[i], elements_before));
  }
  device_->synchronize({});
}

std::vector<Tensor> EmulatedKernelTest::compare(const loops::Kernel& kernel,
                                                const std::vector<Tensor>& buffers,
                                                const Bindings& sizes, double tolerance) {
  const auto expected = clones(buffers);
  const auto actual = clones(buffers);
  loops::interpret(kernel, expected, sizes);
  run(kernel, actual, sizes);
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (kernel.buffers[i].role != loops::BufferRole::output) continue;
    SCOPED_TRACE("output " + kernel.buffers[i].name);
    expect_equal(actual[i], expected[i], tolerance);
    outputs.push_back(actual[i]);
  }
  return outputs;
}

void EmulatedKernelTest::expect_same_failure(const loops::Kernel& kernel,
                                             const std::vector<Tensor>& buffers,
                                             const Bindings& sizes) {
  const auto message = [&](const auto& run) -> std::string {
    try {
      run();
    } catch (const Error& error) {
      return error.what();
    }
    return "no failure";
  };
  const std::string expected = message([&] { loops::interpret(kernel, clones(buffers), sizes); });
  const std::string actual = message([&] { run(kernel, clones(buffers), sizes); });
  EXPECT_NE(expected, "no failure");
  EXPECT_NE(actual.find(expected), std::string::npos) << actual << "\n" << expected;
}

std::vector<Tensor> EmulatedKernelTest::compare(std::string_view text,
                                                const std::vector<Tensor>& buffers,
                                                double tolerance) {
  return compare(parsed(text), buffers, {}, tolerance);
}

}  // namespace litz::codegen
