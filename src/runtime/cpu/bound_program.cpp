#include "runtime/cpu/bound_program.h"

#include <algorithm>
#include <utility>

#include "runtime/cpu/edge_finder.h"
#include "runtime/cpu/host_arena.h"
#include "runtime/cpu/host_exec.h"
#include "runtime/cpu/tested_memory.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using artifact::PlannedStorage;
using artifact::StorageKind;
using artifact::TensorSlot;

size_t size_of(const Expr& bytes, const Bindings& symbols) {
  const int64_t value = evaluate(bytes, symbols);
  require(value >= 0, ErrorCode::out_of_range, "a size must not be negative:", value);
  return static_cast<size_t>(value);
}

// Memory from element 0 of a tensor on.
MemoryPlace place_of(const Tensor& tensor, bool is_lasting) {
  return {tensor.storage(), const_cast<std::byte*>(tensor.data()), is_lasting};
}

size_t bytes_behind(const MemoryPlace& place) {
  return place.memory->size() - static_cast<size_t>(place.base - place.memory->data());
}

}  // namespace

struct BoundProgram::Impl {
  Impl(const LoadedProgram& loaded_program, Bindings values, const ProgramMemory& memory)
      : loaded(loaded_program),
        program(loaded.program()),
        symbols(std::move(values)),
        varying(memory.varying) {
    for (const artifact::Assertion& assertion : program.assertions) {
      require(evaluate_boolean(assertion.condition, symbols),
              "an assertion of the program must hold:", assertion.message);
    }
    place_storages(memory);
    build(memory);
    prepare_outputs();
  }

  // --- Binding

  void place_storages(const ProgramMemory& memory);
  MemoryPlace place_in_arena(const PlannedStorage& storage, size_t bytes) const;
  void build(const ProgramMemory& memory);
  NodeId add_launch(GraphBuilder& graph, const artifact::Launch& launch,
                    std::span<const NodeId> dependencies, const ProgramMemory& memory);
  NodeId add_kernel(GraphBuilder& graph, const artifact::KernelLaunch& work,
                    std::span<const NodeId> dependencies, std::span<const Access> accesses) const;
  NodeId add_call(GraphBuilder& graph, std::unique_ptr<BoundCall> call, const std::string& label,
                  std::span<const NodeId> dependencies, std::span<const Access> accesses);
  void add_releases(GraphBuilder& graph, EdgeFinder& edges, int32_t launch);
  void note_varying(NodeId node, const artifact::Launch& launch);
  void prepare_outputs();

  Ref ref(const artifact::Slot& slot) const {
    return {slot.storage, evaluate(slot.offset, symbols)};
  }

  std::vector<Access> accesses_of(const artifact::Launch& launch) const;
  TouchedRange touched(const Access& access) const;
  uint64_t constants_of(const artifact::LibraryLaunch& launch) const;

  // --- Running

  std::vector<Value> run(std::span<const Tensor* const> inputs, std::span<const int64_t> values);
  void set_varying(std::span<const int64_t> values);
  void place_input(size_t storage, std::span<const Tensor* const> inputs);
  MemoryPlace fresh_output(size_t bytes);
  void watch_memory();
  void rebind(size_t storage);
  Value output(size_t index);

  // The shape of an output that is a tensor.
  struct OutputView {
    int64_t offset = 0;  // Bytes.
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;
  };

  // A scalar of a kernel that calls may change.
  struct VaryingScalar {
    NodeId node;
    int32_t index = 0;
    Expr value;
  };

  const LoadedProgram& loaded;
  const artifact::Program& program;
  Bindings symbols;
  std::vector<SymbolId> varying;
  std::vector<VaryingScalar> varying_scalars;
  std::shared_ptr<Storage> arena;
  OutputPool* pool = nullptr;
  bool is_tested = false;           // See tests_memory.
  std::vector<MemoryPlace> places;  // By storage, like the next two.
  std::vector<Binding> bindings;    // As the executable knows them.
  std::vector<bool> is_written;
  std::vector<size_t> inputs_used;  // Storages that a call places.
  std::vector<size_t> outputs_used;
  std::vector<std::unique_ptr<BoundCall>> calls;
  std::vector<int32_t> launch_of_node;
  std::vector<OutputView> views;  // By output; empty where it is no tensor.
  std::vector<Patch> patches;
  std::unique_ptr<GraphExec> exec;
};

