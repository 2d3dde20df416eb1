// Emits one phase of a scheduled kernel as an LLVM function.
//
// The emitter walks the loop tree once per copy. Inside a vector loop every value is either equal
// in all lanes (a scalar) or has one element per lane (a vector). A value is a vector only if it
// depends on something that differs by lane. A vector loop is emitted twice: for full vectors, and
// under a mask for the rest.
//
// Halves and float8 are held in registers as floats that their format can represent, bool as i1.

#pragma once

#include <array>
#include <functional>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <string>
#include <unordered_map>
#include <vector>

#include "artifact/kernel_code.h"
#include "loops/marks.h"
#include "schedule/schedule.h"

namespace litz::codegen {

/// A value during emission; `value` is a vector if it differs by lane.
struct Lanes {
  llvm::Value* value = nullptr;

  bool varies() const { return value->getType()->isVectorTy(); }
};

class KernelEmitter {
 public:
  /// `checks` collects the failures that the code can report, over all phases.
  KernelEmitter(const schedule::Schedule& schedule, llvm::Module& module,
                std::vector<artifact::KernelCheck>& checks);

  void emit_phase(const schedule::Phase& phase, const std::string& symbol);

 private:
  using Instr = loops::Instr;
  using Block = loops::Block;
  using Body = std::function<void()>;

  // kernel_emitter.cpp: structure.
  void begin_function(const std::string& symbol);
  llvm::Value* new_row(size_t buffer);
  void emit_block(const Block& block);
  void emit_instr(const Instr& instr);
  void emit_divided(const schedule::Phase& phase);
  void set_digits(const Instr& loop, size_t first, size_t last, llvm::Value* number);
  void emit_loop(const Instr& instr);
  /// Emits nested loops over the variables [first, last), each over its whole extent. The last
  /// variable of the loop is vectorised if the schedule says so.
  void emit_vars(const Instr& instr, size_t first, size_t last, const Body& body);

  void emit_vars(const Instr& instr, const Body& body) {
    emit_vars(instr, 0, instr.vars.size(), body);
  }

  /// for (i = begin; i < end; i += step) body(i)
  void counted_loop(llvm::Value* begin, llvm::Value* end, int64_t step, const char* name,
                    const std::function<void(llvm::Value*)>& body);
  /// Emits the range [begin, end) of a vectorised variable: full vectors, then the rest under a
  /// mask. `has_rest` says whether the range may end within a vector.
  void vector_loop(const Instr& loop, llvm::Value* begin, llvm::Value* end, const Body& body,
                   bool has_rest = true);
  void guarded(llvm::Value* condition, const Body& body, llvm::MDNode* weights = nullptr);
  /// Like an if, for a condition that seldom holds.
  void rarely(llvm::Value* condition, const Body& body);
  /// Emits the part of a vector loop that needs no mask.
  void full_vectors(const Instr& loop, llvm::Value* begin, llvm::Value* end, const Body& body);
  /// Emits the loop twice if stores may bypass the caches: whether they do depends on the alignment
  /// of the first store.
  void with_streams(const Instr& loop, const Body& run);
  llvm::Value* streams_are_aligned(const Block& block);
  unsigned streamed_alignment(const Instr& store) const;

  // emit_tile.cpp: blocks with transposed loads.
  void emit_tiled(const Instr& loop, llvm::Value* row_block, llvm::Value* span, const Body& body);
  /// Emits one square. The next one begins at `next_row` and `next_column`, perhaps beyond the
  /// last.
  void emit_tile(const Instr& loop, llvm::Value* row, llvm::Value* column, llvm::Value* next_row,
                 llvm::Value* next_column, const Body& body);
  std::vector<llvm::Value*> transpose(std::vector<llvm::Value*> rows);
  void load_tile(const Instr& load, llvm::Value* column);
  void fetch_square(const Instr& loop, llvm::Value* row, llvm::Value* column);
  void emit_carried_loop(const Instr& instr);
  llvm::AllocaInst* local(llvm::Type* type, const char* name);
  llvm::Type* lane_type(DType dtype) const;

