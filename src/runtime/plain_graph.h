// A graph as plain lists of nodes, the builder that fills them, and what every device does with
// them.

#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "artifact/kernel_code.h"
#include "runtime/launch_graph.h"

namespace litz::runtime {

enum class PlainNodeKind : uint8_t { kernel, call, copy, fill, if_else, while_loop, release };

struct PlainNode {
  PlainNodeKind kind = PlainNodeKind::kernel;
  std::vector<int32_t> dependencies;  ///< Earlier nodes of the same body.
  KernelId kernel;
  std::vector<Ref> pointers;  ///< copy: to, from; fill, release: to; conditional: the byte.
  std::vector<int64_t> scalars;
  std::vector<int64_t> extents;
  std::vector<int64_t> costs;  ///< One per extent.
  std::vector<Access> accesses;
  size_t bytes = 0;             ///< copy, fill, release
  uint32_t word = 0;            ///< fill
  std::vector<int32_t> bodies;  ///< conditional: indices into PlainGraph::bodies.
  NodeCall* call = nullptr;
  std::string_view label;
};

struct PlainGraph {
  std::vector<std::vector<PlainNode>> bodies;  ///< [0] is the graph itself.
};

/// The facts that a builder needs of its device.
class GraphOwner {
 public:
  /// Counts a device call, and throws if it is the one that shall fail.
  virtual void count_call() = 0;
  virtual std::string_view kernel_name(KernelId kernel) const = 0;
  virtual size_t phase_count(KernelId kernel) const = 0;
  /// The bodies that a conditional node may have; see DeviceCaps.
  virtual int most_bodies() const = 0;
  /// True if pointers are audited and the address lies in an arena.
  virtual bool is_audited(const void* address) const = 0;

 protected:
  ~GraphOwner() = default;
};

class PlainGraphBuilder final : public GraphBuilder {
 public:
  explicit PlainGraphBuilder(GraphOwner& owner);

  NodeId kernel(Dependencies dependencies, const KernelLaunch& launch) override;
  NodeId copy(Dependencies dependencies, Ref to, Ref from, size_t bytes) override;
  NodeId fill(Dependencies dependencies, Ref to, uint32_t word, size_t bytes) override;
  Conditional conditional(Dependencies dependencies, ConditionKind kind, Ref predicate,
                          int bodies) override;
  NodeId call(Dependencies dependencies, const CallNode& node) override;
  NodeId release(Dependencies dependencies, Ref begin, size_t bytes) override;
  void label(NodeId node, std::string_view text) override;

  const GraphOwner& owner() const { return owner_; }

  const PlainGraph& graph() const { return *graph_; }

  int32_t body() const { return body_; }

 private:
  PlainGraphBuilder(GraphOwner& owner, std::shared_ptr<PlainGraph> graph, int32_t body);
  NodeId add(Dependencies dependencies, PlainNode node);
  void audit(const PlainNode& node) const;

  GraphOwner& owner_;
  std::shared_ptr<PlainGraph> graph_;
  int32_t body_;
  std::vector<std::unique_ptr<PlainGraphBuilder>> nested_;
};

/// The graph of a builder that belongs to `owner`; throws Error for another one.
const PlainGraph& graph_of(const GraphBuilder& builder, const GraphOwner& owner);

/// The address of a place.
std::byte* address_of(const Ref& ref, std::span<const Binding> bindings);

/// Throws Error unless every buffer of the graph has an address.
void require_bound(const PlainGraph& graph, size_t buffers);

/// Throws Error unless every patch names an existing part of the graph.
void require_valid(std::span<const Patch> patches, const PlainGraph& graph, size_t buffers);

/// Names a node in an error.
void add_label(Error& error, std::string_view label);

/// Throws the failure that a node's kernel reported, as a KernelFault.
[[noreturn]] void throw_fault(std::string_view label, NodeId id, std::string_view kernel,
                              std::span<const artifact::KernelCheck> checks,
                              const artifact::KernelFailure& failure);

}  // namespace litz::runtime
