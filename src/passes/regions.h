// Outlines regions: nodes that annotations mark for separate compilation.
//
//   %a = aten.sin(%x) #{compile_with_inductor = "0"}       %b = litz.region(@main.region_0, [%x])
//   %b = aten.cos(%a) #{compile_with_inductor = "0"}  =>   %c = aten.exp(%b)
//   %c = aten.exp(%b)
//
// Nodes with equal keys (region_options.h) are joined wherever that is legal, nodes with different
// keys never. Tokens, collectives, their waits, and casts that only feed a collective stay outside,
// so that overlap and bucketing see them.

#pragma once

#include <string>
#include <vector>

#include "ir/program.h"
#include "passes/partition/cuda_graphs.h"
#include "passes/region_options.h"

namespace litz::passes {

struct Region {
  ir::Graph* graph = nullptr;
  ir::Node* call = nullptr;
  RegionKey key;
  size_t nodes = 0;
  std::vector<std::string> sources;  ///< "model.py:12" of its nodes, each once, in order.
};

/// Outlines the regions of the graph and of all graphs that it reaches, each once; needs functional
/// form. Regions are named @<graph>.region_<number>. A region inside a graph whose call is marked
/// belongs to the outer region. Throws Error{invalid_argument} for a bad annotation, before any
/// change.
std::vector<Region> outline_regions(ir::Graph& main);

/// Outlines what a device graph can record (partition/cuda_graphs.h), in sets of at least two
/// nodes; all regions get this key. Mutated values need no exception: in functional form only the
/// caller of the regions writes them.
std::vector<Region> outline_recordable(ir::Graph& main, const RecordableOptions& options,
                                       const RegionKey& key);

}  // namespace litz::passes
