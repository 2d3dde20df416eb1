// Turns operators that update a copy of a tensor into updates in place, if the old contents are not
// read again.
//
//   %c: a buffer, whose new contents are %n
//   %n = aten.index_copy(%c, 2, %at, %k)     =>   %n = aten.index_copy_(%c, 2, %at, %k)
//   %s = aten.matmul(%q, %n)                      %s = aten.matmul(%q, %n)
//
// A key-value cache of a thousand positions then costs one position per step instead of two copies
// of all. The program must own the operand's memory: it belongs to a node's result, or to an input
// whose contents the program replaces at the end anyway. Values stay values: readers of the new
// contents read the result, and nothing that shares the memory is read after the update, so the
// graph keeps its meaning if the update is made on a copy.
//
// Requires:        functional form.
// Ensures:         no value is read after its memory was overwritten.
// Why it matters:  avoided copies cost neither time nor memory.
// Cost:            one visit per operand.

#include <vector>

#include "ir/alias_classes.h"
#include "ops/op_table.h"
#include "passes/graph_passes.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::AliasClasses;
using ir::Node;
using ir::Value;

class Reinplacer {
 public:
  Reinplacer(ir::Graph& graph, const ir::Program* program)
      : graph_(graph), is_replaced_(graph.input_count(), false) {
    std::vector<std::vector<size_t>> shared;
    if (program != nullptr) {
      shared = shared_inputs(*program);
      for (const ir::OutputSpec& output : program->outputs) {
        if (ir::is_mutation(output.kind)) is_replaced_[static_cast<size_t>(output.input)] = true;
      }
    }
    // Classes of the functional graph: an update's result is a class of its own there, which shows
    // how long its contents are needed.
    const AliasClasses aliases(graph, shared);
    classes_.resize(aliases.class_count());
    for (size_t i = 0; i < graph.input_count(); ++i) {
      if (graph.input(i).is_tensor()) add_input(aliases.class_of(graph.input(i)), i);
    }
    for (Node* node = graph.first(); node != nullptr; node = node->next()) visit(*node, aliases);
    visit(*graph.return_node(), aliases);
  }

  bool run(PassContext& context) {
    bool changed = false;
    for (const Candidate& candidate : candidates_) {
      if (!may_update(candidate) || !context.may_rewrite()) continue;
      update(candidate);
      changed = true;
    }
    return changed;
  }

 private:
  /// Values that share memory in the functional graph.
  struct Class {
    const Node* last_user = nullptr;
    int last_uses = 0;        ///< Operands of the last user in the class.
    int uses = 0;             ///< All operands in the class.
    int inputs = 0;           ///< Graph inputs in the class.
    bool is_writable = true;  ///< Allocated by a node for this graph alone, or a replaced input.
    bool is_cheap = false;    ///< Fusion recomputes it in the copy, if there is one reader.
  };

  struct Candidate {
    Node* node;
    const ir::OpInfo* form;
    uint32_t self;  ///< The class of the operand.
  };

  void add_input(uint32_t id, size_t input) {
    Class& own = classes_[id];
    own.is_writable = ++own.inputs == 1 && is_replaced_[input];
  }

  void visit(Node& node, const AliasClasses& aliases) {
    // A child graph may return its operands; a collective reads until its wait.
    const bool keeps =
        ir::has(node.op().traits, ir::Trait::higher_order | ir::Trait::collective_start);
    for (size_t i = 0; i < node.input_count(); ++i) {
      if (!node.input(i).is_tensor()) continue;
      Class& own = classes_[aliases.class_of(node.input(i))];
      own.last_uses = own.last_user == &node ? own.last_uses + 1 : 1;
      own.last_user = &node;
      ++own.uses;
      if (keeps) own.is_writable = false;
    }
    for (const Value output : node.outputs()) {
      if (!output.is_tensor()) continue;
      Class& own = classes_[aliases.class_of(output)];
      if (keeps) own.is_writable = false;
      if (aliases.base(output) == output) {
        own.is_cheap = ir::has(node.op().traits, ir::Trait::pointwise);
      }
    }
    const ir::OpInfo* form = ops::updating_form(node.op());
    if (form != nullptr) candidates_.push_back({&node, form, aliases.class_of(node.input(0))});
  }

  bool may_update(const Candidate& candidate) const {
    const Class& self = classes_[candidate.self];
    const bool is_fused = self.is_cheap && self.uses == 1;
    return self.is_writable && !is_fused && self.last_user == candidate.node &&
           self.last_uses == 1 &&
           candidate.node->input(0).tensor() == candidate.node->output().tensor();
  }

  void update(const Candidate& candidate) {
    Node* node = candidate.node;
    const auto scope = graph_.insert_for(node, {&node, 1});
    const Value updated =
        graph_
            .create(*candidate.form,
                    std::vector<ir::Argument>(node->arguments().begin(), node->arguments().end()))
            ->output();
    const std::string name = node->output().name();
    graph_.set_name(node->output(), "");
    graph_.set_name(updated, name);
    graph_.replace_uses(node->output(), updated);
    graph_.erase(node);
  }

  ir::Graph& graph_;
  std::vector<bool> is_replaced_;  ///< By input: the program states its contents after a call.
  std::vector<Class> classes_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Changed reinplace(ir::Graph& graph, PassContext& context) {
  const bool is_main = context.program != nullptr && &context.program->graph() == &graph;
  const bool changed = Reinplacer(graph, is_main ? context.program : nullptr).run(context);
  if (changed && is_main) context.program->functional = false;
  return changed ? Changed::yes : Changed::no;
}

}  // namespace litz::passes
