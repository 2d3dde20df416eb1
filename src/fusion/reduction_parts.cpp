// Computes the parts of a reduction, and combines them.
//
// Positions travel with their values: a part of argmax gives its best value and its position. The
// result is the lowest position among the best of these values.

#include "fusion/reduction_parts.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "fusion/instr_writer.h"
#include "fusion/kernel_edit.h"
#include "fusion/passes.h"
#include "loops/signature.h"
#include "support/check.h"

namespace litz::fusion {
namespace {

using loops::Block;
using loops::BufferId;
using loops::Instr;
using loops::InstrKind;
using loops::Kernel;
using loops::kNoValue;
using loops::LoopVar;
using loops::ReduceKind;
using loops::ScalarOp;
using loops::ValueId;

bool is_position(ReduceKind kind) {
  return kind == ReduceKind::argmax || kind == ReduceKind::argmin;
}

/// The reduction of the values whose positions `kind` gives.
ReduceKind value_kind(ReduceKind kind) {
  if (kind == ReduceKind::argmax) return ReduceKind::max;
  if (kind == ReduceKind::argmin) return ReduceKind::min;
  return kind;
}

/// The operation that combines two partial results.
ScalarOp combining_op(ReduceKind kind, DType dtype) {
  switch (kind) {
    case ReduceKind::sum:
      return dtype == DType::bool_ ? ScalarOp::bit_or : ScalarOp::add;
    case ReduceKind::prod:
      return ScalarOp::mul;
    case ReduceKind::any:
      return ScalarOp::bit_or;
    case ReduceKind::all:
      return ScalarOp::bit_and;
    case ReduceKind::bit_xor:
      return ScalarOp::bit_xor;
    case ReduceKind::max:
    case ReduceKind::argmax:
      return ScalarOp::max;
    case ReduceKind::min:
    case ReduceKind::argmin:
      return ScalarOp::min;
    case ReduceKind::softmax:
      break;
  }
  check(false, "a reduction that is split must have one result:", name(kind));
  return ScalarOp::add;
}

class Parts {
 public:
  Parts(PlanGraph& graph, StepId id, const PlacedReduction& reduction, const SplitSizes& sizes,
        const std::vector<const Instr*>& before)
      : graph_(graph), id_(id), at_(reduction), sizes_(sizes), before_(before) {}

  std::vector<Slot> make() {
    for (const DType dtype : part_dtypes()) add_parts(dtype);
    Step parts = make_parts();
    combine();
    finish(std::move(parts));
    return slots_;
  }

 private:
  DType value_dtype() {
    return at_.kernel().values[static_cast<size_t>(at_.instr().blocks[0]->yields[0])].dtype;
  }

  /// The dtypes of a part's outputs: its result, or the best value and its position.
  std::vector<DType> part_dtypes() {
    if (is_position(at_.kind())) return {value_dtype(), DType::i64};
    return {*loops::reduced_dtype(at_.kind(), value_dtype())};
  }

  std::vector<Expr> part_extents() {
    std::vector<Expr> extents;
    for (size_t i = 0; i < sizes_.split; ++i) extents.push_back(at_.instr().vars[i].extent);
    extents.push_back(sizes_.parts);
    return extents;
  }

  void add_parts(DType dtype) {
    Sizes sizes;
    for (const Expr extent : part_extents()) sizes.push_back(extent);
    for (const LoopVar& var : at_.outer()) sizes.push_back(var.extent);
    loops::Buffer buffer;
    buffer.role = loops::BufferRole::output;
    buffer.type = contiguous_type(dtype, sizes, at_.kernel().buffers[0].type.device);
    slots_.push_back(graph_.add_slot());
    types_.push_back(buffer.type);
  }

  BufferId add_buffer(KernelStep& step, size_t part, loops::BufferRole role) {
    return fusion::add_buffer(step, slots_[part], types_[part], role, "parts");
  }

