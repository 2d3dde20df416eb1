// Which stream of random numbers a node draws from.
//
// A stream is the annotation `random_stream` of a node, numbered when a program is imported. Numbers
// follow from the seed, the stream and the place of an element, so no edit of the graph changes them: a
// copy of a node in another graph, or the node that takes its place, has its stream.

#pragma once

#include <cstdint>
#include <string_view>

#include "ir/graph.h"

namespace litz::ir {

inline constexpr std::string_view kStreamAnnotation = "random_stream";

/// From 1 on; 0 for a node without one.
int64_t stream_of(const Node& node);

/// 0 takes the annotation away.
void set_stream(Node* node, int64_t stream);

/// The stream of the draw `part` (from 0) of a node that several draws take the place of. Part 0 has
/// the stream of the node.
int64_t part_of_stream(int64_t stream, int64_t part);

}  // namespace litz::ir
