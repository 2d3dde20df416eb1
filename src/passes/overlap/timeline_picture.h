// Time lines as text and as pictures.

#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "passes/overlap/timeline.h"

namespace litz::passes {

/// A line for computation and one for each group, over the time of `total_us`:
///
///   computation |====    =====|
///   group 0     | ---####-    |     - hidden behind computation, # exposed
std::string timeline_text(const Timeline& line, double total_us, size_t columns = 72);

/// One `<svg>` element with a named time line below the other, all over one time. Hovering over a
/// bar shows the node and its times.
std::string timeline_svg(const std::vector<std::pair<std::string, const Timeline*>>& lines);

}  // namespace litz::passes
