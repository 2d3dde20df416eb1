// One .ir test file: its directives, and running them.
//
//   // run: --pass=NAME[,NAME] [--once] [--strip-loc] [--stated-types] [--program]
//                              [--edit-limit=N] [--reproducer] [--same-results]
//   // error@+1: text     the next line is refused with a message that contains the text
//   // error: text        running the passes fails with such a message
//   CHECK lines           see check_lines.h; they look at the printed result
//
// Every file is read, printed, read again and verified. Graphs @f and @f.expected must be equal up
// to names after the passes, and a second run of the passes must change nothing unless --once is
// given. Types must be the inferred ones unless --stated-types is given (recorded graphs under
// autocast state others). With --program the graph @main is a program's: inputs whose names begin
// with p_, b_ or c_ are parameters, buffers and constants with generated contents.
//
// Files that `litz` writes about a failed pass have --reproducer: the passes must succeed, but
// their results are not checked. With --same-results @main must compute the same before and after
// them, on generated inputs.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "check_lines.h"
#include "ir/graph.h"

namespace litz::check_tool {

struct ExpectedError {
  size_t line = 0;  ///< 0: any.
  std::string text;
};

struct Directives {
  std::vector<std::string> passes;
  bool once = false;
  bool strip_locations = false;
  bool stated_types = false;
  bool program = false;
  bool reproducer = false;
  bool same_results = false;
  uint64_t edit_limit = UINT64_MAX;
  std::vector<ExpectedError> errors;
  std::vector<CheckLine> checks;
};

/// Throws Error for a directive it does not know.
Directives parse_directives(std::string_view text);

/// Returns the failures of the file, one text each, with the line if it is known; empty if there
/// are none. `printed` receives the module after the passes.
std::vector<std::string> failures(std::string_view text, std::shared_ptr<const ir::OpSet> ops,
                                  std::string& printed);

/// Returns a file that fails like this one, with as little as possible in its graph @main. Leading
/// comment lines stay. Throws Error for a file without failures, or that cannot be read as IR.
std::string minimized(std::string_view text, const std::shared_ptr<const ir::OpSet>& ops);

}  // namespace litz::check_tool
