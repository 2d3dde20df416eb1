// Random numbers of a program: the nodes that draw, their streams, and their keys.
//
// A number is a pure function of three things: the key of the call, the stream of the node
// (ir/streams.h) and the row-major index of the element in the result. So passes, fusion, regions,
// executors and threads change no number, and neither does removing a dead node. Keys are derived
// from keys (sub_key, support/philox.h):
//
//   key of call i           = sub_key(seed, i)
//   key of iteration k      = sub_key(key around the loop, kIterations + k)
//   key of a node's numbers = sub_key(key around the node, stream of the node)
//
// Code gets the first or second as a host scalar, and computes the third itself.

#pragma once

#include <cstdint>

#include "ir/streams.h"
#include "ops/call.h"
#include "support/random_keys.h"

namespace litz::ops {

inline constexpr std::string_view kSeedSymbol = "litz_seed";

/// The module's symbol for the key, added on first use. A runner binds it in each call; a program
/// without random numbers has none.
Expr seed_symbol(ir::Module& module);

/// True for a call of a random operator that draws with these arguments: dropout outside training
/// does not.
bool draws(const ir::Node& node);
bool draws(const ir::Module& module);

/// Gives a stream to every node that draws and has none, in the order of graphs and nodes. A graph
/// with such nodes is copied if several calls share it, so that each call draws its own numbers.
/// Existing streams stay. True if anything changed.
bool assign_streams(ir::Module& module);

/// An inference context that builds a node's kernel also implements this.
class StreamContext {
 public:
  virtual ~StreamContext() = default;
  virtual int64_t stream() const = 0;
};

/// The stream of the kernel's node; 0 if unknown.
int64_t stream_of(const Call& call);

}  // namespace litz::ops
