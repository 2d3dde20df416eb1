#include "compiler/missing_functions.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ir/child_graphs.h"
#include "ir/declared_ops.h"
#include "ir/value_labels.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::compiler {
namespace {

struct Missing {
  std::string first;
  size_t calls = 0;
};

std::string place_of(const ir::Node& node, const ir::ValueLabels& labels) {
  std::string text = labels.definition(node);
  if (text.empty()) text = "a call without results";
  const ir::Location& location = node.location();
  if (!location.file.empty())
    text += " (" + location.file + ":" + std::to_string(location.line) + ")";
  return text;
}

bool is_aten(std::string_view name) { return name.starts_with("aten."); }

/// Decompositions make these operators, and replace none of them.
bool is_prim(std::string_view name) { return name.starts_with("prims."); }

/// What to try for ATen operators: a program has them raw, or taken apart.
std::string advice(const ir::Program& program) {
  if (program.dialect == "ATEN") {
    return "- save the program without run_decompositions(): the raw form has other operators, "
           "which Litz may know";
  }
  return "- call program.run_decompositions() before torch.export.save: it replaces operators of "
         "PyTorch by simpler ones, which Litz may know";
}

}  // namespace

void require_functions(const ir::Program& program) {
  std::map<std::string_view, Missing> all;
  for (const ir::Graph* graph : ir::post_order(program.graph())) {
    const ir::ValueLabels labels(*graph);
    for (const ir::Node* node = graph->first(); node != nullptr; node = node->next()) {
      if (node->op().origin != ir::OpOrigin::program) continue;
      const std::string_view written = ir::name_of_written_form(node->op().name());
      Missing& missing = all[written.empty() ? node->op().name() : written];
      if (missing.calls++ == 0) missing.first = place_of(*node, labels);
    }
  }
  if (all.empty()) return;
  std::string text = "every operator must have a function to be run;";
  for (const auto& [name, missing] : all) {
    text += " nobody knows " + std::string(name) + " of " + missing.first;
    if (missing.calls > 1) text += " and " + std::to_string(missing.calls - 1) + " more";
    const std::vector<std::string> similar = program.module->ops().suggestions(name);
    if (!similar.empty()) text += ", similar: " + join(similar, ", ");
    text += ";";
  }
  text.pop_back();
  const auto aten =
      std::ranges::count_if(all, [](const auto& each) { return is_aten(each.first); });
  const auto prims =
      std::ranges::count_if(all, [](const auto& each) { return is_prim(each.first); });
  if (aten > 0) text += " " + advice(program);
  if (prims > 0) {
    text +=
        " - write the model with operators of aten in the place of prims, which are the parts "
        "that decompositions leave";
  }
  const bool has_other = static_cast<size_t>(aten + prims) < all.size();
  if (has_other) text += " " + std::string(kHowToRegister);
  throw Error(ErrorCode::unsupported, text);
}

}  // namespace litz::compiler
