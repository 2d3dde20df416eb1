#include "runtime/cpu/host_graph.h"

#include <utility>

#include "runtime/cpu/host_device.h"

namespace litz::runtime {

HostGraphBuilder::HostGraphBuilder(HostDevice& device)
    : HostGraphBuilder(device, std::make_shared<HostGraph>(), 0) {
  graph_->bodies.emplace_back();
}

HostGraphBuilder::HostGraphBuilder(HostDevice& device, std::shared_ptr<HostGraph> graph,
                                   int32_t body)
    : device_(device), graph_(std::move(graph)), body_(body) {}

// Addresses outside of buffers would still point to the old memory after a patch.
void HostGraphBuilder::audit(const HostNode& node) const {
  for (const int64_t scalar : node.scalars) {
    const auto* const address = reinterpret_cast<const void*>(static_cast<intptr_t>(scalar));
    check(device_.arena_of(address) == nullptr,
          "addresses are passed as pointers, not as scalars:", scalar);
  }
  const auto check_ref = [&](const Ref& ref) {
    const auto* const address = reinterpret_cast<const void*>(static_cast<intptr_t>(ref.offset));
    check(ref.buffer != kFixedAddress || device_.arena_of(address) == nullptr,
          "places in an arena belong to a buffer:", ref.offset);
  };
  for (const Ref& pointer : node.pointers) check_ref(pointer);
  for (const Access& access : node.accesses) check_ref(access.begin);
}

NodeId HostGraphBuilder::add(Dependencies dependencies, HostNode node) {
  device_.count_call();
  std::vector<HostNode>& nodes = graph_->bodies[static_cast<size_t>(body_)];
  const auto index = static_cast<int32_t>(nodes.size());
  for (const NodeId dependency : dependencies) {
    require(dependency.body == body_ && dependency.index >= 0 && dependency.index < index,
            "a node must depend on earlier nodes of its body:", dependency.body, dependency.index);
    node.dependencies.push_back(dependency.index);
  }
  for (const Ref& pointer : node.pointers) {
    require(pointer.buffer >= kFixedAddress, "a buffer must have a number:", pointer.buffer);
  }
  for (const Access& access : node.accesses) {
    require(access.begin.buffer >= kFixedAddress,
            "a buffer must have a number:", access.begin.buffer);
  }
  if (device_.modes().audit_pointers) audit(node);
  nodes.push_back(std::move(node));
  return {body_, index};
}

NodeId HostGraphBuilder::kernel(Dependencies dependencies, const KernelLaunch& launch) {
  const HostKernel& kernel = device_.kernel(launch.kernel);
  require(launch.extents.size() == kernel.phases.size(),
          "a launch must have an extent for each phase:", kernel.name, launch.extents.size());
  require(launch.costs.empty() || launch.costs.size() == launch.extents.size(),
          "a launch must have a cost for each phase, or none:", kernel.name, launch.costs.size());
  constexpr int64_t kNanosecond = 1000;
  HostNode node;
  node.kernel = launch.kernel;
  node.pointers.assign(launch.pointers.begin(), launch.pointers.end());
  node.scalars.assign(launch.scalars.begin(), launch.scalars.end());
  node.extents.assign(launch.extents.begin(), launch.extents.end());
  node.costs.assign(launch.costs.begin(), launch.costs.end());
  node.costs.resize(node.extents.size(), kNanosecond);
  node.accesses.assign(launch.accesses.begin(), launch.accesses.end());
  return add(dependencies, std::move(node));
}

NodeId HostGraphBuilder::copy(Dependencies dependencies, Ref to, Ref from, size_t bytes) {
  HostNode node;
  node.kind = HostNodeKind::copy;
  node.pointers = {to, from};
  node.bytes = bytes;
  node.accesses = {{to, bytes, true}, {from, bytes, false}};
  return add(dependencies, std::move(node));
}

NodeId HostGraphBuilder::fill(Dependencies dependencies, Ref to, uint32_t word, size_t bytes) {
  HostNode node;
  node.kind = HostNodeKind::fill;
  node.pointers = {to};
  node.word = word;
  node.bytes = bytes;
  node.accesses = {{to, bytes, true}};
  return add(dependencies, std::move(node));
}

NodeId HostGraphBuilder::release(Dependencies dependencies, Ref begin, size_t bytes) {
  HostNode node;
  node.kind = HostNodeKind::release;
  node.pointers = {begin};
  node.bytes = bytes;
  // A release is ordered like a write: after earlier readers and before later writers.
  node.accesses = {{begin, bytes, true}};
  return add(dependencies, std::move(node));
}

NodeId HostGraphBuilder::call(Dependencies dependencies, const CallNode& launch) {
  require(launch.call != nullptr, "a call node must have something to call");
  HostNode node;
  node.kind = HostNodeKind::call;
  node.call = launch.call;
  node.pointers.assign(launch.pointers.begin(), launch.pointers.end());
  node.scalars.assign(launch.scalars.begin(), launch.scalars.end());
  node.accesses.assign(launch.accesses.begin(), launch.accesses.end());
  return add(dependencies, std::move(node));
}

void HostGraphBuilder::label(NodeId node, std::string_view text) {
  std::vector<HostNode>& nodes = graph_->bodies[static_cast<size_t>(body_)];
  require(node.body == body_ && node.index >= 0 && static_cast<size_t>(node.index) < nodes.size(),
          "a label must name a node of its body:", node.body, node.index);
  nodes[static_cast<size_t>(node.index)].label = text;
}

GraphBuilder::Conditional HostGraphBuilder::conditional(Dependencies dependencies,
                                                        ConditionKind kind, Ref predicate,
                                                        int bodies) {
  const bool is_while = kind == ConditionKind::while_loop;
  require(bodies == 1 || (bodies == 2 && !is_while),
          "a condition must have one body, or two for if:", bodies);
  HostNode node;
  node.kind = is_while ? HostNodeKind::while_loop : HostNodeKind::if_else;
  node.pointers = {predicate};
  node.accesses = {{predicate, 1, false}};
  const auto first = static_cast<int32_t>(graph_->bodies.size());
  for (int i = 0; i < bodies; ++i) node.bodies.push_back(first + i);
  Conditional result;
  result.node = add(dependencies, std::move(node));
  for (int i = 0; i < bodies; ++i) {
    graph_->bodies.emplace_back();
    nested_.emplace_back(new HostGraphBuilder(device_, graph_, first + i));
    result.bodies.push_back(nested_.back().get());
  }
  return result;
}

}  // namespace litz::runtime
