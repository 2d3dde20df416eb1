// Host control over launch lists: the steps between them, and their order.
//
//   routine @main(v0 : f32[s0, 4]) {
//     v1 = list 0(v0)
//     u0 = item v1
//     v2 = list 1(v0)
//     v3 = cond u0 > 0 [routine 1, routine 2](v2)
//     return v3
//   }
//
// A program whose sizes follow from its inputs is one list. Any other program is a routine: between
// its lists are values read from data, control flow, and functions that decide the sizes of their
// results. A routine's values are tensors, each defined once.

#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "artifact/signature.h"
#include "expr/expr.h"

namespace litz::artifact {

/// Numbers the tensors of a running routine.
using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;

struct ValueRef {
  ValueId value = kNoValue;
};

/// None, a tensor, a number, text.
using Operand = std::variant<std::monostate, ValueRef, Expr, std::string>;

/// Input i of a list: a value of the routine, or a weight of the program.
struct ListInput {
  ValueId value = kNoValue;
  int32_t weight = -1;  ///< Indexes Signature::inputs; -1: a value.
};

/// The list's outputs are the step's results.
struct ListStep {
  int32_t list = 0;  ///< Indexes Program::lists.
  std::vector<ListInput> inputs;
};

/// An argument of a library call between lists. A reference without a value is an absent tensor.
using StepArgument =
    std::variant<std::monostate, ValueRef, std::vector<ValueRef>, Expr, std::vector<Expr>,
                 std::complex<double>, std::string, DType, std::vector<std::string>>;

/// A library call whose result sizes are known only after it ran, or that depends on facts that
/// lists do not have.
struct LibraryStep {
  std::string function;
  std::vector<StepArgument> arguments;
};

/// Binds a symbol to the value of a tensor with one element.
struct ItemStep {
  ValueId source = kNoValue;
  SymbolId symbol = 0;
  ExprDomain domain = ExprDomain::integer;
};

enum class ControlKind : uint8_t { call, cond, while_loop, scan, associative_scan, map };

struct ControlStep {
  ControlKind kind = ControlKind::call;
  std::vector<int32_t> routines;    ///< Children, in argument order; index Program::routines.
  Operand predicate;                ///< cond
  std::vector<Operand> carried;     ///< cond, call: all operands; scan: the first; map: none.
  std::vector<Operand> xs;          ///< scan, map: split along dimension 0.
  std::vector<Operand> additional;  ///< Passed to each call of a child.
};

/// A call of a part: a region of the program, which was compiled as a program of its own.
struct ProgramStep {
  int32_t part = 0;             ///< Indexes Program::parts.
  std::vector<Operand> inputs;  ///< Those that callers give the part, in its order.
};

struct StepResult {
  ValueId value = kNoValue;  ///< kNoValue: a number, or a result without readers.
  ValueType type;
  bool is_given = false;  ///< LibraryStep: the caller allocates its memory.
  /// The value whose memory the result reuses; no later step reads that value.
  ValueId over = kNoValue;
};

struct Step {
  std::variant<ListStep, LibraryStep, ItemStep, ControlStep, ProgramStep> work;
  std::vector<StepResult> results;
  std::vector<SymbolId> defines;  ///< Symbols that the results bind.
  std::vector<ValueId> dead;      ///< Values read for the last time.
  std::string label;              ///< For errors and dumps: "%7 = aten.nonzero".
};

struct Routine {
  std::string name;
  std::vector<ValueType> input_types;
  std::vector<ValueId> input_values;  ///< kNoValue: a number, or an input without readers.
  std::vector<SymbolId> defines;      ///< Symbols that the inputs bind.
  std::vector<Step> steps;
  std::vector<Operand> outputs;
  int32_t value_count = 0;
};

}  // namespace litz::artifact
