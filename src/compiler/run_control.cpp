// Control flow: child plans run on leaves, results settle like those of steps whose sizes are new.

#include <optional>
#include <utility>

#include "compiler/leaf.h"
#include "compiler/plan_runner.h"
#include "ops/random_streams.h"
#include "support/check.h"
#include "support/philox.h"

namespace litz::compiler {
namespace {

using lowering::ControlKind;
using lowering::ControlStep;
using lowering::Step;

bool truth(const Leaf& leaf) {
  if (const auto* flag = std::get_if<bool>(&leaf)) return *flag;
  if (const auto* integer = std::get_if<int64_t>(&leaf)) return *integer != 0;
  const auto* tensor = std::get_if<Tensor>(&leaf);
  require(tensor != nullptr, "a condition must be a bool or a tensor with one element");
  return std::get<bool>(element_value(*tensor, ExprDomain::boolean));
}

std::vector<Leaf> joined(std::vector<Leaf> first, const std::vector<Leaf>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const Tensor& tensor_leaf(const Leaf& leaf) {
  const auto* tensor = std::get_if<Tensor>(&leaf);
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

int64_t entry_count(const std::vector<Leaf>& xs) {
  require(!xs.empty(), "a scan needs something to scan over");
  const Tensor& first = tensor_leaf(xs[0]);
  require(first.rank() > 0, "a scanned tensor needs a dimension");
  for (const Leaf& x : xs) {
    const Tensor& tensor = tensor_leaf(x);
    require(tensor.rank() > 0 && tensor.sizes()[0] == first.sizes()[0],
            "scanned tensors must have one length:", first.sizes()[0]);
  }
  return first.sizes()[0];
}

/// Random operators of a loop's body draw other numbers in every iteration: each has a key of its
/// own, made of the key around the loop.
class IterationSeeds {
 public:
  IterationSeeds(const ExprPool& pool, Bindings& bindings)
      : bindings_(bindings), symbol_(pool.find_symbol(ops::kSeedSymbol)) {
    if (symbol_) around_ = bindings.find(symbol_->symbol()).value_or(0);
  }

  ~IterationSeeds() {
    if (symbol_) bindings_.set(symbol_->symbol(), around_);
  }

  IterationSeeds(const IterationSeeds&) = delete;
  IterationSeeds& operator=(const IterationSeeds&) = delete;

  void begin_next() {
    if (!symbol_) return;
    bindings_.set(symbol_->symbol(), sub_key(around_, kIterations + iteration_++));
  }

 private:
  Bindings& bindings_;
  std::optional<Expr> symbol_;
  int64_t around_ = 0;
  int64_t iteration_ = 0;
};

}  // namespace

void PlanRunner::run_control(Frame& frame, const Step& step, const ControlStep& work) const {
  std::vector<Leaf> results;
  switch (work.kind) {
    case ControlKind::splice:
      fail(ErrorCode::internal, "calls must be expanded before a plan is run:", step.label);
    case ControlKind::call:
      results = run_plan(work.plans[0], frame.leaves(work.carried), frame.bindings, frame.observer);
      break;
    case ControlKind::cond: {
      const bool holds = truth(frame.leaf(*work.predicate));
      results = run_plan(work.plans[holds ? 0 : 1], frame.leaves(work.carried), frame.bindings,
                         frame.observer);
      break;
    }
    case ControlKind::while_loop:
      results = run_while(frame, work, frame.leaves(work.carried), frame.leaves(work.additional));
      break;
    case ControlKind::region:
      check(run_region_ != nullptr, "somebody must run the regions of a program:", step.label);
      results = run_region_(work.region->graph, frame.leaves(work.carried), frame.bindings);
      break;
    case ControlKind::scan:
    case ControlKind::associative_scan:
    case ControlKind::map:
      results = run_over_entries(frame, step, work);
      break;
  }
  check(results.size() == step.results.size(),
        "a child graph must give all results:", results.size(), step.results.size());
  // A size may be twice another that only a later result has.
  for (size_t i = 0; i < results.size(); ++i) {
    const auto* type = std::get_if<TensorType>(&step.results[i].type);
    const auto* tensor = std::get_if<Tensor>(&results[i]);
    if (type == nullptr || tensor == nullptr || !tensor->defined()) continue;
    bind_sizes(*type, *tensor, step.defines, step.label, frame.bindings);
  }
  for (size_t i = 0; i < results.size(); ++i) settle(frame, step, i, std::move(results[i]));
}

std::vector<Leaf> PlanRunner::run_while(Frame& frame, const ControlStep& work,
                                        std::vector<Leaf> carried,
                                        const std::vector<Leaf>& additional) const {
  IterationSeeds seeds(pool_, frame.bindings);
  while (true) {
    seeds.begin_next();
    const std::vector<Leaf> condition =
        run_plan(work.plans[0], joined(carried, additional), frame.bindings, frame.observer);
    check(condition.size() == 1, "a loop has one condition:", condition.size());
    if (!truth(condition[0])) return carried;
    carried = run_plan(work.plans[1], joined(std::move(carried), additional), frame.bindings,
                       frame.observer);
  }
}

/// scan, associative_scan and map: one call an entry, whose last results are stacked.
std::vector<Leaf> PlanRunner::run_over_entries(Frame& frame, const Step& step,
                                               const ControlStep& work) const {
  const std::vector<Leaf> xs = frame.leaves(work.xs);
  const std::vector<Leaf> additional = frame.leaves(work.additional);
  std::vector<Leaf> carried = frame.leaves(work.carried);
  const size_t carries = carried.size();
  const int64_t count = entry_count(xs);
  // A combine function may be written for entries that keep their dimension.
  const lowering::Plan& plan = program_.plans[static_cast<size_t>(work.plans[0])];
  const auto* first = std::get_if<TensorType>(&plan.input_types[carries]);
  const bool keeps_dim = first != nullptr && first->rank() == tensor_leaf(xs[0]).rank();
  std::vector<Tensor> stacks;
  stacks.reserve(step.results.size());
  for (size_t i = carries; i < step.results.size(); ++i) {
    const auto* type = std::get_if<TensorType>(&step.results[i].type);
    stacks.push_back(type != nullptr ? allocate(*type, frame.bindings) : Tensor());
  }
  IterationSeeds seeds(pool_, frame.bindings);
  for (int64_t k = 0; k < count; ++k) {
    seeds.begin_next();
    std::vector<Leaf> entries;
    entries.reserve(xs.size());
    for (const Leaf& x : xs) entries.emplace_back(entry(tensor_leaf(x), k, keeps_dim));
    if (work.kind == ControlKind::associative_scan && k == 0) {
      carried = std::move(entries);
    } else {
      carried = run_plan(work.plans[0], joined(joined(std::move(carried), entries), additional),
                         frame.bindings, frame.observer);
    }
    check(carried.size() >= carries,
          "a combine function must give the next carry:", carried.size());
    const size_t stacked = work.kind == ControlKind::associative_scan ? 0 : carries;
    for (size_t i = stacked; i < carried.size(); ++i) {
      Tensor& stack = stacks[i - stacked];
      if (!stack.defined()) continue;
      entry(stack, k, keeps_dim).copy_from(tensor_leaf(carried[i]));
    }
    if (work.kind != ControlKind::associative_scan) carried.resize(carries);
  }
  std::vector<Leaf> results;
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

}  // namespace litz::compiler
