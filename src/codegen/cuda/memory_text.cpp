// Loads, stores and checks.

#include "codegen/cuda/kernel_text.h"
#include "loops/marks.h"

namespace litz::codegen {
namespace {

using loops::StoreMode;

}  // namespace

const char* float8_format(DType dtype) {
  switch (dtype) {
    case DType::f8e4m3fn:
      return "F8E4M3FN";
    case DType::f8e5m2:
      return "F8E5M2";
    case DType::f8e4m3fnuz:
      return "F8E4M3FNUZ";
    case DType::f8e5m2fnuz:
      return "F8E5M2FNUZ";
    default:
      return "F8E8M0FNU";
  }
}

std::string KernelText::from_memory(DType dtype, const std::string& bits) const {
  if (is_float8(dtype)) return std::string(float8_format(dtype)) + "::decode(" + bits + ")";
  switch (dtype) {
    case DType::bool_:
      return "(" + bits + " != 0)";
    case DType::f16:
      return "from_f16(" + bits + ")";
    case DType::bf16:
      return "from_bf16(" + bits + ")";
    default:
      return bits;
  }
}

std::string KernelText::to_memory(DType dtype, const std::string& value) const {
  if (is_float8(dtype)) return std::string(float8_format(dtype)) + "::encode(" + value + ")";
  switch (dtype) {
    case DType::f16:
      return "to_f16(" + value + ")";
    case DType::bf16:
      return "to_bf16(" + value + ")";
    default:
      return value;
  }
}

std::string KernelText::element(const Instr& access) {
  std::string place = expr(loops::offset_of(access));
  for (size_t i = 1; i < access.indices.size(); ++i) {
    place += " + " + name(std::get<ValueId>(access.indices[i])) + " * " + expr(access.strides[i]);
  }
  return "b" + std::to_string(access.buffer) + "[" + place + "]";
}

void KernelText::add_load(const Instr& instr) {
  const DType from = kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype;
  const auto held = held_.find(&instr);
  const std::string bits = held != held_.end()       ? held->second
                           : is_in_stored_row(instr) ? stored_element(instr)
                                                     : element(instr);
  std::string loaded = from_memory(from, bits);
  if (instr.predicate != loops::kNoValue) {
    loaded = name(instr.predicate) + " ? " + loaded + " : " + name(instr.other);
  }
  define(instr.results[0], loaded);
}

void KernelText::add_store(const Instr& instr) {
  const DType to = kernel_.buffers[static_cast<size_t>(instr.buffer)].type.dtype;
  const auto held = held_.find(&instr);
  const std::string place = held == held_.end() ? element(instr) : held->second;
  std::string stored = name(instr.operands[0]);
  if (held == held_.end() && is_in_stored_row(instr)) {
    line(stored_element(instr) + " = " + to_memory(to, stored) + ";");
  }
  std::string condition;
  if (in_team()) condition = "rank == 0";
  if (instr.predicate != loops::kNoValue) {
    condition += (condition.empty() ? "" : " && ") + name(instr.predicate);
  }
  const std::string head = condition.empty() ? "" : "if (" + condition + ") ";
  if (instr.mode == StoreMode::assign) {
    return line(head + place + " = " + to_memory(to, stored) + ";");
  }
  const loops::ReduceKind kind = instr.mode == StoreMode::add   ? loops::ReduceKind::sum
                                 : instr.mode == StoreMode::mul ? loops::ReduceKind::prod
                                 : instr.mode == StoreMode::min ? loops::ReduceKind::min
                                                                : loops::ReduceKind::max;
  if (instr.flag) {
    const std::string type = memory_type(to);
    const std::string a = from_memory(to, "a");
    const std::string b = to == DType::bool_ ? "(b != 0)" : "b";
    line(head + "combine_atomically(&" + place + ", " + type + "(" + stored + "), [](" + type +
         " a, " + type + " b) { return " + type + "(" + fold(kind, to, a, b) + "); });");
    return;
  }
  // Halves are combined in float and rounded each time.
  const std::string sum = fold(kind, to, from_memory(to, place), stored);
  line(head + place + " = " + to_memory(to, sum) + ";");
}

size_t KernelText::check_number(artifact::KernelCheck check) {
  for (size_t i = 0; i < checks_.size(); ++i) {
    if (checks_[i] == check) return i;
  }
  checks_.push_back(std::move(check));
  return checks_.size() - 1;
}

void KernelText::add_failure(const std::string& condition, artifact::KernelCheck check,
                             const std::string& value, const std::string& extent,
                             const Body& otherwise) {
  const std::string number = std::to_string(check_number(std::move(check)));
  add_scope("if (" + condition + ")", [&] {
    line("fail(failure, " + number + ", " + value + ", " + extent + ");");
    ends_on_failure_ ? line("return;") : otherwise();
  });
}

void KernelText::add_bound_index(const Instr& instr) {
  const std::string given = name(instr.operands[0]);
  const std::string own = name(instr.results[0]);
  const std::string extent = "i64(" + expr(instr.expr) + ")";
  const bool wraps = instr.flag;
  line("i64 " + own + " = " + given + ";");
  if (wraps) line("if (" + own + " < 0) " + own + " += " + extent + ";");
  const auto kind = wraps ? artifact::CheckKind::wrapping_index : artifact::CheckKind::index;
  add_failure("u64(" + own + ") >= u64(" + extent + ")", {kind, instr.text}, given, extent,
              [&] { line(own + " = 0;"); });
}

void KernelText::add_check(const Instr& instr) {
  add_failure("!" + name(instr.operands[0]), {artifact::CheckKind::assertion, instr.text}, "0", "0",
              [] {});
}

}  // namespace litz::codegen
