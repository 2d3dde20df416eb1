// What the parts of the public API share about programs that are not compiled.

#pragma once

#include "ir/program.h"
#include "passes/partition/program_partitions.h"

// After the library's own names.
#include "compiler/api/public_support.h"
#include "litz/partition.h"

namespace litz {
inline namespace v1 {

struct LITZ_HIDDEN Program::Impl {
  ir::Program program;
};

/// As predicates and estimates see a node.
NodeInfo node_info(const ir::Node& node, const passes::NodeNames& names);

}  // namespace v1
}  // namespace litz