  std::vector<LoopVar> new_vars(std::string_view name, const std::vector<Expr>& extents) {
    std::vector<LoopVar> vars;
    for (size_t i = 0; i < extents.size(); ++i) {
      vars.push_back(
          make_loop_var(*at_.kernel().pool, std::string(name) + std::to_string(i), extents[i]));
    }
    return vars;
  }

  std::vector<Expr> place_of(const std::vector<LoopVar>& chunk) {
    std::vector<Expr> at;
    at.reserve(chunk.size() + at_.outer().size());
    for (const LoopVar& var : chunk) at.push_back(var.symbol);
    for (const LoopVar& var : at_.outer()) at.push_back(var.symbol);
    return at;
  }

  /// The reduction over `extent` elements of the split variable, which begin at `begin`.
  ValueId part(InstrWriter& to, InstrCopier& copier, ReduceKind kind, Expr begin, Expr extent) {
    std::vector<Expr> extents{extent};
    std::vector<LoopVar> vars = new_vars("k", extents);
    const std::vector<LoopVar>& own = at_.instr().vars;
    vars.insert(vars.end(), own.begin() + static_cast<ptrdiff_t>(sizes_.split) + 1, own.end());
    copier.map_symbol(own[sizes_.split].symbol.symbol(), begin + vars[0].symbol);
    Block body;
    copier.copy(*at_.instr().blocks[0], body);
    return to.reduce(kind, at_.instr().flag, std::move(vars), std::move(body),
                     *loops::reduced_dtype(kind, value_dtype()));
  }

  /// The elements of variables inside the split one.
  Expr inner_count() {
    Expr count = 1;
    const std::vector<LoopVar>& vars = at_.instr().vars;
    for (size_t i = sizes_.split + 1; i < vars.size(); ++i) count = count * vars[i].extent;
    return count;
  }

  Step make_parts() {
    KernelStep parts;
    parts.kernel.name = at_.kernel().name + "_parts";
    parts.kernel.pool = at_.kernel().pool;
    parts.kernel.buffers = at_.kernel().buffers;
    parts.buffers = at_.step().buffers;
    std::vector<BufferId> results;
    for (size_t i = 0; i < slots_.size(); ++i) {
      results.push_back(add_buffer(parts, i, loops::BufferRole::output));
    }
    Instr loop;
    loop.kind = InstrKind::loop;
    std::vector<LoopVar> chunk(at_.instr().vars.begin(),
                               at_.instr().vars.begin() + static_cast<ptrdiff_t>(sizes_.split));
    chunk.push_back(new_vars("c", {sizes_.parts})[0]);
    loop.vars = chunk;
    for (const LoopVar& var : at_.outer()) loop.vars.push_back(var);
    loop.blocks.push_back(std::make_unique<Block>());
    fill_part(parts.kernel, loop.blocks[0]->instrs, chunk, results);
    parts.kernel.body.instrs.push_back(std::move(loop));
    renew_loop_vars(parts.kernel);
    clean(parts);

    Step step;
    step.location = graph_.step(id_).location;
    step.work = std::move(parts);
    for (size_t i = 0; i < slots_.size(); ++i) step.results.push_back({slots_[i], types_[i], true});
    return step;
  }

  static void clean(KernelStep& step) {
    rename_loop_vars(step.kernel);
    remove_unused_buffers(step);
    clean_kernel(step);
  }

  void fill_part(Kernel& to, std::vector<Instr>& out, const std::vector<LoopVar>& chunk,
                 const std::vector<BufferId>& results) {
    const auto copier = [&] {
      InstrCopier made(at_.kernel(), to);
      for (size_t i = 0; i < at_.kernel().buffers.size(); ++i) {
        made.map_buffer(static_cast<BufferId>(i), static_cast<BufferId>(i));
      }
      return made;
    };
    InstrCopier before = copier();
    for (const Instr* instr : before_) before.copy(*instr, out);
    const std::vector<Expr> at = place_of(chunk);
    const Expr begin = chunk.back().symbol * sizes_.length;
    InstrWriter writer(to, out);
    InstrCopier first = before;
    const ValueId result = part(writer, first, at_.kind(), begin, sizes_.length);
    if (!is_position(at_.kind())) return writer.store(results[0], at, result);
    InstrCopier second = before;
    const ValueId value = has_values_anywhere()
                              ? value_at(writer, second, result, begin, out)
                              : part(writer, second, value_kind(at_.kind()), begin, sizes_.length);
    writer.store(results[0], at, value);
    Expr origin;
    for (size_t i = 0; i < sizes_.split; ++i) {
      origin = origin * at_.instr().vars[i].extent + chunk[i].symbol;
    }
    origin = (origin * at_.instr().vars[sizes_.split].extent + begin) * inner_count();
    writer.store(results[1], at,
                 writer.op(ScalarOp::add, {result, writer.index(origin)}, DType::i64));
  }

