// The tensors of one library call, kept on the memory that the program's storages have at present,
// and their addresses, which are all that prepared calls need.

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "artifact/launch_list.h"
#include "runtime/program/size_table.h"
#include "types/tensor.h"

namespace litz::runtime {

/// Where a storage of a program is.
struct MemoryPlace {
  std::shared_ptr<Storage> memory;
  std::byte* base = nullptr;  ///< Somewhere in `memory`.
  bool is_lasting = false;    ///< The same at every call.
};

class BoundTensors {
 public:
  /// Has `target` refer to the slot; it must stay where it is. Its address is number `position`.
  void add(Tensor& target, const artifact::TensorSlot& slot, SizeTable& sizes, size_t position);

  /// Makes the tensors on memory that lasts, where it or their sizes are new.
  void attach_lasting(std::span<const MemoryPlace> places);
  /// Makes the others, for one call.
  void attach(std::span<const MemoryPlace> places);
  /// Drops the others again, since their memory belongs to the caller.
  void detach();
  /// Finds the addresses of tensors whose memory does not last, for one call.
  void find_addresses(std::span<const MemoryPlace> places);

  /// Null where there is no tensor.
  std::span<std::byte* const> addresses() const { return addresses_; }

  /// Takes over sizes that changed; attach_lasting() comes next.
  void set_sizes(const SizeTable& table);

 private:
  struct Entry {
    Tensor* target;
    size_t storage;
    size_t position;
    DType dtype;
    // Numbers in the table, and what they are at present.
    int32_t offset_number;
    SizeNumbers size_numbers;
    SizeNumbers stride_numbers;
    int64_t offset;  // Bytes.
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;
    bool is_sized = false;               // Something of it depends on sizes.
    const std::byte* made_on = nullptr;  // Of tensors that last: where.
  };

  static void make(const Entry& entry, const MemoryPlace& place);

  std::vector<Entry> entries_;
  std::vector<const Entry*> passing_;  // Those whose memory does not last.
  std::vector<std::byte*> addresses_;
};

}  // namespace litz::runtime
