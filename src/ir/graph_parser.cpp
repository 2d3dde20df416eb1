// Parses statements of graphs. See graph_parser.h.

#include "ir/graph_parser.h"

#include <algorithm>

#include "ir/parse_value.h"
#include "schema/spelled_names.h"
#include "support/check.h"

namespace litz::ir {
namespace {

bool is_number(const std::string& label) {
  return std::all_of(label.begin(), label.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The printer generates numbers; only real names are kept.
std::string_view name_of(const std::string& label) {
  return is_number(label) ? std::string_view() : std::string_view(label);
}

}  // namespace

void GraphParser::header() {
  cursor_.expect('(');
  if (!cursor_.take(')')) {
    do {
      cursor_.peek();
      const size_t at = cursor_.at();
      const std::string name = label();
      cursor_.expect(':');
      ValueType type = parse_value_type(cursor_, graph_.module());
      define(name, at, {});
      const Value value = graph_.add_input(std::string(name_of(name)), std::move(type));
      labels_[name].value = value;
    } while (cursor_.take(','));
    cursor_.expect(')');
  }
  if (cursor_.take('-')) {
    cursor_.expect('>');
    header_states_results_ = true;
    const bool list = cursor_.take('(');
    if (!list || !cursor_.take(')')) {
      do {
        const bool stated = !cursor_.take_word("_");
        result_stated_.push_back(stated);
        result_types_.push_back(stated ? parse_value_type(cursor_, graph_.module())
                                       : ValueType(NoneType{}));
      } while (list && cursor_.take(','));
      if (list) cursor_.expect(')');
    }
  }
  cursor_.expect_block_open();
  cursor_.expect_line_end();
}

void GraphParser::statement() {
  cursor_.peek();
  if (returned_) cursor_.expected("'}' after return");
  if (cursor_.take_word("return")) {
    returned_ = true;  // Set even on failure: a second message would not help.
    return return_statement();
  }
  Labels labels;
  try {
    if (cursor_.peek() == '%') labels = parse_labels();
    call(labels);
  } catch (...) {
    lost_statement_ = true;
    for (const std::string& name : labels.names)
      labels_.try_emplace(name, Definition{{}, {}, true});
    throw;
  }
}

void GraphParser::finish() {
  if (!returned_) cursor_.fail_at(cursor_.at() - 1, "expected 'return' before '}'");
  for (const PendingEdge& edge : edges_) {
    const auto found = labels_.find(edge.first);
    if (found != labels_.end() && found->second.failed) continue;
    Node* first = nullptr;
    if (found != labels_.end()) {
      const Definition& definition = found->second;
      first = definition.node != nullptr ? definition.node : definition.value.producer();
    }
    if (first == nullptr || first == edge.second) {
      cursor_.fail_at(edge.at, "expected another node of the graph: %" + edge.first);
    }
    graph_.add_order_edge(first, edge.second);
  }
}

void GraphParser::return_statement() {
  const size_t at = cursor_.at();
  std::vector<Argument> outputs;
  if (cursor_.peek() != '\n' && cursor_.peek() != '}' && cursor_.peek() != '\0') {
    do {
      outputs.push_back(parse_argument(ArgKind::any));
      if (outputs.back().is_value_list()) cursor_.fail("graph results are flat");
    } while (cursor_.take(','));
  }
  cursor_.expect_line_end();
  if (header_states_results_) compare_with_header(outputs, at);
  graph_.set_outputs(std::move(outputs));
}

void GraphParser::compare_with_header(std::span<const Argument> outputs, size_t at) {
  if (outputs.size() != result_types_.size()) {
    cursor_.fail_at(at, "the header of the graph states " + std::to_string(result_types_.size()) +
                            " results, not " + std::to_string(outputs.size()));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string stated = result_stated_[i] ? to_string(result_types_[i]) : "_";
    const std::string found = outputs[i].is_value() ? to_string(outputs[i].value().type()) : "_";
    if (stated == found) continue;
    cursor_.fail_at(at, "result " + std::to_string(i) + " is " + found +
                            ", but the header of the graph states " + stated);
  }
}

void GraphParser::call(const Labels& labels) {
  cursor_.peek();
  const size_t at = cursor_.at();
  const OpInfo& op = parse_op();
  std::vector<Argument> arguments = parse_arguments(op);
  std::vector<ValueType> types;
  const bool typed = cursor_.take(':');
  if (typed) types = parse_value_types(cursor_, graph_.module());
  const Trailers trailers = parse_trailers();
  cursor_.expect_line_end();
  const bool no_results = labels.names.empty() || (labels.is_group && labels.group == 0);
  Node* node = nullptr;
  try {
    // A call without results needs no annotation: it has no types to state.
    const bool infer = !typed && !(no_results && op.schema.returns.empty());
    node = infer ? graph_.create(op, std::move(arguments))
                 : graph_.create_typed(op, std::move(arguments), std::move(types));
  } catch (const Error& error) {
    cursor_.fail_at(at, error.what());
  }
  define_results(labels, at, *node);
  if (!trailers.annotations.empty()) graph_.set_annotations(node, trailers.annotations);
  if (!trailers.location.file.empty() || !trailers.location.module_path.empty()) {
    graph_.set_location(node, trailers.location);
  }
  for (const auto& [edge_at, first] : trailers.after) edges_.push_back({edge_at, first, node});
}

std::string GraphParser::label() {
  if (cursor_.peek() != '%') cursor_.expected("a value such as %x");
  cursor_.take('%');
  const std::string_view word = cursor_.word();
  if (word.empty()) cursor_.expected("a name after '%'");
  return std::string(word);
}

GraphParser::Labels GraphParser::parse_labels() {
  Labels labels;
  do {
    const size_t at = cursor_.at();
    labels.names.push_back(label());
    if (labels_.contains(labels.names.back())) {
      cursor_.fail_at(at, "%" + labels.names.back() + " is defined already");
    }
    if (labels.names.size() == 1 && cursor_.take(':')) {
      labels.is_group = true;
      const int64_t count = cursor_.integer();
      if (count < 0) cursor_.fail("a number of results must not be negative");
      labels.group = static_cast<size_t>(count);
      break;
    }
  } while (cursor_.take(','));
  cursor_.expect('=');
  return labels;
}

void GraphParser::define(const std::string& name, size_t at, Definition definition) {
  if (!labels_.try_emplace(name, definition).second) {
    cursor_.fail_at(at, "%" + name + " is defined already");
  }
}

void GraphParser::define_results(const Labels& labels, size_t at, Node& node) {
  const size_t named = labels.is_group ? labels.group : labels.names.size();
  if (!labels.names.empty() && named != node.output_count()) {
    cursor_.fail_at(at, "the call has " + std::to_string(node.output_count()) + " results, but " +
                            std::to_string(named) + " stand before '='");
  }
  for (size_t i = 0; i < labels.names.size(); ++i) {
    const std::string& name = labels.names[i];
    Definition definition;
    if (labels.is_group) {
      definition.node = &node;
    } else {
      definition.value = node.output(i);
    }
    define(name, at, definition);
    if (i < node.output_count()) graph_.set_name(node.output(i), name_of(name));
  }
}

Value GraphParser::parse_value() {
  const size_t at = cursor_.at();
  const std::string name = label();
  const auto found = labels_.find(name);
  if (found == labels_.end()) {
    if (lost_statement_ && is_number(name)) throw FollowUpFailure{};
    cursor_.fail_at(at, "%" + name + " is used before it is defined");
  }
  const Definition& definition = found->second;
  if (definition.failed) throw FollowUpFailure{};
  size_t index = 0;
  const bool indexed = cursor_.adjacent() == '#';
  if (indexed) {
    cursor_.take('#');
    const int64_t given = cursor_.integer();
    index = given < 0 ? SIZE_MAX : static_cast<size_t>(given);
  }
  if (definition.node == nullptr) {
    if (index != 0) cursor_.fail_at(at, "%" + name + " is one value");
    return definition.value;
  }
  if (!indexed) cursor_.fail_at(at, "%" + name + " has several results; say %" + name + "#0");
  if (index >= definition.node->output_count()) {
    cursor_.fail_at(
        at, "%" + name + " has " + std::to_string(definition.node->output_count()) + " results");
  }
  return definition.node->output(index);
}

Argument GraphParser::parse_list(ArgKind kind) {
  const TextCursor::Mark begin = cursor_.mark();
  cursor_.take('[');
  const bool of_values = kind == ArgKind::tensor_list || kind == ArgKind::optional_tensor_list ||
                         kind == ArgKind::any_list;
  const char first = cursor_.peek();
  const bool values = first == '%' || cursor_.take_word("none") || (of_values && first == ']');
  cursor_.return_to(begin);
  if (!values) return Argument(parse_attribute(cursor_, graph_.module(), kind));
  cursor_.expect('[');
  std::vector<Value> list;
  if (!cursor_.take(']')) {
    do {
      list.push_back(cursor_.take_word("none") ? Value() : parse_value());
    } while (cursor_.take(','));
    cursor_.expect(']');
  }
  return Argument(std::move(list));
}

Argument GraphParser::parse_argument(ArgKind kind) {
  const char c = cursor_.peek();
  if (c == '%') return Argument(parse_value());
  if (c == '[') return parse_list(kind);
  return Argument(parse_attribute(cursor_, graph_.module(), kind));
}

std::vector<Argument> GraphParser::parse_arguments(const OpInfo& op) {
  const std::vector<SchemaArgument>& schema = op.schema.arguments;
  std::vector<Argument> arguments(schema.size());
  std::vector<bool> given(schema.size());
  cursor_.expect('(');
  if (cursor_.take(')')) return arguments;
  size_t position = 0;
  do {
    cursor_.peek();
    const size_t at = cursor_.at();
    const std::string_view word = cursor_.word();
    size_t slot = position;
    if (!word.empty() && cursor_.take('=') && cursor_.adjacent() != '=') {
      const int found = op.schema.find(word);
      if (found < 0) {
        cursor_.fail_at(at, std::string(op.name()) + " has no argument " + std::string(word) +
                                "; its schema is " + to_string(op.schema));
      }
      slot = static_cast<size_t>(found);
    } else {
      cursor_.seek(at);
      ++position;
    }
    if (slot >= schema.size())
      cursor_.fail_at(at, "too many arguments for " + to_string(op.schema));
    if (given[slot]) cursor_.fail_at(at, "argument " + schema[slot].name + " is given twice");
    given[slot] = true;
    arguments[slot] = parse_argument(schema[slot].kind);
  } while (cursor_.take(','));
  cursor_.expect(')');
  return arguments;
}

const OpInfo& GraphParser::parse_op() {
  const size_t at = cursor_.at();
  std::string name(cursor_.dotted());
  if (name.empty()) cursor_.expected("an operator, 'return' or '}'");
  if (cursor_.text().substr(cursor_.at()).starts_with("::")) {
    cursor_.seek(cursor_.at() + 2);
    name.append("::").append(cursor_.dotted());
  }
  const OpSet& ops = graph_.module().ops();
  if (const OpInfo* op = ops.find(operator_name(name))) return *op;
  std::string message = "unknown operator " + name;
  const std::vector<std::string> similar = ops.suggestions(name);
  for (const std::string& other : similar) {
    message += (&other == similar.data() ? "; did you mean " : ", ") + other;
  }
  cursor_.fail_at(at, message + (similar.empty() ? "" : "?"));
}

GraphParser::Trailers GraphParser::parse_trailers() {
  Trailers trailers;
  while (true) {
    if (cursor_.take('#')) {
      trailers.annotations = parse_annotations(cursor_);
    } else if (cursor_.take_word("loc")) {
      trailers.location = parse_location(cursor_);
    } else if (cursor_.take_word("after")) {
      cursor_.expect('(');
      do {
        cursor_.peek();
        const size_t at = cursor_.at();
        trailers.after.emplace_back(at, label());
      } while (cursor_.take(','));
      cursor_.expect(')');
    } else {
      return trailers;
    }
  }
}

}  // namespace litz::ir
