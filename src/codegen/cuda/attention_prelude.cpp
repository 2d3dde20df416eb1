// Attention by the units that multiply matrices of halves: one block of four warps takes 64 rows of
// one matrix, 16 a warp, and passes over tiles of 64 keys with the maximum and the sum so far
// (Milakov and Gimelshein, 2018; Dao et al., 2022). While a product runs, the operand of the next
// one is on its way to the memory of the block.

#include <string>

#include "codegen/cuda/prelude.h"

namespace litz::codegen {
namespace {

constexpr std::string_view kUnits = R"cuda(
#if defined(LITZ_EMULATED_CUDA)
// Copies happen when they are waited for, as late as the card may make them.
struct AsyncCopies {
  static constexpr int kMost = 128;
  u8* to[kMost];
  const u8* from[kMost];
  int bytes[kMost];
  int group[kMost];
  int count = 0, groups = 0;
  __device__ void copy(u16* target, const u16* source, int size) {
    to[count] = reinterpret_cast<u8*>(target);
    from[count] = reinterpret_cast<const u8*>(source);
    bytes[count] = size;
    group[count++] = groups;
  }
  __device__ void commit() { ++groups; }
  template <int kLeft> __device__ void wait() {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
      if (group[i] >= groups - kLeft) {
        to[kept] = to[i], from[kept] = from[i], bytes[kept] = bytes[i], group[kept++] = group[i];
        continue;
      }
      memset(to[i], 0, 16);
      memcpy(to[i], from[i], bytes[i]);
    }
    count = kept;
  }
};

// Four matrices of 8 x 8 halves, the rows of which lanes name in turn.
template <bool kTransposed> __device__ inline void load_matrices(u32 (&out)[4], const u16* row) {
  unsigned lanes;
  const unsigned long long* const rows =
      litz_emulated->exchange(~0u, reinterpret_cast<unsigned long long>(row), &lanes);
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  for (int i = 0; i < 4; ++i) {
    const auto at = [&](int r, int c) -> u32 {
      return reinterpret_cast<const u16*>(rows[8 * i + r])[c];
    };
    out[i] = kTransposed ? at(2 * t, g) | at(2 * t + 1, g) << 16
                         : at(g, 2 * t) | at(g, 2 * t + 1) << 16;
  }
}

template <class Half>
__device__ inline void multiply(f32 (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  unsigned lanes;
  u64 words[3][32];
  const u64 own[3] = {a[0] | static_cast<u64>(a[1]) << 32, a[2] | static_cast<u64>(a[3]) << 32,
                      b0 | static_cast<u64>(b1) << 32};
  for (int i = 0; i < 3; ++i) {
    const unsigned long long* const all = litz_emulated->exchange(~0u, own[i], &lanes);
    for (int lane = 0; lane < 32; ++lane) words[i][lane] = all[lane];
  }
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < 4; ++i) {
    const int row = lane / 4 + (i / 2) * 8, column = 2 * (lane % 4) + i % 2;
    f64 sum = c[i];
    for (int k = 0; k < 16; ++k) {
      const u64 left = words[k / 8][row % 8 * 4 + k % 8 / 2] >> (row / 8 * 32 + k % 2 * 16);
      const u64 right = words[2][column * 4 + k % 8 / 2] >> (k / 8 * 32 + k % 2 * 16);
      sum += static_cast<f64>(Half::decode(static_cast<u16>(left))) *
             Half::decode(static_cast<u16>(right));
    }
    c[i] = static_cast<f32>(sum);
  }
}

struct Bf16 {
  static __device__ f32 decode(u16 bits) { return from_bf16(bits); }
  static __device__ u32 pack(f32 low, f32 high) {
    return to_bf16(low) | static_cast<u32>(to_bf16(high)) << 16;
  }
};
struct F16 {
  static __device__ f32 decode(u16 bits) { return from_f16(bits); }
  static __device__ u32 pack(f32 low, f32 high) {
    return to_f16(low) | static_cast<u32>(to_f16(high)) << 16;
  }
};
#else
struct AsyncCopies {
  // Bytes after the first `size` of 16 become zero.
  __device__ void copy(u16* target, const u16* source, int size) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     static_cast<u32>(__cvta_generic_to_shared(target))),
                 "l"(source), "r"(size)
                 : "memory");
  }
  __device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
  template <int kLeft> __device__ void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
  }
};

template <bool kTransposed> __device__ inline void load_matrices(u32 (&out)[4], const u16* row) {
  const u32 address = static_cast<u32>(__cvta_generic_to_shared(row));
  if (kTransposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(address)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
                 : "r"(address)
                 : "memory");
  }
}

struct Bf16 {
  static __device__ u32 pack(f32 low, f32 high) {
    u32 both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
  }
};
struct F16 {
  static __device__ u32 pack(f32 low, f32 high) {
    u32 both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
  }
};