  // emit_sum.cpp: long sums in parts.
  /// Accumulators of a reduction, each a lane vector or a row of columns. Long sums have three, and
  /// the last holds the total at the end. `index` is that of the first column; null for lane
  /// vectors.
  struct Levels {
    llvm::Type* type = nullptr;
    llvm::Constant* zero = nullptr;  ///< The initial value of a reduction.
    llvm::Align align;
    bool is_long = false;
    std::vector<llvm::AllocaInst*> rows;

    llvm::AllocaInst* total() const { return rows.back(); }

    llvm::Value* load(KernelEmitter& emitter, size_t level, llvm::Value* index) const;
    void store(KernelEmitter& emitter, size_t level, llvm::Value* index, llvm::Value* value) const;
    void start(KernelEmitter& emitter, llvm::Value* index) const;
    /// Adds a level to the next and clears it. Does nothing unless the sum is long.
    void add_up(KernelEmitter& emitter, size_t level, llvm::Value* index) const;

   private:
    llvm::Value* at(KernelEmitter& emitter, size_t level, llvm::Value* index) const;
  };

  /// Terms per part, and parts per larger part. The mean of 65,536 rows of 0.1 is off by 1e-6; one
  /// chain of additions was off by 6e-4. Smaller parts add up accumulators more often.
  static constexpr int64_t kPartTerms = 64;

  struct PartCounters {
    llvm::AllocaInst* terms = nullptr;
    llvm::AllocaInst* parts = nullptr;
  };

  bool is_long_sum(const Instr& reduce) const;
  /// `columns` is 0 for accumulators of lanes.
  Levels new_levels(const Instr& reduce, int64_t columns);
  /// Levels in the lanes of the reduction, or of a loop around it.
  Levels lane_levels(const Instr& reduce);
  void emit_parts(const Instr& reduce, const Levels& levels, const Body& body);
  PartCounters new_counters(bool is_long);
  void count_part(llvm::AllocaInst* counter, int64_t most, const Body& end_part);
  int64_t runs_of_part(const Instr& reduce) const;
  void emit_runs(const Instr& reduce, size_t from, const Body& body, const Body& end_run);

  // emit_columns.cpp: reductions along columns.
  using EachVector = std::function<void(const std::function<void(llvm::Value*)>&)>;
  void emit_column_blocks(const Instr& loop, llvm::Value* begin, llvm::Value* end,
                          const Body& body);
  std::vector<std::vector<const Instr*>> passes_over_rows(const Block& block) const;
  void emit_pass(const std::vector<const Instr*>& pass, const Block& block, int64_t columns,
                 const EachVector& each_vector);
  std::vector<llvm::Value*> emit_terms(const std::vector<const Instr*>& pass, const Block& block);
  void load_totals(const Instr& reduce);

  // emit_deviations.cpp
  /// Rows of columns for one reduction of squared deviations, and the count of rows seen.
  struct Deviations {
    const Instr* reduce = nullptr;
    size_t sum = 0;  ///< The reduction of the pass whose mean is subtracted.
    llvm::AllocaInst* mean = nullptr;
    llvm::AllocaInst* shifted = nullptr;
    llvm::AllocaInst* shifted_squares = nullptr;
    llvm::AllocaInst* squares = nullptr;
    llvm::AllocaInst* rows = nullptr;
    llvm::Align align;
  };

  static bool is_deviations(const Instr& instr);
  std::vector<Deviations> new_deviations(const std::vector<const Instr*>& pass, const Block& block,
                                         int64_t columns);
  llvm::Value* column(llvm::AllocaInst* row, llvm::Value* index);
  void start_deviations(const Deviations& own, llvm::Value* term, llvm::Value* index);
  void add_deviation(const Deviations& own, llvm::Value* term, llvm::Value* index);
  void end_deviations(const Deviations& own, llvm::Value* count, const EachVector& each_vector);

  // emit_reduce.cpp
  void emit_reduce(const Instr& instr);
  void emit_arg_reduce(const Instr& instr);
  llvm::Value* is_empty(const Instr& instr);
  void require_elements(const Instr& instr);
  llvm::Value* fold(loops::ReduceKind kind, DType dtype, llvm::Value* a, llvm::Value* b);
  llvm::Constant* identity(loops::ReduceKind kind, DType dtype, llvm::Type* type);
  llvm::Value* fold_lanes(loops::ReduceKind kind, DType dtype, llvm::Value* lanes);
  llvm::Value* position_of(const Instr& instr);
  llvm::Value* lane_numbers(llvm::Type* scalar) const;
  DType position_dtype(const Instr& instr) const;
  llvm::Value* takes_over(const Instr& instr, llvm::Value* a, llvm::Value* b);
  llvm::Value* fold_positions(const Instr& instr, llvm::Value* values, llvm::Value* positions,
                              DType position);

