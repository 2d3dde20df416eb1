// Elementary functions of real numbers as LLVM instructions: what loop IR's exp, sin or erf become.
//
// Code is straight-line and in the vector width of its operands: no branches, tables or library
// calls, so that a kernel's loop keeps its registers. Special cases are those of C99's annex F
// (NaN, infinities, signed zeros, denormals, which are never flushed). The functions that
// is_called() names are calls, lane by lane, to functions that runtime/cpu/imports.h provides.

#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/IRBuilder.h>
#include <string>

#include "loops/scalar_op.h"

namespace litz::codegen {

/// True when emit_elementary knows the op, for both f32 and f64.
bool is_elementary(loops::ScalarOp op);

/// Emits an elementary function of f32 or f64, scalars or vectors of any width; operands and result
/// have one type. `op` must be elementary.
llvm::Value* emit_elementary(llvm::IRBuilderBase& builder, loops::ScalarOp op,
                             llvm::ArrayRef<llvm::Value*> operands);

/// Name of the external function that code for `op` calls when its operands are f64 (`is_f64`) or
/// f32; empty where there is none. It takes and returns doubles.
std::string elementary_import(loops::ScalarOp op, bool is_f64);

}  // namespace litz::codegen
