// Loops that combine tuples by an associative block: scans, which also run a block over each prefix,
// and folds, which do not.
//
// One thread takes the iterations in order. A team takes as many at a time as it has threads,
// combines them over its lanes, and carries the total on. The order of tuples is kept, so blocks
// need not be commutative.

#include "codegen/cuda/kernel_text.h"
#include "loops/instrs.h"
#include "schedule/blocks/block_schedule.h"

namespace litz::codegen {
namespace {

std::vector<const loops::LoopVar*> vars_of(const loops::Instr& loop) {
  std::vector<const loops::LoopVar*> vars;
  for (const loops::LoopVar& var : loop.vars) vars.push_back(&var);
  return vars;
}

bool is_scan(const loops::Instr& loop) { return loop.blocks.size() == 3; }

}  // namespace

void KernelText::add_serial_scan(const Instr& loop) {
  const size_t count = loop.results.size();
  for (size_t i = 0; i < count; ++i) {
    line(std::string(register_type(dtype(loop.results[i]))) + " " + name(loop.results[i]) + " = " +
         name(loop.operands[i]) + ";");
  }
  add_serial(vars_of(loop), [&] {
    add_block(*loop.blocks[0]);
    for (size_t i = 0; i < count; ++i) define(loop.carried[i], name(loop.results[i]));
    for (size_t i = 0; i < count; ++i) {
      define(loop.carried[count + i], name(loop.blocks[0]->yields[i]));
    }
    add_block(*loop.blocks[1]);
    for (size_t i = 0; i < count; ++i) {
      line(name(loop.results[i]) + " = " + name(loop.blocks[1]->yields[i]) + ";");
    }
    if (!is_scan(loop)) return;
    for (size_t i = 0; i < count; ++i) define(loop.carried[2 * count + i], name(loop.results[i]));
    add_block(*loop.blocks[2]);
  });
}

/// A tuple, or none: threads beyond the last iteration have none.
std::string KernelText::tuple_type(const Instr& loop) {
  const std::string type = unique("Tuple");
  std::string members;
  for (size_t i = 0; i < loop.results.size(); ++i) {
    members += std::string(register_type(dtype(loop.results[i]))) + " x" + std::to_string(i) + "; ";
  }
  line("struct " + type + " { " + members + "bool is_one; };");
  return type;
}

void KernelText::take_tuple(const Instr& loop, size_t part, const std::string& tuple) {
  const size_t count = loop.results.size();
  for (size_t i = 0; i < count; ++i) {
    define(loop.carried[part * count + i], tuple + ".x" + std::to_string(i));
  }
}

void KernelText::add_combine(const Instr& loop, const std::string& tuple,
                             const std::string& function) {
  line("const auto " + function + " = [&](" + tuple + " a, " + tuple + " b) {");
  ++depth_;
  line("if (!a.is_one || !b.is_one) return a.is_one ? a : b;");
  take_tuple(loop, 0, "a");
  take_tuple(loop, 1, "b");
  add_block(*loop.blocks[1]);
  std::string made;
  for (const ValueId value : loop.blocks[1]->yields) made += name(value) + ", ";
  line("return " + tuple + "{" + made + "true};");
  --depth_;
  line("};");
}

void KernelText::add_team_scan(const Instr& loop) {
  const size_t count = loop.results.size();
  const auto vars = vars_of(loop);
  const std::string tuple = tuple_type(loop);
  const std::string function = unique("combine");
  const std::string total = unique("total");
  const std::string first = unique("first");
  const std::string number = unique("n");
  const std::string own = unique("own");
  const std::string type = count_type(vars);
  const std::string end = product(vars);
  const std::string suffix = is_warp() ? "_warp(" : "_block<" + std::to_string(team_) + ">(";
  alone_ = true;
  add_combine(loop, tuple, function);
  std::string start;
  for (const ValueId value : loop.operands) start += name(value) + ", ";
  line(tuple + " " + total + " = {" + start + "true};");
  add_scope("for (" + type + " " + first + " = 0; " + first + " < " + end + "; " + first +
                " += " + std::to_string(team_) + ")",
            [&] {
              line("const " + type + " " + number + " = " + first + " + rank;");
              line(tuple + " " + own + " = {};");
              add_scope("if (" + number + " < " + end + ")", [&] {
                add_digits(vars, number);
                add_block(*loop.blocks[0]);
                std::string made;
                for (const ValueId value : loop.blocks[0]->yields) made += name(value) + ", ";
                line(own + " = " + tuple + "{" + made + "true};");
              });
              if (!is_scan(loop)) {
                line(total + " = " + function + "(" + total + ", fold" + suffix + own + ", " +
                     function + "));");
                return;
              }
              line(own + " = " + function + "(" + total + ", scan" + suffix + own + ", " +
                   function + "));");
              line(total + " = last" + suffix + own + ");");
              add_scope("if (" + number + " < " + end + ")", [&] {
                add_digits(vars, number);
                take_tuple(loop, 2, own);
                add_block(*loop.blocks[2]);
              });
            });
  alone_ = false;
  for (size_t i = 0; i < count; ++i) {
    define(loop.results[i], total + ".x" + std::to_string(i));
  }
}

}  // namespace litz::codegen
