// Long reductions with few results become two kernels, so that threads have something to divide.
//
//   kernel @sum {                               kernel @sum_parts {
//     %2 = reduce sum i0 in 0..4000000 {          for c0 in 0..64 {
//       %1 = load %x[i0]                            %1 = reduce sum k0 in 0..62500 {
//       yield %1                                      %0 = load %x[62500*c0 + k0]
//     }                                     =>        yield %0
//     store %o[], %2                                }
//   }                                               store %parts[c0], %1
//                                                 }
//                                               }
//                                               kernel @sum {
//                                                 %3 = reduce sum c1 in 0..64 { load %parts[c1] }
//                                                 store %o[], %3
//                                               }
//
// How many parts there are follows from sizes alone, so results do not depend on the number of
// threads. Sizes that parts do not divide leave fewer elements than there are parts, which the
// second kernel adds itself. A reduction without identity must not be empty: its rest begins one
// element early, which is taken twice and changes nothing. Positions travel with their values, which
// are computed once more there.

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "fusion/kernel_edit.h"
#include "fusion/passes.h"
#include "fusion/pointwise.h"
#include "fusion/split_sizes.h"
#include "loops/literal.h"
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

// With so many results there is enough to divide.
constexpr double kEnoughResults = 64;
// Elements of a row that stays in a cache while several loops go over it.
constexpr double kCachedRow = 1 << 20;

bool is_position(ReduceKind kind) {
  return kind == ReduceKind::argmax || kind == ReduceKind::argmin;
}

/// The reduction of the values whose positions `kind` gives.
ReduceKind value_kind(ReduceKind kind) {
  if (kind == ReduceKind::argmax) return ReduceKind::max;
  if (kind == ReduceKind::argmin) return ReduceKind::min;
  return kind;
}

/// How two partial results become one.
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

/// Where a reduction is: in the body of a kernel, or of one of its loops.
struct Place {
  int loop = -1;     ///< In the kernel's body; -1 where the reduction is there itself.
  size_t index = 0;  ///< In the block.
};

/// Appends instructions to a list.
class Writer {
 public:
  Writer(Kernel& kernel, std::vector<Instr>& out) : kernel_(kernel), out_(out) {}

  ValueId op(ScalarOp op, std::vector<ValueId> operands, DType dtype) {
    Instr instr;
    instr.op = op;
    instr.operands = std::move(operands);
    return append(std::move(instr), dtype);
  }

  ValueId constant(loops::Literal literal, DType dtype) {
    Instr instr;
    instr.kind = InstrKind::constant;
    instr.literal = literal;
    return append(std::move(instr), dtype);
  }

  ValueId index(Expr expr) {
    Instr instr;
    instr.kind = InstrKind::index;
    instr.expr = expr;
    return append(std::move(instr), DType::i64);
  }

  ValueId load(BufferId buffer, const std::vector<Expr>& at) {
    Instr instr;
    instr.kind = InstrKind::load;
    instr.buffer = buffer;
    instr.indices.assign(at.begin(), at.end());
    return append(std::move(instr), kernel_.buffers[static_cast<size_t>(buffer)].type.dtype);
  }

  void store(BufferId buffer, const std::vector<Expr>& at, ValueId value) {
    Instr instr;
    instr.kind = InstrKind::store;
    instr.buffer = buffer;
    instr.indices.assign(at.begin(), at.end());
    instr.operands = {value};
    out_.push_back(std::move(instr));
  }

  ValueId reduce(ReduceKind kind, std::vector<LoopVar> vars, Block body, DType dtype) {
    Instr instr;
    instr.kind = InstrKind::reduce;
    instr.reduce = kind;
    instr.vars = std::move(vars);
    instr.blocks.push_back(std::make_unique<Block>(std::move(body)));
    return append(std::move(instr), dtype);
  }

  ValueId append(Instr instr, DType dtype) {
    kernel_.values.push_back({dtype});
    instr.results = {static_cast<ValueId>(kernel_.values.size()) - 1};
    out_.push_back(std::move(instr));
    return out_.back().results[0];
  }

 private:
  Kernel& kernel_;
  std::vector<Instr>& out_;
};

class ReductionSplitter {
 public:
  ReductionSplitter(PlanGraph& graph, StepId id, Place place, int64_t least, std::set<Slot>& parts)
      : graph_(graph),
        id_(id),
        step_(*graph.kernel(id)),
        place_(place),
        least_(least),
        parts_(parts) {}

