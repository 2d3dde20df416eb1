#include "import/float8_overflow.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace litz::import_ {
namespace {

using ir::Attribute;
using ir::Node;
using ir::Value;

// "2.12.1+cpu" -> {2, 12}. The oldest files only state the version "<=2.4".
std::pair<int, int> release_of(std::string_view version) {
  if (version.starts_with("<=")) version.remove_prefix(2);
  std::pair<int, int> release{0, 0};
  const char* end = version.data() + version.size();
  const auto major = std::from_chars(version.data(), end, release.first);
  if (major.ec == std::errc() && major.ptr != end && *major.ptr == '.') {
    std::from_chars(major.ptr + 1, end, release.second);
  }
  return release;
}

// The index of the operand that a node casts to float8_e4m3fn, or -1.
int cast_operand(const Node& node) {
  constexpr std::array<std::string_view, 4> kCasts{"aten._to_copy", "aten.type_as", "aten.copy",
                                                   "aten.copy_"};
  const std::string_view op = node.op().name();
  if (!op.starts_with("aten.to.") && op != "prims.convert_element_type" &&
      std::find(kCasts.begin(), kCasts.end(), op) == kCasts.end()) {
    return -1;
  }
  if (!node.output().is_tensor() || node.output().tensor().dtype != DType::f8e4m3fn) return -1;
  const size_t place = op.starts_with("aten.copy") ? 1 : 0;
  const Value operand = node.input(place);
  return operand.is_tensor() && operand.tensor().dtype != DType::f8e4m3fn ? static_cast<int>(place)
                                                                          : -1;
}

// x as f32, with NaN for numbers that do not round to a finite float8_e4m3fn.
Value without_overflow(ir::Graph& graph, Value x) {
  constexpr double kLast = 464;  // Halfway between the largest number, 448, and the next.
  const auto aten = [&](std::string_view op, std::vector<ir::Argument> arguments) {
    return graph.create(op, std::move(arguments))->output();
  };
  if (x.tensor().dtype != DType::f32) x = aten("aten._to_copy", {x, Attribute(DType::f32)});
  const Value fits = aten("aten.le.Scalar", {aten("aten.abs", {x}), Expr::real(kLast)});
  const Expr not_a_number = Expr::real(std::numeric_limits<double>::quiet_NaN());
  const Value nan = aten("aten.copysign.Tensor", {aten("aten.full_like", {x, not_a_number}), x});
  return aten("aten.where.self", {fits, x, nan});
}

}  // namespace

void restore_float8_overflow(ir::Module& module, std::string_view torch_version) {
  constexpr std::pair kFirstToSaturate{2, 13};
  const auto release = release_of(torch_version);
  if (release.first == 0 || release >= kFirstToSaturate) return;
  for (ir::Graph* graph : module.graphs()) {
    for (Node* node : graph->in_order()) {
      const int place = cast_operand(*node);
      if (place < 0) continue;
      const auto scope = graph->insert_before(node);
      const auto k = static_cast<size_t>(place);
      graph->set_input(node, k, without_overflow(*graph, node->input(k)));
    }
  }
}

}  // namespace litz::import_
