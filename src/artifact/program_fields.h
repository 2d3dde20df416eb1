// The fields of a program's parts, for field_stream.h.

#pragma once

#include <type_traits>

#include "artifact/field_stream.h"
#include "artifact/program.h"

namespace litz::artifact {

template <>
struct WordsOf<DType> {
  static constexpr size_t count = static_cast<size_t>(DType::c128) + 1;

  static std::string_view word(DType dtype) { return name(dtype); }
};

template <>
struct WordsOf<DeviceKind> : Words<DeviceKind, "cpu", "cuda", "meta", "sim"> {};

template <>
struct WordsOf<ExprDomain> : Words<ExprDomain, "integer", "real", "boolean"> {};

template <>
struct WordsOf<CheckKind> : Words<CheckKind, "index", "wrapping index", "division",
                                  "empty reduction", "memory", "assertion"> {};

template <>
struct WordsOf<StorageKind> : Words<StorageKind, "arena", "input", "weight", "output"> {};

template <>
struct WordsOf<ControlKind>
    : Words<ControlKind, "call", "cond", "while", "scan", "associative_scan", "map"> {};

template <>
struct WordsOf<InputKind>
    : Words<InputKind, "parameter", "buffer", "constant", "input", "fixed input", "token"> {};

template <>
struct WordsOf<OutputKind> : Words<OutputKind, "output", "loss", "buffer mutation",
                                   "parameter mutation", "input mutation", "gradient", "token"> {};

// The names of a variant's alternatives.

template <>
inline constexpr std::string_view kNameOf<KernelLaunch> = "kernel";
template <>
inline constexpr std::string_view kNameOf<LibraryLaunch> = "library";
template <>
inline constexpr std::string_view kNameOf<CallLaunch> = "call";
template <>
inline constexpr std::string_view kNameOf<CopyLaunch> = "copy";
template <>
inline constexpr std::string_view kNameOf<ListStep> = "list";
template <>
inline constexpr std::string_view kNameOf<LibraryStep> = "library";
template <>
inline constexpr std::string_view kNameOf<ItemStep> = "item";
template <>
inline constexpr std::string_view kNameOf<ControlStep> = "control";
template <>
inline constexpr std::string_view kNameOf<ProgramStep> = "part";
template <>
inline constexpr std::string_view kNameOf<TensorSlot> = "tensor";
template <>
inline constexpr std::string_view kNameOf<std::vector<TensorSlot>> = "tensors";
template <>
inline constexpr std::string_view kNameOf<TensorType> = "tensor";
template <>
inline constexpr std::string_view kNameOf<HostScalar> = "number";
template <>
inline constexpr std::string_view kNameOf<ValueRef> = "value";
template <>
inline constexpr std::string_view kNameOf<std::vector<ValueRef>> = "values";
template <>
inline constexpr std::string_view kNameOf<DType> = "dtype";

/// T, const while writing.
template <typename Self, typename T>
concept Is = std::is_same_v<std::remove_const_t<Self>, T>;

void fields(auto& stream, Is<Device> auto& device) {
  stream("kind", device.kind, "index", device.index);
}

void fields(auto& stream, Is<TensorType> auto& type) {
  stream("dtype", type.dtype, "device", type.device, "sizes", type.sizes, "strides", type.strides,
         "offset", type.offset);
}

void fields(auto& stream, Is<Guard> auto& guard) {
  stream("condition", guard.condition, "text", guard.text);
}

// --- Kernels

void fields(auto& stream, Is<KernelPhase> auto& phase) {
  stream("symbol", phase.symbol, "iterations", phase.iterations, "grain", phase.grain, "threads",
         phase.threads, "cost", phase.cost);
}

void fields(auto& stream, Is<KernelCheck> auto& check) {
  stream("kind", check.kind, "text", check.text);
}

void fields(auto& stream, Is<KernelBuffer> auto& buffer) {
  stream("type", buffer.type, "is_written", buffer.is_written);
}

void fields(auto& stream, Is<KernelCode> auto& code) {
  stream("name", code.name, "phases", code.phases, "checks", code.checks, "buffers", code.buffers,
         "digest", code.digest, "object", code.object);
  stream.symbols("scalars", code.scalars);
}

// --- Packed constants, whose data is stored with the weights

void fields(auto& stream, Is<PackedConstant> auto& packed) {
  stream("input", packed.input, "source", packed.source, "offset", packed.offset, "description",
         packed.description);
}

// --- Launch lists

void fields(auto& stream, Is<PlannedStorage> auto& storage) {
  stream("name", storage.name, "kind", storage.kind, "index", storage.index, "offset",
         storage.offset, "bytes", storage.bytes, "first", storage.first, "last", storage.last);
}

void fields(auto& stream, Is<Slot> auto& slot) {
  stream("storage", slot.storage, "offset", slot.offset);
}

void fields(auto& stream, Is<TensorSlot> auto& tensor) {
  stream("slot", tensor.slot, "type", tensor.type);
}

void fields(auto& stream, Is<Access> auto& access) {
  stream("begin", access.begin, "bytes", access.bytes, "is_write", access.is_write);
}

void fields(auto& stream, Is<KernelLaunch> auto& work) {
  stream("kernel", work.kernel, "buffers", work.buffers, "scalars", work.scalars);
}

void fields(auto& stream, Is<EpilogueLaunch> auto& work) {
  stream("kernel", work.kernel, "buffers", work.buffers, "scalars", work.scalars, "rows", work.rows,
         "columns", work.columns, "row_strides", work.row_strides);
}

void fields(auto& stream, Is<LibraryLaunch> auto& work) {
  stream("function", work.function, "arguments", work.arguments, "results", work.results,
         "epilogue", work.epilogue);
}

void fields(auto& stream, Is<CallLaunch> auto& work) {
  stream("call", work.call, "buffers", work.buffers);
}

void fields(auto& stream, Is<CopyLaunch> auto& work) {
  stream("to", work.to, "from", work.from, "bytes", work.bytes);
}

void fields(auto& stream, Is<Launch> auto& launch) {
  stream("work", launch.work, "accesses", launch.accesses, "label", launch.label);
}

void fields(auto& stream, Is<Assertion> auto& assertion) {
  stream("condition", assertion.condition, "message", assertion.message);
}

void fields(auto& stream, Is<ArenaBlock> auto& block) {
  stream("bytes", block.bytes, "first", block.first, "last", block.last);
}

void fields(auto& stream, Is<LaunchList> auto& list) {
  stream("name", list.name, "storages", list.storages, "arena_bytes", list.arena_bytes,
         "has_layouts", list.has_layouts, "blocks", list.blocks, "assertions", list.assertions,
         "launches", list.launches, "outputs", list.outputs, "inputs", list.inputs);
  stream.symbols("symbols", list.symbols);
}

// --- Routines

void fields(auto& stream, Is<HostScalar> auto& scalar) {
  stream("domain", scalar.domain, "value", scalar.value);
}

void fields(auto& stream, Is<ValueRef> auto& ref) { stream("value", ref.value); }

void fields(auto& stream, Is<ListInput> auto& input) {
  stream("value", input.value, "weight", input.weight);
}

void fields(auto& stream, Is<ListStep> auto& work) {
  stream("list", work.list, "inputs", work.inputs);
}

void fields(auto& stream, Is<LibraryStep> auto& work) {
  stream("function", work.function, "arguments", work.arguments);
}

void fields(auto& stream, Is<ItemStep> auto& work) {
  stream("source", work.source, "domain", work.domain);
  stream.symbol("symbol", work.symbol);
}

void fields(auto& stream, Is<ControlStep> auto& work) {
  stream("kind", work.kind, "routines", work.routines, "predicate", work.predicate, "carried",
         work.carried, "xs", work.xs, "additional", work.additional);
}

void fields(auto& stream, Is<ProgramStep> auto& work) {
  stream("part", work.part, "inputs", work.inputs);
}

void fields(auto& stream, Is<StepResult> auto& result) {
  stream("value", result.value, "type", result.type, "is_given", result.is_given, "over",
         result.over);
}

void fields(auto& stream, Is<Step> auto& step) {
  stream("work", step.work, "results", step.results, "dead", step.dead, "label", step.label);
  stream.symbols("defines", step.defines);
}

void fields(auto& stream, Is<Routine> auto& routine) {
  stream("name", routine.name, "input_types", routine.input_types, "input_values",
         routine.input_values, "steps", routine.steps, "outputs", routine.outputs, "value_count",
         routine.value_count);
  stream.symbols("defines", routine.defines);
}

// --- The program

/// Without the data, which a file stores separately.
void fields(auto& stream, Is<ProgramInput> auto& input) {
  stream("kind", input.kind, "persistent", input.persistent, "label", input.label, "name",
         input.name, "type", input.type, "literal", input.literal);
}

void fields(auto& stream, Is<ProgramOutput> auto& output) {
  stream("kind", output.kind, "input", output.input, "label", output.label, "type", output.type);
}

void fields(auto& stream, Is<Signature> auto& signature) {
  stream("inputs", signature.inputs, "outputs", signature.outputs, "guards", signature.guards);
}

void fields(auto& stream, Is<CodeTarget> auto& target) {
  stream("name", target.name, "triple", target.triple, "features", target.features);
}

/// Without the parts, which have expressions of their own.
void fields(auto& stream, Is<Program> auto& program) {
  stream("name", program.name, "source", program.source, "target", program.target, "exported_on",
         program.exported_on, "signature", program.signature, "kernels", program.kernels, "lists",
         program.lists, "routines", program.routines, "updated", program.updated, "packed",
         program.packed);
}

}  // namespace litz::artifact
