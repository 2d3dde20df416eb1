#include "runtime/cuda/nccl_calls.h"

#include <functional>
#include <string>
#include <utility>

#include "support/check.h"

namespace litz::runtime::cuda {
namespace {

using distributed::Collective;
using distributed::CollectiveKind;

/// Calls that NCCL gets at once.
class Batch {
 public:
  explicit Batch(const NcclFunctions& functions, std::string doing)
      : functions_(functions), doing_(std::move(doing)) {}

  void add(std::function<int()> call) { calls_.push_back(std::move(call)); }

  // A group that was begun must end, or later calls would belong to it.
  void run() const {
    functions_.require_success(functions_.begin_group(), doing_);
    int result = 0;
    for (const std::function<int()>& call : calls_) {
      result = call();
      if (result != 0) break;
    }
    const int end = functions_.end_group();
    functions_.require_success(result != 0 ? result : end, doing_);
  }

 private:
  const NcclFunctions& functions_;
  std::string doing_;
  std::vector<std::function<int()>> calls_;
};

size_t count_of(const Tensor& tensor, const NcclElements& elements) {
  return static_cast<size_t>(tensor.numel() * elements.count);
}

void require_elements(const Collective& collective, int64_t have, int64_t need) {
  require(have == need, "a collective must have results for all elements:", signature(collective),
          have, need);
}

class Adder {
 public:
  Adder(const NcclFunctions& functions, const NcclGroup& group, const Collective& collective)
      : functions_(functions),
        group_(group),
        collective_(collective),
        batch_(functions, signature(collective)) {}

  void add() {
    for (size_t i = 0; i < collective_.operands.size(); ++i) {
      const Tensor& operand = collective_.operands[i];
      const Tensor& result = collective_.results[i];
      require(operand.dtype() == result.dtype(),
              "a collective must keep the dtype:", signature(collective_));
      add(operand, result);
    }
    batch_.run();
  }

 private:
  void add(const Tensor& operand, const Tensor& result) {
    const auto ranks = static_cast<int64_t>(group_.ranks);
    switch (collective_.kind) {
      case CollectiveKind::all_gather:
        require_elements(collective_, result.numel(), operand.numel() * ranks);
        return add_gather(operand, result);
      case CollectiveKind::all_reduce:
        require_elements(collective_, result.numel(), operand.numel());
        return add_reduction(operand, result, functions_.all_reduce);
      case CollectiveKind::reduce_scatter:
        require(operand.rank() > 0 && operand.sizes()[0] % ranks == 0,
                "reduce_scatter must have as many rows for every rank:", signature(collective_),
                ranks);
        require_elements(collective_, result.numel() * ranks, operand.numel());
        return add_reduction(operand, result, functions_.reduce_scatter);
      case CollectiveKind::broadcast:
        require(collective_.peer >= 0 && collective_.peer < ranks,
                "broadcast must come from a rank of the group:", collective_.peer, ranks);
        require_elements(collective_, result.numel(), operand.numel());
        return add_broadcast(operand, result);
      case CollectiveKind::all_to_all:
        return add_exchange(operand, result);
      case CollectiveKind::send:
      case CollectiveKind::receive:
        fail(ErrorCode::internal, "transfers are added together");
    }
  }

  void add_gather(const Tensor& operand, const Tensor& result) {
    const NcclElements elements = moved_elements(operand.dtype());
    batch_.add([=, this] {
      return functions_.all_gather(operand.address(), result.address(), count_of(operand, elements),
                                   elements.type, group_.communicator, group_.stream);
    });
  }

  void add_broadcast(const Tensor& operand, const Tensor& result) {
    const NcclElements elements = moved_elements(operand.dtype());
    batch_.add([=, this] {
      return functions_.broadcast(operand.address(), result.address(), count_of(operand, elements),
                                  elements.type, static_cast<int>(collective_.peer),
                                  group_.communicator, group_.stream);
    });
  }

  /// NCCL counts the elements of results, which are as many as of operands in an all_reduce.
  void add_reduction(const Tensor& operand, const Tensor& result,
                     int (*reduce)(const void*, void*, size_t, int, int, NcclCommunicator,
                                   Stream)) {
    const NcclReduction reduction = reduced_elements(operand.dtype(), collective_.reduction);
    batch_.add([=, this] {
      return reduce(operand.address(), result.address(), count_of(result, reduction.elements),
                    reduction.elements.type, reduction.number, group_.communicator, group_.stream);
    });
  }

  void add_exchange(const Tensor& operand, const Tensor& result) {
    const auto sent = distributed::row_shares(collective_.sent, operand, group_.ranks);
    const auto received = distributed::row_shares(collective_.received, result, group_.ranks);
    const NcclElements elements = moved_elements(operand.dtype());
    int64_t from = 0;
    int64_t to = 0;
    for (size_t rank = 0; rank < group_.ranks; ++rank) {
      const Tensor out = distributed::rows(operand, from, sent[rank]);
      const Tensor in = distributed::rows(result, to, received[rank]);
      from += sent[rank];
      to += received[rank];
      const auto peer = static_cast<int>(rank);
      if (out.numel() > 0) {
        batch_.add([=, this] {
          return functions_.send(out.address(), count_of(out, elements), elements.type, peer,
                                 group_.communicator, group_.stream);
        });
      }
      if (in.numel() > 0) {
        batch_.add([=, this] {
          return functions_.receive(in.address(), count_of(in, elements), elements.type, peer,
                                    group_.communicator, group_.stream);
        });
      }
    }
  }

  const NcclFunctions& functions_;
  const NcclGroup& group_;
  const Collective& collective_;
  Batch batch_;
};

}  // namespace

void add_work(const NcclFunctions& functions, const NcclGroup& group,
              const Collective& collective) {
  Adder(functions, group, collective).add();
}

void add_transfers(const NcclFunctions& functions, const NcclGroup& group,
                   const std::vector<Collective>& transfers) {
  Batch batch(functions, "transfers between ranks");
  for (const Collective& each : transfers) {
    const bool sends = each.kind == CollectiveKind::send;
    const Tensor tensor = sends ? each.operands.at(0) : each.results.at(0);
    const NcclElements elements = moved_elements(tensor.dtype());
    const auto peer = static_cast<int>(each.peer);
    if (tensor.numel() == 0) continue;
    batch.add([=, &functions, &group] {
      const size_t count = count_of(tensor, elements);
      return sends ? functions.send(tensor.address(), count, elements.type, peer,
                                    group.communicator, group.stream)
                   : functions.receive(tensor.address(), count, elements.type, peer,
                                       group.communicator, group.stream);
    });
  }
  batch.run();
}

}  // namespace litz::runtime::cuda
