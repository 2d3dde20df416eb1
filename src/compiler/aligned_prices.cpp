#include "compiler/aligned_prices.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/check.h"
#include "support/hash.h"

namespace litz::compiler {
namespace {

using ir::Node;

std::string signature(const Node& node) {
  std::string text(node.op().name());
  for (const ir::Value output : node.outputs()) text += " " + ir::to_string(output.type());
  return text;
}

double price(const Node& node, const passes::NodePrices& prices) {
  if (has(node.op().traits, ir::Trait::collective_start)) return prices.collective_us(node);
  if (has(node.op().traits, ir::Trait::collective_wait)) return 0;
  return prices.compute_us(node);
}

/// One row of numbers from every rank; all ranks must give equally many.
std::vector<std::vector<int64_t>> gathered(const std::vector<int64_t>& own,
                                           distributed::Communicator& communicator) {
  const auto width = static_cast<int64_t>(own.size());
  const size_t ranks = communicator.group_size(kWorldGroup);
  distributed::Collective collective{.kind = distributed::CollectiveKind::all_gather,
                                     .group = kWorldGroup};
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

double median(std::vector<double> prices) {
  const size_t half = prices.size() / 2;
  std::ranges::sort(prices);
  return prices.size() % 2 == 1 ? prices[half] : (prices[half - 1] + prices[half]) / 2;
}

}  // namespace

passes::Estimator aligned_prices(const ir::Graph& graph, const passes::PriceOptions& own,
                                 distributed::Communicator& communicator) {
  const passes::NodePrices prices(graph, own);
  const std::vector<Node*> nodes = graph.in_order();
  for (const auto& row : gathered({static_cast<int64_t>(nodes.size())}, communicator)) {
    require(row[0] == static_cast<int64_t>(nodes.size()),
            "runtime nodes differ across ranks; own number, another one:", nodes.size(), row[0]);
  }
  std::vector<int64_t> signatures;
  std::vector<int64_t> times;
  for (const Node* node : nodes) {
    signatures.push_back(static_cast<int64_t>(hash_bytes(signature(*node))));
    times.push_back(std::bit_cast<int64_t>(price(*node, prices)));
  }
  for (const auto& row : gathered(signatures, communicator)) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      require(row[i] == signatures[i], "runtime nodes differ across ranks; number, own node:", i,
              signature(*nodes[i]));
    }
  }
  const auto rows = gathered(times, communicator);
  auto agreed = std::make_shared<std::unordered_map<uint32_t, double>>();  // By node id.
  for (size_t i = 0; i < nodes.size(); ++i) {
    std::vector<double> all;
    all.reserve(rows.size());
    for (const auto& row : rows) all.push_back(std::bit_cast<double>(row[i]));
    agreed->emplace(nodes[i]->id(), median(std::move(all)));
  }
  return [agreed](const Node& node) -> std::optional<double> {
    const auto found = agreed->find(node.id());
    if (found == agreed->end()) return std::nullopt;
    return found->second;
  };
}

}  // namespace litz::compiler
