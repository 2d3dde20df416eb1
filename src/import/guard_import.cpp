#include "import/guard_import.h"

#include <optional>
#include <set>

#include "expr/parse.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::import_ {
namespace {

std::string subscript_text(const std::variant<int64_t, std::string>& subscript) {
  if (const auto* index = std::get_if<int64_t>(&subscript)) {
    return "[" + std::to_string(*index) + "]";
  }
  return "['" + std::get<std::string>(subscript) + "']";
}

// The possible labels of an input. Guards see *a as a tuple and **k as a dict, while the signature
// names the elements a_0 and by key.
std::vector<std::string> labels_of(const GuardPath& path) {
  std::string rest;
  for (size_t i = 1; i < path.subscripts.size(); ++i) rest += subscript_text(path.subscripts[i]);
  std::vector<std::string> labels;
  if (path.subscripts.empty()) return {path.argument};
  const auto& first = path.subscripts.front();
  labels.push_back(path.argument + subscript_text(first) + rest);
  if (const auto* index = std::get_if<int64_t>(&first)) {
    labels.push_back(path.argument + "_" + std::to_string(*index) + rest);
  } else {
    labels.push_back(std::get<std::string>(first) + rest);
  }
  return labels;
}

std::optional<size_t> find_input(const ir::Program& program, const GuardPath& path) {
  for (const std::string& label : labels_of(path)) {
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      const ir::InputSpec& spec = program.inputs[i];
      const bool given =
          spec.kind == ir::InputKind::user || spec.kind == ir::InputKind::constant_value;
      if (given && spec.label == label) return i;
    }
  }
  return std::nullopt;
}

Expr element(std::span<const Expr> list, int64_t index, const GuardPath& path) {
  const auto rank = static_cast<int64_t>(list.size());
  if (index < 0) index += rank;
  require(index >= 0 && index < rank, ErrorCode::corrupt,
          "a guard must stay inside the rank of its input:", to_string(path));
  return list[static_cast<size_t>(index)];
}

Expr resolve(const ir::Program& program, const GuardPath& path) {
  const auto found = find_input(program, path);
  require(found.has_value(), ErrorCode::unsupported,
          "a guard must name an input:", to_string(path));
  const ir::ValueType& type = program.graph().input(*found).type();
  if (path.accessor == GuardPath::Accessor::value) {
    if (const auto* scalar = std::get_if<ir::ScalarType>(&type)) return scalar->value;
    const auto* literal = std::get_if<Expr>(&program.inputs[*found].literal);
    require(literal != nullptr, ErrorCode::unsupported,
            "a guard must read a number:", to_string(path));
    return *literal;
  }
  const auto* tensor = std::get_if<TensorType>(&type);
  require(tensor != nullptr, ErrorCode::unsupported,
          "a guard must read a tensor:", to_string(path));
  switch (path.accessor) {
    case GuardPath::Accessor::size:
      return element(tensor->sizes, path.index, path);
    case GuardPath::Accessor::stride:
      return element(tensor->strides, path.index, path);
    case GuardPath::Accessor::storage_offset:
      return tensor->offset;
    case GuardPath::Accessor::rank:
      return static_cast<int64_t>(tensor->rank());
    case GuardPath::Accessor::value:
      break;
  }
  return {};
}

std::set<SymbolId> input_symbols(const ir::Program& program) {
  std::set<SymbolId> symbols;
  for (const ir::Value input : program.graph().inputs()) {
    if (!input.is_tensor()) continue;
    for (const Expr size : input.tensor().sizes) {
      for (const SymbolId id : free_symbols(size)) symbols.insert(id);
    }
  }
  return symbols;
}

// A condition that holds only for the example's sizes, for which the guard held.
Expr example_sizes(const ir::Program& program, const std::string& text) {
  const ExprPool& pool = program.module->exprs();
  Expr condition = Expr::boolean(true);
  for (const SymbolId id : input_symbols(program)) {
    const auto hint = pool.symbol(id).hint;
    require(hint.has_value(), ErrorCode::unsupported,
            "a guard must be readable, or the sizes at export recorded:", quote(text));
    condition = logical_and(condition, eq(pool.symbol_expr(id), *hint));
  }
  return condition;
}

}  // namespace

GuardReport import_guards(const JsonValue& root, const JsonPath& path, const ir::Program& program) {
  GuardReport report;
  const JsonValue* list = root.get("guards_code", path);
  if (list == nullptr) return report;
  SymbolResolver resolver;
  resolver.symbol = [](const std::string& name, bool) -> Expr {
    fail(ErrorCode::unsupported, "a guard must only read inputs:", name);
  };
  resolver.path = [&](const GuardPath& guard_path) { return resolve(program, guard_path); };
  for (const JsonValue& item : list->as_array(path / "guards_code")) {
    const std::string text(item.as_string(path / "guards_code"));
    Expr condition;
    try {
      condition = parse_expr(text, program.module->exprs(), resolver);
      require(condition.domain() == ExprDomain::boolean, ErrorCode::corrupt,
              "a guard must be a condition");
    } catch (const Error& error) {
      condition = example_sizes(program, text);
      report.warnings.push_back("guard " + quote(text) + " is not readable (" + error.message() +
                                "): only the sizes seen at export are accepted");
    }
    const auto decided = known(condition);
    require(decided != false, ErrorCode::corrupt,
            "G12: a guard must be able to hold:", quote(text));
    if (decided) continue;
    // Sizes are known to be positive, which the exporter's text does not use.
    const std::string simplified = to_string(condition);
    report.guards.push_back({condition, simplified.size() < text.size() ? simplified : text});
  }
  return report;
}

}  // namespace litz::import_
