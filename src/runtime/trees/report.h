// What a context did: counts, and why functions ran without a recording.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/trees/function.h"

namespace litz::runtime::trees {

enum class SkipReason : uint8_t {
  mutated_inputs,    ///< A fixed function writes an input that is neither static nor managed.
  stated,            ///< The function says why: Function::skip_reason.
  other_device,      ///< Its tensors lie on another device.
  unlisted_size,     ///< Function::capture_sizes does not have the size.
  rerecord_limit,    ///< Managed inputs had too many addresses at one place of the tree.
  recording_failed,  ///< Its work cannot be a recording.
};

std::string_view name(SkipReason reason);

/// Calls of a function that ran at once, for one reason at one place of the tree.
struct Skip {
  SkipReason reason = SkipReason::stated;
  FunctionId function;
  int32_t node = -1;   ///< The recording before it; -1: none, or the place does not matter.
  std::string detail;  ///< Operations, devices, addresses.
  int64_t calls = 0;
};

/// "function 3 foo was not recorded: mutated inputs (1 instances): aten.add_ (model.py:4)"
std::string describe(const Skip& skip, const Function& function);

struct Counts {
  int64_t calls = 0;
  int64_t warm_ups = 0;  ///< Runs at once that a recording shall follow.
  int64_t recordings = 0;
  int64_t replays = 0;  ///< Without the first one of each recording.
  int64_t at_once = 0;  ///< Runs that were not recorded, for a reason.
  int64_t skips = 0;    ///< Reasons: each counts once for a function and a place.
  int64_t failed_matches = 0;
  int64_t restores = 0;       ///< Calls that left a replayed path to warm up or record.
  int64_t copied_inputs = 0;  ///< Inputs that recordings copy.
  int64_t copies = 0;
  int64_t copied_bytes = 0;
  int64_t patches = 0;
  int64_t moves = 0;      ///< Recordings that moved in the pool.
  int64_t clones = 0;     ///< Outputs that moved out of the pool.
  int64_t traps = 0;      ///< Outputs that ended while they were held.
  int64_t evictions = 0;  ///< Recordings that the budget dropped.
};

struct FunctionReport {
  std::string name;
  Mode mode = Mode::inference;
  Tier tier = Tier::patched;
  int64_t sizes = 0;
  int64_t recordings = 0;  ///< Present ones.
  int64_t nodes = 0;       ///< Of these.
  int64_t calls = 0;
  int64_t replays = 0;
  std::vector<Skip> skips;
  std::vector<ProgramPart> parts;  ///< Of a program.
};

struct ContextReport {
  Counts counts;
  std::vector<FunctionReport> functions;
  int64_t recordings = 0;
  size_t live_bytes = 0;       ///< Memory of the pool that tensors hold.
  size_t committed_bytes = 0;  ///< Memory that the pool has.
  size_t temporary_bytes = 0;  ///< Arenas of programs.
};

/// A table for people.
std::string to_string(const ContextReport& report);

}  // namespace litz::runtime::trees
