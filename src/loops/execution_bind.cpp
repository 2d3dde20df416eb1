// Binding a Program to one run: sizes become numbers, index expressions become strides.

#include <algorithm>

#include "loops/execution.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::loops {
namespace {

int64_t times(int64_t a, int64_t b) {
  int64_t product = 0;
  require(!__builtin_mul_overflow(a, b, &product), ErrorCode::out_of_range,
          "offsets must fit 64 bits:", a, b);
  return product;
}

int64_t plus(int64_t a, int64_t b) {
  int64_t total = 0;
  require(!__builtin_add_overflow(a, b, &total), ErrorCode::out_of_range,
          "offsets must fit 64 bits:", a, b);
  return total;
}

int64_t evaluate_any(Expr expr, const Bindings& bindings) {
  if (expr.domain() == ExprDomain::boolean) return evaluate_boolean(expr, bindings) ? 1 : 0;
  return evaluate(expr, bindings);
}

}  // namespace

Execution::Execution(const Program& program, std::span<const Tensor> buffers,
                     const Bindings& bindings)
    : program_(program), bindings_(bindings), tensors_(buffers.begin(), buffers.end()) {
  bind_extents();
  bind_buffers(buffers);
  const auto bytes = static_cast<size_t>(program_.bytes_per_lane * program_.lanes);
  memory_.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64})));
  registers_ = memory_.get();
  offsets_.resize(static_cast<size_t>(program_.lanes));
  operands_.resize(static_cast<size_t>(program_.lanes));
  vars_.resize(program_.vars_loop.size());
  for (const Literals& literal : program_.literals) {
    std::copy_n(literal.bytes.data(), literal.item, at(literal.start));
    splat_lanes(at(literal.start), program_.lanes, literal.item);
  }
  accesses_.resize(program_.accesses.size());
  for (const AccessCondition& condition : program_.conditions) {
    require(evaluate_boolean(condition.holds, bindings_), ErrorCode::out_of_range,
            "sizes must fit each other:", program_.name, "would use elements outside of",
            program_.buffers[static_cast<size_t>(condition.buffer)].name);
  }
  for (size_t id = 0; id < accesses_.size(); ++id) bind_access(static_cast<int>(id));
  opaques_.resize(program_.opaques.size());
  index_values_.resize(program_.index_values.size());
  bound_extents_.resize(program_.bound_checks.size());
  bind_block(program_.body, -1);
}

void Execution::AlignedFree::operator()(std::byte* memory) const {
  ::operator delete (memory, std::align_val_t{64});
}

void Execution::bind_extents() {
  extents_.resize(program_.vars_loop.size());
  for (const LoopCode& code : program_.loops) {
    BoundLoop bound;
    bound.count = 1;
    for (size_t i = 0; i < code.vars.size(); ++i) {
      const int64_t size = evaluate(code.extents[i], bindings_);
      require(size >= 0, ErrorCode::out_of_range,
              "the extent of a loop must not be negative:", size, program_.name);
      bound.extents.push_back(size);
      bound.count = times(bound.count, size);
      extents_[static_cast<size_t>(code.vars[i])] = size;
    }
    loops_.push_back(std::move(bound));
  }
}

void Execution::bind_buffers(std::span<const Tensor> buffers) {
  require(buffers.size() == program_.buffers.size(),
          "a kernel must get one tensor per buffer:", program_.name, buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& buffer = program_.buffers[i];
    const Tensor& tensor = buffers[i];
    const auto fits = [&](bool condition, const char* text, const std::string& values) {
      require(condition, text, program_.name, buffer.name, values);
    };
    fits(tensor.defined(), "every buffer must have a tensor:", "");
    fits(tensor.dtype() == buffer.type.dtype,
         "tensors must have the dtypes of their buffers:", std::string(litz::name(tensor.dtype())));
    const std::vector<int64_t> sizes = evaluate(buffer.type.sizes, bindings_);
    fits(tensor.sizes() == sizes, "tensors must have the sizes of their buffers:",
         join(tensor.sizes(), "x") + " for " + join(sizes, "x"));
    std::vector<int64_t> strides = evaluate(buffer.type.strides, bindings_);
    const bool is_empty = std::ranges::find(sizes, 0) != sizes.end();
    for (size_t d = 0; d < sizes.size(); ++d) {
      // The stride of a dimension of one element has no effect, and producers differ in it.
      if (sizes[d] <= 1 || is_empty) continue;
      fits(tensor.strides()[d] == strides[d], "tensors must have the strides of their buffers:",
           join(tensor.strides(), ",") + " for " + join(strides, ","));
    }
    strides_.push_back(std::move(strides));
  }
}

