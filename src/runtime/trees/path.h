// The calls of the present step of one thread, and what happens to their outputs when it ends.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/trees/node.h"
#include "runtime/trees/pool.h"

namespace litz::runtime::trees {

enum class PathState : uint8_t {
  none,       ///< No call.
  warm_up,    ///< The last call of a fixed function ran at once.
  recording,  ///< It was recorded.
  execution,  ///< It was replayed.
};

/// A storage of the pool that callers got.
struct PathOutput {
  std::weak_ptr<Storage> storage;
  uint64_t giving = 0;  ///< Pool::giving_of it, which changes when it is another output's.
  const Function* function = nullptr;
  size_t index = 0;
  OutputPolicy policy = OutputPolicy::clone;

  bool is_on(const Storage* held, const Pool& pool) const {
    return pool.giving_of(held) == giving && storage.lock().get() == held;
  }

  bool is_live(const Pool& pool) const;
};

struct PathStep {
  const Function* function = nullptr;
  std::vector<PathOutput> outputs;
  bool is_awaited = false;  ///< A backward call shall use its saved values.
};

/// Decides when steps begin. Automatic steps begin with outermost entries. A stated step lasts until
/// the next one, or until its first function is called again from outside.
struct Steps {
  int64_t now = 0;   ///< Numbers steps.
  int64_t path = 0;  ///< The step of the path's last call.
  int entries = 0;
  int scopes = 0;
  bool is_stated = false;
  FunctionId first;  ///< Of a stated step.

  /// A backward call belongs to the step of its forward call.
  void enter(bool is_backward = false) {
    if (entries++ == 0 && scopes == 0 && !is_stated && !is_backward) ++now;
  }

  void leave() { --entries; }

  void state() {
    ++now;
    is_stated = true;
    first = {};
  }

  /// Before a call in an entry.
  void call(FunctionId function) {
    if (!is_stated) return;
    if (first.value < 0) {
      first = function;
    } else if (first == function && entries == 1 && scopes == 0) {
      is_stated = false;
      ++now;
    }
  }

  bool are_stated() const { return is_stated || scopes != 0; }
};

struct PathEnd {
  int64_t clones = 0;
  int64_t traps = 0;
};

struct Path {
  std::vector<PathStep> calls;
  Node* current = nullptr;  ///< The last recording of a fixed function.
  PathState state = PathState::none;
  Steps steps;

  /// The live outputs, each storage once.
  std::vector<const PathOutput*> live(const Pool& pool) const;
  bool holds(const Storage* storage, const Pool& pool) const;
  /// A backward call is to come: someone holds saved values for it.
  bool awaits_backward(const Pool& pool) const;
  /// No later call awaits a backward call.
  void end_awaiting();
  bool repeats(const Function* function) const;

  /// Forgets the calls. Outputs stay as they are.
  void clear();
  /// Ends the step: what is held is kept, moves or ends, by its policy. Inputs of the call that begins
  /// the next one move. The storages in `kept` stay in the pool.
  PathEnd end(Pool& pool, std::span<const Argument> inputs, const std::string& next,
              StreamId stream, std::vector<std::weak_ptr<Storage>>& kept);
};

/// Why reading an ended output is an error, and what to do.
std::string trap_text(const PathOutput& output, const std::string& next);

}  // namespace litz::runtime::trees
