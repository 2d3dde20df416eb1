// Reads modules: symbol declarations, graphs, statements. See parser.h.

#include "ir/parser.h"

#include <algorithm>

#include "ir/declared_ops.h"
#include "ir/graph_parser.h"
#include "ir/parse_value.h"
#include "support/check.h"

namespace litz::ir {
namespace {

class ModuleParser {
 public:
  /// `declared` is the module's operator set if the text declares operators.
  ModuleParser(std::string_view text, Module& module, DeclaredOps* declared,
               std::vector<Diagnostic>& errors, const ParseOptions& options)
      : cursor_(text), module_(module), declared_(declared), errors_(errors), options_(options) {}

  void parse() {
    declare_graphs();
    while (!cursor_.at_end() && errors_.size() < options_.max_errors) {
      guarded([this] { top_level(); });
    }
  }

 private:
  // Graphs may be called before their definition, so their names are collected first.
  void declare_graphs() {
    const std::string_view text = cursor_.text();
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      TextCursor line(text.substr(0, end));
      line.seek(begin);
      if (line.take_word("graph") && line.take('@')) {
        const size_t at = line.at();
        const std::string name(line.dotted());
        if (module_.find_graph(name) != nullptr) {
          report({at, "graph names of a text must differ: " + name});
        } else if (!name.empty()) {
          module_.add_graph(name);
        }
      }
      begin = end + 1;
    }
  }

  void top_level() {
    if (declared_ != nullptr && cursor_.take_word("op")) {
      parse_operator();
    } else if (cursor_.take_word("sym")) {
      parse_symbol(cursor_, module_);
    } else if (cursor_.take_word("graph")) {
      cursor_.expect('@');
      const size_t at = cursor_.at();
      Graph* graph = module_.find_graph(cursor_.dotted());
      if (graph == nullptr) cursor_.fail_at(at, "expected the name of the graph");
      parse_graph(*graph);
    } else {
      cursor_.expected("'op', 'sym' or 'graph'");
    }
  }

  void parse_operator() {
    const size_t at = cursor_.at();
    const size_t end = std::min(cursor_.text().find('\n', at), cursor_.text().size());
    cursor_.seek(end);
    try {
      parse_declaration(cursor_.text().substr(at, end - at), *declared_);
    } catch (const Error& error) {
      cursor_.fail_at(at, error.what());
    }
  }

  void parse_graph(Graph& graph) {
    GraphParser parser(cursor_, graph);
    try {
      parser.header();
    } catch (const ParseFailure& failure) {
      report(failure);
      skip_body();
      return;
    }
    bool closed = false;
    while (!closed && !cursor_.at_end() && errors_.size() < options_.max_errors) {
      guarded([&] {
        if (cursor_.take_block_close()) {
          closed = true;
          parser.finish();
        } else {
          parser.statement();
        }
      });
    }
    if (!closed && errors_.size() < options_.max_errors) {
      cursor_.expected("'}' at the end of graph @" + graph.name());
    }
  }

  // Without a header, the statements would only repeat the error.
  void skip_body() {
    cursor_.recover();
    const size_t close = cursor_.text().find("\n}", cursor_.at());
    cursor_.seek(close == std::string_view::npos ? cursor_.text().size() : close + 2);
  }

  template <typename Step>
  void guarded(Step step) {
    const size_t begin = cursor_.at();
    try {
      step();
    } catch (const ParseFailure& failure) {
      report(failure);
      // An open bracket may have swallowed later lines; resume after the line of the mistake.
      if (cursor_.mark().depth > 0) cursor_.seek(failure.at);
      cursor_.recover();
      if (opens_later_line(begin, failure.at)) cursor_.seek(failure.at);
    } catch (const FollowUpFailure&) {
      cursor_.recover();
    }
  }

  // An unexpected token at the start of a later line is usually the next statement: a bracket is
  // open.
  bool opens_later_line(size_t begin, size_t at) const {
    const std::string_view text = cursor_.text();
    const size_t line = text.substr(0, at).find_last_not_of(" \t\r");
    return line != std::string_view::npos && text[line] == '\n' && at < text.size() &&
           text.find_first_not_of(" \t\r\n", begin) < line;
  }

  void report(const ParseFailure& failure) {
    errors_.push_back(diagnose(cursor_.text(), failure.at, failure.message));
  }

  TextCursor cursor_;
  Module& module_;
  DeclaredOps* declared_;
  std::vector<Diagnostic>& errors_;
  const ParseOptions& options_;
};

bool declares_operators(std::string_view text) {
  for (TextCursor line(text); !line.at_end();) {
    if (line.take_word("op")) return true;
    const size_t end = text.find('\n', line.at());
    if (end == std::string_view::npos) return false;
    line.seek(end);
  }
  return false;
}

}  // namespace

ParseResult parse_module(std::string_view text, std::shared_ptr<const OpSet> ops,
                         const ParseOptions& options) {
  ParseResult result;
  std::shared_ptr<DeclaredOps> declared;
  if (declares_operators(text)) ops = declared = std::make_shared<DeclaredOps>(std::move(ops));
  result.module = std::make_unique<Module>(std::move(ops));
  if (text.size() > options.max_bytes) {
    result.errors.push_back(diagnose("", 0, "the text is larger than the limit"));
    return result;
  }
  ModuleParser(text, *result.module, declared.get(), result.errors, options).parse();
  return result;
}

std::unique_ptr<Module> read_module(std::string_view text, std::shared_ptr<const OpSet> ops,
                                    std::string_view file) {
  ParseResult result = parse_module(text, std::move(ops));
  if (result.ok()) return std::move(result.module);
  std::string message = "IR text must follow the grammar:";
  for (const Diagnostic& error : result.errors) message += "\n" + error.to_string(file);
  throw Error(ErrorCode::invalid_argument, std::move(message));
}

}  // namespace litz::ir
