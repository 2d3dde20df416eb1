// Places the blocks of a launch list in its arena, at given sizes or for all sizes in a box.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "artifact/launch_list.h"
#include "expr/expr.h"
#include "expr/size_box.h"

namespace litz::runtime {

/// Builds no expressions, so several threads may plan at once. The blocks must outlive it.
class ArenaPlanner {
 public:
  explicit ArenaPlanner(std::span<const artifact::ArenaBlock> blocks) : blocks_(blocks) {}

  std::span<const artifact::ArenaBlock> blocks() const { return blocks_; }

  /// Throws Error for sizes that overflow or are negative.
  artifact::ArenaLayout plan(const Bindings& sizes) const;
  /// Reserves for each block its largest size in the box. Returns nullopt if a block has no bound.
  std::optional<artifact::ArenaLayout> plan(const SizeBox& box) const;

 private:
  artifact::ArenaLayout arranged(std::span<const int64_t> bytes) const;

  std::span<const artifact::ArenaBlock> blocks_;
};

}  // namespace litz::runtime
