#include "runtime/trees/path.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

namespace litz::runtime::trees {

bool PathOutput::is_live(const Pool& pool) const {
  const std::shared_ptr<Storage> held = storage.lock();
  return held != nullptr && pool.giving_of(held.get()) == giving &&
         pool.holders(held.get()) > 1;  // One is `held`.
}

std::vector<const PathOutput*> Path::live(const Pool& pool) const {
  std::vector<const PathOutput*> live;
  std::set<std::weak_ptr<Storage>, std::owner_less<>> seen;
  for (const PathStep& call : calls) {
    for (const PathOutput& output : call.outputs) {
      if (output.is_live(pool) && seen.insert(output.storage).second) live.push_back(&output);
    }
  }
  return live;
}

bool Path::holds(const Storage* storage, const Pool& pool) const {
  if (pool.range_of(storage).bytes == 0) return false;
  for (const PathStep& call : calls) {
    for (const PathOutput& output : call.outputs) {
      if (output.is_on(storage, pool)) return true;
    }
  }
  return false;
}

bool Path::awaits_backward(const Pool& pool) const {
  return std::ranges::any_of(calls, [&](const PathStep& call) {
    return call.is_awaited && std::ranges::any_of(call.outputs, [&](const PathOutput& output) {
             return output.function->output(output.index).is_saved && output.is_live(pool);
           });
  });
}

void Path::end_awaiting() {
  for (PathStep& call : calls) call.is_awaited = false;
}

bool Path::repeats(const Function* function) const {
  return std::ranges::count(calls, function, &PathStep::function) >= 2;
}

void Path::clear() {
  calls.clear();
  current = nullptr;
  state = PathState::none;
}

PathEnd Path::end(Pool& pool, std::span<const Argument> inputs, const std::string& next,
                  StreamId stream, std::vector<std::weak_ptr<Storage>>& kept) {
  PathEnd ended;
  for (const PathOutput* const output : live(pool)) {
    Storage* const storage = output->storage.lock().get();
    const bool is_input = std::ranges::any_of(inputs, [&](const Argument& input) {
      const Tensor* const tensor = tensor_of(input);
      return tensor != nullptr && tensor->storage().get() == storage;
    });
    // Several outputs may be on one storage.
    const bool is_visible = std::ranges::any_of(calls, [&](const PathStep& call) {
      return std::ranges::any_of(call.outputs, [&](const PathOutput& other) {
        const OutputInfo info = other.function->output(other.index);
        return info.is_visible && !info.is_gradient && other.is_on(storage, pool);
      });
    });
    if (output->policy == OutputPolicy::fresh) {
      kept.push_back(output->storage);
    } else if (is_input || (output->policy == OutputPolicy::clone && is_visible)) {
      pool.move_out(storage, stream);
      ++ended.clones;
    } else {
      pool.end(storage, trap_text(*output, next), stream);
      ++ended.traps;
    }
  }
  clear();
  return ended;
}

std::string trap_text(const PathOutput& output, const std::string& next) {
  const OutputInfo info = output.function->output(output.index);
  std::ostringstream text;
  text << "memory of a recorded function's output must be read before it is overwritten by a "
          "subsequent run: ";
  if (info.is_gradient) text << "gradient ";
  text << "output " << output.index << " of " << output.function->name << ", made by "
       << (info.source.empty() ? "an operation that is not known" : info.source) << ", and " << next
       << " began another step. ";
  if (info.is_gradient) {
    text << "Gradients that are accumulated over steps are the usual cause: clone the gradient, or "
            "let the backward function add to memory of your own (.grad).";
  } else {
    text << "Clone the tensor outside of the function before that call, put both calls into one "
            "step (StepScope, mark_step), or let outputs be kept (output policy clone or fresh).";
  }
  return std::move(text).str();
}

}  // namespace litz::runtime::trees
