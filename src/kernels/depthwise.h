// Convolutions in which every output channel reads one input channel, too thin for matrix products.

#pragma once

#include "kernels/unfold.h"

namespace litz::kernels {

/// Adds to `sums` (output positions, row-major) the window times the plane (input positions,
/// row-major). All three have the accumulator's type.
void add_depthwise(Accumulator accumulator, const WindowGeometry& geometry, const void* plane,
                   const void* window, void* sums);

}  // namespace litz::kernels
