#include "passes/overlap/opportunities.h"

#include <array>
#include <bit>
#include <cstdint>
#include <unordered_map>

#include "passes/bucketing/ancestors.h"

namespace litz::passes {
namespace {

using ir::Node;

constexpr size_t kWords = 8;
constexpr size_t kAtOnce = 64 * kWords;

using Bits = std::array<uint64_t, kWords>;

void join(Bits& into, const Bits& other) {
  for (size_t k = 0; k < kWords; ++k) into[k] |= other[k];
}

/// Counts, for up to kAtOnce collectives, the heavy computations that are not free of them.
class Sweep {
 public:
  Sweep(const std::vector<std::vector<uint32_t>>& needs, const std::vector<bool>& is_heavy)
      : needs_(needs), is_heavy_(is_heavy), bits_(needs.size()) {}

  /// By collective, given by its position.
  std::vector<size_t> related(const std::vector<uint32_t>& starts) {
    std::vector<size_t> counts(starts.size());
    mark(starts);
    for (uint32_t i = 0; i < needs_.size(); ++i) {
      for (const uint32_t need : needs_[i]) join(bits_[i], bits_[need]);
      if (is_heavy_[i]) count(bits_[i], counts);
    }
    mark(starts);
    for (uint32_t i = static_cast<uint32_t>(needs_.size()); i-- > 0;) {
      if (is_heavy_[i]) count(bits_[i], counts);
      for (const uint32_t need : needs_[i]) join(bits_[need], bits_[i]);
    }
    return counts;
  }

 private:
  void mark(const std::vector<uint32_t>& starts) {
    bits_.assign(bits_.size(), Bits{});
    for (size_t k = 0; k < starts.size(); ++k) {
      bits_[starts[k]][k / 64] |= uint64_t{1} << (k % 64);
    }
  }

  static void count(const Bits& bits, std::vector<size_t>& counts) {
    for (size_t k = 0; k < kWords; ++k) {
      for (uint64_t left = bits[k]; left != 0; left &= left - 1) {
        ++counts[64 * k + static_cast<size_t>(std::countr_zero(left))];
      }
    }
  }

  const std::vector<std::vector<uint32_t>>& needs_;
  const std::vector<bool>& is_heavy_;
  std::vector<Bits> bits_;  // The collectives that a node depends on, or that depend on it.
};

}  // namespace

void find_opportunities(const ir::Graph& graph, const PriceOptions& prices, OverlapReport& report) {
  const NodePrices costs(graph, prices);
  std::unordered_map<const Node*, uint32_t> position;  // For lookup only.
  std::vector<std::vector<uint32_t>> needs;
  std::vector<bool> is_heavy;
  size_t heavy = 0;
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    position.emplace(node, static_cast<uint32_t>(needs.size()));
    std::vector<uint32_t>& own = needs.emplace_back();
    for (size_t i = 0; i < node->input_count(); ++i) {
      if (const Node* producer = node->input(i).producer()) own.push_back(position.at(producer));
    }
    is_heavy.push_back(costs.is_heavy(*node));
    heavy += is_heavy.back() ? 1 : 0;
  }
  for (const auto& [first, second] : fixed_dependences(graph)) {
    needs[position.at(second)].push_back(position.at(first));
  }
  Sweep sweep(needs, is_heavy);
  for (size_t begin = 0; begin < report.collectives.size(); begin += kAtOnce) {
    std::vector<uint32_t> starts;
    for (size_t i = begin; i < report.collectives.size() && starts.size() < kAtOnce; ++i) {
      starts.push_back(position.at(report.collectives[i].start));
    }
    const std::vector<size_t> related = sweep.related(starts);
    for (size_t k = 0; k < starts.size(); ++k) {
      report.collectives[begin + k].can_be_hidden = related[k] < heavy;
    }
  }
}

}  // namespace litz::passes
