#include "runtime/program/tested_memory.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace litz::runtime {
namespace {

// A multiple of every alignment that kernels are compiled for.
constexpr size_t kMargin = 256;

}  // namespace

bool tests_memory(const DeviceModes& modes) {
  return modes.poison || modes.check_accesses || modes.watch_memory || modes.count_nodes;
}

void check_arena(const artifact::LaunchList& list, std::span<const Binding> bindings) {
  std::vector<size_t> order;
  for (size_t i = 0; i < list.storages.size(); ++i) {
    const bool has_place =
        list.storages[i].kind == artifact::StorageKind::arena && bindings[i].bytes > 0;
    if (has_place) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](size_t i) { return bindings[i].base; });
  for (auto i = order.begin(); i != order.end(); ++i) {
    const artifact::PlannedStorage& a = list.storages[*i];
    const std::byte* const end = bindings[*i].base + bindings[*i].bytes;
    for (auto j = i + 1; j != order.end() && bindings[*j].base < end; ++j) {
      const artifact::PlannedStorage& b = list.storages[*j];
      check(a.last < b.first || b.last < a.first,
            "storages that are used at the same time do not overlap:", a.name, "and", b.name);
    }
  }
}

MemoryPlace tested_output(GraphDevice& device, StreamId stream, size_t bytes) {
  std::shared_ptr<Storage> memory = device.allocate_on(stream, bytes + 2 * kMargin);
  std::byte* const base = memory->address();
  if (device.modes().poison) device.fill(stream, base, kPoisonWord, memory->size());
  return {std::move(memory), base + kMargin, false};
}

std::vector<WatchedMemory> watched_memory(const std::shared_ptr<Storage>& arena,
                                          std::span<const MemoryPlace> places,
                                          std::span<const size_t> outputs) {
  std::vector<WatchedMemory> watched{{arena->address(), arena->size(), true}};
  for (size_t i = 0; i < places.size(); ++i) {
    const std::shared_ptr<Storage>& memory = places[i].memory;
    // Memory that cannot be written needs no watching.
    if (memory == nullptr || memory == arena || !memory->is_writable()) continue;
    const bool is_output = std::ranges::binary_search(outputs, i);
    watched.push_back({memory->address(), memory->size(), is_output});
  }
  return watched;
}

}  // namespace litz::runtime
