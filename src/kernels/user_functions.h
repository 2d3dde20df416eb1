// Functions that users registered for custom operators: called like library functions, under the
// operator's name ("mylib.stamp").
//
// They stay until the process ends. litz/operators.h is their external interface.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/library.h"
#include "litz/operators.h"

namespace litz::kernels {

/// The kind of an argument or result in the schema.
enum class UserKind : uint8_t {
  tensor,
  tensors,
  scalar,  ///< Any number.
  scalars,
  integer,
  integers,
  real,
  reals,
  boolean,
  booleans,
  string,
  strings,
  dtype,
};

struct UserArgument {
  std::string name;
  UserKind kind = UserKind::tensor;
  bool is_written = false;
};

/// A call passes the arguments of the schema, then the seed for random operators. Its results are
/// those that are not arguments; lists take one tensor after another. New contents of written
/// arguments are further results, one per tensor; the arguments themselves do not change. Results
/// that are numbers, and those whose sizes depend on data, are undefined before the call.
struct UserFunction {
  std::string name;
  litz_operator table = {};
  std::vector<UserArgument> arguments;
  std::vector<UserKind> results;  ///< Results that are not arguments.
  int like = -1;                  ///< The argument whose type all results have; -1: none.
};

/// Dtype and sizes of a result; -1 for a size that depends on data.
struct StatedResult {
  DType dtype = DType::f32;
  std::vector<int64_t> sizes;
};

/// The results that result_types of a function states for arguments whose tensors have no contents.
/// Throws Error if it states fewer than `count`, and what the function reports.
std::vector<StatedResult> stated_results(const UserFunction& function,
                                         std::vector<LibraryArgument> arguments, size_t count);

/// Requires that the name is free. Thread-safe.
void add_user_function(UserFunction function);
/// Returns null if unknown.
const LibraryEntry* find_user_function(std::string_view name);

}  // namespace litz::kernels
