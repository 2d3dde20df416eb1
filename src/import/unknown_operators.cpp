// Walks all graphs of an archive before building any, so that an operator has one signature for all
// its calls. See unknown_operators.h.

#include "import/unknown_operators.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "import/node_metadata.h"
#include "import/targets.h"
#include "ir/declared_ops.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::import_ {
namespace {

using ir::ArgKind;

// Has a reason, since the name alone would look like a missing operator.
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

struct TagKind {
  std::string_view tag;
  ArgKind kind;
};

constexpr std::array kTagKinds{
    TagKind{"as_bool", ArgKind::boolean},
    TagKind{"as_bools", ArgKind::boolean_list},
    TagKind{"as_complex", ArgKind::scalar},
    TagKind{"as_device", ArgKind::device},
    TagKind{"as_float", ArgKind::real},
    TagKind{"as_floats", ArgKind::real_list},
    TagKind{"as_int", ArgKind::integer},
    TagKind{"as_ints", ArgKind::integer_list},
    TagKind{"as_layout", ArgKind::layout},
    TagKind{"as_memory_format", ArgKind::memory_format},
    TagKind{"as_operator", ArgKind::op},
    TagKind{"as_optional_tensor", ArgKind::tensor},
    TagKind{"as_optional_tensors", ArgKind::optional_tensor_list},
    TagKind{"as_scalar_type", ArgKind::dtype},
    TagKind{"as_string", ArgKind::string},
    TagKind{"as_strings", ArgKind::string_list},
    TagKind{"as_sym_bool", ArgKind::boolean},
    TagKind{"as_sym_bools", ArgKind::boolean_list},
    TagKind{"as_sym_float", ArgKind::real},
    TagKind{"as_sym_floats", ArgKind::real_list},
    TagKind{"as_sym_int", ArgKind::integer},
    TagKind{"as_sym_ints", ArgKind::integer_list},
    TagKind{"as_tensor", ArgKind::tensor},
    TagKind{"as_tensors", ArgKind::tensor_list},
};

std::optional<ArgKind> kind_of(std::string_view tag) {
  const auto* found = std::ranges::find(kTagKinds, tag, &TagKind::tag);
  return found == kTagKinds.end() ? std::nullopt : std::optional(found->kind);
}

bool is_one_of(ArgKind kind, std::initializer_list<ArgKind> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

/// The kind that accepts both: calls of one operator may pass an int here and a float there.
ArgKind common(ArgKind a, ArgKind b) {
  if (a == b) return a;
  const auto both = [&](std::initializer_list<ArgKind> kinds) {
    return is_one_of(a, kinds) && is_one_of(b, kinds);
  };
  if (both({ArgKind::integer, ArgKind::real, ArgKind::boolean, ArgKind::scalar})) {
    return ArgKind::scalar;
  }
  if (both({ArgKind::integer_list, ArgKind::real_list, ArgKind::boolean_list,
            ArgKind::scalar_list})) {
    return ArgKind::scalar_list;
  }
  if (both({ArgKind::tensor_list, ArgKind::optional_tensor_list})) {
    return ArgKind::optional_tensor_list;
  }
  return ArgKind::any;
}

bool is_word(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && std::ranges::all_of(text, is_letter);
}

bool is_operator_name(std::string_view name) {
  const std::vector<std::string_view> words = split(name, '.');
  return words.size() > 1 && std::ranges::all_of(words, is_word);
}

struct SketchedArgument {
  std::string name;
  std::optional<ArgKind> kind;  ///< None if all calls pass None.
  size_t given = 0;             ///< The number of calls that pass a value.
  bool mutated = false;
};

/// What the calls of one operator show.
struct Sketch {
  std::string first_node;  ///< With its line of Python, if known.
  size_t calls = 0;
  std::string refusal;  ///< Why it cannot be a node; empty: it can.
  std::vector<SketchedArgument> arguments;
  std::vector<ArgKind> returns;
  bool returns_vary = false;

  ir::Schema schema(const std::string& name) const {
    ir::Schema schema;
    schema.name = name;
    char letter = 'a';
    for (const SketchedArgument& sketched : arguments) {
      ir::SchemaArgument& argument = schema.arguments.emplace_back();
      argument.name = sketched.name;
      argument.kind = sketched.kind.value_or(ArgKind::any);
      argument.optional = sketched.given < calls;
      argument.has_default = argument.optional;
      argument.mutated = sketched.mutated;
      if (sketched.mutated) argument.alias = letter++;
    }
    if (returns_vary) {
      schema.returns.push_back({.kind = ArgKind::any_list});
    } else {
      for (const ArgKind kind : returns) schema.returns.push_back({.kind = kind});
    }
    return schema;
  }
};

/// Reads the arguments of one call in order. A new name is inserted after its predecessor.
class CallReader {
 public:
  CallReader(Sketch& sketch, const JsonPath& path) : sketch_(sketch), path_(path) {}

  void add(const std::string& name, std::string_view tag, bool mutated) {
    if (!is_word(name)) return refuse("has an argument named " + quote(name));
    auto& arguments = sketch_.arguments;
    auto at = std::ranges::find(arguments, name, &SketchedArgument::name);
    if (at == arguments.end()) {
      at = arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(next_), {.name = name});
    }
    next_ = static_cast<size_t>(at - arguments.begin()) + 1;
    at->mutated = at->mutated || mutated;
    if (tag == "as_none") return;
    if (tag == "as_graph") return refuse("takes a graph");
    const std::optional<ArgKind> kind = kind_of(tag);
    if (!kind) return refuse("takes a value of the kind " + quote(tag));
    at->kind = at->kind ? common(*at->kind, *kind) : *kind;
    // An argument recorded as optional may be None in other calls.
    if (tag != "as_optional_tensor") ++at->given;
  }

  void set_returns(std::vector<ArgKind> returns) {
    if (sketch_.calls > 1 && returns != sketch_.returns) sketch_.returns_vary = true;
    sketch_.returns = std::move(returns);
  }

  void refuse(const std::string& reason) {
    if (sketch_.refusal.empty()) sketch_.refusal = reason;
  }

  const JsonPath& path() const { return path_; }

 private:
  Sketch& sketch_;
  const JsonPath& path_;
  size_t next_ = 0;
};

/// One input of a node.
struct Given {
  std::string_view name;
  std::string_view tag;
  const JsonValue* value;
};

std::vector<Given> inputs_of(const JsonValue& node, const JsonPath& path) {
  std::vector<Given> given;
  for (const JsonValue& input : node.at("inputs", path).as_array(path / "inputs")) {
    const JsonMember& member = input.at("arg", path).as_union(path / "inputs");
    given.push_back({input.at("name", path).as_string(path / "name"), member.key, &member.value});
  }
  return given;
}

class UnknownOperators {
 public:
  explicit UnknownOperators(const ir::OpSet& ops) : ops_(ops) {}

