// Records what each pass of a pipeline did: the nodes that it created, changed and erased, and
// pictures of the graphs before and after, with these nodes marked.
//
//   PassObserver observer([](const std::string& file, const std::string& text) { ... });
//   observer.attach(options);
//   run_pipeline(..., options);
//
// Writes `passes.txt`, a list of all passes, and for every pass that changed something
// `pass_7_<name>_input.html` and `_output.html`, with a section per graph, and `.ir` with the text.
// Numbers also count passes that changed nothing. Pictures of unchanged graphs are omitted.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "passes/pass_driver.h"

namespace litz::passes {

/// The changes that a pass made to one graph. Nodes are named by their first results, for erased
/// nodes before the pass and for others after it; `operator#id` without one.
struct GraphChanges {
  std::string graph;
  std::vector<std::string> created;
  std::vector<std::string> changed;  ///< Operands, attributes, types, names of results.
  std::vector<std::string> erased;
};

struct PassRecord {
  size_t number = 0;  ///< Counts from 1.
  std::string pass;
  bool failed = false;
  std::vector<GraphChanges> graphs;  ///< Only those with changes.
};

class PassObserver {
 public:
  /// Receives a file's name and text. Empty: nothing is written or drawn.
  using Write = std::function<void(const std::string& file, const std::string& text)>;

  explicit PassObserver(Write write);
  ~PassObserver();
  PassObserver(const PassObserver&) = delete;
  PassObserver& operator=(const PassObserver&) = delete;

  /// Adds itself to the hooks of the options, after existing ones. May be attached to several
  /// pipelines that run one after the other; the observer must outlive their runs.
  void attach(DriverOptions& options);

  /// The hooks that attach() installs.
  void before(const Pass& pass, ir::Module& module);
  void after(const ir::Module& module);
  /// The pass threw: draws nothing and stops observing the graphs.
  void failed();

  const std::vector<PassRecord>& records() const { return records_; }

 private:
  class Watch;

  void draw(const ir::Module& module, const PassRecord& record);

  Write write_;
  std::vector<PassRecord> records_;
  std::unique_ptr<Watch> watch_;  ///< Set while a pass runs.
  std::string text_;              ///< The module's text before it.
};

/// "7 merge-equal-nodes", and a line per changed graph: "  @main: erased %c, %d; changed %e".
std::string to_string(const PassRecord& record);

}  // namespace litz::passes
