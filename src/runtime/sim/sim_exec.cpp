#include "runtime/sim/sim_exec.h"

#include <utility>

namespace litz::runtime {

void SimExec::patch(std::span<const Patch> patches) {
  device_.host().count_call();
  exec_->require_valid(patches);
  std::vector<Patch> seen(patches.begin(), patches.end());
  for (Patch& patch : seen) {
    if (auto* const bound = std::get_if<BindBuffer>(&patch)) {
      bound->binding = device_.seen(bound->binding);
    }
  }
  patches_.insert(patches_.end(), seen.begin(), seen.end());
}

void SimExec::watch(std::vector<WatchedMemory> memory) {
  for (WatchedMemory& watched : memory) {
    watched.begin = device_.seen(Binding{watched.begin, watched.bytes}).base;
  }
  watched_ = std::move(memory);
}

// Launches of one executable run one after another, even on different streams, since each begins
// with the patches before it.
void SimExec::launch(StreamId stream) {
  device_.host().count_call();
  const auto run = [this, patches = std::exchange(patches_, {}),
                    watched = std::exchange(watched_, {})] {
    if (!patches.empty()) exec_->change(patches);
    if (!watched.empty()) exec_->watch(watched);
    exec_->replay(StreamId{});
    device_.host().stream_order().synchronize(0);
  };
  last_ = device_.give(stream, run, last_);
}

void SimExec::launch_timed(StreamId stream, std::span<double> seconds) {
  device_.host().count_call();
  const std::vector<Patch> patches = std::exchange(patches_, {});
  const auto run = [this, &patches, seconds] {
    if (!patches.empty()) exec_->change(patches);
    exec_->launch_timed(StreamId{}, seconds);
  };
  last_ = device_.give(stream, run, last_);
  device_.finish(last_);
}

}  // namespace litz::runtime