  void walk(const JsonValue& graph, const JsonPath& path, int depth) {
    require(depth <= 32, ErrorCode::limit_exceeded,
            "G6: sub-graphs may nest at most 32 deep:", path);
    const auto nodes = graph.at("nodes", path).as_array(path / "nodes");
    for (size_t i = 0; i < nodes.size(); ++i) {
      const JsonPath nodes_path = path / "nodes";
      visit(nodes[i], nodes_path / i, depth);
    }
  }

  bool empty() const { return sketches_.empty(); }

  void refuse() const {
    std::string text;
    for (const auto& [name, sketch] : sketches_) {
      if (sketch.refusal.empty()) continue;
      text += " unknown operator " + name + " used by node " + sketch.first_node;
      if (sketch.calls > 1) text += " (and " + std::to_string(sketch.calls - 1) + " more)";
      text += ", which " + sketch.refusal;
      const std::vector<std::string> similar = ops_.suggestions(name);
      if (!similar.empty()) text += ", similar: " + join(similar, ", ");
      text += ';';
    }
    if (text.empty()) return;
    throw Error(ErrorCode::unsupported,
                "G3: every operator must be known or have values for operands;" + text +
                    " write the model with operators of aten, or decompose it into them");
  }

  void declare(ir::DeclaredOps& ops, ir::Trait traits) const {
    for (const auto& [name, sketch] : sketches_) ops.declare(sketch.schema(name), traits);
  }

