// How much memory the values of a program take, from its description alone.

#pragma once

#include <cstdint>

#include "expr/expr.h"
#include "import/value_scope.h"
#include "support/json.h"

namespace litz::import_ {

/// The most bytes that results of nodes take at a time when nodes run in order, each result lives
/// until its last reader and views take none: what running node by node needs beside weights and
/// inputs. Child graphs do not count. `sizes` gives every symbol a value; types whose size does not
/// follow from it count as nothing.
int64_t peak_of_results(const JsonValue& graph, const JsonPath& path, const ValueScope& scope,
                        const Bindings& sizes);

}  // namespace litz::import_
