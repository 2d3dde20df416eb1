// Calls of a context that replay or record.

#include <algorithm>
#include <limits>

#include "runtime/trees/context.h"
#include "runtime/trees/work.h"
#include "support/check.h"

namespace litz::runtime::trees {
namespace {

/// A managed input that nobody but the call holds.
struct GivenUp {
  size_t input = 0;
  const Storage* storage = nullptr;
};

int64_t uses(std::span<const Argument> inputs, const Storage* storage) {
  return std::ranges::count_if(inputs, [&](const Argument& input) {
    const Tensor* const tensor = tensor_of(input);
    return tensor != nullptr && tensor->storage().get() == storage;
  });
}

Tensor on_storage(const Tensor& tensor, std::shared_ptr<Storage> storage) {
  return {tensor.dtype(), tensor.sizes(), tensor.strides(), tensor.offset(), std::move(storage)};
}

/// Leaves only the function's `given` tensors to hold managed inputs that nobody else holds, so that it
/// decides when their memory is free. The call's inputs become tensors on the same bytes.
std::vector<GivenUp> give_up(std::vector<Argument>& inputs, std::span<const Argument> given,
                             const Node& node, const Pool& pool) {
  std::vector<GivenUp> result;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (node.inputs[i].binding != InputBinding::managed) continue;
    const Storage* const storage = tensor_of(inputs[i])->storage().get();
    if (uses(inputs, storage) + uses(given, storage) == pool.holders(storage)) {
      result.push_back({i, storage});
    }
  }
  for (const auto& [input, storage] : result) {
    const Tensor& tensor = *tensor_of(inputs[input]);
    inputs[input] = on_storage(tensor, pool.look_at(pool.range_of(storage)));
  }
  return result;
}

/// Lets the call hold inputs again that the function's outputs hold; the others were consumed.
void take_back(std::vector<Argument>& inputs, std::span<const GivenUp> given_up, Node& node,
               const Pool& pool) {
  for (const auto& [input, storage] : given_up) {
    const Tensor& tensor = *tensor_of(inputs[input]);
    const Range range{tensor.storage()->address(), tensor.storage()->size()};
    const bool is_reused = std::ranges::any_of(
        node.recording.footprint, [&](const Range& written) { return written.meets(range); });
    if (!is_reused && pool.holders(storage) > 0) {
      inputs[input] = on_storage(tensor, pool.handle_of(storage));
    } else {
      node.consumed.push_back(input);
    }
  }
}

}  // namespace

/// Runs a call at once whose recording failed. Nothing of it has run. Work that cannot be recorded is
/// not tried again; failures of the device may be over the next time.
std::vector<Value> Context::run_unrecorded(Call& call, const Error& error) {
  const bool lasts =
      error.code() == ErrorCode::unsupported || error.code() == ErrorCode::invalid_argument;
  if (lasts) call.state.failure = error.message();
  return run_at_once(call, {SkipReason::recording_failed, call.state.id, -1, error.message(), 0});
}

/// The recording of a call; null if it cannot be recorded, and then the outputs of running it at once.
std::unique_ptr<Node> Context::record_or_run(Call& call, std::vector<Value>& outputs) {
  try {
    return record(call);
  } catch (const InternalError&) {
    throw;
  } catch (const Error& error) {
    outputs = run_unrecorded(call, error);
    return nullptr;
  }
}

/// Replays a recording for the call that made it, to which this replay belongs.
std::vector<Value> Context::replay_first(Call& call, Node& node) {
  --counts_.replays;
  --call.state.report.replays;
  return replay_node(call, node);
}

// --- Patched functions

std::vector<Value> Context::run_patched(Call& call) {
  Variant& variant = call.state.variants[call.variant];
  variant.is_warm = true;
  if (variant.patched != nullptr) {
    Node& node = *variant.patched;
    if (misfits(node, call.inputs, pool_).kind == Misfit::memory_held) {
      ++counts_.failed_matches;
      move(node, call.inputs, pool_);
      ++counts_.moves;
    }
    return replay_node(call, node);
  }
  std::vector<Value> outputs;
  std::unique_ptr<Node> node = record_or_run(call, outputs);
  if (node == nullptr) return outputs;
  variant.patched = std::move(node);
  outputs = replay_first(call, *variant.patched);
  keep_budget();
  return outputs;
}

// --- Fixed functions

std::vector<std::unique_ptr<Node>>& Context::siblings(const Path& path) {
  return path.current != nullptr ? path.current->children : roots_;
}

