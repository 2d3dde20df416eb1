#include "lowering/stages.h"

namespace litz::lowering {

Stage stage_of(const ir::Node& node) {
  const auto found = node.annotations().find("backward");
  if (found == node.annotations().end()) return Stage::forward;
  return found->second == "recomputed" ? Stage::recomputed : Stage::gradient;
}

std::string_view mark_of(Stage stage) {
  switch (stage) {
    case Stage::forward:
      return "";
    case Stage::recomputed:
      return ", again";
    case Stage::gradient:
      return ", backward";
  }
  return "";
}

Stages stages_of(std::string_view label) {
  constexpr std::string_view kJoin = " + ";
  Stages stages;
  for (;;) {
    const size_t end = label.find(kJoin);
    const std::string_view part = label.substr(0, end);
    if (part.find(mark_of(Stage::gradient)) != std::string_view::npos) {
      stages.gradient = true;
    } else if (part.find(mark_of(Stage::recomputed)) != std::string_view::npos) {
      stages.recomputed = true;
    } else {
      stages.forward = true;
    }
    if (end == std::string_view::npos) return stages;
    label.remove_prefix(end + kJoin.size());
  }
}

Stages stages_of(std::span<const std::string> labels) {
  Stages all;
  for (const std::string& label : labels) {
    const Stages stages = stages_of(label);
    all.forward = all.forward || stages.forward;
    all.recomputed = all.recomputed || stages.recomputed;
    all.gradient = all.gradient || stages.gradient;
  }
  return all;
}

}  // namespace litz::lowering
