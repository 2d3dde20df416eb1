#include "schedule/complex_parts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "loops/dead_code.h"
#include "loops/instrs.h"
#include "schedule/part_arithmetic.h"

namespace litz::schedule {
namespace {

using loops::Block;
using loops::Instr;
using loops::InstrKind;
using loops::Kernel;
using loops::kNoValue;
using loops::ScalarOp;
using loops::ValueId;

class PartsWriter {
 public:
  explicit PartsWriter(const Kernel& from) : from_(from), parts_(from.values.size()) {}

  std::optional<Kernel> run() {
    to_.name = from_.name;
    to_.pool = from_.pool;
    choose_words();
    for (size_t i = 0; i < from_.buffers.size(); ++i) {
      const loops::Buffer& buffer = from_.buffers[i];
      to_.buffers.push_back(is_word_[i] ? in_words(buffer) : in_pairs(buffer));
    }
    convert(from_.body, to_.body);
    if (!is_possible_) return std::nullopt;
    loops::remove_dead_code(to_);
    loops::verify(to_);
    return std::move(to_);
  }

 private:
  /// c64 is moved as 64-bit words, so that lanes are contiguous, unless sums accumulate in it.
  void choose_words() {
    for (const loops::Buffer& buffer : from_.buffers) {
      is_word_.push_back(buffer.type.dtype == DType::c64);
    }
    loops::for_each_instr(from_.body, [&](const Instr& instr) {
      if (instr.kind == InstrKind::store && instr.mode != loops::StoreMode::assign) {
        is_word_[static_cast<size_t>(instr.buffer)] = false;
      }
    });
  }

  static loops::Buffer in_words(loops::Buffer buffer) {
    buffer.type.dtype = DType::u64;
    return buffer;
  }

  static loops::Buffer in_pairs(loops::Buffer buffer) {
    TensorType& type = buffer.type;
    if (!is_complex(type.dtype)) return buffer;
    type.dtype = part_dtype(type.dtype);
    for (Expr& stride : type.strides) stride = stride * 2;
    type.offset = type.offset * 2;
    type.sizes.emplace_back(2);
    type.strides.emplace_back(1);
    return buffer;
  }

  DType dtype(ValueId value) const { return from_.values[static_cast<size_t>(value)].dtype; }

  bool is_complex_value(ValueId value) const { return is_complex(dtype(value)); }

  Parts parts(ValueId value) const {
    return value == kNoValue ? Parts{} : parts_[static_cast<size_t>(value)];
  }

  void set(ValueId value, Parts parts) { parts_[static_cast<size_t>(value)] = parts; }

  DType new_dtype(ValueId value) const { return to_.values[static_cast<size_t>(value)].dtype; }

  PartArithmetic at(Block& out) { return {to_, out}; }

  ValueId new_value(DType dtype) {
    to_.values.push_back({dtype});
    return static_cast<ValueId>(to_.values.size()) - 1;
  }

  /// Declares new values for one that is not defined by an operation.
  Parts declare(ValueId value) {
    const DType own = dtype(value);
    Parts made{new_value(is_complex(own) ? part_dtype(own) : own), kNoValue};
    if (is_complex(own)) made.imaginary = new_value(part_dtype(own));
    set(value, made);
    return made;
  }

  void convert(const Block& block, Block& out) {
    for (const Instr& instr : block.instrs) convert(instr, out);
    append(block.yields, out.yields);
  }

  void append(const std::vector<ValueId>& values, std::vector<ValueId>& out) const {
    for (const ValueId value : values) {
      out.push_back(parts(value).real);
      if (is_complex_value(value)) out.push_back(parts(value).imaginary);
    }
  }

