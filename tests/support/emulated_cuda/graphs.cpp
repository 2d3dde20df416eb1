// Graphs of the emulated card. A launch runs the nodes in a random order that the edges allow.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>

#include "machine.h"

namespace emulated {
namespace {

using litz::runtime::cuda::CopyNode;
using litz::runtime::cuda::FillNode;
using litz::runtime::cuda::KernelNode;
using litz::runtime::cuda::MemoryType;

enum class Kind : uint8_t { kernel, copy, fill, captured, child };

struct NodeObject {
  Kind kind = Kind::kernel;
  std::vector<size_t> dependencies;  ///< Earlier nodes of the graph.
  KernelRun kernel;
  CopyNode copy;
  FillNode fill;
  std::function<void()> captured;  ///< Work of a stream that captured it.
  std::vector<NodeObject> child;   ///< Of a graph in the graph.
  bool is_enabled = true;
};

struct GraphObject {
  std::vector<const void*> handles;  ///< Of the nodes, in order.
  std::vector<std::shared_ptr<NodeObject>> nodes;
};

struct ExecutableObject {
  std::vector<const void*> handles;
  std::vector<NodeObject> nodes;
  Job last = 0;
};

struct Graphs {
  Handles<GraphObject> graphs{"graph"};
  Handles<ExecutableObject> executables{"executable graph"};
};

std::atomic<int> instantiations = 0;

Graphs& graphs() {
  static auto* const only = new Graphs;
  return *only;
}

bool is_valid(const CopyNode& copy) {
  return copy.from.type == MemoryType::device && copy.to.type == MemoryType::device &&
         copy.from.device != 0 && copy.to.device != 0 && copy.width_bytes > 0 && copy.height == 1 &&
         copy.depth == 1 && copy.from.x_bytes == 0 && copy.to.x_bytes == 0 &&
         copy.from.reserved == nullptr && copy.to.reserved == nullptr;
}

bool is_valid(const FillNode& fill) {
  const bool has_size = fill.element_bytes == 1 || fill.element_bytes == 4;
  return fill.to != 0 && has_size && fill.width > 0 && fill.height == 1 &&
         fill.to % fill.element_bytes == 0;
}

void run_all(const std::vector<NodeObject>& nodes);

void run(const NodeObject& node) {
  if (!node.is_enabled) return;
  switch (node.kind) {
    case Kind::kernel:
      return run_kernel(node.kernel);
    case Kind::copy:
      require_usable(node.copy.to.device, node.copy.width_bytes, "a copy node");
      require_usable(node.copy.from.device, node.copy.width_bytes, "a copy node");
      std::memmove(pointer_to(node.copy.to.device), pointer_to(node.copy.from.device),
                   node.copy.width_bytes);
      return;
    case Kind::captured:
      return node.captured();
    case Kind::child:
      return run_all(node.child);
    case Kind::fill: {
      const size_t bytes = node.fill.width * node.fill.element_bytes;
      require_usable(node.fill.to, bytes, "a fill node");
      auto* const to = static_cast<char*>(pointer_to(node.fill.to));
      for (size_t i = 0; i < bytes; ++i) {
        to[i] = static_cast<char>(node.fill.value >> (8 * (i % node.fill.element_bytes)));
      }
      return;
    }
  }
}

void run_all(const std::vector<NodeObject>& nodes) {
  std::vector<size_t> waits_for(nodes.size());
  std::vector<std::vector<size_t>> users(nodes.size());
  std::vector<size_t> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    waits_for[i] = nodes[i].dependencies.size();
    for (const size_t dependency : nodes[i].dependencies) users[dependency].push_back(i);
    if (waits_for[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    std::swap(ready[machine().random() % ready.size()], ready.back());
    const size_t node = ready.back();
    ready.pop_back();
    run(nodes[node]);
    for (const size_t user : users[node]) {
      if (--waits_for[user] == 0) ready.push_back(user);
    }
  }
}

Result add(void** handle, void* graph, void* const* dependencies, size_t count, NodeObject node) {
  GraphObject& own = graphs().graphs.get(graph);
  for (size_t i = 0; i < count; ++i) {
    const auto found = std::find(own.handles.begin(), own.handles.end(), dependencies[i]);
    if (found == own.handles.end()) misuse("a node depends on one that is not of its graph");
    node.dependencies.push_back(static_cast<size_t>(found - own.handles.begin()));
  }
  own.nodes.push_back(std::make_shared<NodeObject>(std::move(node)));
  own.handles.push_back(own.nodes.back().get());
  *handle = own.nodes.back().get();
  return kSuccess;
}

/// As the driver demands of a change: the same nodes with the same edges.
bool have_one_shape(const std::vector<NodeObject>& a, const std::vector<NodeObject>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const NodeObject& left, const NodeObject& right) {
                      return left.kind == right.kind && left.dependencies == right.dependencies;
                    });
}

NodeObject& node_of(void* executable, const void* handle, Kind kind) {
  ExecutableObject& own = graphs().executables.get(executable);
  const auto found = std::find(own.handles.begin(), own.handles.end(), handle);
  if (found == own.handles.end()) misuse("not a node of this executable graph");
  NodeObject& node = own.nodes[static_cast<size_t>(found - own.handles.begin())];
  if (node.kind != kind) misuse("a node of another kind");
  return node;
}

std::vector<NodeObject> nodes_of(void* graph) {
  std::vector<NodeObject> nodes;
  for (const std::shared_ptr<NodeObject>& node : graphs().graphs.get(graph).nodes) {
    nodes.push_back(*node);
  }
  return nodes;
}

}  // namespace

