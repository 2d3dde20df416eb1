// Formulas for the time of nodes. See prices.h.

#include "passes/overlap/prices.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "expr/estimate.h"
#include "ir/child_graphs.h"
#include "ir/collectives.h"
#include "types/dtype.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Trait;
using ir::Value;
using machine::Traffic;

struct TrafficRow {
  std::string_view name;
  Traffic traffic;
};

// Forms of one operator begin with its name.
constexpr std::array kTraffic{
    TrafficRow{"_c10d_functional.all_gather", Traffic::all_gather},
    TrafficRow{"_c10d_functional.all_reduce", Traffic::all_reduce},
    TrafficRow{"_c10d_functional.all_to_all", Traffic::all_to_all},
    TrafficRow{"_c10d_functional.broadcast", Traffic::all_gather},
    TrafficRow{"_c10d_functional.irecv", Traffic::point_to_point},
    TrafficRow{"_c10d_functional.isend", Traffic::point_to_point},
    TrafficRow{"_c10d_functional.reduce_scatter", Traffic::reduce_scatter},
};

bool is_start(const Node& node) { return has(node.op().traits, Trait::collective_start); }

double elements(Value value) { return estimate(value.tensor().numel()); }

double last_size(Value value) {
  const TensorType& type = value.tensor();
  return type.rank() == 0 ? 1 : estimate(type.sizes.back());
}

double input_bytes(const Node& node) {
  double bytes = 0;
  for (size_t i = 0; i < node.input_count(); ++i) bytes += bytes_of(node.input(i));
  return bytes;
}

double output_bytes(const Node& node) {
  double bytes = 0;
  for (const Value output : node.outputs()) bytes += bytes_of(output);
  return bytes;
}

// --- Operations

/// The first operand of some products is added; `left` is the position of the first factor.
template <size_t kLeft>
double product(const Node& node) {
  return 2 * elements(node.output()) * last_size(node.input(kLeft));
}

/// Every element of the result, or of what is spread in the transposed form, meets a whole filter.
double convolution(const Node& node) {
  const Value weight = node.input(1);
  const double channels = std::max(1.0, estimate(weight.tensor().sizes[0]));
  const Expr transposed = node.scalar("transposed");
  const bool spreads = transposed.domain() == ExprDomain::boolean && transposed.boolean_constant();
  return 2 * elements(spreads ? node.input(0) : node.output()) * elements(weight) / channels;
}

/// One convolution for each gradient that is a tensor; all cost the same as the forward one.
double convolution_backward(const Node& node) {
  const double channels = std::max(1.0, estimate(node.input(2).tensor().sizes[0]));
  return 4 * elements(node.input(0)) * elements(node.input(2)) / channels;
}

/// Scores of every query with every key, and sums of values with them.
double attention(const Node& node) {
  const Value query = node.input(0);
  const TensorType& keys = node.input(1).tensor();
  if (keys.rank() < 2) return 0;
  const double width = std::max(1.0, last_size(query));
  const double rows = elements(query) / width;
  return 2 * rows * estimate(keys.sizes[keys.rank() - 2]) * (width + last_size(node.input(2)));
}

struct OperationsRow {
  std::string_view name;
  double (*operations)(const Node&);
};

constexpr std::array kOperations{
    OperationsRow{"aten.addbmm", product<1>},
    OperationsRow{"aten.addmm", product<1>},
    OperationsRow{"aten.addmv", product<1>},
    OperationsRow{"aten.baddbmm", product<1>},
    OperationsRow{"aten.bmm", product<0>},
    OperationsRow{"aten.convolution", convolution},
    OperationsRow{"aten.convolution_backward", convolution_backward},
    OperationsRow{"aten.linear", product<0>},
    OperationsRow{"aten.matmul", product<0>},
    OperationsRow{"aten.mm", product<0>},
    OperationsRow{"aten.mv", product<0>},
    OperationsRow{"aten.scaled_dot_product_attention", attention},
    OperationsRow{"litz.attention", attention},
};

template <typename Cost>
double sum_of_children(const Node& node, const Cost& cost) {
  double sum = 0;
  if (!has(node.op().traits, Trait::higher_order)) return 0;
  for (const ir::Graph* child : ir::child_graphs(node)) {
    for (const Node* each = child->first(); each != nullptr; each = each->next())
      sum += cost(*each);
  }
  return sum;
}

}  // namespace

