#include "runtime/program/arena_planner.h"

#include <algorithm>
#include <map>

#include "support/arrange.h"
#include "support/check.h"

namespace litz::runtime {

artifact::ArenaLayout ArenaPlanner::plan(const Bindings& sizes) const {
  std::vector<int64_t> bytes;
  bytes.reserve(blocks_.size());
  for (const artifact::ArenaBlock& block : blocks_) {
    const int64_t needed = evaluate(block.bytes, sizes);
    require(needed >= 0, ErrorCode::out_of_range, "a size must not be negative:", needed);
    bytes.push_back(rounded_block(needed));
  }
  return arranged(bytes);
}

std::optional<artifact::ArenaLayout> ArenaPlanner::plan(const SizeBox& box) const {
  std::map<const ExprNode*, int64_t> known;  // Bounds take longer to find than to look up.
  std::vector<int64_t> bytes;
  bytes.reserve(blocks_.size());
  for (const artifact::ArenaBlock& block : blocks_) {
    int64_t& most = known.try_emplace(block.bytes.node(), -1).first->second;
    if (most < 0 || block.bytes.is_constant()) most = box.bounds(block.bytes).hi;
    if (most > kMostBlockBytes) return std::nullopt;
    bytes.push_back(rounded_block(std::max<int64_t>(most, 0)));
  }
  return arranged(bytes);
}

artifact::ArenaLayout ArenaPlanner::arranged(std::span<const int64_t> bytes) const {
  std::vector<Chunk> chunks;
  chunks.reserve(blocks_.size());
  for (size_t i = 0; i < blocks_.size(); ++i) {
    chunks.push_back({bytes[i], blocks_[i].first, blocks_[i].last, 0});
  }
  artifact::ArenaLayout layout;
  layout.bytes = arrange(chunks);
  layout.ranges.reserve(chunks.size());
  for (const Chunk& chunk : chunks) layout.ranges.push_back({chunk.offset, chunk.bytes});
  return layout;
}

}  // namespace litz::runtime
