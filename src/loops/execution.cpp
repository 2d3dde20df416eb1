#include "loops/execution.h"

#include <algorithm>
#include <cstring>

#include "loops/attend.h"
#include "loops/opaque_function.h"
#include "loops/signature.h"
#include "support/check.h"
#include "types/sort_row.h"

namespace litz::loops {

void Execution::run() {
  lanes_ = 1;
  run_block(program_.body);
}

void Execution::run_block(const BlockCode& block) {
  for (const int id : block.opaques) run_opaque(id);
  for (const Step& step : block.steps) run_step(step);
}

void Execution::run_step(const Step& step) {
  switch (step.kind) {
    case StepKind::op: {
      const std::byte* operands[3];
      for (int i = 0; i < step.arity; ++i) operands[i] = at(step.operands[static_cast<size_t>(i)]);
      return step.function(at(step.out), operands, lanes_);
    }
    case StepKind::load:
      return run_load(step.id);
    case StepKind::store:
      return run_store(step.id);
    case StepKind::index:
      return run_index(step.id);
    case StepKind::bound:
      return run_bound_check(step.id);
    case StepKind::check:
      return run_check(program_.checks[static_cast<size_t>(step.id)]);
    case StepKind::loop:
      return run_loop(step.id);
    case StepKind::sort:
      return run_sort(program_.sorts[static_cast<size_t>(step.id)]);
    case StepKind::sort_row:
      return run_sort_row(program_.sort_rows[static_cast<size_t>(step.id)]);
    case StepKind::attend: {
      const AttendCode& code = program_.attends[static_cast<size_t>(step.id)];
      return run_attend(code.buffers, code.scale, code.safe, tensors_);
    }
  }
}

int64_t Execution::base_of(const BoundForm& form) const {
  int64_t base = form.constant + form.lane_stride * lane_base_;
  for (const auto& [var, coefficient] : form.steps) {
    base += coefficient * vars_[static_cast<size_t>(var)];
  }
  return base;
}

void Execution::materialize(const BoundForm& form, int64_t* out) const {
  const int64_t base = base_of(form);
  const int64_t n = lanes_;
  if (form.pattern != nullptr) {
    for (int64_t i = 0; i < n; ++i) out[i] = base + form.pattern[i];
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = base + form.lane_stride * i;
  }
  // Unsigned: unused lanes may hold any integer, and wrap around.
  for (const auto& [array, coefficient] : form.arrays) {
    const auto factor = static_cast<uint64_t>(coefficient);
    for (int64_t i = 0; i < n; ++i) {
      out[i] = static_cast<int64_t>(static_cast<uint64_t>(out[i]) +
                                    factor * static_cast<uint64_t>(array[i]));
    }
  }
}

// Offsets of all lanes; those in use are checked to be inside the buffer.
const int64_t* Execution::checked_offsets(const BoundAccess& access, const std::byte* predicate) {
  int64_t* offsets = offsets_.data();
  materialize(access.form, offsets);
  if (!access.is_checked) return offsets;
  const auto* used = reinterpret_cast<const uint8_t*>(predicate);
  for (int64_t i = 0; i < lanes_; ++i) {
    if (used != nullptr && used[i] == 0) continue;
    check(offsets[i] >= access.low && offsets[i] <= access.high,
          "accesses must stay inside their buffer:", program_.name, offsets[i], access.low,
          access.high);
  }
  return offsets;
}

namespace {

enum class Predicate : uint8_t { always, never, mixed };

Predicate summarise(const std::byte* predicate, int64_t lanes) {
  const auto* p = reinterpret_cast<const uint8_t*>(predicate);
  int64_t count = 0;
  for (int64_t i = 0; i < lanes; ++i) count += p[i];
  if (count == lanes) return Predicate::always;
  return count == 0 ? Predicate::never : Predicate::mixed;
}

bool is_set(const std::byte* predicate, int64_t lane) { return predicate[lane] != std::byte{0}; }

}  // namespace

void Execution::run_load(int id) {
  const Access& access = program_.accesses[static_cast<size_t>(id)];
  const BoundAccess& bound = accesses_[static_cast<size_t>(id)];
  std::byte* out = at(access.value);
  const int64_t item = access.item;
  auto used = Predicate::always;
  if (access.predicate != kNoRegister) {
    const std::byte* predicate = at(access.predicate);
    used = summarise(predicate, lanes_);
    if (used != Predicate::always) {
      std::memcpy(out, at(access.other), static_cast<size_t>(lanes_ * item));
    }
    if (used == Predicate::never) return;
    if (used == Predicate::mixed) {
      const int64_t* offsets = checked_offsets(bound, predicate);
      for (int64_t i = 0; i < lanes_; ++i) {
        if (is_set(predicate, i)) {
          load_strided(out + i * item, bound.base + offsets[i] * item, 1, 1, item);
        }
      }
    }
  }
  if (used == Predicate::always) {
    if (bound.is_checked || bound.form.varies_by_array()) {
      load_gather(out, bound.base, checked_offsets(bound, nullptr), lanes_, item);
    } else {
      load_strided(out, bound.base + base_of(bound.form) * item, bound.form.lane_stride, lanes_,
                   item);
    }
  }
  if (access.is_bool) {
    // Any non-zero byte is true; lanes hold 0 or 1.
    auto* bytes = reinterpret_cast<uint8_t*>(out);
    for (int64_t i = 0; i < lanes_; ++i) bytes[i] = bytes[i] != 0 ? 1 : 0;
  }
}

void Execution::run_store(int id) {
  const Access& access = program_.accesses[static_cast<size_t>(id)];
  const BoundAccess& bound = accesses_[static_cast<size_t>(id)];
  const std::byte* values = at(access.value);
  const std::byte* predicate = access.predicate == kNoRegister ? nullptr : at(access.predicate);
  const int64_t item = access.item;
  auto used = Predicate::always;
  if (predicate != nullptr) used = summarise(predicate, lanes_);
  if (used == Predicate::never) return;
  if (used == Predicate::mixed || access.combine != nullptr) {
    const int64_t* offsets = checked_offsets(bound, predicate);
    for (int64_t i = 0; i < lanes_; ++i) {
      if (predicate != nullptr && !is_set(predicate, i)) continue;
      std::byte* element = bound.base + offsets[i] * item;
      if (access.combine != nullptr) {
        access.combine(element, values + i * item);
      } else {
        store_strided(element, values + i * item, 1, 1, item);
      }
    }
    return;
  }
  if (bound.is_checked || bound.form.varies_by_array()) {
    store_scatter(bound.base, values, checked_offsets(bound, nullptr), lanes_, item);
  } else {
    store_strided(bound.base + base_of(bound.form) * item, values, bound.form.lane_stride, lanes_,
                  item);
  }
}

void Execution::run_index(int id) {
  const IndexValue& value = program_.index_values[static_cast<size_t>(id)];
  const BoundIndex& bound = index_values_[static_cast<size_t>(id)];
  if (!value.is_real) {
    materialize(bound.form, integers_at(value.wide));
  } else {
    auto* out = reinterpret_cast<double*>(at(value.wide));
    std::fill_n(out, lanes_, bound.real);
    if (!value.vars.empty()) {
      Bindings bindings = bindings_;
      for (int64_t i = 0; i < lanes_; ++i) {
        for (const auto& [symbol, var] : value.vars) bindings.set(symbol, var_at(var, i));
        out[i] = evaluate_real(value.expr, bindings);
      }
    }
  }
  if (value.convert != nullptr) {
    const std::byte* operand = at(value.wide);
    value.convert(at(value.out), &operand, lanes_);
  }
}

void Execution::run_bound_check(int id) {
  const BoundCheck& code = program_.bound_checks[static_cast<size_t>(id)];
  const int64_t* in = integers_at(code.in);
  int64_t* out = integers_at(code.out);
  int64_t* extents = offsets_.data();
  materialize(bound_extents_[static_cast<size_t>(id)], extents);
  for (int64_t i = 0; i < lanes_; ++i) {
    const int64_t low = code.wraps ? -extents[i] : 0;
    if (in[i] < low || in[i] >= extents[i]) {
      fail(ErrorCode::out_of_range, "an index must lie in its dimension:", code.what,
           "must be at least", low, "and below", extents[i], "but is", in[i]);
    }
    out[i] = in[i] < 0 ? in[i] + extents[i] : in[i];
  }
}

void Execution::run_check(const Check& code) const {
  require(summarise(at(code.in), lanes_) == Predicate::always,
          "an assertion of the program must hold:", code.text);
}

void Execution::run_opaque(int id) {
  const Opaque& code = program_.opaques[static_cast<size_t>(id)];
  const BoundOpaque& bound = opaques_[static_cast<size_t>(id)];
  int64_t* out = integers_at(code.out);
  if (!code.is_known) {
    Bindings bindings = bindings_;
    const bool is_boolean = code.expr.domain() == ExprDomain::boolean;
    for (int64_t i = 0; i < lanes_; ++i) {
      for (const auto& [symbol, var] : code.vars) bindings.set(symbol, var_at(var, i));
      out[i] = is_boolean ? (evaluate_boolean(code.expr, bindings) ? 1 : 0)
                          : evaluate(code.expr, bindings);
    }
    return;
  }
  materialize(bound.operands[0], out);
  if (code.kind == ExprKind::where) {
    int64_t* no = offsets_.data();
    materialize(bound.operands[1], operands_.data());
    materialize(bound.operands[2], no);
    for (int64_t i = 0; i < lanes_; ++i)
      out[i] = out[i] != 0 ? operands_[static_cast<size_t>(i)] : no[i];
    return;
  }
  if (bound.operands.size() == 1) return apply_opaque(code.kind, out, out, lanes_);
  for (size_t k = 1; k < bound.operands.size(); ++k) {
    materialize(bound.operands[k], operands_.data());
    apply_opaque(code.kind, out, operands_.data(), lanes_);
  }
}

void Execution::run_loop(int loop) {
  const LoopCode& code = program_.loops[static_cast<size_t>(loop)];
  const BoundLoop& bound = loops_[static_cast<size_t>(loop)];
  if (bound.count == 0 && code.kind == LoopKind::reduce) {
    require(code.may_be_empty,
            "a reduction without identity must not be empty:", name(code.reduce_kind),
            program_.name);
  }
  if (bound.mode == Mode::lanes) return run_lanes(code, bound);
  run_sequential(code, bound);
}

void Execution::start_loop(const LoopCode& code, int64_t lanes) {
  if (code.kind == LoopKind::reduce) {
    code.reduce.start(at(code.accumulators), integers_at(code.positions), lanes);
  }
  for (const Carried& value : code.carried) {
    std::memcpy(at(value.inside), at(value.initial), static_cast<size_t>(lanes * value.item));
  }
}

void Execution::finish_loop(const LoopCode& code, int64_t lanes) {
  if (code.kind == LoopKind::reduce) {
    code.reduce.finish(at(code.result), at(code.accumulators), integers_at(code.positions), lanes);
    if (code.reduce.finish_second != nullptr) {
      code.reduce.finish_second(at(code.second_result), at(code.accumulators), lanes);
    }
  }
  for (const Carried& value : code.carried) {
    std::memcpy(at(value.result), at(value.inside), static_cast<size_t>(lanes * value.item));
  }
}

void Execution::before_iteration(const LoopCode& code, int64_t position) {
  if (code.kind != LoopKind::sort_positions) return;
  const Sorting& sorting = sorting_.back();
  const int64_t item = item_size(sorting.code->dtype);
  int64_t* sources = integers_at(sorting.code->source);
  std::byte* keys = at(sorting.code->sorted_key);
  for (int64_t i = 0; i < lanes_; ++i) {
    sources[i] = sorting.origins[static_cast<size_t>(position + i)];
  }
  std::memcpy(keys, sorting.keys.data() + position * item, static_cast<size_t>(lanes_ * item));
}

void Execution::after_iteration(const LoopCode& code, int64_t position, int64_t position_step) {
  switch (code.kind) {
    case LoopKind::independent:
    case LoopKind::sort_positions:
      return;
    case LoopKind::reduce:
      return code.reduce.step(at(code.accumulators), integers_at(code.positions), at(code.value),
                              lanes_, position, position_step);
    case LoopKind::sort_keys: {
      Sorting& sorting = sorting_.back();
      const int64_t item = item_size(sorting.code->dtype);
      std::memcpy(sorting.keys.data() + position * item, at(sorting.code->key),
                  static_cast<size_t>(lanes_ * item));
      return;
    }
    case LoopKind::carried:
      // Read all values before the first write: an iteration may swap its values.
      for (const Carried& value : code.carried) {
        std::memcpy(at(value.held), at(value.next), static_cast<size_t>(lanes_ * value.item));
      }
      for (const Carried& value : code.carried) {
        std::memcpy(at(value.inside), at(value.held), static_cast<size_t>(lanes_ * value.item));
      }
      return;
  }
}

// Parallel variables count backwards: if their iterations depend on each other after all, results
// differ from those of the unscheduled kernel.
void Execution::run_sequential(const LoopCode& code, const BoundLoop& bound) {
  start_loop(code, lanes_);
  const auto first = [&](size_t i) { return code.is_parallel[i] ? bound.extents[i] - 1 : 0; };
  for (size_t i = 0; i < code.vars.size(); ++i) {
    vars_[static_cast<size_t>(code.vars[i])] = first(i);
  }
  for (int64_t position = 0; position < bound.count; ++position) {
    before_iteration(code, position);
    run_block(code.body);
    after_iteration(code, position, 0);
    for (size_t i = code.vars.size(); i-- > 0;) {
      int64_t& value = vars_[static_cast<size_t>(code.vars[i])];
      value += code.is_parallel[i] ? -1 : 1;
      if (value >= 0 && value < bound.extents[i]) break;
      value = first(i);
    }
  }
  finish_loop(code, lanes_);
}

void Execution::run_lanes(const LoopCode& code, const BoundLoop& bound) {
  const int64_t most =
      code.vector_lanes > 1 ? std::min(program_.lanes, code.vector_lanes) : program_.lanes;
  const int64_t widest = std::min(most, bound.count);
  const bool is_backwards = std::ranges::find(code.is_parallel, false) == code.is_parallel.end();
  for (const Slot& slot : code.captures) splat_lanes(at(slot.start), widest, slot.item);
  start_loop(code, widest);
  for (int64_t done = 0; done < bound.count; done += most) {
    const int64_t base = is_backwards ? (bound.count - 1 - done) / most * most : done;
    lanes_ = std::min(most, bound.count - base);
    lane_base_ = base;
    fill_patterns(code, bound);
    before_iteration(code, base);
    run_block(code.body);
    after_iteration(code, base, 1);
  }
  lanes_ = 1;
  lane_base_ = 0;
  if (code.kind == LoopKind::reduce && widest > 1) {
    code.reduce.combine(at(code.accumulators), integers_at(code.positions), widest);
  }
  if (code.kind == LoopKind::reduce && widest == 0) start_loop(code, 1);
  finish_loop(code, 1);
}

// Walks the lanes' positions row by row, so that only the start of a row costs a carry.
void Execution::fill_patterns(const LoopCode& code, const BoundLoop& bound) {
  if (bound.patterns.empty()) return;
  const size_t rank = code.vars.size();
  std::vector<int64_t> index(rank);
  int64_t rest = lane_base_;
  for (size_t i = rank; i-- > 0;) {
    index[i] = rest % bound.extents[i];
    rest /= bound.extents[i];
  }
  int64_t lane = 0;
  while (lane < lanes_) {
    const int64_t run = std::min(lanes_ - lane, bound.extents[rank - 1] - index[rank - 1]);
    for (const Pattern& pattern : bound.patterns) {
      int64_t offset = 0;
      for (size_t i = 0; i < rank; ++i) offset += pattern.coefficients[i] * index[i];
      const int64_t stride = pattern.coefficients[rank - 1];
      int64_t* offsets = pattern.offsets.get() + lane;
      for (int64_t i = 0; i < run; ++i) offsets[i] = offset + stride * i;
    }
    lane += run;
    index[rank - 1] += run;
    for (size_t i = rank - 1; i > 0 && index[i] == bound.extents[i]; --i) {
      index[i] = 0;
      ++index[i - 1];
    }
  }
}

// The value of a loop variable in one lane.
int64_t Execution::var_at(int var, int64_t lane) const {
  const int loop = program_.vars_loop[static_cast<size_t>(var)];
  const BoundLoop& bound = loops_[static_cast<size_t>(loop)];
  if (bound.mode != Mode::lanes) return vars_[static_cast<size_t>(var)];
  const LoopCode& code = program_.loops[static_cast<size_t>(loop)];
  int64_t rest = lane_base_ + lane;
  for (size_t i = code.vars.size(); i-- > 0;) {
    if (code.vars[i] == var) return rest % bound.extents[i];
    rest /= bound.extents[i];
  }
  return 0;
}

void Execution::run_sort(const SortCode& sort) {
  const int64_t n = loops_[static_cast<size_t>(sort.keys)].count;
  const int64_t count = loops_[static_cast<size_t>(sort.positions)].count;
  check(count <= n, "a sort must not give more elements than it got:", count, n);
  Sorting& sorting = sorting_.emplace_back();
  sorting.code = &sort;
  sorting.keys.resize(static_cast<size_t>(n * item_size(sort.dtype)));
  run_loop(sort.keys);
  Sorting& sorted = sorting_.back();
  sorted.origins.resize(static_cast<size_t>(count));
  sort_row(sort.dtype, sorted.keys.data(), n, count, sort.descending, sorted.origins.data());
  run_loop(sort.positions);
  sorting_.pop_back();
}

void Execution::run_sort_row(const SortRowCode& sort) {
  Tensor& keys = tensors_[static_cast<size_t>(sort.keys)];
  Tensor& origins = tensors_[static_cast<size_t>(sort.origins)];
  const int64_t size = evaluate(sort.size, bindings_);
  const int64_t count = evaluate(sort.count, bindings_);
  check(size == keys.numel() && count == origins.numel(),
        "a sorted row must have the size of its buffers:", size, count);
  sort_row(keys.dtype(), keys.mutable_data(), size, count, sort.descending,
           reinterpret_cast<int64_t*>(origins.mutable_data()));
}

}  // namespace litz::loops
