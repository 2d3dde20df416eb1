// Loop IR: one kernel as a tree of loops over scalar instructions on strided buffers.
//
//   kernel @softmax(%x: f32[s0, 4096], out %y: f32[s0, 4096]) {
//     for i0 in 0..s0 {
//       %0 = reduce max i1 in 0..4096 {
//         %1 = load %x[i0, i1]
//         yield %1
//       }
//       %2 = reduce sum i2 in 0..4096 {
//         %3 = load %x[i0, i2]
//         %4 = sub %3, %0
//         %5 = exp %4
//         yield %5
//       }
//       for i3 in 0..4096 {
//         %6 = load %x[i0, i3]
//         ...
//         store %y[i0, i3], %9
//       }
//     }
//   }
//
// Iterations of `for` without carried values are independent, except for what store modes say.
// Sizes and strides are expressions over the module's symbols. Loop variables are symbols of kind
// `index`, so index expressions are ordinary Exprs. Kernels never name an operator or a back end.
//
// Schedules add marks to loops and instructions, and make accesses flat:
//
//     for i0 in 0..s0 parallel, i1 in 0..4096 parallel vector 8 {
//       %0 = load %x at [4096*i0 + i1] ahead 512
//
// Marks say how a kernel runs. They do not change results: a kernel without them computes the same.

#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "expr/expr.h"
#include "loops/scalar_op.h"
#include "types/dtype.h"
#include "types/tensor_type.h"

