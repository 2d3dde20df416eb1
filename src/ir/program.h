// An exported program: a module whose main graph is the forward, its signature, weights and guards.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "types/guard.h"
#include "types/tensor.h"

namespace litz::ir {

enum class InputKind : uint8_t { parameter, buffer, constant, user, constant_value, token };

/// Describes one input of the main graph, by position.
struct InputSpec {
  InputKind kind = InputKind::user;
  std::string target;      ///< Fully qualified name of a parameter, buffer or constant.
  std::string label;       ///< Readable name of a user input: "x", "opts['k']".
  bool persistent = true;  ///< Buffers only.
  Tensor data;             ///< Parameters, buffers, constants; undefined when weights are missing.
  Attribute literal;       ///< constant_value only: what the caller must pass.
};

enum class OutputKind : uint8_t {
  user,
  loss,
  buffer_mutation,
  parameter_mutation,
  input_mutation,
  gradient,
  token,
};

/// What the caller gets, as opposed to new contents of inputs.
inline bool is_user_output(OutputKind kind) {
  return kind == OutputKind::user || kind == OutputKind::loss || kind == OutputKind::gradient;
}

/// New contents of an input, which OutputSpec::input names.
inline bool is_mutation(OutputKind kind) {
  return kind == OutputKind::buffer_mutation || kind == OutputKind::parameter_mutation ||
         kind == OutputKind::input_mutation;
}

/// Describes one output of the main graph, by position.
struct OutputSpec {
  OutputKind kind = OutputKind::user;
  int input = -1;     ///< Mutations: which graph input receives the value.
  std::string label;  ///< Readable name of a user output.
};

struct Program {
  std::unique_ptr<Module> module;
  GraphRef main;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  std::vector<Guard> guards;
  bool functional = false;       ///< No node writes its operands.
  bool weights_missing = false;  ///< A stripped archive: good for info, not for running.
  std::string torch_version;
  std::string schema_version;
  std::string dialect;
  std::vector<std::string> warnings;

  Graph& graph() const { return module->graph(main); }
};

}  // namespace litz::ir