  // emit_softmax.cpp
  void emit_softmax_reduce(const Instr& instr);
  llvm::Type* accumulator_type(const Instr& instr, DType dtype);
  llvm::Value* yielded(const Instr& instr, llvm::Constant* other);
  std::pair<llvm::Value*, llvm::Value*> softmax_in_one_pass(const Instr& instr);
  std::pair<llvm::Value*, llvm::Value*> softmax_in_two_passes(const Instr& instr);

  // emit_scan.cpp: loops that carry values, one row per lane.
  /// An access of a scan that is transposed through squares.
  struct Squares {
    const Instr* access = nullptr;
    llvm::Type* memory = nullptr;      ///< Of one element.
    int64_t columns = 0;               ///< Elements of one row on the stack.
    llvm::AllocaInst* rows = nullptr;  ///< One row per lane.
  };

  void emit_scan(const Instr& scan, const Body& iteration);
  std::vector<Squares> new_squares(const Instr& scan);
  void copy_rows(const Squares& squares, llvm::Value* rows, llvm::Value* count);
  void transpose_squares(const Squares& squares);

  // emit_sort.cpp
  llvm::Value* emit_scratch(size_t buffer, llvm::Value* elements);
  void emit_sort_row(const Instr& instr);

  // emit_expr.cpp: index expressions as i64, double or i1.
  Lanes emit_expr(Expr expr);
  /// Emits the value in lane 0.
  llvm::Value* emit_base(Expr expr);
  Lanes emit_symbol(SymbolId symbol);
  Lanes emit_node(Expr expr);
  Lanes emit_real_node(Expr expr, const std::vector<Lanes>& operands);
  llvm::Value* floor_divide(llvm::Value* a, llvm::Value* b);
  llvm::Value* floor_modulo(llvm::Value* a, llvm::Value* b);

  // emit_memory.cpp
  void emit_load(const Instr& instr);
  void emit_store(const Instr& instr);
  void emit_bound_index(const Instr& instr);
  void emit_check(const Instr& instr);
  void fail_where(llvm::Value* failing, artifact::KernelCheck check, llvm::Value* value,
                  llvm::Value* extent);

  struct Place {
    llvm::Value* pointer = nullptr;  ///< The address of lane 0, or a vector of pointers.
    bool contiguous = false;         ///< Lanes are contiguous from `pointer`.
  };

  Place place(const Instr& instr);
  llvm::Value* active(llvm::Value* predicate);
  llvm::Value* load_lanes(const Place& place, llvm::Type* memory, llvm::Value* mask);
  void store_lanes(const Place& place, llvm::Value* value, llvm::Value* mask);
  void fetch_ahead(llvm::Value* pointer, llvm::Type* memory);
  llvm::Value* from_memory(DType dtype, llvm::Value* bits);
  llvm::Value* to_memory(DType dtype, llvm::Value* value);
  llvm::Type* memory_type(DType dtype) const;
  llvm::Type* register_type(DType dtype) const;

  // emit_scalar.cpp
  void emit_constant(const Instr& instr);
  void emit_op(const Instr& instr);
  llvm::Value* emit_function(loops::ScalarOp op, llvm::ArrayRef<llvm::Value*> operands);
  llvm::Value* emit_real(loops::ScalarOp op, llvm::ArrayRef<llvm::Value*> operands);
  llvm::Value* emit_integer(loops::ScalarOp op, DType dtype, llvm::ArrayRef<llvm::Value*> operands);
  llvm::Value* emit_integer_power(DType dtype, llvm::Value* base, llvm::Value* exponent);
  llvm::Value* emit_division(loops::ScalarOp op, DType dtype, llvm::Value* a, llvm::Value* b);
  llvm::Value* emit_bool(loops::ScalarOp op, llvm::ArrayRef<llvm::Value*> operands);
  llvm::Value* emit_next_after(llvm::Value* a, llvm::Value* b);
  llvm::Value* emit_philox(const Instr& instr, llvm::Value* seed, llvm::Value* n);
  llvm::Value* emit_philox(DType dtype, llvm::Value* seed, llvm::Value* n);
  llvm::Value* emit_philox_row(DType dtype, llvm::Value* seed, llvm::Value* n, Expr numbers);
  std::array<llvm::Value*, 4> emit_philox_block(llvm::Value* seed, llvm::Value* block);
  llvm::SmallVector<llvm::Value*, 4> emit_draws(DType dtype, llvm::Value* seed, llvm::Value* block);