  void convert(const Instr& instr, Block& out) {
    const bool makes_complex = std::ranges::any_of(
        instr.results, [&](ValueId result) { return is_complex_value(result); });
    switch (instr.kind) {
      case InstrKind::constant:
        if (makes_complex) return convert_constant(instr, out);
        break;
      case InstrKind::index:
        if (makes_complex) return convert_index(instr, out);
        break;
      case InstrKind::op:
        if (makes_complex || reads_complex(instr)) return convert_op(instr, out);
        break;
      case InstrKind::load:
      case InstrKind::store:
        if (is_complex(from_.buffers[static_cast<size_t>(instr.buffer)].type.dtype)) {
          return convert_access(instr, out);
        }
        break;
      case InstrKind::reduce:
        if (makes_complex) return convert_reduce(instr, out);
        break;
      case InstrKind::bound_index:
      case InstrKind::check:
      case InstrKind::loop:
      case InstrKind::sort:
      case InstrKind::sort_row:
      case InstrKind::attend:
        break;
    }
    copy(instr, out);
  }

  bool reads_complex(const Instr& instr) const {
    return std::ranges::any_of(instr.operands,
                               [&](ValueId operand) { return is_complex_value(operand); });
  }

  /// Copies the instruction; carried complex values become two.
  void copy(const Instr& instr, Block& out) {
    if (!is_possible_) return;
    Instr made = without_values(instr);
    append(instr.operands, made.operands);
    made.predicate = parts(instr.predicate).real;
    made.other = parts(instr.other).real;
    made.indices = indices(instr);
    for (const ValueId carried : instr.carried) declare(carried);
    append(instr.carried, made.carried);
    for (const auto& block : instr.blocks) {
      made.blocks.push_back(std::make_unique<Block>());
      convert(*block, *made.blocks.back());
    }
    for (const ValueId result : instr.results) declare(result);
    append(instr.results, made.results);
    out.instrs.push_back(std::move(made));
  }

  static Instr without_values(const Instr& instr) {
    Instr made;
    made.kind = instr.kind;
    made.op = instr.op;
    made.literal = instr.literal;
    made.expr = instr.expr;
    made.buffer = instr.buffer;
    made.mode = instr.mode;
    made.origins = instr.origins;
    made.flag = instr.flag;
    made.reduce = instr.reduce;
    made.vars = instr.vars;
    made.position = instr.position;
    made.text = instr.text;
    return made;
  }

  std::vector<loops::Index> indices(const Instr& instr) const {
    std::vector<loops::Index> made;
    for (const loops::Index& index : instr.indices) {
      const auto* value = std::get_if<ValueId>(&index);
      made.push_back(value == nullptr ? index : loops::Index(parts(*value).real));
    }
    return made;
  }

  void convert_constant(const Instr& instr, Block& out) {
    const auto value = std::get<std::complex<double>>(instr.literal);
    const DType part = part_dtype(dtype(instr.results[0]));
    const ValueId real = at(out).number(value.real(), part);
    set(instr.results[0], {real, at(out).number(value.imag(), part)});
  }

  /// An expression is a real number.
  void convert_index(const Instr& instr, Block& out) {
    const DType part = part_dtype(dtype(instr.results[0]));
    Instr made = without_values(instr);
    made.results = {new_value(part)};
    out.instrs.push_back(std::move(made));
    const ValueId real = out.instrs.back().results[0];
    set(instr.results[0], {real, at(out).number(0, part)});
  }

  /// Sums are added part by part, those of c64 in f64. Products are carried through the loop, in
  /// f64.
  void convert_reduce(const Instr& instr, Block& out) {
    const DType part = part_dtype(dtype(instr.results[0]));
    Parts total;
    if (instr.reduce == loops::ReduceKind::sum) {
      total = {sum(instr, false, out), sum(instr, true, out)};
    } else {
      const Parts one{at(out).number(1, DType::f64), at(out).number(0, DType::f64)};
      total = carried_product(instr, 0, one, out);
    }
    set(instr.results[0], at(out).cast(total, part));
  }

  ValueId sum(const Instr& instr, bool of_imaginary, Block& out) {
    Instr made = without_values(instr);
    made.blocks.push_back(std::make_unique<Block>());
    Block& block = *made.blocks[0];
    for (const Instr& inner : instr.blocks[0]->instrs) convert(inner, block);
    const Parts term = parts(instr.blocks[0]->yields[0]);
    block.yields = {at(block).cast(of_imaginary ? term.imaginary : term.real, DType::f64)};
    made.results = {new_value(DType::f64)};
    out.instrs.push_back(std::move(made));
    return out.instrs.back().results[0];
  }

