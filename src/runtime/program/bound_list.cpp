#include <algorithm>
#include <utility>

#include "runtime/program/bound_list_impl.h"
#include "runtime/program/tested_memory.h"

namespace litz::runtime {

using artifact::PlannedStorage;
using artifact::StorageKind;
using artifact::TensorSlot;

BoundList::Impl::Impl(const LoadedProgram& program, const artifact::LaunchList& launches,
                      Bindings values, const ListMemory& memory)
    : loaded(program),
      list(launches),
      sizes(std::move(values)),
      varying(memory.varying),
      library(memory.library),
      pool(memory.outputs),
      shared(memory.shared),
      is_tested(tests_memory(loaded.device().modes())),
      stream(memory.stream) {
  check_assertions();
  prepare_storages(memory);
  place_arena(memory);
  build(memory);
  prepare_outputs();
}

void BoundList::Impl::check_assertions() const {
  for (const artifact::Assertion& assertion : list.assertions) {
    require(evaluate_boolean(assertion.condition, sizes.symbols()),
            "an assertion of the program must hold:", assertion.message);
  }
}

void BoundList::Impl::prepare_storages(const ListMemory& memory) {
  for (size_t i = 0; i < list.storages.size(); ++i) {
    const PlannedStorage& storage = list.storages[i];
    const auto index = static_cast<size_t>(storage.index);
    storage_bytes.push_back(sizes.add(storage.bytes));
    const size_t bytes = as_size(sizes[storage_bytes.back()]);
    MemoryPlace place;
    switch (storage.kind) {
      case StorageKind::arena:
        break;
      case StorageKind::weight:
        require(index < memory.weights.size() && memory.weights[index].defined(),
                "every weight must be there:", storage.name, storage.index);
        weights_used.push_back(i);
        place = place_of(memory.weights[index], true);
        require(bytes <= bytes_behind(place),
                "a weight must have all bytes that are used:", storage.name, bytes,
                bytes_behind(place));
        break;
      case StorageKind::input:
        inputs_used.push_back(i);
        break;
      case StorageKind::output:
        outputs_used.push_back(i);
        break;
    }
    places.push_back(std::move(place));
    bindings.push_back({places.back().base, bytes});
  }
  is_written.resize(list.storages.size());
  for (const artifact::Launch& launch : list.launches) {
    for (const artifact::Access& access : launch.accesses) {
      if (access.is_write) is_written[static_cast<size_t>(access.begin.storage)] = true;
    }
  }
  for (size_t i = 0; i < places.size(); ++i) {
    require(!places[i].is_lasting || !is_written[i] || places[i].memory->is_writable(),
            "memory that launches write must be writable:", list.storages[i].name);
  }
}

artifact::ArenaLayout::Range BoundList::Impl::range_of(const PlannedStorage& storage, int64_t bytes,
                                                       const artifact::ArenaLayout* layout) const {
  if (layout == nullptr) return {value(storage.offset), bytes};
  const auto index = static_cast<size_t>(storage.index);
  check(index < layout->ranges.size(), "a layout must place every storage:", storage.name);
  check(bytes <= layout->ranges[index].bytes,
        "a layout must have room for every size that it is for:", storage.name, bytes,
        layout->ranges[index].bytes);
  return layout->ranges[index];
}

void BoundList::Impl::place_arena(const ListMemory& memory) {
  check(!list.has_layouts || memory.layout != nullptr,
        "a list must be given its layout:", list.name);
  const artifact::ArenaLayout* const layout = list.has_layouts ? memory.layout : nullptr;
  const size_t needed = as_size(layout != nullptr ? layout->bytes : value(list.arena_bytes));
  if (memory.arena != nullptr) arena = memory.arena;
  if (arena == nullptr || (memory.arena == nullptr && arena->size() < needed)) {
    arena = loaded.device().allocate(needed);
  }
  require(arena->size() >= needed, "the arena must have room for the list:", arena->size(), needed);
  if (loaded.device().modes().poison) {
    loaded.device().fill(stream, arena->address(), kPoisonWord, arena->size());
  }
  for (size_t i = 0; i < list.storages.size(); ++i) {
    const PlannedStorage& storage = list.storages[i];
    if (storage.kind != StorageKind::arena) continue;
    const int64_t bytes = sizes[storage_bytes[i]];
    const artifact::ArenaLayout::Range range = range_of(storage, bytes, layout);
    const size_t offset = as_size(range.offset);
    require(offset <= arena->size() && as_size(bytes) <= arena->size() - offset,
            ErrorCode::out_of_range, "a storage must lie in the arena:", storage.name, offset,
            bytes, arena->size());
    std::byte* const base = arena->address() + offset;
    if (places[i].base != base || places[i].memory != arena) places[i] = {arena, base, true};
    bindings[i] = {base, as_size(bytes)};
  }
  if (loaded.device().modes().check_accesses) check_arena(list, bindings);
}

std::vector<Access> BoundList::Impl::accesses_of(const artifact::Launch& launch) const {
  std::vector<Access> accesses;
  for (const artifact::Access& access : launch.accesses) {
    const size_t bytes = as_size(value(access.bytes));
    if (bytes == 0) continue;  // An empty view may lie past the end of its storage.
    accesses.push_back({ref(access.begin), bytes, access.is_write});
  }
  return accesses;
}

// The arguments that are constant weights, as bits.
uint64_t BoundList::Impl::constants_of(const artifact::LibraryLaunch& launch) const {
  uint64_t bits = 0;
  for (size_t i = 0; i < launch.arguments.size() && i < 64; ++i) {
    const auto* const tensor = std::get_if<TensorSlot>(&launch.arguments[i]);
    if (tensor == nullptr) continue;
    const auto storage = static_cast<size_t>(tensor->slot.storage);
    const bool is_weight = list.storages[storage].kind == StorageKind::weight;
    if (is_weight && !is_written[storage]) bits |= uint64_t{1} << i;
  }
  return bits;
}

// The arena's storages share one memory, the others have one each.
TouchedRange BoundList::Impl::touched(const Access& access) const {
  const auto index = static_cast<size_t>(access.begin.buffer);
  const bool in_arena = list.storages[index].kind == StorageKind::arena;
  const int64_t base = in_arena ? places[index].base - arena->address() : 0;
  const int64_t begin = base + access.begin.offset;
  return {in_arena ? -1 : access.begin.buffer, begin, begin + static_cast<int64_t>(access.bytes),
          access.is_write};
}

NodeId BoundList::Impl::add_kernel(GraphBuilder& graph, const artifact::KernelLaunch& work,
                                   std::span<const NodeId> dependencies,
                                   std::span<const Access> accesses) {
  std::vector<Ref> pointers;
  std::vector<int64_t> scalars;
  std::vector<int64_t> extents;
  std::vector<int64_t> costs;
  for (const artifact::Slot& slot : work.buffers) pointers.push_back(ref(slot));
  for (const Expr& scalar : work.scalars) scalars.push_back(value(scalar));
  const artifact::KernelCode& kernel = loaded.code(work.kernel);
  for (const artifact::KernelPhase& phase : kernel.phases) {
    extents.push_back(std::max<int64_t>(0, value(phase.iterations)));
    costs.push_back(std::max<int64_t>(0, value(phase.cost)));
  }
  const NodeId node = graph.kernel(
      dependencies, {loaded.kernel(work.kernel), pointers, scalars, extents, accesses, costs});
  note_parts(node, work.buffers, work.scalars);
  const auto note = [&](std::vector<SizedPart>& parts, size_t phase, Expr expr) {
    if (expr.is_constant()) return;
    parts.push_back({node, static_cast<int32_t>(phase), sizes.add(expr)});
  };
  for (size_t i = 0; i < kernel.phases.size(); ++i) {
    note(sized_extents, i, kernel.phases[i].iterations);
    note(sized_costs, i, kernel.phases[i].cost);
  }
  return node;
}

NodeId BoundList::Impl::add_call(GraphBuilder& graph, std::unique_ptr<BoundCall> call,
                                 std::span<const NodeId> dependencies,
                                 std::span<const Access> accesses) {
  std::vector<Ref> pointers;
  std::vector<int64_t> scalars;
  for (const artifact::Slot& slot : call->operands()) {
    const bool is_absent = slot.storage == artifact::kNoStorage;
    pointers.push_back(is_absent ? Ref::fixed(nullptr) : ref(slot));
  }
  for (const Expr& scalar : call->scalars()) scalars.push_back(value(scalar));
  const NodeId node = graph.call(dependencies, {call.get(), pointers, scalars, accesses});
  note_parts(node, call->operands(), call->scalars());
  calls.push_back(std::move(call));
  call_nodes.push_back(node);
  return node;
}

std::unique_ptr<BoundCall> BoundList::Impl::bind_library(const artifact::LibraryLaunch& launch) {
  LibrarySupport support{.constants = constants_of(launch)};
  if (launch.epilogue) {
    support.epilogue = &loaded.code(launch.epilogue->kernel);
    support.epilogue_kernel = loaded.kernel(launch.epilogue->kernel);
  }
  return library->bind(launch, sizes, support);
}

NodeId BoundList::Impl::add_launch(GraphBuilder& graph, const artifact::Launch& launch,
                                   std::span<const NodeId> dependencies, const ListMemory& memory) {
  std::vector<Access> accesses;
  const bool are_needed =
      is_tested || loaded.device().modes().audit_pointers || loaded.device().caps().copies_operands;
  if (are_needed) {
    accesses = accesses_of(launch);
    // A launch on empty tensors declares an empty access.
    if (accesses.empty() && !launch.accesses.empty()) accesses.emplace_back();
  }
  if (const auto* const kernel = std::get_if<artifact::KernelLaunch>(&launch.work)) {
    return add_kernel(graph, *kernel, dependencies, accesses);
  }
  if (const auto* const copy = std::get_if<artifact::CopyLaunch>(&launch.work)) {
    return graph.copy(dependencies, ref(copy->to), ref(copy->from), as_size(value(copy->bytes)));
  }
  check(library != nullptr, "calls need a library:", launch.label);
  if (const auto* const call = std::get_if<artifact::LibraryLaunch>(&launch.work)) {
    return add_call(graph, bind_library(*call), dependencies, accesses);
  }
  const auto& supplied = std::get<artifact::CallLaunch>(launch.work);
  const auto index = static_cast<size_t>(supplied.call);
  require(index < memory.calls.size(), "every call must be supplied:", supplied.call);
  return add_call(graph, library->bind(supplied, memory.calls[index], sizes, varying), dependencies,
                  accesses);
}

// Poison mode: memory of the arena whose last user was `launch` must not be read any more.
void BoundList::Impl::add_releases(GraphBuilder& graph, EdgeFinder& edges, int32_t launch) {
  for (size_t i = 0; i < list.storages.size(); ++i) {
    const PlannedStorage& storage = list.storages[i];
    if (storage.kind != StorageKind::arena || storage.last != launch) continue;
    const Access access{{static_cast<BufferId>(i), 0}, bindings[i].bytes, true};
    const TouchedRange range = touched(access);
    const std::vector<NodeId> dependencies = edges.dependencies({&range, 1});
    const NodeId node = graph.release(dependencies, access.begin, access.bytes);
    graph.label(node, list.launches[static_cast<size_t>(launch)].label);
    edges.add(node, {&range, 1});
  }
}

void BoundList::Impl::build(const ListMemory& memory) {
  const DeviceModes& modes = loaded.device().modes();
  // Edges have no effect where nodes run in order.
  const bool needs_edges =
      !loaded.device().caps().is_immediate || modes.check_accesses || modes.order_seed.has_value();
  const std::unique_ptr<GraphBuilder> graph = loaded.device().begin();
  EdgeFinder edges;
  for (size_t i = 0; i < list.launches.size(); ++i) {
    const artifact::Launch& launch = list.launches[i];
    std::vector<TouchedRange> ranges;
    std::vector<NodeId> dependencies;
    if (needs_edges) {
      for (const Access& access : accesses_of(launch)) ranges.push_back(touched(access));
      dependencies = edges.dependencies(ranges);
    }
    const NodeId node = add_launch(*graph, launch, dependencies, memory);
    graph->label(node, launch.label);
    if (needs_edges) edges.add(node, ranges);
    if (modes.poison) add_releases(*graph, edges, static_cast<int32_t>(i));
  }
  exec = loaded.device().instantiate(*graph, bindings);
}

// Records the parts of a node that sizes and calls change.
void BoundList::Impl::note_parts(NodeId node, std::span<const artifact::Slot> slots,
                                 std::span<const Expr> scalars) {
  for (size_t i = 0; i < scalars.size(); ++i) {
    const auto index = static_cast<int32_t>(i);
    if (scalars[i].is_constant()) continue;
    const bool varies = std::ranges::any_of(
        varying, [&](Expr symbol) { return mentions(scalars[i], symbol.symbol()); });
    if (varies) varying_scalars.push_back({node, index, scalars[i]});
    sized_scalars.push_back({node, index, sizes.add(scalars[i])});
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].offset.is_constant()) continue;
    sized_offsets.push_back({node, static_cast<int32_t>(i), sizes.add(slots[i].offset)});
  }
}

void BoundList::Impl::prepare_outputs() {
  constexpr int32_t kShared = -2;
  output_of_storage.assign(list.storages.size(), -1);
  for (const artifact::ListOutput& output : list.outputs) {
    OutputView& view = views.emplace_back();
    const auto* const tensor = std::get_if<TensorSlot>(&output);
    if (tensor == nullptr) continue;
    int32_t& only = output_of_storage[static_cast<size_t>(tensor->slot.storage)];
    only = only == -1 ? static_cast<int32_t>(views.size()) - 1 : kShared;
    view.offset_number = sizes.add(tensor->slot.offset);
    view.size_numbers = add_all(sizes, tensor->type.sizes);
    view.stride_numbers = add_all(sizes, tensor->type.strides);
    view.geometry =
        std::make_shared<const Geometry>(Geometry{evaluate(tensor->type.sizes, sizes.symbols()),
                                                  evaluate(tensor->type.strides, sizes.symbols())});
  }
}

}  // namespace litz::runtime
