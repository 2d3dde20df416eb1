// The stream of random numbers that a node draws from.
//
// A stream is the annotation `random_stream` of a node, numbered at import. Random numbers depend
// only on the seed, the stream and the index of an element, so edits of the graph do not change
// them: a copy of a node in another graph, or its replacement, keeps its stream.

#pragma once

#include <cstdint>
#include <string_view>

#include "ir/graph.h"

namespace litz::ir {

inline constexpr std::string_view kStreamAnnotation = "random_stream";

/// Counts from 1; 0 for a node without a stream.
int64_t stream_of(const Node& node);

/// 0 removes the annotation.
void set_stream(Node* node, int64_t stream);

/// The stream of draw `part` (from 0) of several draws that replace one node. Part 0 has the node's
/// stream.
int64_t part_of_stream(int64_t stream, int64_t part);

}  // namespace litz::ir