  /// Makes one loop per variable, from `var` on.
  Parts carried_product(const Instr& instr, size_t var, Parts before, Block& out) {
    if (var == instr.vars.size()) {
      for (const Instr& inner : instr.blocks[0]->instrs) convert(inner, out);
      const Parts term = at(out).cast(parts(instr.blocks[0]->yields[0]), DType::f64);
      return at(out).product(before, term);
    }
    Instr made;
    made.kind = InstrKind::loop;
    made.vars = {instr.vars[var]};
    made.operands = {before.real, before.imaginary};
    made.carried = {new_value(DType::f64), new_value(DType::f64)};
    made.blocks.push_back(std::make_unique<Block>());
    Block& block = *made.blocks[0];
    const Parts next = carried_product(instr, var + 1, {made.carried[0], made.carried[1]}, block);
    block.yields = {next.real, next.imaginary};
    made.results = {new_value(DType::f64), new_value(DType::f64)};
    const Parts results{made.results[0], made.results[1]};
    out.instrs.push_back(std::move(made));
    return results;
  }

  void convert_access(const Instr& instr, Block& out) {
    const bool is_store = instr.kind == InstrKind::store;
    if (is_store && instr.mode != loops::StoreMode::assign && instr.mode != loops::StoreMode::add) {
      is_possible_ = false;
      return;
    }
    if (is_word_[static_cast<size_t>(instr.buffer)]) return convert_word(instr, out);
    const Parts other = parts(instr.other);
    const Parts stored = is_store ? parts(instr.operands[0]) : Parts{};
    const Parts loaded = is_store ? Parts{} : declare(instr.results[0]);
    for (const bool imaginary : {false, true}) {
      Instr made = without_values(instr);
      made.indices = indices(instr);
      made.indices.emplace_back(Expr(imaginary ? 1 : 0));
      made.predicate = parts(instr.predicate).real;
      made.other = imaginary ? other.imaginary : other.real;
      if (is_store) made.operands = {imaginary ? stored.imaginary : stored.real};
      if (!is_store) made.results = {imaginary ? loaded.imaginary : loaded.real};
      out.instrs.push_back(std::move(made));
    }
  }

  /// The real part is the low half.
  void convert_word(const Instr& instr, Block& out) {
    Instr made = without_values(instr);
    made.indices = indices(instr);
    made.predicate = parts(instr.predicate).real;
    if (instr.kind == InstrKind::store) {
      made.operands = {at(out).word(parts(instr.operands[0]))};
      out.instrs.push_back(std::move(made));
      return;
    }
    if (instr.other != kNoValue) made.other = at(out).word(parts(instr.other));
    made.results = {new_value(DType::u64)};
    out.instrs.push_back(std::move(made));
    const ValueId loaded = out.instrs.back().results[0];
    set(instr.results[0], at(out).from_word(loaded));
  }

