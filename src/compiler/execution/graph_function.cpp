#include "compiler/execution/graph_function.h"

#include <utility>

#include "runtime/trees/program_parts.h"

namespace litz::compiler {

GraphFunction::GraphFunction(std::shared_ptr<runtime::trees::Context> context,
                             const artifact::Program& program)
    : context_(std::move(context)) {
  runtime::trees::Function function;
  function.name = program.name;
  function.is_program = true;
  function.parts = runtime::trees::parts_of(program);
  id_ = context_->add(std::move(function));
}

GraphFunction::~GraphFunction() { context_->remove(id_); }

}  // namespace litz::compiler
