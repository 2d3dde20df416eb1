// Gives internal values the layouts that readers and producers prefer, which removes copies.
//
//   %c = aten.clone(%q, contiguous_format)    // %q: f32[3, 197, 768]{768, 2304, 1}
//   %k = aten.select.int(%c, 0, 1)       =>   %k = aten.select.int(%q, 0, 1) : f32[197, 768]{2304, 1}
//   %a = litz.attention(%k, ...)              %a = litz.attention(%k, ...)
//
//   %a = litz.attention(...)  // {64, 16, 128, 1}   %a = litz.attention(...)  // {1024, 16, 64, 1}
//   %p = aten.permute(%a, [0, 2, 1, 3])        =>   %p = aten.permute(%a, [0, 2, 1, 3])
//   %c = aten.clone(%p, contiguous_format)          %v = aten.view(%p, [32, 64])
//   %v = aten.view(%c, [32, 64])
//
// Requires:        functional form; views and products have one spelling.
// Ensures:         a copy of an internal value goes if its readers, also through views, can read
//                  the source for less than the copy costs, or if the source can be written in the
//                  copy's layout at once. Types of internal values then state other strides than
//                  inference gives (layout_change.h has the rule); what the caller sees, and what
//                  is read by place, keeps its recorded layout. Results stay equal bit for bit.
// Why it matters:  attention heads, windows and transposed operands are copied once per layer.
// Cost:            one visit per node; a walk along views and their readers for each copy.

#include <vector>

#include "ops/op_table.h"
#include "passes/layout_change.h"
#include "passes/storage_versions.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Value;

// Bounds the walk along a chain of nodes, so that hostile programs take linear time.
constexpr int kLongestChain = 16;

Value root_of(Value value) {
  while (value.producer() != nullptr && is_view(*value.producer())) {
    value = value.producer()->input(0);
  }
  return value;
}

bool is_library_call(const Node& node) { return ir::has(node.op().traits, ir::Trait::library); }

// Fusion stores a loop nest's result directly in the layout of its only reader's copy.
bool copies_for_nothing(Value value) {
  while (value.producer() != nullptr && value.use_count() == 1) {
    if (!is_view(*value.producer())) return !is_library_call(*value.producer());
    value = value.producer()->input(0);
  }
  return false;
}

class LayoutChooser {
 public:
  LayoutChooser(ir::Graph& graph, PassContext& context)
      : graph_(graph), context_(context), costs_(graph, context, Sums::keep) {
    if (context.program == nullptr || &context.program->graph() != &graph) return;
    for (const ir::OutputSpec& output : context.program->outputs) {
      if (ir::is_mutation(output.kind)) {
        written_.push_back(graph.input(static_cast<size_t>(output.input)));
      }
    }
  }

  bool run() {
    bool changed = false;
    for (Node* node = graph_.first(); node != nullptr;) {
      Node* next = node->next();
      if (is_plain_copy(*node) && node->output().has_uses()) {
        changed = read_through(node) || write_so(node) || changed;
      }
      node = next;
    }
    return changed;
  }

 private:
  // Lets readers of the copy read its source.
  bool read_through(Node* copy) {
    const Value source = copy->input(0);
    // Moving a read behind the update of its memory would prevent an update in place.
    for (const Value written : written_) {
      if (root_of(source) == written) return false;
    }
    LayoutChange change(costs_);
    const double saved = copies_for_nothing(source) ? 0.5 : 2;
    if (!change.restate(copy->output(), source.tensor()) || change.moves() >= saved) return false;
    if (!context_.may_rewrite()) return false;
    change.keep();
    replace(copy);
    return true;
  }

  // Writes the source in the layout of the copy.
  bool write_so(Node* copy) {
    const Value source = copy->input(0);
    if (copies_for_nothing(source)) return false;
    Value root = source;
    TensorType type = copy->output().tensor();
    for (int i = 0; root.producer() != nullptr && is_view(*root.producer()); ++i) {
      const auto behind = layout_behind(*root.producer(), type);
      if (!behind || i == kLongestChain) return false;
      type = *behind;
      root = root.producer()->input(0);
    }
    if (root.producer() == nullptr || !type.offset.is(0) || !is_non_overlapping_and_dense(type)) {
      return false;
    }
    const double writing = costs_.writing(root, root.tensor(), type);
    LayoutChange change(costs_, copy);
    if (writing == kNever || !change.restate(root, type) || writing + change.moves() >= 2 ||
        !same_layout(source.tensor(), copy->output().tensor()) || !context_.may_rewrite()) {
      return false;
    }
    change.keep();
    replace(copy);
    return true;
  }

  void replace(Node* copy) {
    graph_.replace_uses(copy->output(), copy->input(0));
    graph_.erase_if_unused(copy);
  }

  ir::Graph& graph_;
  PassContext& context_;
  LayoutCosts costs_;
  std::vector<Value> written_;  // Inputs whose contents the program replaces.
};

}  // namespace

Changed choose_layouts(ir::Graph& graph, PassContext& context) {
  return LayoutChooser(graph, context).run() ? Changed::yes : Changed::no;
}

}  // namespace litz::passes
