// A compiled program as a function of a context of graph trees.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "artifact/program.h"
#include "compiler/leaf.h"
#include "runtime/trees/context.h"

namespace litz::compiler {

/// The context knows the program as long as this lives.
class GraphFunction {
 public:
  GraphFunction(std::shared_ptr<runtime::trees::Context> context, const artifact::Program& program);
  ~GraphFunction();
  GraphFunction(const GraphFunction&) = delete;
  GraphFunction& operator=(const GraphFunction&) = delete;

  /// Runs a call of the program, which `run` makes, in its turn.
  std::vector<Leaf> call(std::span<const Leaf> given,
                         const std::function<std::vector<Leaf>()>& run) {
    return context_->call_program(id_, given, run);
  }

 private:
  std::shared_ptr<runtime::trees::Context> context_;
  runtime::trees::FunctionId id_;
};

}  // namespace litz::compiler