  bool run() {
    if (!is_worth()) return false;
    const auto sizes = split_sizes(reduction().vars, kind(), least_);
    if (!sizes) return false;
    sizes_ = *sizes;
    if (!find_needed()) return false;
    for (const DType dtype : part_dtypes()) add_parts(dtype);
    Step parts = make_parts();
    combine();
    finish(std::move(parts));
    return true;
  }

 private:
  Kernel& kernel() { return step_.kernel; }

  ExprPool& pool() { return *step_.kernel.pool; }

  Instr* loop() {
    return place_.loop < 0 ? nullptr : &kernel().body.instrs[static_cast<size_t>(place_.loop)];
  }

  Block& block() { return place_.loop < 0 ? kernel().body : *loop()->blocks[0]; }

  Instr& reduction() { return block().instrs[place_.index]; }

  ReduceKind kind() { return reduction().reduce; }

  std::vector<LoopVar> outer() { return loop() == nullptr ? std::vector<LoopVar>{} : loop()->vars; }

  DType value_dtype() {
    return kernel().values[static_cast<size_t>(reduction().blocks[0]->yields[0])].dtype;
  }

  /// Of what a part leaves: its result, or the best value and its position.
  std::vector<DType> part_dtypes() {
    if (is_position(kind())) return {value_dtype(), DType::i64};
    return {*loops::reduced_dtype(kind(), value_dtype())};
  }

  // It puts parts together already.
  bool reads_parts() {
    bool found = false;
    for_each_instr(*reduction().blocks[0], [&](const Instr& instr) {
      if (instr.kind != InstrKind::load) return;
      found = found || parts_.contains(step_.buffers[static_cast<size_t>(instr.buffer)].slot);
    });
    return found;
  }

  bool is_worth() {
    if (loops::result_count(kind()) != 1 || reads_parts()) return false;
    const double results = trips(outer());
    const double length = trips(reduction().vars);
    if (results >= kEnoughResults || results * length < static_cast<double>(least_)) return false;
    if (results <= 1 || length >= kCachedRow) return true;
    // Other loops find the row in the cache as it is.
    return std::ranges::none_of(block().instrs, [&](const Instr& instr) {
      if (&instr == &reduction()) return false;
      double inside = trips(instr.vars);
      for (const auto& nested : instr.blocks) inside *= inner_trips(*nested);
      return inside * 2 > length;
    });
  }

  // --- What the reduction is computed from

  bool is_stored(BufferId buffer) {
    bool stored = false;
    for_each_instr(kernel().body, [&](const Instr& instr) {
      stored = stored || (instr.kind == InstrKind::store && instr.buffer == buffer);
    });
    return stored;
  }

  // Notes values that the instruction needs; false where it cannot be computed in another kernel.
  bool note(const Instr& instr) {
    if (instr.kind == InstrKind::store || instr.kind == InstrKind::sort) return false;
    if (instr.kind == InstrKind::load && is_stored(instr.buffer)) return false;
    const auto need = [&](ValueId value) {
      if (value != kNoValue) needed_.insert(value);
    };
    for (const ValueId value : instr.operands) need(value);
    need(instr.predicate);
    need(instr.other);
    for (const loops::Index& index : instr.indices) {
      if (const auto* value = std::get_if<ValueId>(&index)) need(*value);
    }
    for (const auto& nested : instr.blocks) {
      for (const ValueId value : nested->yields) need(value);
      if (!std::ranges::all_of(nested->instrs, [&](const Instr& inner) { return note(inner); })) {
        return false;
      }
    }
    return true;
  }

  bool note_before(const std::vector<Instr>& instrs, size_t end) {
    for (size_t i = end; i-- > 0;) {
      const Instr& instr = instrs[i];
      const bool is_needed = std::ranges::any_of(
          instr.results, [&](ValueId value) { return needed_.contains(value); });
      if (!is_needed) continue;
      // Anything long would be computed once for every part.
      if (!note(instr) || work_inside(instr) * 2 > trips(reduction().vars) / 64) return false;
      before_.push_back(&instr);
    }
    return true;
  }

  static double work_inside(const Instr& instr) {
    double inside = instr.blocks.empty() ? 0 : trips(instr.vars);
    for (const auto& nested : instr.blocks) inside *= inner_trips(*nested);
    return inside;
  }

