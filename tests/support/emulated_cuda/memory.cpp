// Memory of the emulated card: addresses of this process that only work of the card may access.

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

#include "machine.h"

namespace emulated {
namespace {

using litz::runtime::cuda::MemoryAccess;
using litz::runtime::cuda::MemoryProperties;

constexpr size_t kRegion = size_t{256} << 30;
constexpr size_t kPage = 4096;
constexpr size_t kUnit = size_t{2} << 20;
constexpr uint32_t kPoison = 0xfff7fff7;

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

struct Pages {
  size_t bytes = 0;
  bool is_released = false;
  bool is_mapped = false;
};

struct Mapping {
  size_t bytes;
  Pages* pages;
  bool is_usable;
};

struct Memory {
  char* region = nullptr;
  std::map<size_t, size_t> taken;      ///< Offset to size of all address ranges.
  std::map<size_t, size_t> live;       ///< Those that may be accessed; sizes as asked for.
  std::map<size_t, size_t> allocated;  ///< Of cuMemAlloc.
  std::map<size_t, size_t> reserved;   ///< Of cuMemAddressReserve.
  std::map<size_t, Mapping> mapped;
  std::map<const char*, size_t> pinned;
  Handles<Pages> pages{"memory handle"};
  size_t bytes = 0;
  int open = 0;

  Memory() {
    void* const mapping =
        ::mmap(nullptr, kRegion, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) misuse("no addresses for an emulated card");
    region = static_cast<char*>(mapping);
    region +=
        round_up(reinterpret_cast<uintptr_t>(region), kUnit) - reinterpret_cast<uintptr_t>(region);
  }
};

Memory& memory() {
  static auto* const only = new Memory;
  return *only;
}

size_t most_bytes() {
  static const auto most =
      static_cast<size_t>(setting("LITZ_EMULATED_CUDA_MEMORY", int64_t{8} << 30));
  return most;
}

bool has_room(size_t bytes) { return memory().bytes + bytes <= most_bytes(); }

size_t offset_of(Address address) {
  return static_cast<size_t>(static_cast<char*>(pointer_to(address)) - memory().region);
}

Address address_of(size_t offset) { return reinterpret_cast<uintptr_t>(memory().region + offset); }

/// Takes addresses, with a page behind them that is never accessible.
size_t take(size_t bytes, size_t alignment) {
  size_t offset = 0;
  for (const auto& [begin, size] : memory().taken) {
    if (begin >= offset + bytes + kPage) break;
    offset = round_up(begin + size + kPage, alignment);
  }
  if (offset + bytes + kUnit > kRegion) misuse("the addresses of the emulated card are used up");
  memory().taken.emplace(offset, bytes);
  return offset;
}

void protect(size_t offset, size_t bytes, int rights) {
  if (::mprotect(memory().region + offset, round_up(bytes, kPage), rights) != 0) {
    misuse("memory of the emulated card could not be protected");
  }
}

void poison(size_t offset, size_t bytes) {
  auto* const words = reinterpret_cast<uint32_t*>(memory().region + offset / 4 * 4);
  std::fill(words, words + (bytes + 3) / 4, kPoison);
}

void make_live(size_t offset, size_t bytes) {
  memory().live.emplace(offset, bytes);
  const OpenMemory open;
  protect(offset, bytes, PROT_READ | PROT_WRITE);
  // Only the ends of large memory, which would else take up as much of the host's.
  constexpr size_t kEnd = size_t{16} << 20;
  const size_t head = std::min(bytes, kEnd);
  poison(offset, head);
  poison(offset + std::max(head, bytes - std::min(bytes, kEnd)), std::min(bytes - head, kEnd));
}

void end_live(size_t offset, size_t bytes) {
  memory().live.erase(offset);
  protect(offset, bytes, PROT_NONE);
  ::madvise(memory().region + offset, round_up(bytes, kPage), MADV_DONTNEED);
}

}  // namespace

OpenMemory::OpenMemory() {
  if (memory().open++ > 0) return;
  for (const auto& [offset, bytes] : memory().live) protect(offset, bytes, PROT_READ | PROT_WRITE);
}

OpenMemory::~OpenMemory() {
  if (--memory().open > 0) return;
  for (const auto& [offset, bytes] : memory().live) protect(offset, bytes, PROT_NONE);
}

bool is_pinned(const void* begin) {
  const auto* const byte = static_cast<const char*>(begin);
  auto after = memory().pinned.upper_bound(byte);
  return after != memory().pinned.begin() && (--after)->first + after->second > byte;
}

void require_usable(Address begin, size_t bytes, const char* what) {
  if (is_pinned(pointer_to(begin))) return;
  const size_t offset = offset_of(begin);
  auto after = memory().live.upper_bound(offset);
  // Mappings that follow each other are one range.
  size_t end = offset;
  if (after != memory().live.begin()) {
    --after;
    end = after->first + after->second;
    for (++after; after != memory().live.end() && after->first == end; ++after) {
      end += after->second;
    }
  }
  if (offset + bytes > end) misuse(std::string(what) + " touches memory that is not allocated");
}

size_t live_memory() {
  return memory().allocated.size() + memory().reserved.size() + memory().mapped.size() +
         memory().pinned.size() + memory().pages.count();
}

}  // namespace emulated

