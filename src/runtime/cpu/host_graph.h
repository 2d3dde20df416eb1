// A graph of the host device as plain lists of nodes, and the builder that fills them.

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "runtime/launch_graph.h"

namespace litz::runtime {

class HostDevice;

enum class HostNodeKind : uint8_t { kernel, call, copy, fill, if_else, while_loop, release };

struct HostNode {
  HostNodeKind kind = HostNodeKind::kernel;
  std::vector<int32_t> dependencies;  ///< Earlier nodes of the same body.
  KernelId kernel;
  std::vector<Ref> pointers;  ///< copy: to, from; fill, release: to; conditional: the byte.
  std::vector<int64_t> scalars;
  std::vector<int64_t> extents;
  std::vector<int64_t> costs;  ///< One per extent.
  std::vector<Access> accesses;
  size_t bytes = 0;             ///< copy, fill, release
  uint32_t word = 0;            ///< fill
  std::vector<int32_t> bodies;  ///< conditional: indices into HostGraph::bodies.
  NodeCall* call = nullptr;
  std::string_view label;
};

struct HostGraph {
  std::vector<std::vector<HostNode>> bodies;  ///< [0] is the graph itself.
};

class HostGraphBuilder final : public GraphBuilder {
 public:
  explicit HostGraphBuilder(HostDevice& device);

  NodeId kernel(Dependencies dependencies, const KernelLaunch& launch) override;
  NodeId copy(Dependencies dependencies, Ref to, Ref from, size_t bytes) override;
  NodeId fill(Dependencies dependencies, Ref to, uint32_t word, size_t bytes) override;
  Conditional conditional(Dependencies dependencies, ConditionKind kind, Ref predicate,
                          int bodies) override;
  NodeId call(Dependencies dependencies, const CallNode& node) override;
  NodeId release(Dependencies dependencies, Ref begin, size_t bytes) override;
  void label(NodeId node, std::string_view text) override;

  const HostDevice& device() const { return device_; }

  const HostGraph& graph() const { return *graph_; }

  int32_t body() const { return body_; }

 private:
  HostGraphBuilder(HostDevice& device, std::shared_ptr<HostGraph> graph, int32_t body);
  NodeId add(Dependencies dependencies, HostNode node);
  void audit(const HostNode& node) const;

  HostDevice& device_;
  std::shared_ptr<HostGraph> graph_;
  int32_t body_;
  std::vector<std::unique_ptr<HostGraphBuilder>> nested_;
};

}  // namespace litz::runtime
