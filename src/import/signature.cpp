#include "import/signature.h"

#include <algorithm>

#include "import/pytree.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::import_ {

using ir::InputKind;
using ir::InputSpec;
using ir::OutputKind;
using ir::OutputSpec;

namespace {

std::string text_field(const JsonValue& value, std::string_view key, const JsonPath& path) {
  return std::string(value.at(key, path).as_string(path / key));
}

// {"name": ...}, the argument of every spec except user inputs.
std::string named_argument(const JsonValue& spec, const JsonPath& path) {
  const JsonPath at = path / "arg";
  return std::string(argument_name(spec.at("arg", path), at));
}

// The name of a user value: a tensor's, or a host scalar's; empty for literals.
std::string user_name(const JsonValue& argument, const JsonPath& path) {
  const JsonMember& member = argument.as_union(path);
  if (!member.value.is_object()) return {};
  for (const std::string_view key : {"name", "as_name"}) {
    if (const JsonValue* name = member.value.get(key, path)) {
      return std::string(name->as_string(path / key));
    }
  }
  return {};
}

ir::Attribute read_constant_value(const JsonValue& value, const JsonPath& path) {
  const JsonMember& member = value.as_union(path);
  const JsonPath at = path / member.key;
  if (member.key == "as_none") return {};
  if (member.key == "as_int") return Expr(member.value.as_int(at));
  if (member.key == "as_float") return Expr::real(member.value.as_double(at));
  if (member.key == "as_bool") return Expr::boolean(member.value.as_bool(at));
  require(member.key == "as_string", ErrorCode::corrupt, "J5: unknown kind of constant:", path,
          quote(member.key));
  return std::string(member.value.as_string(at));
}

RecordedInput read_input_spec(const JsonMember& member, const JsonPath& path) {
  RecordedInput input;
  InputSpec& spec = input.spec;
  const JsonValue& value = member.value;
  if (member.key == "user_input") {
    spec.kind = InputKind::user;
    input.name = user_name(value.at("arg", path), path / "arg");
  } else if (member.key == "parameter") {
    spec.kind = InputKind::parameter;
    spec.target = text_field(value, "parameter_name", path);
    input.name = named_argument(value, path);
  } else if (member.key == "buffer") {
    spec.kind = InputKind::buffer;
    spec.target = text_field(value, "buffer_name", path);
    input.name = named_argument(value, path);
    if (const JsonValue* persistent = value.get("persistent", path)) {
      spec.persistent = persistent->as_bool(path / "persistent");
    }
  } else if (member.key == "tensor_constant") {
    spec.kind = InputKind::constant;
    spec.target = text_field(value, "tensor_constant_name", path);
    input.name = named_argument(value, path);
  } else if (member.key == "token") {
    spec.kind = InputKind::token;
    input.name = named_argument(value, path);
  } else if (member.key == "constant_input") {
    spec.kind = InputKind::constant_value;
    spec.label = text_field(value, "name", path);
    spec.literal = read_constant_value(value.at("value", path), path / "value");
  } else {
    fail(member.key == "custom_obj" ? ErrorCode::unsupported : ErrorCode::corrupt,
         member.key == "custom_obj" ? "script objects are not supported:"
                                    : "J5: unknown kind of input:",
         path, quote(member.key));
  }
  return input;
}

int find_target(const std::vector<RecordedInput>& inputs, InputKind kind, std::string_view target,
                const JsonPath& path) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].spec.kind == kind && inputs[i].spec.target == target) return static_cast<int>(i);
  }
  fail(ErrorCode::corrupt, "J8: a mutation must name an input:", path, quote(target));
}

OutputSpec read_output_spec(const JsonMember& member, const JsonPath& path,
                            const std::vector<RecordedInput>& inputs) {
  OutputSpec spec;
  const JsonValue& value = member.value;
  if (member.key == "user_output") {
    spec.kind = OutputKind::user;
  } else if (member.key == "loss_output") {
    spec.kind = OutputKind::loss;
  } else if (member.key == "buffer_mutation") {
    spec.kind = OutputKind::buffer_mutation;
    spec.input =
        find_target(inputs, InputKind::buffer, text_field(value, "buffer_name", path), path);
  } else if (member.key == "parameter_mutation") {
    spec.kind = OutputKind::parameter_mutation;
    spec.input =
        find_target(inputs, InputKind::parameter, text_field(value, "parameter_name", path), path);
  } else if (member.key == "user_input_mutation") {
    spec.kind = OutputKind::input_mutation;
    const std::string name = text_field(value, "user_input_name", path);
    const auto found = std::ranges::find(inputs, name, &RecordedInput::name);
    require(found != inputs.end() && found->spec.kind == InputKind::user, ErrorCode::corrupt,
            "J8: a mutation must name a user input:", path, quote(name));
    spec.input = static_cast<int>(found - inputs.begin());
  } else if (member.key == "gradient_to_parameter" || member.key == "gradient_to_user_input") {
    spec.kind = OutputKind::gradient;
    spec.label =
        "gradient of " +
        text_field(value,
                   member.key == "gradient_to_parameter" ? "parameter_name" : "user_input_name",
                   path);
  } else {
    require(member.key == "token", ErrorCode::corrupt, "J5: unknown kind of output:", path,
            quote(member.key));
    spec.kind = OutputKind::token;
  }
  return spec;
}

