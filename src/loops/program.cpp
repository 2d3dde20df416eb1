#include "loops/program.h"

#include <algorithm>
#include <bit>

#include "loops/instrs.h"
#include "loops/linear_form.h"
#include "loops/literal.h"
#include "loops/signature.h"
#include "support/check.h"

namespace litz::loops {
namespace {

// Bounds the registers of one run, so that they stay in the first two levels of cache.
constexpr int64_t kRegisterFileSize = 64 * 1024;
constexpr int64_t kMinLanes = 64;
constexpr int64_t kMaxLanes = 512;

class Compiler {
 public:
  explicit Compiler(const Kernel& kernel)
      : kernel_(kernel),
        splitter_(kernel, program_, next_register_),
        registers_(kernel.values.size(), kNoRegister) {}

  Program run() && {
    program_.name = kernel_.name;
    program_.buffers = kernel_.buffers;
    program_.conditions = access_conditions(kernel_);
    compile_block(kernel_.body, -1);
    find_captures();
    summarise_loops();
    program_.bytes_per_lane = std::max<int64_t>(next_register_, 1);
    const auto fitting = static_cast<uint64_t>(kRegisterFileSize / program_.bytes_per_lane);
    program_.lanes = std::clamp(
        static_cast<int64_t>(std::bit_floor(std::max<uint64_t>(fitting, 1))), kMinLanes, kMaxLanes);
    return std::move(program_);
  }

 private:
  // The loop that defines a register, and its bytes per lane.
  struct Definition {
    int loop = -1;
    int64_t item = 0;
    bool is_literal = false;
  };

  DType dtype(ValueId value) const { return kernel_.values[static_cast<size_t>(value)].dtype; }

  Register allocate(int64_t item) {
    const Register start = next_register_;
    next_register_ += static_cast<Register>(item);
    return start;
  }

  Register define(ValueId value, int loop) {
    const Register start = allocate(item_size(dtype(value)));
    registers_[static_cast<size_t>(value)] = start;
    definitions_[start] = {loop, item_size(dtype(value)), false};
    return start;
  }

  Register use(ValueId value, int loop) {
    const Register start = registers_[static_cast<size_t>(value)];
    uses_.emplace_back(loop, start);
    return start;
  }

  BlockCode& code(int loop) {
    return loop < 0 ? program_.body : program_.loops[static_cast<size_t>(loop)].body;
  }

  void compile_block(const Block& block, int loop) {
    for (const Instr& instr : block.instrs) compile_instr(instr, loop);
  }

  void compile_instr(const Instr& instr, int loop) {
    switch (instr.kind) {
      case InstrKind::constant:
        return compile_constant(instr, loop);
      case InstrKind::index:
        return compile_index(instr, loop);
      case InstrKind::op:
        return compile_op(instr, loop);
      case InstrKind::load:
      case InstrKind::store:
        return compile_access(instr, loop);
      case InstrKind::bound_index:
        return compile_bound_index(instr, loop);
      case InstrKind::check:
        return compile_check(instr, loop);
      case InstrKind::loop:
        return compile_loop(instr, loop);
      case InstrKind::reduce:
        return compile_reduce(instr, loop);
      case InstrKind::sort:
        return compile_sort(instr, loop);
      case InstrKind::sort_row:
        return compile_sort_row(instr, loop);
      case InstrKind::attend:
        return compile_attend(instr, loop);
    }
  }

  void compile_constant(const Instr& instr, int loop) {
    const Register start = define(instr.results[0], loop);
    definitions_[start].is_literal = true;
    const DType type = dtype(instr.results[0]);
    program_.literals.push_back({start, item_size(type), encode_literal(instr.literal, type)});
  }

  void compile_op(const Instr& instr, int loop) {
    Step step;
    step.arity = static_cast<int>(instr.operands.size());
    for (size_t i = 0; i < instr.operands.size(); ++i) {
      step.operands.at(i) = use(instr.operands[i], loop);
    }
    const DType from = dtype(instr.operands.back());
    const DType to = dtype(instr.results[0]);
    if (instr.op == ScalarOp::cast && from != wide_dtype(from) && to != wide_dtype(from)) {
      const DType wide = wide_dtype(from);
      step.function = cast_lane_function(from, wide);
      step.out = allocate(item_size(wide));
      code(loop).steps.push_back(step);
      step.operands[0] = step.out;
      step.function = cast_lane_function(wide, to);
    } else {
      step.function = lane_function(instr.op, from, to);
    }
    step.out = define(instr.results[0], loop);
    code(loop).steps.push_back(step);
  }