template <class Half>
__device__ inline void multiply(f32 (&c)[4], const u32 (&a)[4], u32 b0, u32 b1);
template <>
__device__ inline void multiply<Bf16>(f32 (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <>
__device__ inline void multiply<F16>(f32 (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#endif
)cuda";

constexpr std::string_view kAttention = R"cuda(
// Elements from one matrix, row or column to the next.
struct MatrixStrides { i64 batch[3], row, column; };
struct AttentionSizes {
  i64 batch[3], rows, keys, depth, columns;
  MatrixStrides query, key, value, mask, result;
};

// causal: row i attends to the keys 0 to i.
enum class MaskKind { none, bools, added, causal };

// A tile of kRows rows in the memory of the block. Rows are 16 bytes longer than their elements, so
// that the eight rows of a matrix lie in different banks.
template <int kColumns> struct Tile {
  static constexpr int kStride = kColumns + 8;
  static constexpr int kRows = 64;
  static constexpr int kThreads = 128;
  u16* memory;

  __device__ u16* at(int row, int column) const { return memory + row * kStride + column; }

  // Rows [first, first + kRows) of a matrix; what lies outside of it is zero.
  __device__ void load(AsyncCopies& copies, const u16* matrix, const MatrixStrides& strides,
                       bool is_aligned, i64 first, i64 rows, i64 columns) const {
    const int count = rows - first < kRows ? static_cast<int>(rows - first) : kRows;
    const u16* const begin = matrix + first * strides.row;
    if (is_aligned) {
      constexpr int kChunks = kColumns / 8;
      const int column = threadIdx.x % kChunks * 8;
      const bool has_column = column < columns;
      if constexpr (kThreads % kChunks == 0) {
        constexpr int kStep = kThreads / kChunks;
        int row = threadIdx.x / kChunks;
        const u16* source = begin + row * strides.row + column;
#pragma unroll
        for (int i = 0; i < kRows / kStep; ++i) {
          const bool is_inside = has_column && row < count;
          copies.copy(at(row, column), is_inside ? source : matrix, is_inside ? 16 : 0);
          row += kStep;
          source += kStep * strides.row;
        }
      } else {
        for (int i = threadIdx.x; i < kRows * kChunks; i += kThreads) {
          const int row = i / kChunks, own = i % kChunks * 8;
          const bool is_inside = own < columns && row < count;
          copies.copy(at(row, own), is_inside ? begin + row * strides.row + own : matrix,
                      is_inside ? 16 : 0);
        }
      }
      return;
    }
    for (int i = threadIdx.x; i < kRows * kColumns; i += kThreads) {
      const int row = i / kColumns, column = i % kColumns;
      const bool is_inside = row < count && column < columns;
      *at(row, column) = is_inside ? begin[row * strides.row + column * strides.column] : u16(0);
    }
  }
};

// True if rows begin at multiples of 16 bytes and consist of whole ones.
__device__ inline bool is_aligned(const u16* matrix, const MatrixStrides& strides, i64 columns) {
  return strides.column == 1 && strides.row % 8 == 0 && columns % 8 == 0 &&
         reinterpret_cast<u64>(matrix) % 16 == 0;
}

__device__ inline i64 matrix_offset(const MatrixStrides& strides, i64 b0, i64 b1, i64 b2) {
  return b0 * strides.batch[0] + b1 * strides.batch[1] + b2 * strides.batch[2];
}

// What a mask adds to scores: -inf where a bool is false. Nothing outside of the scores is read.
template <MaskKind kMask> struct MaskReader {
  const void* mask;
  i64 offset, row_stride, column_stride, rows, keys;

  __device__ f32 at(i64 place) const {
    if (kMask == MaskKind::added) return static_cast<const f32*>(mask)[place];
    return static_cast<const u8*>(mask)[place] != 0 ? f32(0) : -infinity_of(f32(0));
  }

  // Two neighbouring columns, the first of which is even.
  __device__ void load(f32& low, f32& high, i64 row, i64 column) const {
    low = high = 0;
    if (row >= rows || column >= keys) return;
    const i64 place = offset + row * row_stride + column * column_stride;
    const bool has_both = column + 1 < keys;
    if (kMask == MaskKind::added && has_both && column_stride == 1 &&
        reinterpret_cast<u64>(static_cast<const f32*>(mask) + place) % 8 == 0) {
      const float2 both = *reinterpret_cast<const float2*>(static_cast<const f32*>(mask) + place);
      low = both.x, high = both.y;
      return;
    }
    low = at(place);
    if (has_both) high = at(place + column_stride);
  }
};

// The exponential of a number that is not positive, as a power of 2. The largest score is subtracted
// before: masks reach down to the lowest number, which no factor may leave.
__device__ inline f32 exponential(f32 x) {
  const f32 exponent = x * 1.4426950408889634f;
#if defined(LITZ_EMULATED_CUDA)
  return exp2f(exponent);
#else
  f32 power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(exponent));
  return power;
#endif
}

// The largest of four neighbouring lanes, which have one row; their sum.
__device__ inline f32 row_max(f32 value) {
  value = fmaxf(value, __shfl_xor_sync(~0u, value, 1));
  return fmaxf(value, __shfl_xor_sync(~0u, value, 2));
}
__device__ inline f32 row_sum(f32 value) {
  value += __shfl_xor_sync(~0u, value, 1);
  return value + __shfl_xor_sync(~0u, value, 2);
}

// Block `number` of a grid over matrices and their tiles of rows. The memory of the block holds a
// tile of keys and one of values.
template <class Half, int kDepth, int kColumns, MaskKind kMask, bool kSafe>
__device__ inline void attend(i64 number, const u16* query, const u16* key, const u16* value,
                              const void* mask, u16* result, const AttentionSizes& sizes, f32 scale,
                              u16* key_memory, u16* value_memory) {
  constexpr int kTileRows = 64;
  constexpr int kKeyTiles = kTileRows / 8;
  const f32 kLowest = -infinity_of(f32(0));
  const Tile<kDepth> keys{key_memory};
  const Tile<kColumns> values{value_memory};
  const int lane = threadIdx.x % 32, warp_row = threadIdx.x / 32 * 16;

  const i64 row_tiles = (sizes.rows + kTileRows - 1) / kTileRows;
  i64 first_row = number % row_tiles * kTileRows;
  const i64 matrix = number / row_tiles;
  i64 keys_end = sizes.keys;
  if (kMask == MaskKind::causal) {
    // Later rows have more keys, so their blocks begin first.
    first_row = (row_tiles - 1 - number % row_tiles) * kTileRows;
    if (first_row + kTileRows < keys_end) keys_end = first_row + kTileRows;
  }
  const i64 b2 = matrix % sizes.batch[2], b1 = matrix / sizes.batch[2] % sizes.batch[1],
            b0 = matrix / sizes.batch[2] / sizes.batch[1];
  query += matrix_offset(sizes.query, b0, b1, b2);
  key += matrix_offset(sizes.key, b0, b1, b2);
  value += matrix_offset(sizes.value, b0, b1, b2);
  result += matrix_offset(sizes.result, b0, b1, b2);
  const i64 mask_offset = matrix_offset(sizes.mask, b0, b1, b2);
  const bool key_is_aligned = is_aligned(key, sizes.key, sizes.depth);
  const bool value_is_aligned = is_aligned(value, sizes.value, sizes.columns);

  // The rows of the queries stay in registers.
  AsyncCopies copies;
  keys.load(copies, query, sizes.query, is_aligned(query, sizes.query, sizes.depth), first_row,
            sizes.rows, sizes.depth);
  copies.commit();
  copies.template wait<0>();
  __syncthreads();
  u32 queries[kDepth / 16][4];
#pragma unroll
  for (int k = 0; k < kDepth / 16; ++k) {
    load_matrices<false>(queries[k], keys.at(warp_row + lane % 16, 16 * k + lane / 16 * 8));
  }
  __syncthreads();

  // A mask that waits in registers is there when the scores are; with many columns they are taken.
  constexpr bool kReadsMask = kMask == MaskKind::bools || kMask == MaskKind::added;
  constexpr bool kEarlyMask = kReadsMask && kDepth + kColumns <= 128;
  const MaskReader<kMask> reader{mask, mask_offset, sizes.mask.row, sizes.mask.column, sizes.rows,
                                 sizes.keys};
  const auto load_mask = [&](f32(&added)[kKeyTiles][4], i64 first) {
    if (!kReadsMask) return;
#pragma unroll
    for (int j = 0; j < kKeyTiles; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        reader.load(added[j][2 * half], added[j][2 * half + 1],
                    first_row + warp_row + lane / 4 + half * 8, first + 8 * j + 2 * (lane % 4));
      }
    }
  };

  f32 sums[kColumns / 8][4] = {};
  f32 largest[2] = {kLowest, kLowest}, total[2] = {0, 0};
  keys.load(copies, key, sizes.key, key_is_aligned, 0, sizes.keys, sizes.depth);
  copies.commit();
  for (i64 first = 0; first < keys_end; first += kTileRows) {
    copies.template wait<0>();
    __syncthreads();  // The keys are there, and nobody reads the old values any more.
    values.load(copies, value, sizes.value, value_is_aligned, first, sizes.keys, sizes.columns);
    copies.commit();

    f32 added[kKeyTiles][4];
    if (kEarlyMask) load_mask(added, first);
    f32 scores[kKeyTiles][4] = {};
#pragma unroll
    for (int k = 0; k < kDepth / 16; ++k) {
#pragma unroll
      for (int j = 0; j < kKeyTiles; j += 2) {
        u32 b[4];
        load_matrices<false>(
            b, keys.at(8 * j + lane / 16 * 8 + lane % 8, 16 * k + lane / 8 % 2 * 8));
        multiply<Half>(scores[j], queries[k], b[0], b[1]);
        multiply<Half>(scores[j + 1], queries[k], b[2], b[3]);
      }
    }
    __syncthreads();  // Nobody reads these keys any more.
    if (first + kTileRows < keys_end) {
      keys.load(copies, key, sizes.key, key_is_aligned, first + kTileRows, sizes.keys,
                sizes.depth);
    }
    copies.commit();

    if (!kEarlyMask) load_mask(added, first);
#pragma unroll
    for (int j = 0; j < kKeyTiles; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        f32 score = scores[j][i] * scale;
        if (kMask == MaskKind::added) score += added[j][i];
        if (kMask == MaskKind::bools && added[j][i] != 0) score = kLowest;
        scores[j][i] = score;
      }
    }
    if (first + kTileRows > sizes.keys) {
      const int left = static_cast<int>(sizes.keys - first) - 2 * (lane % 4);
#pragma unroll
      for (int j = 0; j < kKeyTiles; ++j) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          if (8 * j + i % 2 >= left) scores[j][i] = kLowest;
        }
      }
    }
    if (kMask == MaskKind::causal && first + kTileRows > first_row) {
      const int shift = static_cast<int>(first - first_row) + 2 * (lane % 4) - warp_row - lane / 4;
#pragma unroll
      for (int j = 0; j < kKeyTiles; ++j) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          if (8 * j + i % 2 + shift > i / 2 * 8) scores[j][i] = kLowest;
        }
      }
    }
    u32 weights[kKeyTiles][2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      f32 most = largest[half];
#pragma unroll
      for (int j = 0; j < kKeyTiles; ++j) {
        most = fmaxf(most, fmaxf(scores[j][2 * half], scores[j][2 * half + 1]));
      }
      most = row_max(most);
      // A row without scores yet has no maximum to subtract.
      const f32 base = most == kLowest ? 0 : most;
      const f32 correction = exponential(largest[half] - base);
      largest[half] = most;
      f32 sum = 0;
#pragma unroll
      for (int j = 0; j < kKeyTiles; ++j) {
        const f32 low = exponential(scores[j][2 * half] - base);
        const f32 high = exponential(scores[j][2 * half + 1] - base);
        sum += low + high;
        weights[j][half] = Half::pack(low, high);
      }
      total[half] = total[half] * correction + row_sum(sum);
#pragma unroll
      for (int e = 0; e < kColumns / 8; ++e) {
        sums[e][2 * half] *= correction;
        sums[e][2 * half + 1] *= correction;
      }
    }
    copies.template wait<1>();
    __syncthreads();  // The values are there.