  bool find_needed() {
    if (!graph_.step(id_).defines.empty() || !note(reduction())) return false;
    if (!note_before(block().instrs, place_.index)) return false;
    if (place_.loop >= 0) {
      if (!note_before(kernel().body.instrs, static_cast<size_t>(place_.loop))) return false;
    }
    std::ranges::reverse(before_);
    return true;
  }

  // --- Parts

  std::vector<Expr> part_extents() {
    std::vector<Expr> extents;
    for (size_t i = 0; i < sizes_.split; ++i) extents.push_back(reduction().vars[i].extent);
    extents.push_back(sizes_.parts);
    return extents;
  }

  void add_parts(DType dtype) {
    Sizes sizes;
    for (const Expr extent : part_extents()) sizes.push_back(extent);
    for (const LoopVar& var : outer()) sizes.push_back(var.extent);
    loops::Buffer buffer;
    buffer.role = loops::BufferRole::output;
    buffer.type = contiguous_type(dtype, sizes, kernel().buffers[0].type.device);
    slots_.push_back(graph_.add_slot());
    parts_.insert(slots_.back());
    types_.push_back(buffer.type);
  }

  BufferId add_buffer(KernelStep& step, size_t part, loops::BufferRole role) {
    loops::Buffer buffer;
    buffer.name = "parts";
    const auto is_taken = [&](const std::string& name) {
      return std::ranges::count(step.kernel.buffers, name, &loops::Buffer::name) > 0;
    };
    for (int i = 1; is_taken(buffer.name); ++i) buffer.name = "parts_" + std::to_string(i);
    buffer.role = role;
    buffer.type = types_[part];
    step.kernel.buffers.push_back(std::move(buffer));
    step.buffers.push_back({slots_[part], std::nullopt});
    return static_cast<BufferId>(step.buffers.size()) - 1;
  }

  std::vector<LoopVar> new_vars(std::string_view name, const std::vector<Expr>& extents) {
    std::vector<LoopVar> vars;
    for (size_t i = 0; i < extents.size(); ++i) {
      vars.push_back(make_loop_var(pool(), std::string(name) + std::to_string(i), extents[i]));
    }
    return vars;
  }

  std::vector<Expr> place_of(const std::vector<LoopVar>& chunk) {
    std::vector<Expr> at;
    at.reserve(chunk.size() + outer().size());
    for (const LoopVar& var : chunk) at.push_back(var.symbol);
    for (const LoopVar& var : outer()) at.push_back(var.symbol);
    return at;
  }

  /// The reduction over `extent` elements of the split variable, which begin at `begin`.
  ValueId part(Writer& to, InstrCopier& copier, ReduceKind kind, Expr begin, Expr extent) {
    std::vector<Expr> extents{extent};
    std::vector<LoopVar> vars = new_vars("k", extents);
    const std::vector<LoopVar>& own = reduction().vars;
    vars.insert(vars.end(), own.begin() + static_cast<ptrdiff_t>(sizes_.split) + 1, own.end());
    copier.map_symbol(own[sizes_.split].symbol.symbol(), begin + vars[0].symbol);
    Block body;
    copier.copy(*reduction().blocks[0], body);
    return to.reduce(kind, std::move(vars), std::move(body),
                     *loops::reduced_dtype(kind, value_dtype()));
  }

  /// Elements of variables within the split one.
  Expr inner_count() {
    Expr count = 1;
    const std::vector<LoopVar>& vars = reduction().vars;
    for (size_t i = sizes_.split + 1; i < vars.size(); ++i) count = count * vars[i].extent;
    return count;
  }

