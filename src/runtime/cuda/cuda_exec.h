// An executable graph of a card.
//
// Runs of nodes that the card executes are graphs of the driver. Between them stand calls that the
// host makes: what they touch is copied to the host and back. Patches are noted, and set at the next
// launch, once for each node.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/cuda/cuda_device.h"
#include "runtime/cuda/cuda_segment.h"
#include "runtime/cuda/failure_records.h"

namespace litz::runtime {

class CudaExec final : public GraphExec {
 public:
  CudaExec(CudaDevice& device, PlainGraph graph, std::span<const Binding> buffers);

  void patch(std::span<const Patch> patches) override;
  void launch(StreamId stream) override;
  void launch_timed(StreamId stream, std::span<double> seconds) override;
  /// Refuses: the device has no mode that watches memory.
  void watch(std::vector<WatchedMemory> memory) override;

 private:
  /// Nodes that follow each other: a segment, or calls that share one wait.
  struct Part {
    size_t first = 0;
    size_t count = 0;
    std::unique_ptr<cuda::CudaSegment> segment;  ///< Null: calls.
  };

  // A pointer that follows a buffer.
  struct Use {
    size_t node;
    size_t pointer;  ///< In the state.
    int64_t offset;
  };

  void add_node(size_t index);
  void add_parts();
  void change(size_t node);
  void bind(const BindBuffer& bound);
  void move(const SetOffset& moved);
  void apply(const Patch& patch);

  void start(StreamId stream);
  void check_at_end(StreamId stream);
  void run_calls(size_t first, size_t count, StreamId stream);
  void run_call(size_t node, const cuda::StagedRanges& staged);
  void run_timed(const Part& part, StreamId stream, std::span<double> seconds);

  const std::vector<PlainNode>& nodes() const { return graph_.bodies[0]; }

  CudaDevice& device_;
  PlainGraph graph_;
  std::vector<Binding> bindings_;
  std::vector<std::vector<Use>> uses_;  ///< By buffer.
  cuda::LaunchState state_;
  std::shared_ptr<cuda::FailureRecords> failures_;
  std::vector<Part> parts_;
  std::vector<Part*> part_of_;  ///< By node.
  std::optional<StreamId> last_stream_;
};

}  // namespace litz::runtime
