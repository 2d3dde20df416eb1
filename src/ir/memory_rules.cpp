// Rules on memory, by alias class, in one sweep along the graph.
//
// Two kinds of intervals matter. Between a collective and its wait, its operands must not be
// written, and its results neither read nor written. After a node that donates memory (or writes
// it, if the caller asks), values that existed before must not be read: their memory then has other
// contents.

#include <optional>
#include <unordered_map>

#include "ir/effects.h"
#include "ir/verifier_rules.h"
#include "support/text.h"

namespace litz::ir {
namespace {

bool starts(const Node& node) { return has(node.op().traits, Trait::collective_start); }

bool waits(const Node& node) { return has(node.op().traits, Trait::collective_wait); }

// The operand positions of the `donated` annotation; another rule reports malformed ones.
std::vector<size_t> donated_operands(const Node& node) {
  std::vector<size_t> positions;
  const auto found = node.annotations().find("donated");
  if (found == node.annotations().end()) return positions;
  for (const std::string_view part : split(found->second, ',')) {
    const std::optional<int64_t> position = parse_int(trim(part));
    if (position && *position >= 0) positions.push_back(static_cast<size_t>(*position));
  }
  return positions;
}

class MemoryRules {
 public:
  MemoryRules(const Graph& graph, const AliasClasses& aliases, bool overwritten, Findings& findings)
      : graph_(graph), aliases_(aliases), overwritten_(overwritten), findings_(findings) {}

  // Functional graphs without collectives, as most are, cannot break these rules.
  bool needed() const {
    for (const Node* node = graph_.first(); node != nullptr; node = node->next()) {
      if (starts(*node) || node->op().effects != nullptr || donates(*node)) return true;
      if (overwritten_ && (node->op().schema.mutates() || has(node->op().traits, kOpaque))) {
        return true;
      }
    }
    return false;
  }

  void run() {
    operands_of_.resize(aliases_.class_count());
    results_of_.resize(aliases_.class_count());
    taken_by_.resize(aliases_.class_count());
    for (const Node* node = graph_.first(); node != nullptr; node = node->next()) visit(*node);
    reads(*graph_.return_node());
  }

 private:
  static constexpr Trait kOpaque = Trait::higher_order;

  // A collective between its start and its last wait.
  struct Flight {
    const Node* start = nullptr;
    size_t open = 0;                 // Results without a wait so far.
    std::vector<uint32_t> operands;  // Classes, by result if there is one for each.
  };

  struct InFlight {
    const Node* start = nullptr;  // The newest.
    size_t count = 0;
  };

  static bool donates(const Node& node) { return node.annotations().contains("donated"); }

  void visit(const Node& node) {
    reads(node);
    const std::vector<MemoryEffect> effects = walk_.effects(node, aliases_);
    for (const MemoryEffect& effect : effects) {
      if (effect.resource != Resource::value) continue;
      if (effect.kind == EffectKind::write) written(node, effect.alias_class);
      if (effect.kind == EffectKind::free) taken_by_[effect.alias_class] = &node;
    }
    donations(node);
    if (waits(node)) land(node);
    if (starts(node)) take_off(node);
  }

  void reads(const Node& node) {
    const bool returns = &node == graph_.return_node();
    for (size_t i = 0; i < node.input_count(); ++i) {
      const Value value = node.input(i);
      if (!value.is_tensor()) continue;
      const uint32_t alias_class = aliases_.class_of(value);
      const Node* taker = taken_by_[alias_class];
      // Values created since refer to the current contents.
      const bool old =
          value.producer() == nullptr || (taker != nullptr && value.producer()->is_before(*taker));
      if (taker != nullptr && old) findings_.add(&node, stale_text(value, *taker));
      const InFlight& flight = results_of_[alias_class];
      if (returns || waits(node) || flight.count == 0 || value.producer() == flight.start) continue;
      findings_.add(&node, "memory that a collective writes must not be read before its wait: " +
                               std::string(flight.start->op().name()));
    }
  }

  static std::string stale_text(Value value, const Node& taker) {
    const bool writes = taker.op().schema.mutates();
    return std::string("a value must not be used after its memory was ") +
           (writes ? "overwritten" : "given away") + ": %" + value.name() + " by " +
           std::string(taker.op().name());
  }

  void written(const Node& node, uint32_t alias_class) {
    const InFlight& read = operands_of_[alias_class];
    const InFlight& made = results_of_[alias_class];
    const InFlight& flight = read.count > 0 ? read : made;
    if (flight.count > 0) {
      findings_.add(&node, "the memory of a collective must not be written before its wait: " +
                               std::string(flight.start->op().name()));
    }
    if (overwritten_) taken_by_[alias_class] = &node;
  }

  void donations(const Node& node) {
    for (const size_t i : donated_operands(node)) {
      if (!findings_.expect(i < node.input_count(), &node, "a donated operand must exist"))
        continue;
      if (!node.input(i).is_tensor()) continue;
      const uint32_t alias_class = aliases_.class_of(node.input(i));
      for (size_t k = 0; k < node.input_count(); ++k) {
        const bool shared =
            k != i && node.input(k).is_tensor() && aliases_.class_of(node.input(k)) == alias_class;
        findings_.expect(!shared, &node, "a donated operand must not be passed twice");
      }
      findings_.expect(operands_of_[alias_class].count == 0, &node,
                       "the memory of a collective must not be given away before its wait");
      taken_by_[alias_class] = &node;
    }
  }

  void take_off(const Node& node) {
    Flight flight{&node, 0, {}};
    for (size_t i = 0; i < node.input_count(); ++i) {
      if (!node.input(i).is_tensor()) continue;
      flight.operands.push_back(aliases_.class_of(node.input(i)));
      enter(operands_of_[flight.operands.back()], node);
    }
    for (const Value result : node.outputs()) {
      if (!result.is_tensor()) continue;
      ++flight.open;
      enter(results_of_[aliases_.class_of(result)], node);
    }
    flights_.emplace(&node, std::move(flight));
  }

  static void enter(InFlight& flight, const Node& start) {
    flight.start = &start;
    ++flight.count;
  }

  void land(const Node& wait) {
    if (wait.arguments().empty()) return;
    for (const Value result : wait.arguments()[0].values()) {
      const auto found = result ? flights_.find(result.producer()) : flights_.end();
      if (found == flights_.end() || !result.is_tensor()) continue;
      Flight& flight = found->second;
      if (flight.open == 0) continue;  // A second wait is another rule's error.
      --results_of_[aliases_.class_of(result)].count;
      const bool paired = flight.operands.size() == flight.start->output_count();
      if (paired) --operands_of_[flight.operands[result.index()]].count;
      if (--flight.open > 0) continue;
      for (const uint32_t alias_class : flight.operands) {
        if (!paired) --operands_of_[alias_class].count;
      }
    }
  }

  const Graph& graph_;
  const AliasClasses& aliases_;
  bool overwritten_;
  Findings& findings_;
  EffectWalk walk_;
  std::vector<InFlight> operands_of_;  // By class: collectives that read it now.
  std::vector<InFlight> results_of_;   // By class: collectives that write it now.
  std::vector<const Node*> taken_by_;  // By class: the last node that donated or overwrote it.
  std::unordered_map<const Node*, Flight> flights_;  // For lookup only.
};

}  // namespace

void check_memory(const Graph& graph, const AliasClasses& aliases, bool overwritten,
                  Findings& findings) {
  MemoryRules rules(graph, aliases, overwritten, findings);
  if (rules.needed()) rules.run();
}

}  // namespace litz::ir
