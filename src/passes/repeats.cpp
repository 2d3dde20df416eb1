#include "passes/repeats.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "ir/effects.h"
#include "ir/inferred_types.h"
#include "ops/op_table.h"
#include "support/hash.h"
#include "support/repeated_substrings.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Trait;
using ir::Value;

// Limits the search: comparing more occurrences than this costs more than it may save.
constexpr size_t kMostLooks = 10'000'000;

bool is_view(const Node& node) { return has(node.op().traits, Trait::view); }

bool is_library(const Node& node) { return has(node.op().traits, Trait::library); }

/// True for operators that only overwrite their first operand.
bool is_update(const Node& node) {
  const ir::OpInfo* functional = node.op().functional;
  return functional != nullptr && functional->definition != nullptr &&
         ops::definition(*functional).updates_self;
}

void add_type(Hasher& hash, const ir::ValueType& type) {
  hash.add(type.index());
  if (const auto* tensor = std::get_if<TensorType>(&type)) {
    hash.add(static_cast<int>(tensor->dtype));
    for (const Expr size : tensor->sizes) hash.add(size.hash());
    for (const Expr stride : tensor->strides) hash.add(stride.hash());
  } else if (const auto* scalar = std::get_if<ir::ScalarType>(&type)) {
    hash.add(scalar->value.hash());
  }
}

uint64_t hash_of(const Node& node) {
  Hasher hash(hash_name(node.op().name()));
  for (const ir::Argument& argument : node.arguments()) {
    if (argument.is_attribute()) add_to(hash, argument.attribute());
    for (const Value value : argument.values()) {
      if (value) add_type(hash, value.type());
    }
  }
  for (const Value output : node.outputs()) add_type(hash, output.type());
  return hash.value();
}

bool do_same(const ir::Argument& a, const ir::Argument& b) {
  if (a.is_attribute() || b.is_attribute()) return a == b;
  const auto first = a.values();
  const auto second = b.values();
  return a.is_value_list() == b.is_value_list() &&
         std::ranges::equal(first, second, [](Value x, Value y) {
           return x && y ? x.type() == y.type() : !x && !y;
         });
}

bool do_same(const Node& a, const Node& b) {
  if (&a.op() != &b.op() || a.annotations() != b.annotations() ||
      a.output_count() != b.output_count()) {
    return false;
  }
  for (size_t i = 0; i < a.output_count(); ++i) {
    if (!(a.output(i).type() == b.output(i).type())) return false;
  }
  return std::ranges::equal(a.arguments(), b.arguments(),
                            [](const auto& x, const auto& y) { return do_same(x, y); });
}

/// Blocks given by the numbers of their first nodes.
struct Blocks {
  std::vector<size_t> starts;
  size_t length = 0;

  size_t saved() const { return starts.empty() ? 0 : (starts.size() - 1) * length; }
};

class RepeatFinder {
 public:
  explicit RepeatFinder(const ir::Graph& graph) : nodes_(graph.in_order()) {
    for (size_t i = 0; i < nodes_.size(); ++i) numbers_.emplace(nodes_[i], i);
  }

  std::vector<Repeat> run() {
    find_kinds();
    const RepeatedSubstrings substrings(kinds_, kLeastBlock);
    if (substrings.entries().empty()) return {};
    find_clean_cuts();
    add_candidates(substrings);
    std::vector<Repeat> repeats;
    while (true) {
      const Blocks best = best_blocks();
      if (best.starts.size() < 2) return repeats;
      repeats.push_back(describe(best));
      for (const size_t start : best.starts) {
        std::fill_n(is_taken_.begin() + static_cast<ptrdiff_t>(start), best.length, true);
      }
    }
  }

