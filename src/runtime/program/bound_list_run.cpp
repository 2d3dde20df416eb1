// Calls of a bound list, and changes of its sizes.

#include <algorithm>
#include <utility>

#include "runtime/program/bound_list_impl.h"
#include "runtime/program/tested_memory.h"

namespace litz::runtime {
namespace {

using artifact::PlannedStorage;
using artifact::StorageKind;
using artifact::TensorSlot;

bool copies_by_size(const artifact::LaunchList& list) {
  return std::ranges::any_of(list.launches, [](const artifact::Launch& launch) {
    const auto* const copy = std::get_if<artifact::CopyLaunch>(&launch.work);
    return copy != nullptr && !(copy->bytes.is_constant() && copy->to.offset.is_constant() &&
                                copy->from.offset.is_constant());
  });
}

}  // namespace

// --- Binding to other sizes

// The checks of test modes depend on sizes, and so do copies, which are not kernels, and what a
// device copies for calls.
bool BoundList::Impl::can_rebind() const {
  const DeviceModes& modes = loaded.device().modes();
  const bool copies_calls =
      loaded.device().caps().copies_operands &&
      std::ranges::any_of(calls, [](const auto& call) { return call->is_of_host(); });
  return !is_tested && !tests_memory(modes) && !modes.audit_pointers && !modes.order_seed &&
         !copies_by_size(list) && !copies_calls;
}

bool BoundList::Impl::rebind(const Bindings& symbols, const ListMemory& memory) {
  stream = memory.stream;
  sizes.set_symbols(symbols);
  check_assertions();
  for (size_t i = 0; i < list.storages.size(); ++i) {
    bindings[i].bytes = as_size(sizes[storage_bytes[i]]);
  }
  for (const size_t storage : weights_used) {
    require(bindings[storage].bytes <= bytes_behind(places[storage]),
            "a weight must have all bytes that are used:", list.storages[storage].name);
  }
  // Launches that still wait use the state of calls, so they must run before it changes.
  const bool has_waiting = loaded.device().caps().makes_calls_late && !calls.empty();
  if (has_waiting) loaded.device().settle(stream);
  patches.clear();
  place_arena(memory);
  for (size_t i = 0; i < list.storages.size(); ++i) {
    if (list.storages[i].kind != StorageKind::arena) continue;
    patches.emplace_back(BindBuffer{static_cast<BufferId>(i), bindings[i]});
  }
  patch_sizes();
  for (size_t i = 0; i < calls.size(); ++i) {
    if (!calls[i]->set_sizes(sizes)) return false;
    if (!calls[i]->is_of_host()) patches.emplace_back(ResizeCall{call_nodes[i]});
  }
  exec->patch(patches);
  for (OutputView& view : views) {
    if (view.geometry == nullptr) continue;
    Geometry geometry{std::vector<int64_t>(view.size_numbers.size()),
                      std::vector<int64_t>(view.stride_numbers.size())};
    look_up(sizes, view.size_numbers, geometry.sizes);
    look_up(sizes, view.stride_numbers, geometry.strides);
    view.geometry = std::make_shared<const Geometry>(std::move(geometry));
  }
  return true;
}

void BoundList::Impl::patch_sizes() {
  for (const SizedPart& part : sized_scalars) {
    if (!sizes.has_changed(part.number)) continue;
    patches.emplace_back(SetScalar{part.node, part.index, sizes[part.number]});
  }
  for (const SizedPart& part : sized_costs) {
    if (!sizes.has_changed(part.number)) continue;
    const int64_t cost = std::max<int64_t>(0, sizes[part.number]);
    patches.emplace_back(SetCost{part.node, part.index, cost});
  }
  for (const SizedPart& part : sized_extents) {
    if (!sizes.has_changed(part.number)) continue;
    const int64_t extent = std::max<int64_t>(0, sizes[part.number]);
    patches.emplace_back(SetExtent{part.node, part.index, extent});
  }
  for (const SizedPart& part : sized_offsets) {
    if (!sizes.has_changed(part.number)) continue;
    patches.emplace_back(SetOffset{part.node, part.index, sizes[part.number]});
  }
}

// --- Running

void BoundList::Impl::place_input(size_t storage, std::span<const Tensor* const> inputs) {
  const PlannedStorage& planned = list.storages[storage];
  const auto index = static_cast<size_t>(planned.index);
  require(index < inputs.size(), "every input must be there:", planned.index, inputs.size());
  const Tensor* const tensor = inputs[index];
  require(tensor != nullptr && tensor->defined(), "an input must be a tensor:", planned.index);
  check(tensor->device() == loaded.device().device(),
        "an input must lie on the device of its program:", planned.index);
  places[storage] = place_of(*tensor, false);
  require(bindings[storage].bytes <= bytes_behind(places[storage]),
          "an input must have all bytes that are used:", planned.index, bindings[storage].bytes);
  require(!is_written[storage] || tensor->storage()->is_writable(),
          "an input that launches write must be writable:", planned.index);
}

/// The memory that the caller gives for an output; none if it gives none that fits. Test modes guard
/// memory of their own.
MemoryPlace BoundList::Impl::given_output(std::span<const Tensor> into, size_t storage) const {
  const int32_t output = output_of_storage[storage];
  if (output < 0 || static_cast<size_t>(output) >= into.size() || is_tested) return {};
  const Tensor& tensor = into[static_cast<size_t>(output)];
  const OutputView& view = views[static_cast<size_t>(output)];
  // Code writes the layout that it was compiled for, from the start of the storage.
  if (!tensor.defined() || view.geometry->sizes != tensor.sizes() ||
      view.geometry->strides != tensor.strides() || sizes[view.offset_number] != 0) {
    return {};
  }
  const auto given = static_cast<size_t>(tensor.numel() * item_size(tensor.dtype()));
  if (given != bindings[storage].bytes) return {};
  return {tensor.storage(), tensor.address(), false};
}

MemoryPlace BoundList::Impl::fresh_output(size_t bytes) {
  if (is_tested) [[unlikely]] {
    return tested_output(loaded.device(), stream, bytes);
  }
  std::shared_ptr<Storage> memory = shared != nullptr ? shared->output(bytes, stream)
                                    : pool != nullptr ? pool->take(bytes, stream)
                                                      : loaded.device().allocate_on(stream, bytes);
  std::byte* const base = memory->address();
  return {std::move(memory), base, false};
}

void BoundList::Impl::watch_memory() {
  if (!loaded.device().modes().watch_memory) return;
  exec->watch(watched_memory(arena, places, outputs_used));
}

void BoundList::Impl::patch_address(size_t storage) {
  Binding& binding = bindings[storage];
  if (binding.base == places[storage].base) return;
  binding.base = places[storage].base;
  patches.emplace_back(BindBuffer{static_cast<BufferId>(storage), binding});
}

Value BoundList::Impl::output(size_t index) {
  const artifact::ListOutput& output = list.outputs[index];
  if (const auto* const tensor = std::get_if<TensorSlot>(&output)) {
    const MemoryPlace& place = places[static_cast<size_t>(tensor->slot.storage)];
    const OutputView& view = views[index];
    const auto item = static_cast<int64_t>(item_size(tensor->type.dtype));
    const int64_t offset = place.base - place.memory->address() + sizes[view.offset_number];
    require(offset % item == 0, ErrorCode::corrupt,
            "an output must start at a multiple of its element's size:", index);
    return Tensor(tensor->type.dtype, view.geometry, offset / item, place.memory);
  }
  if (const auto* const number = std::get_if<Expr>(&output)) {
    const Bindings& symbols = sizes.symbols();
    if (number->domain() == ExprDomain::real) return evaluate_real(*number, symbols);
    if (number->domain() == ExprDomain::boolean) return evaluate_boolean(*number, symbols);
    return evaluate(*number, symbols);
  }
  if (const auto* const text = std::get_if<std::string>(&output)) return *text;
  return std::monostate();
}

void BoundList::Impl::set_varying(std::span<const int64_t> values) {
  require(values.size() == varying.size(),
          "every symbol that varies must have a value:", values.size(), varying.size());
  if (varying.empty()) return;
  for (size_t i = 0; i < values.size(); ++i) sizes.set_varying(varying[i].symbol(), values[i]);
  for (const VaryingScalar& scalar : varying_scalars) {
    patches.emplace_back(
        SetScalar{scalar.node, scalar.index, artifact::scalar_bits(scalar.value, sizes.symbols())});
  }
}

void BoundList::Impl::run(std::span<const Tensor* const> inputs, const ListCall& call,
                          std::vector<Value>& outputs) {
  // Memory of the caller is referenced only during the call.
  struct Forget {
    Impl& impl;

    ~Forget() {
      for (const size_t storage : impl.inputs_used) impl.places[storage].memory.reset();
      for (const size_t storage : impl.outputs_used) impl.places[storage].memory.reset();
    }
  };

  const Forget forget{*this};
  stream = call.stream;
  for (const size_t storage : inputs_used) place_input(storage, inputs);
  for (const size_t storage : outputs_used) {
    places[storage] = given_output(call.into, storage);
    if (places[storage].memory == nullptr) {
      places[storage] = fresh_output(bindings[storage].bytes);
    }
  }
  patches.clear();
  for (const size_t storage : inputs_used) patch_address(storage);
  for (const size_t storage : outputs_used) patch_address(storage);
  set_varying(call.values);
  if (!patches.empty()) exec->patch(patches);
  if (is_tested) [[unlikely]] {
    watch_memory();
  }
  if (call.seconds != nullptr) [[unlikely]] {
    exec->launch_timed(stream, *call.seconds);
  } else {
    exec->launch(stream);
  }
  // The caller continues only now: later launches come after this one.
  if (is_tested && loaded.device().caps().is_immediate) [[unlikely]] {
    loaded.device().synchronize(stream);
  }
  outputs.reserve(list.outputs.size());
  for (size_t i = 0; i < list.outputs.size(); ++i) outputs.push_back(output(i));
}

// --- The handle

BoundList::BoundList(const LoadedProgram& program, const artifact::LaunchList& list,
                     Bindings symbols, const ListMemory& memory)
    : impl_(std::make_unique<Impl>(program, list, std::move(symbols), memory)) {}

BoundList::BoundList(BoundList&&) noexcept = default;
BoundList& BoundList::operator=(BoundList&&) noexcept = default;
BoundList::~BoundList() = default;

std::vector<Value> BoundList::run(std::span<const Value> inputs, const ListCall& call) {
  std::vector<const Tensor*> tensors;
  tensors.reserve(inputs.size());
  for (const Value& input : inputs) tensors.push_back(std::get_if<Tensor>(&input));
  std::vector<Value> outputs;
  impl_->run(tensors, call, outputs);
  return outputs;
}

void BoundList::run_on(std::span<const Tensor* const> inputs, const ListCall& call,
                       std::vector<Value>& outputs) {
  impl_->run(inputs, call, outputs);
}

void BoundList::rebind(const Bindings& symbols, const ListMemory& memory) {
  if (impl_->can_rebind() && impl_->rebind(symbols, memory)) return;
  impl_ = std::make_unique<Impl>(impl_->loaded, impl_->list, symbols, memory);
}

}  // namespace litz::runtime
