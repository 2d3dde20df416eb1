// Functions, blocks and loops.

#include "codegen/cuda/kernel_text.h"

#include <limits>

#include "loops/instrs.h"
#include "schedule/blocks/block_schedule.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

using loops::InstrKind;
using loops::LoopVar;

constexpr int64_t kMostNarrow = std::numeric_limits<int32_t>::max();

/// A name for C++ of a symbol.
std::string identifier(const std::string& name) {
  std::string result = "s_";
  for (const char c : name) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    result += is_plain ? c : '_';
  }
  return result;
}

/// The variables of the loop that are not among `divided`.
std::vector<const LoopVar*> without(const loops::Instr& loop,
                                    const std::vector<const LoopVar*>& divided) {
  std::vector<const LoopVar*> rest;
  for (const LoopVar& var : loop.vars) {
    if (std::find(divided.begin(), divided.end(), &var) == divided.end()) rest.push_back(&var);
  }
  return rest;
}

}  // namespace

std::vector<const LoopVar*> all_vars(const loops::Instr& loop) {
  std::vector<const LoopVar*> vars;
  for (const LoopVar& var : loop.vars) vars.push_back(&var);
  return vars;
}

const char* memory_type(DType dtype) {
  switch (dtype) {
    case DType::bool_:
    case DType::u8:
    case DType::f8e4m3fn:
    case DType::f8e5m2:
    case DType::f8e4m3fnuz:
    case DType::f8e5m2fnuz:
    case DType::f8e8m0fnu:
      return "u8";
    case DType::i8:
      return "i8";
    case DType::u16:
    case DType::f16:
    case DType::bf16:
      return "u16";
    case DType::i16:
      return "i16";
    case DType::u32:
    case DType::c32:
      return "u32";
    case DType::i32:
      return "i32";
    case DType::u64:
    case DType::c64:
      return "u64";
    case DType::i64:
      return "i64";
    case DType::f32:
      return "f32";
    case DType::f64:
      return "f64";
    case DType::c128:
      return "C128";
  }
  return "";
}

const char* register_type(DType dtype) {
  if (dtype == DType::bool_) return "bool";
  if (is_half(dtype) || is_float8(dtype)) return "f32";
  return memory_type(dtype);
}

KernelText::KernelText(const schedule::Schedule& schedule,
                       std::vector<artifact::KernelCheck>& checks)
    : schedule_(schedule),
      kernel_(schedule.kernel),
      checks_(checks),
      origins_(schedule.kernel.values.size()) {
  note_origins(kernel_.body);
}

void KernelText::note_origins(const Block& block) {
  for (const Instr& instr : block.instrs) {
    for (const ValueId id : instr.results) origins_[static_cast<size_t>(id)] = {&instr, &block};
    for (const auto& nested : instr.blocks) note_origins(*nested);
  }
}

void KernelText::line(std::string_view text) {
  out_.append(static_cast<size_t>(2 * depth_), ' ');
  out_ += text;
  out_ += '\n';
}

void KernelText::add_scope(const std::string& head, const Body& body) {
  line(head.empty() ? "{" : head + " {");
  ++depth_;
  body();
  --depth_;
  line("}");
}

void KernelText::define(ValueId id, const std::string& value) {
  line(std::string("const ") + register_type(dtype(id)) + " " + name(id) + " = " + value + ";");
}

void KernelText::begin_function(const schedule::Phase& phase, const std::string& symbol) {
  team_ = phase.block.team;
  threads_ = phase.block.threads;
  has_columns_ = phase.block.has_columns;
  alone_ = false;
  unsynced_ = {};
  symbols_.clear();
  std::string head = "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(threads_) +
                     ") " + symbol + "(";
  std::string names;
  for (size_t b = 0; b < schedule_.bound_buffers; ++b) {
    const loops::Buffer& buffer = kernel_.buffers[b];
    head += std::string(memory_type(buffer.type.dtype)) + "* b" + std::to_string(b) + ", ";
    names += (b == 0 ? "" : ", ") + std::string("b") + std::to_string(b) + " %" + buffer.name;
  }
  line("// " + kernel_.name + ": " + names);
  for (const SymbolId id : schedule_.scalars) {
    const SymbolInfo& info = kernel_.pool->symbol(id);
    head += "i64 " + identifier(info.name) + ", ";
    const bool is_real = info.kind == SymbolKind::real_input || info.kind == SymbolKind::real_data;
    std::string text = identifier(info.name);
    if (is_real) text = "bits_as<f64>(" + text + ")";
    if (info.kind == SymbolKind::boolean) text = "(" + text + " != 0)";
    symbols_[id] = {text, true};
  }
  line(head + "Failure* failure, i64 count) {");
  ++depth_;
  if (has_columns_) {
    line("const int rank = threadIdx.x / 32;");
  } else if (team_ > 1) {
    line("const int rank = threadIdx.x % " + std::to_string(team_) + ";");
  }
  for (size_t b = schedule_.bound_buffers; b < kernel_.buffers.size(); ++b) {
    const TensorType& type = kernel_.buffers[b].type;
    line(std::string("alignas(16) __shared__ ") + memory_type(type.dtype) + " b" +
         std::to_string(b) + "[" + std::to_string(type.numel().constant()) + "];");
  }
}

