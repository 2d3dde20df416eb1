#include "passes/bucketing/ancestors.h"

#include <algorithm>
#include <array>

#include "ir/dependences.h"

namespace litz::passes {
namespace {

using ir::Node;

constexpr size_t kWordsAtOnce = 8;

using Bits = std::array<uint64_t, kWordsAtOnce>;

bool is_collective(const Node& node) {
  return has(node.op().traits, ir::Trait::collective_start | ir::Trait::collective_wait);
}

}  // namespace

std::vector<std::pair<Node*, Node*>> fixed_dependences(const ir::Graph& graph) {
  std::vector<std::pair<Node*, Node*>> found = ir::hidden_dependences(graph);
  std::erase_if(found, [](const auto& pair) {
    return is_collective(*pair.first) && is_collective(*pair.second);
  });
  return found;
}

Ancestors::Ancestors(const ir::Graph& graph, std::span<Node* const> nodes)
    : words_((nodes.size() + 63) / 64), rows_(nodes.size() * words_) {
  std::unordered_map<const Node*, size_t> position;  // In the graph; for lookup only.
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    position.emplace(node, position.size());
  }
  std::unordered_map<const Node*, size_t> index;  // In `nodes`; for lookup only.
  for (size_t i = 0; i < nodes.size(); ++i) index.emplace(nodes[i], i);
  std::unordered_map<const Node*, std::vector<const Node*>> hidden;
  for (const auto& [first, second] : fixed_dependences(graph)) hidden[second].push_back(first);

  std::vector<Bits> above(position.size());
  for (size_t word = 0; word < words_; word += kWordsAtOnce) {
    size_t at = 0;
    for (const Node* node = graph.first(); node != nullptr; node = node->next(), ++at) {
      Bits& bits = above[at];
      bits.fill(0);
      const auto add = [&](const Node* before) {
        const auto found = before == nullptr ? position.end() : position.find(before);
        if (found == position.end()) return;
        for (size_t k = 0; k < kWordsAtOnce; ++k) bits[k] |= above[found->second][k];
        const auto own = index.find(before);
        if (own == index.end() || own->second / 64 < word) return;
        const size_t k = own->second / 64 - word;
        if (k < kWordsAtOnce) bits[k] |= uint64_t{1} << (own->second % 64);
      };
      for (size_t i = 0; i < node->input_count(); ++i) add(node->input(i).producer());
      if (const auto more = hidden.find(node); more != hidden.end()) {
        for (const Node* before : more->second) add(before);
      }
      const auto own = index.find(node);
      if (own == index.end()) continue;
      const size_t count = std::min(kWordsAtOnce, words_ - word);
      std::copy_n(bits.begin(), count,
                  rows_.begin() + static_cast<int64_t>(own->second * words_ + word));
    }
  }
}

}  // namespace litz::passes
