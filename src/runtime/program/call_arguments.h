// The arguments and results of one library call, at the sizes and addresses of a launch.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "artifact/launch_list.h"
#include "kernels/library.h"
#include "runtime/cpu/call_tensors.h"
#include "runtime/program/size_table.h"

namespace litz::runtime {

/// Operands are the arguments, the results, `more` that the caller places, and then entries of
/// lists. Must not move.
class CallArguments {
 public:
  CallArguments(const artifact::LibraryLaunch& launch, SizeTable& sizes, size_t more = 0);
  CallArguments(const CallArguments&) = delete;
  CallArguments& operator=(const CallArguments&) = delete;

  std::span<const kernels::LibraryArgument> values() const { return arguments_; }

  std::span<Tensor> results() { return results_; }

  /// False for a result without readers, which has no memory.
  bool is_placed(size_t result) const {
    return launch_.results[result].slot.storage != artifact::kNoStorage;
  }

  bool has_lists() const { return has_lists_; }

  CallTensors& tensors() { return tensors_; }

  const CallTensors& tensors() const { return tensors_; }

  size_t count() const { return arguments_.size(); }

  /// Applies changed sizes.
  void set_sizes(const SizeTable& sizes);

 private:
  void set_argument(size_t index, const artifact::LibraryArgument& from, SizeTable& sizes);

  const artifact::LibraryLaunch& launch_;
  std::vector<kernels::LibraryArgument> arguments_;
  std::vector<size_t> symbolic_;  ///< Arguments that are numbers and depend on sizes.
  std::vector<Tensor> results_;
  CallTensors tensors_;
  bool has_lists_ = false;
};

}  // namespace litz::runtime
