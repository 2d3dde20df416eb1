#include "runtime/cuda/cuda_exec.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/call_limit.h"
#include "support/check.h"

namespace litz::runtime {

CudaExec::CudaExec(CudaDevice& device, PlainGraph graph, std::span<const Binding> buffers)
    : device_(device),
      graph_(std::move(graph)),
      bindings_(buffers.begin(), buffers.end()),
      uses_(buffers.size()),
      failures_(std::make_shared<cuda::FailureRecords>(device.streams())) {
  require_bound(graph_, buffers.size());
  state_.nodes = &nodes();
  for (size_t i = 0; i < nodes().size(); ++i) add_node(i);
  failures_->allocate();
  for (size_t i = 0; i < nodes().size(); ++i) {
    state_.places[i].failure = failures_->of({0, static_cast<int32_t>(i)});
  }
  add_parts();
}

void CudaExec::add_node(size_t index) {
  const PlainNode& node = nodes()[index];
  state_.places.push_back({.pointer = state_.pointers.size(),
                           .scalar = state_.scalars.size(),
                           .extent = state_.extents.size()});
  for (const Ref& ref : node.pointers) {
    if (ref.buffer != kFixedAddress) {
      uses_[static_cast<size_t>(ref.buffer)].push_back({index, state_.pointers.size(), ref.offset});
    }
    state_.pointers.push_back(cuda::address_on_card(address_of(ref, bindings_)));
  }
  state_.scalars.insert(state_.scalars.end(), node.scalars.begin(), node.scalars.end());
  state_.extents.insert(state_.extents.end(), node.extents.begin(), node.extents.end());
  if (node.kind != PlainNodeKind::kernel) return;
  const CudaKernel& kernel = device_.kernel(node.kernel);
  // Also a pointer to the failure record, and the number of iterations.
  const size_t parameters = node.pointers.size() + node.scalars.size() + 2;
  check(kernel.phases.empty() || kernel.parameters == parameters,
        "a launch has what its kernel takes:", kernel.name, parameters, kernel.parameters);
  if (!kernel.checks.empty()) {
    failures_->add({0, static_cast<int32_t>(index)}, node.label, kernel.name, kernel.checks);
  }
}

void CudaExec::add_parts() {
  // The host makes calls that the card does not make itself.
  const auto is_call = [&](size_t i) {
    const PlainNode& node = nodes()[i];
    return node.kind == PlainNodeKind::call && node.call->is_of_host();
  };
  for (size_t first = 0; first < nodes().size();) {
    size_t end = first + 1;
    while (end < nodes().size() && is_call(end) == is_call(first)) ++end;
    Part part{first, end - first, nullptr};
    if (!is_call(first)) {
      part.segment = std::make_unique<cuda::CudaSegment>(device_, state_, first, end - first,
                                                         device_.modes().poison);
    }
    parts_.push_back(std::move(part));
    first = end;
  }
  for (Part& part : parts_) part_of_.insert(part_of_.end(), part.count, &part);
}

// --- Patches

void CudaExec::change(size_t node) {
  if (part_of_[node]->segment != nullptr) part_of_[node]->segment->change(node);
}

void CudaExec::bind(const BindBuffer& bound) {
  const auto index = static_cast<size_t>(bound.buffer);
  const bool has_moved = bindings_[index].base != bound.binding.base;
  bindings_[index] = bound.binding;
  if (!has_moved) return;
  for (const Use& use : uses_[index]) {
    state_.pointers[use.pointer] = cuda::address_on_card(bound.binding.base + use.offset);
    change(use.node);
  }
}

void CudaExec::move(const SetOffset& moved) {
  const auto node = static_cast<size_t>(moved.node.index);
  const size_t pointer = state_.places[node].pointer + static_cast<size_t>(moved.pointer);
  Ref& ref = graph_.bodies[0][node].pointers[static_cast<size_t>(moved.pointer)];
  ref.offset = moved.offset;
  std::ranges::find(uses_[static_cast<size_t>(ref.buffer)], pointer, &Use::pointer)->offset =
      moved.offset;
  state_.pointers[pointer] = cuda::address_on_card(address_of(ref, bindings_));
  change(node);
}

void CudaExec::apply(const Patch& patch) {
  const auto place = [&](NodeId id) -> cuda::LaunchState::Place& {
    change(static_cast<size_t>(id.index));
    return state_.places[static_cast<size_t>(id.index)];
  };
  if (const auto* const bound = std::get_if<BindBuffer>(&patch)) {
    bind(*bound);
  } else if (const auto* const scalar = std::get_if<SetScalar>(&patch)) {
    state_.scalars[place(scalar->node).scalar + static_cast<size_t>(scalar->index)] = scalar->value;
  } else if (const auto* const extent = std::get_if<SetExtent>(&patch)) {
    state_.extents[place(extent->node).extent + static_cast<size_t>(extent->phase)] = extent->value;
  } else if (const auto* const moved = std::get_if<SetOffset>(&patch)) {
    move(*moved);
  } else if (const auto* const resized = std::get_if<ResizeCall>(&patch)) {
    change(static_cast<size_t>(resized->node.index));
  } else if (const auto* const enabled = std::get_if<EnableNode>(&patch)) {
    place(enabled->node).is_enabled = enabled->is_enabled;
  }
  // Costs decide nothing here: a card divides every launch into blocks.
}

void CudaExec::patch(std::span<const Patch> patches) {
  device_.count_call();
  require_valid(patches, graph_, bindings_.size());
  for (const Patch& patch : patches) apply(patch);
}

// --- Running

void CudaExec::watch(std::vector<WatchedMemory> /*memory*/) {
  fail(ErrorCode::unsupported, "memory of a card is not watched");
}

// Launches follow each other on every stream, since each begins with the patches before it.
void CudaExec::start(StreamId stream) {
  if (last_stream_ && *last_stream_ != stream) {
    if (failures_->empty()) {
      device_.streams()->order(*last_stream_, stream);
    } else {
      device_.streams()->settle(*last_stream_);  // Its failures belong to that stream.
    }
  }
  last_stream_ = stream;
  if (device_.modes().count_nodes) {
    for (size_t i = 0; i < nodes().size(); ++i) device_.count_call();
  }
  check_limit();
}

/// Throws failures of kernels when the stream is awaited next. This is said before the work is added,
/// since adding may fail half-way, and again when a call of the host has awaited the stream.
void CudaExec::check_at_end(StreamId stream) {
  if (failures_->empty()) return;
  device_.streams()->at_end(
      stream, [failures = failures_] { failures->check(); }, failures_.get());
}

void CudaExec::launch(StreamId stream) {
  device_.count_call();
  start(stream);
  const cuda::CudaStreams::Hold turn = device_.streams()->hold(stream);
  check_at_end(stream);
  for (const Part& part : parts_) {
    if (part.segment != nullptr) {
      part.segment->launch(device_.streams()->use(stream));
    } else {
      run_calls(part.first, part.count, stream);
      check_at_end(stream);
    }
  }
}

void CudaExec::run_calls(size_t first, size_t count, StreamId stream) {
  check_limit();
  std::vector<cuda::CardRange> ranges;
  for (size_t i = first; i < first + count; ++i) {
    if (!state_.places[i].is_enabled) continue;
    const PlainNode& node = nodes()[i];
    for (const Access& access : node.accesses) {
      ranges.push_back({address_of(access.begin, bindings_), access.bytes, access.is_write});
    }
  }
  cuda::StagedRanges staged(*device_.streams(), device_.staging(), stream, std::move(ranges));
  for (size_t i = first; i < first + count; ++i) {
    if (state_.places[i].is_enabled) run_call(i, staged);
  }
  staged.copy_back();
}

void CudaExec::run_call(size_t node, const cuda::StagedRanges& staged) {
  const PlainNode& source = nodes()[node];
  const cuda::LaunchState::Place& place = state_.places[node];
  std::vector<std::byte*> operands;
  for (size_t i = 0; i < source.pointers.size(); ++i) {
    operands.push_back(staged.on_host(cuda::pointer_to(state_.pointers[place.pointer + i])));
  }
  try {
    source.call->run(operands, {state_.scalars.data() + place.scalar, source.scalars.size()});
  } catch (Error& error) {
    add_label(error, source.label);
    throw;
  }
}

void CudaExec::launch_timed(StreamId stream, std::span<double> seconds) {
  check(seconds.size() >= nodes().size(), "every node must have its seconds:", nodes().size());
  device_.count_call();
  start(stream);
  const cuda::CudaStreams::Hold turn = device_.streams()->hold(stream);
  check_at_end(stream);
  for (const Part& part : parts_) run_timed(part, stream, seconds);
  check_at_end(stream);
  device_.streams()->synchronize(stream);
}

// Nodes run one by one, so that each can be measured.
void CudaExec::run_timed(const Part& part, StreamId stream, std::span<double> seconds) {
  using Clock = std::chrono::steady_clock;
  const cuda::Driver& driver = device_.streams()->context().enter();
  for (size_t i = part.first; i < part.first + part.count; ++i) {
    if (part.segment == nullptr) {
      device_.streams()->synchronize(stream);
      const Clock::time_point begin = Clock::now();
      run_calls(i, 1, stream);
      device_.streams()->synchronize(stream);
      seconds[i] += std::chrono::duration<double>(Clock::now() - begin).count();
      continue;
    }
    const cuda::Timer timer(driver);
    {
      const cuda::CudaStreams::Use use = device_.streams()->use(stream);
      timer.start(use.stream());
      part.segment->run_node(i, use);
      timer.stop(use.stream());
    }
    seconds[i] += timer.seconds();
  }
}

}  // namespace litz::runtime
