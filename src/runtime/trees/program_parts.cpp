#include "runtime/trees/program_parts.h"

#include <cstdint>
#include <string>
#include <utility>

namespace litz::runtime::trees {
namespace {

ProgramPart recorded(const artifact::LaunchList& list) {
  return {.label = list.name, .launches = static_cast<int64_t>(list.launches.size()), .reason = ""};
}

/// Why the host runs a step between lists.
std::string reason_of(const artifact::Step& step) {
  struct Reason {
    std::string operator()(const artifact::ListStep&) const { return ""; }

    std::string operator()(const artifact::LibraryStep&) const {
      return "sizes of its results depend on data, or it is a collective";
    }

    std::string operator()(const artifact::ItemStep&) const {
      return "the host reads a number from it";
    }

    std::string operator()(const artifact::ControlStep&) const { return "control flow"; }

    std::string operator()(const artifact::ProgramStep&) const {
      return "a region, which is recorded as a program of its own";
    }
  };

  return std::visit(Reason(), step.work);
}

}  // namespace

std::vector<ProgramPart> parts_of(const artifact::Program& program) {
  std::vector<ProgramPart> parts;
  if (program.routines.empty()) {
    for (const artifact::LaunchList& list : program.lists) parts.push_back(recorded(list));
    return parts;
  }
  for (const artifact::Routine& routine : program.routines) {
    for (const artifact::Step& step : routine.steps) {
      if (const auto* const list = std::get_if<artifact::ListStep>(&step.work)) {
        parts.push_back(recorded(program.lists[static_cast<size_t>(list->list)]));
      } else {
        parts.push_back({.label = step.label, .launches = 0, .reason = reason_of(step)});
      }
    }
  }
  return parts;
}

}  // namespace litz::runtime::trees
