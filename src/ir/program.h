// An exported program: a module with its main graph, signature, weights and guards.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "expr/guard.h"
#include "ir/graph.h"
#include "types/signature_kinds.h"
#include "types/tensor.h"

namespace litz::ir {

using litz::InputKind;
using litz::is_mutation;
using litz::is_user_output;
using litz::OutputKind;

/// Describes one input of the main graph, by position.
struct InputSpec {
  InputKind kind = InputKind::user;
  std::string target;      ///< Fully qualified name of a parameter, buffer or constant.
  std::string label;       ///< Readable name of a user input: "x", "opts['k']".
  bool persistent = true;  ///< Buffers only.
  Tensor data;             ///< Parameters, buffers, constants; undefined when weights are missing.
  Attribute literal;       ///< For constant_value: what the caller must pass.
};

/// Describes one output of the main graph, by position.
struct OutputSpec {
  OutputKind kind = OutputKind::user;
  int input = -1;     ///< For mutations: the graph input that receives the value.
  std::string label;  ///< Readable name of a user output.
};

struct Program {
  std::unique_ptr<Module> module;
  GraphRef main;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  std::vector<Guard> guards;
  bool functional = false;       ///< No node writes its operands.
  bool weights_missing = false;  ///< A stripped archive, which can be inspected but not run.
  std::string torch_version;
  std::string schema_version;
  std::string dialect;
  std::vector<std::string> warnings;

  Graph& graph() const { return module->graph(main); }
};

}  // namespace litz::ir
