// Writes a scheduled kernel as CUDA text: one function per phase.
//
//   extern "C" __global__ void SYMBOL(element pointers..., 64-bit scalars..., Failure*, i64 count)
//
// A block runs iterations [blockIdx.x * grain, + grain) of the phase, as far as they are below
// `count`. The walk over the loop tree is in one of two places: in a team, all of whose threads
// compute the same values, or in a thread of its own. See schedule/blocks/block_schedule.h.

#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "artifact/kernel_code.h"
#include "schedule/blocks/block_schedule.h"
#include "schedule/schedule.h"

namespace litz::codegen {

class KernelText {
 public:
  /// `checks` collects the failures that the code can report, over all phases.
  KernelText(const schedule::Schedule& schedule, std::vector<artifact::KernelCheck>& checks);

  void add_phase(const schedule::Phase& phase, const std::string& symbol);

  /// The functions so far; they need the prelude (prelude.h).
  const std::string& text() const { return out_; }

  /// True if they also need the functions of complex numbers.
  bool has_complex() const { return has_complex_; }

  /// True if they also need the functions of attention.
  bool has_attention() const { return has_attention_; }

 private:
  using Instr = loops::Instr;
  using Block = loops::Block;
  using ValueId = loops::ValueId;
  using Body = std::function<void()>;

  // kernel_text.cpp: structure
  void begin_function(const schedule::Phase& phase, const std::string& symbol);
  void add_phase_loop(const schedule::Phase& phase);
  void add_block(const Block& block);
  void add_instr(const Instr& instr);
  void add_loop(const Instr& loop);
  void add_carried_loop(const Instr& loop);

  /// Nested loops over whole extents, then the body.
  void add_serial(const std::vector<const loops::LoopVar*>& vars, const Body& body,
                  size_t from = 0);
  /// Divides the product of the variables over the threads of the team. `number` names the
  /// iteration.
  void add_shared(const std::vector<const loops::LoopVar*>& vars, const std::string& number,
                  const Body& body);
  /// The same for all variables of a loop that takes neighbours at a time.
  void add_shared_wide(const Instr& loop, const Body& body);
  /// Declares the variables as row-major digits of a number.
  void add_digits(const std::vector<const loops::LoopVar*>& vars, const std::string& number);
  std::string declare(const loops::LoopVar& var);
  /// `if`, `for` and plain blocks: the head, a brace, the body, a brace.
  void add_scope(const std::string& head, const Body& body);
  void line(std::string_view text);
  /// The number of iterations of the variables together, and the type that holds it: "int" if their
  /// ranges say that it fits, else "i64".
  std::string product(const std::vector<const loops::LoopVar*>& vars);
  const char* count_type(const std::vector<const loops::LoopVar*>& vars) const;

  // wide_text.cpp: neighbours taken at a time
  /// The iterations [base, base + width) of a loop along its last variable, whose other variables
  /// are declared. `body` adds one iteration.
  void add_wide(const Instr& loop, const std::string& base, const Body& body);
  std::string are_aligned(const Instr& loop) const;
  /// The iterations from `number` on of a loop that takes neighbours of all variables' product.
  void add_flat(const Instr& loop, const std::string& number, const Body& body);
  /// Runs the body over neighbours, whose wide accesses are one access of memory each.
  void add_neighbours(const Instr& loop, const std::string& item, const Body& each_element);
  /// Loads the rows in registers whose first loop this is.
  void add_kept_rows(const Instr& loop);
  /// True for an access of a row in registers that a loop of the phase stores.
  bool is_in_stored_row(const Instr& access) const;
  /// The element of such a row at hand; outside of loops the first one, of the first thread.
  std::string stored_element(const Instr& access) const;
  /// Declares the values in registers that this loop computes first.
  void add_kept_values(const Instr& loop);
  /// The place of the value in registers at this element; empty for a value that is not kept.
  std::string kept_value(const Instr& instr) const;
  /// The loop of a team over chunks: a known number of steps.
  void add_chunks(const Instr& loop, int chunks, const Body& body);

  // team.cpp: memory that the threads of a team exchange
  struct Touched {
    std::set<loops::BufferId> read;
    std::set<loops::BufferId> written;
  };

  Touched touched_by(const Instr& instr) const;
  /// Waits for the other threads of the team if the instruction touches what they wrote, or writes
  /// what they may still read.
  void sync_before(const Instr& instr);
  void note(const Instr& instr);
  void sync();
  bool has_shared(const Block& block) const;
  /// The first thread of the team runs it alone, then all take its results.
  void add_alone(const Instr& instr, const Body& body);

  /// The threads of a team are neighbours in one warp.
  bool is_warp() const { return !has_columns_ && team_ == schedule::kWarpThreads; }

  bool in_team() const { return team_ > 1 && !alone_; }

  // scan_text.cpp: loops that combine tuples
  void add_serial_scan(const Instr& loop);
  void add_team_scan(const Instr& loop);
  std::string tuple_type(const Instr& loop);
  void add_combine(const Instr& loop, const std::string& tuple, const std::string& function);
  /// Defines values as the members of a tuple.
  void take_tuple(const Instr& loop, size_t part, const std::string& tuple);

