#include "runtime/cuda/cuda_memory.h"

#include <algorithm>
#include <bit>

#include "support/check.h"

namespace litz::runtime::cuda {
namespace {

constexpr size_t kBlock = 512;                  // Enough for every access.
constexpr size_t kPiece = size_t{2} << 20;      // What the driver gives at least.
constexpr size_t kPieces = size_t{32} << 20;    // For blocks of up to half of this.
constexpr size_t kMostBytes = size_t{1} << 46;  // Beyond every card.
// Blocks that wait for an idle card take this much from others.
constexpr size_t kMostOfCallers = size_t{256} << 20;

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

// At the end of the process the driver may be gone already.
CudaMemory::~CudaMemory() {
  const Driver& driver = streams_->context().driver();
  driver.set_context.result_of(streams_->context().handle());
  for (const auto& [address, bytes] : pieces_) driver.free.result_of(address);
}

Address CudaMemory::allocate(size_t bytes, std::optional<StreamId> stream) {
  require(bytes < kMostBytes, ErrorCode::out_of_memory, "memory must fit into a card:", bytes);
  const size_t needed = round_up(std::max<size_t>(bytes, 1), kBlock);
  const std::lock_guard lock(mutex_);
  Address address = 0;
  if (stream && take_of_stream(needed, *stream, address)) return address;
  collect();
  if (take_free(needed, address)) return address;
  if (!retired_.empty()) {
    streams_->poll();
    collect();
    if (take_free(needed, address)) return address;
  }
  if (callers_bytes_ > kMostOfCallers) {
    streams_->finish();
    collect_all();
    if (take_free(needed, address)) return address;
  }
  try {
    add_piece(needed);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    streams_->finish();
    collect_all();
    if (take_free(needed, address)) return address;
    return_free_pieces();
    add_piece(needed);
  }
  check(take_free(needed, address), "a new piece has room:", needed);
  return address;
}

void CudaMemory::free(Address address, uint64_t users) {
  const std::lock_guard lock(mutex_);
  const auto block = used_.find(address);
  check(block != used_.end(), "memory is given back once:", address);
  gauge_.subtract(block->second);
  Retired retired{address, streams_->last_job(), -1, false};
  if (std::has_single_bit(users)) retired.stream = std::countr_zero(users);
  for (uint64_t left = users; left != 0; left &= left - 1) {
    if (streams_->is_callers({std::countr_zero(left)})) retired.is_callers = true;
  }
  if (retired.is_callers) callers_bytes_ += block->second;
  const uint64_t number = ++retirements_;
  if (retired.stream >= 0) of_stream_[{retired.stream, block->second}].push_back(number);
  retired_.emplace(number, retired);
}

/// Takes a block whose last work comes before all work that the stream gets from now on.
bool CudaMemory::take_of_stream(size_t bytes, StreamId stream, Address& address) {
  const auto found = of_stream_.lower_bound({stream.value, bytes});
  const bool fits = found != of_stream_.end() && found->first.first == stream.value &&
                    found->first.second - bytes <= bytes / 4;
  if (!fits) return false;
  const uint64_t number = found->second.back();
  found->second.pop_back();
  gauge_.add(found->first.second);
  if (found->second.empty()) of_stream_.erase(found);
  const auto retired = retired_.find(number);
  address = retired->second.address;
  if (retired->second.is_callers) callers_bytes_ -= used_.at(address);
  retired_.erase(retired);
  return true;
}

/// Frees the block for all streams.
void CudaMemory::end(RetiredList::iterator retired) {
  const auto block = used_.find(retired->second.address);
  if (retired->second.is_callers) callers_bytes_ -= block->second;
  if (retired->second.stream >= 0) {
    const auto own = of_stream_.find({retired->second.stream, block->second});
    std::erase(own->second, retired->first);
    if (own->second.empty()) of_stream_.erase(own);
  }
  make_free(block->first, block->second);
  used_.erase(block);
  retired_.erase(retired);
}

// Jobs are numbered in order, and so are the retired blocks.
void CudaMemory::collect() {
  for (auto at = retired_.begin(); at != retired_.end();) {
    const auto next = std::next(at);
    if (!streams_->has_finished(at->second.last_job)) return;
    if (!at->second.is_callers) end(at);
    at = next;
  }
}

/// The card is idle.
void CudaMemory::collect_all() {
  while (!retired_.empty() && streams_->has_finished(retired_.begin()->second.last_job)) {
    end(retired_.begin());
  }
}

void CudaMemory::make_free(Address address, size_t bytes) {
  auto after = free_.lower_bound(address);
  if (after != free_.end() && after->first == address + bytes && !pieces_.contains(after->first)) {
    by_size_.erase({after->second, after->first});
    bytes += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin() && !pieces_.contains(address)) {
    const auto before = std::prev(after);
    if (before->first + before->second == address) {
      by_size_.erase({before->second, before->first});
      address = before->first;
      bytes += before->second;
      free_.erase(before);
    }
  }
  free_.emplace(address, bytes);
  by_size_.emplace(bytes, address);
}

bool CudaMemory::take_free(size_t bytes, Address& address) {
  const auto room = by_size_.lower_bound({bytes, 0});
  if (room == by_size_.end()) return false;
  const auto [size, begin] = *room;
  by_size_.erase(room);
  free_.erase(begin);
  if (size > bytes) {
    free_.emplace(begin + bytes, size - bytes);
    by_size_.emplace(size - bytes, begin + bytes);
  }
  used_.emplace(begin, bytes);
  gauge_.add(bytes);
  address = begin;
  return true;
}

void CudaMemory::add_piece(size_t bytes) {
  const size_t size = bytes <= kPieces / 2 ? kPieces : round_up(bytes, kPiece);
  Address address = 0;
  streams_->context().enter().allocate(&address, size);
  pieces_.emplace(address, size);
  free_.emplace(address, size);
  by_size_.emplace(size, address);
}

void CudaMemory::return_free_pieces() {
  std::erase_if(pieces_, [&](const auto& piece) {
    const auto whole = free_.find(piece.first);
    if (whole == free_.end() || whole->second != piece.second) return false;
    streams_->context().driver().free(piece.first);
    by_size_.erase({whole->second, whole->first});
    free_.erase(whole);
    return true;
  });
}

// --- Arenas

namespace {

class CudaArena final : public Arena {
 public:
  CudaArena(std::shared_ptr<CudaStreams> streams, std::shared_ptr<CudaMemory> memory,
            const DeviceModes& modes, size_t bytes)
      : streams_(std::move(streams)), memory_(std::move(memory)), modes_(modes) {
    require(bytes < kMostBytes, ErrorCode::out_of_memory,
            "an arena must fit into addresses:", bytes);
    const Driver& driver = streams_->context().enter();
    properties_.location.number = streams_->context().number();
    size_t unit = 0;
    driver.granularity(&unit, &properties_, 0);
    unit_ = std::max(unit, kPiece);
    reserved_ = round_up(std::max<size_t>(bytes, 1), unit_);
    Address address = 0;
    driver.reserve(&address, reserved_, 0, 0, 0);
    base_ = pointer_to(address);
  }

