// The tensors of one library call on the host, made at the addresses of its operands.

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "artifact/launch_list.h"
#include "runtime/program/size_table.h"
#include "types/tensor.h"

namespace litz::runtime {

class CallTensors {
 public:
  /// The first `positions` operands are named by number; others follow them.
  explicit CallTensors(size_t positions = 0) : slots_(positions) {}

  /// Makes `target` the tensor at operand `position`. It must not move.
  void add(Tensor& target, const artifact::TensorSlot& slot, SizeTable& sizes, size_t position);
  /// Adds `target` with a separate operand, after all others.
  void append(Tensor& target, const artifact::TensorSlot& slot, SizeTable& sizes);

  /// Puts operand `position` at the slot, without a tensor.
  void place(size_t position, const artifact::Slot& slot) { slots_[position] = slot; }

  /// By operand.
  std::span<const artifact::Slot> slots() const { return slots_; }

  /// Updates the tensors whose address or sizes are new. They own no memory.
  void attach(std::span<std::byte* const> addresses);

  /// Updates sizes that changed.
  void set_sizes(const SizeTable& table);

 private:
  struct Entry {
    Tensor* target;
    size_t position;
    DType dtype;
    // Numbers in the table, and their present values.
    SizeNumbers size_numbers;
    SizeNumbers stride_numbers;
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;
    bool is_made = false;
    const std::byte* made_on = nullptr;
  };

  std::vector<artifact::Slot> slots_;
  std::vector<Entry> entries_;
};

}  // namespace litz::runtime
