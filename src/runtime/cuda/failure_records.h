// The places in which kernels of a graph report failures of their checks.
//
// They lie in memory of the host that the card writes, so reading them costs no copy. A kernel that
// fails goes on; its failure is found once the host has waited.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/cuda/cuda_streams.h"
#include "runtime/plain_graph.h"

namespace litz::runtime::cuda {

/// What generated kernels write: the first thread that sets `claimed` to 1 writes the rest.
struct FailureRecord {
  int32_t claimed = 0;
  int32_t unused = 0;
  int64_t check = 0;
  int64_t value = 0;
  int64_t extent = 0;
};

/// The records of one graph. Waiting work may still write them when the graph is gone.
class FailureRecords {
 public:
  explicit FailureRecords(std::shared_ptr<CudaStreams> streams) : streams_(std::move(streams)) {}

  FailureRecords(const FailureRecords&) = delete;
  FailureRecords& operator=(const FailureRecords&) = delete;
  ~FailureRecords();

  /// Gives a node a record. Its kernel is described by `name` and
  /// `checks`.
  void add(NodeId node, std::string_view label, std::string name,
           std::vector<artifact::KernelCheck> checks);
  /// Allocates what was added.
  void allocate();

  bool empty() const { return owners_.empty(); }

  /// The card's address of a node's record; 0 if it has none.
  Address of(NodeId node) const;

  /// Clears all records, and throws the KernelFault of the first node that has failed. No work that
  /// uses them may run.
  void check();

 private:
  struct Owner {
    NodeId node;
    std::string label;
    std::string name;
    std::vector<artifact::KernelCheck> checks;
  };

  std::shared_ptr<CudaStreams> streams_;
  std::vector<Owner> owners_;
  FailureRecord* records_ = nullptr;  ///< One per owner.
  Address address_ = 0;
};

}  // namespace litz::runtime::cuda
