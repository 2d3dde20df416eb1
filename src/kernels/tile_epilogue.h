// Work on elements of a call's result right after the call has written them, while they are in
// caches.

#pragma once

#include <cstddef>
#include <cstdint>

namespace litz::kernels {

/// Elements of a result with their final values. Strides are in elements.
struct ResultTile {
  std::byte* first = nullptr;  ///< The element of row 0 and column 0.
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
};

class TileEpilogue {
 public:
  TileEpilogue() = default;
  TileEpilogue(const TileEpilogue&) = delete;
  TileEpilogue& operator=(const TileEpilogue&) = delete;
  virtual ~TileEpilogue() = default;

  /// Must be called once for every element of the result, after it was written and before the call
  /// returns; it may overwrite the tile. Several threads may call it, with disjoint tiles.
  virtual void run(const ResultTile& tile) const = 0;
};

}  // namespace litz::kernels