using namespace emulated;

extern "C" {

Result cuDeviceTotalMem_v2(size_t* bytes, int device) {
  *bytes = most_bytes();
  return device == 0 ? kSuccess : kInvalidDevice;
}

Result cuMemAlloc_v2(Address* address, size_t bytes) {
  return enter("cuMemAlloc", true, [&] {
    if (bytes == 0) return kInvalidValue;
    if (!has_room(bytes)) return kOutOfMemory;
    const size_t offset = take(round_up(bytes, kPage), kPage);
    memory().allocated.emplace(offset, bytes);
    memory().bytes += bytes;
    make_live(offset, bytes);
    *address = address_of(offset);
    return kSuccess;
  });
}

Result cuMemFree_v2(Address address) {
  return enter("cuMemFree", true, [&] {
    finish_all();
    const size_t offset = offset_of(address);
    const auto found = memory().allocated.find(offset);
    if (found == memory().allocated.end()) misuse("cuMemFree of what was not allocated");
    end_live(offset, found->second);
    memory().bytes -= found->second;
    memory().taken.erase(offset);
    memory().allocated.erase(found);
    return kSuccess;
  });
}

Result cuMemHostAlloc(void** begin, size_t bytes, unsigned /*flags*/) {
  return enter("cuMemHostAlloc", true, [&] {
    if (bytes == 0) return kInvalidValue;
    *begin = std::aligned_alloc(kPage, round_up(bytes, kPage));
    auto* const words = static_cast<uint32_t*>(*begin);
    std::fill(words, words + bytes / 4, kPoison);
    memory().pinned.emplace(static_cast<const char*>(*begin), bytes);
    return kSuccess;
  });
}

Result cuMemFreeHost(void* begin) {
  return enter("cuMemFreeHost", true, [&] {
    finish_all();
    if (memory().pinned.erase(static_cast<const char*>(begin)) == 0) {
      misuse("cuMemFreeHost of what was not allocated");
    }
    std::free(begin);
    return kSuccess;
  });
}

Result cuMemHostGetDevicePointer_v2(Address* address, void* begin, unsigned flags) {
  return enter("cuMemHostGetDevicePointer", true, [&] {
    if (!is_pinned(begin) || flags != 0) return kInvalidValue;
    *address = reinterpret_cast<uintptr_t>(begin);
    return kSuccess;
  });
}

Result cuMemAddressReserve(Address* address, size_t bytes, size_t /*alignment*/, Address /*hint*/,
                           unsigned long long flags) {
  return enter("cuMemAddressReserve", true, [&] {
    if (bytes == 0 || bytes % kUnit != 0 || flags != 0) return kInvalidValue;
    const size_t offset = take(bytes, kUnit);
    memory().reserved.emplace(offset, bytes);
    *address = address_of(offset);
    return kSuccess;
  });
}

Result cuMemAddressFree(Address address, size_t bytes) {
  return enter("cuMemAddressFree", true, [&] {
    const size_t offset = offset_of(address);
    const auto found = memory().reserved.find(offset);
    if (found == memory().reserved.end() || found->second != bytes) {
      misuse("cuMemAddressFree of what was not reserved");
    }
    const auto mapped = memory().mapped.lower_bound(offset);
    if (mapped != memory().mapped.end() && mapped->first < offset + bytes) {
      misuse("cuMemAddressFree of addresses that are mapped");
    }
    memory().taken.erase(offset);
    memory().reserved.erase(found);
    return kSuccess;
  });
}

Result cuMemGetAllocationGranularity(size_t* bytes, const MemoryProperties* /*properties*/,
                                     int /*option*/) {
  *bytes = kUnit;
  return kSuccess;
}

Result cuMemCreate(unsigned long long* handle, size_t bytes, const MemoryProperties* properties,
                   unsigned long long flags) {
  return enter("cuMemCreate", true, [&] {
    const bool is_valid = bytes > 0 && bytes % kUnit == 0 && flags == 0 && properties->type == 1 &&
                          properties->location.type == 1 && properties->location.number == 0;
    if (!is_valid) return kInvalidValue;
    if (!has_room(bytes)) return kOutOfMemory;
    memory().bytes += bytes;
    auto pages = std::make_unique<Pages>();
    pages->bytes = bytes;
    *handle = reinterpret_cast<uintptr_t>(memory().pages.add(std::move(pages)));
    return kSuccess;
  });
}

static void drop_unused(Pages* pages) {
  if (!pages->is_released || pages->is_mapped) return;
  memory().bytes -= pages->bytes;
  memory().pages.remove(pages);
}

Result cuMemRelease(unsigned long long handle) {
  return enter("cuMemRelease", true, [&] {
    Pages& pages = memory().pages.get(pointer_to(handle));
    if (pages.is_released) misuse("cuMemRelease twice");
    pages.is_released = true;
    drop_unused(&pages);
    return kSuccess;
  });
}

Result cuMemMap(Address address, size_t bytes, size_t from, unsigned long long handle,
                unsigned long long flags) {
  return enter("cuMemMap", true, [&] {
    Pages& pages = memory().pages.get(pointer_to(handle));
    const size_t offset = offset_of(address);
    auto range = memory().reserved.upper_bound(offset);
    const bool is_reserved =
        range != memory().reserved.begin() && offset + bytes <= (--range)->first + range->second;
    const auto next = memory().mapped.lower_bound(offset);
    const bool is_free = next == memory().mapped.end() || next->first >= offset + bytes;
    if (!is_reserved || !is_free || pages.bytes != bytes || from != 0 || flags != 0) {
      return kInvalidValue;
    }
    pages.is_mapped = true;
    memory().mapped.emplace(offset, Mapping{bytes, &pages, false});
    return kSuccess;
  });
}

Result cuMemSetAccess(Address address, size_t bytes, const MemoryAccess* access, size_t count) {
  return enter("cuMemSetAccess", true, [&] {
    const auto found = memory().mapped.find(offset_of(address));
    const bool is_valid = found != memory().mapped.end() && found->second.bytes == bytes &&
                          count == 1 && access->rights == 3 && access->location.type == 1;
    if (!is_valid) return kInvalidValue;
    if (!found->second.is_usable) make_live(found->first, bytes);
    found->second.is_usable = true;
    return kSuccess;
  });
}

Result cuMemUnmap(Address address, size_t bytes) {
  return enter("cuMemUnmap", true, [&] {
    const auto found = memory().mapped.find(offset_of(address));
    if (found == memory().mapped.end() || found->second.bytes != bytes) return kInvalidValue;
    if (has_work_here()) misuse("cuMemUnmap while work waits");
    if (found->second.is_usable) end_live(found->first, bytes);
    Pages* const pages = found->second.pages;
    memory().mapped.erase(found);
    pages->is_mapped = false;
    drop_unused(pages);
    return kSuccess;
  });
}

}  // extern "C"
