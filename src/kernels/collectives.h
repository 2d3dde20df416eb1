// Library functions of collectives: they start what the rank's communicator runs, and wait for it.

#pragma once

#include <string_view>

#include "kernels/library.h"

namespace litz::kernels {

/// True for a function that starts a collective or waits for one. Calls of these run one after the
/// other, in the order of the program, and never inside of a launch list.
bool is_collective(std::string_view function);

// Each takes the arguments of the operator of that name in _c10d_functional; the first one may be a
// list. Results are filled at the wait.
void all_gather(LibraryCall& call);      // (inputs, group_size, group_name)
void all_reduce(LibraryCall& call);      // (inputs, reduce_op, group_name)
void all_to_all(LibraryCall& call);      // (input, received, sent, group_name)
void broadcast(LibraryCall& call);       // (input, src, group_name)
void receive(LibraryCall& call);         // (like, src, tag, group_name)
void reduce_scatter(LibraryCall& call);  // (inputs, reduce_op, group_size, group_name)
void send(LibraryCall& call);            // (tensor, dst, tag, group_name)

/// (tensor, kept): the result is the tensor itself, or a copy in other memory. `kept` lists the
/// collective's operands, which must live until now.
void wait(LibraryCall& call);

}  // namespace litz::kernels