  // sort_text.cpp
  void add_sort(const Instr& sort);

  // attention_text.cpp
  void add_attend(const Instr& instr);
  /// Initialises the MatrixStrides of a buffer.
  std::string matrix_strides(loops::BufferId buffer);

  // square_text.cpp
  /// A phase whose blocks take one square each.
  void add_squares(const schedule::Phase& phase);

  // expr_text.cpp: index expressions
  struct Text {
    std::string text;
    bool is_wide = false;  ///< Integers: 64 bits.
  };

  std::string expr(Expr expr) { return expr_text(expr).text; }

  Text expr_text(Expr expr);
  Text node_text(Expr expr);
  std::string real_node(Expr expr, const std::vector<Text>& operands);
  bool is_narrow(Expr expr) const;

  // memory_text.cpp
  void add_load(const Instr& instr);
  void add_store(const Instr& instr);
  void add_bound_index(const Instr& instr);
  void add_check(const Instr& instr);
  std::string element(const Instr& access);
  std::string from_memory(DType dtype, const std::string& bits) const;
  std::string to_memory(DType dtype, const std::string& value) const;
  size_t check_number(artifact::KernelCheck check);
  /// Reports a failure; the thread goes on with what follows, or ends.
  void add_failure(const std::string& condition, artifact::KernelCheck check,
                   const std::string& value, const std::string& extent, const Body& otherwise);

  // scalar_text.cpp
  void add_constant(const Instr& instr);
  /// Computes the result, or takes it from the registers where an earlier loop kept it.
  void add_op(const Instr& instr);
  void add_computed(const Instr& instr);
  std::string bool_op(loops::ScalarOp op, const std::vector<std::string>& v) const;
  std::string integer_op(const Instr& instr, DType dtype, const std::vector<std::string>& v);
  std::string real_op(loops::ScalarOp op, DType dtype, const std::vector<std::string>& v) const;
  std::string complex_op(const Instr& instr, DType from, DType to,
                         const std::vector<std::string>& v);
  std::string cast(const std::string& value, DType from, DType to) const;
  /// The rounded result of an operation on two bf16, which one instruction gives; empty for others.
  std::string bf16_op(const Instr& cast) const;
  /// True for an f32 that a bf16 holds.
  bool is_bf16(ValueId id) const;
  /// True if a loop divides by this value in all its iterations.
  bool is_shared_divisor(const Instr& division) const;
  std::string bitcast(const std::string& value, DType from, DType to) const;

  // reduce_text.cpp
  void add_reduce(const Instr& instr);
  void add_fold_reduce(const Instr& instr);
  void add_located_reduce(const Instr& instr);
  void add_softmax_reduce(const Instr& instr);
  /// The iterations of a reduction, divided if it is the team's; `position` names the number of
  /// each.
  void add_iterations(const Instr& instr, const std::string& position, const Body& body);
  std::string team_fold(const std::string& value, const std::string& fold) const;
  std::string fold(loops::ReduceKind kind, DType dtype, const std::string& a,
                   const std::string& b) const;
  std::string identity(loops::ReduceKind kind, DType dtype) const;
  void require_elements(const Instr& instr);

  // Values and names
  DType dtype(ValueId id) const { return kernel_.values[static_cast<size_t>(id)].dtype; }

  static std::string name(ValueId id) { return "v" + std::to_string(id); }

  void define(ValueId id, const std::string& value);

  std::string unique(const char* prefix) { return prefix + std::to_string(next_name_++); }

  const schedule::Schedule& schedule_;
  const loops::Kernel& kernel_;
  std::vector<artifact::KernelCheck>& checks_;

  /// The instruction that gives a value, and the block that it is in.
  struct Origin {
    const Instr* instr = nullptr;
    const Block* block = nullptr;
  };

  void note_origins(const Block& block);

  std::vector<Origin> origins_;  ///< By value; those that loops carry have none.
  std::string out_;
  int depth_ = 0;
  int next_name_ = 0;
  std::unordered_map<SymbolId, Text> symbols_;
  int32_t team_ = 1;
  int32_t threads_ = 1;
  bool has_columns_ = false;
  bool alone_ = false;  ///< Inside what one thread of the team runs.
  bool ends_on_failure_ = false;
  /// The present elements of accesses that do not go to their buffers, as text.
  std::unordered_map<const Instr*, std::string> held_;
  std::string chunk_;      ///< The number of the chunk of a loop over chunks.
  std::string neighbour_;  ///< The number of the neighbour in that.
  bool in_wide_ =
      false;          ///< In a loop over neighbours, before which the invariant instructions are.
  Touched unsynced_;  ///< What the team's threads touched since they last waited for each other.
  bool has_complex_ = false;
  bool has_attention_ = false;
};

std::vector<const loops::LoopVar*> all_vars(const loops::Instr& loop);
/// The types of values in registers and in memory: halves are f32 in registers.
const char* register_type(DType dtype);
const char* memory_type(DType dtype);
/// A literal of f64 or f32.
std::string real_literal(double value, bool is_double);
/// The struct of the prelude that converts a float8.
const char* float8_format(DType dtype);

}  // namespace litz::codegen