// --- Binding

MemoryPlace BoundProgram::Impl::place_in_arena(const PlannedStorage& storage, size_t bytes) const {
  const size_t offset = size_of(storage.offset, symbols);
  require(offset <= arena->size() && bytes <= arena->size() - offset, ErrorCode::out_of_range,
          "a storage must lie in the arena:", storage.name, offset, bytes, arena->size());
  return {arena, arena->mutable_data() + offset, true};
}

void BoundProgram::Impl::place_storages(const ProgramMemory& memory) {
  const size_t needed = arena_bytes(program, symbols);
  arena = memory.arena;
  pool = memory.outputs;
  is_tested = tests_memory(loaded.device().modes());
  if (arena == nullptr) {
    arena = Storage::allocate_uninitialized(needed);
    prefer_huge_pages(arena->mutable_data(), needed);
  }
  require(arena->size() >= needed, "the arena must have room for the program:", arena->size(),
          needed);
  if (loaded.device().modes().poison) fill_words(arena->mutable_data(), kPoisonWord, arena->size());
  for (size_t i = 0; i < program.storages.size(); ++i) {
    const PlannedStorage& storage = program.storages[i];
    const auto index = static_cast<size_t>(storage.index);
    const size_t bytes = size_of(storage.bytes, symbols);
    MemoryPlace place;
    switch (storage.kind) {
      case StorageKind::arena:
        place = place_in_arena(storage, bytes);
        break;
      case StorageKind::weight:
        require(index < memory.weights.size() && memory.weights[index].defined(),
                "every weight must be there:", storage.name, storage.index);
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
  is_written.resize(program.storages.size());
  for (const artifact::Launch& launch : program.launches) {
    for (const artifact::Access& access : launch.accesses) {
      if (access.is_write) is_written[static_cast<size_t>(access.begin.storage)] = true;
    }
  }
  for (size_t i = 0; i < places.size(); ++i) {
    require(!places[i].is_lasting || !is_written[i] || places[i].memory->is_writable(),
            "memory that the program writes must be writable:", program.storages[i].name);
  }
}

std::vector<Access> BoundProgram::Impl::accesses_of(const artifact::Launch& launch) const {
  std::vector<Access> accesses;
  for (const artifact::Access& access : launch.accesses) {
    accesses.push_back({ref(access.begin), size_of(access.bytes, symbols), access.is_write});
  }
  return accesses;
}

// The arguments that are weights and stay as they are, as bits.
uint64_t BoundProgram::Impl::constants_of(const artifact::LibraryLaunch& launch) const {
  uint64_t bits = 0;
  for (size_t i = 0; i < launch.arguments.size() && i < 64; ++i) {
    const auto* const tensor = std::get_if<TensorSlot>(&launch.arguments[i]);
    if (tensor == nullptr) continue;
    const auto storage = static_cast<size_t>(tensor->slot.storage);
    const bool is_weight = program.storages[storage].kind == StorageKind::weight;
    if (is_weight && !is_written[storage]) bits |= uint64_t{1} << i;
  }
  return bits;
}

// The arena's storages share one memory, the others have one each.
TouchedRange BoundProgram::Impl::touched(const Access& access) const {
  const auto index = static_cast<size_t>(access.begin.buffer);
  const bool in_arena = program.storages[index].kind == StorageKind::arena;
  const int64_t base = in_arena ? places[index].base - arena->data() : 0;
  const int64_t begin = base + access.begin.offset;
  return {in_arena ? -1 : access.begin.buffer, begin, begin + static_cast<int64_t>(access.bytes),
          access.is_write};
}

NodeId BoundProgram::Impl::add_kernel(GraphBuilder& graph, const artifact::KernelLaunch& work,
                                      std::span<const NodeId> dependencies,
                                      std::span<const Access> accesses) const {
  std::vector<Ref> pointers;
  std::vector<int64_t> scalars;
  std::vector<int64_t> extents;
  for (const artifact::Slot& slot : work.buffers) pointers.push_back(ref(slot));
  for (const Expr& scalar : work.scalars) scalars.push_back(artifact::scalar_bits(scalar, symbols));
  const artifact::KernelCode& kernel = program.kernels[static_cast<size_t>(work.kernel)];
  for (const artifact::KernelPhase& phase : kernel.phases) {
    extents.push_back(std::max<int64_t>(0, evaluate(phase.iterations, symbols)));
  }
  return graph.kernel(dependencies,
                      {loaded.kernel(work.kernel), pointers, scalars, extents, accesses});
}

NodeId BoundProgram::Impl::add_call(GraphBuilder& graph, std::unique_ptr<BoundCall> call,
                                    const std::string& label, std::span<const NodeId> dependencies,
                                    std::span<const Access> accesses) {
  call->attach_lasting(places);
  calls.push_back(std::move(call));
  const auto run_it = [this, &label, bound = calls.back().get()](StreamId) {
    try {
      bound->run(places);
    } catch (Error& error) {
      error.add_note("while running " + label);
      throw;
    }
  };
  return graph.captured(dependencies, run_it, accesses);
}

NodeId BoundProgram::Impl::add_launch(GraphBuilder& graph, const artifact::Launch& launch,
                                      std::span<const NodeId> dependencies,
                                      const ProgramMemory& memory) {
  const std::vector<Access> accesses = accesses_of(launch);
  if (const auto* const kernel = std::get_if<artifact::KernelLaunch>(&launch.work)) {
    return add_kernel(graph, *kernel, dependencies, accesses);
  }
  if (const auto* const copy = std::get_if<artifact::CopyLaunch>(&launch.work)) {
    return graph.copy(dependencies, ref(copy->to), ref(copy->from), size_of(copy->bytes, symbols));
  }
  if (const auto* const library = std::get_if<artifact::LibraryLaunch>(&launch.work)) {
    LibrarySupport support{memory.context, constants_of(*library)};
    if (library->epilogue) {
      const int32_t number = library->epilogue->kernel;
      support.epilogue = &program.kernels[static_cast<size_t>(number)];
      support.epilogue_function =
          loaded.device().kernel(loaded.kernel(number)).phases.at(0).function;
    }
    return add_call(graph, bind_call(*library, symbols, support), launch.label, dependencies,
                    accesses);
  }
  const auto& supplied = std::get<artifact::CallLaunch>(launch.work);
  const auto index = static_cast<size_t>(supplied.call);
  require(index < memory.calls.size(), "every call must be supplied:", supplied.call);
  return add_call(graph, bind_call(supplied, memory.calls[index], symbols), launch.label,
                  dependencies, accesses);
}

// Poison mode: memory of the arena that `launch` was the last to use must not be read any more.
void BoundProgram::Impl::add_releases(GraphBuilder& graph, EdgeFinder& edges, int32_t launch) {
  for (size_t i = 0; i < program.storages.size(); ++i) {
    const PlannedStorage& storage = program.storages[i];
    if (storage.kind != StorageKind::arena || storage.last != launch) continue;
    const Access access{{static_cast<BufferId>(i), 0}, bindings[i].bytes, true};
    const TouchedRange range = touched(access);
    const std::vector<NodeId> dependencies = edges.dependencies({&range, 1});
    const NodeId node = graph.release(dependencies, access.begin, access.bytes);
    edges.add(node, {&range, 1});
    launch_of_node.push_back(launch);
  }
}

void BoundProgram::Impl::build(const ProgramMemory& memory) {
  const HostModes& modes = loaded.device().modes();
  // Run in order, edges decide nothing.
  const bool needs_edges = modes.check_accesses || modes.order_seed.has_value();
  const std::unique_ptr<GraphBuilder> graph = loaded.device().begin();
  EdgeFinder edges;
  for (size_t i = 0; i < program.launches.size(); ++i) {
    const artifact::Launch& launch = program.launches[i];
    std::vector<TouchedRange> ranges;
    std::vector<NodeId> dependencies;
    if (needs_edges) {
      for (const Access& access : accesses_of(launch)) ranges.push_back(touched(access));
      dependencies = edges.dependencies(ranges);
    }
    const NodeId node = add_launch(*graph, launch, dependencies, memory);
    note_varying(node, launch);
    launch_of_node.push_back(static_cast<int32_t>(i));
    if (needs_edges) edges.add(node, ranges);
    if (modes.poison) add_releases(*graph, edges, static_cast<int32_t>(i));
  }
  exec = loaded.device().instantiate(*graph, bindings);
}

void BoundProgram::Impl::note_varying(NodeId node, const artifact::Launch& launch) {
  const auto* const kernel = std::get_if<artifact::KernelLaunch>(&launch.work);
  if (kernel == nullptr) return;  // Calls are told by themselves.
  for (size_t i = 0; i < kernel->scalars.size(); ++i) {
    const bool varies = std::ranges::any_of(
        varying, [&](SymbolId symbol) { return mentions(kernel->scalars[i], symbol); });
    if (varies) varying_scalars.push_back({node, static_cast<int32_t>(i), kernel->scalars[i]});
  }
}

void BoundProgram::Impl::prepare_outputs() {
  for (const artifact::ProgramOutput& output : program.outputs) {
    OutputView& view = views.emplace_back();
    const auto* const tensor = std::get_if<TensorSlot>(&output);
    if (tensor == nullptr) continue;
    const PlannedStorage& storage = program.storages[static_cast<size_t>(tensor->slot.storage)];
    check(storage.kind != StorageKind::arena,
          "the next call overwrites the arena, so no output "
          "may lie in it:",
          storage.name);
    view = {.offset = evaluate(tensor->slot.offset, symbols),
            .sizes = evaluate(tensor->type.sizes, symbols),
            .strides = evaluate(tensor->type.strides, symbols)};
  }
}

// --- Running

void BoundProgram::Impl::place_input(size_t storage, std::span<const Tensor* const> inputs) {
  const PlannedStorage& planned = program.storages[storage];
  const auto index = static_cast<size_t>(planned.index);
  require(index < inputs.size(), "every input must be there:", planned.index, inputs.size());
  const Tensor* const tensor = inputs[index];
  require(tensor != nullptr && tensor->defined(), "an input must be a tensor:", planned.index);
  places[storage] = place_of(*tensor, false);
  require(bindings[storage].bytes <= bytes_behind(places[storage]),
          "an input must have all bytes that are used:", planned.index, bindings[storage].bytes);
  require(!is_written[storage] || tensor->storage()->is_writable(),
          "an input that the program writes must be writable:", planned.index);
}

MemoryPlace BoundProgram::Impl::fresh_output(size_t bytes) {
  if (is_tested) [[unlikely]] {
    return tested_output(loaded.device(), pool, bytes);
  }
  std::shared_ptr<Storage> memory =
      pool != nullptr ? pool->take(bytes) : Storage::allocate_uninitialized(bytes);
  std::byte* const base = memory->mutable_data();
  return {std::move(memory), base, false};
}

void BoundProgram::Impl::watch_memory() {
  if (!loaded.device().modes().watch_memory) return;
  static_cast<HostExec&>(*exec).watch(
      watched_memory(arena, places, outputs_used), [this](size_t node) {
        return program.launches[static_cast<size_t>(launch_of_node[node])].label;
      });
}

void BoundProgram::Impl::rebind(size_t storage) {
  Binding& binding = bindings[storage];
  if (binding.base == places[storage].base) return;
  binding.base = places[storage].base;
  patches.emplace_back(BindBuffer{static_cast<BufferId>(storage), binding});
}

Value BoundProgram::Impl::output(size_t index) {
  const artifact::ProgramOutput& output = program.outputs[index];
  if (const auto* const tensor = std::get_if<TensorSlot>(&output)) {
    const MemoryPlace& place = places[static_cast<size_t>(tensor->slot.storage)];
    const OutputView& view = views[index];
    const auto item = static_cast<int64_t>(item_size(tensor->type.dtype));
    const int64_t offset = place.base - place.memory->data() + view.offset;
    check(offset % item == 0, "an output starts at a multiple of its element's size:", index);
    return Tensor(tensor->type.dtype, view.sizes, view.strides, offset / item, place.memory);
  }
  if (const auto* const value = std::get_if<Expr>(&output)) {
    if (value->domain() == ExprDomain::real) return evaluate_real(*value, symbols);
    if (value->domain() == ExprDomain::boolean) return evaluate_boolean(*value, symbols);
    return evaluate(*value, symbols);
  }
  if (const auto* const text = std::get_if<std::string>(&output)) return *text;
  return std::monostate();
}

void BoundProgram::Impl::set_varying(std::span<const int64_t> values) {
  require(values.size() == varying.size(),
          "every symbol that varies must have a value:", values.size(), varying.size());
  if (varying.empty()) return;
  for (size_t i = 0; i < values.size(); ++i) symbols.set(varying[i], values[i]);
  for (const VaryingScalar& scalar : varying_scalars) {
    patches.emplace_back(
        SetScalar{scalar.node, scalar.index, artifact::scalar_bits(scalar.value, symbols)});
  }
  for (const std::unique_ptr<BoundCall>& call : calls) call->set_symbols(symbols);
}

std::vector<Value> BoundProgram::Impl::run(std::span<const Tensor* const> inputs,
                                           std::span<const int64_t> values) {
  // Memory of the caller is held during the call only.
  struct Forget {
    Impl& impl;

    ~Forget() {
      for (const size_t storage : impl.inputs_used) impl.places[storage].memory.reset();
      for (const size_t storage : impl.outputs_used) impl.places[storage].memory.reset();
    }
  };

  const Forget forget{*this};
  for (const size_t storage : inputs_used) place_input(storage, inputs);
  for (const size_t storage : outputs_used) {
    places[storage] = fresh_output(bindings[storage].bytes);
  }
  patches.clear();
  for (const size_t storage : inputs_used) rebind(storage);
  for (const size_t storage : outputs_used) rebind(storage);
  set_varying(values);
  if (!patches.empty()) exec->patch(patches);
  if (is_tested) [[unlikely]] {
    watch_memory();
  }
  try {
    exec->launch(StreamId{});
  } catch (KernelFault& fault) {
    const auto node = static_cast<size_t>(fault.node().index);
    const auto launch = static_cast<size_t>(launch_of_node[node]);
    fault.add_note("while running " + program.launches[launch].label);
    throw;
  }
  // The caller goes on only now: later launches come after this one.
  if (is_tested) [[unlikely]] {
    loaded.device().stream_order().synchronize(0);
  }
  std::vector<Value> outputs;
  outputs.reserve(program.outputs.size());
  for (size_t i = 0; i < program.outputs.size(); ++i) outputs.push_back(output(i));
  return outputs;
}

// --- The handle

BoundProgram::BoundProgram(const LoadedProgram& loaded, Bindings symbols,
                           const ProgramMemory& memory)
    : impl_(std::make_unique<Impl>(loaded, std::move(symbols), memory)) {}

BoundProgram::BoundProgram(BoundProgram&&) noexcept = default;
BoundProgram& BoundProgram::operator=(BoundProgram&&) noexcept = default;
BoundProgram::~BoundProgram() = default;

std::vector<Value> BoundProgram::run(std::span<const Value> inputs,
                                     std::span<const int64_t> values) {
  std::vector<const Tensor*> tensors;
  tensors.reserve(inputs.size());
  for (const Value& input : inputs) tensors.push_back(std::get_if<Tensor>(&input));
  return impl_->run(tensors, values);
}

std::vector<Value> BoundProgram::run_on(std::span<const Tensor* const> inputs,
                                        std::span<const int64_t> values) {
  return impl_->run(inputs, values);
}

size_t BoundProgram::arena_bytes(const artifact::Program& program, const Bindings& symbols) {
  return size_of(program.arena_bytes, symbols);
}

}  // namespace litz::runtime
