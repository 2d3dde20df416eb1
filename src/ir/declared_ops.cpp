// See declared_ops.h.

#include "ir/declared_ops.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "schema/spelled_names.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::ir {
namespace {

constexpr std::string_view kFunctional = "litz.functional.";

struct TraitName {
  Trait trait;
  std::string_view name;
};

/// The traits that a text can state.
constexpr std::array kTraits{
    TraitName{Trait::opaque, "opaque"},
    TraitName{Trait::side_effect, "side_effect"},
    TraitName{Trait::random, "random"},
    TraitName{Trait::capture_unsafe, "capture_unsafe"},
};

std::string declaration(const OpInfo& op) {
  std::string text = "op ";
  for (const TraitName& entry : kTraits) {
    if (has(op.traits, entry.trait)) text.append(entry.name).append(" ");
  }
  return text + to_string(op.schema) + "\n";
}

}  // namespace

Schema functional_schema(const Schema& schema) {
  Schema functional;
  functional.name = std::string(kFunctional) + schema.name;
  functional.arguments = schema.arguments;
  for (const SchemaReturn& result : schema.returns) {
    if (!result.mutated) functional.returns.push_back(result);
  }
  for (SchemaArgument& argument : functional.arguments) {
    if (!argument.mutated) continue;
    SchemaReturn written;
    written.kind = argument.kind == ArgKind::tensor ? ArgKind::tensor : ArgKind::tensor_list;
    functional.returns.push_back(std::move(written));
    argument.mutated = false;
    argument.alias = 0;
  }
  return functional;
}

std::string_view name_of_written_form(std::string_view functional) {
  if (!functional.starts_with(kFunctional)) return {};
  return functional.substr(kFunctional.size());
}

DeclaredOps::DeclaredOps(std::shared_ptr<const OpSet> known) : known_(std::move(known)) { sort(); }

OpInfo& DeclaredOps::add(OpInfo op) {
  declared_.push_back(std::move(op));
  OpInfo& added = declared_.back();
  by_name_.emplace(added.name(), &added);
  return added;
}

const OpInfo& DeclaredOps::declare(Schema schema, Trait traits) {
  if (const OpInfo* known = find(schema.name)) {
    require(known->origin != OpOrigin::table,
            "a program must not declare an operator of Litz's own:", schema.name);
    const std::string text = to_string(schema);
    const std::string own = to_string(known->schema);
    require(text == own, "a declared operator must have the signature that it is known by:", text,
            "is known as", own);
    return *known;
  }
  OpInfo& op = add({.schema = std::move(schema), .traits = traits, .origin = OpOrigin::program});
  if (op.schema.mutates()) {
    op.functional = &add(
        {.schema = functional_schema(op.schema), .traits = traits, .origin = OpOrigin::program});
  }
  sort();
  return op;
}

void DeclaredOps::sort() {
  const auto known = known_->all();
  sorted_.assign(known.begin(), known.end());
  for (const OpInfo& each : declared_) sorted_.push_back(&each);
  std::ranges::sort(sorted_, {}, &OpInfo::name);
}

const OpInfo* DeclaredOps::find(std::string_view name) const {
  if (const OpInfo* known = known_->find(name)) return known;
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<std::string> DeclaredOps::suggestions(std::string_view name) const {
  return known_->suggestions(name);
}

std::string operator_header(std::span<const Graph* const> graphs) {
  std::map<std::string_view, std::string> lines;
  for (const Graph* graph : graphs) {
    for (const Node* node = graph->first(); node != nullptr; node = node->next()) {
      const OpInfo* op = &node->op();
      if (op->origin == OpOrigin::table) continue;
      // The declaration of an operator that writes implies its functional form.
      if (const std::string_view written = name_of_written_form(op->name()); !written.empty()) {
        op = graph->module().ops().find(written);
        check(op != nullptr, "a functional form belongs to an operator:", written);
      }
      lines.emplace(op->name(), declaration(*op));
    }
  }
  std::string text;
  for (const auto& [name, line] : lines) text += line;
  return text;
}

const OpInfo& parse_declaration(std::string_view line, DeclaredOps& ops) {
  Trait traits = Trait::none;
  std::string_view rest = trim(line);
  while (true) {
    const size_t end = std::min(rest.find_first_of(" ("), rest.size());
    const std::string_view word = rest.substr(0, end);
    const auto* found = std::ranges::find(kTraits, word, &TraitName::name);
    if (found == kTraits.end()) break;
    traits = traits | found->trait;
    rest = trim(rest.substr(end));
  }
  return ops.declare(parse_spelled_schema(rest), traits);
}

}  // namespace litz::ir
