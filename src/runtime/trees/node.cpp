#include "runtime/trees/node.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "support/check.h"

namespace litz::runtime::trees {
namespace {

/// How many of the inputs are on the storage.
int64_t uses(std::span<const Argument> inputs, const Storage* storage) {
  return std::ranges::count_if(inputs, [&](const Argument& input) {
    const Tensor* const tensor = tensor_of(input);
    return tensor != nullptr && tensor->storage().get() == storage;
  });
}

bool is_managed(const Node& node, std::span<const Argument> inputs, const Storage* storage) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor* const tensor = tensor_of(inputs[i]);
    if (tensor != nullptr && tensor->storage().get() == storage &&
        node.inputs[i].binding != InputBinding::managed) {
      return false;
    }
  }
  return true;
}

/// The tensor with dimensions of stride 0 reduced to one element.
Tensor collapsed(const Tensor& tensor) {
  std::vector<int64_t> sizes = tensor.sizes();
  bool is_stretched = false;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (tensor.strides()[d] != 0 || sizes[d] <= 1) continue;
    sizes[d] = 1;
    is_stretched = true;
  }
  return is_stretched ? tensor.view(std::move(sizes), tensor.strides(), tensor.offset()) : tensor;
}

std::byte* moved(std::byte* address, std::ptrdiff_t by) { return address + by; }

/// Binds buffers of the recording, or changes nothing and throws.
void bind_buffers(Recording& recording, std::span<const Patch> patches) {
  if (recording.exec != nullptr) recording.exec->patch(patches);
  for (const Patch& patch : patches) {
    const auto& bound = std::get<BindBuffer>(patch);
    recording.bindings[static_cast<size_t>(bound.buffer)] = bound.binding;
  }
}

}  // namespace

// --- Classes of outputs

std::vector<NodeOutput> classified(std::span<const Value> outputs, std::span<const Argument> inputs,
                                   const Pool& pool) {
  std::vector<NodeOutput> result;
  for (const Value& value : outputs) {
    NodeOutput& output = result.emplace_back();
    const auto* const tensor = std::get_if<Tensor>(&value);
    if (tensor == nullptr || !tensor->defined()) {
      output.value = value;
      continue;
    }
    output.dtype = tensor->dtype();
    output.geometry =
        std::make_shared<const Geometry>(Geometry{tensor->sizes(), tensor->strides()});
    output.offset = tensor->offset();
    const Storage* const storage = tensor->storage().get();
    const auto input = std::ranges::find_if(inputs, [&](const Argument& argument) {
      const Tensor* const given = tensor_of(argument);
      return given != nullptr && given->storage().get() == storage;
    });
    if (input != inputs.end()) {
      output.kind = OutputClass::input;
      output.of = static_cast<size_t>(input - inputs.begin());
      output.offset = tensor->address() - tensor_of(*input)->address();
      continue;
    }
    const auto earlier =
        std::ranges::find_if(outputs.first(result.size() - 1), [&](const Value& v) {
          const auto* const other = std::get_if<Tensor>(&v);
          return other != nullptr && other->defined() && other->storage().get() == storage;
        });
    output.of = static_cast<size_t>(earlier - outputs.begin());
    output.range = pool.range_of(storage);
    if (output.of + 1 < result.size() && output.range.bytes != 0) {
      output.kind = OutputClass::output;
    } else if (output.range.bytes != 0) {
      output.kind = OutputClass::fresh;
    } else {
      output.kind = OutputClass::persistent;
      output.value = value;
    }
  }
  return result;
}

// --- Fitting

Misfits misfits(const Node& node, std::span<const Argument> inputs, const Pool& pool) {
  Misfits found;
  for (const InputBinding binding : {InputBinding::managed, InputBinding::fixed}) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i].binding != binding) continue;
      const Tensor* const tensor = tensor_of(inputs[i]);
      if (tensor == nullptr || tensor->address() != node.inputs[i].address) {
        found.inputs.push_back(i);
      }
    }
    if (found.inputs.empty()) continue;
    found.kind = binding == InputBinding::managed ? Misfit::managed_moved : Misfit::fixed_moved;
    return found;
  }
  for (const Storage* const storage : pool.live_in(node.recording.footprint)) {
    const int64_t own = uses(inputs, storage);
    const bool is_given_up = own != 0 && own == pool.holders(storage);
    if (is_given_up && is_managed(node, inputs, storage)) continue;
    found.kind = Misfit::memory_held;
    break;
  }
  return found;
}

std::string describe(const Misfits& misfits, const Node& node, const Function& function,
                     std::span<const Argument> inputs) {
  if (misfits.kind == Misfit::none) return "it fits";
  if (misfits.kind == Misfit::memory_held) return "memory that it writes is held";
  std::ostringstream text;
  text << (misfits.kind == Misfit::managed_moved ? "managed pointer changed"
                                                 : "static pointer changed");
  for (const size_t i : misfits.inputs) {
    const InputInfo info = function.input(i);
    text << "; input " << i;
    if (!info.name.empty()) text << ' ' << info.name;
    if (!info.source.empty()) text << " (" << info.source << ')';
    const Tensor* const tensor = tensor_of(inputs[i]);
    text << " was at " << static_cast<const void*>(node.inputs[i].address) << " and is at "
         << static_cast<const void*>(tensor != nullptr ? tensor->address() : nullptr);
  }
  return std::move(text).str();
}