  void compile_index(const Instr& instr, int loop) {
    IndexValue value;
    const DType type = dtype(instr.results[0]);
    value.expr = instr.expr;
    value.is_real = instr.expr.domain() == ExprDomain::real;
    value.vars = splitter_.vars_in(instr.expr);
    if (!value.is_real) value.form = splitter_.split(instr.expr, loop);
    value.out = define(instr.results[0], loop);
    value.wide = value.out;
    const DType wide = value.is_real ? DType::f64 : DType::i64;
    if (type != wide) {
      value.wide = allocate(8);
      value.convert = cast_lane_function(wide, type);
    }
    add_step(StepKind::index, static_cast<int>(program_.index_values.size()), loop);
    program_.index_values.push_back(std::move(value));
  }

  void add_step(StepKind kind, int id, int loop) {
    Step step;
    step.kind = kind;
    step.id = id;
    code(loop).steps.push_back(step);
  }

  void compile_access(const Instr& instr, int loop) {
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(instr.buffer)];
    Access access;
    access.buffer = instr.buffer;
    access.item = item_size(buffer.type.dtype);
    access.is_bool = buffer.type.dtype == DType::bool_;
    access.loop = loop;
    access.is_store = instr.kind == InstrKind::store;
    access.is_flat = !instr.strides.empty();
    for (size_t i = 0; i < instr.indices.size(); ++i) {
      Access::Dimension dimension;
      if (const auto* expr = std::get_if<Expr>(&instr.indices[i])) {
        dimension.form = splitter_.split(*expr, loop);
      } else {
        dimension.computed = use(std::get<ValueId>(instr.indices[i]), loop);
      }
      if (access.is_flat) dimension.stride = instr.strides[i];
      access.dimensions.push_back(std::move(dimension));
    }
    if (instr.predicate != kNoValue) access.predicate = use(instr.predicate, loop);
    if (instr.other != kNoValue) access.other = use(instr.other, loop);
    if (access.is_store) {
      access.value = use(instr.operands[0], loop);
      if (instr.mode != StoreMode::assign) {
        access.combine = combine_function(instr.mode, buffer.type.dtype);
        access.any_order = instr.flag;
      }
    } else {
      access.value = define(instr.results[0], loop);
    }
    add_step(access.is_store ? StepKind::store : StepKind::load,
             static_cast<int>(program_.accesses.size()), loop);
    program_.accesses.push_back(std::move(access));
  }

  void compile_bound_index(const Instr& instr, int loop) {
    BoundCheck bound;
    bound.in = use(instr.operands[0], loop);
    bound.extent = splitter_.split(instr.expr, loop);
    bound.wraps = instr.flag;
    bound.what = instr.text;
    bound.out = define(instr.results[0], loop);
    add_step(StepKind::bound, static_cast<int>(program_.bound_checks.size()), loop);
    program_.bound_checks.push_back(std::move(bound));
  }

  void compile_check(const Instr& instr, int loop) {
    add_step(StepKind::check, static_cast<int>(program_.checks.size()), loop);
    program_.checks.push_back({use(instr.operands[0], loop), instr.text});
  }

  // Makes a loop and adds its variables to the scope.
  int open_loop(LoopKind kind, std::span<const LoopVar> vars, int parent) {
    const int loop = static_cast<int>(program_.loops.size());
    LoopCode made;
    made.kind = kind;
    made.parent = parent;
    for (const LoopVar& var : vars) {
      const int id = static_cast<int>(program_.vars_loop.size());
      program_.vars_loop.push_back(loop);
      splitter_.enter(var.symbol.symbol(), id);
      made.vars.push_back(id);
      made.extents.push_back(var.extent);
      made.is_parallel.push_back(var.is_parallel);
      made.vector_lanes = var.lanes;  // The last variable's; others have one lane.
    }
    program_.loops.push_back(std::move(made));
    return loop;
  }

  void close_loop(std::span<const LoopVar> vars) {
    for (const LoopVar& var : vars) splitter_.leave(var.symbol.symbol());
  }

  LoopCode& loop_code(int loop) { return program_.loops[static_cast<size_t>(loop)]; }

  void compile_loop(const Instr& instr, int parent) {
    const bool carries = !instr.carried.empty();
    const size_t count = instr.operands.size();
    std::vector<Carried> carried;
    for (const ValueId initial : instr.operands) {
      Carried value;
      value.item = item_size(dtype(initial));
      value.initial = use(initial, parent);
      value.held = allocate(value.item);
      carried.push_back(value);
    }
    const int loop =
        open_loop(carries ? LoopKind::carried : LoopKind::independent, instr.vars, parent);
    for (size_t i = 0; i < carried.size(); ++i) carried[i].inside = define(instr.carried[i], loop);
    // The blocks of a combining loop run one after another in an iteration.
    for (size_t part = 1; part < instr.blocks.size(); ++part) {
      const Block& before = *instr.blocks[part - 1];
      compile_block(before, loop);
      for (size_t i = 0; i < count; ++i) {
        registers_[static_cast<size_t>(instr.carried[part * count + i])] =
            registers_[static_cast<size_t>(before.yields[i])];
      }
    }
    compile_block(*instr.blocks.back(), loop);
    const Block& block = *instr.blocks[is_combining(instr) ? 1 : 0];
    for (size_t i = 0; i < carried.size(); ++i) {
      carried[i].next = use(block.yields[i], loop);
      carried[i].result = define(instr.results[i], parent);
    }
    loop_code(loop).carried = std::move(carried);
    close_loop(instr.vars);
    add_step(StepKind::loop, loop, parent);
  }

