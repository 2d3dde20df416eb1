// GradientCall: a node whose gradient is being built, and what a formula gives for its operands.
//
//   void mul(GradientCall& call) {
//     call.give("self", call.grad() * conj(call["other"]));
//     call.give("other", call.grad() * conj(call["self"]));
//   }
//
// A formula is written for operands of one shape and dtype. `give` does the rest: it sums over
// broadcast dimensions, converts to the operand's dtype, and drops what nobody wants.

#pragma once

#include <functional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/call.h"
#include "ops/gradients/term.h"

namespace litz::ops {

class GradientCall : public Call {
 public:
  /// `gradients` has an entry for each result, null if nothing depends on that one. `wanted` tells
  /// whether the loss may depend on an operand through this node.
  GradientCall(const ir::Node& node, std::span<const ir::Value> gradients,
               std::function<bool(ir::Value)> wanted);

  /// An argument: a tensor, or a literal. Absent for None.
  Term operator[](std::string_view name) const;
  /// An entry of a list of tensors.
  Term at(std::string_view name, size_t position) const;
  Term result(size_t i = 0) const;

  /// An argument unchanged, to pass on.
  const ir::Argument& pass(std::string_view name) const { return argument(name); }

  bool has_grad(size_t i = 0) const { return static_cast<bool>(gradients_[i]); }

  /// The gradient of a result; zeros if nothing depends on it.
  Term grad(size_t i = 0) const;

  size_t result_count() const { return gradients_.size(); }

  bool wants(std::string_view name) const;
  bool wants(std::string_view name, size_t position) const;

  /// The gradient of an operand, or a part of it: gradients of one operand add up.
  void give(std::string_view name, const Term& gradient);
  void give(std::string_view name, size_t position, const Term& gradient);
  /// The results do not depend on this operand.
  void give_nothing(std::string_view name);

  /// A call of a backward operator, aten's or by its whole name. Its first argument is the gradient; the others are
  /// those that `others` names, or else the arguments of this call of the same name.
  using Named = std::vector<std::pair<std::string_view, ir::Argument>>;
  std::vector<Term> backward_all(std::string_view name, const Named& others = {}) const;

  Term backward(std::string_view name, const Named& others = {}) const {
    return backward_all(name, others).front();
  }

  /// For each of these operands whether its gradient is wanted: an output mask.
  ir::Argument mask(std::span<const std::string_view> names) const;

  /// A call of `aten.<name>` that needs no tensor.
  Term create(std::string_view name, std::vector<ir::Argument> arguments) const;

  ir::Graph& graph() const { return node_.graph(); }

  const ir::Node& node() const { return node_; }

  /// Operands and their gradients, in the order in which they were given.
  std::span<const std::pair<ir::Value, ir::Value>> given() const { return given_; }

  /// Throws Error{unsupported} if a wanted operand got nothing.
  void require_complete() const;

 private:
  using Slot = std::pair<size_t, size_t>;  // Argument and position.
  Slot slot(std::string_view name, size_t position) const;

  const ir::Node& node_;
  std::span<const ir::Value> gradients_;
  std::function<bool(ir::Value)> wanted_;
  std::vector<std::pair<ir::Value, ir::Value>> given_;
  std::set<Slot> settled_;
};

}  // namespace litz::ops
