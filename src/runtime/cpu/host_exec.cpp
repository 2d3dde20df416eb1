#include "runtime/cpu/host_exec.h"

#include <algorithm>
#include <cstring>

#include "runtime/call_limit.h"
#include "runtime/cpu/host_arena.h"
#include "runtime/cpu/host_device.h"

namespace litz::runtime {
HostExec::HostExec(HostDevice& device, PlainGraph graph, std::span<const Binding> buffers)
    : device_(device),
      graph_(std::move(graph)),
      bindings_(buffers.begin(), buffers.end()),
      uses_(buffers.size()),
      bodies_(graph_.bodies.size()),
      random_(device.modes().order_seed.value_or(0)) {
  size_t pointers = 0;
  size_t scalars = 0;
  require_bound(graph_, buffers.size());
  for (const std::vector<PlainNode>& body : graph_.bodies) {
    for (const PlainNode& node : body) {
      pointers += node.pointers.size();
      scalars += node.scalars.size();
    }
  }
  if (device_.modes().check_accesses) check_accesses(bindings_);
  // Records point into these vectors, so they must not grow later.
  pointers_.reserve(pointers);
  scalars_.reserve(scalars);
  for (size_t body = 0; body < bodies_.size(); ++body) {
    for (const PlainNode& node : graph_.bodies[body]) add_node(body, node);
  }
}

void HostExec::add_pointers(const PlainNode& node) {
  for (const Ref& ref : node.pointers) {
    if (ref.buffer != kFixedAddress) {
      uses_[static_cast<size_t>(ref.buffer)].push_back({pointers_.size(), ref.offset});
    }
    pointers_.push_back(address_of(ref, bindings_));
  }
}

void HostExec::add_node(size_t body, const PlainNode& node) {
  std::vector<Record>& records = bodies_[body].records;
  Record record;
  record.kind = node.kind;
  record.node = static_cast<int32_t>(bodies_[body].nodes.size());
  record.source = &node;
  record.arguments = {.buffers = pointers_.data() + pointers_.size(),
                      .scalars = scalars_.data() + scalars_.size(),
                      .failure = &failure_};
  bodies_[body].nodes.push_back({.record = records.size(),
                                 .records = 0,
                                 .scalar = scalars_.size(),
                                 .pointer = pointers_.size()});
  add_pointers(node);
  scalars_.insert(scalars_.end(), node.scalars.begin(), node.scalars.end());
  if (node.kind == PlainNodeKind::kernel) {
    const std::vector<HostPhase>& phases = device_.kernel(node.kernel).phases;
    for (size_t i = 0; i < phases.size(); ++i) {
      record.function = phases[i].function;
      record.phase = &phases[i];
      set_pieces(record, node.extents[i], node.costs[i]);
      records.push_back(record);
    }
  } else if (node.kind != PlainNodeKind::release || device_.modes().poison) {
    records.push_back(record);
  }
  Place& place = bodies_[body].nodes.back();
  place.records = records.size() - place.record;
}

/// Divides iterations that take `cost` picoseconds each into pieces.
void HostExec::set_pieces(Record& record, int64_t iterations, int64_t cost) const {
  const HostPhase& phase = *record.phase;
  const double nanoseconds = static_cast<double>(iterations) * static_cast<double>(cost) / 1000;
  record.iterations = iterations;
  record.grains = iterations / phase.grain + (iterations % phase.grain != 0 ? 1 : 0);
  record.pieces =
      std::min(record.grains, ThreadPool::worthwhile_tasks(device_.pool(), nanoseconds));
}

void HostExec::bind(BufferId buffer, Binding binding) {
  bindings_[static_cast<size_t>(buffer)] = binding;
  for (const Use& use : uses_[static_cast<size_t>(buffer)]) {
    pointers_[use.pointer] = binding.base + use.offset;
  }
}

// --- Patches

void HostExec::move(const SetOffset& moved) {
  const auto body = static_cast<size_t>(moved.node.body);
  const auto index = static_cast<size_t>(moved.node.index);
  const size_t pointer = bodies_[body].nodes[index].pointer + static_cast<size_t>(moved.pointer);
  Ref& ref = graph_.bodies[body][index].pointers[static_cast<size_t>(moved.pointer)];
  ref.offset = moved.offset;
  std::vector<Use>& uses = uses_[static_cast<size_t>(ref.buffer)];
  std::ranges::find(uses, pointer, &Use::pointer)->offset = moved.offset;
  pointers_[pointer] = address_of(ref, bindings_);
}

void HostExec::apply(const Patch& patch) {
  const auto place = [&](NodeId id) -> const Place& {
    return bodies_[static_cast<size_t>(id.body)].nodes[static_cast<size_t>(id.index)];
  };
  const auto phase_record = [&](NodeId id, int32_t phase) -> Record& {
    std::vector<Record>& records = bodies_[static_cast<size_t>(id.body)].records;
    return records[place(id).record + static_cast<size_t>(phase)];
  };
  const auto cost_of = [&](NodeId id, int32_t phase) -> int64_t& {
    PlainNode& node = graph_.bodies[static_cast<size_t>(id.body)][static_cast<size_t>(id.index)];
    return node.costs[static_cast<size_t>(phase)];
  };
  if (const auto* const bound = std::get_if<BindBuffer>(&patch)) {
    bind(bound->buffer, bound->binding);
  } else if (const auto* const scalar = std::get_if<SetScalar>(&patch)) {
    scalars_[place(scalar->node).scalar + static_cast<size_t>(scalar->index)] = scalar->value;
  } else if (const auto* const extent = std::get_if<SetExtent>(&patch)) {
    Record& record = phase_record(extent->node, extent->phase);
    set_pieces(record, extent->value, cost_of(extent->node, extent->phase));
  } else if (const auto* const cost = std::get_if<SetCost>(&patch)) {
    cost_of(cost->node, cost->phase) = cost->value;
    Record& record = phase_record(cost->node, cost->phase);
    set_pieces(record, record.iterations, cost->value);
  } else if (const auto* const moved = std::get_if<SetOffset>(&patch)) {
    move(*moved);
  } else if (std::holds_alternative<EnableNode>(patch)) {  // Calls have their sizes.
    const auto& [node, is_enabled] = std::get<EnableNode>(patch);
    const Place& found = place(node);
    std::vector<Record>& records = bodies_[static_cast<size_t>(node.body)].records;
    for (size_t i = 0; i < found.records; ++i) records[found.record + i].is_enabled = is_enabled;
  }
}

void HostExec::patch(std::span<const Patch> patches) {
  device_.count_call();
  require_valid(patches);
  change(patches);
}

void HostExec::require_valid(std::span<const Patch> patches) const {
  runtime::require_valid(patches, graph_, bindings_.size());
}

void HostExec::change(std::span<const Patch> patches) {
  if (device_.modes().check_accesses) {
    std::vector<Binding> bindings = bindings_;
    for (const Patch& patch : patches) {
      const auto* const bound = std::get_if<BindBuffer>(&patch);
      if (bound != nullptr) bindings[static_cast<size_t>(bound->buffer)] = bound->binding;
    }
    check_accesses(bindings);
  }
  for (const Patch& patch : patches) apply(patch);
  device_.counters().patches.fetch_add(static_cast<int64_t>(patches.size()),
                                       std::memory_order_relaxed);
}

// --- Running

void HostExec::launch(StreamId stream) {
  device_.count_call();
  device_.require_stream(stream);
  replay(stream);
}

void HostExec::replay(StreamId stream) {
  const DeviceModes& modes = device_.modes();
  if (modes.check_accesses) {
    std::vector<ByteRange> ranges;
    for (const std::vector<PlainNode>& body : graph_.bodies) {
      for (const PlainNode& node : body) {
        for (const Access& access : node.accesses) ranges.push_back(resolve(access, bindings_));
      }
    }
    device_.stream_order().launch(stream.value, std::move(ranges));
  }
  device_.counters().launches.fetch_add(1, std::memory_order_relaxed);
  run(0);
}

void HostExec::launch_timed(StreamId stream, std::span<double> seconds) {
  check(seconds.size() >= bodies_[0].nodes.size(),
        "every node must have its seconds:", bodies_[0].nodes.size());
  seconds_ = seconds;
  try {
    launch(stream);
  } catch (...) {
    seconds_ = {};
    throw;
  }
  seconds_ = {};
}

void HostExec::run(size_t body) {
  if (!device_.modes().is_plain() || !seconds_.empty()) [[unlikely]] {
    return run_by_modes(body);
  }
  const CallLimit* const limit = current_limit();
  for (const Record& record : bodies_[body].records) {
    if (!record.is_enabled) continue;
    if (limit != nullptr) [[unlikely]] {
      limit->check();
    }
    if (record.kind == PlainNodeKind::kernel) [[likely]] {
      run_kernel(record, body);
    } else {
      run_record(record, body);
    }
  }
}

void HostExec::run_record(const Record& record, size_t body) {
  const PlainNode& node = *record.source;
  const auto pointer = [&](size_t i) {
    return static_cast<std::byte*>(record.arguments.buffers[i]);
  };
  switch (record.kind) {
    case PlainNodeKind::kernel:
      return run_kernel(record, body);
    case PlainNodeKind::copy:
      std::memcpy(pointer(0), pointer(1), node.bytes);
      device_.counters().copies.fetch_add(1, std::memory_order_relaxed);
      device_.counters().bytes_copied.fetch_add(static_cast<int64_t>(node.bytes),
                                                std::memory_order_relaxed);
      return;
    case PlainNodeKind::fill:
      return fill_words(pointer(0), node.word, node.bytes);
    case PlainNodeKind::release:
      return fill_words(pointer(0), kPoisonWord, node.bytes);
    case PlainNodeKind::call:
      return run_call(record);
    case PlainNodeKind::if_else:
      if (*pointer(0) != std::byte{0}) {
        run(static_cast<size_t>(node.bodies[0]));
      } else if (node.bodies.size() > 1) {
        run(static_cast<size_t>(node.bodies[1]));
      }
      return;
    case PlainNodeKind::while_loop:
      while (*pointer(0) != std::byte{0}) run(static_cast<size_t>(node.bodies[0]));
      return;
  }
}

void HostExec::run_call(const Record& record) const {
  const PlainNode& node = *record.source;
  auto* const* const operands = reinterpret_cast<std::byte* const*>(record.arguments.buffers);
  try {
    node.call->run({operands, node.pointers.size()},
                   {record.arguments.scalars, node.scalars.size()});
  } catch (Error& error) {
    add_label(error, node.label);
    throw;
  }
}

void HostExec::run_kernel(const Record& record, size_t body) {
  if (record.pieces > 1) {
    run_pieces(record, body);
  } else if (record.pieces == 1 && record.function(&record.arguments, 0, record.iterations) != 0)
      [[unlikely]] {
    fail_kernel(record, body, failure_);
  }
}

void HostExec::run_pieces(const Record& record, size_t body) {
  // The lowest piece that fails is reported: the one that fails first when run in order.
  device_.pool()->parallel(record.pieces, [&](int64_t piece) {
    artifact::KernelFailure failure;
    artifact::KernelArguments arguments = record.arguments;
    arguments.failure = &failure;
    const auto begin_of = [&](int64_t i) {
      return chunk_begin(record.grains, record.pieces, i) * record.phase->grain;
    };
    const int64_t begin = begin_of(piece);
    const int64_t end = std::min(begin_of(piece + 1), record.iterations);
    if (record.function(&arguments, begin, end) != 0) fail_kernel(record, body, failure);
  });
}

void HostExec::fail_kernel(const Record& record, size_t body,
                           const artifact::KernelFailure& failure) const {
  const NodeId node{static_cast<int32_t>(body), record.node};
  const HostKernel& kernel = device_.kernel(record.source->kernel);
  throw_fault(record.source->label, node, kernel.name, kernel.checks, failure);
}

}  // namespace litz::runtime
