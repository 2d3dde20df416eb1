// Writes down what each pass of a pipeline did: which nodes it made, changed and erased, and
// pictures of the graphs before and after, with these nodes marked.
//
//   PassObserver observer([](const std::string& file, const std::string& text) { ... });
//   observer.attach(options);
//   run_pipeline(..., options);
//
// Files: `passes.txt`, a list of all passes; for every pass that changed something
// `pass_7_<name>_input.html` and `_output.html`, with a section per graph, and `.ir` with the text.
// Numbers count passes, also those that changed nothing. Pictures of unchanged graphs are left out.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "passes/pass_driver.h"

namespace litz::passes {

/// What a pass did to one graph. Names are those of first results: before the pass for erased
/// nodes, after it for others; `operator#id` where there is none.
struct GraphChanges {
  std::string graph;
  std::vector<std::string> created;
  std::vector<std::string> changed;  ///< Operands, attributes, types, names of results.
  std::vector<std::string> erased;
};

struct PassRecord {
  size_t number = 0;  ///< From 1.
  std::string pass;
  bool failed = false;
  std::vector<GraphChanges> graphs;  ///< Only those with changes.
};

class PassObserver {
 public:
  /// Takes a file's name and text. Empty: nothing is written, and nothing drawn.
  using Write = std::function<void(const std::string& file, const std::string& text)>;

  explicit PassObserver(Write write);
  ~PassObserver();
  PassObserver(const PassObserver&) = delete;
  PassObserver& operator=(const PassObserver&) = delete;

  /// Adds itself to the hooks of the options, behind those that are there. May be done for several
  /// pipelines, one after the other; the observer must outlive their runs.
  void attach(DriverOptions& options);

  /// What attach() installs.
  void before(const Pass& pass, ir::Module& module);
  void after(const ir::Module& module);
  /// The pass threw: nothing of it is drawn, and graphs are no longer watched.
  void failed();

  const std::vector<PassRecord>& records() const { return records_; }

 private:
  class Watch;

  void draw(const ir::Module& module, const PassRecord& record);

  Write write_;
  std::vector<PassRecord> records_;
  std::unique_ptr<Watch> watch_;  ///< While a pass runs.
  std::string text_;              ///< Of the module before it.
};

/// "7 merge-equal-nodes", and a line per changed graph: "  @main: erased %c, %d; changed %e".
std::string to_string(const PassRecord& record);

}  // namespace litz::passes
