// Sizes of a program that is traced during one call and runs in others: symbols instead of numbers.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "expr/expr.h"
#include "expr/guard.h"
#include "types/tensor.h"
#include "types/tensor_type.h"

namespace litz::trace {

/// Answers what proofs leave open as it is in the traced call, and keeps each answer as a condition of
/// the program: in calls that meet all of them, the trace would have been the same.
class CallSizes final : public OpenQuestions {
 public:
  CallSizes();
  ~CallSizes() override;
  CallSizes(const CallSizes&) = delete;
  CallSizes& operator=(const CallSizes&) = delete;

  /// One symbol for all sizes that are `size` in the traced call. Sizes below 2 stay numbers, because
  /// they broadcast or are empty.
  Expr symbol(int64_t size);
  /// The type of a tensor with symbols for the sizes of these dimensions. Strides that the sizes explain
  /// follow them, others stay numbers.
  TensorType type_of(const Tensor& tensor, const std::vector<bool>& dynamic);

  std::optional<bool> decide(Expr condition) override;
  std::optional<int64_t> fix(Expr number) override;

  /// Who asks from now on, for the texts of conditions.
  void set_asker(std::string_view op) { asker_ = op; }

  /// The value in the traced call; nothing if it depends on data.
  std::optional<int64_t> value(Expr number) const;

  const std::shared_ptr<ExprPool>& exprs() const { return exprs_; }

  /// What was decided before; nothing for other conditions.
  std::optional<bool> recall(Expr condition) const;

  /// The conditions so far, each once.
  const std::vector<Guard>& guards() const { return guards_; }

  /// Sizes whose symbols the conditions leave no other value: a trace with numbers for them states the
  /// same in a simpler way.
  std::vector<int64_t> fixed_sizes() const;

 private:
  std::shared_ptr<ExprPool> exprs_;
  std::map<int64_t, Expr> symbols_;
  Bindings values_;
  std::vector<Guard> guards_;
  std::unordered_set<Expr> decided_;
  std::string_view asker_;
};

/// During its life, a pool's open questions are answered as before and nothing new is decided: for passes,
/// which ask only to choose the better of two ways.
class RecalledSizes final : public OpenQuestions {
 public:
  explicit RecalledSizes(ExprPool& pool);
  ~RecalledSizes() override;
  RecalledSizes(const RecalledSizes&) = delete;
  RecalledSizes& operator=(const RecalledSizes&) = delete;

  std::optional<bool> decide(Expr condition) override;
  std::optional<int64_t> fix(Expr number) override;

 private:
  ExprPool& pool_;
  OpenQuestions* before_;
};

}  // namespace litz::trace