void move(Node& node, std::span<const Argument> inputs, Pool& pool) {
  Recording& recording = node.recording;
  check(!recording.footprint.empty(), "a recording without memory never has to move");
  std::byte* const begin = recording.footprint.front().begin;
  const Range all{begin, static_cast<size_t>(recording.footprint.back().end() - begin)};
  std::vector<Range> taken;
  for (const Argument& input : inputs) {
    const Tensor* const tensor = tensor_of(input);
    if (tensor != nullptr) taken.push_back(pool.range_of(tensor->storage().get()));
  }
  const Range place = pool.place(all.bytes, taken);
  pool.look_at(place);  // Pages must be there.
  const std::ptrdiff_t by = place.begin - all.begin;
  std::vector<Patch> patches;
  for (const Recording::PoolBuffer& pooled : recording.pool_buffers) {
    Binding binding = recording.bindings[static_cast<size_t>(pooled.buffer)];
    binding.base = moved(binding.base, by);
    patches.emplace_back(BindBuffer{pooled.buffer, binding});
  }
  bind_buffers(recording, patches);
  for (Recording::PoolBuffer& pooled : recording.pool_buffers) {
    pooled.range.begin = moved(pooled.range.begin, by);
  }
  for (Draw& draw : recording.draws) draw.place.begin = moved(draw.place.begin, by);
  for (Range& range : recording.footprint) range.begin = moved(range.begin, by);
  for (NodeOutput& output : node.outputs) {
    if (output.range.bytes != 0) output.range.begin = moved(output.range.begin, by);
  }
}

// --- Replaying

namespace {

Value output_value(const NodeOutput& output, std::span<const Argument> inputs,
                   std::span<const Value> earlier, Pool& pool) {
  switch (output.kind) {
    case OutputClass::value:
    case OutputClass::persistent:
      return output.value;
    case OutputClass::input: {
      const Tensor& input = *tensor_of(inputs[output.of]);
      const auto item = static_cast<int64_t>(item_size(output.dtype));
      const int64_t bytes = input.address() - input.storage()->address() + output.offset;
      return Tensor(output.dtype, output.geometry, bytes / item, input.storage());
    }
    case OutputClass::output:
      return Tensor(output.dtype, output.geometry, output.offset,
                    std::get<Tensor>(earlier[output.of]).storage());
    case OutputClass::fresh:
      return Tensor(output.dtype, output.geometry, output.offset, pool.give(output.range));
  }
  return {};
}

/// Sets the addresses that have changed.
void patch_inputs(Node& node, std::span<const Argument> inputs, ReplayCosts& costs) {
  Recording& recording = node.recording;
  std::vector<Patch> patches;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (node.inputs[i].binding != InputBinding::patched) continue;
    const BufferId buffer = recording.input_buffers[i];
    const Tensor& tensor = *tensor_of(inputs[i]);
    // Inputs on one storage share a buffer, which begins at the lowest of them.
    std::byte* base = tensor.address();
    for (size_t k = 0; node.inputs[i].shares_buffer && k < inputs.size(); ++k) {
      if (recording.input_buffers[k] == buffer) {
        base = std::min(base, tensor_of(inputs[k])->address());
      }
    }
    if (recording.bindings[static_cast<size_t>(buffer)].base == base) continue;
    const Storage& storage = *tensor.storage();
    const auto bytes = storage.size() - static_cast<size_t>(base - storage.address());
    patches.emplace_back(BindBuffer{buffer, {base, bytes}});
  }
  if (patches.empty()) return;
  bind_buffers(recording, patches);
  costs.patches += static_cast<int64_t>(patches.size());
}

}  // namespace

std::vector<Value> replay(Node& node, std::span<const Argument> inputs, GraphDevice& device,
                          Pool& pool, StreamId stream, ReplayCosts& costs) {
  Recording& recording = node.recording;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (node.inputs[i].binding != InputBinding::copied) continue;
    const Tensor from = collapsed(*tensor_of(inputs[i]));
    device.copy(stream, collapsed(node.inputs[i].copy), from);
    ++costs.copies;
    costs.copied_bytes += from.numel() * static_cast<int64_t>(item_size(from.dtype()));
  }
  patch_inputs(node, inputs, costs);
  std::vector<std::pair<Generator*, uint64_t>> drawn;
  for (const Draw& draw : recording.draws) {
    Generator& generator = *std::get<std::shared_ptr<Generator>>(inputs[draw.input]);
    uint64_t position = generator.drawn;
    for (const auto& [other, count] : drawn) position += other == &generator ? count : 0;
    const std::array<int64_t, 2> state{static_cast<int64_t>(generator.seed),
                                       static_cast<int64_t>(position)};
    const Tensor place(DType::i64, {2}, {1}, 0, pool.look_at(draw.place));
    device.copy(stream, place, Tensor::of<int64_t>(DType::i64, {2}, state));
    drawn.emplace_back(&generator, static_cast<uint64_t>(draw.count));
  }
  if (recording.exec != nullptr) recording.exec->launch(stream);
  for (const auto& [generator, count] : drawn) generator->drawn += count;
  std::vector<Value> outputs;
  outputs.reserve(node.outputs.size());
  for (const NodeOutput& output : node.outputs) {
    outputs.push_back(output_value(output, inputs, outputs, pool));
  }
  return outputs;
}

int64_t descendants(const Node& node) {
  int64_t count = 0;
  for (const std::unique_ptr<Node>& child : node.children) count += 1 + descendants(*child);
  return count;
}

}  // namespace litz::runtime::trees
