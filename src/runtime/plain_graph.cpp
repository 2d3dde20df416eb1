#include "runtime/plain_graph.h"

#include <string>
#include <utility>

namespace litz::runtime {

PlainGraphBuilder::PlainGraphBuilder(GraphOwner& owner)
    : PlainGraphBuilder(owner, std::make_shared<PlainGraph>(), 0) {
  graph_->bodies.emplace_back();
}

PlainGraphBuilder::PlainGraphBuilder(GraphOwner& owner, std::shared_ptr<PlainGraph> graph,
                                     int32_t body)
    : owner_(owner), graph_(std::move(graph)), body_(body) {}

// Addresses outside of buffers would still point to the old memory after a patch.
void PlainGraphBuilder::audit(const PlainNode& node) const {
  for (const int64_t scalar : node.scalars) {
    const auto* const address = reinterpret_cast<const void*>(static_cast<intptr_t>(scalar));
    check(!owner_.is_audited(address), "addresses are passed as pointers, not as scalars:", scalar);
  }
  const auto check_ref = [&](const Ref& ref) {
    const auto* const address = reinterpret_cast<const void*>(static_cast<intptr_t>(ref.offset));
    check(ref.buffer != kFixedAddress || !owner_.is_audited(address),
          "places in an arena belong to a buffer:", ref.offset);
  };
  for (const Ref& pointer : node.pointers) check_ref(pointer);
  for (const Access& access : node.accesses) check_ref(access.begin);
}

NodeId PlainGraphBuilder::add(Dependencies dependencies, PlainNode node) {
  owner_.count_call();
  std::vector<PlainNode>& nodes = graph_->bodies[static_cast<size_t>(body_)];
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
  audit(node);
  nodes.push_back(std::move(node));
  return {body_, index};
}

NodeId PlainGraphBuilder::kernel(Dependencies dependencies, const KernelLaunch& launch) {
  const std::string_view name = owner_.kernel_name(launch.kernel);
  require(launch.extents.size() == owner_.phase_count(launch.kernel),
          "a launch must have an extent for each phase:", name, launch.extents.size());
  require(launch.costs.empty() || launch.costs.size() == launch.extents.size(),
          "a launch must have a cost for each phase, or none:", name, launch.costs.size());
  constexpr int64_t kNanosecond = 1000;
  PlainNode node;
  node.kernel = launch.kernel;
  node.pointers.assign(launch.pointers.begin(), launch.pointers.end());
  node.scalars.assign(launch.scalars.begin(), launch.scalars.end());
  node.extents.assign(launch.extents.begin(), launch.extents.end());
  node.costs.assign(launch.costs.begin(), launch.costs.end());
  node.costs.resize(node.extents.size(), kNanosecond);
  node.accesses.assign(launch.accesses.begin(), launch.accesses.end());
  return add(dependencies, std::move(node));
}

NodeId PlainGraphBuilder::copy(Dependencies dependencies, Ref to, Ref from, size_t bytes) {
  PlainNode node;
  node.kind = PlainNodeKind::copy;
  node.pointers = {to, from};
  node.bytes = bytes;
  node.accesses = {{to, bytes, true}, {from, bytes, false}};
  return add(dependencies, std::move(node));
}

NodeId PlainGraphBuilder::fill(Dependencies dependencies, Ref to, uint32_t word, size_t bytes) {
  PlainNode node;
  node.kind = PlainNodeKind::fill;
  node.pointers = {to};
  node.word = word;
  node.bytes = bytes;
  node.accesses = {{to, bytes, true}};
  return add(dependencies, std::move(node));
}

NodeId PlainGraphBuilder::release(Dependencies dependencies, Ref begin, size_t bytes) {
  PlainNode node;
  node.kind = PlainNodeKind::release;
  node.pointers = {begin};
  node.bytes = bytes;
  // A release is ordered like a write: after earlier readers and before later writers.
  node.accesses = {{begin, bytes, true}};
  return add(dependencies, std::move(node));
}

NodeId PlainGraphBuilder::call(Dependencies dependencies, const CallNode& launch) {
  require(launch.call != nullptr, "a call node must have something to call");
  PlainNode node;
  node.kind = PlainNodeKind::call;
  node.call = launch.call;
  node.pointers.assign(launch.pointers.begin(), launch.pointers.end());
  node.scalars.assign(launch.scalars.begin(), launch.scalars.end());
  node.accesses.assign(launch.accesses.begin(), launch.accesses.end());
  return add(dependencies, std::move(node));
}

void PlainGraphBuilder::label(NodeId node, std::string_view text) {
  std::vector<PlainNode>& nodes = graph_->bodies[static_cast<size_t>(body_)];
  require(node.body == body_ && node.index >= 0 && static_cast<size_t>(node.index) < nodes.size(),
          "a label must name a node of its body:", node.body, node.index);
  nodes[static_cast<size_t>(node.index)].label = text;
}

GraphBuilder::Conditional PlainGraphBuilder::conditional(Dependencies dependencies,
                                                         ConditionKind kind, Ref predicate,
                                                         int bodies) {
  const bool is_while = kind == ConditionKind::while_loop;
  require(bodies == 1 || (bodies == 2 && !is_while),
          "a condition must have one body, or two for if:", bodies);
  require(bodies <= owner_.most_bodies(), ErrorCode::unsupported,
          "a device must have conditional nodes with so many bodies:", bodies);
  PlainNode node;
  node.kind = is_while ? PlainNodeKind::while_loop : PlainNodeKind::if_else;
  node.pointers = {predicate};
  node.accesses = {{predicate, 1, false}};
  const auto first = static_cast<int32_t>(graph_->bodies.size());
  for (int i = 0; i < bodies; ++i) node.bodies.push_back(first + i);
  Conditional result;
  result.node = add(dependencies, std::move(node));
  for (int i = 0; i < bodies; ++i) {
    graph_->bodies.emplace_back();
    nested_.emplace_back(new PlainGraphBuilder(owner_, graph_, first + i));
    result.bodies.push_back(nested_.back().get());
  }
  return result;
}

const PlainGraph& graph_of(const GraphBuilder& builder, const GraphOwner& owner) {
  const auto* const own = dynamic_cast<const PlainGraphBuilder*>(&builder);
  require(own != nullptr && &own->owner() == &owner && own->body() == 0,
          "a graph must be this device's");
  return own->graph();
}

std::byte* address_of(const Ref& ref, std::span<const Binding> bindings) {
  if (ref.buffer == kFixedAddress) {
    return reinterpret_cast<std::byte*>(static_cast<intptr_t>(ref.offset));
  }
  return bindings[static_cast<size_t>(ref.buffer)].base + ref.offset;
}

void require_bound(const PlainGraph& graph, size_t buffers) {
  const auto require_ref = [&](const Ref& ref) {
    require(ref.buffer < static_cast<int64_t>(buffers),
            "every buffer must have an address:", ref.buffer, buffers);
  };
  for (const std::vector<PlainNode>& body : graph.bodies) {
    for (const PlainNode& node : body) {
      for (const Ref& ref : node.pointers) require_ref(ref);
      for (const Access& access : node.accesses) require_ref(access.begin);
    }
  }
}

namespace {

const PlainNode& require_node(NodeId id, const PlainGraph& graph) {
  const auto body = static_cast<size_t>(id.body);
  const auto index = static_cast<size_t>(id.index);
  require(body < graph.bodies.size() && index < graph.bodies[body].size(),
          "a patch must name a node of the graph:", id.body, id.index);
  return graph.bodies[body][index];
}

void require_patch(const Patch& patch, const PlainGraph& graph, size_t buffers) {
  if (const auto* const bound = std::get_if<BindBuffer>(&patch)) {
    require(bound->buffer >= 0 && static_cast<size_t>(bound->buffer) < buffers,
            "a patch must name a buffer of the graph:", bound->buffer);
  } else if (const auto* const scalar = std::get_if<SetScalar>(&patch)) {
    const PlainNode& node = require_node(scalar->node, graph);
    require(scalar->index >= 0 && static_cast<size_t>(scalar->index) < node.scalars.size(),
            "a patch must name a scalar of the node:", scalar->index);
  } else if (const auto* const extent = std::get_if<SetExtent>(&patch)) {
    const PlainNode& node = require_node(extent->node, graph);
    require(extent->phase >= 0 && static_cast<size_t>(extent->phase) < node.extents.size(),
            "a patch must name a phase of the node:", extent->phase);
    require(extent->value >= 0, "iterations must not be negative:", extent->value);
  } else if (const auto* const cost = std::get_if<SetCost>(&patch)) {
    const PlainNode& node = require_node(cost->node, graph);
    require(cost->phase >= 0 && static_cast<size_t>(cost->phase) < node.costs.size(),
            "a patch must name a phase of the node:", cost->phase);
    require(cost->value >= 0, "costs must not be negative:", cost->value);
  } else if (const auto* const moved = std::get_if<SetOffset>(&patch)) {
    const PlainNode& node = require_node(moved->node, graph);
    require(moved->pointer >= 0 && static_cast<size_t>(moved->pointer) < node.pointers.size(),
            "a patch must name a pointer of the node:", moved->pointer);
    require(node.pointers[static_cast<size_t>(moved->pointer)].buffer != kFixedAddress,
            "a fixed address must not be moved:", moved->pointer);
  } else if (const auto* const resized = std::get_if<ResizeCall>(&patch)) {
    require(require_node(resized->node, graph).kind == PlainNodeKind::call,
            "a patch of a call's sizes must name a call:", resized->node.index);
  } else {
    require_node(std::get<EnableNode>(patch).node, graph);
  }
}
}  // namespace

void require_valid(std::span<const Patch> patches, const PlainGraph& graph, size_t buffers) {
  for (const Patch& patch : patches) require_patch(patch, graph, buffers);
}

void add_label(Error& error, std::string_view label) {
  if (!label.empty()) error.add_note("while running " + std::string(label));
}

void throw_fault(std::string_view label, NodeId id, std::string_view kernel,
                 std::span<const artifact::KernelCheck> checks,
                 const artifact::KernelFailure& failure) {
  check(failure.check >= 0 && static_cast<size_t>(failure.check) < checks.size(),
        "kernels report failures of their checks:", kernel, failure.check);
  try {
    artifact::throw_failure(checks[static_cast<size_t>(failure.check)], failure.value,
                            failure.extent);
  } catch (const Error& error) {
    KernelFault fault(error.code(), error.message(), id, failure);
    add_label(fault, label);
    throw fault;
  }
}

}  // namespace litz::runtime
