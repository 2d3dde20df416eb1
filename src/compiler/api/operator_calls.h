// Operators that run at once: each call is a program of one node, kept for calls with operands of the
// same dtypes, sizes and strides and with the same attributes.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/api/differentiable_program.h"
#include "compiler/api/traced_program.h"
#include "ir/op_info.h"
#include "types/tensor.h"

namespace litz::compiler {

/// A call's argument: an attribute, a tensor, or a list of tensors (undefined ones are None).
struct CallArgument {
  ir::Attribute attribute;
  std::vector<Tensor> tensors;
  /// By tensor, what collects its gradient; null: nothing. Empty if that holds for all.
  std::vector<const void*> variables = {};
  enum class Kind : uint8_t { attribute, tensor, list } kind = Kind::attribute;
};

/// The operators that C++ programs call.
std::shared_ptr<const ir::OpSet> program_ops();

/// All tensor results, in the order of the schema. Views share the memory of their operand; an operand
/// that the operator writes is changed, and is the result that stands for it. Thread-safe.
std::vector<Tensor> call_operator(const ir::OpInfo& op, const std::vector<CallArgument>& arguments);

/// A call whose gradients may be wanted later.
struct RecordedOutcome {
  std::vector<Tensor> results;
  bool is_constant = false;  ///< No result depends on the elements of a variable.
  /// Null if the operator has no gradient, for the reason in `failure`.
  std::shared_ptr<const DifferentiableProgram> program;
  std::string failure;
  std::vector<Tensor> saved;           ///< See DifferentiableProgram::run.
  std::vector<const void*> variables;  ///< By wanted input of the program.
};

/// Like call_operator, for operators that write no operand.
RecordedOutcome call_for_gradients(const ir::OpInfo& op,
                                   const std::vector<CallArgument>& arguments);

/// True for the same memory with the same dtype and layout.
bool is_same(const Tensor& a, const Tensor& b);

/// The argument that result i is, if the operator writes it.
std::optional<size_t> written_operand(const ir::OpInfo& op, size_t i);

/// How programs of C++ code run: on threads that they share, with kernels kept on disk.
Options traced_options();

}  // namespace litz::compiler