const JsonValue* root_call_signature(const JsonValue& graph_module, const JsonPath& path) {
  const JsonValue* calls = graph_module.get("module_call_graph", path);
  if (calls == nullptr) return nullptr;
  for (const JsonValue& entry : calls->as_array(path / "module_call_graph")) {
    const JsonValue* fqn = entry.get("fqn", path);
    if (fqn != nullptr && fqn->is_string() && fqn->as_string().empty()) {
      return entry.get("signature", path);
    }
  }
  return nullptr;
}

std::vector<std::string> forward_names(const JsonValue& signature, const JsonPath& path) {
  std::vector<std::string> names;
  const JsonValue* list = signature.get("forward_arg_names", path);
  if (list == nullptr) return names;
  for (const JsonValue& name : list->as_array(path)) names.emplace_back(name.as_string(path));
  return names;
}

void label_inputs(ir::Program& program, const std::vector<std::string>& names) {
  size_t leaf = 0;
  for (InputSpec& spec : program.inputs) {
    if (spec.kind != InputKind::user && spec.kind != InputKind::constant_value) continue;
    require(leaf < names.size(), ErrorCode::corrupt,
            "the input spec must have a leaf for every user input:", names.size());
    spec.label = names[leaf++];
  }
}

void label_outputs(ir::Program& program, const std::vector<std::string>& names) {
  size_t leaf = 0;
  for (OutputSpec& spec : program.outputs) {
    if (spec.kind != OutputKind::user && spec.kind != OutputKind::loss) continue;
    require(leaf < names.size(), ErrorCode::corrupt,
            "the output spec must have a leaf for every user output:", names.size());
    spec.label = names[leaf++];
  }
}

void check_placeholder(const InputSpec& spec, const Payload& payload, const TensorType& type) {
  bool same = payload.dtype == type.dtype && payload.sizes.size() == type.rank();
  for (size_t i = 0; same && i < type.rank(); ++i) {
    same = type.sizes[i].is_constant() && type.sizes[i].constant() == payload.sizes[i];
  }
  require(same, ErrorCode::corrupt,
          "W6: dtype and sizes of a weight must be those of its placeholder:", quote(spec.target),
          "stored", litz::name(payload.dtype), "[" + join(payload.sizes, ", ") + "]", "placeholder",
          type);
}

}  // namespace

std::vector<RecordedInput> read_input_specs(const JsonValue& signature, const JsonPath& path) {
  std::vector<RecordedInput> inputs;
  const JsonPath specs_path = path / "input_specs";
  const auto specs = signature.at("input_specs", path).as_array(specs_path);
  for (size_t i = 0; i < specs.size(); ++i) {
    const JsonPath at = specs_path / i;
    const JsonMember& member = specs[i].as_union(at);
    inputs.push_back(read_input_spec(member, at / member.key));
  }
  return inputs;
}

std::vector<OutputSpec> read_output_specs(const JsonValue& signature, const JsonPath& path,
                                          const std::vector<RecordedInput>& inputs) {
  std::vector<OutputSpec> outputs;
  const JsonPath specs_path = path / "output_specs";
  const auto specs = signature.at("output_specs", path).as_array(specs_path);
  for (size_t i = 0; i < specs.size(); ++i) {
    const JsonPath at = specs_path / i;
    const JsonMember& member = specs[i].as_union(at);
    outputs.push_back(read_output_spec(member, at / member.key, inputs));
  }
  return outputs;
}

void label_leaves(const JsonValue& graph_module, const JsonPath& path, ir::Program& program) {
  try {
    const JsonValue* signature = root_call_signature(graph_module, path);
    if (signature == nullptr) return;
    label_inputs(program, input_leaf_names(signature->at("in_spec", path).as_string(path),
                                           forward_names(*signature, path)));
    label_outputs(program, output_leaf_names(signature->at("out_spec", path).as_string(path)));
  } catch (const Error& error) {
    // Names are for people; a program also runs without them.
    program.warnings.push_back("names of inputs and outputs are not readable: " + error.message());
  }
}

void attach_payloads(const PayloadTable& payloads, ir::Program& program) {
  const ir::Graph& graph = program.graph();
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    InputSpec& spec = program.inputs[i];
    const bool stored = spec.kind == InputKind::parameter || spec.kind == InputKind::buffer ||
                        spec.kind == InputKind::constant;
    if (!stored) continue;
    const Payload* payload = payloads.find(spec.target);
    if (payload == nullptr && payloads.all().empty()) {
      program.weights_missing = true;
      continue;
    }
    require(payload != nullptr, ErrorCode::corrupt,
            "W4: a weight must be listed in the archive:", quote(spec.target));
    require(!payload->is_object, ErrorCode::unsupported,
            "W5: a weight must be a tensor:", quote(spec.target));
    check_placeholder(spec, *payload, graph.input(i).tensor());
    spec.data = payload->tensor;
    if (!spec.data.defined()) program.weights_missing = true;
  }
}

}  // namespace litz::import_
