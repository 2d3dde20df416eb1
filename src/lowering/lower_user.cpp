// Lowers custom operators to a library call of the operator's name, whether or not a function is
// registered for it. A call without a function fails when it is reached.

#include <utility>

#include "ir/declared_ops.h"
#include "lowering/graph_lowering.h"
#include "ops/random_streams.h"
#include "support/check.h"
#include "support/hash.h"

namespace litz::lowering {
namespace {

/// Library calls have no devices or layouts as arguments; user functions get their names.
ir::Attribute named(const ir::Attribute& attribute) {
  if (const auto* device = std::get_if<Device>(&attribute)) return to_string(*device);
  if (std::holds_alternative<ir::Layout>(attribute)) return std::string("strided");
  if (const auto* format = std::get_if<MemoryFormat>(&attribute)) return std::string(name(*format));
  return attribute;
}

/// Different for every stream and call.
Expr seed_of(const ir::Node& node) {
  const auto stream = static_cast<int64_t>(
      hash_combine(hash_name(node.op().name()), static_cast<uint64_t>(ir::stream_of(node))) >> 8);
  return ops::seed_symbol(node.graph().module()) + stream;
}

}  // namespace

void GraphLowering::lower_user(ir::Node& node) {
  const ir::OpInfo& op = node.op();
  require(
      !op.schema.mutates(), ErrorCode::unsupported,
      "an operator that writes its operands must be made functional before lowering:", op.name());
  const std::string_view written_form = ir::name_of_written_form(op.name());
  LibraryStep step =
      library_step(node, std::string(written_form.empty() ? op.name() : written_form));
  for (LibraryOperand& operand : step.arguments) operand.attribute = named(operand.attribute);
  step.keeps_order = ir::has_effects(node);
  if (ir::has(op.traits, ir::Trait::random)) step.arguments.push_back({.attribute = seed_of(node)});
  add_step(node, std::move(step), true);
}

}  // namespace litz::lowering
