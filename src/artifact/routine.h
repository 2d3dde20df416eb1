// Host control over launch lists: what runs between them, and in which order.
//
//   routine @main(v0 : f32[s0, 4]) {
//     v1 = list 0(v0)
//     u0 = item v1
//     v2 = list 1(v0)
//     v3 = cond u0 > 0 [routine 1, routine 2](v2)
//     return v3
//   }
//
// A program whose sizes are known once its inputs are is one list. Any other program is a routine:
// values read from data, control flow and functions that decide the sizes of their results stand
// between lists. A routine's values are tensors, each made once.

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

/// What a list reads as input i: a value of the routine, or a weight of the program.
struct ListInput {
  ValueId value = kNoValue;
  int32_t weight = -1;  ///< Indexes Signature::inputs; -1: it is a value.
};

/// The list's outputs are the step's results.
struct ListStep {
  int32_t list = 0;  ///< Indexes Program::lists.
  std::vector<ListInput> inputs;
};

/// An argument of a library call between lists. A reference to no value is an absent tensor.
using StepArgument =
    std::variant<std::monostate, ValueRef, std::vector<ValueRef>, Expr, std::vector<Expr>,
                 std::complex<double>, std::string, DType, std::vector<std::string>>;

/// A library call whose results' sizes are known once it has run, or that depends on what no list
/// is told.
struct LibraryStep {
  std::string function;
  std::vector<StepArgument> arguments;
};

/// Gives a symbol the value of a tensor with one element.
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
  std::vector<Operand> xs;          ///< scan, map: what is taken apart along dimension 0.
  std::vector<Operand> additional;  ///< Passed to each call of a child.
};

struct StepResult {
  ValueId value = kNoValue;  ///< kNoValue: a number, or a result that nothing reads.
  ValueType type;
  bool is_given = false;  ///< LibraryStep: the call is given memory for it.
  /// The value whose memory the result takes over; nothing else reads that memory afterwards.
  ValueId over = kNoValue;
};

struct Step {
  std::variant<ListStep, LibraryStep, ItemStep, ControlStep> work;
  std::vector<StepResult> results;
  std::vector<SymbolId> defines;  ///< Symbols that the results give values.
  std::vector<ValueId> dead;      ///< Read for the last time.
  std::string label;              ///< For errors and dumps: "%7 = aten.nonzero".
};

struct Routine {
  std::string name;
  std::vector<ValueType> input_types;
  std::vector<ValueId> input_values;  ///< kNoValue: a number, or an input that nothing reads.
  std::vector<SymbolId> defines;      ///< Symbols that the inputs give values.
  std::vector<Step> steps;
  std::vector<Operand> outputs;
  int32_t value_count = 0;
};

}  // namespace litz::artifact
