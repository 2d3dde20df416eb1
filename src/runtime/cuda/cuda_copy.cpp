#include "runtime/cuda/cuda_copy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "support/check.h"
#include "types/span_bytes.h"

namespace litz::runtime::cuda {
namespace {

constexpr size_t kChunk = size_t{8} << 20;

bool is_on_host(const Tensor& tensor) { return tensor.device() == Device{}; }

bool has_no_gaps(const Tensor& tensor) {
  return storage_span(tensor.sizes(), tensor.strides(), 0) == tensor.numel();
}

bool have_same_layout(const Tensor& a, const Tensor& b) {
  for (size_t i = 0; i < a.rank(); ++i) {
    if (a.sizes()[i] != 1 && a.strides()[i] != b.strides()[i]) return false;
  }
  return true;
}

/// True if the copy is one of bytes.
bool is_plain(const Tensor& to, const Tensor& from) {
  return to.dtype() == from.dtype() && have_same_layout(to, from) && has_no_gaps(to);
}

/// A tensor on the host with the layout of another, on given memory.
Tensor laid_like(const Tensor& tensor, std::shared_ptr<std::byte> memory) {
  std::byte* const begin = memory.get();
  return Tensor(tensor.dtype(), tensor.sizes(), tensor.strides(), 0,
                Storage::lend({begin, span_bytes(tensor)}, {}, std::move(memory)));
}

// --- From the host

/// Uploads bytes that may change as soon as this returns.
void upload(const CopyPlace& place, std::byte* to, const std::byte* from, size_t bytes) {
  struct Slot {
    std::shared_ptr<std::byte> memory;
    std::optional<EventId> uploaded;
  };

  std::array<Slot, 2> slots;
  for (size_t done = 0, turn = 0; done < bytes; done += kChunk, ++turn) {
    const size_t now = std::min(kChunk, bytes - done);
    Slot& slot = slots[turn % slots.size()];
    if (slot.memory == nullptr) slot.memory = place.staging.take(std::min(kChunk, bytes));
    if (slot.uploaded) place.streams.wait_on_host(*slot.uploaded);
    std::memcpy(slot.memory.get(), from + done, now);
    const CudaStreams::Use use = place.streams.use(place.stream);
    use.driver().upload(address_on_card(to + done), slot.memory.get(), now, use.stream());
    if (bytes > kChunk) slot.uploaded = place.streams.record(place.stream);
  }
}

/// Brings the bytes of a tensor to the host, and waits.
Tensor downloaded(const CopyPlace& place, const Tensor& tensor) {
  auto memory = place.staging.take(span_bytes(tensor));
  {
    const CudaStreams::Use use = place.streams.use(place.stream);
    use.driver().download(memory.get(), address_on_card(tensor.address()), span_bytes(tensor),
                          use.stream());
  }
  place.streams.synchronize(place.stream);
  return laid_like(tensor, std::move(memory));
}

void copy_from_host(const CopyPlace& place, const Tensor& to, const Tensor& from) {
  if (is_plain(to, from)) return upload(place, to.address(), from.data(), span_bytes(to));
  // Bytes between the elements stay as they are.
  Tensor staged =
      has_no_gaps(to) ? laid_like(to, place.staging.take(span_bytes(to))) : downloaded(place, to);
  staged.copy_from(from);
  const CudaStreams::Use use = place.streams.use(place.stream);
  use.driver().upload(address_on_card(to.address()), staged.data(), span_bytes(to), use.stream());
}

// --- To the host

void copy_to_host(const CopyPlace& place, const Tensor& to, const Tensor& from) {
  Tensor target = to;
  if (span_bytes(from) > kChunk) {
    target.copy_from(downloaded(place, from));
    return;
  }
  // Several results are awaited together.
  Tensor staged = laid_like(from, place.staging.take(span_bytes(from)));
  {
    const CudaStreams::Use use = place.streams.use(place.stream);
    use.driver().download(staged.mutable_data(), address_on_card(from.address()), span_bytes(from),
                          use.stream());
  }
  place.streams.at_end(place.stream, [target, staged]() mutable { target.copy_from(staged); });
}

// --- On the card

struct Rows {
  size_t bytes = 0;  ///< Of one row.
  size_t count = 1;
  size_t to_pitch = 0;
  size_t from_pitch = 0;
};

/// Describes a copy of rows with a pitch; nullopt for other copies.
std::optional<Rows> rows_of(const Tensor& to, const Tensor& from) {
  if (to.dtype() != from.dtype()) return std::nullopt;
  const size_t item = item_size(to.dtype());
  Rows rows{.bytes = item};
  bool is_in_row = true;
  int64_t next_to = 0;  // The strides that continue the rows.
  int64_t next_from = 0;
  for (size_t i = to.rank(); i-- > 0;) {
    const int64_t size = to.sizes()[i];
    if (size == 1) continue;
    const int64_t to_stride = to.strides()[i];
    const int64_t from_stride = from.strides()[i];
    const auto row = static_cast<int64_t>(rows.bytes / item);
    if (is_in_row && to_stride == row && from_stride == row) {
      rows.bytes *= static_cast<size_t>(size);
      continue;
    }
    if (is_in_row) {
      if (to_stride < row || from_stride < row) return std::nullopt;
      is_in_row = false;
      rows.to_pitch = static_cast<size_t>(to_stride) * item;
      rows.from_pitch = static_cast<size_t>(from_stride) * item;
    } else if (to_stride != next_to || from_stride != next_from) {
      return std::nullopt;
    }
    rows.count *= static_cast<size_t>(size);
    next_to = to_stride * size;
    next_from = from_stride * size;
  }
  if (is_in_row) rows.to_pitch = rows.from_pitch = rows.bytes;
  return rows;
}

void copy_rows(const CopyPlace& place, const Tensor& to, const Tensor& from, const Rows& rows) {
  Copy2 copy;
  copy.from.device = address_on_card(from.address());
  copy.from.pitch = rows.from_pitch;
  copy.to.device = address_on_card(to.address());
  copy.to.pitch = rows.to_pitch;
  copy.width_bytes = rows.bytes;
  copy.height = rows.count;
  const CudaStreams::Use use = place.streams.use(place.stream);
  use.driver().copy_rows(&copy, use.stream());
}

void copy_on_card(const CopyPlace& place, const Tensor& to, const Tensor& from) {
  if (is_plain(to, from)) {
    const CudaStreams::Use use = place.streams.use(place.stream);
    return use.driver().copy(address_on_card(to.address()), address_on_card(from.address()),
                             span_bytes(to), use.stream());
  }
  constexpr size_t kMostPitch = size_t{1} << 31;  // The driver's limit.
  const std::optional<Rows> rows = rows_of(to, from);
  if (rows && rows->to_pitch < kMostPitch && rows->from_pitch < kMostPitch) {
    return copy_rows(place, to, from, *rows);
  }
  copy_from_host(place, to, downloaded(place, from));
}

}  // namespace

void copy_tensor(const CopyPlace& place, const Tensor& to, const Tensor& from) {
  require(to.sizes() == from.sizes(), "a copy must have the sizes of its source");
  if (to.numel() == 0) return;
  if (is_on_host(from)) return copy_from_host(place, to, from);
  if (is_on_host(to)) return copy_to_host(place, to, from);
  copy_on_card(place, to, from);
}

}  // namespace litz::runtime::cuda
