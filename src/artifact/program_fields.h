// The fields of a program's parts, for field_stream.h.

#pragma once

#include <type_traits>

#include "artifact/field_stream.h"
#include "artifact/program.h"

namespace litz::artifact {

template <>
struct LastOf<DType> : Last<DType::c128> {};

template <>
struct LastOf<DeviceKind> : Last<DeviceKind::meta> {};

template <>
struct LastOf<ExprDomain> : Last<ExprDomain::boolean> {};

template <>
struct LastOf<CheckKind> : Last<CheckKind::assertion> {};

template <>
struct LastOf<StorageKind> : Last<StorageKind::output> {};

template <>
struct LastOf<ControlKind> : Last<ControlKind::map> {};

template <>
struct LastOf<InputKind> : Last<InputKind::token> {};

template <>
struct LastOf<OutputKind> : Last<OutputKind::token> {};

/// T, const while writing.
template <typename Self, typename T>
concept Is = std::is_same_v<std::remove_const_t<Self>, T>;

void fields(auto& stream, Is<Device> auto& device) { stream(device.kind, device.index); }

void fields(auto& stream, Is<TensorType> auto& type) {
  stream(type.dtype, type.device, type.sizes, type.strides, type.offset);
}

void fields(auto& stream, Is<Guard> auto& guard) { stream(guard.condition, guard.text); }

// --- Kernels

void fields(auto& stream, Is<KernelPhase> auto& phase) {
  stream(phase.symbol, phase.iterations, phase.grain, phase.cost);
}

void fields(auto& stream, Is<KernelCheck> auto& check) { stream(check.kind, check.text); }

void fields(auto& stream, Is<KernelCode> auto& code) {
  stream(code.name, code.phases, code.checks, code.object);
  stream.symbols(code.scalars);
}

// --- Packed constants, whose data is stored with the weights

void fields(auto& stream, Is<PackedConstant> auto& packed) {
  stream(packed.input, packed.source, packed.offset, packed.description);
}

// --- Launch lists

void fields(auto& stream, Is<PlannedStorage> auto& storage) {
  stream(storage.name, storage.kind, storage.index, storage.offset, storage.bytes, storage.first,
         storage.last);
}

void fields(auto& stream, Is<Slot> auto& slot) { stream(slot.storage, slot.offset); }

void fields(auto& stream, Is<TensorSlot> auto& tensor) { stream(tensor.slot, tensor.type); }

void fields(auto& stream, Is<Access> auto& access) {
  stream(access.begin, access.bytes, access.is_write);
}

void fields(auto& stream, Is<KernelLaunch> auto& work) {
  stream(work.kernel, work.buffers, work.scalars);
}

void fields(auto& stream, Is<EpilogueLaunch> auto& work) {
  stream(work.kernel, work.buffers, work.scalars, work.rows, work.columns, work.row_strides);
}

void fields(auto& stream, Is<LibraryLaunch> auto& work) {
  stream(work.function, work.arguments, work.results, work.epilogue);
}

void fields(auto& stream, Is<CallLaunch> auto& work) { stream(work.call, work.buffers); }

void fields(auto& stream, Is<CopyLaunch> auto& work) { stream(work.to, work.from, work.bytes); }

void fields(auto& stream, Is<Launch> auto& launch) {
  stream(launch.work, launch.accesses, launch.label);
}

void fields(auto& stream, Is<Assertion> auto& assertion) {
  stream(assertion.condition, assertion.message);
}

void fields(auto& stream, Is<ArenaBlock> auto& block) {
  stream(block.bytes, block.first, block.last);
}

void fields(auto& stream, Is<LaunchList> auto& list) {
  stream(list.name, list.storages, list.arena_bytes, list.has_layouts, list.blocks, list.assertions,
         list.launches, list.outputs, list.inputs);
  stream.symbols(list.symbols);
}

// --- Routines

void fields(auto& stream, Is<HostScalar> auto& scalar) { stream(scalar.domain, scalar.value); }

void fields(auto& stream, Is<ValueRef> auto& ref) { stream(ref.value); }

void fields(auto& stream, Is<ListInput> auto& input) { stream(input.value, input.weight); }

void fields(auto& stream, Is<ListStep> auto& work) { stream(work.list, work.inputs); }

void fields(auto& stream, Is<LibraryStep> auto& work) { stream(work.function, work.arguments); }

void fields(auto& stream, Is<ItemStep> auto& work) {
  stream(work.source, work.domain);
  stream.symbol(work.symbol);
}

void fields(auto& stream, Is<ControlStep> auto& work) {
  stream(work.kind, work.routines, work.predicate, work.carried, work.xs, work.additional);
}

void fields(auto& stream, Is<StepResult> auto& result) {
  stream(result.value, result.type, result.is_given, result.over);
}

void fields(auto& stream, Is<Step> auto& step) {
  stream(step.work, step.results, step.dead, step.label);
  stream.symbols(step.defines);
}

void fields(auto& stream, Is<Routine> auto& routine) {
  stream(routine.name, routine.input_types, routine.input_values, routine.steps, routine.outputs,
         routine.value_count);
  stream.symbols(routine.defines);
}

// --- The program

/// Without the data, which a file stores separately.
void fields(auto& stream, Is<ProgramInput> auto& input) {
  stream(input.kind, input.persistent, input.label, input.name, input.type, input.literal);
}

void fields(auto& stream, Is<ProgramOutput> auto& output) {
  stream(output.kind, output.input, output.label, output.type);
}

void fields(auto& stream, Is<Signature> auto& signature) {
  stream(signature.inputs, signature.outputs, signature.guards);
}

void fields(auto& stream, Is<CodeTarget> auto& target) {
  stream(target.name, target.triple, target.features);
}

void fields(auto& stream, Is<Program> auto& program) {
  stream(program.name, program.source, program.target, program.exported_on, program.signature,
         program.kernels, program.lists, program.routines, program.updated, program.packed);
}

}  // namespace litz::artifact