namespace litz::loops {

/// Indexes Kernel::values.
using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;
/// Indexes Kernel::buffers.
using BufferId = int32_t;

enum class BufferRole : uint8_t { input, output, scratch };

struct Buffer {
  std::string name;
  BufferRole role = BufferRole::input;
  /// Its offset is the place of element 0 relative to the bound pointer: 0 for bound tensors.
  TensorType type;
};

/// One coordinate of an access: an expression over loop variables and sizes, or a computed integer.
using Index = std::variant<Expr, ValueId>;

struct LoopVar {
  Expr symbol;  ///< Of kind index.
  Expr extent;  ///< Iterates 0 .. extent - 1.
  /// Threads divide the iterations, together with those of other parallel variables.
  bool is_parallel = false;
  /// Advances in blocks. On the last two variables of a loop: loads are read in squares. On the
  /// last one alone: reductions inside process the rows of a block of columns one after another.
  bool is_tiled = false;
  int lanes = 1;  ///< Iterations per vector; more than 1 only for the last variable.
};

/// Makes a new variable with the range that its extent allows. Names of nested loops must differ.
LoopVar new_loop_var(ExprPool& pool, std::string name, Expr extent);

struct Block;

enum class InstrKind : uint8_t {
  constant,     ///< A literal of the value's dtype.
  index,        ///< An Expr as an integer (i64) or, by dtype, real value.
  op,           ///< A ScalarOp.
  load,         ///< buffer[indices]; `other` if the predicate is false.
  store,        ///< buffer[indices] mode= value; skipped if the predicate is false.
  bound_index,  ///< An i64 checked against 0 <= v < extent (or -extent <= v when wrapping). Other
                ///< values are Error{out_of_range}. The result is the wrapped index.
  check,        ///< A bool that must be true: false is Error{invalid_argument} with the text. A
                ///< launch reports the first failure in the order of iterations. The kernel may
                ///< stop or continue after it, since its results are then undefined.
  loop,         ///< for: nested block. With carried values, iterations run in order. In a combining
                ///< loop (is_combining) iterations yield tuples, and an associative block combines
                ///< them, so a machine may do so in parts.
  reduce,  ///< The block yields one value per iteration; argmax/argmin give i64 positions, softmax
           ///< two results. A kind without identity must not be empty, except that floating
           ///< max, min and softmax may be flagged: empty ones give -inf, inf, -inf and 0.
  sort,    ///< Sorts the keys that a block yields; a second block gets them by position.
  sort_row,  ///< Sorts a row in a buffer; schedules make it from a sort.
  attend,    ///< Attention over whole buffers: for each matrix of a batch, the rows of
             ///< softmax(query key^T * scale + mask) value. Sums are of f32, or f64 for f64; a bool
             ///< mask puts -inf where it is false. A row of -inf gives NaN, or 0 by its flag.
};

/// What an attend instruction works on. All buffers have one rank: the dimensions of the batch, which
/// are equal or repeated by a stride of 0, then rows and columns.
struct Attend {
  BufferId query = -1;     ///< [.., m, d]
  BufferId key = -1;       ///< [.., n, d]
  BufferId value = -1;     ///< [.., n, e]
  BufferId mask = -1;      ///< [.., m, n] of bool or the dtype of sums; -1: none.
  BufferId result = -1;    ///< [.., m, e]
  bool is_causal = false;  ///< Row i attends to the keys 0 to i; then there is no mask.
};

/// Marks that schedules add to an instruction, besides those of its loops.
struct Marks {
  bool is_transposed = false;  ///< load, store: in squares along another loop than the lanes,
                               ///< which are transposed in registers.
  bool is_streamed = false;    ///< store: bypasses the caches, since its memory is not read soon.
  int64_t ahead = 0;           ///< load: also prefetches this many elements ahead; negative:
                               ///< behind.
  ValueId mean_of = kNoValue;  ///< reduce: sums squared deviations from the mean of this sum, so
                               ///< that one pass over the elements serves both.
};

/// Literal payload by dtype category.
using Literal = std::variant<int64_t, double, std::complex<double>>;

struct Instr {
  InstrKind kind = InstrKind::op;
  std::vector<ValueId> results;
  ScalarOp op = ScalarOp::add;
  std::vector<ValueId> operands;  ///< op: operands; store: value; bound_index: index; check: the
                                  ///< condition; loop: initial carried values.
  Literal literal;                ///< constant; attend: the scale
  Expr expr;                      ///< index: the expression; bound_index: the extent; sort_row: the
                                  ///< number of sorted elements.
  BufferId buffer = -1;           ///< load, store
  std::vector<Index> indices;     ///< load, store: coordinates. Flat accesses: the offset in
                                  ///< elements from the bound pointer, then computed integers.
  std::vector<Expr> strides;      ///< load, store: strides of a flat access, by index; the first is
                                  ///< 1. Empty if indices are coordinates.
  ValueId predicate = kNoValue;   ///< load, store: bool; kNoValue = always.
  ValueId other = kNoValue;       ///< load with predicate: the value if false.
  StoreMode mode = StoreMode::assign;
  BufferId origins = -1;  ///< sort_row: original positions of the elements in `buffer`.
  Attend attend;
  bool flag = false;  ///< bound_index: wraps negatives; sort, sort_row: descending; reduce: may be
                      ///< empty; store: its order among stores of its mode does not matter; attend:
                      ///< rows without scores are 0.
  ReduceKind reduce = ReduceKind::sum;
  std::vector<LoopVar> vars;  ///< loop, reduce (row-major order), sort (one).
  std::vector<ValueId>
      carried;  ///< loop: the carried values inside. Combining loops: the tuple so far and the
                ///< next one, for the second block; scans also their combination, for the third.
                ///< sort: value and position.
  std::vector<std::unique_ptr<Block>> blocks;  ///< loop, reduce: one. Combining loops: elements,
                                               ///< combination, and for scans the block over each
                                               ///< prefix. sort: keys, then by position.
  LoopVar position;  ///< sort: variable of the second block, extent may be below n; sort_row: only
                     ///< the extent, the number of elements that it returns.
  std::string
      text;  ///< bound_index: the subject of the error ("index of aten.gather"); check: the text
             ///< of the error.
  Marks marks;
};

struct Block {
  std::vector<Instr> instrs;
  std::vector<ValueId> yields;  ///< reduce: one; loop: next carried values; sort keys: one.
};

struct ValueInfo {
  DType dtype = DType::f32;
};

struct Kernel {
  std::string name;
  ExprPool* pool = nullptr;  ///< The module's; outlives the kernel.
  std::vector<Buffer> buffers;
  std::vector<ValueInfo> values;
  Block body;
};

/// Text as above; parse_kernel reads it back to a kernel that prints the same.
std::string to_string(const Kernel& kernel);
/// Throws Error{corrupt} with line, column and a caret.
Kernel parse_kernel(std::string_view text, ExprPool& pool);
/// Throws InternalError naming the instruction that breaks a rule: dtypes, scoping, arity, ranks.
void verify(const Kernel& kernel);

}  // namespace litz::loops