void KernelText::add_phase(const schedule::Phase& phase, const std::string& symbol) {
  begin_function(phase, symbol);
  if (phase.position) {
    for (size_t i = 0; i < *phase.position; ++i) {
      const Instr& instr = kernel_.body.instrs[i];
      if (instr.blocks.empty()) add_instr(instr);
    }
    add_phase_loop(phase);
  } else {
    ends_on_failure_ = false;
    add_block(kernel_.body);
  }
  --depth_;
  line("}");
}

void KernelText::add_phase_loop(const schedule::Phase& phase) {
  if (phase.square_rows) return add_squares(phase);
  const Instr& loop = *schedule_.loop_of(phase);
  const auto divided = schedule::divided_vars(schedule_, loop);
  const std::string number = unique("n");
  const std::string type = count_type(divided);
  const std::string first = type + "(blockIdx.x) * " + std::to_string(phase.grain);
  const auto run = [&] {
    add_digits(divided, number);
    add_serial(without(loop, divided), [&] { add_block(*loop.blocks[0]); });
  };
  ends_on_failure_ = team_ == 1;
  const int width = schedule_.width_of(loop);
  if (team_ == 1 && width > 1) {
    const auto each = std::to_string(phase.grain / threads_ / width);
    return add_scope("for (int k = 0; k < " + each + "; ++k)", [&] {
      line("const " + type + " " + number + " = " + first + " + (k * " + std::to_string(threads_) +
           " + threadIdx.x) * " + std::to_string(width) + ";");
      line("if (" + number + " >= count) break;");
      if (schedule_.flat.contains(&loop)) {
        return add_flat(loop, number, [&] { add_block(*loop.blocks[0]); });
      }
      add_digits(divided, number);
      add_wide(loop, symbols_.at(loop.vars.back().symbol.symbol()).text,
               [&] { add_block(*loop.blocks[0]); });
    });
  }
  if (team_ == 1) {
    const auto each = std::to_string(phase.grain / threads_);
    add_scope("for (int k = 0; k < " + each + "; ++k)", [&] {
      line("const " + type + " " + number + " = " + first + " + k * " + std::to_string(threads_) +
           " + threadIdx.x;");
      line("if (" + number + " >= count) break;");
      run();
    });
    return;
  }
  line("const " + type + " " + number + " = " + first + " + threadIdx.x " +
       (has_columns_ ? "% 32;" : "/ " + std::to_string(team_) + ";"));
  line("if (" + number + " >= count) return;");
  run();
}

void KernelText::add_block(const Block& block) {
  for (const Instr& instr : block.instrs) {
    if (in_wide_ && schedule_.invariant.contains(&instr)) continue;
    if (in_team()) {
      sync_before(instr);
      add_kept_rows(instr);
      add_kept_values(instr);
    }
    add_instr(instr);
    if (in_team()) note(instr);
  }
}

void KernelText::add_instr(const Instr& instr) {
  switch (instr.kind) {
    case InstrKind::constant:
      return add_constant(instr);
    case InstrKind::index: {
      const DType from = instr.expr.domain() == ExprDomain::real      ? DType::f64
                         : instr.expr.domain() == ExprDomain::boolean ? DType::bool_
                                                                      : DType::i64;
      return define(instr.results[0], cast(expr(instr.expr), from, dtype(instr.results[0])));
    }
    case InstrKind::op:
      return add_op(instr);
    case InstrKind::load:
      return add_load(instr);
    case InstrKind::store:
      return add_store(instr);
    case InstrKind::bound_index:
      return add_bound_index(instr);
    case InstrKind::check:
      return add_check(instr);
    case InstrKind::loop:
      if (!loops::is_combining(instr)) return add_loop(instr);
      return in_team() ? add_team_scan(instr) : add_serial_scan(instr);
    case InstrKind::reduce:
      return add_reduce(instr);
    case InstrKind::sort:
      return add_sort(instr);
    case InstrKind::attend:
      return add_attend(instr);
    case InstrKind::sort_row:
      check(false, "schedules for blocks have no rows to sort:", kernel_.name);
  }
}

