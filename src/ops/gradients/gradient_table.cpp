#include "ops/gradients/gradient_table.h"

#include <map>
#include <vector>

#include "ops/gradients/families.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ByName = std::map<std::string_view, const Gradient*>;

ByName by_name() {
  ByName rows;
  for (const std::span<const Gradient> family : all_gradients()) {
    for (const Gradient& row : family) {
      std::string_view rest = row.ops;
      while (!rest.empty()) {
        const size_t end = std::min(rest.find(' '), rest.size());
        const bool is_new = rows.emplace(rest.substr(0, end), &row).second;
        check(is_new, "an operator has one gradient:", rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
  }
  return rows;
}

}  // namespace

void zero_gradient(GradientCall& call) {
  for (const ir::SchemaArgument& argument : call.op().schema.arguments) {
    if (call.wants(argument.name)) call.give(argument.name, zeros_like(call[argument.name]));
  }
}

std::span<const std::span<const Gradient>> all_gradients() {
  static const std::vector<std::span<const Gradient>> families = {
      // clang-format off
      activation_gradients(),
      arithmetic_gradients(),
      choice_gradients(),
      collective_gradients(),
      complex_gradients(),
      copy_gradients(),
      distance_gradients(),
      elementary_gradients(),
      fake_quantize_gradients(),
      index_gradients(),
      linalg_gradients(),
      loss_gradients(),
      matmul_gradients(),
      normalization_gradients(),
      pooling_gradients(),
      rearrange_gradients(),
      reduction_gradients(),
      segment_gradients(),
      special_gradients(),
      spectral_gradients(),
      view_gradients(),
      // clang-format on
  };
  return families;
}

const Gradient* find_gradient(std::string_view op) {
  static const ByName rows = by_name();
  const auto found = rows.find(op);
  return found == rows.end() ? nullptr : found->second;
}

}  // namespace litz::ops
