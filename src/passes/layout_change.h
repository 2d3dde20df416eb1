// Another layout for a value, with all that follows for views of it, or nothing at all.
//
//   LayoutChange change(costs);
//   if (change.restate(value, type) && change.moves() < 2) change.keep();
//
// The rule of stated layouts: internal results of loop nests and of library calls may lie as their
// type states; a view's type is always what its operator gives for the layout of what it shows; and
// what the caller, a child graph or a reader of memory (as_strided, resize) gets lies as recorded.

#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "passes/layout_costs.h"

namespace litz::passes {

class LayoutChange {
 public:
  /// `leaving`: a reader that is not asked, since it will be gone.
  explicit LayoutChange(const LayoutCosts& costs, const ir::Node* leaving = nullptr)
      : costs_(costs), leaving_(leaving) {}

  /// Types go back to what they were, unless kept.
  ~LayoutChange() { undo(); }

  LayoutChange(const LayoutChange&) = delete;
  LayoutChange& operator=(const LayoutChange&) = delete;

  /// False, with the value as it was, when one of its readers cannot take it so. Sizes and dtype
  /// must stay.
  bool restate(ir::Value value, const TensorType& type);

  /// What readers pay for the values restated so far, in moves of the first of them.
  double moves() const { return moves_; }

  void keep() { before_.clear(); }

  /// Takes everything back.
  void undo() { undo_to(0); }

 private:
  bool carry(ir::Value value, const TensorType& type, int depth);
  bool carry_through(ir::Node& view, int depth);
  double share(const TensorType& type) const;
  void undo_to(size_t count);

  const LayoutCosts& costs_;
  const ir::Node* leaving_;
  std::vector<std::pair<ir::Value, TensorType>> before_;
  TensorType first_;
  double moves_ = 0;
};

/// The layout that the operand of a view must have for its first result to lie as `wanted`: views
/// of all elements that only arrange dimensions anew. Nothing where there is none.
std::optional<TensorType> layout_behind(const ir::Node& view, const TensorType& wanted);

}  // namespace litz::passes
