#include "distributed/agreement.h"

#include <algorithm>
#include <cstdint>

#include "support/check.h"
#include "support/hash.h"

namespace litz::distributed {
namespace {

void require_group(const std::string& group, const std::vector<std::string>& starts,
                   Communicator& communicator) {
  const size_t ranks = communicator.group_size(group);
  int64_t most = 0;
  for (const auto& row : gathered_rows(group, {static_cast<int64_t>(starts.size())}, communicator))
    most = std::max(most, row[0]);
  std::vector<int64_t> own(static_cast<size_t>(most) + 1);
  for (size_t i = 0; i < starts.size(); ++i) own[i] = static_cast<int64_t>(hash_bytes(starts[i]));
  const auto rows = gathered_rows(group, own, communicator);
  for (size_t i = 0; i < own.size(); ++i) {
    for (size_t rank = 0; rank < ranks; ++rank) {
      require(rows[rank][i] == own[i],
              "the programs of a group's ranks must start the same collectives in the same order; "
              "group, number, own, other rank of the group:",
              group, i, i < starts.size() ? starts[i] : "nothing more", rank);
    }
  }
}

}  // namespace

std::vector<std::vector<int64_t>> gathered_rows(const std::string& group,
                                                const std::vector<int64_t>& own,
                                                Communicator& communicator) {
  const auto width = static_cast<int64_t>(own.size());
  const size_t ranks = communicator.group_size(group);
  Collective collective{.kind = CollectiveKind::all_gather, .group = group};
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

void require_agreement(const Starts& starts, Communicator& communicator) {
  for (const auto& [group, texts] : starts) require_group(group, texts, communicator);
}

}  // namespace litz::distributed
