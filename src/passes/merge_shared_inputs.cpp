// Makes one input of weights that are one tensor under several names, if the program writes it.
//
//   graph @main(%k, %alias, %x)                      graph @main(%k, %x)
//     %new = aten.index_copy(%alias, ...)      =>      %new = aten.index_copy(%k, ...)
//     return %new, %new   // for %k, for %alias        return %new               // for %k
//
// Requires:        a functional graph with its mutations in the signature.
// Ensures:         of weights with one storage and geometry, at least one of which the program
//                  changes, only the first remains: parameters before buffers before constants. They
//                  must agree on the new contents; otherwise they stay as they are.
// Why it matters:  exported caches are buffers whose updates name constants on the same memory. With
//                  two names for it, no update can happen in place, and new contents are copied twice.
// Cost:            one look at each input, and at each use of those that go.

#include <algorithm>
#include <iterator>
#include <vector>

#include "ir/graph.h"
#include "passes/graph_passes.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using Group = std::vector<size_t>;

bool is_same_tensor(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() && a.strides() == b.strides() &&
         a.offset() == b.offset();
}

/// Weights that are the same tensor, by two or more.
std::vector<Group> equal_weights(const ir::Program& program) {
  std::vector<Group> equal;
  for (const Group& shared : shared_inputs(program)) {
    std::vector<Group> groups;
    for (const size_t input : shared) {
      const auto same = std::ranges::find_if(groups, [&](const Group& group) {
        return is_same_tensor(program.inputs[group.front()].data, program.inputs[input].data);
      });
      if (same == groups.end()) {
        groups.push_back({input});
      } else {
        same->push_back(input);
      }
    }
    std::ranges::copy_if(groups, std::back_inserter(equal),
                         [](const Group& group) { return group.size() > 1; });
  }
  return equal;
}

class Merger {
 public:
  Merger(ir::Graph& graph, ir::Program& program)
      : graph_(graph), program_(program), goes_(program.inputs.size(), false) {}

  bool run(PassContext& context) {
    bool changed = false;
    for (Group& group : equal_weights(program_)) {
      if (!agrees(group) || !context.may_rewrite()) continue;
      merge(group);
      changed = true;
    }
    if (changed) erase();
    return changed;
  }

 private:
  /// The outputs that are new contents of the group's inputs.
  std::vector<size_t> mutations(const Group& group) const {
    std::vector<size_t> found;
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      const ir::OutputSpec& output = program_.outputs[i];
      if (!is_mutation(output.kind)) continue;
      if (std::ranges::count(group, static_cast<size_t>(output.input)) > 0) found.push_back(i);
    }
    return found;
  }

  bool agrees(const Group& group) const {
    const std::vector<size_t> written = mutations(group);
    if (written.empty()) return false;
    return std::ranges::all_of(written, [&](size_t output) {
      return graph_.outputs()[output] == graph_.outputs()[written.front()];
    });
  }

  void merge(Group& group) {
    std::ranges::stable_sort(group, {}, [&](size_t input) { return program_.inputs[input].kind; });
    const size_t kept = group.front();
    const std::vector<size_t> written = mutations(group);
    for (size_t i = 1; i < group.size(); ++i) {
      graph_.replace_uses(graph_.input(group[i]), graph_.input(kept));
      goes_[group[i]] = true;
    }
    const bool is_parameter = program_.inputs[kept].kind == ir::InputKind::parameter;
    ir::OutputSpec& output = program_.outputs[written.front()];
    output.input = static_cast<int>(kept);
    output.kind =
        is_parameter ? ir::OutputKind::parameter_mutation : ir::OutputKind::buffer_mutation;
    dropped_.insert(dropped_.end(), written.begin() + 1, written.end());
  }

  void erase() {
    std::vector<ir::Argument> results;
    std::vector<ir::OutputSpec> specs;
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      if (std::ranges::count(dropped_, i) > 0) continue;
      results.push_back(graph_.outputs()[i]);
      specs.push_back(std::move(program_.outputs[i]));
    }
    graph_.set_outputs(std::move(results));
    program_.outputs = std::move(specs);
    std::vector<int> number(goes_.size());  // By old position.
    for (size_t i = 0, next = 0; i < goes_.size(); ++i) {
      number[i] = static_cast<int>(next);
      if (!goes_[i]) ++next;
    }
    for (ir::OutputSpec& output : program_.outputs) {
      if (output.input >= 0) output.input = number[static_cast<size_t>(output.input)];
    }
    for (size_t i = goes_.size(); i-- > 0;) {
      if (!goes_[i]) continue;
      graph_.erase_input(i);
      program_.inputs.erase(program_.inputs.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  ir::Graph& graph_;
  ir::Program& program_;
  std::vector<bool> goes_;  ///< By input.
  std::vector<size_t> dropped_;
};

}  // namespace

Changed merge_shared_inputs(ir::Graph& graph, PassContext& context) {
  if (context.program == nullptr || &context.program->graph() != &graph) return Changed::no;
  return Merger(graph, *context.program).run(context) ? Changed::yes : Changed::no;
}

}  // namespace litz::passes