 private:
  /// Gives equal nodes one number, and each immovable node its own.
  void find_kinds() {
    ir::EffectWalk effects;
    std::unordered_map<uint64_t, std::vector<size_t>> seen;
    const Trait fixed = Trait::higher_order | Trait::random | Trait::data_dependent |
                        Trait::collective_start | Trait::collective_wait;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = *nodes_[i];
      kinds_.push_back(static_cast<uint32_t>(i));
      const bool is_fixed = has(node.op().traits, fixed) || !ir::defined_symbols(node).empty();
      if (is_fixed || (effects.has_effects(node) && !is_update(node))) continue;
      std::vector<size_t>& bucket = seen[hash_of(node)];
      const auto same =
          std::ranges::find_if(bucket, [&](size_t other) { return do_same(*nodes_[other], node); });
      if (same == bucket.end()) {
        bucket.push_back(i);
      } else {
        kinds_.back() = static_cast<uint32_t>(*same);
      }
    }
  }

  /// The node that computes the value, seen through views; null: an argument of the graph.
  static const Node* maker(Value value) {
    const Node* node = value.producer();
    while (node != nullptr && is_view(*node)) node = node->input(0).producer();
    return node;
  }

  static size_t count_readers(const Node& node) {
    size_t count = 0;
    for (const Value output : node.outputs()) {
      for (const Node* user : output.users()) {
        count += is_view(*user) && user->output_count() > 0 ? count_readers(*user) : 1;
      }
    }
    return count;
  }

  // Fusion joins kernels with each other and with the library call in front of them, up to the next
  // library call.
  void find_clean_cuts() {
    std::vector<int> depths(nodes_.size(),
                            0);  // Library calls on the way to a node, itself included.
    std::vector<int> crossing(nodes_.size() + 2, 0);
    views_.assign(1, 0);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = *nodes_[i];
      views_.push_back(views_.back() + (is_view(node) ? 1 : 0));
      for (size_t j = 0; j < node.input_count(); ++j) {
        const Node* producer = node.input(j).producer();
        if (producer != nullptr) depths[i] = std::max(depths[i], depths[numbers_.at(producer)]);
      }
      if (is_library(node)) ++depths[i];
      if (is_view(node) || is_library(node)) continue;
      for (size_t j = 0; j < node.input_count(); ++j) {
        const Node* producer = maker(node.input(j));
        if (producer == nullptr) continue;
        const size_t from = numbers_.at(producer);
        const bool is_near = depths[from] == depths[i];
        if (!is_near && (is_library(*producer) || count_readers(*producer) > 1)) continue;
        ++crossing[from + 1];
        --crossing[i + 1];
      }
    }
    int open = 0;
    for (size_t cut = 0; cut <= nodes_.size(); ++cut) {
      open += crossing[cut];
      is_clean_.push_back(open == 0);
    }
    is_taken_.assign(nodes_.size(), false);
  }

  void add_candidates(const RepeatedSubstrings& substrings) {
    size_t looks = 0;
    for (const RepeatedSubstrings::Entry& entry : substrings.entries()) {
      looks += entry.positions.size();
      if (looks > kMostLooks) break;
      std::vector<uint32_t> positions(entry.positions.begin(), entry.positions.end());
      std::ranges::sort(positions);
      add_candidate(positions, entry.length);
      // If occurrences overlap, the repeated part is shorter.
      size_t gap = entry.length;
      for (size_t i = 1; i < positions.size(); ++i) {
        gap = std::min<size_t>(gap, positions[i] - positions[i - 1]);
      }
      if (gap < entry.length && gap >= kLeastBlock) add_candidate(positions, gap);
    }
    std::ranges::stable_sort(candidates_, std::ranges::greater(), &Blocks::saved);
  }

  /// Takes the first occurrences that do not overlap.
  void add_candidate(std::span<const uint32_t> positions, size_t length) {
    Blocks blocks{{}, length};
    size_t free = 0;
    for (const size_t start : positions) {
      if (start < free) continue;
      blocks.starts.push_back(start);
      free = start + length;
    }
    if (blocks.starts.size() > 1) candidates_.push_back(std::move(blocks));
  }

  Blocks best_blocks() {
    Blocks best;
    for (const Blocks& candidate : candidates_) {
      if (candidate.saved() <= best.saved()) break;
      looks_ += candidate.starts.size();
      if (looks_ > kMostLooks) break;
      Blocks blocks = not_taken(candidate);
      trim(blocks);
      if (blocks.saved() <= best.saved() || count_computing(blocks) < kLeastBlock) continue;
      blocks.starts = with_same_flow(blocks);
      if (blocks.starts.size() < 2 || blocks.saved() <= best.saved()) continue;
      if (can_be_called(blocks)) best = std::move(blocks);
    }
    return best;
  }

  Blocks not_taken(Blocks blocks) const {
    std::erase_if(blocks.starts, [&](size_t start) {
      const auto begin = is_taken_.begin() + static_cast<ptrdiff_t>(start);
      const auto end = begin + static_cast<ptrdiff_t>(blocks.length);
      return std::find(begin, end, true) != end;
    });
    return blocks;
  }

  /// Moves both ends inwards to clean cuts, where fusion loses nothing.
  void trim(Blocks& blocks) const {
    const auto is_clean = [&](size_t offset) {
      return std::ranges::all_of(blocks.starts,
                                 [&](size_t start) { return is_clean_[start + offset]; });
    };
    size_t first = 0;
    size_t last = blocks.length;
    while (first < last && !is_clean(first)) ++first;
    while (last > first && !is_clean(last)) --last;
    for (size_t& start : blocks.starts) start += first;
    blocks.length = last - first;
  }

  size_t count_computing(const Blocks& blocks) const {
    if (blocks.starts.empty()) return 0;
    const size_t begin = blocks.starts[0];
    return blocks.length - (views_[begin + blocks.length] - views_[begin]);
  }

  std::optional<size_t> inside(size_t start, size_t length, Value value) const {
    const Node* producer = value.producer();
    if (producer == nullptr) return std::nullopt;
    const size_t number = numbers_.at(producer);
    return number >= start && number < start + length ? std::optional(number - start)
                                                      : std::nullopt;
  }

  /// The source of every operand of every node; values from outside are numbered by first use.
  std::vector<std::pair<size_t, size_t>> flow(size_t start, size_t length) const {
    std::vector<std::pair<size_t, size_t>> flow;
    std::unordered_map<const ir::ValueData*, size_t> operands;
    for (size_t i = start; i < start + length; ++i) {
      for (size_t j = 0; j < nodes_[i]->input_count(); ++j) {
        const Value value = nodes_[i]->input(j);
        if (const auto node = inside(start, length, value)) {
          flow.emplace_back(*node, value.index());
          continue;
        }
        const auto found = operands.emplace(value.data(), operands.size()).first;
        flow.emplace_back(length + found->second, 0);
      }
    }
    return flow;
  }

  /// The largest subset of blocks with the same data flow.
  std::vector<size_t> with_same_flow(const Blocks& blocks) const {
    std::map<std::vector<std::pair<size_t, size_t>>, std::vector<size_t>> by_flow;
    for (const size_t start : blocks.starts) by_flow[flow(start, blocks.length)].push_back(start);
    std::vector<size_t> most;
    for (auto& [_, starts] : by_flow) {
      const bool is_more =
          starts.size() > most.size() || (starts.size() == most.size() && starts < most);
      if (is_more) most = std::move(starts);
    }
    return most;
  }

  bool is_read_outside(const Blocks& blocks, size_t node, size_t output) const {
    return std::ranges::any_of(blocks.starts, [&](size_t start) {
      const std::vector<Node*> users = nodes_[start + node]->output(output).users();
      return std::ranges::any_of(users, [&](const Node* user) {
        const auto number = numbers_.find(user);  // The terminator has none.
        return number == numbers_.end() || number->second >= start + blocks.length;
      });
    });
  }

  std::vector<std::pair<size_t, size_t>> results_of(const Blocks& blocks) const {
    std::vector<std::pair<size_t, size_t>> results;
    for (size_t i = 0; i < blocks.length; ++i) {
      for (size_t j = 0; j < nodes_[blocks.starts[0] + i]->output_count(); ++j) {
        if (is_read_outside(blocks, i, j)) results.emplace_back(i, j);
      }
    }
    return results;
  }

  /// How a node's result shares memory with an operand of the block.
  enum class Place : uint8_t { elsewhere, view, update, view_of_update };

  struct Shared {
    Place place = Place::elsewhere;
    const ir::ValueData* operand = nullptr;
  };

  /// By node of the block; nothing if an operand is updated through a view, which callers could not
  /// see.
  std::optional<std::vector<Shared>> shared_memory(const Blocks& blocks) const {
    const size_t start = blocks.starts[0];
    std::vector<Shared> shared(blocks.length);
    for (size_t i = 0; i < blocks.length; ++i) {
      const Node& node = *nodes_[start + i];
      const bool updates = is_update(node);
      if (!updates && !is_view(node)) continue;
      const auto source = inside(start, blocks.length, node.input(0));
      const Shared from = source ? shared[*source] : Shared{Place::elsewhere, node.input(0).data()};
      if (from.operand == nullptr) continue;
      const bool is_whole = from.place == Place::elsewhere || from.place == Place::update;
      if (updates && !is_whole) return std::nullopt;
      const bool is_updated = from.place == Place::update || from.place == Place::view_of_update;
      const Place view = is_updated ? Place::view_of_update : Place::view;
      shared[i] = {updates ? Place::update : view, from.operand};
    }
    return shared;
  }

  /// True if callers can tell which results share memory with operands: the block returns the final
  /// contents of updated operands, and no other alias.
  bool can_be_called(const Blocks& blocks) const {
    const auto shared = shared_memory(blocks);
    if (!shared) return false;
    std::map<const ir::ValueData*, size_t> last_updates;
    for (size_t i = 0; i < shared->size(); ++i) {
      if ((*shared)[i].place == Place::update) last_updates[(*shared)[i].operand] = i;
    }
    size_t returned = 0;
    for (const auto& [node, output] : results_of(blocks)) {
      const Shared& result = (*shared)[node];
      if (result.place == Place::elsewhere) continue;
      if (result.place != Place::update || last_updates.at(result.operand) != node) return false;
      ++returned;
    }
    return returned == last_updates.size();
  }

  Repeat describe(const Blocks& blocks) const {
    Repeat repeat;
    for (const size_t start : blocks.starts) {
      const auto begin = nodes_.begin() + static_cast<ptrdiff_t>(start);
      repeat.blocks.emplace_back(begin, begin + static_cast<ptrdiff_t>(blocks.length));
    }
    repeat.results = results_of(blocks);
    return repeat;
  }

  std::vector<Node*> nodes_;
  std::unordered_map<const Node*, size_t> numbers_;
  std::vector<uint32_t> kinds_;     ///< By node.
  std::vector<size_t> views_;       ///< How many of the first i nodes are views.
  std::vector<bool> is_clean_;      ///< By cut: before node i.
  std::vector<bool> is_taken_;      ///< By node.
  std::vector<Blocks> candidates_;  ///< Sorted by possible savings, largest first.
  size_t looks_ = 0;
};

}  // namespace

std::vector<Repeat> find_repeats(const ir::Graph& graph) {
  if (!graph.order_edges().empty()) return {};
  return RepeatFinder(graph).run();
}

}  // namespace litz::passes
