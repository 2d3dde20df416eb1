// Builds one IR graph and its sub-graphs from the program's JSON.
//
// Recorded types are kept, since strides of intermediates affect later views. Every type is
// compared with the one that the operator infers, and a difference in dtype, rank or size is an
// error (G10). Host scalars do not become nodes: their recorded expressions go to their readers.

#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "import/autocast.h"
#include "import/import.h"
#include "import/symbols.h"
#include "import/value_scope.h"
#include "ir/program.h"
#include "support/json.h"

namespace litz::import_ {

/// State shared by the graphs of one program.
struct GraphImportContext {
  ir::Module& module;
  SymbolTable& symbols;
  const ImportOptions& options;
  std::set<SymbolId> defined;              ///< Symbols bound by inputs or nodes so far.
  std::set<SymbolId> defined_by_node;      ///< Those of them that the current node binds.
  bool distrust_recorded_sizes = false;    ///< A known mistake of the exporter occurred.
  bool distrust_recorded_dtypes = false;   ///< An autocast region occurred.
  bool distrust_recorded_strides = false;  ///< A kernel with its own strides occurred.
  bool is_traced_uncast = false;           ///< For the file, as autocast regions show.
  Autocast autocast;                       ///< For the region around the current graph.
  /// Tells whether the current graph reads the value of this name.
  std::function<bool(std::string_view)> is_read;
  std::vector<Guard> assumed_sizes;  ///< Conditions under which recorded and inferred sizes agree.
  /// Such conditions on data-dependent sizes, which each graph asserts itself.
  std::unordered_map<const ir::Graph*, std::unordered_set<Expr>> asserted;
};

/// One recorded result of a node.
struct RecordedResult {
  std::string_view name;  ///< Empty for slots without a value.
  ir::ValueType type;
  std::optional<Expr> meaning;  ///< What readers of a host scalar get, if not the scalar itself.
};

class GraphImporter {
 public:
  GraphImporter(GraphImportContext& context, const JsonValue& json, const JsonPath& path,
                ir::Graph& graph, int depth);

  /// For the main graph: one argument per spec of any kind.
  void import_main_input(const JsonValue& argument, const JsonPath& path, ir::InputKind kind,
                         const std::string& name);
  /// For child graphs: tensors become arguments, host scalars keep their expression. `operands` are
  /// those of the call, in the order of the inputs.
  void import_child_inputs(std::span<const ir::Value> operands);
  void import_nodes();
  void import_outputs();

  const ValueScope& scope() const { return scope_; }

 private:
  void collect_read_names();
  void import_node(const JsonValue& node, const JsonPath& path);
  void import_call(const ir::OpInfo& op, const JsonValue& node, const JsonPath& path);
  void import_higher_order(const ir::OpInfo& op, const JsonValue& node, const JsonPath& path);
  void bind_symbolic(const JsonValue& node, const JsonPath& path);
  bool is_already_known(const JsonValue& node, const JsonPath& path);
  bool drop_assertion(std::string_view name, const JsonValue& node, const JsonPath& path);
  void check_tensor_assertion(const JsonValue& node, const JsonPath& path);
  void keep_node_name(ir::Node* added, const JsonValue& node, const JsonPath& path);

  // Operators that the importer rewrites itself (rewritten_calls.cpp).
  void import_auto_functionalized(const JsonValue& node, const JsonPath& path, bool second_version);
  void import_with_effects(const JsonValue& node, const JsonPath& path);
  void import_out_dtype(const JsonValue& node, const JsonPath& path);
  /// Keyword inputs with names from the operator's schema.
  std::vector<ir::Argument> keyword_arguments(const ir::OpInfo& op, const JsonValue& node,
                                              const JsonPath& path);
  ir::Argument written_operand(const ir::SchemaArgument& slot, std::span<const ir::Value> bases,
                               const JsonValue& node, const JsonPath& path);
  ir::Argument restore_view(std::string_view argument, ir::Value base, const JsonValue& node,
                            const JsonPath& path);
  const ir::OpInfo& called_operator(const JsonValue& node, size_t position, const JsonPath& path);
  ir::Value clone_of(ir::Value value);

  std::vector<ir::Argument> match_arguments(const ir::OpInfo& op, const JsonValue& node,
                                            const JsonPath& path);
  void append_operands(const JsonMember& argument, const JsonPath& path,
                       std::vector<ir::Value>& operands, bool scalars_allowed);
  ir::GraphRef import_child(const JsonValue& argument, const JsonPath& path,
                            std::span<const ir::Value> operands);
  std::vector<RecordedResult> read_results(const JsonValue& node, const JsonPath& path);
  ir::Node* add_node(const ir::OpInfo& op, std::vector<ir::Argument> arguments,
                     const std::vector<RecordedResult>& results, const JsonPath& path);
  void finish_node(ir::Node* node, const std::vector<RecordedResult>& results,
                   const JsonPath& path);
  void check_symbols(const ir::Node& node, const JsonPath& path);
  void read_symbol_of_item(RecordedResult& result) const;
  void bind_scalar_result(const JsonMember& output, const JsonPath& path);

  GraphImportContext& context_;
  const JsonValue& json_;
  const JsonPath& path_;
  ir::Graph& graph_;
  int depth_;
  ValueScope scope_;
  std::unordered_set<std::string_view> read_names_;  ///< Names of tensors with readers.
  const JsonValue* metadata_ = nullptr;              ///< For the current node.
};

/// The named input of a node: the union and its path text. Null if absent.
const JsonMember* find_node_input(const JsonValue& node, std::string_view name,
                                  const JsonPath& path);

}  // namespace litz::import_
