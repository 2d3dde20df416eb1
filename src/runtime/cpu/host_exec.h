// An executable graph of the host: a flat list of records in an order that the edges allow.
//
// Replay walks the records. Each holds everything that its call needs, so a step costs little more
// than the call. All pointers are in one table, which patches write through an index by buffer.

#pragma once

#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "artifact/kernel_abi.h"
#include "runtime/cpu/access_check.h"
#include "runtime/cpu/memory_watch.h"
#include "runtime/device.h"
#include "runtime/plain_graph.h"

namespace litz::runtime {

class HostDevice;
struct HostPhase;

class HostExec final : public GraphExec {
 public:
  HostExec(HostDevice& device, PlainGraph graph, std::span<const Binding> buffers);

  void patch(std::span<const Patch> patches) override;
  void launch(StreamId stream) override;
  void launch_timed(StreamId stream, std::span<double> seconds) override;
  void watch(std::vector<WatchedMemory> memory) override;

  // Parts of patch() and launch() that do not count as device calls.

  /// Throws Error unless every patch names an existing part.
  void require_valid(std::span<const Patch> patches) const;
  /// Applies valid patches.
  void change(std::span<const Patch> patches);
  void replay(StreamId stream);

 private:
  // One step: for a kernel, one phase.
  struct Record {
    PlainNodeKind kind = PlainNodeKind::kernel;
    bool is_enabled = true;
    int32_t node = 0;
    artifact::KernelFunction function = nullptr;
    artifact::KernelArguments arguments;  // Other kinds use its buffers only.
    int64_t iterations = 0;
    int64_t pieces = 0;  // Of whole grains; 0 when there is nothing to do.
    int64_t grains = 0;
    const PlainNode* source = nullptr;
    const HostPhase* phase = nullptr;
  };

  // The location of a node's parts.
  struct Place {
    size_t record = 0;
    size_t records = 0;
    size_t scalar = 0;
    size_t pointer = 0;
  };

  struct Body {
    std::vector<Record> records;
    std::vector<Place> nodes;
  };

  // A pointer of the table that follows a buffer.
  struct Use {
    size_t pointer;
    int64_t offset;
  };

  void add_node(size_t body, const PlainNode& node);
  void add_pointers(const PlainNode& node);
  void set_pieces(Record& record, int64_t iterations, int64_t cost) const;
  void bind(BufferId buffer, Binding binding);

  void apply(const Patch& patch);
  void move(const SetOffset& moved);

  void run(size_t body);
  void run_by_modes(size_t body);
  std::vector<size_t> some_order(size_t body);
  void run_node(size_t body, size_t node);
  void run_watched(size_t body, size_t node);
  void run_record(const Record& record, size_t body);
  void run_call(const Record& record) const;
  void run_kernel(const Record& record, size_t body);
  void run_pieces(const Record& record, size_t body);
  [[noreturn]] void fail_kernel(const Record& record, size_t body,
                                const artifact::KernelFailure& failure) const;

  ByteRange resolve(const Access& access, std::span<const Binding> bindings) const;
  std::string name_of(size_t body, size_t node) const;
  std::vector<ByteRange> ranges_of(const PlainNode& node, std::span<const Binding> bindings) const;
  void check_accesses(std::span<const Binding> bindings) const;

  HostDevice& device_;
  PlainGraph graph_;
  std::vector<Binding> bindings_;
  std::vector<void*> pointers_;
  std::vector<int64_t> scalars_;
  std::vector<std::vector<Use>> uses_;  // By buffer.
  std::vector<Body> bodies_;
  artifact::KernelFailure failure_;
  std::mt19937_64 random_;
  std::optional<MemoryWatch> watch_;
  std::span<double> seconds_;  // By node; empty unless a launch is timed.
};

}  // namespace litz::runtime