 private:
  void visit(const JsonValue& node, const JsonPath& path, int depth) {
    const std::string name = operator_name(node.at("target", path).as_string(path / "target"));
    const std::vector<Given> inputs = inputs_of(node, path);
    for (const Given& input : inputs) {
      if (input.tag == "as_graph") walk(input.value->at("graph", path), path / "graph", depth + 1);
    }
    if (is_symbolic_computation(name) || is_dropped(name)) return;
    if (is_rewritten_on_import(name)) {
      if (!inputs.empty()) visit_rewritten(name, inputs, node, path);
    } else if (ops_.find(name) == nullptr) {
      CallReader call(sketch(name, node, path), path);
      for (size_t i = 0; i < inputs.size(); ++i) {
        call.add(operand_name(inputs[i].name, i), inputs[i].tag, false);
      }
      call.set_returns(returns_of(node, path, call));
    }
  }

  // Handles a higher-order operator that describes another call: see rewritten_calls.cpp.
  void visit_rewritten(const std::string& name, const std::vector<Given>& inputs,
                       const JsonValue& node, const JsonPath& path) {
    const bool has_token = name == "higher_order.with_effects";
    const size_t position = has_token ? 1 : 0;
    if (position >= inputs.size() || inputs[position].tag != "as_operator") return;
    const std::string called = operator_name(inputs[position].value->as_string(path));
    if (ops_.find(called) != nullptr) return;
    CallReader call(sketch(called, node, path), path);
    std::vector<ArgKind> returns = returns_of(node, path, call);
    if (name == "higher_order.auto_functionalized_v2") {
      const size_t bases = add_functionalized(inputs, call);
      returns.resize(returns.size() - std::min(bases, returns.size()));
    } else if (name == "higher_order.auto_functionalized") {
      call.refuse("was made functional without a word on which operands it writes");
    } else {
      for (size_t i = position + 1; i < inputs.size(); ++i) {
        call.add(operand_name(inputs[i].name, i - position - 1), inputs[i].tag, false);
      }
    }
    if (has_token && !returns.empty()) returns.erase(returns.begin());
    // An operator without results is recorded as returning None.
    const auto outputs = node.at("outputs", path).as_array(path / "outputs");
    const size_t first = has_token ? 1 : 0;
    const bool gives_none =
        first < outputs.size() && outputs[first].as_union(path / "outputs").key == "as_none";
    if (returns.size() == 1 && gives_none) returns.clear();
    call.set_returns(std::move(returns));
  }

  /// Adds arguments in two groups, since their order is not recorded: written ones come first.
  static size_t add_functionalized(const std::vector<Given>& inputs, CallReader& call) {
    constexpr std::string_view kBase = "_base_index";
    constexpr std::string_view kLength = "_length";
    std::set<std::string, std::less<>> lists;
    std::vector<std::string> written;
    for (const Given& input : inputs) {
      if (input.name.size() > kLength.size() + 1 && input.name.starts_with('_') &&
          input.name.ends_with(kLength)) {
        lists.insert(std::string(input.name.substr(1, input.name.size() - kLength.size() - 1)));
      }
    }
    const auto list_of = [&](std::string_view element) {
      const size_t number = element.rfind('_');
      const auto found =
          number == std::string_view::npos ? lists.end() : lists.find(element.substr(0, number));
      return found == lists.end() ? std::string() : *found;
    };
    for (const Given& input : inputs) {
      if (!input.name.starts_with('_') || !input.name.ends_with(kBase)) continue;
      const std::string_view name = input.name.substr(1, input.name.size() - kBase.size() - 1);
      if (!list_of(name).empty()) continue;
      call.add(std::string(name), input.tag == "as_none" ? "as_none" : "as_tensor", true);
      written.emplace_back(name);
    }
    for (const std::string& list : lists) {
      call.add(list, "as_tensors", true);
      written.push_back(list);
    }
    size_t bases = 0;
    for (const Given& input : inputs) {
      if (input.name == "_all_bases") bases = input.value->as_array(call.path()).size();
      const bool describes = std::ranges::any_of(written, [&](const std::string& name) {
        return input.name.starts_with("_" + name + "_");
      });
      if (input.name.empty() || input.name == "_all_bases" || describes) continue;
      call.add(std::string(input.name), input.tag, false);
    }
    return bases;
  }

