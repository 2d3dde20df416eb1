// What a function's work becomes when it is recorded: an executable graph, and the memory that it
// reads and writes.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "runtime/program/value.h"
#include "runtime/trees/pool.h"

namespace litz::runtime::trees {

/// Random numbers that a replay draws: it writes seed and position to this place, as two i64.
struct Draw {
  size_t input = 0;  ///< The generator.
  int64_t count = 0;
  Range place;
};

struct Recording {
  /// A buffer of the graph in the pool.
  struct PoolBuffer {
    BufferId buffer = 0;
    Range range;
  };

  std::vector<std::unique_ptr<const std::string>> labels;  ///< These two outlive `exec`.
  std::vector<std::unique_ptr<NodeCall>> calls;
  std::unique_ptr<GraphExec> exec;      ///< Null: there is no work.
  std::vector<Binding> bindings;        ///< By buffer.
  std::vector<BufferId> input_buffers;  ///< By input; kFixedAddress: not a tensor.
  std::vector<PoolBuffer> pool_buffers;
  std::vector<Tensor> constants;  ///< Everything that it reads besides inputs and the pool.
  std::vector<Draw> draws;
  std::vector<Range> footprint;  ///< All memory of the pool that it writes, apart, ascending.
  int64_t nodes = 0;
};

/// Joins ranges that touch.
std::vector<Range> joined(std::vector<Range> ranges);

}  // namespace litz::runtime::trees