int64_t Execution::factor(const LinearTerm& term) const {
  int64_t value = 1;
  for (const Expr& expr : term.factors) value = times(value, evaluate_any(expr, bindings_));
  return value;
}

Execution::BoundForm Execution::bind_form(const LinearForm& form) const {
  BoundForm bound;
  for (const LinearTerm& term : form) {
    const int64_t value = factor(term);
    if (term.var >= 0) {
      BoundForm single;
      single.coefficients.emplace_back(term.var, value);
      add_form(bound, single, 1);
    } else if (term.opaque >= 0) {
      const Register out = program_.opaques[static_cast<size_t>(term.opaque)].out;
      bound.arrays.emplace_back(integers_at(out), value);
    } else {
      bound.constant = plus(bound.constant, value);
    }
  }
  return bound;
}

// sum += part * scale, before either is split.
void Execution::add_form(BoundForm& sum, const BoundForm& part, int64_t scale) const {
  sum.constant = plus(sum.constant, times(part.constant, scale));
  for (const auto& [var, coefficient] : part.coefficients) {
    if (extent(var) <= 1) continue;  // Always 0.
    const auto place =
        std::ranges::lower_bound(sum.coefficients, var, {}, &std::pair<int, int64_t>::first);
    const int64_t added = times(coefficient, scale);
    if (place != sum.coefficients.end() && place->first == var) {
      place->second = plus(place->second, added);
    } else {
      sum.coefficients.insert(place, {var, added});
    }
  }
  for (const auto& [array, coefficient] : part.arrays) {
    sum.arrays.emplace_back(array, times(coefficient, scale));
  }
}

void Execution::bind_access(int id) {
  const Access& access = program_.accesses[static_cast<size_t>(id)];
  BoundAccess& bound = accesses_[static_cast<size_t>(id)];
  const auto buffer = static_cast<size_t>(access.buffer);
  for (size_t d = 0; d < access.dimensions.size(); ++d) {
    const Access::Dimension& dimension = access.dimensions[d];
    const int64_t stride =
        access.is_flat ? evaluate(dimension.stride, bindings_) : strides_[buffer][d];
    if (dimension.computed != kNoRegister) {
      bound.form.arrays.emplace_back(integers_at(dimension.computed), stride);
    } else {
      add_form(bound.form, bind_form(dimension.form), stride);
    }
  }
  Tensor& tensor = tensors_[buffer];
  const int64_t offset = evaluate(program_.buffers[buffer].type.offset, bindings_);
  bound.base = access.is_store ? tensor.mutable_data() : const_cast<std::byte*>(tensor.data());
  // The place of element 0 in the offsets of the form.
  const int64_t origin = access.is_flat ? offset : 0;
  bound.base += (offset - origin) * access.item;
  bound.low = origin;
  bound.high = origin;
  for (size_t d = 0; d < tensor.rank(); ++d) {
    if (tensor.sizes()[d] == 0) bound.high = bound.low - 1;
  }
  if (bound.high < bound.low) return;  // Empty: no offset is inside.
  for (size_t d = 0; d < tensor.rank(); ++d) {
    const int64_t furthest = times(tensor.sizes()[d] - 1, strides_[buffer][d]);
    (furthest < 0 ? bound.low : bound.high) += furthest;
  }
  const auto elements = static_cast<int64_t>(tensor.storage()->size()) / access.item;
  const int64_t start = plus(tensor.offset(), offset - origin);
  check(start + bound.low >= 0 && start + bound.high < elements,
        "buffers must lie inside their storage:", program_.name, program_.buffers[buffer].name);
}

