// Prints kernels. Values are numbered in the order of their definitions in the text, so ids do not
// show, and two kernels that do the same in the same order print alike.

#include <bit>
#include <cmath>
#include <complex>

#include "loops/instrs.h"
#include "loops/kernel.h"
#include "loops/signature.h"
#include "support/text.h"

namespace litz::loops {
namespace {

bool is_identifier(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (text.empty() || !is_letter(text[0])) return false;
  for (const char c : text) {
    if (!is_letter(c) && !(c >= '0' && c <= '9')) return false;
  }
  return true;
}

std::string identifier(std::string_view text) {
  return is_identifier(text) ? std::string(text) : quote(text);
}

std::string real_text(double value) {
  // Text of a NaN must keep its bits: constants are compared by them.
  if (!std::isnan(value)) return format_double(value);
  const auto bits = std::bit_cast<uint64_t>(value);
  if (bits == std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN())) return "nan";
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(bits >> shift) & 15];
  return "nan(0x" + digits + ")";
}

class Printer {
 public:
  explicit Printer(const Kernel& kernel)
      : kernel_(kernel), numbers_(kernel.values.size(), kNoValue) {}

  std::string run() && {
    text_ = "kernel @" + identifier(kernel_.name) + "(";
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const Buffer& buffer = kernel_.buffers[i];
      if (i > 0) text_ += ", ";
      if (buffer.role == BufferRole::output) text_ += "out ";
      if (buffer.role == BufferRole::scratch) text_ += "scratch ";
      text_ += "%" + identifier(buffer.name) + ": " + to_string(buffer.type);
    }
    text_ += ") {\n";
    print_block(kernel_.body);
    text_ += "}\n";
    return std::move(text_);
  }

 private:
  std::string defined(ValueId value) {
    numbers_.at(static_cast<size_t>(value)) = next_number_++;
    return used(value);
  }

  std::string used(ValueId value) const {
    return "%" + std::to_string(numbers_.at(static_cast<size_t>(value)));
  }

  std::string dtype(ValueId value) const {
    return std::string(name(kernel_.values.at(static_cast<size_t>(value)).dtype));
  }

  void line(const std::string& text) {
    text_.append(2 * static_cast<size_t>(depth_), ' ');
    text_ += text + "\n";
  }

  void print_block(const Block& block) {
    ++depth_;
    for (const Instr& instr : block.instrs) print_instr(instr);
    if (!block.yields.empty()) line("yield " + list(block.yields));
    --depth_;
  }

  std::string list(const std::vector<ValueId>& values) const {
    std::string text;
    for (const ValueId value : values) text += (text.empty() ? "" : ", ") + used(value);
    return text;
  }

  std::string results(const Instr& instr) {
    std::string text;
    for (const ValueId value : instr.results) text += (text.empty() ? "" : ", ") + defined(value);
    return text.empty() ? text : text + " = ";
  }

  std::string literal(const Instr& instr) const {
    if (const auto* whole = std::get_if<int64_t>(&instr.literal)) return std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&instr.literal)) return real_text(*real);
    const auto value = std::get<std::complex<double>>(instr.literal);
    return "(" + real_text(value.real()) + ", " + real_text(value.imag()) + ")";
  }

  std::string buffer(BufferId id) const {
    return "%" + identifier(kernel_.buffers.at(static_cast<size_t>(id)).name);
  }

  std::string element(const Instr& instr) const {
    std::string text = buffer(instr.buffer) + (instr.strides.empty() ? "[" : " at [");
    for (size_t i = 0; i < instr.indices.size(); ++i) {
      if (i > 0) text += ", ";
      if (const auto* expr = std::get_if<Expr>(&instr.indices[i])) {
        text += to_string(*expr);
      } else {
        text += used(std::get<ValueId>(instr.indices[i]));
        if (!instr.strides.empty()) text += " * " + to_string(instr.strides[i]);
      }
    }
    return text + "]";
  }

  static std::string access_words(const Marks& marks) {
    std::string text;
    if (marks.is_transposed) text += " transposed";
    if (marks.is_streamed) text += " streamed";
    if (marks.ahead != 0) text += " ahead " + std::to_string(marks.ahead);
    return text;
  }

  std::string ranges(const std::vector<LoopVar>& vars) const {
    std::string text;
    for (const LoopVar& var : vars) text += (text.empty() ? "" : ", ") + range(var);
    return text;
  }

  std::string range(const LoopVar& var) const {
    std::string text = to_string(var.symbol) + " in 0.." + to_string(var.extent);
    if (var.is_parallel) text += " parallel";
    if (var.is_tiled) text += " tile";
    if (var.lanes > 1) text += " vector " + std::to_string(var.lanes);
    return text;
  }

  void print_instr(const Instr& instr) {
    switch (instr.kind) {
      case InstrKind::constant: {
        const std::string type = dtype(instr.results.at(0));
        return line(results(instr) + "const " + type + " " + literal(instr));
      }
      case InstrKind::index: {
        const std::string type = dtype(instr.results.at(0));
        return line(results(instr) + "index " + type + " " + to_string(instr.expr));
      }
      case InstrKind::op: {
        const std::string type = chooses_dtype(instr.op) ? dtype(instr.results.at(0)) + " " : "";
        const std::string operands = list(instr.operands);
        return line(results(instr) + std::string(name(instr.op)) + " " + type + operands);
      }
      case InstrKind::load: {
        std::string text = "load " + element(instr);
        if (instr.predicate != kNoValue) {
          text += " if " + used(instr.predicate) + " else " + used(instr.other);
        }
        return line(results(instr) + text + access_words(instr.marks));
      }
      case InstrKind::store:
        return print_store(instr);
      case InstrKind::bound_index: {
        const std::string operand = used(instr.operands.at(0));
        return line(results(instr) + "bound_index " + (instr.flag ? "wrap " : "") +
                    quote(instr.text) + " " + operand + ", " + to_string(instr.expr));
      }
      case InstrKind::check:
        return line("check " + used(instr.operands.at(0)) + ", " + quote(instr.text));
      case InstrKind::loop:
        return print_loop(instr);
      case InstrKind::reduce:
        return print_reduce(instr);
      case InstrKind::sort:
        return print_sort(instr);
      case InstrKind::sort_row:
        return line(std::string("sort_row ") + (instr.flag ? "descending " : "") +
                    buffer(instr.buffer) + ", " + buffer(instr.origins) + ", " +
                    to_string(instr.expr) + ", " + to_string(instr.position.extent));
      case InstrKind::attend: {
        const Attend& used = instr.attend;
        std::string text = std::string("attend ") + (instr.flag ? "safe " : "") +
                           (used.is_causal ? "causal " : "") + buffer(used.result) + ", " +
                           buffer(used.query) + ", " + buffer(used.key) + ", " + buffer(used.value);
        if (used.mask >= 0) text += " mask " + buffer(used.mask);
        return line(text + " scale " + literal(instr));
      }
    }
  }

  void print_store(const Instr& instr) {
    std::string text = "store ";
    if (instr.mode != StoreMode::assign) text += std::string(name(instr.mode)) + " ";
    if (instr.flag) text += "any_order ";
    text += element(instr) + ", " + used(instr.operands.at(0));
    if (instr.predicate != kNoValue) text += " if " + used(instr.predicate);
    line(text + access_words(instr.marks));
  }

  void print_reduce(const Instr& instr) {
    std::string head = "reduce " + std::string(name(instr.reduce));
    if (instr.flag) head += " may_be_empty";
    if (instr.marks.mean_of != kNoValue) head += " mean_of " + used(instr.marks.mean_of);
    head = results(instr) + head + " " + ranges(instr.vars);
    print_nest(head, *instr.blocks.at(0));
  }

  void print_nest(const std::string& head, const Block& block) {
    line(head + " {");
    print_block(block);
    line("}");
  }

  // Prints the elements, then the combination, then, for scans, the block over each prefix.
  void print_combining(const Instr& instr) {
    const size_t count = instr.operands.size();
    const bool is_scan = instr.blocks.size() > 2;
    const std::string operands = " (" + list(instr.operands) + ") {";
    line(results(instr) + "for " + ranges(instr.vars) + (is_scan ? " scan" : " fold") + operands);
    print_block(*instr.blocks[0]);
    const auto seen = [&](size_t from, size_t to) {
      std::string text;
      for (size_t i = from; i < to; ++i) text += (i > from ? ", " : "") + defined(instr.carried[i]);
      return text;
    };
    line("} combine (" + seen(0, 2 * count) + ") {");
    print_block(*instr.blocks[1]);
    if (is_scan) {
      line("} emit (" + seen(2 * count, 3 * count) + ") {");
      print_block(*instr.blocks[2]);
    }
    line("}");
  }

  void print_loop(const Instr& instr) {
    if (is_combining(instr)) return print_combining(instr);
    std::string head = results(instr) + "for " + ranges(instr.vars);
    for (size_t i = 0; i < instr.carried.size(); ++i) {
      head += i == 0 ? " carry (" : ", ";
      const std::string initial = used(instr.operands.at(i));
      head += defined(instr.carried[i]) + " = " + initial;
    }
    if (!instr.carried.empty()) head += ")";
    print_nest(head, *instr.blocks.at(0));
  }

  void print_sort(const Instr& instr) {
    line(std::string("sort ") + (instr.flag ? "descending " : "") + ranges(instr.vars) + " {");
    print_block(*instr.blocks.at(0));
    const std::string key = defined(instr.carried.at(0));
    const std::string source = defined(instr.carried.at(1));
    line("} emit " + range(instr.position) + " (" + key + ", " + source + ") {");
    print_block(*instr.blocks.at(1));
    line("}");
  }

  const Kernel& kernel_;
  std::vector<ValueId> numbers_;
  ValueId next_number_ = 0;
  int depth_ = 0;
  std::string text_;
};

}  // namespace

std::string to_string(const Kernel& kernel) { return Printer(kernel).run(); }

}  // namespace litz::loops
