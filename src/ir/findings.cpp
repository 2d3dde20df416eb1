#include "ir/printer.h"
#include "ir/verifier_rules.h"

namespace litz::ir {

bool Findings::expect(bool holds, const Node* node, const std::string& what) {
  if (holds) return true;
  if (texts_.size() >= limit_) return false;
  std::string text = "graph @" + graph_.name() + ": " + what;
  if (node != nullptr) {
    text += "\n  in " + (printing_ ? node_context(*node) : std::string(node->op().name()));
    const auto history = node->provenance();
    if (!history.empty() && !history.back().pass.empty()) {
      text += "\n  last touched by " + history.back().pass;
    }
  }
  texts_.push_back(std::move(text));
  return false;
}

}  // namespace litz::ir
