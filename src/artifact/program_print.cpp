// The text of a program, for dumps and tests.

#include <ostream>
#include <sstream>

#include "artifact/program.h"
#include "artifact/program_fields.h"

namespace litz::artifact {
namespace {

template <typename Enum>
std::string_view word(Enum value) {
  return WordsOf<Enum>::word(value);
}

class Printer {
 public:
  Printer(std::ostream& out, const Program& program) : out_(out), program_(program) {}

  void print() {
    out_ << "program @" << program_.name << " {\n";
    for (size_t i = 0; i < program_.signature.inputs.size(); ++i) print_input(i);
    for (size_t i = 0; i < program_.signature.outputs.size(); ++i) print_output(i);
    for (const Guard& guard : program_.signature.guards) {
      out_ << "  guard " << guard.condition << "\n";
    }
    for (size_t i = 0; i < program_.kernels.size(); ++i) print_kernel(i);
    for (const PackedConstant& packed : program_.packed) print_packed(packed);
    out_ << "}\n";
    for (const Routine& routine : program_.routines) print_routine(routine);
    for (const LaunchList& list : program_.lists) out_ << list;
    for (const Program& part : program_.parts) Printer(out_, part).print();
  }

 private:
  template <typename List, typename PrintOne>
  void join(const List& list, const PrintOne& print_one) {
    const char* separator = "";
    for (const auto& item : list) {
      out_ << separator;
      print_one(item);
      separator = ", ";
    }
  }

  void print_type(const ValueType& type) {
    if (const auto* const tensor = std::get_if<TensorType>(&type)) {
      out_ << *tensor;
    } else if (const auto* const scalar = std::get_if<HostScalar>(&type)) {
      out_ << scalar->value;
    } else {
      out_ << "none";
    }
  }

  void print_input(size_t index) {
    const ProgramInput& input = program_.signature.inputs[index];
    out_ << "  " << word(input.kind) << ' ' << index << " \"" << input.label << "\" : ";
    print_type(input.type);
    out_ << "\n";
  }

  void print_output(size_t index) {
    const ProgramOutput& output = program_.signature.outputs[index];
    out_ << "  " << word(output.kind) << ' ' << index;
    if (is_mutation(output.kind)) out_ << " of input " << output.input;
    if (!output.label.empty()) out_ << " \"" << output.label << '"';
    out_ << "\n";
  }

  void print_packed(const PackedConstant& packed) {
    out_ << "  packed " << &packed - program_.packed.data() << " of ";
    if (packed.input >= 0) {
      out_ << "input " << packed.input;
    } else {
      out_ << "packed " << packed.source;
    }
    out_ << " from byte " << packed.offset << ": " << packed.data.numel() << " bytes\n";
  }

  void print_kernel(size_t index) {
    const KernelCode& kernel = program_.kernels[index];
    out_ << "  kernel " << index << " @" << kernel.name << ": " << kernel.object.size()
         << " bytes of code, phases [";
    join(kernel.phases, [&](const KernelPhase& phase) {
      out_ << phase.symbol << " over " << phase.iterations << ", grain " << phase.grain << ", ";
      if (phase.threads > 0) out_ << phase.threads << " threads, ";
      out_ << phase.cost << " ps";
    });
    out_ << "]";
    if (!kernel.checks.empty()) {
      out_ << ", checks [";
      join(kernel.checks, [&](const KernelCheck& check) { out_ << '"' << check.text << '"'; });
      out_ << "]";
    }
    out_ << "\n";
  }

  void print_value(ValueId value) {
    if (value == kNoValue) {
      out_ << "none";
    } else {
      out_ << 'v' << value;
    }
  }

  struct OperandPrinter {
    Printer& printer;

    void operator()(std::monostate) const { printer.out_ << "none"; }

    void operator()(const ValueRef& ref) const { printer.print_value(ref.value); }

    void operator()(const std::vector<ValueRef>& refs) const { list(refs); }

    void operator()(const Expr& value) const { printer.out_ << value; }

    void operator()(const std::vector<Expr>& values) const { list(values); }

    void operator()(const std::complex<double>& value) const { printer.out_ << value; }

    void operator()(const std::string& text) const { printer.out_ << '"' << text << '"'; }

    void operator()(DType dtype) const { printer.out_ << name(dtype); }

    void operator()(const std::vector<std::string>& texts) const { list(texts); }

    template <typename Item>
    void list(const std::vector<Item>& items) const {
      printer.out_ << "[";
      printer.join(items, *this);
      printer.out_ << "]";
    }
  };

  void print_operands(const std::vector<Operand>& operands) {
    out_ << "(";
    join(operands, [&](const Operand& operand) { std::visit(OperandPrinter{*this}, operand); });
    out_ << ")";
  }

  void print_work(const ListStep& work) {
    out_ << "list " << work.list << " @" << program_.lists[static_cast<size_t>(work.list)].name
         << "(";
    join(work.inputs, [&](const ListInput& input) {
      if (input.weight >= 0) {
        out_ << "weight " << input.weight;
      } else {
        print_value(input.value);
      }
    });
    out_ << ")";
  }

  void print_work(const LibraryStep& work) {
    out_ << "library " << work.function << "(";
    join(work.arguments,
         [&](const StepArgument& argument) { std::visit(OperandPrinter{*this}, argument); });
    out_ << ")";
  }

  void print_work(const ItemStep& work) {
    out_ << "item ";
    print_value(work.source);
  }

  void print_work(const ControlStep& work) {
    out_ << word(work.kind) << " [";
    join(work.routines,
         [&](int32_t child) { out_ << '@' << program_.routines[static_cast<size_t>(child)].name; });
    out_ << "] ";
    if (work.kind == ControlKind::cond) {
      out_ << "if ";
      std::visit(OperandPrinter{*this}, work.predicate);
      out_ << ' ';
    }
    print_operands(work.carried);
    if (!work.xs.empty()) {
      out_ << " over ";
      print_operands(work.xs);
    }
    if (!work.additional.empty()) {
      out_ << " with ";
      print_operands(work.additional);
    }
  }

  void print_work(const ProgramStep& work) {
    out_ << "program @" << program_.parts[static_cast<size_t>(work.part)].name;
    print_operands(work.inputs);
  }

  void print_routine(const Routine& routine) {
    out_ << "routine @" << routine.name << "(";
    for (size_t i = 0; i < routine.input_values.size(); ++i) {
      if (i > 0) out_ << ", ";
      print_value(routine.input_values[i]);
      out_ << " : ";
      print_type(routine.input_types[i]);
    }
    out_ << ") {\n";
    for (const Step& step : routine.steps) print_step(step);
    out_ << "  return ";
    join(routine.outputs,
         [&](const Operand& output) { std::visit(OperandPrinter{*this}, output); });
    out_ << "\n}\n";
  }

  void print_step(const Step& step) {
    out_ << "  ";
    if (!step.results.empty()) {
      join(step.results, [&](const StepResult& result) {
        print_value(result.value);
        out_ << " : ";
        print_type(result.type);
      });
      out_ << " = ";
    }
    std::visit([&](const auto& work) { print_work(work); }, step.work);
    if (!step.label.empty()) out_ << "  // " << step.label;
    out_ << "\n";
  }

  std::ostream& out_;
  const Program& program_;
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const Program& program) {
  Printer(out, program).print();
  return out;
}

std::string to_string(const Program& program) {
  std::ostringstream out;
  out << program;
  return std::move(out).str();
}

}  // namespace litz::artifact
