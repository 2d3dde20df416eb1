// Reads the text form of graph IR back: parse(print(g)) equals g, print(parse(text)) is a fixpoint.
//
// Makes one pass; only graphs may be used before their definition. After a mistake the parser
// resumes at the next line, so one run reports several. Grammar: docs/ir.md.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.h"
#include "ir/graph.h"

namespace litz::ir {

struct ParseOptions {
  size_t max_errors = 20;
  size_t max_bytes = size_t{1} << 28;
};

struct ParseResult {
  std::unique_ptr<Module> module;  ///< The parsed part; complete only without errors.
  std::vector<Diagnostic> errors;

  bool ok() const { return errors.empty(); }
};

/// Never throws for a malformed text. Nodes without a type annotation get their types by inference.
ParseResult parse_module(std::string_view text, std::shared_ptr<const OpSet> ops,
                         const ParseOptions& options = {});

/// Throws Error{invalid_argument} with every diagnostic when the text is malformed.
std::unique_ptr<Module> read_module(std::string_view text, std::shared_ptr<const OpSet> ops,
                                    std::string_view file = "");

}  // namespace litz::ir
