#include "passes/partition/cuda_graphs.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "ir/alias_classes.h"
#include "ir/child_graphs.h"
#include "ir/effects.h"
#include "ir/inferred_types.h"
#include "ops/op_table.h"

namespace litz::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Trait;
using ir::Value;

bool depends_on_data(const Expr& expr, std::string& symbol) {
  if (expr.is_constant()) return false;
  for (const SymbolId id : free_symbols(expr)) {
    const SymbolInfo& known = expr.pool()->symbol(id);
    if (!comes_from_data(known.kind)) continue;
    symbol = known.name;
    return true;
  }
  return false;
}

bool depends_on_data(const ir::ValueType& type, std::string& symbol) {
  return std::ranges::any_of(ir::mentioned_symbols(type),
                             [&](const Expr& expr) { return depends_on_data(expr, symbol); });
}

std::string spell(Value value) { return value.name().empty() ? "a result" : "%" + value.name(); }

// True for assertions that a kernel makes on the tensor's device; the host does not wait for them.
bool asserts_on_device(const Node& node) { return is_operator(node.op(), "aten._assert_async"); }

// Operators, including in-place forms, that count on the host how many elements a mask index
// selects.
constexpr std::array<std::string_view, 5> kCountMasks{
    "aten._index_put_impl", "aten._index_put_impl_", "aten._unsafe_index_put",
    "aten.index_put",       "aten.index_put_",
};

Value mask_of(const Node& node) {
  if (std::ranges::find(kCountMasks, node.op().name()) == kCountMasks.end()) return {};
  for (const Value index : node.argument("indices").values()) {
    if (!index || !index.is_tensor()) continue;
    const DType dtype = index.tensor().dtype;
    if (dtype == DType::bool_ || dtype == DType::u8) return index;
  }
  return {};
}

// Judges many nodes, and each child graph only once.
class Judge {
 public:
  explicit Judge(RecordableOptions options) : options_(std::move(options)) {}

  /// Judges the node itself, independent of its tensors' devices.
  Refusal refusal_anywhere(const Node& node) const {
    if (Refusal refusal = by_operator(node)) return refusal;
    return by_sizes(node);
  }

  Refusal refusal(const Node& node) {
    if (Refusal refusal = refusal_anywhere(node)) return refusal;
    if (Refusal refusal = by_devices(node)) return refusal;
    if (Refusal refusal = by_effects(node)) return refusal;
    return by_children(node);
  }

 private:
  Refusal by_operator(const Node& node) const {
    for (const std::string& name : options_.unsafe) {
      if (is_operator(node.op(), name)) return name + " is marked as unsafe to record";
    }
    if (node.op().origin == ir::OpOrigin::program) {
      return "nobody says whether " + std::string(node.op().name()) +
             " can be recorded (register it with --operators)";
    }
    if (ir::has(node.op().traits, Trait::capture_unsafe)) {
      return std::string(node.op().name()) + " waits for the device while it runs";
    }
    if (const Value mask = mask_of(node)) {
      return "how many elements the mask " + spell(mask) + " selects is counted on the host";
    }
    if (!options_.has_generator_state && ir::has(node.op().traits, Trait::random)) {
      return "it draws random numbers, whose state is not registered";
    }
    return std::nullopt;
  }

  static Refusal by_sizes(const Node& node) {
    std::string symbol;
    for (const Value output : node.outputs()) {
      if (!depends_on_data(output.type(), symbol)) continue;
      const bool is_scalar = !output.is_tensor();
      return is_scalar ? "it reads a value from a tensor (" + symbol + ") on the host"
                       : "a size of " + spell(output) + " depends on data (" + symbol + ")";
    }
    for (const ir::Argument& argument : node.arguments()) {
      if (!argument.is_attribute()) continue;
      const auto* scalar = std::get_if<Expr>(&argument.attribute());
      const auto* list = std::get_if<ir::Scalars>(&argument.attribute());
      const std::span<const Expr> numbers = scalar != nullptr ? std::span<const Expr>(scalar, 1)
                                            : list != nullptr ? std::span<const Expr>(*list)
                                                              : std::span<const Expr>();
      for (const Expr& number : numbers) {
        if (depends_on_data(number, symbol)) {
          return "it takes a number that depends on data (" + symbol + "), which a recording keeps";
        }
      }
    }
    for (size_t i = 0; i < node.input_count(); ++i) {
      if (depends_on_data(node.input(i).type(), symbol)) {
        return "a size of operand " + spell(node.input(i)) + " depends on data (" + symbol + ")";
      }
    }
    return std::nullopt;
  }

  Refusal by_devices(const Node& node) const {
    std::optional<std::pair<Value, Device>> first;
    Refusal refusal;
    const auto look = [&](Value value, std::string_view role) {
      if (refusal || !value.is_tensor()) return;
      const Device device = value.tensor().device;
      if (device.kind != options_.device) {
        refusal = std::string(role) + spell(value) + " is on " + to_string(device);
      } else if (first && !(first->second == device)) {
        refusal = spell(first->first) + " is on " + to_string(first->second) + " but " +
                  spell(value) + " on " + to_string(device);
      } else if (!first) {
        first.emplace(value, device);
      }
    };
    for (size_t i = 0; i < node.input_count(); ++i) look(node.input(i), "operand ");
    for (const Value output : node.outputs()) look(output, "");
    return refusal;
  }

  Refusal by_effects(const Node& node) {
    if (asserts_on_device(node)) return std::nullopt;
    for (const ir::Effect& effect : walk_.effects(node)) {
      if (effect.resource == ir::Resource::host) return "it acts on the host";
      if (effect.resource == ir::Resource::unknown) return "what it does besides is not known";
    }
    return std::nullopt;
  }

