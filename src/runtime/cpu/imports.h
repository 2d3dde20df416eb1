// Functions that compiled kernels call by name: elementary functions too rare or too long to be
// emitted into every kernel, sorts of rows, and memory for rows.

#pragma once

#include <string_view>
#include <vector>

namespace litz::runtime {

/// Returns the address of the function that object code imports as `name`, or null. All have the C
/// calling convention and never throw. Functions named litz_<function>_f64 are pure, and take and
/// return doubles.
///
///   void litz_complex_<function>(double real, double imaginary, double* result)
///     Writes both parts of the result; litz_complex_pow takes the exponent after the base.
///   void* litz_scratch(int64_t number, int64_t bytes)
///     Memory of the calling thread, aligned to 64 bytes, that stays as it is until the thread asks
///     for the same number again; null when there is not enough.
///   int32_t litz_sort_row(int32_t dtype, void* elements, int64_t size, int64_t count,
///                         int32_t descending, int64_t* origins)
///     As types/sort_row.h; 1 when there is not enough memory.
void* find_import(std::string_view name);

/// All names, for tests.
std::vector<std::string_view> import_names();

}  // namespace litz::runtime
