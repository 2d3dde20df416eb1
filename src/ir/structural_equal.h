// Compares graphs up to names: same arguments, same calls in order on corresponding values.

#pragma once

#include <cstdint>
#include <string>

#include "ir/graph.h"

namespace litz::ir {

struct EqualOptions {
  bool types = true;
  bool annotations = true;
};

/// Empty if equal, else the first difference in words, with both nodes. Graphs may belong to
/// different modules: size symbols correspond by name, data-dependent ones by position. Child
/// graphs are compared by content; locations and provenance are ignored.
std::string structural_difference(const Graph& a, const Graph& b, const EqualOptions& options = {});

inline bool structurally_equal(const Graph& a, const Graph& b, const EqualOptions& options = {}) {
  return structural_difference(a, b, options).empty();
}

/// Equal graphs have equal hashes, stable between runs. Data-dependent symbols and names are
/// ignored.
uint64_t structural_hash(const Graph& graph);

}  // namespace litz::ir
