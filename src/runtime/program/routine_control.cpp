// Control flow of routines: children run on values, results settle like those of steps whose sizes
// are new.

#include <optional>
#include <utility>

#include "runtime/program/laid_out.h"
#include "runtime/program/routine_runner.h"
#include "support/check.h"
#include "support/random_keys.h"

namespace litz::runtime {
namespace {

using artifact::ControlKind;
using artifact::ControlStep;
using artifact::Step;

bool truth(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer != 0;
  const auto* tensor = std::get_if<Tensor>(&value);
  require(tensor != nullptr, "a condition must be a bool or a tensor with one element");
  return std::get<bool>(element_value(*tensor, ExprDomain::boolean));
}

std::vector<Value> joined(std::vector<Value> first, const std::vector<Value>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const Tensor& scanned(const Value& value) {
  const auto* tensor = std::get_if<Tensor>(&value);
  require(tensor != nullptr && tensor->defined(), "an operand to be scanned must be a tensor");
  return *tensor;
}

/// Entry i along dimension 0; with `keeps_dim`, as a dimension of size 1.
Tensor entry(const Tensor& tensor, int64_t i, bool keeps_dim) {
  std::vector<int64_t> sizes = tensor.sizes();
  std::vector<int64_t> strides = tensor.strides();
  const int64_t offset = tensor.offset() + i * strides[0];
  if (keeps_dim) {
    sizes[0] = 1;
  } else {
    sizes.erase(sizes.begin());
    strides.erase(strides.begin());
  }
  return tensor.view(std::move(sizes), std::move(strides), offset);
}

int64_t entry_count(const std::vector<Value>& xs) {
  require(!xs.empty(), "a scan needs something to scan over");
  const Tensor& first = scanned(xs[0]);
  require(first.rank() > 0, "a scanned tensor needs a dimension");
  for (const Value& x : xs) {
    const Tensor& tensor = scanned(x);
    require(tensor.rank() > 0 && tensor.sizes()[0] == first.sizes()[0],
            "scanned tensors must have one length:", first.sizes()[0]);
  }
  return first.sizes()[0];
}

/// Random operators of a loop's body draw other numbers in every iteration: each has a key of its
/// own, made of the key around the loop.
class IterationSeeds {
 public:
  IterationSeeds(std::optional<SymbolId> seed, Bindings& bindings)
      : bindings_(bindings), symbol_(seed) {
    if (symbol_) around_ = bindings.find(*symbol_).value_or(0);
  }

  ~IterationSeeds() {
    if (symbol_) bindings_.set(*symbol_, around_);
  }

  IterationSeeds(const IterationSeeds&) = delete;
  IterationSeeds& operator=(const IterationSeeds&) = delete;

  void begin_next() {
    if (!symbol_) return;
    bindings_.set(*symbol_, sub_key(around_, kIterations + iteration_++));
  }

 private:
  Bindings& bindings_;
  std::optional<SymbolId> symbol_;
  int64_t around_ = 0;
  int64_t iteration_ = 0;
};

}  // namespace

void RoutineRunner::run_step(Frame& frame, const Step& step, const ControlStep& work) const {
  switch (work.kind) {
    case ControlKind::call:
      return settle(frame, step,
                    call(work.routines[0], frame.operands(work.carried), frame.bindings));
    case ControlKind::cond: {
      const bool holds = truth(frame.operand(work.predicate));
      return settle(
          frame, step,
          call(work.routines[holds ? 0 : 1], frame.operands(work.carried), frame.bindings));
    }
    case ControlKind::while_loop:
      return settle(frame, step, run_while(frame, work));
    case ControlKind::scan:
    case ControlKind::associative_scan:
    case ControlKind::map:
      return settle(frame, step, run_over_entries(frame, step, work));
  }
}

std::vector<Value> RoutineRunner::run_while(Frame& frame, const ControlStep& work) const {
  std::vector<Value> carried = frame.operands(work.carried);
  const std::vector<Value> additional = frame.operands(work.additional);
  IterationSeeds seeds(program_.program().seed, frame.bindings);
  while (true) {
    seeds.begin_next();
    const std::vector<Value> condition =
        call(work.routines[0], joined(carried, additional), frame.bindings);
    check(condition.size() == 1, "a loop has one condition:", condition.size());
    if (!truth(condition[0])) return carried;
    carried = call(work.routines[1], joined(std::move(carried), additional), frame.bindings);
  }
}

/// scan, associative_scan and map: one call per entry, whose last results are stacked.
std::vector<Value> RoutineRunner::run_over_entries(Frame& frame, const Step& step,
                                                   const ControlStep& work) const {
  const std::vector<Value> xs = frame.operands(work.xs);
  const std::vector<Value> additional = frame.operands(work.additional);
  std::vector<Value> carried = frame.operands(work.carried);
  const size_t carries = carried.size();
  const int64_t count = entry_count(xs);
  // A combine function may be written for entries that keep their dimension.
  const artifact::Routine& child =
      program_.program().routines[static_cast<size_t>(work.routines[0])];
  check(carries < child.input_types.size(),
        "a scan must have a child that takes entries:", child.name);
  const auto* first = std::get_if<TensorType>(&child.input_types[carries]);
  const bool keeps_dim = first != nullptr && first->rank() == scanned(xs[0]).rank();
  std::vector<Tensor> stacks;
  stacks.reserve(step.results.size());
  for (size_t i = carries; i < step.results.size(); ++i) {
    const auto* type = std::get_if<TensorType>(&step.results[i].type);
    stacks.push_back(type != nullptr ? allocate(*type, frame.bindings) : Tensor());
  }
  IterationSeeds seeds(program_.program().seed, frame.bindings);
  for (int64_t k = 0; k < count; ++k) {
    seeds.begin_next();
    std::vector<Value> entries;
    entries.reserve(xs.size());
    for (const Value& x : xs) entries.emplace_back(entry(scanned(x), k, keeps_dim));
    if (work.kind == ControlKind::associative_scan && k == 0) {
      carried = std::move(entries);
    } else {
      carried = call(work.routines[0], joined(joined(std::move(carried), entries), additional),
                     frame.bindings);
    }
    check(carried.size() >= carries,
          "a combine function must give the next carry:", carried.size());
    const size_t stacked = work.kind == ControlKind::associative_scan ? 0 : carries;
    for (size_t i = stacked; i < carried.size(); ++i) {
      check(i - stacked < stacks.size(), "a scan must have a result for each stack:", step.label);
      Tensor& stack = stacks[i - stacked];
      if (!stack.defined()) continue;
      entry(stack, k, keeps_dim).copy_from(scanned(carried[i]));
    }
    if (work.kind != ControlKind::associative_scan) carried.resize(carries);
  }
  std::vector<Value> results;
  for (size_t i = 0; i < carries; ++i) results.push_back(std::move(carried[i]));
  for (Tensor& stack : stacks) {
    if (stack.defined()) {
      results.emplace_back(std::move(stack));
    } else {
      results.emplace_back();
    }
  }
  return results;
}

}  // namespace litz::runtime
