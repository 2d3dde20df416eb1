#include "schedule/schedule.h"

#include "loops/simplify.h"
#include "schedule/rewriting.h"

namespace litz::schedule {

Schedule make_schedule(loops::Kernel kernel, const ScheduleOptions& options) {
  Schedule schedule;
  schedule.kernel = std::move(kernel);
  while (loops::simplify(schedule.kernel)) {
  }
  find_accesses(schedule);
  merge_loops(schedule);
  choose_vectors(schedule, options);
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

std::string to_string(const Schedule& schedule) {
  std::string text = loops::to_string(schedule.kernel);
  for (const Phase& phase : schedule.phases) {
    text += "// phase";
    if (phase.loop == nullptr) {
      text += " whole\n";
      continue;
    }
    for (const loops::LoopVar& var : phase.loop->vars) text += " " + litz::to_string(var.symbol);
    text += " divided " + std::to_string(phase.divided) + " of " +
            std::to_string(phase.loop->vars.size()) + "\n";
  }
  walk(schedule.kernel.body, [&](const loops::Instr& instr) {
    const int lanes = schedule.lanes_of(instr);
    if (lanes > 1) {
      text += "// " + litz::to_string(instr.vars.back().symbol) + " in " + std::to_string(lanes) +
              " lanes\n";
    }
  });
  return text;
}

}  // namespace litz::schedule
