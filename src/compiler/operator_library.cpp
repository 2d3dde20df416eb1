#include "compiler/operator_library.h"

#include <vector>

#include "kernels/operator_library.h"
#include "ops/user_operators.h"

namespace litz::compiler {
namespace {

ir::Trait traits_of(const litz_operator& op, const ir::Schema& schema) {
  ir::Trait traits = ir::Trait::none;
  const auto add = [&](uint32_t flag, ir::Trait trait) {
    if ((op.flags & flag) != 0) traits = traits | trait;
  };
  add(LITZ_OPERATOR_RANDOM, ir::Trait::random);
  add(LITZ_OPERATOR_UNSAFE_CAPTURE, ir::Trait::capture_unsafe);
  add(LITZ_OPERATOR_HAS_EFFECTS, ir::Trait::side_effect);
  // An operator without results is called for its side effects.
  if (schema.returns.empty() && !schema.mutates()) traits = traits | ir::Trait::side_effect;
  return traits;
}

void add_to_ops(const std::vector<kernels::UserOperator>& operators) {
  std::vector<ops::UserOperator> added;
  for (const kernels::UserOperator& op : operators) {
    const kernels::UserFunction& function = op.function;
    added.push_back({op.schema, traits_of(function.table, op.schema), function.like});
  }
  ops::register_user_operators(std::move(added));
}

}  // namespace

size_t register_operators(const litz_operator_library& library, const std::string& origin) {
  return kernels::register_operators(library, origin, add_to_ops);
}

size_t register_operators(const std::string& path) {
  return kernels::register_operators(path, add_to_ops);
}

}  // namespace litz::compiler