  Refusal by_children(const Node& node) {
    if (!ir::has(node.op().traits, Trait::higher_order)) return std::nullopt;
    if (!node.is("higher_order.invoke_subgraph")) {
      return "the host decides which of its child graphs run, or how often";
    }
    for (const Graph* child : ir::child_graphs(node)) {
      if (const Refusal& refusal = inside(*child)) return refusal;
    }
    return std::nullopt;
  }

  const Refusal& inside(const Graph& graph) {
    const auto [known, is_new] = inside_.try_emplace(graph.id());
    if (!is_new) return known->second;
    Refusal found;
    for (const Node* node = graph.first(); node != nullptr && !found; node = node->next()) {
      found = refusal(*node);
      if (found)
        found = "in @" + graph.name() + ", " + std::string(node->op().name()) + ": " + *found;
    }
    return inside_[graph.id()] = std::move(found);
  }

  RecordableOptions options_;
  ir::EffectWalk walk_;
  std::map<uint32_t, Refusal> inside_;  ///< By child graph.
};

/// Inputs whose memory some node writes, also through views.
std::set<size_t> written_inputs(const Graph& graph) {
  const ir::AliasClasses aliases(graph);
  ir::EffectWalk walk;
  std::set<uint32_t> written;
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    for (const ir::MemoryEffect& effect : walk.effects(*node, aliases)) {
      if (effect.kind == ir::EffectKind::write) written.insert(effect.alias_class);
    }
  }
  std::set<size_t> inputs;
  for (size_t i = 0; i < graph.input_count(); ++i) {
    const Value input = graph.input(i);
    if (input.is_tensor() && written.contains(aliases.class_of(input))) inputs.insert(i);
  }
  return inputs;
}

}  // namespace

Support recordable(RecordableOptions options) {
  return [judge = std::make_shared<Judge>(std::move(options))](const Node& node) {
    return judge->refusal(node);
  };
}

namespace {

std::optional<Device> device_of(const Node& node) {
  for (const Value output : node.outputs()) {
    if (output.is_tensor()) return output.tensor().device;
  }
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (node.input(i).is_tensor()) return node.input(i).tensor().device;
  }
  return std::nullopt;
}

}  // namespace

Proposal propose_recordings(const Graph& graph, const Support& support,
                            const PartitionOptions& options) {
  // Nodes without tensors are recorded on the device of the nodes before them.
  std::string last;
  const auto kind_of = [&](const Node& node) -> KindOrRefusal {
    if (Refusal refusal = support(node)) return {std::nullopt, std::move(*refusal)};
    if (const std::optional<Device> device = device_of(node)) last = to_string(*device);
    return {last, {}};
  };
  return propose_partitions_by_kind(graph, kind_of, options);
}

namespace {

std::string mutated_inputs(const ir::Program& program) {
  std::set<size_t> mutated;
  for (const ir::OutputSpec& output : program.outputs) {
    if (ir::is_mutation(output.kind)) mutated.insert(static_cast<size_t>(output.input));
  }
  if (!program.functional) mutated.merge(written_inputs(program.graph()));
  const auto count = std::ranges::count_if(
      mutated, [&](size_t input) { return program.inputs[input].kind == ir::InputKind::user; });
  return count == 0 ? "" : "mutated inputs (" + std::to_string(count) + " instances)";
}

std::string name_of(const Node& node) {
  const bool has_name = node.output_count() > 0 && !node.output().name().empty();
  return has_name ? node.output().name() : std::string(node.op().name());
}

std::string other_devices(const Graph& graph, DeviceKind recorded) {
  std::vector<std::pair<Device, std::string>> first;  // The first value on each device.
  const auto look = [&](Value value, const std::string& name) {
    if (!value.is_tensor() || value.tensor().device.kind == DeviceKind::meta) return;
    const Device device = value.tensor().device;
    if (std::ranges::find(first, device, [](const auto& entry) { return entry.first; }) ==
        first.end()) {
      first.emplace_back(device, name);
    }
  };
  for (const Value input : graph.inputs()) look(input, input.name());
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    for (const Value output : node->outputs()) look(output, name_of(*node));
  }
  if (first.empty() || (first.size() == 1 && first[0].first.kind == recorded)) return "";
  for (const auto& [device, name] : first) {
    if (device.kind == DeviceKind::cpu) return "cpu device (" + name + ")";
  }
  std::string names;
  for (const auto& [device, name] : first) names += (names.empty() ? "" : ", ") + to_string(device);
  return "multiple devices: " + names;
}

std::string incompatible_operator(const Graph& graph, const RecordableOptions& options) {
  const Judge judge(options);
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (judge.refusal_anywhere(*node)) return "incompatible op (" + name_of(*node) + ")";
  }
  return "";
}

bool has_symbolic_inputs(const Graph& graph) {
  return std::ranges::any_of(graph.inputs(), [](Value input) {
    return input.is_tensor() &&
           std::ranges::any_of(input.tensor().sizes, [](Expr size) { return !size.is_constant(); });
  });
}

}  // namespace

std::string reason_not_recorded(const ir::Program& program, const RecordableOptions& options) {
  if (std::string reason = mutated_inputs(program); !reason.empty()) return reason;
  const Graph& graph = program.graph();
  if (std::string reason = other_devices(graph, options.device); !reason.empty()) return reason;
  if (std::string reason = incompatible_operator(graph, options); !reason.empty()) return reason;
  if (options.skip_symbolic_sizes && has_symbolic_inputs(graph)) {
    return "graph with symbolic shapes inputs";
  }
  return "";
}

}  // namespace litz::passes
