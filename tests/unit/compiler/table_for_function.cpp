// A shared object whose `litz_operators` is a variable, where a function must stand.
#include "litz/operators.h"

extern "C" {
__attribute__((visibility("default"))) extern litz_operator_library litz_operators;
}
litz_operator_library litz_operators = {LITZ_OPERATORS_ABI, sizeof(litz_operator), 0, nullptr};
