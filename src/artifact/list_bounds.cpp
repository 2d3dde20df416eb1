#include "artifact/list_bounds.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "support/check.h"
#include "types/dtype.h"

namespace litz::artifact {
namespace {

constexpr const char* kWhat = "a stored program:";

class Bounds {
 public:
  explicit Bounds(LaunchList& list) : list_(list) {}

  void add_all() {
    for (const std::optional<TensorType>& input : list_.inputs) {
      require(!input || input->sizes.size() == input->strides.size(), ErrorCode::corrupt, kWhat,
              "an input must have a stride for each size");
    }
    for (const PlannedStorage& storage : list_.storages) add(storage);
    for (size_t i = 0; i < list_.launches.size(); ++i) {
      const Launch& launch = list_.launches[i];
      what_ = "launch " + std::to_string(i) + " (" + launch.label + ")";
      launch_ = &launch;
      std::visit([&](const auto& work) { add(work); }, launch.work);
      for (const Access& access : launch.accesses) add(access.begin, access.bytes);
    }
    for (size_t i = 0; i < list_.outputs.size(); ++i) {
      what_ = "output " + std::to_string(i);
      if (const auto* const tensor = std::get_if<TensorSlot>(&list_.outputs[i])) add(*tensor);
    }
  }

 private:
  /// In the arena, or in the block that a layout gives it.
  void add(const PlannedStorage& storage) {
    what_ = "storage " + storage.name;
    require_true(le(0, storage.bytes), "must have a size of 0 or more");
    if (storage.kind != StorageKind::arena) return;
    if (!list_.has_layouts) {
      require_true(le(0, storage.offset), "must begin in the arena");
      require_true(le(storage.offset + storage.bytes, list_.arena_bytes), "must end in the arena");
      return;
    }
    require(static_cast<size_t>(storage.index) < list_.blocks.size(), ErrorCode::corrupt, kWhat,
            what_, "must have a block of the arena");
    require_true(le(storage.bytes, list_.blocks[static_cast<size_t>(storage.index)].bytes),
                 "must fit its block of the arena");
  }

  /// Buffers also begin in memory that the launch says it accesses.
  void add(const KernelLaunch& work) {
    for (const Slot& slot : work.buffers) {
      add(slot, 0);
      const bool is_accessed = std::ranges::any_of(launch_->accesses, [&](const Access& access) {
        return access.begin.storage == slot.storage &&
               !known_less(slot.offset, access.begin.offset) &&
               !known_less(access.begin.offset + access.bytes, slot.offset);
      });
      require(is_accessed, ErrorCode::corrupt, kWhat, what_,
              "must access the memory of its buffers");
    }
  }

  void add(const LibraryLaunch& work) {
    for (const LibraryArgument& argument : work.arguments) {
      if (const auto* const tensor = std::get_if<TensorSlot>(&argument)) add(*tensor);
      if (const auto* const tensors = std::get_if<std::vector<TensorSlot>>(&argument)) {
        for (const TensorSlot& tensor : *tensors) add(tensor);
      }
    }
    for (const TensorSlot& result : work.results) add(result);
    if (!work.epilogue) return;
    for (const TensorSlot& buffer : work.epilogue->buffers) add(buffer);
  }

  void add(const CallLaunch& work) {
    for (const TensorSlot& buffer : work.buffers) add(buffer);
  }

  void add(const CopyLaunch& work) {
    add(work.to, work.bytes);
    add(work.from, work.bytes);
  }

  /// Elements lie up to the sum of (size - 1) * stride, unless there are none.
  void add(const TensorSlot& tensor) {
    if (tensor.slot.storage == kNoStorage) return;
    const TensorType& type = tensor.type;
    require(type.sizes.size() == type.strides.size(), ErrorCode::corrupt, kWhat, what_,
            "must have a stride for each size");
    Expr last = 0;
    Expr is_empty = Expr::boolean(false);
    for (size_t d = 0; d < type.sizes.size(); ++d) {
      require_true(le(0, type.sizes[d]), "must have sizes of 0 or more");
      require_true(le(0, type.strides[d]), "must have strides of 0 or more");
      last = last + (type.sizes[d] - 1) * type.strides[d];
      is_empty = logical_or(is_empty, eq(type.sizes[d], 0));
    }
    const Expr bytes = (last + 1) * static_cast<int64_t>(item_size(type.dtype));
    add(tensor.slot, bytes, is_empty);
  }

  /// From the slot on, so many bytes lie in its storage, or the condition holds.
  void add(const Slot& slot, Expr bytes, Expr otherwise = Expr::boolean(false)) {
    const PlannedStorage& storage = list_.storages[static_cast<size_t>(slot.storage)];
    require_true(logical_or(otherwise, le(0, slot.offset)), "must begin in its storage");
    require_true(logical_or(otherwise, le(slot.offset + bytes, storage.bytes)),
                 "must end in its storage");
  }

  void require_true(Expr condition, const char* what) {
    const std::optional<bool> always = known(condition);
    require(always.value_or(true), ErrorCode::corrupt, kWhat, what_, what);
    if (always || !asserted_.insert(condition).second) return;
    list_.assertions.push_back({condition, kWhat + (" " + what_) + " " + what});
  }

  LaunchList& list_;
  const Launch* launch_ = nullptr;  ///< The one whose places are added.
  std::string what_;
  std::unordered_set<Expr> asserted_;
};

}  // namespace

void add_bounds(LaunchList& list) {
  try {
    Bounds(list).add_all();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_range) throw;
    fail(ErrorCode::corrupt, kWhat, "must have places that are numbers:", error.message());
  }
}

}  // namespace litz::artifact
