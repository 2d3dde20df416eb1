// Functions that users registered for operators of their own: called like library functions, under the
// operator's name ("mylib.stamp").
//
// They stay as long as the process does. What they look like from outside is litz/operators.h.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/library.h"
#include "litz/operators.h"

namespace litz::kernels {

/// What an argument or result is by the schema.
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

/// A call gives the arguments of the schema, for random operators the seed behind them, and the results
/// that are no arguments, lists one tensor behind the other. New contents of arguments that are written
/// are further results, one for each tensor; the arguments themselves stay as they are. Results that are
/// numbers, and those whose sizes depend on data, are undefined before the call.
struct UserFunction {
  std::string name;
  litz_operator table = {};
  std::vector<UserArgument> arguments;
  std::vector<UserKind> results;  ///< Those that are no arguments.
  int like = -1;                  ///< The argument that all results are like; -1: none.
};

/// Requires that no function has the name. Thread-safe.
void add_user_function(UserFunction function);
/// Null when unknown.
const LibraryEntry* find_user_function(std::string_view name);

}  // namespace litz::kernels