#pragma unroll
    for (int k = 0; k < kTileRows / 16; ++k) {
      const u32 a[4] = {weights[2 * k][0], weights[2 * k][1], weights[2 * k + 1][0],
                        weights[2 * k + 1][1]};
#pragma unroll
      for (int e = 0; e < kColumns / 8; e += 2) {
        u32 b[4];
        load_matrices<true>(
            b, values.at(16 * k + lane / 8 % 2 * 8 + lane % 8, 8 * e + lane / 16 * 8));
        multiply<Half>(sums[e], a, b[0], b[1]);
        multiply<Half>(sums[e + 1], a, b[2], b[3]);
      }
    }
  }
  copies.template wait<0>();

#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const i64 row = first_row + warp_row + lane / 4 + half * 8;
    if (row >= sizes.rows) continue;
    const bool is_empty = total[half] == 0 && (kSafe || sizes.keys == 0);
    const f32 factor = is_empty ? 0 : 1 / total[half];
#pragma unroll
    for (int e = 0; e < kColumns / 8; ++e) {
      const i64 column = 8 * e + 2 * (lane % 4);
      const u32 both = Half::pack(sums[e][2 * half] * factor, sums[e][2 * half + 1] * factor);
      u16* const to = result + row * sizes.result.row + column * sizes.result.column;
      if (column + 1 < sizes.columns && sizes.result.column == 1 &&
          reinterpret_cast<u64>(to) % 4 == 0) {
        *reinterpret_cast<u32*>(to) = both;
        continue;
      }
      if (column < sizes.columns) *to = static_cast<u16>(both);
      if (column + 1 < sizes.columns) to[sizes.result.column] = static_cast<u16>(both >> 16);
    }
  }
}
)cuda";

}  // namespace

std::string_view cuda_attention_prelude() {
  static const std::string kText = std::string(kUnits) + std::string(kAttention);
  return kText;
}

}  // namespace litz::codegen
