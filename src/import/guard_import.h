// Reads the conditions under which a program was exported (`guards_code`), over its inputs'
// symbols.

#pragma once

#include <string>
#include <vector>

#include "ir/program.h"
#include "support/json.h"

namespace litz::import_ {

struct GuardReport {
  std::vector<Guard> guards;
  std::vector<std::string> warnings;
};

/// Reads the guards; labels of the program's inputs must be set. An unreadable guard is replaced by
/// the strictest condition, that every size equals the one at export, with a warning. Throws
/// Error{corrupt} for a guard that never holds, Error{unsupported} if sizes at export are not
/// recorded.
GuardReport import_guards(const JsonValue& root, const JsonPath& path, const ir::Program& program);

}  // namespace litz::import_
