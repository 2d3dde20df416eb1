// The test modes of a host graph: random orders, failures, timing, and checks of declared and
// actual accesses.

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/cpu/host_device.h"
#include "runtime/cpu/host_exec.h"

namespace litz::runtime {

// --- Running

void HostExec::watch(std::vector<WatchedMemory> memory) { watch_.emplace(std::move(memory)); }

void HostExec::run_by_modes(size_t body) {
  using Clock = std::chrono::steady_clock;
  for (const size_t node : some_order(body)) {
    if (device_.modes().count_nodes) device_.count_call();
    const Clock::time_point begin = Clock::now();
    run_node(body, node);
    if (body != 0 || seconds_.empty()) continue;
    seconds_[node] += std::chrono::duration<double>(Clock::now() - begin).count();
  }
}

// The order of insertion or, with a seed, a random order that respects dependencies.
std::vector<size_t> HostExec::some_order(size_t body) {
  const std::vector<PlainNode>& nodes = graph_.bodies[body];
  std::vector<size_t> order(nodes.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!device_.modes().order_seed) return order;
  std::vector<size_t> waiting_for(nodes.size());
  std::vector<std::vector<size_t>> users(nodes.size());
  std::vector<size_t> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    waiting_for[i] = nodes[i].dependencies.size();
    for (const int32_t d : nodes[i].dependencies) users[static_cast<size_t>(d)].push_back(i);
    if (waiting_for[i] == 0) ready.push_back(i);
  }
  order.clear();
  while (!ready.empty()) {
    std::swap(ready[random_() % ready.size()], ready.back());
    const size_t node = ready.back();
    ready.pop_back();
    order.push_back(node);
    for (const size_t user : users[node]) {
      if (--waiting_for[user] == 0) ready.push_back(user);
    }
  }
  return order;
}

void HostExec::run_node(size_t body, size_t node) {
  // A conditional node is watched through the nodes of its bodies.
  const bool is_watched =
      device_.modes().watch_memory && watch_ && graph_.bodies[body][node].bodies.empty();
  if (is_watched) return run_watched(body, node);
  const Place& place = bodies_[body].nodes[node];
  for (size_t i = 0; i < place.records; ++i) {
    const Record& record = bodies_[body].records[place.record + i];
    if (record.is_enabled) run_record(record, body);
  }
}

void HostExec::run_watched(size_t body, size_t node) {
  const Place& place = bodies_[body].nodes[node];
  const auto launch = [&] {
    for (size_t i = 0; i < place.records; ++i) {
      const Record& record = bodies_[body].records[place.record + i];
      if (record.is_enabled) run_record(record, body);
    }
  };
  watch_->run(name_of(body, node), ranges_of(graph_.bodies[body][node], bindings_), launch);
}

// --- Declared accesses

std::string HostExec::name_of(size_t body, size_t node) const {
  std::string name = "node " + std::to_string(body) + "." + std::to_string(node);
  const PlainNode& named = graph_.bodies[body][node];
  if (named.kind == PlainNodeKind::kernel) name += " " + device_.kernel(named.kernel).name;
  if (!named.label.empty()) name += " " + std::string(named.label);
  return name;
}

ByteRange HostExec::resolve(const Access& access, std::span<const Binding> bindings) const {
  auto begin = static_cast<uint64_t>(access.begin.offset);
  if (access.begin.buffer != kFixedAddress) {
    const Binding& binding = bindings[static_cast<size_t>(access.begin.buffer)];
    const bool is_inside = access.begin.offset >= 0 && access.bytes <= binding.bytes &&
                           static_cast<size_t>(access.begin.offset) <= binding.bytes - access.bytes;
    check(is_inside, "accesses lie inside their buffer:", access.begin.buffer, access.begin.offset,
          access.bytes, binding.bytes);
    // The buffer is not bound yet: a patch will check again.
    if (binding.base == nullptr) return {};
    begin += reinterpret_cast<uintptr_t>(binding.base);
  }
  return {begin, begin + access.bytes, access.is_write};
}

// A conditional node touches the ranges of its bodies.
std::vector<ByteRange> HostExec::ranges_of(const PlainNode& node,
                                           std::span<const Binding> bindings) const {
  std::vector<ByteRange> ranges;
  for (const Access& access : node.accesses) ranges.push_back(resolve(access, bindings));
  for (const int32_t body : node.bodies) {
    for (const PlainNode& nested : graph_.bodies[static_cast<size_t>(body)]) {
      const std::vector<ByteRange> more = ranges_of(nested, bindings);
      ranges.insert(ranges.end(), more.begin(), more.end());
    }
  }
  return ranges;
}

void HostExec::check_accesses(std::span<const Binding> bindings) const {
  for (size_t body = 0; body < graph_.bodies.size(); ++body) {
    std::vector<CheckedNode> nodes;
    for (const PlainNode& node : graph_.bodies[body]) {
      std::string name = name_of(body, nodes.size());
      // A kernel on empty tensors touches nothing.
      const bool does_nothing =
          node.kind == PlainNodeKind::kernel &&
          std::ranges::all_of(node.extents, [](int64_t extent) { return extent == 0; });
      const bool is_known = !node.accesses.empty() || node.pointers.empty() || does_nothing;
      check(is_known, "nodes declare what they touch:", name);
      nodes.push_back({std::move(name), node.dependencies, ranges_of(node, bindings)});
    }
    check_node_order(nodes);
  }
}

}  // namespace litz::runtime