void KernelText::add_loop(const Instr& loop) {
  const auto body = [&] { add_block(*loop.blocks[0]); };
  if (in_team() && !schedule::is_shared_by_team(schedule_, loop, team_)) {
    if (!has_shared(*loop.blocks[0])) {
      return add_alone(loop, [&] {
        loop.carried.empty() ? add_serial(all_vars(loop), body) : add_carried_loop(loop);
      });
    }
    return loop.carried.empty() ? add_serial(all_vars(loop),
                                             [&] {
                                               body();
                                               sync();
                                             })
                                : add_carried_loop(loop);
  }
  if (!loop.carried.empty()) return add_carried_loop(loop);
  if (!in_team()) return add_serial(all_vars(loop), body);
  const auto divided = schedule::divided_vars(schedule_, loop);
  const auto serial = without(loop, divided);
  add_serial(serial, [&] {
    alone_ = true;
    if (schedule_.width_of(loop) > 1) {
      add_shared_wide(loop, body);
    } else {
      add_shared(divided, unique("n"), body);
    }
    alone_ = false;
    if (!serial.empty()) sync();
  });
}

/// The results are variables that every iteration changes.
void KernelText::add_carried_loop(const Instr& loop) {
  for (size_t i = 0; i < loop.results.size(); ++i) {
    line(std::string(register_type(dtype(loop.results[i]))) + " " + name(loop.results[i]) + " = " +
         name(loop.operands[i]) + ";");
  }
  add_serial(all_vars(loop), [&] {
    for (size_t i = 0; i < loop.results.size(); ++i) {
      define(loop.carried[i], name(loop.results[i]));
    }
    const Block& block = *loop.blocks[0];
    add_block(block);
    for (size_t i = 0; i < loop.results.size(); ++i) {
      line(name(loop.results[i]) + " = " + name(block.yields[i]) + ";");
    }
    if (in_team()) sync();
  });
}

std::string KernelText::declare(const LoopVar& var) {
  const bool is_wide = bounds(var.extent).hi > kMostNarrow || !is_narrow(var.extent);
  std::string own = unique("at");
  symbols_[var.symbol.symbol()] = {own, is_wide};
  return own;
}

void KernelText::add_serial(const std::vector<const LoopVar*>& vars, const Body& body,
                            size_t from) {
  if (from == vars.size()) return body();
  const std::string end = expr(vars[from]->extent);
  const std::string index = declare(*vars[from]);
  const bool is_wide = symbols_.at(vars[from]->symbol.symbol()).is_wide;
  add_scope(std::string("for (") + (is_wide ? "i64 " : "int ") + index + " = 0; " + index + " < " +
                end + "; ++" + index + ")",
            [&] { add_serial(vars, body, from + 1); });
}

const char* KernelText::count_type(const std::vector<const LoopVar*>& vars) const {
  double most = 1;
  for (const LoopVar* var : vars) {
    if (!is_narrow(var->extent)) return "i64";
    most *= static_cast<double>(std::max<int64_t>(bounds(var->extent).hi, 1));
    if (2 * most > static_cast<double>(kMostNarrow)) return "i64";
  }
  return "int";
}

std::string KernelText::product(const std::vector<const LoopVar*>& vars) {
  const bool is_wide = std::string_view(count_type(vars)) == "i64";
  std::string text;
  for (const LoopVar* var : vars) {
    const std::string extent = expr(var->extent);
    text += text.empty() ? (is_wide ? "i64(" + extent + ")" : extent) : " * " + extent;
  }
  return text.empty() ? "1" : text;
}

void KernelText::add_shared(const std::vector<const LoopVar*>& vars, const std::string& number,
                            const Body& body) {
  const std::string type = count_type(vars);
  add_scope("for (" + type + " " + number + " = rank; " + number + " < " + product(vars) + "; " +
                number + " += " + std::to_string(team_) + ")",
            [&] {
              add_digits(vars, number);
              body();
            });
}

void KernelText::add_shared_wide(const Instr& loop, const Body& body) {
  if (const auto chunks = schedule_.chunks.find(&loop); chunks != schedule_.chunks.end()) {
    return add_chunks(loop, chunks->second, body);
  }
  const auto vars = all_vars(loop);
  const std::string type = count_type(vars);
  const std::string width = std::to_string(schedule_.width_of(loop));
  const std::string number = unique("n");
  add_scope("for (" + type + " " + number + " = rank * " + width + "; " + number + " < " +
                product(vars) + "; " + number + " += " + std::to_string(team_) + " * " + width +
                ")",
            [&] {
              add_digits(vars, number);
              add_wide(loop, symbols_.at(loop.vars.back().symbol.symbol()).text, body);
            });
}

void KernelText::add_digits(const std::vector<const LoopVar*>& vars, const std::string& number) {
  std::string rest = number;
  const std::string type = count_type(vars);
  for (size_t v = vars.size(); v-- > 0;) {
    const std::string extent = expr(vars[v]->extent);
    const std::string digit = declare(*vars[v]);
    const std::string own = symbols_.at(vars[v]->symbol.symbol()).is_wide ? "i64 " : "int ";
    if (v == 0) {
      line("const " + own + digit + " = " + rest + ";");
      return;
    }
    const std::string quotient = unique("n");
    line("const " + type + " " + quotient + " = " + rest + " / (" + extent + ");");
    line("const " + own + digit + " = " + rest + " - " + quotient + " * (" + extent + ");");
    rest = quotient;
  }
}

}  // namespace litz::codegen
