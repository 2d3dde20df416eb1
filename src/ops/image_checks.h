// Sizes that image operators require: only a batch may be empty, and gradients have the sizes of
// results.

#pragma once

#include <span>

#include "ops/call.h"

namespace litz::ops {

/// Throws unless the tensor has channels and `dims` spatial dimensions, none of them empty, and
/// optionally a batch.
void require_image(const Call& call, const TensorType& image, size_t dims);

/// Throws `text` with both sizes unless the tensor has these sizes.
void require_sizes_are(const Call& call, const TensorType& type, std::span<const Expr> sizes,
                       const char* text);

}  // namespace litz::ops
