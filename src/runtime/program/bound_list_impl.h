// The implementation of a bound list: bound_list.cpp binds it, bound_list_run.cpp runs it and
// rebinds it to other sizes.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/program/bound_list.h"
#include "runtime/program/edge_finder.h"
#include "runtime/program/memory_place.h"
#include "runtime/program/size_table.h"
#include "support/check.h"

namespace litz::runtime {

struct BoundList::Impl {
  Impl(const LoadedProgram& program, const artifact::LaunchList& launches, Bindings values,
       const ListMemory& memory);

  // --- Binding

  void check_assertions() const;
  void prepare_storages(const ListMemory& memory);
  void place_arena(const ListMemory& memory);
  artifact::ArenaLayout::Range range_of(const artifact::PlannedStorage& storage, int64_t bytes,
                                        const artifact::ArenaLayout* layout) const;
  void build(const ListMemory& memory);
  NodeId add_launch(GraphBuilder& graph, const artifact::Launch& launch,
                    std::span<const NodeId> dependencies, const ListMemory& memory);
  NodeId add_kernel(GraphBuilder& graph, const artifact::KernelLaunch& work,
                    std::span<const NodeId> dependencies, std::span<const Access> accesses);
  NodeId add_call(GraphBuilder& graph, std::unique_ptr<BoundCall> call,
                  std::span<const NodeId> dependencies, std::span<const Access> accesses);
  std::unique_ptr<BoundCall> bind_library(const artifact::LibraryLaunch& launch);
  void add_releases(GraphBuilder& graph, EdgeFinder& edges, int32_t launch);
  void note_parts(NodeId node, std::span<const artifact::Slot> slots,
                  std::span<const Expr> scalars);
  void prepare_outputs();

  /// False if the list must be bound from the start.
  bool can_rebind() const;
  /// Returns false if the list must be bound anew, also if that shows half-way.
  bool rebind(const Bindings& symbols, const ListMemory& memory);
  void patch_sizes();

  int64_t value(Expr expr) const { return sizes.value_of(expr); }

  Ref ref(const artifact::Slot& slot) const { return {slot.storage, value(slot.offset)}; }

  std::vector<Access> accesses_of(const artifact::Launch& launch) const;
  TouchedRange touched(const Access& access) const;
  uint64_t constants_of(const artifact::LibraryLaunch& launch) const;

  // --- Running

  void run(std::span<const Tensor* const> inputs, const ListCall& call,
           std::vector<Value>& outputs);
  void set_varying(std::span<const int64_t> values);
  void place_input(size_t storage, std::span<const Tensor* const> inputs);
  MemoryPlace given_output(std::span<const Tensor> into, size_t storage) const;
  MemoryPlace fresh_output(size_t bytes);
  void watch_memory();
  void patch_address(size_t storage);
  Value output(size_t index);

  // The shape of an output tensor, and the numbers of its expressions.
  struct OutputView {
    int32_t offset_number = 0;
    SizeNumbers size_numbers;
    SizeNumbers stride_numbers;
    std::shared_ptr<const Geometry> geometry;
  };

  /// By storage: the output that is the whole storage and shares it with no other one; -1: none.
  std::vector<int32_t> output_of_storage;

  // A part of a launch that depends on sizes.
  struct SizedPart {
    NodeId node;
    int32_t index = 0;
    int32_t number = 0;
  };

  // A scalar of a kernel or a call that differs between calls of the list.
  struct VaryingScalar {
    NodeId node;
    int32_t index = 0;
    Expr value;
  };

  const LoadedProgram& loaded;
  const artifact::LaunchList& list;
  SizeTable sizes;
  std::vector<Expr> varying;
  DeviceLibrary* library = nullptr;
  std::vector<VaryingScalar> varying_scalars;
  std::shared_ptr<Storage> arena;
  OutputPool* pool = nullptr;
  SharedMemory* shared = nullptr;
  bool is_tested = false;     // See tests_memory.
  StreamId stream;            // The stream of the call that binds or runs.
  SizeNumbers storage_bytes;  // By storage, like the next three.
  std::vector<MemoryPlace> places;
  std::vector<Binding> bindings;  // The bindings that the executable has now.
  std::vector<bool> is_written;
  std::vector<size_t> inputs_used;  // Storages that each call places.
  std::vector<size_t> outputs_used;
  std::vector<size_t> weights_used;
  std::vector<std::unique_ptr<BoundCall>> calls;  // Must outlive `exec`.
  std::vector<NodeId> call_nodes;                 // Of `calls`.
  std::vector<SizedPart> sized_scalars;
  std::vector<SizedPart> sized_extents;
  std::vector<SizedPart> sized_costs;
  std::vector<SizedPart> sized_offsets;
  std::vector<OutputView> views;  // By output; empty if it is not a tensor.
  std::vector<Patch> patches;
  std::unique_ptr<GraphExec> exec;
};

inline size_t as_size(int64_t value) {
  require(value >= 0, ErrorCode::out_of_range, "a size must not be negative:", value);
  return static_cast<size_t>(value);
}

}  // namespace litz::runtime
