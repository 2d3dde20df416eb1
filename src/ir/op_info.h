// What the graph layer knows of an operator: its signature, its traits, and two functions that the
// operator library supplies (result types, effects). Operator bodies live above, in ops/.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/schema.h"
#include "ir/value_type.h"

namespace litz::ir {

class Argument;
class Module;

/// Facts about an operator that passes ask for; a bit set.
enum class Trait : uint32_t {
  none = 0,
  view = 1u << 0,  ///< The result aliases the first tensor argument.
  pointwise = 1u << 1,
  reduction = 1u << 2,
  random = 1u << 3,           ///< Draws random numbers.
  side_effect = 1u << 4,      ///< Assertions, prints: never dead.
  data_dependent = 1u << 5,   ///< Result sizes or scalars depend on data.
  higher_order = 1u << 6,     ///< Has child graphs.
  library = 1u << 7,          ///< Computed by a library call.
  hidden_mutation = 1u << 8,  ///< Writes arguments that the schema does not mark (batch_norm).
  /// Starts a collective and returns at once: its tensor results must not be read, nor its operands
  /// written, before a wait. The group is the argument `group_name`.
  collective_start = 1u << 9,
  collective_wait = 1u << 10,  ///< Makes the result of a collective, its first argument, usable.
  capture_unsafe = 1u << 11,   ///< Must not run while a device graph is captured.
  memory_bound = 1u << 12,     ///< Time goes into moving bytes, not into arithmetic.
  /// Nobody knows what it does with the memory of its operands: it may write it, and its results may
  /// lie in it.
  opaque = 1u << 13,
  /// The result holds the elements of the first operand, converted to its dtype.
  copy = 1u << 14,
  reshape = 1u << 15,  ///< A view that keeps the order of elements and only changes sizes.
};

constexpr Trait operator|(Trait a, Trait b) {
  return static_cast<Trait>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}

constexpr bool has(Trait set, Trait trait) {
  return (static_cast<uint32_t>(set) & static_cast<uint32_t>(trait)) != 0;
}

struct OpInfo;

/// The context of type inference: where fresh data-dependent symbols come from.
class InferContext {
 public:
  virtual ~InferContext() = default;
  /// The module under construction (symbols, child graphs).
  virtual Module& module() = 0;
  /// A symbol for a data-dependent quantity, `ordinal` counting those of one call. Importers return
  /// the recorded symbol, others a fresh one.
  virtual Expr data_dependent(int ordinal, Interval range) = 0;

  /// The call is right only where this holds of sizes, which is not known yet. Importers make it a
  /// condition on inputs; others start from what was imported.
  virtual void assume(Expr /*condition*/, const std::string& /*what*/) {}
};

using InferFn = std::vector<ValueType> (*)(const OpInfo& op, std::span<const Argument> arguments,
                                           InferContext& context);

enum class EffectKind : uint8_t {
  read,
  write,
  allocate,  ///< Makes memory that outlives the call, beyond its results.
  free,      ///< The memory must not be used any more: freed, or given away to be reused.
  order,     ///< Keeps its place among the effects on the same resource.
};

/// What an effect acts on.
enum class Resource : uint8_t {
  value,         ///< The memory of an argument, that is its alias class.
  generator,     ///< The state of random numbers.
  communicator,  ///< The order of messages of a group of ranks.
  host,          ///< What people and programs outside see: assertions, prints.
  unknown,       ///< Any of these.
};

struct Effect {
  EffectKind kind = EffectKind::read;
  int argument = -1;  ///< Whose memory, for Resource::value; else -1.
  Resource resource = Resource::value;

  bool operator==(const Effect&) const = default;
};

using EffectsFn = std::vector<Effect> (*)(const OpInfo& op, std::span<const Argument> arguments);

/// Who knows how an operator is computed.
enum class OpOrigin : uint8_t {
  table,    ///< Litz.
  program,  ///< Nobody: a program calls it, so there are a signature and stated types.
  user,     ///< A user, who registered a function for it.
};

struct OpInfo {
  Schema schema;
  Trait traits = Trait::none;
  InferFn infer = nullptr;           ///< Null: types must be stated by whoever creates the node.
  EffectsFn effects = nullptr;       ///< Null: what schema and traits say, see effects.h.
  const void* definition = nullptr;  ///< The ops layer's OpDef; of table operators only.
  OpOrigin origin = OpOrigin::table;
  /// For an operator that writes operands: the one that returns their new contents instead, behind
  /// the results that are no operands. Null: none.
  const OpInfo* functional = nullptr;

  std::string_view name() const { return schema.name; }
};

/// Looks operators up by name ("aten.add.Tensor"); immutable while graphs refer to it.
class OpSet {
 public:
  virtual ~OpSet() = default;
  virtual const OpInfo* find(std::string_view name) const = 0;
  /// Names close to an unknown one, for error messages.
  virtual std::vector<std::string> suggestions(std::string_view name) const = 0;
  /// All that it knows, sorted by name.
  virtual std::span<const OpInfo* const> all() const = 0;
};

}  // namespace litz::ir