  /// True if the reduced value can be computed at a position that is only known at run time.
  bool has_values_anywhere() {
    return std::ranges::all_of(at_.instr().blocks[0]->instrs, [](const Instr& instr) {
      return instr.blocks.empty() &&
             (instr.kind != InstrKind::index || is_computable(instr.expr)) &&
             std::ranges::all_of(instr.indices, [](const loops::Index& index) {
               const auto* expr = std::get_if<Expr>(&index);
               return expr == nullptr || is_computable(*expr);
             });
    });
  }

  /// The element at the position within the part.
  ValueId value_at(InstrWriter& to, InstrCopier& copier, ValueId position, Expr begin,
                   std::vector<Instr>& out) {
    const std::vector<LoopVar>& own = at_.instr().vars;
    ValueId left = position;
    for (size_t i = own.size(); --i > sizes_.split;) {
      const ValueId extent = to.index(own[i].extent);
      copier.map_computed(own[i].symbol.symbol(), to.op(ScalarOp::mod, {left, extent}, DType::i64));
      left = to.op(ScalarOp::floor_div, {left, extent}, DType::i64);
    }
    copier.map_computed(own[sizes_.split].symbol.symbol(),
                        to.op(ScalarOp::add, {left, to.index(begin)}, DType::i64));
    const Block& block = *at_.instr().blocks[0];
    for (const Instr& instr : block.instrs) copier.copy(instr, out);
    return copier.mapped(block.yields[0]);
  }

  // --- Putting them together

  InstrCopier copier_within() {
    InstrCopier copier(at_.kernel(), at_.kernel());
    for (size_t i = 0; i < at_.kernel().buffers.size(); ++i) {
      copier.map_buffer(static_cast<BufferId>(i), static_cast<BufferId>(i));
    }
    for (size_t i = 0; i < at_.kernel().values.size(); ++i) {
      copier.map(static_cast<ValueId>(i), static_cast<ValueId>(i));
    }
    return copier;
  }

  /// The rest reduced by `kind`, including its elements of the variables before the split one.
  ValueId rest(InstrWriter& to, ReduceKind kind) {
    InstrCopier copier = copier_within();
    const Expr begin = at_.instr().vars[sizes_.split].extent - sizes_.rest;
    std::vector<LoopVar> vars;
    for (size_t i = 0; i < sizes_.split; ++i) {
      const LoopVar& own = at_.instr().vars[i];
      vars.push_back(new_vars("r" + std::to_string(i), {own.extent})[0]);
      copier.map_symbol(own.symbol.symbol(), vars.back().symbol);
    }
    Instr whole = reduce_at(copier, kind, begin, sizes_.rest);
    whole.vars.insert(whole.vars.begin(), vars.begin(), vars.end());
    return to.append(std::move(whole), *loops::reduced_dtype(kind, value_dtype()));
  }

  Instr reduce_at(InstrCopier& copier, ReduceKind kind, Expr begin, Expr extent) {
    std::vector<Instr> made;
    InstrWriter writer(at_.kernel(), made);
    part(writer, copier, kind, begin, extent);
    return std::move(made[0]);
  }

  template <typename Yield>
  ValueId over_parts(InstrWriter& to, ReduceKind kind, DType dtype, const Yield& yield) {
    const std::vector<LoopVar> vars = new_vars("c", part_extents());
    Block body;
    InstrWriter inside(at_.kernel(), body.instrs);
    body.yields = {yield(inside, place_of(vars))};
    return to.reduce(kind, at_.instr().flag, vars, std::move(body), dtype);
  }

