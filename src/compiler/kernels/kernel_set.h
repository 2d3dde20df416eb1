// The kernels of a program, ready to run: compiled, or interpreted where code cannot be made yet.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "artifact/kernel_abi.h"
#include "artifact/kernel_code.h"
#include "expr/expr.h"
#include "fusion/tile_kernel.h"
#include "loops/kernel.h"
#include "runtime/cpu/host_device.h"
#include "support/thread_pool.h"
#include "types/tensor.h"

namespace litz::compiler {

class KernelStore;

struct KernelSetOptions {
  bool compile = true;  ///< Off: every kernel is interpreted.
  /// Kernels whose buffers all have fewer elements are interpreted: those of a graph that runs once.
  int64_t compile_above = 0;
  std::string target = "host";   ///< backend_for(); other than the host's for tests.
  ThreadPool* pool = nullptr;    ///< Compiles and runs kernels; null: the caller alone.
  KernelStore* cache = nullptr;  ///< Where code is looked up and kept; used while preparing only.
  bool keep_objects = false;     ///< codes() have their objects.
};

class KernelSet {
 public:
  /// Prepares all kernels; equal ones share code. The kernels' pool must outlive the set.
  KernelSet(std::span<const loops::Kernel* const> kernels, const KernelSetOptions& options)
      : KernelSet(kernels, {}, options) {}

  /// With epilogues of library calls, whose numbers follow those of kernels. Compiled ones run on
  /// tiles and only there; interpreted ones are kernels like others.
  KernelSet(std::span<const loops::Kernel* const> kernels,
            std::span<const loops::Kernel* const> epilogues, const KernelSetOptions& options);
  ~KernelSet();
  KernelSet(KernelSet&&) noexcept;
  KernelSet& operator=(KernelSet&&) noexcept;

  /// Runs kernel i; `buffers` in its order, with the evaluated sizes and strides of its types.
  /// Throws Error{out_of_range} for a bad index. Thread-safe.
  void run(size_t kernel, std::span<const Tensor> buffers, const Bindings& bindings) const;

  /// The number among compiled kernels of kernel i, which is compiled.
  size_t compiled_index(size_t kernel) const;
  /// What is known of compiled kernels; without their objects, unless they are kept.
  std::vector<artifact::KernelCode> codes() const;
  /// Makes the compiled kernels known to a device; they must not outlive the set. Devices other than
  /// those of the host need objects that are kept.
  std::vector<runtime::KernelId> add_to(runtime::GraphDevice& device) const;

  /// The number of epilogue i.
  size_t epilogue(size_t i) const;
  /// What the scalars of kernel i stand for; null unless it is an epilogue that runs on tiles.
  const fusion::TileSymbols* tile_symbols(size_t kernel) const;
  /// Of a compiled kernel with one phase.
  artifact::KernelFunction function(size_t kernel) const;
  const artifact::KernelCode& code(size_t kernel) const;

  /// Why kernel i is interpreted; empty when it is compiled.
  const std::string& reason_interpreted(size_t kernel) const;
  size_t compiled_count() const;
  /// Bytes of instructions of kernel i's code; 0 when it is interpreted.
  size_t code_bytes(size_t kernel) const;
  /// True when the code of kernel i was found in the cache.
  bool was_cached(size_t kernel) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace litz::compiler
