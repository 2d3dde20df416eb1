// A kernel prepared for the interpreter: registers are assigned, functions chosen, and index
// expressions split into terms that are linear in loop variables. It does not depend on sizes;
// execution.h binds a Program to numbers for one run. It is immutable, so any number of threads may
// run one.
//
// Every value has a register: an array of `lanes` elements of its storage type. A register is
// identified by its start in bytes per lane; the registers of one run take lanes * bytes_per_lane
// bytes.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "loops/access_conditions.h"
#include "loops/kernel.h"
#include "loops/lane_function.h"
#include "loops/lane_memory.h"
#include "loops/lane_reduce.h"

namespace litz::loops {

/// Start of a register, in bytes per lane.
using Register = int32_t;
inline constexpr Register kNoRegister = -1;

/// factors * (a loop variable | an opaque expression | 1).
struct LinearTerm {
  int var = -1;
  int opaque = -1;
  std::vector<Expr> factors;  ///< Over sizes only.
};

/// An integer expression as a sum of terms.
using LinearForm = std::vector<LinearTerm>;

/// A subexpression that is not linear in loop variables (i // 2, min(i, j)): one function of linear
/// forms. It is computed into a register of i64 where its innermost variable advances.
struct Opaque {
  Expr expr;
  ExprKind kind = ExprKind::floor_div;
  bool is_known = false;             ///< Computed by kind; otherwise `expr` is evaluated per lane.
  std::vector<LinearForm> operands;  ///< If known.
  std::vector<std::pair<SymbolId, int>> vars;  ///< If not known: the symbols to bind, by variable.
  Register out = kNoRegister;
  int loop = -1;  ///< The loop of its innermost variable.
};

/// An element of a buffer, relative to the innermost loop around it.
struct Access {
  struct Dimension {
    LinearForm form;
    Register computed = kNoRegister;  ///< Replaces the form.
    Expr stride = 0;                  ///< Flat accesses; others have that of the buffer.
  };

  BufferId buffer = -1;
  int64_t item = 0;
  bool is_bool = false;
  std::vector<Dimension> dimensions;
  bool is_flat = false;  ///< Offsets count from the bound pointer.
  Register predicate = kNoRegister;
  Register other = kNoRegister;
  Register value = kNoRegister;  ///< Loaded or stored.
  bool is_store = false;
  CombineFunction combine = nullptr;  ///< Null for stores that assign.
  bool any_order = false;             ///< For stores that combine.
  int loop = -1;                      ///< The innermost loop around it.
};

/// An expression as a value.
struct IndexValue {
  LinearForm form;       ///< Integers.
  bool is_real = false;  ///< Then `expr` is evaluated per lane, or once if it has no variables.
  Expr expr;
  std::vector<std::pair<SymbolId, int>> vars;
  Register wide = kNoRegister;  ///< i64 or f64; the result, unless `convert` narrows it.
  LaneFunction convert = nullptr;
  Register out = kNoRegister;
};

struct BoundCheck {
  Register in = kNoRegister;
  Register out = kNoRegister;
  LinearForm extent;
  bool wraps = false;
  std::string what;
};

struct Check {
  Register in = kNoRegister;
  std::string text;
};

enum class StepKind : uint8_t {
  op,
  load,
  store,
  index,
  bound,
  check,
  loop,
  sort,
  sort_row,
  attend
};

struct Step {
  StepKind kind = StepKind::op;
  /// Number of the access, index value, bound check, check, loop, sort, sorted row or attention.
  int id = -1;
  LaneFunction function = nullptr;
  Register out = kNoRegister;
  std::array<Register, 3> operands{};
  int arity = 0;
};

struct BlockCode {
  std::vector<int> opaques;  ///< Computed at the start of the block, in order.
  std::vector<Step> steps;
};

/// A register and the bytes of one lane.
struct Slot {
  Register start = kNoRegister;
  int64_t item = 0;

  bool operator==(const Slot&) const = default;
};

/// A carried value: `initial` before the loop, `inside` during an iteration, `next` at its end.
struct Carried {
  Register initial = kNoRegister;
  Register inside = kNoRegister;
  Register next = kNoRegister;
  Register result = kNoRegister;
  Register held = kNoRegister;  ///< Holds `next` while others are updated.
  int64_t item = 0;
};

enum class LoopKind : uint8_t { independent, carried, reduce, sort_keys, sort_positions };

struct LoopCode {
  LoopKind kind = LoopKind::independent;
  int parent = -1;
  std::vector<int> vars;
  std::vector<Expr> extents;
  std::vector<bool> is_parallel;  ///< By variable.
  int64_t vector_lanes = 1;       ///< From the schedule; with 1 the interpreter chooses.
  BlockCode body;
  /// Registers defined outside and used inside: splat if this is the lane loop.
  std::vector<Slot> captures;
  std::vector<Carried> carried;
  // For reductions.
  ReduceFunctions reduce;
  ReduceKind reduce_kind = ReduceKind::sum;
  bool may_be_empty = false;
  Register value = kNoRegister;
  Register accumulators = kNoRegister;
  Register positions = kNoRegister;
  Register result = kNoRegister;
  Register second_result = kNoRegister;  ///< For kinds with two results.
  // Contents, nested loops included.
  std::vector<int> accesses;
  std::vector<int> loops;
  bool has_sort = false;
};

struct SortCode {
  int keys = -1;       ///< Loop that computes keys.
  int positions = -1;  ///< Loop over the sorted elements.
  Register key = kNoRegister;
  Register sorted_key = kNoRegister;
  Register source = kNoRegister;
  DType dtype = DType::f32;
  bool descending = false;
};

struct SortRowCode {
  BufferId keys = -1;
  BufferId origins = -1;
  Expr size;  ///< Over sizes only, like `count`.
  Expr count;
  bool descending = false;
};

struct AttendCode {
  Attend buffers;
  double scale = 1;
  bool safe = false;
};

struct Literals {
  Register start = kNoRegister;
  int64_t item = 0;
  std::array<std::byte, 16> bytes{};
};

struct Program {
  std::string name;
  std::vector<Buffer> buffers;
  int64_t lanes = 0;
  int64_t bytes_per_lane = 0;
  std::vector<Literals> literals;
  std::vector<int> vars_loop;  ///< By variable: the loop that has it.
  std::vector<Opaque> opaques;
  std::vector<Access> accesses;
  std::vector<AccessCondition> conditions;  ///< Of all accesses.
  std::vector<IndexValue> index_values;
  std::vector<BoundCheck> bound_checks;
  std::vector<Check> checks;
  std::vector<LoopCode> loops;
  std::vector<SortCode> sorts;
  std::vector<SortRowCode> sort_rows;
  std::vector<AttendCode> attends;
  BlockCode body;
};

/// The kernel must be valid.
Program compile_program(const Kernel& kernel);

}  // namespace litz::loops