void* graph_of_work(std::vector<std::function<void()>> work) {
  GraphObject* const graph = graphs().graphs.add(std::make_unique<GraphObject>());
  void* before = nullptr;
  for (std::function<void()>& each : work) {
    void* node = nullptr;
    add(&node, graph, &before, before != nullptr ? 1 : 0,
        {.kind = Kind::captured, .captured = std::move(each)});
    before = node;
  }
  return graph;
}

size_t live_graphs() { return graphs().graphs.count(); }

size_t live_executables() { return graphs().executables.count(); }

}  // namespace emulated

using namespace emulated;

extern "C" {

Result cuGraphCreate(void** graph, unsigned flags) {
  return enter("cuGraphCreate", true, [&] {
    *graph = graphs().graphs.add(std::make_unique<GraphObject>());
    return flags == 0 ? kSuccess : kInvalidValue;
  });
}

Result cuGraphDestroy(void* graph) {
  return enter("cuGraphDestroy", true, [&] {
    graphs().graphs.remove(graph);
    return kSuccess;
  });
}

Result cuGraphAddKernelNode_v2(void** node, void* graph, void* const* dependencies, size_t count,
                               const KernelNode* kernel) {
  return enter("cuGraphAddKernelNode", true, [&] {
    return add(node, graph, dependencies, count,
               {.kind = Kind::kernel, .kernel = kernel_run(*kernel)});
  });
}

Result cuGraphAddMemcpyNode(void** node, void* graph, void* const* dependencies, size_t count,
                            const CopyNode* copy, void* /*context*/) {
  return enter("cuGraphAddMemcpyNode", true, [&] {
    if (!is_valid(*copy)) return kInvalidValue;
    return add(node, graph, dependencies, count, {.kind = Kind::copy, .copy = *copy});
  });
}

Result cuGraphAddMemsetNode(void** node, void* graph, void* const* dependencies, size_t count,
                            const FillNode* fill, void* /*context*/) {
  return enter("cuGraphAddMemsetNode", true, [&] {
    if (!is_valid(*fill)) return kInvalidValue;
    return add(node, graph, dependencies, count, {.kind = Kind::fill, .fill = *fill});
  });
}

Result cuGraphAddChildGraphNode(void** node, void* graph, void* const* dependencies, size_t count,
                                void* child) {
  return enter("cuGraphAddChildGraphNode", true, [&] {
    return add(node, graph, dependencies, count, {.kind = Kind::child, .child = nodes_of(child)});
  });
}

Result cuGraphExecChildGraphNodeSetParams(void* executable, void* node, void* child) {
  return enter("cuGraphExecChildGraphNodeSetParams", true, [&] {
    NodeObject& own = node_of(executable, node, Kind::child);
    std::vector<NodeObject> nodes = nodes_of(child);
    if (!have_one_shape(own.child, nodes)) return kInvalidValue;
    own.child = std::move(nodes);
    return kSuccess;
  });
}

Result cuGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long flags) {
  return enter("cuGraphInstantiate", true, [&] {
    const GraphObject& source = graphs().graphs.get(graph);
    if (flags != 0) return kInvalidValue;
    auto made = std::make_unique<ExecutableObject>();
    made->handles = source.handles;
    made->nodes = nodes_of(graph);
    *executable = graphs().executables.add(std::move(made));
    ++instantiations;
    return kSuccess;
  });
}

/// How often a graph was instantiated, for tests that want it done once.
int litz_emulated_instantiations() { return instantiations; }

Result cuGraphExecDestroy(void* executable) {
  return enter("cuGraphExecDestroy", true, [&] {
    graphs().executables.remove(executable);
    return kSuccess;
  });
}

Result cuGraphExecKernelNodeSetParams_v2(void* executable, void* node, const KernelNode* kernel) {
  return enter("cuGraphExecKernelNodeSetParams", true, [&] {
    NodeObject& own = node_of(executable, node, Kind::kernel);
    KernelRun run = kernel_run(*kernel);
    if (run.function != own.kernel.function) return kInvalidValue;
    own.kernel = std::move(run);
    return kSuccess;
  });
}

Result cuGraphExecMemcpyNodeSetParams(void* executable, void* node, const CopyNode* copy,
                                      void* /*context*/) {
  return enter("cuGraphExecMemcpyNodeSetParams", true, [&] {
    NodeObject& own = node_of(executable, node, Kind::copy);
    if (!is_valid(*copy)) return kInvalidValue;
    own.copy = *copy;
    return kSuccess;
  });
}

Result cuGraphExecMemsetNodeSetParams(void* executable, void* node, const FillNode* fill,
                                      void* /*context*/) {
  return enter("cuGraphExecMemsetNodeSetParams", true, [&] {
    NodeObject& own = node_of(executable, node, Kind::fill);
    if (!is_valid(*fill) || fill->element_bytes != own.fill.element_bytes) return kInvalidValue;
    own.fill = *fill;
    return kSuccess;
  });
}

Result cuGraphNodeSetEnabled(void* executable, void* node, unsigned is_enabled) {
  return enter("cuGraphNodeSetEnabled", true, [&] {
    ExecutableObject& own = graphs().executables.get(executable);
    const auto found = std::find(own.handles.begin(), own.handles.end(), node);
    if (found == own.handles.end()) misuse("not a node of this executable graph");
    NodeObject& changed = own.nodes[static_cast<size_t>(found - own.handles.begin())];
    if (changed.kind == Kind::child) return kInvalidValue;
    changed.is_enabled = is_enabled != 0;
    return kSuccess;
  });
}

// Changes of the executable concern later launches only.
Result cuGraphLaunch(void* executable, void* stream) {
  return enter("cuGraphLaunch", true, [&] {
    ExecutableObject& own = graphs().executables.get(executable);
    own.last = give(
        stream, [nodes = own.nodes] { run_all(nodes); }, own.last);
    return kSuccess;
  });
}

}  // extern "C"
