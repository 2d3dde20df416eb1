// Names of nodes for errors, and the listing of plans.

#include <sstream>

#include "lowering/lower.h"
#include "lowering/stages.h"
#include "ops/written_name.h"

namespace litz::lowering {
namespace {

void print(std::ostream& out, Slot slot) {
  if (slot == kNoSlot) {
    out << '_';
  } else {
    out << '#' << slot;
  }
}

void print(std::ostream& out, const ControlOperand& operand) {
  if (operand.scalar) {
    out << *operand.scalar;
  } else if (operand.text) {
    out << '"' << *operand.text << '"';
  } else if (operand.slot != kNoSlot) {
    print(out, operand.slot);
  } else {
    out << "none";
  }
}

void print(std::ostream& out, const std::vector<ControlOperand>& operands) {
  out << " [";
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i > 0) out << ", ";
    print(out, operands[i]);
  }
  out << ']';
}

std::string_view control_name(ControlKind kind) {
  switch (kind) {
    case ControlKind::call:
      return "call";
    case ControlKind::splice:
      return "splice";
    case ControlKind::cond:
      return "cond";
    case ControlKind::while_loop:
      return "while";
    case ControlKind::scan:
      return "scan";
    case ControlKind::associative_scan:
      return "associative_scan";
    case ControlKind::map:
      return "map";
    case ControlKind::region:
      return "region";
  }
  return "";
}

struct PrintWork {
  std::ostream& out;

  void operator()(const KernelStep& step) const {
    out << "kernel " << step.kernel.name;
    for (const BufferSlot& buffer : step.buffers) {
      out << ' ';
      print(out, buffer.slot);
    }
  }

  void operator()(const LibraryStep& step) const {
    out << "library " << step.function;
    for (const LibraryOperand& argument : step.arguments) {
      for (const Slot slot : argument.slots) {
        out << ' ';
        print(out, slot);
      }
    }
    if (step.epilogue) {
      out << " then ";
      (*this)(*step.epilogue);
    }
  }

  void operator()(const ViewStep& step) const {
    out << "view ";
    print(out, step.source);
    out << " as " << step.type;
  }

  void operator()(const ScalarStep& step) const {
    out << "scalar ";
    print(out, step.source);
  }

  void operator()(const AssertStep& step) const { out << "assert " << step.condition; }

  void operator()(const ControlStep& step) const {
    out << control_name(step.kind);
    for (const int plan : step.plans) out << " @" << plan;
    if (step.predicate) {
      out << " if ";
      print(out, *step.predicate);
    }
    print(out, step.carried);
    print(out, step.xs);
    print(out, step.additional);
  }
};

void print(std::ostream& out, const Step& step) {
  out << "  ";
  for (const Result& result : step.results) {
    print(out, result.slot);
    if (result.over != kNoSlot) {
      out << " over ";
      print(out, result.over);
    }
    out << ' ';
  }
  if (!step.results.empty()) out << "= ";
  std::visit(PrintWork{out}, step.work);
  if (!step.dead.empty()) {
    out << " frees";
    for (const Slot slot : step.dead) {
      out << ' ';
      print(out, slot);
    }
  }
  out << '\n';
}

std::string file_name(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::string describe(const ir::Node& node, const ir::ValueLabels& labels) {
  std::string text = labels.definition(node);
  if (!text.empty()) text += " = ";
  text += ops::written_name(node.op().name());
  const ir::Location& location = node.location();
  if (!location.file.empty()) {
    text += " (" + file_name(location.file) + ":" + std::to_string(location.line) + ")";
  }
  text += mark_of(stage_of(node));
  return text;
}

std::vector<std::pair<std::string, std::string>> kept_before_waits(const ir::Graph& graph) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (graph.order_edges().empty()) return pairs;
  const ir::ValueLabels labels(graph);
  for (const auto& [first, second] : graph.order_edges()) {
    if (!has(second->op().traits, ir::Trait::collective_wait)) continue;
    pairs.emplace_back(describe(*first, labels), describe(*second, labels));
  }
  return pairs;
}

std::string to_string(const LoweredProgram& program) {
  std::ostringstream out;
  for (size_t i = 0; i < program.plans.size(); ++i) {
    const Plan& plan = program.plans[i];
    out << "plan @" << i << ' ' << plan.name << " (";
    for (size_t k = 0; k < plan.input_slots.size(); ++k) {
      if (k > 0) out << ", ";
      print(out, plan.input_slots[k]);
    }
    out << ")\n";
    for (const Step& step : plan.steps) print(out, step);
    out << "  return";
    print(out, plan.outputs);
    out << '\n';
  }
  return std::move(out).str();
}

}  // namespace litz::lowering
