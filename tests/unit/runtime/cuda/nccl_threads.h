// Ranks over the emulated NCCL: threads on one emulated card.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/cuda/nccl_ranks.h"

namespace litz::runtime {

using CardRank = std::shared_ptr<cuda::CardRanks>;

/// Runs `body` once per rank; gives what each threw, empty if nothing.
std::vector<std::string> run_nccl_threads(int ranks, const cuda::NcclOptions& like,
                                          const std::function<void(const CardRank& rank)>& body);

}  // namespace litz::runtime
