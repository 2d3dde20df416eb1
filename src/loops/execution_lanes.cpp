// Chooses the lane loop of a nest.

#include <algorithm>

#include "loops/execution.h"

namespace litz::loops {
namespace {

// The shortest outer loop that is worth the lanes: in a shorter one, dispatch is most of a step's
// cost.
constexpr int64_t kManyLanes = 64;
// The shortest inner loop that is worth the lanes. Starting and ending a shorter one costs as much
// as walking rows across memory, while the rows are so short that their lines stay in the cache.
constexpr int64_t kFewLanes = 48;

bool is_sequential(const LoopCode& code) { return code.kind == LoopKind::carried; }

}  // namespace

int64_t Execution::coefficient(int access, int var) const {
  for (const auto& [v, value] : accesses_[static_cast<size_t>(access)].form.coefficients) {
    if (v == var) return value;
  }
  return 0;
}

// The last variable with more than one iteration; -1 if the loop has one iteration.
int Execution::innermost_var(int loop) const {
  const LoopCode& code = program_.loops[static_cast<size_t>(loop)];
  for (size_t i = code.vars.size(); i-- > 0;) {
    if (extent(code.vars[i]) > 1) return code.vars[i];
  }
  return -1;
}

// Lanes evaluate iterations of one loop side by side, so a loop with instructions that depend on
// the order of iterations cannot be the lane loop.
bool Execution::must_be_sequential(int loop) const {
  const LoopCode& code = program_.loops[static_cast<size_t>(loop)];
  if (is_sequential(code) || code.has_sort) return true;
  std::vector<BufferId> combined;
  for (const int id : code.accesses) {
    const Access& access = program_.accesses[static_cast<size_t>(id)];
    if (!access.is_store) continue;
    if (access.combine != nullptr) {
      const bool is_alone = std::ranges::all_of(code.accesses, [&](int other) {
        const Access& beside = program_.accesses[static_cast<size_t>(other)];
        return beside.buffer != access.buffer || beside.combine == access.combine;
      });
      if (access.any_order && is_alone) continue;
      // Other accesses run in iteration order only if they are alone and directly in the loop.
      if (access.loop != loop) return true;
      if (std::ranges::find(combined, access.buffer) != combined.end()) return true;
      combined.push_back(access.buffer);
      continue;
    }
    const bool is_read_back = std::ranges::any_of(code.accesses, [&](int other) {
      const Access& load = program_.accesses[static_cast<size_t>(other)];
      return !load.is_store && load.buffer == access.buffer && load.loop != access.loop;
    });
    if (!is_read_back || !accesses_[static_cast<size_t>(id)].form.arrays.empty()) continue;
    // Memory that every iteration reuses carries values between its inner loops.
    for (const int var : code.vars) {
      if (extent(var) > 1 && coefficient(id, var) == 0) return true;
    }
  }
  return false;
}

Execution::Mode Execution::choose_mode(int loop) const {
  const LoopCode& code = program_.loops[static_cast<size_t>(loop)];
  const BoundLoop& bound = loops_[static_cast<size_t>(loop)];
  if (must_be_sequential(loop)) return Mode::sequential;
  // Loops of a schedule run as their marks say.
  if (code.vector_lanes > 1) return Mode::lanes;
  if (std::ranges::find(code.is_parallel, true) != code.is_parallel.end()) return Mode::sequential;
  const auto is_vector = [&](int nested) {
    return program_.loops[static_cast<size_t>(nested)].vector_lanes > 1;
  };
  if (std::ranges::any_of(code.loops, is_vector)) return Mode::sequential;
  int64_t inner_count = 0;
  for (const int nested : code.loops) {
    if (is_sequential(program_.loops[static_cast<size_t>(nested)])) continue;
    inner_count = std::max(inner_count, loops_[static_cast<size_t>(nested)].count);
  }
  if (inner_count == 0) return Mode::lanes;  // No inner loop could have lanes.
  if (bound.count <= 1) return Mode::sequential;
  if (inner_count < kFewLanes) return Mode::lanes;
  if (bound.count < kManyLanes && inner_count >= 4 * bound.count) return Mode::sequential;
  // Prefer the loop along which more accesses are contiguous.
  const int var = innermost_var(loop);
  int64_t here = 0;
  int64_t inside = 0;
  for (const int id : code.accesses) {
    int nearest = program_.accesses[static_cast<size_t>(id)].loop;
    if (nearest == loop) continue;  // Made once for many inside.
    if (accesses_[static_cast<size_t>(id)].form.arrays.empty()) {
      const int64_t step = coefficient(id, var);
      if (step == 0 || step == 1) ++here;
    }
    while (nearest != loop && is_sequential(program_.loops[static_cast<size_t>(nearest)])) {
      nearest = program_.loops[static_cast<size_t>(nearest)].parent;
    }
    if (nearest == loop) {
      ++here;  // Only this loop could spread the access over lanes.
      continue;
    }
    const int inner_var = innermost_var(nearest);
    const int64_t step = inner_var < 0 ? 0 : coefficient(id, inner_var);
    if (step == 0 || step == 1) ++inside;
  }
  return here >= inside ? Mode::lanes : Mode::sequential;
}

}  // namespace litz::loops
