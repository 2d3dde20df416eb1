// Lets the backward part of a program compute values again instead of keeping them.
//
//   %s = aten.sin(%x)                            %s = aten.sin(%x)
//   ...                                          ...
//   %d = aten.mul.Tensor(%g, %s)            =>   %s_1 = aten.sin(%x) #{backward = "recomputed"}
//                                                %d = aten.mul.Tensor(%g, %s_1)
//
// Copies stand right before their first reader, and later stages keep them there: a kernel of the
// forward part must not compute them as well, and they wait for the gradients before them. Copies
// of random operators have the same stream, so they draw the same numbers.

#pragma once

#include "autodiff/saved_values.h"

namespace litz::autodiff {

/// True if some nodes depend on cotangents and some annotation says what must be repeated.
bool has_checkpoints(const ir::Graph& graph);

/// Repeats what `choose_saved` does not keep. Returns the number of copies.
size_t recompute(ir::Graph& graph, const SavedOptions& options);

}  // namespace litz::autodiff
