// The functions of litz/c_api.h for operators of users, in the whole library: the compiler learns of
// them too, unlike in the runtime alone (runtime/c/operators.cpp).

#include "compiler/operator_library.h"
#include "litz/c_api.h"
#include "runtime/c/handles.h"

using litz::runtime::c::guarded;
using litz::runtime::c::require_given;

extern "C" {

litz_status litz_register_operators(const char* path, litz_error** error) {
  return guarded(error, [&] {
    require_given(path, "a path");
    litz::compiler::register_operators(path);
  });
}

litz_status litz_register_operator_table(const litz_operator_library* library, litz_error** error) {
  return guarded(error, [&] {
    require_given(library, "a library of operators");
    litz::compiler::register_operators(*library, "a table in memory");
  });
}

}  // extern "C"
