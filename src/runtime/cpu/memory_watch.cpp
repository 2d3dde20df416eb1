#include "runtime/cpu/memory_watch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/cpu/host_arena.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

uint64_t address_of(const std::byte* byte) { return reinterpret_cast<uintptr_t>(byte); }

std::byte* byte_at(uint64_t address) {
  return reinterpret_cast<std::byte*>(static_cast<uintptr_t>(address));
}

// The bytes of the ranges as disjoint ranges in ascending order.
std::vector<ByteRange> united(std::span<const ByteRange> ranges, bool only_writes) {
  std::vector<ByteRange> sorted;
  for (const ByteRange& range : ranges) {
    if (range.begin < range.end && (range.is_write || !only_writes)) sorted.push_back(range);
  }
  std::ranges::sort(sorted, {}, &ByteRange::begin);
  std::vector<ByteRange> result;
  for (const ByteRange& range : sorted) {
    if (!result.empty() && range.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, range.end);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

// Parts of the memory inside and outside of the united ranges.
struct Parts {
  std::vector<ByteRange> inside;
  std::vector<ByteRange> outside;
};

Parts parts_of(const WatchedMemory& memory, std::span<const ByteRange> ranges) {
  Parts parts;
  uint64_t at = address_of(memory.begin);
  const uint64_t end = at + memory.bytes;
  for (const ByteRange& range : ranges) {
    const uint64_t from = std::clamp(range.begin, at, end);
    const uint64_t to = std::clamp(range.end, at, end);
    if (from >= to) continue;
    if (at < from) parts.outside.push_back({at, from});
    parts.inside.push_back({from, to});
    at = to;
  }
  if (at < end) parts.outside.push_back({at, end});
  return parts;
}

}  // namespace

MemoryWatch::MemoryWatch(std::vector<WatchedMemory> memory) {
  std::ranges::sort(memory, [](const WatchedMemory& a, const WatchedMemory& b) {
    return address_of(a.begin) < address_of(b.begin);
  });
  for (const WatchedMemory& range : memory) {
    if (range.bytes == 0) continue;
    if (memory_.empty() || memory_.back().now.begin + memory_.back().now.bytes <= range.begin) {
      memory_.push_back({range, {}});
      continue;
    }
    WatchedMemory& last = memory_.back().now;
    last.bytes = static_cast<size_t>(std::max(last.begin + last.bytes, range.begin + range.bytes) -
                                     last.begin);
    last.is_own = last.is_own && range.is_own;
  }
  for (Watched& watched : memory_) {
    watched.before.assign(watched.now.begin, watched.now.begin + watched.now.bytes);
  }
}

void MemoryWatch::run(const std::string& name, std::span<const ByteRange> declared,
                      const detail::FunctionRef<void()>& launch) {
  const std::vector<ByteRange> touched = united(declared, false);
  const std::vector<ByteRange> written = united(declared, true);
  launch();
  check_unchanged(name, written);
  const std::vector<std::byte> results = contents(written);
  prepare_again(touched, written);
  bool is_same = false;
  try {
    launch();
    is_same = contents(written) == results;
  } catch (const Error&) {
    is_same = false;  // Poison made it fail.
  }
  const bool has_kept = is_poison_left(touched);
  settle(touched, written, results);
  check(has_kept, "a launch writes only what it declares:", name);
  check(is_same, "a launch reads only what it declares:", name);
}

bool MemoryWatch::is_poison_left(std::span<const ByteRange> touched) const {
  std::vector<std::byte> poison;
  for (const Watched& watched : memory_) {
    if (!watched.now.is_own) continue;
    for (const ByteRange& part : parts_of(watched.now, touched).outside) {
      const size_t bytes = part.end - part.begin;
      if (poison.size() < bytes) {
        poison.resize(bytes);
        fill_words(poison.data(), kPoisonWord, bytes);
      }
      if (std::memcmp(byte_at(part.begin), poison.data(), bytes) != 0) return false;
    }
  }
  return true;
}

void MemoryWatch::check_unchanged(const std::string& name,
                                  std::span<const ByteRange> written) const {
  for (const Watched& watched : memory_) {
    const uint64_t begin = address_of(watched.now.begin);
    for (const ByteRange& part : parts_of(watched.now, written).outside) {
      const std::byte* const now = byte_at(part.begin);
      const std::byte* const before = watched.before.data() + (part.begin - begin);
      const size_t bytes = part.end - part.begin;
      if (std::memcmp(now, before, bytes) == 0) continue;
      const auto at = std::mismatch(now, now + bytes, before).first;
      check(false, "a launch writes only what it declares:", name, "changes byte",
            address_of(at) - begin, "of", watched.now.bytes);
    }
  }
}

std::vector<std::byte> MemoryWatch::contents(std::span<const ByteRange> ranges) const {
  std::vector<std::byte> all;
  for (const Watched& watched : memory_) {
    for (const ByteRange& part : parts_of(watched.now, ranges).inside) {
      all.insert(all.end(), byte_at(part.begin), byte_at(part.end));
    }
  }
  return all;
}

void MemoryWatch::prepare_again(std::span<const ByteRange> touched,
                                std::span<const ByteRange> written) {
  for (const Watched& watched : memory_) {
    const uint64_t begin = address_of(watched.now.begin);
    for (const ByteRange& part : parts_of(watched.now, written).inside) {
      std::memcpy(byte_at(part.begin), watched.before.data() + (part.begin - begin),
                  part.end - part.begin);
    }
    if (!watched.now.is_own) continue;
    for (const ByteRange& part : parts_of(watched.now, touched).outside) {
      fill_words(byte_at(part.begin), kPoisonWord, part.end - part.begin);
    }
  }
}

// Restores the state after the first run.
void MemoryWatch::settle(std::span<const ByteRange> touched, std::span<const ByteRange> written,
                         std::span<const std::byte> results) {
  for (Watched& watched : memory_) {
    const uint64_t begin = address_of(watched.now.begin);
    for (const ByteRange& part : parts_of(watched.now, written).inside) {
      const size_t bytes = part.end - part.begin;
      std::memcpy(watched.before.data() + (part.begin - begin), results.data(), bytes);
      std::memcpy(byte_at(part.begin), results.data(), bytes);
      results = results.subspan(bytes);
    }
    if (!watched.now.is_own) continue;
    for (const ByteRange& part : parts_of(watched.now, touched).outside) {
      std::memcpy(byte_at(part.begin), watched.before.data() + (part.begin - begin),
                  part.end - part.begin);
    }
  }
}

}  // namespace litz::runtime
