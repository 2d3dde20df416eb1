// Makes graphs of regions: nodes that annotations mark to be compiled on their own.
//
//   %a = aten.sin(%x) #{compile_with_inductor = "0"}       %b = litz.region(@main.region_0, [%x])
//   %b = aten.cos(%a) #{compile_with_inductor = "0"}  =>   %c = aten.exp(%b)
//   %c = aten.exp(%b)
//
// Nodes with equal keys (region_options.h) come together wherever that is legal, nodes with
// different keys never do. Tokens, collectives, their waits, and casts that only feed a collective
// stay outside: overlap and bucketing have to see them.

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

/// Outlines the regions of the graph and of all graphs that it reaches, each once; in functional form.
/// Regions are named @<graph>.region_<number>. A region that another holds because the call of its
/// graph is marked is left to that one. Throws Error{invalid_argument} for a bad annotation, before
/// anything is changed.
std::vector<Region> outline_regions(ir::Graph& main);

/// The same for what a device graph can record (partition/cuda_graphs.h), in sets of two nodes or
/// more; all regions get this key. Nothing is left out for what a call mutates, since in functional
/// form that is written by nobody but the caller of the regions.
std::vector<Region> outline_recordable(ir::Graph& main, const RecordableOptions& options,
                                       const RegionKey& key);

}  // namespace litz::passes