  void compile_reduce(const Instr& instr, int parent) {
    const int loop = open_loop(LoopKind::reduce, instr.vars, parent);
    const Block& block = *instr.blocks[0];
    compile_block(block, loop);
    LoopCode& made = loop_code(loop);
    made.reduce_kind = instr.reduce;
    made.may_be_empty = has_identity(instr.reduce) || instr.flag;
    made.reduce = reduce_functions(instr.reduce, dtype(block.yields[0]));
    made.value = use(block.yields[0], loop);
    made.accumulators = allocate(kAccumulatorSize);
    made.positions = allocate(8);
    made.result = define(instr.results[0], parent);
    if (instr.results.size() > 1) made.second_result = define(instr.results[1], parent);
    close_loop(instr.vars);
    add_step(StepKind::loop, loop, parent);
  }

  void compile_sort(const Instr& instr, int parent) {
    SortCode sort;
    sort.descending = instr.flag;
    sort.dtype = dtype(instr.carried[0]);
    sort.keys = open_loop(LoopKind::sort_keys, instr.vars, parent);
    compile_block(*instr.blocks[0], sort.keys);
    sort.key = use(instr.blocks[0]->yields[0], sort.keys);
    close_loop(instr.vars);
    sort.positions = open_loop(LoopKind::sort_positions, {&instr.position, 1}, parent);
    sort.sorted_key = define(instr.carried[0], sort.positions);
    sort.source = define(instr.carried[1], sort.positions);
    compile_block(*instr.blocks[1], sort.positions);
    close_loop({&instr.position, 1});
    add_step(StepKind::sort, static_cast<int>(program_.sorts.size()), parent);
    program_.sorts.push_back(sort);
    note_sort(parent);
  }

  void compile_sort_row(const Instr& instr, int parent) {
    add_step(StepKind::sort_row, static_cast<int>(program_.sort_rows.size()), parent);
    program_.sort_rows.push_back(
        {instr.buffer, instr.origins, instr.expr, instr.position.extent, instr.flag});
    note_sort(parent);
  }

  void compile_attend(const Instr& instr, int parent) {
    add_step(StepKind::attend, static_cast<int>(program_.attends.size()), parent);
    program_.attends.push_back({instr.attend, std::get<double>(instr.literal), instr.flag});
  }

  void note_sort(int loop) {
    for (; loop >= 0; loop = loop_code(loop).parent) loop_code(loop).has_sort = true;
  }

  void find_captures() {
    for (const Opaque& opaque : program_.opaques)
      definitions_[opaque.out] = {opaque.loop, 8, false};
    for (const auto& [loop, opaque] : splitter_.reads()) {
      uses_.emplace_back(loop, program_.opaques[static_cast<size_t>(opaque)].out);
    }
    for (const auto& [loop, start] : uses_) {
      const Definition& definition = definitions_[start];
      if (definition.is_literal) continue;  // Filled in every lane already.
      const Slot slot{start, definition.item};
      for (int at = loop; at != definition.loop; at = loop_code(at).parent) {
        auto& captures = loop_code(at).captures;
        if (std::ranges::find(captures, slot) == captures.end()) captures.push_back(slot);
      }
    }
  }

  void summarise_loops() {
    for (size_t i = 0; i < program_.accesses.size(); ++i) {
      for (int at = program_.accesses[i].loop; at >= 0; at = loop_code(at).parent) {
        loop_code(at).accesses.push_back(static_cast<int>(i));
      }
    }
    for (size_t i = 0; i < program_.loops.size(); ++i) {
      for (int at = program_.loops[i].parent; at >= 0; at = loop_code(at).parent) {
        loop_code(at).loops.push_back(static_cast<int>(i));
      }
    }
  }

  const Kernel& kernel_;
  Program program_;
  Register next_register_ = 0;
  LinearSplitter splitter_;
  std::vector<Register> registers_;
  std::map<Register, Definition> definitions_;
  std::vector<std::pair<int, Register>> uses_;
};

}  // namespace

Program compile_program(const Kernel& kernel) { return Compiler(kernel).run(); }

}  // namespace litz::loops