  static std::vector<ArgKind> returns_of(const JsonValue& node, const JsonPath& path,
                                         CallReader& call) {
    std::vector<ArgKind> returns;
    for (const JsonValue& output : node.at("outputs", path).as_array(path / "outputs")) {
      const std::string_view tag = output.as_union(path / "outputs").key;
      const ArgKind kind = kind_of(tag).value_or(ArgKind::any);
      const bool is_result =
          tag == "as_none" || is_one_of(kind, {ArgKind::tensor, ArgKind::tensor_list,
                                               ArgKind::integer, ArgKind::real, ArgKind::boolean});
      if (!is_result) call.refuse("gives a value of the kind " + quote(tag));
      returns.push_back(tag == "as_none" ? ArgKind::tensor : kind);
    }
    return returns;
  }

  Sketch& sketch(const std::string& name, const JsonValue& node, const JsonPath& path) {
    Sketch& sketch = sketches_[name];
    if (sketch.calls++ > 0) return sketch;
    sketch.first_node = node_and_line(node, path);
    if (!is_operator_name(name)) sketch.refusal = "is no name of an operator";
    for (const NeverSupported& never : kNeverSupported) {
      if (never.name == name) sketch.refusal = never.reason;
    }
    return sketch;
  }

  static std::string node_and_line(const JsonValue& node, const JsonPath& path) {
    const JsonValue* metadata = node.get("metadata", path);
    const std::string line = metadata == nullptr ? "" : describe(read_location(*metadata));
    return node_name(node, path) + (line.empty() ? "" : " (" + line + ")");
  }

  static std::string node_name(const JsonValue& node, const JsonPath& path) {
    const JsonValue* name = node.get("name", path);
    if (name != nullptr && name->is_string()) return std::string(name->as_string());
    // Old writers do not name nodes, so the first result's name is used.
    for (const JsonValue& output : node.at("outputs", path).as_array(path / "outputs")) {
      const JsonMember& member = output.as_union(path);
      const JsonValue* result = member.value.is_object() ? member.value.get("name", path) : nullptr;
      if (result != nullptr && result->is_string()) return std::string(result->as_string());
    }
    return path.text();
  }

  const ir::OpSet& ops_;
  std::map<std::string, Sketch> sketches_;
};

}  // namespace

std::string operand_name(std::string_view name, size_t position) {
  return name.empty() ? "operand" + std::to_string(position) : std::string(name);
}

std::shared_ptr<const ir::OpSet> with_unknown_operators(const JsonValue& graph,
                                                        const JsonPath& path,
                                                        std::shared_ptr<const ir::OpSet> ops,
                                                        bool is_functional) {
  UnknownOperators unknown(*ops);
  unknown.walk(graph, path, 0);
  if (unknown.empty()) return ops;
  unknown.refuse();
  auto declared = std::make_shared<ir::DeclaredOps>(std::move(ops));
  unknown.declare(*declared, is_functional ? ir::Trait::side_effect : ir::Trait::opaque);
  return declared;
}

}  // namespace litz::import_
