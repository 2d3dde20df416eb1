#include "import/targets.h"

#include <algorithm>
#include <array>

#include "import/node_metadata.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::import_ {
namespace {

constexpr std::string_view kOps = "torch.ops.";
constexpr std::string_view kDefault = ".default";
constexpr std::string_view kPredispatch = "torch._functorch.predispatch.";

// Bookkeeping of vmap's levels while a program is traced; a program is run without.
constexpr std::array<std::string_view, 3> kBookkeeping = {"functorch._vmap_decrement_nesting",
                                                          "functorch._vmap_increment_nesting",
                                                          "functorch.lazy_load_decompositions"};

constexpr std::array<std::string_view, 5> kSizeReaders = {"aten.sym_size", "aten.sym_size.int",
                                                          "aten.sym_stride.int", "aten.sym_numel",
                                                          "aten.sym_storage_offset"};

constexpr std::array<std::string_view, 4> kRewritten = {
    "higher_order.auto_functionalized", "higher_order.auto_functionalized_v2",
    "higher_order.out_dtype", "higher_order.with_effects"};

// With the reason, since the name alone would read like a gap.
struct NeverSupported {
  std::string_view name;
  std::string_view reason;
};

constexpr NeverSupported kNeverSupported[] = {
    {"higher_order.call_torchbind", "calls a script object"},
    {"higher_order.triton_kernel_wrapper_functional", "calls a user's GPU kernel by name only"},
    {"higher_order.aoti_call_delegate", "calls a compiled blob"},
    {"higher_order.executorch_call_delegate", "calls a compiled blob"},
};

struct Unknown {
  std::string first_node;  ///< With the line of Python that it came from, where that is known.
  size_t uses = 0;
};

class UnknownTargets {
 public:
  explicit UnknownTargets(const ir::OpSet& ops) : ops_(ops) {}

  void walk(const JsonValue& graph, const JsonPath& path, int depth) {
    require(depth <= 32, ErrorCode::limit_exceeded,
            "G6: sub-graphs may nest at most 32 deep:", path);
    const auto nodes = graph.at("nodes", path).as_array(path / "nodes");
    for (size_t i = 0; i < nodes.size(); ++i) {
      const JsonPath nodes_path = path / "nodes";
      visit(nodes[i], nodes_path / i, depth);
    }
  }

  void refuse_unknown() const {
    if (unknown_.empty()) return;
    std::string text = "G3: every operator must be known;";
    for (const auto& [name, use] : unknown_) {
      text += " unknown operator " + name + " used by node " + use.first_node;
      if (use.uses > 1) text += " (and " + std::to_string(use.uses - 1) + " more)";
      for (const NeverSupported& never : kNeverSupported) {
        if (never.name == name) text += ", which " + std::string(never.reason);
      }
      const std::vector<std::string> similar = ops_.suggestions(name);
      if (!similar.empty()) text += ", similar: " + join(similar, ", ");
      text += ';';
    }
    throw Error(ErrorCode::unsupported,
                text + " write the model with operators of aten, or decompose it into them");
  }

 private:
  void visit(const JsonValue& node, const JsonPath& path, int depth) {
    const std::string name = operator_name(node.at("target", path).as_string(path / "target"));
    if (!is_symbolic_computation(name) && !is_rewritten_on_import(name) && !is_dropped(name) &&
        ops_.find(name) == nullptr) {
      Unknown& unknown = unknown_[name];
      if (unknown.uses++ == 0) unknown.first_node = node_and_line(node, path);
    }
    const auto inputs = node.at("inputs", path).as_array(path / "inputs");
    for (size_t i = 0; i < inputs.size(); ++i) {
      const JsonPath inputs_path = path / "inputs";
      const JsonPath input_path = inputs_path / i;
      visit_argument(inputs[i].at("arg", input_path).as_union(input_path), input_path, name, node,
                     path, depth);
    }
  }

  void visit_argument(const JsonMember& argument, const JsonPath& path, const std::string& name,
                      const JsonValue& node, const JsonPath& node_path, int depth) {
    if (argument.key == "as_graph") {
      const JsonPath graph_path = path / "graph";
      walk(argument.value.at("graph", path), graph_path, depth + 1);
    } else if (argument.key == "as_operator" && is_rewritten_on_import(name)) {
      const std::string called = operator_name(argument.value.as_string(path));
      if (ops_.find(called) == nullptr) {
        Unknown& unknown = unknown_[called];
        if (unknown.uses++ == 0) unknown.first_node = node_and_line(node, node_path);
      }
    }
  }

  static std::string node_and_line(const JsonValue& node, const JsonPath& path) {
    const JsonValue* metadata = node.get("metadata", path);
    const std::string line = metadata == nullptr ? "" : describe(read_location(*metadata));
    return node_name(node, path) + (line.empty() ? "" : " (" + line + ")");
  }

  static std::string node_name(const JsonValue& node, const JsonPath& path) {
    const JsonValue* name = node.get("name", path);
    if (name != nullptr && name->is_string()) return std::string(name->as_string());
    // Old writers do not name nodes; the first result does as well.
    for (const JsonValue& output : node.at("outputs", path).as_array(path / "outputs")) {
      const JsonMember& member = output.as_union(path);
      const JsonValue* result = member.value.is_object() ? member.value.get("name", path) : nullptr;
      if (result != nullptr && result->is_string()) return std::string(result->as_string());
    }
    return path.text();
  }

  const ir::OpSet& ops_;
  std::map<std::string, Unknown> unknown_;
};

}  // namespace

std::string operator_name(std::string_view target) {
  if (target.starts_with(kPredispatch)) {
    return "functorch." + std::string(target.substr(kPredispatch.size()));
  }
  if (!target.starts_with(kOps)) return std::string(target);
  target.remove_prefix(kOps.size());
  if (target.ends_with(kDefault)) target.remove_suffix(kDefault.size());
  return std::string(target);
}

bool is_symbolic_computation(std::string_view name) {
  return name.starts_with("_operator.") || name.starts_with("math.") ||
         name.starts_with("torch.sym_") || name == "torch._sym_sqrt" ||
         std::ranges::find(kSizeReaders, name) != kSizeReaders.end();
}

bool is_dropped(std::string_view name) {
  return std::ranges::find(kBookkeeping, name) != kBookkeeping.end();
}

bool is_rewritten_on_import(std::string_view name) {
  return std::ranges::find(kRewritten, name) != kRewritten.end();
}

void require_known_targets(const JsonValue& graph, const JsonPath& path, const ir::OpSet& ops) {
  UnknownTargets unknown(ops);
  unknown.walk(graph, path, 0);
  unknown.refuse_unknown();
}

}  // namespace litz::import_
