// Random numbers of a program: who draws, from which stream, under which key.
//
// A number is a pure function of three things: the key of the call, the stream of the node
// (ir/streams.h) and the place of the element in the result, in row-major order. So passes, fusion,
// regions, executors and threads change no number, and neither does leaving out a node that others do
// not read. Keys are made of keys (sub_key, support/philox.h):
//
//   key of call i           = sub_key(seed, i)
//   key of iteration k      = sub_key(key around the loop, kIterations + k)
//   key of a node's numbers = sub_key(key around the node, stream of the node)
//
// Code gets the first or second as a host scalar, and makes the third itself.

#pragma once

#include <cstdint>

#include "ir/streams.h"
#include "ops/call.h"
#include "support/random_keys.h"

namespace litz::ops {

inline constexpr std::string_view kSeedSymbol = "litz_seed";

/// The module's symbol for the key, added on first use. A runner binds it anew for each call; a
/// program that draws nothing has none.
Expr seed_symbol(ir::Module& module);

/// True for a call of a random operator that draws with these arguments: dropout outside of training
/// does not.
bool draws(const ir::Node& node);
bool draws(const ir::Module& module);

/// Gives a stream to every node that draws and has none, in the order of graphs and nodes. A graph
/// with such nodes that several calls share is copied, so that each call draws its own numbers. What
/// has a stream keeps it. True when there was something to do.
bool assign_streams(ir::Module& module);

/// What makes a kernel for a node lets its inference context be one of these, too.
class StreamContext {
 public:
  virtual ~StreamContext() = default;
  virtual int64_t stream() const = 0;
};

/// Of the node that a kernel is made for; 0 where nobody tells.
int64_t stream_of(const Call& call);

}  // namespace litz::ops