  CudaArena(const CudaArena&) = delete;
  CudaArena& operator=(const CudaArena&) = delete;

  // Work that waits may use its pages, so without a wait they stay, and so do their addresses.
  ~CudaArena() override {
    memory_->gauge().subtract(committed_);
    const Driver& driver = streams_->context().driver();
    driver.set_context.result_of(streams_->context().handle());
    if (driver.synchronize.result_of() != kSuccess) return;
    for (const Pages& pages : pages_) {
      if (!unmap(pages)) return;
    }
    driver.free_reserved.result_of(address_on_card(base_), reserved_);
  }

  void commit(size_t bytes) override {
    require(bytes <= reserved_, ErrorCode::limit_exceeded,
            "committed memory must be reserved:", bytes, reserved_);
    const size_t end = round_up(bytes, unit_);
    if (end <= committed_) return;
    const Pages pages = map(committed_, end - committed_);
    pages_.push_back(pages);
    try {
      const auto use = streams_->use(StreamId{});
      fill(use, address_on_card(base_) + pages.begin, modes_.poison ? kPoisonWord : 0, pages.bytes);
      use.driver().synchronize_stream(use.stream());
    } catch (...) {
      const bool is_idle = streams_->context().driver().synchronize.result_of() == kSuccess;
      if (is_idle && unmap(pages)) pages_.pop_back();
      throw;
    }
    memory_->gauge().add(end - committed_);
    committed_ = end;
  }

