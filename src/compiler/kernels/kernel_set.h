// The kernels of a program, ready to run: compiled, or interpreted if code cannot be made yet.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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
  /// Interprets kernels whose buffers all have fewer elements, for graphs that run once.
  int64_t compile_above = 0;
  std::string target = "host";   ///< backend_for(); tests choose others.
  ThreadPool* pool = nullptr;    ///< Compiles and runs kernels; null: the calling thread does.
  KernelStore* cache = nullptr;  ///< Stores code; used only while preparing.
  bool keep_objects = false;     ///< Whether codes() include objects.
  /// Called, from any thread, while kernels are scheduled and compiled; null: nobody.
  std::function<void(std::string_view)> on_phase;
};

class KernelSet {
 public:
  /// Prepares all kernels; equal ones share code. The kernels' pool must outlive the set.
  KernelSet(std::span<const loops::Kernel* const> kernels, const KernelSetOptions& options)
      : KernelSet(kernels, {}, options) {}

  /// Also takes epilogues of library calls, whose numbers follow those of the kernels. Compiled
  /// epilogues run only on tiles; interpreted ones run like other kernels.
  KernelSet(std::span<const loops::Kernel* const> kernels,
            std::span<const loops::Kernel* const> epilogues, const KernelSetOptions& options);
  ~KernelSet();
  KernelSet(KernelSet&&) noexcept;
  KernelSet& operator=(KernelSet&&) noexcept;

  /// Runs kernel i on `buffers`, in its order, with the evaluated sizes and strides of its types.
  /// Throws Error{out_of_range} for a bad index. Thread-safe.
  void run(size_t kernel, std::span<const Tensor> buffers, const Bindings& bindings) const;

  /// The number of kernel i, which must be compiled, among the compiled kernels.
  size_t compiled_index(size_t kernel) const;
  /// Descriptions of the compiled kernels, without objects unless they are kept.
  std::vector<artifact::KernelCode> codes() const;
  /// Registers the compiled kernels with a device; they must not outlive the set. Devices other
  /// than the host's need kept objects.
  std::vector<runtime::KernelId> add_to(runtime::GraphDevice& device) const;

  /// The number of epilogue i.
  size_t epilogue(size_t i) const;
  /// What the scalars of kernel i mean; null unless it is an epilogue that runs on tiles.
  const fusion::TileSymbols* tile_symbols(size_t kernel) const;
  /// The function of a compiled kernel with one phase.
  artifact::KernelFunction function(size_t kernel) const;
  const artifact::KernelCode& code(size_t kernel) const;

  /// Why kernel i is interpreted; empty when it is compiled.
  const std::string& reason_interpreted(size_t kernel) const;
  size_t compiled_count() const;
  /// The size of kernel i's instructions; 0 when it is interpreted.
  size_t code_bytes(size_t kernel) const;
  /// True if the cache had the code of kernel i.
  bool was_cached(size_t kernel) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace litz::compiler