  void convert_op(const Instr& instr, Block& out) {
    if (!is_possible_) return;
    const ValueId result = instr.results[0];
    PartArithmetic arithmetic = at(out);
    const Parts a = parts(instr.operands[0]);
    const Parts b = instr.operands.size() > 1 ? parts(instr.operands[1]) : Parts{};
    switch (instr.op) {
      case ScalarOp::add:
      case ScalarOp::sub:
      case ScalarOp::neg:
        return set(result, each(instr, arithmetic));
      case ScalarOp::mul:
        return set(result, arithmetic.product(a, b));
      case ScalarOp::div:
        return set(result, arithmetic.quotient(a, b));
      case ScalarOp::sign:
        return set(result, arithmetic.direction(a));
      case ScalarOp::conj: {
        const DType part = new_dtype(a.imaginary);
        return set(result, {a.real, arithmetic.op(ScalarOp::neg, {a.imaginary}, part)});
      }
      case ScalarOp::real:
        return set(result, {a.real, kNoValue});
      case ScalarOp::imag:
        return set(result, {a.imaginary, kNoValue});
      case ScalarOp::make_complex:
        return set(result, {a.real, b.real});
      case ScalarOp::abs:
        return set(result, {arithmetic.magnitude(a), kNoValue});
      case ScalarOp::angle:
        return set(result, {arithmetic.angle(a), kNoValue});
      case ScalarOp::eq:
        return set(result, either(instr, ScalarOp::bit_and, arithmetic));
      case ScalarOp::ne:
      case ScalarOp::is_nan:
      case ScalarOp::is_inf:
        return set(result, either(instr, ScalarOp::bit_or, arithmetic));
      case ScalarOp::select: {
        const Parts c = parts(instr.operands[2]);
        const DType part = new_dtype(c.real);
        const ValueId real = arithmetic.op(ScalarOp::select, {a.real, b.real, c.real}, part);
        return set(result, {real, arithmetic.op(ScalarOp::select,
                                                {a.real, b.imaginary, c.imaginary}, part)});
      }
      case ScalarOp::cast:
        return set(result, arithmetic.converted(a, dtype(result)));
      case ScalarOp::bitcast:
        return convert_bitcast(instr, out);
      default: {
        std::vector<Parts> operands{a};
        if (instr.operands.size() > 1) operands.push_back(b);
        return set(result, arithmetic.function(instr.op, operands));
      }
    }
  }

  /// Part by part.
  Parts each(const Instr& instr, PartArithmetic& arithmetic) const {
    std::vector<ValueId> real;
    std::vector<ValueId> imaginary;
    for (const ValueId operand : instr.operands) {
      real.push_back(parts(operand).real);
      imaginary.push_back(parts(operand).imaginary);
    }
    const DType part = new_dtype(real[0]);
    const ValueId first = arithmetic.op(instr.op, std::move(real), part);
    return {first, arithmetic.op(instr.op, std::move(imaginary), part)};
  }

  /// A test of the real parts joined with one of the imaginary parts.
  Parts either(const Instr& instr, ScalarOp join, PartArithmetic& arithmetic) const {
    std::vector<ValueId> real;
    std::vector<ValueId> imaginary;
    for (const ValueId operand : instr.operands) {
      real.push_back(parts(operand).real);
      imaginary.push_back(parts(operand).imaginary);
    }
    const ValueId first = arithmetic.op(instr.op, std::move(real), DType::bool_);
    const ValueId second = arithmetic.op(instr.op, std::move(imaginary), DType::bool_);
    return {arithmetic.op(join, {first, second}, DType::bool_), kNoValue};
  }

  /// Only c64 has the width of another dtype.
  void convert_bitcast(const Instr& instr, Block& out) {
    const ValueId result = instr.results[0];
    const Parts a = parts(instr.operands[0]);
    const DType from = dtype(instr.operands[0]);
    const DType to = dtype(result);
    if (from == to) return set(result, a);
    if (from != DType::c64 && to != DType::c64) {
      is_possible_ = false;
      return;
    }
    const ValueId word =
        from == DType::c64 ? at(out).word(a) : at(out).op(ScalarOp::bitcast, {a.real}, DType::u64);
    if (to == DType::c64) return set(result, at(out).from_word(word));
    set(result, {at(out).op(ScalarOp::bitcast, {word}, to), kNoValue});
  }

  const Kernel& from_;
  Kernel to_;
  std::vector<Parts> parts_;   ///< By value of `from_`.
  std::vector<bool> is_word_;  ///< By buffer.
  bool is_possible_ = true;
};

}  // namespace

bool has_complex(const Kernel& kernel) {
  return std::ranges::any_of(kernel.values,
                             [](const auto& value) { return is_complex(value.dtype); }) ||
         std::ranges::any_of(kernel.buffers,
                             [](const auto& buffer) { return is_complex(buffer.type.dtype); });
}

std::optional<Kernel> in_parts(const Kernel& kernel) { return PartsWriter(kernel).run(); }

}  // namespace litz::schedule
