#include "trace/call_sizes.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "support/check.h"

namespace litz::trace {
namespace {

/// The dimensions from the innermost in memory to the outermost.
std::vector<size_t> memory_order(const Tensor& tensor) {
  std::vector<size_t> dims(tensor.rank());
  std::iota(dims.rbegin(), dims.rend(), size_t{0});
  std::ranges::stable_sort(dims, {}, [&](size_t d) { return tensor.strides()[d]; });
  return dims;
}

}  // namespace

CallSizes::CallSizes() : exprs_(std::make_shared<ExprPool>()) { exprs_->set_open_questions(this); }

CallSizes::~CallSizes() { exprs_->set_open_questions(nullptr); }

Expr CallSizes::symbol(int64_t size) {
  if (size < 2) return size;
  const auto [found, is_new] = symbols_.try_emplace(size);
  if (is_new) {
    found->second = exprs_->add_symbol({.name = "s" + std::to_string(symbols_.size() - 1),
                                        .range = {.lo = 2, .hi = Interval::kMax},
                                        .hint = size});
    values_.set(found->second.symbol(), size);
  }
  return found->second;
}

TensorType CallSizes::type_of(const Tensor& tensor, const std::vector<bool>& dynamic) {
  TensorType type;
  type.dtype = tensor.dtype();
  type.device = tensor.device();
  type.offset = 0;
  for (size_t d = 0; d < tensor.rank(); ++d) {
    const int64_t size = tensor.sizes()[d];
    type.sizes.push_back(dynamic[d] ? symbol(size) : Expr(size));
  }
  type.strides.assign(tensor.strides().begin(), tensor.strides().end());
  Expr behind = 1;  // The stride that the next dimension has in dense memory.
  for (const size_t d : memory_order(tensor)) {
    if (value(behind) == tensor.strides()[d]) type.strides[d] = behind;
    behind = type.strides[d] * type.sizes[d];
  }
  return type;
}

std::optional<bool> CallSizes::decide(Expr condition) {
  if (depends_on_data(condition)) return std::nullopt;
  const bool holds = evaluate_boolean(condition, values_);
  const Expr fact = holds ? condition : logical_not(condition);
  if (decided_.insert(fact).second) {
    std::string text = to_string(fact);
    if (!asker_.empty()) text += " (" + std::string(asker_) + ")";
    guards_.push_back({fact, std::move(text)});
  }
  return holds;
}

std::optional<bool> CallSizes::recall(Expr condition) const {
  if (decided_.contains(condition)) return true;
  if (decided_.contains(logical_not(condition))) return false;
  return std::nullopt;
}

std::optional<int64_t> CallSizes::fix(Expr number) {
  const std::optional<int64_t> fixed = value(number);
  if (fixed && !number.is_constant()) decide(eq(number, *fixed));
  return fixed;
}

std::vector<int64_t> CallSizes::fixed_sizes() const {
  std::vector<int64_t> fixed;
  for (const Guard& guard : guards_) {
    if (guard.condition.kind() != ExprKind::eq) continue;
    const std::vector<SymbolId> symbols = free_symbols(guard.condition);
    if (symbols.size() == 1) fixed.push_back(values_.find(symbols.front()).value());
  }
  return fixed;
}

std::optional<int64_t> CallSizes::value(Expr number) const {
  if (depends_on_data(number)) return std::nullopt;
  return evaluate(number, values_);
}

RecalledSizes::RecalledSizes(ExprPool& pool) : pool_(pool), before_(pool.open_questions()) {
  pool_.set_open_questions(this);
}

RecalledSizes::~RecalledSizes() { pool_.set_open_questions(before_); }

std::optional<bool> RecalledSizes::decide(Expr condition) {
  const auto* sizes = dynamic_cast<const CallSizes*>(before_);
  return sizes == nullptr ? std::nullopt : sizes->recall(condition);
}

std::optional<int64_t> RecalledSizes::fix(Expr /*number*/) { return std::nullopt; }

}  // namespace litz::trace