std::vector<Value> Context::run_fixed(Call& call) {
  Path& path = call.path;
  Variant& variant = call.state.variants[call.variant];
  if (path.state != PathState::recording || path.calls.empty()) {
    Misfits moved;
    const Node* was = nullptr;
    for (const std::unique_ptr<Node>& node : siblings(path)) {
      if (node->function != call.state.id || node->variant != call.variant) continue;
      Misfits found = misfits(*node, call.inputs, pool_);
      if (found.kind == Misfit::none) {
        std::vector<Value> outputs = replay_node(call, *node);
        path.current = node.get();
        path.state = PathState::execution;
        return outputs;
      }
      if (found.kind == Misfit::memory_held) continue;
      moved = std::move(found);
      was = node.get();
    }
    if (path.current != nullptr && variant.was_root && path.live(pool_).empty()) {
      path.clear();
      return run(call);
    }
    if (was != nullptr && note_rerecording(call, moved)) {
      const Skip skip{SkipReason::rerecord_limit, call.state.id,
                      path.current != nullptr ? path.current->id : -1,
                      "(" + std::to_string(options_.most_rerecordings) +
                          "): " + describe(moved, *was, call.function(), call.inputs),
                      0};
      return run_at_once(call, skip);
    }
    if (was != nullptr && options_.on_message) {
      say("re-recording " + call.function().name + ": " +
          describe(moved, *was, call.function(), call.inputs));
    }
    if (path.current != nullptr || was != nullptr) ++counts_.failed_matches;
    if (path.live(pool_).empty()) path.clear();
  }
  return record_fixed(call);
}

/// Counts a recording that other addresses force. True if there were too many at this place.
bool Context::note_rerecording(const Call& call, const Misfits& misfits) {
  const bool counts = misfits.kind == Misfit::managed_moved || options_.counts_static_changes;
  if (!counts) return false;
  const int32_t node = call.path.current != nullptr ? call.path.current->id : -1;
  Rerecordings& known = rerecordings_[{node, call.state.id.value}];
  for (const size_t input : misfits.inputs) ++known.changes[input];
  if (known.count >= options_.most_rerecordings) return true;
  ++known.count;
  return false;
}

std::vector<Value> Context::record_fixed(Call& call) {
  Path& path = call.path;
  const bool leaves_replay = path.state == PathState::execution && path.current != nullptr;
  std::vector<Value> outputs;
  std::unique_ptr<Node> node = record_or_run(call, outputs);
  if (node == nullptr) return outputs;
  node->parent = path.current;
  if (path.current == nullptr) call.state.variants[call.variant].was_root = true;
  outputs = replay_first(call, *node);
  Node* const recorded = node.get();
  siblings(path).push_back(std::move(node));
  counts_.restores += leaves_replay ? 1 : 0;
  path.current = recorded;
  path.state = PathState::recording;
  keep_budget();
  return outputs;
}

// --- Recordings

/// Decides how the recording gets its inputs, and makes the memory of those that it copies. `given` are
/// the inputs for the function.
void Context::bind_inputs(const Call& call, Node& node, std::vector<Argument>& given) {
  const Function& function = call.function();
  const int32_t place = call.path.current != nullptr ? call.path.current->id : -1;
  const auto churn = rerecordings_.find({place, call.state.id.value});
  node.inputs.resize(call.inputs.size());
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const Tensor* const tensor = tensor_of(call.inputs[i]);
    NodeInput& input = node.inputs[i];
    if (tensor == nullptr || tensor->device() != device_->device()) continue;
    const InputInfo info = function.input(i);
    const int64_t changes = churn != rerecordings_.end() && churn->second.changes.contains(i)
                                ? churn->second.changes.at(i)
                                : 0;
    const bool is_demoted =
        changes >= options_.most_managed_changes && !info.is_mutated && !info.is_static;
    input.address = tensor->address();
    if (function.tier == Tier::patched) {
      input.binding = InputBinding::patched;
    } else if (call.path.holds(tensor->storage().get(), pool_) && !is_demoted) {
      input.binding = InputBinding::managed;
    } else if (info.is_static) {
      input.binding = InputBinding::fixed;
    } else {
      input.binding = InputBinding::copied;
      const int64_t elements = storage_span(tensor->sizes(), tensor->strides(), 0);
      const auto bytes =
          static_cast<size_t>(elements) * static_cast<size_t>(item_size(tensor->dtype()));
      const Range range = pool_.place(bytes);
      given[i] = Tensor(tensor->dtype(), tensor->sizes(), tensor->strides(), 0, pool_.give(range));
      input.copy =
          Tensor(tensor->dtype(), tensor->sizes(), tensor->strides(), 0, pool_.look_at(range));
    }
  }
}