  // emit_complex.cpp
  llvm::Value* emit_complex(loops::ScalarOp op, llvm::ArrayRef<llvm::Value*> operands);
  llvm::Value* pair(llvm::Value* real, llvm::Value* imaginary);
  llvm::Value* call_complex(loops::ScalarOp op, llvm::ArrayRef<llvm::Value*> parts);

  // emit_cast.cpp
  llvm::Value* emit_cast(llvm::Value* value, DType from, DType to);
  llvm::Value* emit_bitcast(llvm::Value* value, DType from, DType to);
  llvm::Value* truncate(llvm::Value* value, unsigned bits);
  llvm::Value* float_to_integer(llvm::Value* value, DType to);
  llvm::Value* round_to_narrow(llvm::Value* value, DType to);
  llvm::Value* round_to_half(llvm::Value* value, DType to);

  // emit_float8.cpp
  llvm::Value* from_float8(DType dtype, llvm::Value* bits);
  llvm::Value* to_float8(DType dtype, llvm::Value* value);
  llvm::Value* round_to_fields(DType dtype, llvm::Value* value, llvm::Value* magnitude);

  // Values and types.
  DType dtype(loops::ValueId id) const { return kernel_.values[static_cast<size_t>(id)].dtype; }

  llvm::Value* value(loops::ValueId id) const { return values_[static_cast<size_t>(id)]; }

  void set(loops::ValueId id, llvm::Value* value) { values_[static_cast<size_t>(id)] = value; }

  /// Returns the value with one element per lane.
  llvm::Value* spread(llvm::Value* value);
  /// Spreads all values if any differs by lane.
  void unify(llvm::MutableArrayRef<llvm::Value*> values);
  llvm::Type* widen(llvm::Type* scalar, const llvm::Value* like) const;
  llvm::Type* vector_of(llvm::Type* scalar) const;

  llvm::ConstantInt* integer(int64_t value) { return b_.getInt64(static_cast<uint64_t>(value)); }

  llvm::Value* broadcast_constant(llvm::Constant* constant, const llvm::Value* like);

  const schedule::Schedule& schedule_;
  const loops::Kernel& kernel_;
  llvm::Module& module_;
  std::vector<artifact::KernelCheck>& checks_;
  llvm::IRBuilder<> b_;
  bool calls_functions_;  ///< Elementary functions are called, not written where they are used.

  llvm::Function* function_ = nullptr;
  std::vector<llvm::Value*> buffers_;
  std::unordered_map<SymbolId, llvm::Value*> symbols_;
  llvm::Value* failure_ = nullptr;
  llvm::Value* begin_ = nullptr;
  llvm::Value* end_ = nullptr;
  std::vector<llvm::Value*> values_;

  // The vector loop around the instruction that is being emitted.
  int lanes_ = 1;
  SymbolId vector_symbol_ = 0;
  llvm::Value* mask_ = nullptr;  ///< Null: all lanes are active.
  bool lane_zero_ = false;       ///< Expressions are emitted for lane 0 only.
  /// Transposed squares by access, and the current row in them; empty outside tiles and scans.
  std::unordered_map<const Instr*, llvm::Value*> tiles_;
  llvm::Value* tile_row_ = nullptr;
  std::unordered_map<loops::ValueId, Expr> index_exprs_;  ///< Values that are index expressions.
  /// Totals of reductions along columns, by result, and the first column of each; empty outside
  /// column blocks.
  std::unordered_map<loops::ValueId, std::pair<llvm::Value*, llvm::Value*>> totals_;
  llvm::AllocaInst* complex_result_ = nullptr;  ///< Memory for the results of called functions.
  bool streams_ = false;                        ///< Stores that may bypass the caches do so.
  bool has_streamed_ = false;                   ///< Some did, so the function ends with a fence.
};

}  // namespace litz::codegen
