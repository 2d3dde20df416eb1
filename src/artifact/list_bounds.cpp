#include "artifact/list_bounds.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "support/check.h"
#include "types/dtype.h"
#include "types/span_bytes.h"

namespace litz::artifact {
namespace {

constexpr const char* kWhat = "a stored program:";

class Bounds {
 public:
  Bounds(LaunchList& list, std::span<const KernelCode> kernels) : list_(list), kernels_(kernels) {}

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

  /// The kernel of a launch, which passes what its code takes. Its code was made for the values that
  /// the program's symbols have.
  const KernelCode& kernel_of(int32_t number, size_t buffers, const std::vector<Expr>& scalars) {
    const KernelCode& kernel = kernels_[static_cast<size_t>(number)];
    require(buffers == kernel.buffers.size(), ErrorCode::corrupt, kWhat, what_,
            "must pass as many buffers as its kernel takes:", buffers, "instead of",
            kernel.buffers.size());
    const bool are_symbols =
        std::ranges::equal(scalars, kernel.scalars, [](Expr scalar, SymbolId symbol) {
          return scalar.is_symbol() && scalar.symbol() == symbol;
        });
    require(are_symbols, ErrorCode::corrupt, kWhat, what_, "must pass the numbers of its kernel");
    return kernel;
  }

  /// Buffers also lie in memory that the launch says it accesses.
  void add(const KernelLaunch& work) {
    const KernelCode& kernel = kernel_of(work.kernel, work.buffers.size(), work.scalars);
    for (size_t i = 0; i < work.buffers.size(); ++i) {
      const Slot& slot = work.buffers[i];
      const Expr bytes = span_bytes(kernel.buffers[i].type);
      if (bytes.is(0)) continue;
      add(slot, bytes, eq(bytes, 0));
      if (kernel.buffers[i].is_written) require_writable(slot);
      const bool is_accessed = std::ranges::any_of(launch_->accesses, [&](const Access& access) {
        return access.begin.storage == slot.storage && access.begin.offset == slot.offset &&
               access.bytes == bytes && access.is_write == kernel.buffers[i].is_written;
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
    for (const TensorSlot& result : work.results) {
      add(result);
      require_writable(result.slot);
    }
    if (work.epilogue) add(*work.epilogue, work);
  }

  /// Every buffer has one element for each of the result's; the kernel gets tiles of them.
  void add(const EpilogueLaunch& work, const LibraryLaunch& call) {
    const KernelCode& kernel = kernel_of(work.kernel, work.buffers.size(), work.scalars);
    require(!work.buffers.empty() && work.row_strides.size() == work.buffers.size() &&
                work.buffers[0].type.rank() > 0,
            ErrorCode::corrupt, kWhat, what_, "must have an epilogue with rows");
    for (size_t i = 0; i < work.buffers.size(); ++i) {
      const TensorSlot& buffer = work.buffers[i];
      add(buffer);
      if (kernel.buffers[i].is_written) require_writable(buffer.slot);
      const TensorType& tile = kernel.buffers[i].type;
      const bool is_tile = tile.dtype == buffer.type.dtype &&
                           tile.sizes == Sizes{work.rows, work.columns} &&
                           tile.strides == Sizes{work.row_strides[i], buffer.type.strides.back()} &&
                           buffer.type.sizes == work.buffers[0].type.sizes;
      require(is_tile, ErrorCode::corrupt, kWhat, what_,
              "must have an epilogue whose buffers are those of its kernel");
    }
    const TensorSlot& first = work.buffers[0];
    const bool is_of_result = !call.results.empty() &&
                              first.slot.storage == call.results[0].slot.storage &&
                              first.slot.offset == call.results[0].slot.offset;
    require(is_of_result, ErrorCode::corrupt, kWhat, what_, "must have an epilogue of its result");
    require_true(eq(first.type.numel(), call.results[0].type.numel()),
                 "must have an epilogue of all of its result");
    require_true(eq(span_bytes(first.type), span_bytes(call.results[0].type)),
                 "must have an epilogue of its result's memory");
  }

  void add(const CallLaunch& work) {
    for (const TensorSlot& buffer : work.buffers) add(buffer);
  }

  void add(const CopyLaunch& work) {
    add(work.to, work.bytes);
    require_writable(work.to);
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

  /// Weights may lie in a file that is mapped for reading.
  void require_writable(const Slot& slot) const {
    if (slot.storage == kNoStorage) return;
    require(list_.storages[static_cast<size_t>(slot.storage)].kind != StorageKind::weight,
            ErrorCode::corrupt, kWhat, what_, "must not write to weights");
  }

  void require_true(Expr condition, const char* what) {
    const std::optional<bool> always = known(condition);
    require(always.value_or(true), ErrorCode::corrupt, kWhat, what_, what);
    if (always || !asserted_.insert(condition).second) return;
    list_.assertions.push_back({condition, kWhat + (" " + what_) + " " + what});
  }

  LaunchList& list_;
  std::span<const KernelCode> kernels_;
  const Launch* launch_ = nullptr;  ///< The one whose places are added.
  std::string what_;
  std::unordered_set<Expr> asserted_;
};

}  // namespace

void add_bounds(LaunchList& list, std::span<const KernelCode> kernels) {
  try {
    Bounds(list, kernels).add_all();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_range) throw;
    fail(ErrorCode::corrupt, kWhat, "must have places that are numbers:", error.message());
  }
}

}  // namespace litz::artifact
