#include "schedule/schedule.h"

#include <algorithm>

#include "loops/simplify.h"
#include "schedule/complex_parts.h"
#include "schedule/rewriting.h"
#include "support/check.h"

namespace litz::schedule {

size_t bound_buffers(const loops::Kernel& kernel) {
  const auto is_scratch = [](const loops::Buffer& buffer) {
    return buffer.role == loops::BufferRole::scratch;
  };
  const auto first = std::ranges::find_if(kernel.buffers, is_scratch);
  check(std::all_of(first, kernel.buffers.end(), is_scratch),
        "scratch buffers must come last:", kernel.name);
  return static_cast<size_t>(first - kernel.buffers.begin());
}

Schedule make_schedule(loops::Kernel kernel, const ScheduleOptions& options) {
  Schedule schedule;
  schedule.kernel = has_complex(kernel) ? in_parts(kernel).value() : std::move(kernel);
  lower_sorts(schedule.kernel);
  while (loops::simplify(schedule.kernel)) {
  }
  schedule.bound_buffers = bound_buffers(schedule.kernel);
  find_accesses(schedule);
  merge_loops(schedule);
  choose_vectors(schedule, options);
  keep_rows(schedule, options);
  pair_softmax(schedule);
  fetch_rows_ahead(schedule);
  choose_column_blocks(schedule);
  choose_scans(schedule);
  pair_variance(schedule);
  fetch_streams_ahead(schedule);
  choose_phases(schedule);
  return schedule;
}

void walk(loops::Block& block, const std::function<void(loops::Instr&)>& visit) {
  for (loops::Instr& instr : block.instrs) {
    visit(instr);
    for (const auto& nested : instr.blocks) walk(*nested, visit);
  }
}

void walk(const loops::Block& block, const std::function<void(const loops::Instr&)>& visit) {
  for (const loops::Instr& instr : block.instrs) {
    visit(instr);
    for (const auto& nested : instr.blocks) {
      walk(static_cast<const loops::Block&>(*nested), visit);
    }
  }
}

bool stores_nothing(const loops::Block& block, size_t from, size_t to) {
  bool stores = false;
  const auto note = [&](const loops::Instr& instr) {
    stores =
        stores || instr.kind == loops::InstrKind::store || instr.kind == loops::InstrKind::sort_row;
  };
  for (size_t i = from; i < to; ++i) {
    const loops::Instr& instr = block.instrs[i];
    note(instr);
    for (const auto& nested : instr.blocks) walk(static_cast<const loops::Block&>(*nested), note);
  }
  return !stores;
}

void move_to_end(Schedule& schedule, std::vector<loops::Instr>& instrs, loops::Instr& instr) {
  instrs.push_back(std::move(instr));
  const auto move_key = [&](auto& notes) {
    auto node = notes.extract(&instr);
    if (node.empty()) return;
    if constexpr (requires { node.key(); }) {
      node.key() = &instrs.back();
    } else {
      node.value() = &instrs.back();
    }
    notes.insert(std::move(node));
  };
  move_key(schedule.accesses);
  move_key(schedule.lanes);
  move_key(schedule.tiled);
}

void forget(Schedule& schedule, const loops::Instr& instr) {
  schedule.accesses.erase(&instr);
  schedule.lanes.erase(&instr);
  for (const auto& nested : instr.blocks) {
    for (const loops::Instr& inner : nested->instrs) forget(schedule, inner);
  }
}

namespace {

/// "// load %x at 16*i0 + i1, next lane 1 on"
std::string to_string(const Schedule& schedule, const loops::Instr& instr, const Access& access) {
  const bool is_store = instr.kind == loops::InstrKind::store;
  std::string text = is_store ? "// store %" : "// load %";
  text += schedule.kernel.buffers[static_cast<size_t>(instr.buffer)].name + " at " +
          litz::to_string(access.offset);
  for (const auto& [_, stride] : access.computed) {
    text += " + computed*(" + litz::to_string(stride) + ")";
  }
  text +=
      access.is_affine ? ", next lane " + litz::to_string(access.step) + " on" : ", lanes anywhere";
  if (access.is_transposed) text += ", transposed";
  if (access.is_streamed) text += ", past the caches";
  if (!access.ahead.is(0)) text += ", fetches " + litz::to_string(access.ahead) + " ahead";
  return text + "\n";
}

}  // namespace

std::string to_string(const Schedule& schedule) {
  std::string text = loops::to_string(schedule.kernel);
  // Merging loops changes offsets and leaves indices alone.
  text += "// Offsets below hold; indices above may name loops that were merged into one.\n";
  for (const Phase& phase : schedule.phases) {
    text += "// phase";
    if (phase.loop == nullptr) {
      text += " whole\n";
      continue;
    }
    for (const loops::LoopVar& var : phase.loop->vars) text += " " + litz::to_string(var.symbol);
    text += " divided";
    for (size_t v = 0; v < phase.divided; ++v) {
      text += " " + litz::to_string(phase.loop->vars[phase.first + v].symbol);
    }
    text += "\n";
  }
  walk(schedule.kernel.body, [&](const loops::Instr& instr) {
    if (schedule.is_deviations(instr)) {
      text += "// " + litz::to_string(instr.vars.back().symbol) + " deviates from a running mean\n";
    }
    if (schedule.scans.contains(&instr)) {
      text += "// " + litz::to_string(instr.vars.back().symbol) + " scans a row in each lane\n";
    }
    if (schedule.column_blocks.contains(&instr)) {
      text += "// " + litz::to_string(instr.vars.back().symbol) + " in blocks of columns\n";
    }
    const int lanes = schedule.lanes_of(instr);
    if (lanes > 1) {
      text += "// " + litz::to_string(instr.vars.back().symbol) + " in " + std::to_string(lanes) +
              " lanes\n";
    }
    // Loops were merged: indices of the text mean these addresses.
    const auto found = schedule.accesses.find(&instr);
    if (found != schedule.accesses.end()) text += to_string(schedule, instr, found->second);
  });
  return text;
}

}  // namespace litz::schedule
