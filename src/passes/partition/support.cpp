#include "passes/partition/support.h"

#include <algorithm>
#include <utility>

#include "ir/operator_names.h"
#include "support/text.h"

namespace litz::passes {
namespace {

using ir::Node;

bool is_listed(const std::vector<std::string>& names, const Node& node) {
  return std::ranges::any_of(names,
                             [&](const std::string& name) { return is_operator(node.op(), name); });
}

const std::vector<std::vector<DType>>* find_operator(const OperandDTypes& table, const Node& node) {
  for (const auto& [name, dtypes] : table) {
    if (is_operator(node.op(), name)) return &dtypes;
  }
  return nullptr;
}

}  // namespace

bool is_operator(const ir::OpInfo& op, std::string_view name) {
  return ir::names_operator(name, op);
}

Support operators(std::vector<std::string> names) {
  return [names = std::move(names)](const Node& node) -> Refusal {
    if (is_listed(names, node)) return std::nullopt;
    return "its operator is not listed";
  };
}

Support no_operators(std::vector<std::string> names) {
  return [names = std::move(names)](const Node& node) -> Refusal {
    if (!is_listed(names, node)) return std::nullopt;
    return "its operator is excluded";
  };
}

Support operand_dtypes(OperandDTypes table) {
  return [table = std::move(table)](const Node& node) -> Refusal {
    const std::vector<std::vector<DType>>* allowed = find_operator(table, node);
    if (allowed == nullptr) return "its operator is not listed";
    const size_t count = std::min(allowed->size(), node.input_count());
    for (size_t i = 0; i < count; ++i) {
      const std::vector<DType>& dtypes = (*allowed)[i];
      if (dtypes.empty() || !node.input(i).is_tensor()) continue;
      const DType dtype = node.input(i).tensor().dtype;
      if (std::ranges::count(dtypes, dtype) > 0) continue;
      return "operand " + std::to_string(i) + " is " + std::string(name(dtype));
    }
    return std::nullopt;
  };
}

Support no_operand_of(DType dtype) {
  return [dtype](const Node& node) -> Refusal {
    for (size_t i = 0; i < node.input_count(); ++i) {
      const ir::Value value = node.input(i);
      if (value.is_tensor() && value.tensor().dtype == dtype) {
        return "operand %" + value.name() + " is " + std::string(name(dtype));
      }
    }
    return std::nullopt;
  };
}

Support all_of(std::vector<Support> parts) {
  return [parts = std::move(parts)](const Node& node) -> Refusal {
    for (const Support& part : parts) {
      if (Refusal refusal = part(node)) return refusal;
    }
    return std::nullopt;
  };
}

Support any_of(std::vector<Support> parts) {
  return [parts = std::move(parts)](const Node& node) -> Refusal {
    std::vector<std::string> reasons;
    for (const Support& part : parts) {
      Refusal refusal = part(node);
      if (!refusal) return std::nullopt;
      if (std::ranges::count(reasons, *refusal) == 0) reasons.push_back(std::move(*refusal));
    }
    return join(reasons, " and ");
  };
}

}  // namespace litz::passes