/// Builds a recording of the call, which has not run. On failure nothing has changed.
std::unique_ptr<Node> Context::record(Call& call) {
  auto node = std::make_unique<Node>();
  node->id = nodes_made_;
  node->function = call.state.id;
  node->variant = call.variant;
  std::vector<Argument> given = call.inputs;
  bind_inputs(call, *node, given);
  std::vector<Range> staging;
  std::vector<Range> taken;
  for (size_t i = 0; i < given.size(); ++i) {
    const InputBinding binding = node->inputs[i].binding;
    if (binding != InputBinding::copied && binding != InputBinding::patched) continue;
    if (binding == InputBinding::copied) {
      staging.push_back(pool_.range_of(tensor_of(given[i])->storage().get()));
    }
    // A copied input is read before the first node; a patched one lies elsewhere in other calls.
    taken.push_back(pool_.range_of(tensor_of(call.inputs[i])->storage().get()));
  }
  std::erase_if(taken, [](const Range& range) { return range.bytes == 0; });
  const std::vector<GivenUp> given_up = give_up(call.inputs, given, *node, pool_);
  std::vector<Value> outputs;
  {
    Work work(*device_, call.stream, std::move(given),
              {.records = true, .pool = &pool_, .taken = std::move(taken)});
    outputs = call.function().body(work);
    node->recording = work.record();
  }
  for (size_t i = 0; i < node->inputs.size(); ++i) {
    const BufferId buffer = node->recording.input_buffers[i];
    node->inputs[i].shares_buffer =
        buffer != kFixedAddress && std::ranges::count(node->recording.input_buffers, buffer) > 1;
  }
  take_back(call.inputs, given_up, *node, pool_);
  require(node->recording.nodes >= options_.least_nodes, ErrorCode::unsupported,
          "it has too few nodes:", node->recording.nodes);
  check_leaks(call, outputs);
  // Outputs in memory of copied inputs are the recording's own.
  std::vector<Argument> seen = call.inputs;
  for (size_t i = 0; i < seen.size(); ++i) {
    if (node->inputs[i].binding == InputBinding::copied) seen[i] = std::monostate();
  }
  node->outputs = classified(outputs, seen, pool_);
  staging.insert(staging.end(), node->recording.footprint.begin(), node->recording.footprint.end());
  node->recording.footprint = joined(std::move(staging));
  ++nodes_made_;
  ++counts_.recordings;
  counts_.copied_inputs +=
      std::ranges::count(node->inputs, InputBinding::copied, &NodeInput::binding);
  say("recording " + std::to_string(node->id) + " of " + call.function().name);
  return node;
}

std::vector<Value> Context::replay_node(Call& call, Node& node) {
  // Outputs may lie where consumed inputs did.
  for (const size_t input : node.consumed) {
    const Tensor& tensor = *tensor_of(call.inputs[input]);
    const Range range = pool_.range_of(tensor.storage().get());
    if (range.bytes != 0) call.inputs[input] = on_storage(tensor, pool_.look_at(range));
  }
  ReplayCosts costs;
  std::vector<Value> outputs = replay(node, call.inputs, *device_, pool_, call.stream, costs);
  counts_.copies += costs.copies;
  counts_.copied_bytes += costs.copied_bytes;
  counts_.patches += costs.patches;
  ++counts_.replays;
  ++call.state.report.replays;
  node.last_use = ++uses_;
  track(call, outputs);
  return outputs;
}

// --- The budget

void Context::keep_budget() {
  while (count_nodes() > options_.most_recordings && evict_one()) ++counts_.evictions;
}

/// Drops the least recently used recording without others below that is on no path.
bool Context::evict_one() {
  const auto is_in_use = [&](const Node* node) {
    if (node->last_use == uses_) return true;
    return std::ranges::any_of(paths_, [&](const auto& entry) {
      for (const Node* on = entry.second.current; on != nullptr; on = on->parent) {
        if (on == node) return true;
      }
      return false;
    });
  };
  const Node* oldest = nullptr;
  for (const Node* const node : nodes()) {
    if (!node->children.empty() || is_in_use(node)) continue;
    if (oldest == nullptr || node->last_use < oldest->last_use) oldest = node;
  }
  if (oldest == nullptr) return false;
  say("dropping recording " + std::to_string(oldest->id));
  const auto is_oldest = [&](const std::unique_ptr<Node>& node) { return node.get() == oldest; };
  FunctionState& state = state_of(oldest->function);
  Variant& variant = state.variants[oldest->variant];
  if (variant.patched.get() == oldest) {
    variant.patched.reset();
    return true;
  }
  std::vector<std::unique_ptr<Node>>& list =
      oldest->parent != nullptr ? oldest->parent->children : roots_;
  std::erase_if(list, is_oldest);
  return true;
}

}  // namespace litz::runtime::trees
