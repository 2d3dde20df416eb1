// One graph of the driver: a run of nodes that the card executes without the host.
//
// Nodes run in their order: on small kernels a chain is faster than branches that join, and it stays
// right when sizes and places change. The graph is made at its first launch, when all addresses are
// known. Later launches set only what patches have changed.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/cuda/cuda_device.h"
#include "runtime/cuda/failure_records.h"

namespace litz::runtime::cuda {

/// What nodes read at a launch; patches change it.
struct LaunchState {
  /// The location of a node's parts.
  struct Place {
    size_t pointer = 0;
    size_t scalar = 0;
    size_t extent = 0;
    Address failure = 0;  ///< Its failure record.
    bool is_enabled = true;
  };

  const std::vector<PlainNode>* nodes = nullptr;
  std::vector<Place> places;      ///< By node.
  std::vector<Address> pointers;  ///< Of all nodes.
  std::vector<int64_t> scalars;
  std::vector<int64_t> extents;
};

class CudaSegment {
 public:
  /// `first` and `count` name nodes of the state, which must outlive this.
  CudaSegment(const CudaDevice& device, LaunchState& state, size_t first, size_t count,
              bool fills_released);
  CudaSegment(const CudaSegment&) = delete;
  CudaSegment& operator=(const CudaSegment&) = delete;
  ~CudaSegment();

  /// Notes that a patch has changed a node.
  void change(size_t node);

  void launch(const CudaStreams::Use& use);

  /// Runs one node without the graph.
  void run_node(size_t node, const CudaStreams::Use& use);

 private:
  /// A node of the driver's graph: a phase, a copy, a part of a fill, or the graph of a call.
  struct Piece {
    size_t node;
    size_t part;  ///< The number of the phase, or of the part.
    GraphNode handle = nullptr;
    bool is_on = true;  ///< In the executable graph.
    bool is_changed = false;
  };

  const PlainNode& node_of(const Piece& piece) const { return (*state_.nodes)[piece.node]; }

  std::vector<Piece> pieces_of(size_t node) const;
  bool is_wanted(const Piece& piece) const;
  KernelNode kernel_node(const Piece& piece);
  CopyNode copy_node(const Piece& piece) const;
  std::vector<FillPart> fill_parts(size_t node) const;
  FillNode fill_node(const Piece& piece) const;

  void enqueue_call(size_t node, Stream stream);
  Graph captured(size_t node);
  void build();
  void drop();
  void add(Piece& piece, Graph graph, const GraphNode* after);
  bool set(Piece& piece);
  void update();

  const CudaDevice& device_;
  const Driver& driver_;
  LaunchState& state_;
  size_t first_;
  size_t count_;
  bool fills_released_;
  std::vector<Piece> pieces_;
  std::vector<size_t> first_piece_;  ///< By node from `first_` on, and the end.
  Graph graph_ = nullptr;
  GraphExecutable executable_ = nullptr;
  bool is_changed_ = false;
  Stream recorder_ = nullptr;      ///< Records calls.
  std::vector<void*> parameters_;  ///< Scratch.
  int64_t iterations_ = 0;         ///< Scratch: the last parameter.
};

}  // namespace litz::runtime::cuda
