// The graph layer's view of an operator: its signature, its traits, and two functions that the
// operator library supplies (result types, effects). Operator bodies are above, in ops/.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/value_type.h"
#include "schema/schema.h"

namespace litz::ir {

class Argument;
class Module;

/// Facts about an operator for passes; a bit set.
enum class Trait : uint32_t {
  none = 0,
  view = 1u << 0,  ///< The result aliases the first tensor argument.
  pointwise = 1u << 1,
  reduction = 1u << 2,
  random = 1u << 3,           ///< Draws random numbers.
  side_effect = 1u << 4,      ///< Assertions, prints: never dead.
  data_dependent = 1u << 5,   ///< Result sizes or scalars depend on data.
  higher_order = 1u << 6,     ///< Calls child graphs.
  library = 1u << 7,          ///< Computed by a library call.
  hidden_mutation = 1u << 8,  ///< Writes arguments that the schema does not mark (batch_norm).
  /// Starts a collective and returns at once: before a wait its tensor results must not be read,
  /// nor its operands written. The group is the argument `group_name`.
  collective_start = 1u << 9,
  collective_wait = 1u << 10,  ///< Makes the result of a collective, its first argument, readable.
  capture_unsafe = 1u << 11,   ///< Must not run while a device graph is captured.
  memory_bound = 1u << 12,     ///< Its time goes into memory traffic, not arithmetic.
  /// Its effect on the memory of its operands is unknown: it may write it, and its results may
  /// alias it.
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

/// The context of type inference, which supplies data-dependent symbols.
class InferContext {
 public:
  virtual ~InferContext() = default;
  /// The module under construction (symbols, child graphs).
  virtual Module& module() = 0;
  /// A symbol for a data-dependent quantity; `ordinal` counts those of one call. Importers return
  /// the recorded symbol, others a fresh one.
  virtual Expr data_dependent(int ordinal, Interval range) = 0;

  /// States a condition on sizes that the call needs and that is not known yet. Importers make it a
  /// condition on inputs; later inference relies on what was imported.
  virtual void assume(Expr /*condition*/, const std::string& /*what*/) {}
};

using InferFn = std::vector<ValueType> (*)(const OpInfo& op, std::span<const Argument> arguments,
                                           InferContext& context);

enum class EffectKind : uint8_t {
  read,
  write,
  allocate,  ///< Allocates memory that outlives the call, besides its results.
  free,      ///< The memory must not be used any more: freed, or donated for reuse.
  order,     ///< Keeps its order among the effects on the same resource.
};

/// The object of an effect.
enum class Resource : uint8_t {
  value,         ///< The memory of an argument: its alias class.
  generator,     ///< The state of the random number generator.
  communicator,  ///< The order of messages of a group of ranks.
  host,          ///< Effects visible outside: assertions, prints.
  unknown,       ///< Any of these.
};

struct Effect {
  EffectKind kind = EffectKind::read;
  int argument = -1;  ///< The argument whose memory is meant, for Resource::value; else -1.
  Resource resource = Resource::value;

  bool operator==(const Effect&) const = default;
};

using EffectsFn = std::vector<Effect> (*)(const OpInfo& op, std::span<const Argument> arguments);

/// Where an operator's implementation comes from.
enum class OpOrigin : uint8_t {
  table,    ///< Litz's table.
  program,  ///< None: a program calls it with a signature and stated types.
  user,     ///< A function that a user registered.
};

struct OpInfo {
  Schema schema;
  Trait traits = Trait::none;
  InferFn infer = nullptr;      ///< Null: the creator of the node must state types.
  EffectsFn effects = nullptr;  ///< Null: see effects.h for the default.
  const void* definition =
      nullptr;  ///< The ops layer's OpDef; null for operators outside the table.
  OpOrigin origin = OpOrigin::table;
  /// For an operator that writes operands: the one that returns their new contents instead, after
  /// the results that are not operands. Null: none.
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
  /// All its operators, sorted by name.
  virtual std::span<const OpInfo* const> all() const = 0;
};

}  // namespace litz::ir