  void combine() {
    std::vector<BufferId> parts;
    for (size_t i = 0; i < slots_.size(); ++i) {
      parts.push_back(add_buffer(at_.step(), i, loops::BufferRole::input));
    }
    std::vector<Instr> made;
    InstrWriter to(at_.kernel(), made);
    const ReduceKind values = value_kind(at_.kind());
    const DType dtype = part_dtypes()[0];
    ValueId result =
        over_parts(to, values, dtype, [&](InstrWriter& inside, const std::vector<Expr>& at) {
          return inside.load(parts[0], at);
        });
    const bool has_rest = !sizes_.rest.is(0);
    ValueId last = kNoValue;
    if (has_rest) {
      last = rest(to, values);
      result = to.op(combining_op(values, dtype), {result, last}, dtype);
    }
    if (is_position(at_.kind())) result = position(to, parts, result, last);
    replace(std::move(made), result);
  }

  /// The lowest position whose value is the best one.
  ValueId position(InstrWriter& to, const std::vector<BufferId>& parts, ValueId best,
                   ValueId last) {
    const DType dtype = value_dtype();
    const auto where_best = [&](InstrWriter& at, ValueId value, ValueId position) {
      ValueId is_best = at.op(ScalarOp::eq, {value, best}, DType::bool_);
      if (is_floating(dtype)) {
        const ValueId a = at.op(ScalarOp::is_nan, {value}, DType::bool_);
        const ValueId b = at.op(ScalarOp::is_nan, {best}, DType::bool_);
        const ValueId both = at.op(ScalarOp::bit_and, {a, b}, DType::bool_);
        is_best = at.op(ScalarOp::bit_or, {is_best, both}, DType::bool_);
      }
      const ValueId none = at.constant(std::numeric_limits<int64_t>::max(), DType::i64);
      return at.op(ScalarOp::select, {is_best, position, none}, DType::i64);
    };
    ValueId result = over_parts(
        to, ReduceKind::min, DType::i64, [&](InstrWriter& inside, const std::vector<Expr>& at) {
          return where_best(inside, inside.load(parts[0], at), inside.load(parts[1], at));
        });
    if (last == kNoValue) return result;
    const Expr origin = (at_.instr().vars[sizes_.split].extent - sizes_.rest) * inner_count();
    const ValueId in_rest =
        to.op(ScalarOp::add, {rest(to, at_.kind()), to.index(origin)}, DType::i64);
    return to.op(ScalarOp::min, {result, where_best(to, last, in_rest)}, DType::i64);
  }

  // Replaces the reduction by the instructions.
  void replace(std::vector<Instr> made, ValueId result) {
    const ValueId before = at_.instr().results[0];
    std::vector<Instr>& instrs = at_.block().instrs;
    // The last instruction defined the value; it keeps its name.
    for (Instr& instr : made) {
      if (instr.results == std::vector<ValueId>{result}) instr.results = {before};
    }
    check(made.back().results[0] == before, "a result must come last:", at_.kernel().name);
    const auto at = instrs.erase(instrs.begin() + static_cast<ptrdiff_t>(at_.index()));
    instrs.insert(at, std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
  }

  void finish(Step parts) {
    clean(at_.step());
    graph_.refresh(id_);
    graph_.insert_before(id_, std::move(parts));
  }

  PlanGraph& graph_;
  StepId id_;
  const PlacedReduction& at_;
  const SplitSizes& sizes_;
  const std::vector<const Instr*>& before_;
  std::vector<Slot> slots_;
  std::vector<TensorType> types_;
};

}  // namespace

std::vector<Slot> compute_in_parts(PlanGraph& graph, StepId id, const PlacedReduction& reduction,
                                   const SplitSizes& sizes,
                                   const std::vector<const Instr*>& before) {
  return Parts(graph, id, reduction, sizes, before).make();
}

}  // namespace litz::fusion
