#include "ops/image_checks.h"

#include "support/check.h"
#include "support/text.h"

namespace litz::ops {

void require_image(const Call& call, const TensorType& image, size_t dims) {
  require(image.rank() == dims + 1 || image.rank() == dims + 2,
          "an image has channels, spatial dimensions and maybe a batch in front:", image);
  for (size_t d = image.rank() - dims - 1; d < image.rank(); ++d) {
    call.require_sizes(ne(image.sizes[d], 0),
                       "an image is empty in its batch only, if at all:", image);
  }
}

void require_sizes_are(const Call& call, const TensorType& type, std::span<const Expr> sizes,
                       const char* text) {
  require(type.rank() == sizes.size(), text, type, sizes.size(), "dimensions");
  for (size_t d = 0; d < sizes.size(); ++d) {
    call.require_sizes(eq(type.sizes[d], sizes[d]), text, type, "dimension", d, "must be",
                       sizes[d]);
  }
}

}  // namespace litz::ops