double bytes_of(Value value) {
  if (!value || !value.is_tensor()) return 0;
  return elements(value) * static_cast<double>(item_size(value.tensor().dtype));
}

std::optional<Traffic> traffic_of(const Node& node) {
  if (!is_start(node)) return std::nullopt;
  for (const TrafficRow& row : kTraffic) {
    if (node.op().name().starts_with(row.name)) return row.traffic;
  }
  return std::nullopt;
}

std::map<std::string, int64_t> group_sizes(const ir::Graph& graph) {
  std::map<std::string, int64_t> sizes;
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (!is_start(*node) || node->op().schema.find("group_size") < 0) continue;
    const Expr size = node->scalar("group_size");
    if (size.is_constant()) sizes.emplace(ir::collective_group(*node), size.constant());
  }
  return sizes;
}

double operations_of(const Node& node) {
  const auto* const row =
      std::ranges::lower_bound(kOperations, node.op().name(), {}, &OperationsRow::name);
  if (row != kOperations.end() && row->name == node.op().name()) return row->operations(node);
  return sum_of_children(node, operations_of);
}

NodePrices::NodePrices(const ir::Graph& graph, const PriceOptions& options)
    : options_(options), group_sizes_(group_sizes(graph)) {
  for (const auto& [group, ranks] : group_sizes_) largest_ = std::max(largest_, ranks);
}

int64_t NodePrices::ranks_of(const Node& start) const {
  const auto known = group_sizes_.find(ir::collective_group(start));
  const bool is_world = known == group_sizes_.end() || known->second == largest_;
  if (options_.world > 0 && is_world) return options_.world;
  return known != group_sizes_.end() ? known->second : options_.cluster.default_ranks;
}

std::optional<double> NodePrices::measured_us(const machine::MeasuredKind& kind,
                                              double amount) const {
  if (options_.measured == nullptr || amount <= 0) return std::nullopt;
  return options_.measured->us(kind, amount);
}

double NodePrices::compute_us(const Node& node) const {
  if (has(node.op().traits, Trait::view) || node.output_count() == 0) return 0;
  if (options_.estimate) {
    if (const auto own = options_.estimate(node)) return *own;
  }
  if (has(node.op().traits, Trait::higher_order)) {
    return sum_of_children(node, [&](const Node& each) { return compute_us(each); });
  }
  const auto* type = std::get_if<TensorType>(&node.output().type());
  if (type == nullptr) return 0;
  const double operations = operations_of(node);
  const double bytes = input_bytes(node) + output_bytes(node);
  const auto measured = measured_us({std::string(node.op().name()), std::string(name(type->dtype))},
                                    operations > 0 ? operations : bytes);
  if (measured) return *measured;
  return machine::compute_us(operations, is_half(type->dtype), bytes, options_.cluster);
}

double NodePrices::collective_us(const Node& start) const {
  if (options_.estimate) {
    if (const auto own = options_.estimate(start)) return *own;
  }
  const std::optional<Traffic> traffic = traffic_of(start);
  if (!traffic || start.output_count() == 0) return 0;
  const int64_t ranks = ranks_of(start);
  // With more ranks, parts become smaller, and what they are parts of stays.
  const double part = 1 + 1.0 / static_cast<double>(std::max<int64_t>(ranks, 1));
  double bytes = input_bytes(start) + output_bytes(start);
  if (*traffic == Traffic::all_gather) bytes = output_bytes(start) * part;
  if (*traffic == Traffic::reduce_scatter) bytes = input_bytes(start) * part;
  if (const auto* type = std::get_if<TensorType>(&start.output().type())) {
    const auto measured = measured_us(
        {std::string(machine::name(*traffic)), std::string(name(type->dtype)), ranks}, bytes);
    if (measured) return *measured;
  }
  return machine::collective_us(*traffic, bytes, ranks, options_.cluster);
}

double NodePrices::latency_us(const Node& start) const {
  const std::optional<Traffic> traffic = traffic_of(start);
  return traffic ? machine::latency_us(*traffic, ranks_of(start), options_.cluster) : 0;
}

bool NodePrices::is_heavy(const Node& node) const {
  if (has(node.op().traits, Trait::collective_start | Trait::collective_wait)) return false;
  if (options_.estimate_is_heavy && options_.estimate && options_.estimate(node).value_or(0) > 0) {
    return true;
  }
  return operations_of(node) > 0;
}

}  // namespace litz::passes
