// Estimates the memory of a program's values from its description alone.

#pragma once

#include <cstdint>

#include "expr/expr.h"
#include "import/value_scope.h"
#include "support/json.h"

namespace litz::import_ {

/// The peak memory of node results when nodes run in order, each result lives until its last reader
/// and views need no memory: what running node by node needs besides weights and inputs. Ignores
/// child graphs. `sizes` gives every symbol a value; types whose size does not follow from it count
/// as nothing.
int64_t peak_of_results(const JsonValue& graph, const JsonPath& path, const ValueScope& scope,
                        const Bindings& sizes);

}  // namespace litz::import_