  Step make_parts() {
    KernelStep parts;
    parts.kernel.name = kernel().name + "_parts";
    parts.kernel.pool = &pool();
    parts.kernel.buffers = kernel().buffers;
    parts.buffers = step_.buffers;
    std::vector<BufferId> results;
    for (size_t i = 0; i < slots_.size(); ++i) {
      results.push_back(add_buffer(parts, i, loops::BufferRole::output));
    }
    Instr loop;
    loop.kind = InstrKind::loop;
    std::vector<LoopVar> chunk(reduction().vars.begin(),
                               reduction().vars.begin() + static_cast<ptrdiff_t>(sizes_.split));
    chunk.push_back(new_vars("c", {sizes_.parts})[0]);
    loop.vars = chunk;
    for (const LoopVar& var : outer()) loop.vars.push_back(var);
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
      InstrCopier made(kernel(), to);
      for (size_t i = 0; i < kernel().buffers.size(); ++i) {
        made.map_buffer(static_cast<BufferId>(i), static_cast<BufferId>(i));
      }
      return made;
    };
    InstrCopier before = copier();
    for (const Instr* instr : before_) before.copy(*instr, out);
    const std::vector<Expr> at = place_of(chunk);
    const Expr begin = chunk.back().symbol * sizes_.length;
    Writer writer(to, out);
    InstrCopier first = before;
    const ValueId result = part(writer, first, kind(), begin, sizes_.length);
    if (!is_position(kind())) return writer.store(results[0], at, result);
    InstrCopier second = before;
    const ValueId value = has_values_anywhere()
                              ? value_at(writer, second, result, begin, out)
                              : part(writer, second, value_kind(kind()), begin, sizes_.length);
    writer.store(results[0], at, value);
    Expr origin;
    for (size_t i = 0; i < sizes_.split; ++i) {
      origin = origin * reduction().vars[i].extent + chunk[i].symbol;
    }
    origin = (origin * reduction().vars[sizes_.split].extent + begin) * inner_count();
    writer.store(results[1], at,
                 writer.op(ScalarOp::add, {result, writer.index(origin)}, DType::i64));
  }

  /// Whether what the reduction is of can be computed at a place known as a value only.
  bool has_values_anywhere() {
    return std::ranges::all_of(reduction().blocks[0]->instrs, [](const Instr& instr) {
      return instr.blocks.empty() &&
             (instr.kind != InstrKind::index || is_computable(instr.expr)) &&
             std::ranges::all_of(instr.indices, [](const loops::Index& index) {
               const auto* expr = std::get_if<Expr>(&index);
               return expr == nullptr || is_computable(*expr);
             });
    });
  }

  /// The element at the position within the part.
  ValueId value_at(Writer& to, InstrCopier& copier, ValueId position, Expr begin,
                   std::vector<Instr>& out) {
    const std::vector<LoopVar>& own = reduction().vars;
    ValueId left = position;
    for (size_t i = own.size(); --i > sizes_.split;) {
      const ValueId extent = to.index(own[i].extent);
      copier.map_computed(own[i].symbol.symbol(), to.op(ScalarOp::mod, {left, extent}, DType::i64));
      left = to.op(ScalarOp::floor_div, {left, extent}, DType::i64);
    }
    copier.map_computed(own[sizes_.split].symbol.symbol(),
                        to.op(ScalarOp::add, {left, to.index(begin)}, DType::i64));
    const Block& block = *reduction().blocks[0];
    for (const Instr& instr : block.instrs) copier.copy(instr, out);
    return copier.mapped(block.yields[0]);
  }

  // --- Putting them together

  InstrCopier copier_within() {
    InstrCopier copier(kernel(), kernel());
    for (size_t i = 0; i < kernel().buffers.size(); ++i) {
      copier.map_buffer(static_cast<BufferId>(i), static_cast<BufferId>(i));
    }
    for (size_t i = 0; i < kernel().values.size(); ++i) {
      copier.map(static_cast<ValueId>(i), static_cast<ValueId>(i));
    }
    return copier;
  }

  /// The rest reduced by `kind`; its elements of the variables before the split one as well.
  ValueId rest(Writer& to, ReduceKind kind) {
    InstrCopier copier = copier_within();
    const Expr begin = reduction().vars[sizes_.split].extent - sizes_.rest;
    std::vector<LoopVar> vars;
    for (size_t i = 0; i < sizes_.split; ++i) {
      const LoopVar& own = reduction().vars[i];
      vars.push_back(new_vars("r" + std::to_string(i), {own.extent})[0]);
      copier.map_symbol(own.symbol.symbol(), vars.back().symbol);
    }
    Instr whole = reduce_at(copier, kind, begin, sizes_.rest);
    whole.vars.insert(whole.vars.begin(), vars.begin(), vars.end());
    return to.append(std::move(whole), *loops::reduced_dtype(kind, value_dtype()));
  }

  Instr reduce_at(InstrCopier& copier, ReduceKind kind, Expr begin, Expr extent) {
    std::vector<Instr> made;
    Writer writer(kernel(), made);
    part(writer, copier, kind, begin, extent);
    return std::move(made[0]);
  }

  template <typename Yield>
  ValueId over_parts(Writer& to, ReduceKind kind, DType dtype, const Yield& yield) {
    const std::vector<LoopVar> vars = new_vars("c", part_extents());
    Block body;
    Writer inside(kernel(), body.instrs);
    body.yields = {yield(inside, place_of(vars))};
    return to.reduce(kind, vars, std::move(body), dtype);
  }

  void combine() {
    std::vector<BufferId> parts;
    for (size_t i = 0; i < slots_.size(); ++i) {
      parts.push_back(add_buffer(step_, i, loops::BufferRole::input));
    }
    std::vector<Instr> made;
    Writer to(kernel(), made);
    const ReduceKind values = value_kind(kind());
    const DType dtype = part_dtypes()[0];
    ValueId result = over_parts(
        to, values, dtype,
        [&](Writer& inside, const std::vector<Expr>& at) { return inside.load(parts[0], at); });
    const bool has_rest = !sizes_.rest.is(0);
    ValueId last = kNoValue;
    if (has_rest) {
      last = rest(to, values);
      result = to.op(combining_op(values, dtype), {result, last}, dtype);
    }
    if (is_position(kind())) result = position(to, parts, result, last);
    replace(std::move(made), result);
  }

  /// The lowest position whose value is the best one.
  ValueId position(Writer& to, const std::vector<BufferId>& parts, ValueId best, ValueId last) {
    const DType dtype = value_dtype();
    const auto where_best = [&](Writer& at, ValueId value, ValueId position) {
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
        to, ReduceKind::min, DType::i64, [&](Writer& inside, const std::vector<Expr>& at) {
          return where_best(inside, inside.load(parts[0], at), inside.load(parts[1], at));
        });
    if (last == kNoValue) return result;
    const Expr origin = (reduction().vars[sizes_.split].extent - sizes_.rest) * inner_count();
    const ValueId in_rest = to.op(ScalarOp::add, {rest(to, kind()), to.index(origin)}, DType::i64);
    return to.op(ScalarOp::min, {result, where_best(to, last, in_rest)}, DType::i64);
  }

  // The instructions take the place of the reduction.
  void replace(std::vector<Instr> made, ValueId result) {
    const ValueId before = reduction().results[0];
    std::vector<Instr>& instrs = block().instrs;
    // What defined the value is the last instruction; it keeps its name.
    for (Instr& instr : made) {
      if (instr.results == std::vector<ValueId>{result}) instr.results = {before};
    }
    check(made.back().results[0] == before, "a result must come last:", kernel().name);
    const auto at = instrs.erase(instrs.begin() + static_cast<ptrdiff_t>(place_.index));
    instrs.insert(at, std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
  }

  void finish(Step parts) {
    clean(step_);
    graph_.refresh(id_);
    graph_.insert_before(id_, std::move(parts));
  }

  PlanGraph& graph_;
  StepId id_;
  KernelStep& step_;
  Place place_;
  int64_t least_;
  std::set<Slot>& parts_;  ///< Of all reductions that were split.
  SplitSizes sizes_;
  std::set<ValueId> needed_;
  std::vector<const Instr*> before_;
  std::vector<Slot> slots_;
  std::vector<TensorType> types_;
};

bool split_one(PlanGraph& graph, StepId id, int64_t least, std::set<Slot>& parts) {
  const Block& body = graph.kernel(id)->kernel.body;
  for (size_t i = 0; i < body.instrs.size(); ++i) {
    const Instr& instr = body.instrs[i];
    if (instr.kind == InstrKind::reduce) {
      if (ReductionSplitter(graph, id, {-1, i}, least, parts).run()) return true;
    }
    if (instr.kind != InstrKind::loop || !instr.carried.empty()) continue;
    const std::vector<Instr>& inner = instr.blocks[0]->instrs;
    for (size_t k = 0; k < inner.size(); ++k) {
      if (inner[k].kind != InstrKind::reduce) continue;
      if (ReductionSplitter(graph, id, {static_cast<int>(i), k}, least, parts).run()) return true;
    }
  }
  return false;
}

}  // namespace

bool split_reductions(PlanGraph& graph, int64_t least) {
  bool changed = false;
  std::set<Slot> parts;
  const std::vector<StepId> order = graph.order();
  for (const StepId id : order) {
    while (graph.kernel(id) != nullptr && split_one(graph, id, least, parts)) {
      changed = true;
    }
  }
  return changed;
}

}  // namespace litz::fusion