  // Only what was committed at once is returned at once.
  void trim(size_t bytes) override {
    if (pages_.empty() || pages_.back().begin < bytes) return;
    streams_->finish();
    while (!pages_.empty() && pages_.back().begin >= bytes && unmap(pages_.back())) {
      memory_->gauge().subtract(committed_ - pages_.back().begin);
      committed_ = pages_.back().begin;
      pages_.pop_back();
    }
  }

 private:
  struct Pages {
    size_t begin;
    size_t bytes;
  };

  Pages map(size_t begin, size_t bytes) const {
    const Driver& driver = streams_->context().enter();
    const Address address = address_on_card(base_) + begin;
    MemoryHandle handle = 0;
    driver.create(&handle, bytes, &properties_, 0);
    const Result mapped = driver.map.result_of(address, bytes, 0, handle, 0);
    driver.release.result_of(handle);  // The mapping keeps the memory.
    if (mapped != kSuccess) driver.fail_call("cuMemMap", mapped);
    const MemoryAccess access{.location = properties_.location};
    const Result allowed = driver.set_access.result_of(address, bytes, &access, 1);
    if (allowed != kSuccess) {
      driver.unmap.result_of(address, bytes);
      driver.fail_call("cuMemSetAccess", allowed);
    }
    return {begin, bytes};
  }

  bool unmap(const Pages& pages) const {
    return streams_->context().driver().unmap.result_of(address_on_card(base_) + pages.begin,
                                                        pages.bytes) == kSuccess;
  }

  std::shared_ptr<CudaStreams> streams_;
  std::shared_ptr<CudaMemory> memory_;
  const DeviceModes& modes_;
  MemoryProperties properties_;
  size_t unit_ = 0;
  std::vector<Pages> pages_;
};

}  // namespace

std::shared_ptr<Arena> reserve_arena(std::shared_ptr<CudaStreams> streams,
                                     std::shared_ptr<CudaMemory> memory, const DeviceModes& modes,
                                     size_t bytes) {
  return std::make_shared<CudaArena>(std::move(streams), std::move(memory), modes, bytes);
}

// --- Fills

std::vector<FillPart> parts_of_fill(Address begin, uint32_t word, size_t bytes) {
  std::vector<FillPart> parts;
  size_t offset = 0;
  const auto add_bytes = [&](size_t end) {
    for (; offset < end; ++offset) {
      parts.push_back({offset, word >> (8 * (offset % 4)) & 0xff, 1, 1});
    }
  };
  if (word == (word & 0xff) * 0x01010101U) {
    if (bytes > 0) parts.push_back({0, word & 0xff, 1, bytes});
    return parts;
  }
  add_bytes(std::min<size_t>(bytes, (4 - begin % 4) % 4));
  const size_t words = (bytes - offset) / 4;
  if (words > 0) {
    const uint32_t turned = std::rotr(word, static_cast<int>(8 * (offset % 4)));
    parts.push_back({offset, turned, 4, words});
    offset += 4 * words;
  }
  add_bytes(bytes);
  return parts;
}

void fill(const CudaStreams::Use& use, Address begin, uint32_t word, size_t bytes) {
  const Driver& driver = use.driver();
  for (const FillPart& part : parts_of_fill(begin, word, bytes)) {
    const Address to = begin + part.offset;
    if (part.element_bytes == 4) {
      driver.fill_words(to, part.value, part.elements, use.stream());
    } else {
      driver.fill_bytes(to, static_cast<unsigned char>(part.value), part.elements, use.stream());
    }
  }
}

}  // namespace litz::runtime::cuda
