// Rules on collectives: a start returns at once, so its result is read through its one wait.

#include "ir/effects.h"
#include "ir/verifier_rules.h"

namespace litz::ir {
namespace {

bool is_start(const Node* node) {
  return node != nullptr && has(node->op().traits, Trait::collective_start);
}

bool is_wait(const Node& node) { return has(node.op().traits, Trait::collective_wait); }

// The caller of the graph waits for returned results.
void check_result(const Node& start, Value result, Findings& findings) {
  size_t waits = 0;
  bool returned = false;
  for (const UseSite& use : result.uses()) {
    if (use.user == start.graph().return_node()) {
      returned = true;
    } else if (is_wait(*use.user)) {
      ++waits;
    } else {
      findings.add(use.user, "the result of a collective must be read through its wait");
    }
  }
  const std::string which =
      start.output_count() > 1 ? " (result " + std::to_string(result.index()) + ")" : "";
  findings.expect(waits + (returned ? 1 : 0) > 0, &start,
                  "every result of a collective must have a wait" + which);
  findings.expect(waits + (returned ? 1 : 0) < 2, &start,
                  "every result of a collective must have one wait only" + which);
}

void check_wait(const Node& wait, Findings& findings) {
  if (!findings.expect(!wait.arguments().empty(), &wait, "a wait must have an operand")) return;
  for (const Value value : wait.arguments()[0].values()) {
    if (!value) continue;
    // A collective that the graph's caller started arrives as an argument.
    const bool started = value.producer() == nullptr || is_start(value.producer());
    findings.expect(started, &wait, "a wait must wait for the result of a collective");
  }
}

}  // namespace

void check_waits(const Graph& graph, Findings& findings) {
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (is_wait(*node)) check_wait(*node, findings);
    if (!is_start(node)) continue;
    for (size_t i = 0; i < node->output_count(); ++i) {
      if (node->output(i).is_tensor()) check_result(*node, node->output(i), findings);
    }
  }
}

}  // namespace litz::ir
