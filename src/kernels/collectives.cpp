#include "kernels/collectives.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "distributed/communicator.h"
#include "kernels/library_context.h"

namespace litz::kernels {
namespace {

using distributed::Collective;
using distributed::CollectiveKind;

constexpr std::array<std::string_view, 8> kCollectives{"all_gather", "all_reduce", "all_to_all",
                                                       "broadcast",  "receive",    "reduce_scatter",
                                                       "send",       "wait"};

std::shared_ptr<distributed::Communicator> communicator(const LibraryCall& call) {
  return call.context != nullptr ? call.context->communicator() : distributed::single_rank();
}

Collective make(const LibraryCall& call, CollectiveKind kind, size_t group) {
  Collective collective;
  collective.kind = kind;
  collective.group = call.str(group);
  if (std::holds_alternative<std::vector<Tensor>>(call.arguments[0])) {
    const std::span<const Tensor> operands = call.tensors(0);
    collective.operands.assign(operands.begin(), operands.end());
  } else {
    collective.operands = {call.tensor(0)};
  }
  for (size_t i = 0; i < collective.operands.size(); ++i) {
    // A result that nobody reads is computed all the same: other ranks take part.
    collective.results.push_back(call.results[i]);
  }
  return collective;
}

void start(const LibraryCall& call, Collective collective) {
  communicator(call)->start(std::move(collective));
}

void start_between_two(LibraryCall& call, CollectiveKind kind) {
  Collective collective = make(call, kind, 3);
  collective.peer = call.integer(1);
  collective.tag = call.integer(2);
  start(call, std::move(collective));
}

}  // namespace

bool is_collective(std::string_view function) {
  return std::ranges::find(kCollectives, function) != kCollectives.end();
}

void all_gather(LibraryCall& call) {
  Collective collective = make(call, CollectiveKind::all_gather, 2);
  collective.group_size = call.integer(1);
  start(call, std::move(collective));
}

void all_reduce(LibraryCall& call) {
  Collective collective = make(call, CollectiveKind::all_reduce, 2);
  collective.reduction = distributed::parse_reduction(call.str(1));
  start(call, std::move(collective));
}

void all_to_all(LibraryCall& call) {
  Collective collective = make(call, CollectiveKind::all_to_all, 3);
  const auto received = call.integers(1);
  const auto sent = call.integers(2);
  collective.received.assign(received.begin(), received.end());
  collective.sent.assign(sent.begin(), sent.end());
  start(call, std::move(collective));
}

void broadcast(LibraryCall& call) {
  Collective collective = make(call, CollectiveKind::broadcast, 2);
  collective.peer = call.integer(1);
  start(call, std::move(collective));
}

void receive(LibraryCall& call) { start_between_two(call, CollectiveKind::receive); }

void reduce_scatter(LibraryCall& call) {
  Collective collective = make(call, CollectiveKind::reduce_scatter, 3);
  collective.reduction = distributed::parse_reduction(call.str(1));
  collective.group_size = call.integer(2);
  start(call, std::move(collective));
}

void send(LibraryCall& call) { start_between_two(call, CollectiveKind::send); }

void wait(LibraryCall& call) {
  const Tensor& awaited = call.tensor(0);
  communicator(call)->wait(awaited);
  Tensor& result = call.results[0];
  if (result.address() != awaited.address()) result.copy_from(awaited);
}

}  // namespace litz::kernels
