#include "artifact/launch_list.h"

#include <algorithm>

#include "support/check.h"

namespace litz::artifact {
namespace {

class Checker {
 public:
  Checker(const LaunchList& list, std::span<const KernelCode> kernels)
      : list_(list), kernels_(kernels) {}

  void run() {
    for (const PlannedStorage& storage : list_.storages) check_storage(storage);
    check_arena();
    for (; launch_ < static_cast<int32_t>(list_.launches.size()); ++launch_) {
      const Launch& launch = list_.launches[static_cast<size_t>(launch_)];
      std::visit([&](const auto& work) { check_work(work); }, launch.work);
      for (const Access& access : launch.accesses) check_access(access);
    }
    for (const ListOutput& output : list_.outputs) {
      const auto* const tensor = std::get_if<TensorSlot>(&output);
      if (tensor == nullptr) continue;
      check(check_slot(tensor->slot).kind != StorageKind::arena,
            "the next call overwrites the arena, so no output may lie in it:", list_.name);
    }
  }

 private:
  void check_storage(const PlannedStorage& storage) const {
    check(storage.index >= 0 && !known_less(storage.bytes, 0),
          "a storage has a number and a size:", storage.name);
    if (storage.kind != StorageKind::arena) return;
    if (!list_.has_layouts) {
      const auto end = (storage.offset + storage.bytes).maybe_constant();
      const auto limit = list_.arena_bytes.maybe_constant();
      check(known_less_equal(0, storage.offset) && (!end || !limit || *end <= *limit),
            "a storage lies in the arena:", storage.name);
    }
    check(0 <= storage.first && storage.first <= storage.last,
          "a storage of the arena has a lifetime:", storage.name);
  }

  void check_arena() const {
    if (list_.has_layouts) return;

    struct Range {
      int64_t begin;
      int64_t end;
      const PlannedStorage* storage;
    };

    std::vector<Range> ranges;
    for (const PlannedStorage& storage : list_.storages) {
      const auto offset = storage.offset.maybe_constant();
      const auto bytes = storage.bytes.maybe_constant();
      if (storage.kind != StorageKind::arena || !offset || !bytes || *bytes == 0) continue;
      ranges.push_back({*offset, *offset + *bytes, &storage});
    }
    std::ranges::sort(ranges, {}, &Range::begin);
    for (size_t i = 0; i < ranges.size(); ++i) {
      for (size_t j = i + 1; j < ranges.size() && ranges[j].begin < ranges[i].end; ++j) {
        const PlannedStorage& a = *ranges[i].storage;
        const PlannedStorage& b = *ranges[j].storage;
        check(a.last < b.first || b.last < a.first,
              "storages that are used at the same time do not overlap:", a.name, "and", b.name);
      }
    }
  }

  const PlannedStorage& check_slot(const Slot& slot) const {
    const auto index = static_cast<size_t>(slot.storage);
    check(index < list_.storages.size(), "a slot names a storage: launch", launch_, "storage",
          slot.storage);
    return list_.storages[index];
  }

  void check_access(const Access& access) const {
    const PlannedStorage& storage = check_slot(access.begin);
    const auto begin = access.begin.offset.maybe_constant();
    const auto end = (access.begin.offset + access.bytes).maybe_constant();
    const auto limit = storage.bytes.maybe_constant();
    require((!begin || *begin >= 0) && (!end || !limit || *end <= *limit),
            "an access leaves its storage, as sizes and strides of a view state it: launch",
            launch_, "storage", storage.name, "bytes", access.begin.offset, "to",
            access.begin.offset + access.bytes, "of", storage.bytes);
    check(
        storage.kind != StorageKind::arena || (storage.first <= launch_ && launch_ <= storage.last),
        "a launch uses storages during their lifetime: launch", launch_, "storage", storage.name);
  }

  void check_work(const KernelLaunch& work) const {
    const auto index = static_cast<size_t>(work.kernel);
    check(index < kernels_.size(), "a launch names a kernel: launch", launch_, "kernel",
          work.kernel);
    check(work.scalars.size() == kernels_[index].scalars.size(),
          "a launch has a value for each scalar of its kernel: launch", launch_);
    for (const Slot& slot : work.buffers) check_slot(slot);
  }

  void check_tensor(const TensorSlot& tensor) const {
    if (tensor.slot.storage != kNoStorage) check_slot(tensor.slot);
  }

  void check_work(const LibraryLaunch& work) const {
    for (const LibraryArgument& argument : work.arguments) {
      if (const auto* const tensor = std::get_if<TensorSlot>(&argument)) check_tensor(*tensor);
      if (const auto* const list = std::get_if<std::vector<TensorSlot>>(&argument)) {
        for (const TensorSlot& tensor : *list) check_tensor(tensor);
      }
    }
    for (const TensorSlot& tensor : work.results) check_tensor(tensor);
    if (work.epilogue) check_epilogue(*work.epilogue);
  }

  void check_epilogue(const EpilogueLaunch& epilogue) const {
    const auto index = static_cast<size_t>(epilogue.kernel);
    check(index < kernels_.size(), "an epilogue names a kernel: launch", launch_, "kernel",
          epilogue.kernel);
    check(epilogue.scalars.size() == kernels_[index].scalars.size(),
          "an epilogue has a value for each scalar of its kernel: launch", launch_);
    for (const TensorSlot& tensor : epilogue.buffers) check_slot(tensor.slot);
  }

  void check_work(const CallLaunch& work) const {
    check(work.call >= 0, "a call has a number: launch", launch_);
    for (const TensorSlot& tensor : work.buffers) check_slot(tensor.slot);
  }

  void check_work(const CopyLaunch& work) const {
    check_slot(work.to);
    check_slot(work.from);
  }

  const LaunchList& list_;
  std::span<const KernelCode> kernels_;
  int32_t launch_ = 0;
};

}  // namespace

void check_list(const LaunchList& list, std::span<const KernelCode> kernels) {
  Checker(list, kernels).run();
}

}  // namespace litz::artifact
