// Reads one graph of IR text, statement by statement.

#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/text_cursor.h"

namespace litz::ir {

/// A statement reads a value whose definition failed: that error is already reported.
struct FollowUpFailure {};

class GraphParser {
 public:
  GraphParser(TextCursor& cursor, Graph& graph) : cursor_(cursor), graph_(graph) {}

  /// From the parameter list to `{`.
  void header();
  /// One line of the body.
  void statement();
  /// Makes the final checks, at the closing brace.
  void finish();

 private:
  // The meaning of a label: a value, or a node whose results are selected by `#i`.
  struct Definition {
    Value value;
    Node* node = nullptr;
    bool failed = false;
  };

  struct Labels {
    std::vector<std::string> names;  ///< "m", "7"; one for a group.
    size_t group = 0;                ///< n of `%q:n`.
    bool is_group = false;
  };

  struct Trailers {
    Annotations annotations;
    Location location;
    std::vector<std::pair<size_t, std::string>> after;
  };

  void call(const Labels& labels);
  void return_statement();
  void compare_with_header(std::span<const Argument> outputs, size_t at);
  Labels parse_labels();
  std::string label();
  void define(const std::string& name, size_t at, Definition definition);
  void define_results(const Labels& labels, size_t at, Node& node);
  Value parse_value();
  Argument parse_argument(ArgKind kind);
  Argument parse_list(ArgKind kind);
  std::vector<Argument> parse_arguments(const OpInfo& op);
  const OpInfo& parse_op();
  Trailers parse_trailers();

  TextCursor& cursor_;
  Graph& graph_;
  std::unordered_map<std::string, Definition> labels_;
  std::vector<ValueType> result_types_;
  std::vector<bool> result_stated_;
  bool header_states_results_ = false;
  bool returned_ = false;
  bool lost_statement_ = false;

  // Ordering edges in hand-written text may name later nodes, so they are resolved at the end.
  struct PendingEdge {
    size_t at;
    std::string first;
    Node* second;
  };

  std::vector<PendingEdge> edges_;
};

}  // namespace litz::ir
