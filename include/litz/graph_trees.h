// Programs that share memory, and the steps in which they are called.
//
//   auto graphs = litz::GraphContext::make().value();
//   litz::CompileOptions options;
//   options.run.graphs = graphs;
//   auto encode = litz::compile(encoder, options);
//   auto decode = litz::compile(decoder, options);
//   litz::Tensor y = decode(encode(x));     // One arena for both; y is never overwritten.
//
// Programs of a context use one arena for temporaries in turn, and results that were dropped make room
// for those of all programs. Their calls run one after another. docs/graph_trees.md tells the rest.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "litz/litz.h"

namespace litz {
inline namespace v1 {

/// What happens to a result that is still held when its step ends.
enum class ResultPolicy : uint8_t {
  fresh,  ///< Nothing: no result is ever overwritten.
  clone,  ///< It moves to memory of its own; pointers that data() returned before end.
  trap,  ///< It ends: reading it throws Error, which names the program. Finds results that are kept.
};

struct GraphOptions {
  std::string device;  ///< As Options::device, which must be the same for all programs.
  int threads = 0;     ///< As Options::threads.
  ResultPolicy results = ResultPolicy::fresh;
  /// Calls of a program fail if the host must run some of its steps between its graphs.
  bool require_graphs = false;
};

/// A part of a program.
struct GraphPart {
  std::string label;
  int64_t launches = 0;  ///< Of a recorded part.
  std::string reason;    ///< Why the host runs it; empty: it is recorded.
};

struct GraphProgram {
  std::string name;
  int64_t calls = 0;
  std::vector<GraphPart> parts;
};

struct GraphReport {
  int64_t calls = 0;
  int64_t moved_results = 0;   ///< By ResultPolicy::clone.
  int64_t ended_results = 0;   ///< By ResultPolicy::trap.
  size_t result_bytes = 0;     ///< Memory of results that are held.
  size_t reserved_bytes = 0;   ///< Memory for results, held or not.
  size_t temporary_bytes = 0;  ///< The arenas of all programs.
  std::vector<GraphProgram> programs;
  std::string text;  ///< All of it as a table.
};

/// The context that programs share: Options::graphs. Thread-safe; a step belongs to its thread. Results
/// may outlive the context and its programs.
class LITZ_API GraphContext {
 public:
  /// Fails for a device that does not exist.
  static Result<std::shared_ptr<GraphContext>> make(const GraphOptions& options = {});
  ~GraphContext();
  GraphContext(const GraphContext&) = delete;
  GraphContext& operator=(const GraphContext&) = delete;

  /// The next call of this thread begins a step. Without it, each call does.
  void mark_step();

  GraphReport report() const;

  /// A step of this thread: all calls while it exists belong to it.
  class LITZ_API Step {
   public:
    explicit Step(GraphContext& context);
    ~Step();
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
  };

 private:
  friend struct OptionsAccess;
  struct Impl;
  explicit GraphContext(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace v1
}  // namespace litz
