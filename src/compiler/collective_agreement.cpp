#include "compiler/collective_agreement.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ir/collectives.h"
#include "support/check.h"
#include "support/hash.h"

namespace litz::compiler {
namespace {

using Starts = std::vector<ir::CollectiveStart>;

/// Transfers pair two ranks, so the ranks of a group may have different ones.
bool is_transfer(std::string_view signature) {
  return signature.starts_with("_c10d_functional.isend") ||
         signature.starts_with("_c10d_functional.irecv");
}

int64_t hash_of(std::string_view signature) {
  constexpr std::string_view kExchange = "_c10d_functional.all_to_all_single";
  if (signature.starts_with(kExchange)) signature = kExchange;
  return static_cast<int64_t>(hash_bytes(signature));
}

/// One row of numbers from every rank of the group.
std::vector<std::vector<int64_t>> gathered(const std::string& group,
                                           const std::vector<int64_t>& own, size_t ranks,
                                           distributed::Communicator& communicator) {
  const auto width = static_cast<int64_t>(own.size());
  distributed::Collective collective{.kind = distributed::CollectiveKind::all_gather,
                                     .group = group};
  collective.operands = {Tensor::of<int64_t>(DType::i64, {width}, own)};
  collective.results = {Tensor::zeros(DType::i64, {width * static_cast<int64_t>(ranks)})};
  const Tensor result = collective.results[0];
  communicator.start(std::move(collective));
  communicator.wait(result);
  std::vector<std::vector<int64_t>> rows(ranks);
  for (size_t rank = 0; rank < ranks; ++rank) {
    for (int64_t i = 0; i < width; ++i) {
      rows[rank].push_back(result.int_at({static_cast<int64_t>(rank) * width + i}));
    }
  }
  return rows;
}

std::string text_of(const Starts& starts, size_t i) {
  return i < starts.size() ? starts[i].signature : "nothing more";
}

void require_group(const std::string& group, Starts starts,
                   distributed::Communicator& communicator) {
  std::erase_if(starts, [](const auto& start) { return is_transfer(start.signature); });
  const size_t ranks = communicator.group_size(group);
  int64_t most = 0;
  for (const auto& row :
       gathered(group, {static_cast<int64_t>(starts.size())}, ranks, communicator))
    most = std::max(most, row[0]);
  std::vector<int64_t> own(static_cast<size_t>(most) + 1);
  for (size_t i = 0; i < starts.size(); ++i) own[i] = hash_of(starts[i].signature);
  const auto rows = gathered(group, own, ranks, communicator);
  for (size_t i = 0; i < own.size(); ++i) {
    for (size_t rank = 0; rank < ranks; ++rank) {
      require(rows[rank][i] == own[i],
              "the programs of a group's ranks must start the same collectives in the same order; "
              "group, number, own, other rank of the group:",
              group, i, text_of(starts, i), rank);
    }
  }
}

}  // namespace

void require_agreement(const ir::Graph& main, distributed::Communicator& communicator) {
  for (const auto& [group, starts] : ir::collective_order(main)) {
    require_group(group, starts, communicator);
  }
}

}  // namespace litz::compiler
