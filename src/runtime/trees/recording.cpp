#include "runtime/trees/recording.h"

#include <algorithm>

namespace litz::runtime::trees {

std::vector<Range> joined(std::vector<Range> ranges) {
  std::erase_if(ranges, [](const Range& range) { return range.bytes == 0; });
  std::ranges::sort(ranges, {}, &Range::begin);
  std::vector<Range> result;
  for (const Range& range : ranges) {
    if (result.empty() || result.back().end() < range.begin) {
      result.push_back(range);
    } else if (range.end() > result.back().end()) {
      result.back().bytes = static_cast<size_t>(range.end() - result.back().begin);
    }
  }
  return result;
}

}  // namespace litz::runtime::trees
