// A call of an operator with typed access to its arguments by schema, for meta functions, bodies
// and decompositions. An accessor throws Error with the operator and the argument if that has
// another kind, so definitions need no checks.

#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "support/check.h"
#include "types/tensor_type.h"

namespace litz::ops {

class Call {
 public:
  /// A call under inference. `context` may be null if no symbols are created and an operand
  /// determines the module.
  Call(const ir::OpInfo& op, std::span<const ir::Argument> arguments, ir::InferContext* context);
  /// The call of a node, for building its kernel or decomposing it.
  explicit Call(const ir::Node& node);

  const ir::OpInfo& op() const { return op_; }

  /// In schema order.
  std::span<const ir::Argument> arguments() const { return arguments_; }

  const ir::Argument& argument(std::string_view name) const;
  /// True if given and not None.
  bool has(std::string_view name) const;

  // --- Tensors
  /// True for a tensor value (not a literal in a Tensor slot, not None).
  bool is_tensor(std::string_view name) const;
  ir::Value value(std::string_view name) const;
  const TensorType& type(std::string_view name) const;
  /// The values of a list; null entries are None.
  std::span<const ir::Value> values(std::string_view name) const;
  std::vector<TensorType> types(std::string_view name) const;

  // --- Scalars. A Scalar or literal Tensor argument keeps its category.
  Expr scalar(std::string_view name) const;
  bool is_complex(std::string_view name) const;
  std::complex<double> complex(std::string_view name) const;
  /// The category of a literal: bool, integer, floating or complex.
  DTypeCategory scalar_category(std::string_view name) const;

  // --- Attributes. `expr` and `sizes` may be symbolic; `integer` and `integers` require constants.
  Expr expr(std::string_view name) const;
  Sizes sizes(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  std::vector<int64_t> integers(std::string_view name) const;
  double real(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::string_view str(std::string_view name) const;
  std::optional<DType> dtype(std::string_view name = "dtype") const;
  std::optional<MemoryFormat> memory_format() const;
  std::optional<Device> device() const;

  /// A dimension of a tensor of this rank, made non-negative; rank 0 counts as 1. Out of range
  /// throws "dimension out of range (expected to be in range of [-2, 1], but got 5)".
  int64_t dim(std::string_view name, size_t rank) const;
  /// A list of distinct, non-negative dimensions; None and [] mean all with WhenEmpty::all.
  enum class WhenEmpty : uint8_t { all, none };
  std::vector<int64_t> dims(std::string_view name, size_t rank,
                            WhenEmpty when_empty = WhenEmpty::all) const;

  /// The symbol for a data-dependent result (nonzero, item); a fresh one without a context.
  Expr data_dependent(int ordinal, Interval range) const;

  /// Requires a condition on sizes, as `require` does, if it can be decided now. A condition on
  /// input sizes is checked in each call; conditions on data are not checked.
  template <typename... Values>
  void require_sizes(Expr condition, const char* text, const Values&... values) const {
    const std::optional<bool> holds = known(condition);
    if (holds == true) return;
    require(!holds.has_value(), text, values...);
    if (context_ != nullptr) assume(condition, litz::detail::with_values(text, values...));
  }

  ir::InferContext* context() const { return context_; }

  ir::Module& module() const;

 private:
  void assume(Expr condition, const std::string& what) const;

  const ir::OpInfo& op_;
  std::span<const ir::Argument> arguments_;
  ir::InferContext* context_ = nullptr;
  ir::Module* module_ = nullptr;  ///< The node's, if there is one.
};

}  // namespace litz::ops