// Proves that an access is inside its buffer, or arranges checks of its offsets at run time.
void Execution::check_access(int id) {
  const Access& access = program_.accesses[static_cast<size_t>(id)];
  BoundAccess& bound = accesses_[static_cast<size_t>(id)];
  for (int loop = access.loop; loop >= 0; loop = program_.loops[static_cast<size_t>(loop)].parent) {
    if (loops_[static_cast<size_t>(loop)].count == 0) return;  // Never made.
  }
  bound.is_checked = true;
  if (!bound.form.arrays.empty()) return;
  int64_t low = bound.form.constant;
  int64_t high = low;
  for (const auto& [var, coefficient] : bound.form.coefficients) {
    const int64_t furthest = times(coefficient, extent(var) - 1);
    int64_t& end = furthest < 0 ? low : high;
    end = plus(end, furthest);
  }
  const bool is_inside = low >= bound.low && high <= bound.high;
  check(is_inside || access.predicate != kNoRegister,
        "accesses must stay inside their buffer:", program_.name,
        program_.buffers[static_cast<size_t>(access.buffer)].name, low, high);
  bound.is_checked = !is_inside;
}

void Execution::bind_block(const BlockCode& block, int lane_loop) {
  for (const int id : block.opaques) {
    BoundOpaque& bound = opaques_[static_cast<size_t>(id)];
    for (const LinearForm& operand : program_.opaques[static_cast<size_t>(id)].operands) {
      bound.operands.push_back(bind_form(operand));
      split_form(bound.operands.back(), lane_loop);
    }
  }
  for (const Step& step : block.steps) {
    const auto id = static_cast<size_t>(step.id);
    switch (step.kind) {
      case StepKind::op:
      case StepKind::check:
        break;
      case StepKind::load:
      case StepKind::store:
        check_access(step.id);
        split_form(accesses_[id].form, lane_loop);
        break;
      case StepKind::index: {
        const IndexValue& value = program_.index_values[id];
        if (value.is_real && value.vars.empty()) {
          index_values_[id].real = evaluate_real(value.expr, bindings_);
        }
        index_values_[id].form = bind_form(value.form);
        split_form(index_values_[id].form, lane_loop);
        break;
      }
      case StepKind::bound:
        bound_extents_[id] = bind_form(program_.bound_checks[id].extent);
        split_form(bound_extents_[id], lane_loop);
        break;
      case StepKind::loop:
        bind_loop(step.id, lane_loop);
        break;
      case StepKind::sort:
        bind_loop(program_.sorts[id].keys, lane_loop);
        bind_loop(program_.sorts[id].positions, lane_loop);
        break;
      case StepKind::sort_row:
      case StepKind::attend:
        break;
    }
  }
}

void Execution::bind_loop(int loop, int lane_loop) {
  BoundLoop& bound = loops_[static_cast<size_t>(loop)];
  if (lane_loop < 0) bound.mode = choose_mode(loop);
  if (bound.mode == Mode::lanes) lane_loop = loop;
  bind_block(program_.loops[static_cast<size_t>(loop)].body, lane_loop);
}

// Separates the variables that vary by lane from those that are constant during a block.
void Execution::split_form(BoundForm& form, int lane_loop) {
  if (lane_loop < 0) {
    form.steps = form.coefficients;
    return;
  }
  const LoopCode& code = program_.loops[static_cast<size_t>(lane_loop)];
  BoundLoop& loop = loops_[static_cast<size_t>(lane_loop)];
  std::vector<int64_t> by_lane(code.vars.size());
  for (const auto& [var, coefficient] : form.coefficients) {
    const auto place = std::ranges::find(code.vars, var);
    if (place == code.vars.end()) {
      form.steps.emplace_back(var, coefficient);
    } else {
      by_lane[static_cast<size_t>(place - code.vars.begin())] = coefficient;
    }
  }
  // All lanes have one stride if each variable continues where the next one ends.
  int64_t continued = 0;
  bool has_stride = true;
  bool is_first = true;
  for (size_t i = code.vars.size(); i-- > 0;) {
    if (loop.extents[i] <= 1) continue;
    if (is_first) form.lane_stride = by_lane[i];
    has_stride = has_stride && (is_first || by_lane[i] == continued);
    continued = times(by_lane[i], loop.extents[i]);
    is_first = false;
  }
  if (has_stride) return;
  form.lane_stride = 0;
  for (const Pattern& pattern : loop.patterns) {
    if (pattern.coefficients == by_lane) form.pattern = pattern.offsets.get();
  }
  if (form.pattern != nullptr) return;
  loop.patterns.push_back(
      {by_lane, std::make_unique<int64_t[]>(static_cast<size_t>(program_.lanes))});
  form.pattern = loop.patterns.back().offsets.get();
}

}  // namespace litz::loops
