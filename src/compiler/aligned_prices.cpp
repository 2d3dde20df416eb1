#include "compiler/aligned_prices.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "distributed/agreement.h"
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
  for (const auto& row : distributed::gathered_rows(
           kWorldGroup, {static_cast<int64_t>(nodes.size())}, communicator)) {
    require(row[0] == static_cast<int64_t>(nodes.size()),
            "runtime nodes differ across ranks; own number, another one:", nodes.size(), row[0]);
  }
  std::vector<int64_t> signatures;
  std::vector<int64_t> times;
  for (const Node* node : nodes) {
    signatures.push_back(static_cast<int64_t>(hash_bytes(signature(*node))));
    times.push_back(std::bit_cast<int64_t>(price(*node, prices)));
  }
  for (const auto& row : distributed::gathered_rows(kWorldGroup, signatures, communicator)) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      require(row[i] == signatures[i], "runtime nodes differ across ranks; number, own node:", i,
              signature(*nodes[i]));
    }
  }
  const auto rows = distributed::gathered_rows(kWorldGroup, times, communicator);
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
