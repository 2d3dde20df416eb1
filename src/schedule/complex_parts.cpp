#include "schedule/complex_parts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "loops/dead_code.h"
#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Block;
using loops::Instr;
using loops::InstrKind;
using loops::Kernel;
using loops::kNoValue;
using loops::ScalarOp;
using loops::ValueId;

DType part_dtype(DType dtype) { return dtype == DType::c64 ? DType::f32 : DType::f64; }

/// A value of the kernel in parts; real ones have no imaginary part.
struct Parts {
  ValueId real = kNoValue;
  ValueId imaginary = kNoValue;
};

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
  /// c64 is moved as a word of 64 bits, so that lanes are neighbours, unless sums accumulate in it.
  void choose_words() {
    for (const loops::Buffer& buffer : from_.buffers) {
      is_word_.push_back(buffer.type.dtype == DType::c64);
    }
    walk(from_.body, [&](const Instr& instr) {
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

  ValueId new_value(DType dtype) {
    to_.values.push_back({dtype});
    return static_cast<ValueId>(to_.values.size()) - 1;
  }

  DType new_dtype(ValueId value) const { return to_.values[static_cast<size_t>(value)].dtype; }

  /// A new value in the place of one that is defined elsewhere than by an operation.
  Parts declare(ValueId value) {
    const DType own = dtype(value);
    Parts made{new_value(is_complex(own) ? part_dtype(own) : own), kNoValue};
    if (is_complex(own)) made.imaginary = new_value(part_dtype(own));
    set(value, made);
    return made;
  }

  ValueId op(Block& out, ScalarOp op, std::vector<ValueId> operands, DType result) {
    Instr instr;
    instr.op = op;
    instr.operands = std::move(operands);
    instr.results = {new_value(result)};
    out.instrs.push_back(std::move(instr));
    return out.instrs.back().results[0];
  }

  ValueId cast(Block& out, ValueId value, DType to) {
    return new_dtype(value) == to ? value : op(out, ScalarOp::cast, {value}, to);
  }

  ValueId number(Block& out, double value, DType dtype) {
    Instr instr;
    instr.kind = InstrKind::constant;
    instr.literal = value;
    instr.results = {new_value(dtype)};
    out.instrs.push_back(std::move(instr));
    return out.instrs.back().results[0];
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
        if (makes_complex) is_possible_ = false;
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
        if (makes_complex || is_complex_value(instr.blocks[0]->yields[0])) is_possible_ = false;
        break;
      case InstrKind::sort:
        is_possible_ = false;
        break;
      case InstrKind::bound_index:
      case InstrKind::loop:
        break;
    }
    copy(instr, out);
  }

  bool reads_complex(const Instr& instr) const {
    return std::ranges::any_of(instr.operands,
                               [&](ValueId operand) { return is_complex_value(operand); });
  }

  /// The same instruction; carried complex values become two.
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
    set(instr.results[0], {number(out, value.real(), part), number(out, value.imag(), part)});
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

  /// The real part lies in the low half.
  void convert_word(const Instr& instr, Block& out) {
    Instr made = without_values(instr);
    made.indices = indices(instr);
    made.predicate = parts(instr.predicate).real;
    if (instr.kind == InstrKind::store) {
      made.operands = {word(parts(instr.operands[0]), out)};
      out.instrs.push_back(std::move(made));
      return;
    }
    if (instr.other != kNoValue) made.other = word(parts(instr.other), out);
    made.results = {new_value(DType::u64)};
    out.instrs.push_back(std::move(made));
    const ValueId loaded = out.instrs.back().results[0];
    const ValueId high = op(out, ScalarOp::shift_right, {loaded, half(out)}, DType::u64);
    const ValueId real = cast(out, loaded, DType::u32);
    const ValueId imaginary = cast(out, high, DType::u32);
    set(instr.results[0], {op(out, ScalarOp::bitcast, {real}, DType::f32),
                           op(out, ScalarOp::bitcast, {imaginary}, DType::f32)});
  }

  ValueId word(Parts value, Block& out) {
    const auto bits = [&](ValueId part) {
      return cast(out, op(out, ScalarOp::bitcast, {part}, DType::u32), DType::u64);
    };
    const ValueId low = bits(value.real);
    const ValueId high =
        op(out, ScalarOp::shift_left, {bits(value.imaginary), half(out)}, DType::u64);
    return op(out, ScalarOp::bit_or, {high, low}, DType::u64);
  }

  /// Bits of half a word.
  ValueId half(Block& out) {
    Instr instr;
    instr.kind = InstrKind::constant;
    instr.literal = int64_t{32};
    instr.results = {new_value(DType::u64)};
    out.instrs.push_back(std::move(instr));
    return out.instrs.back().results[0];
  }

  void convert_op(const Instr& instr, Block& out) {
    if (!is_possible_) return;
    const ValueId result = instr.results[0];
    const Parts a = parts(instr.operands[0]);
    const Parts b = instr.operands.size() > 1 ? parts(instr.operands[1]) : Parts{};
    const auto each = [&](ScalarOp own, const std::vector<Parts>& operands) {
      std::vector<ValueId> real;
      std::vector<ValueId> imaginary;
      for (const Parts& operand : operands) {
        real.push_back(operand.real);
        imaginary.push_back(operand.imaginary);
      }
      const DType part = new_dtype(operands.back().real);
      const ValueId first = op(out, own, std::move(real), part);
      set(result, {first, op(out, own, std::move(imaginary), part)});
    };
    const auto either = [&](ScalarOp test, ScalarOp join, bool is_binary) {
      const auto of = [&](ValueId x, ValueId y) {
        return op(out, test, is_binary ? std::vector{x, y} : std::vector{x}, DType::bool_);
      };
      const ValueId real = of(a.real, b.real);
      const ValueId imaginary = of(a.imaginary, b.imaginary);
      set(result, {op(out, join, {real, imaginary}, DType::bool_), kNoValue});
    };
    switch (instr.op) {
      case ScalarOp::add:
      case ScalarOp::sub:
        return each(instr.op, {a, b});
      case ScalarOp::neg:
        return each(instr.op, {a});
      case ScalarOp::mul:
        return set(result, product(a, b, out));
      case ScalarOp::conj: {
        return set(result, {a.real, op(out, ScalarOp::neg, {a.imaginary}, new_dtype(a.imaginary))});
      }
      case ScalarOp::real:
        return set(result, {a.real, kNoValue});
      case ScalarOp::imag:
        return set(result, {a.imaginary, kNoValue});
      case ScalarOp::make_complex:
        return set(result, {a.real, b.real});
      case ScalarOp::abs:
        return set(result, {in_double(ScalarOp::hypot, a.real, a.imaginary, out), kNoValue});
      case ScalarOp::angle:
        return set(result, {in_double(ScalarOp::atan2, a.imaginary, a.real, out), kNoValue});
      case ScalarOp::eq:
        return either(ScalarOp::eq, ScalarOp::bit_and, true);
      case ScalarOp::ne:
        return either(ScalarOp::ne, ScalarOp::bit_or, true);
      case ScalarOp::is_nan:
      case ScalarOp::is_inf:
        return either(instr.op, ScalarOp::bit_or, false);
      case ScalarOp::select: {
        const Parts c = parts(instr.operands[2]);
        const DType part = new_dtype(c.real);
        const ValueId real = op(out, ScalarOp::select, {a.real, b.real, c.real}, part);
        return set(result,
                   {real, op(out, ScalarOp::select, {a.real, b.imaginary, c.imaginary}, part)});
      }
      case ScalarOp::cast:
        return set(result, converted(a, dtype(result), out));
      default:
        is_possible_ = false;
    }
  }

  Parts product(Parts a, Parts b, Block& out) {
    const DType part = new_dtype(a.real);
    for (ValueId* value : {&a.real, &a.imaginary, &b.real, &b.imaginary}) {
      *value = cast(out, *value, DType::f64);
    }
    const auto times = [&](ValueId x, ValueId y) {
      return op(out, ScalarOp::mul, {x, y}, DType::f64);
    };
    const ValueId real = op(out, ScalarOp::sub,
                            {times(a.real, b.real), times(a.imaginary, b.imaginary)}, DType::f64);
    const ValueId imaginary = op(
        out, ScalarOp::add, {times(a.real, b.imaginary), times(a.imaginary, b.real)}, DType::f64);
    const ValueId narrow = cast(out, real, part);
    return {narrow, cast(out, imaginary, part)};
  }

  ValueId in_double(ScalarOp function, ValueId x, ValueId y, Block& out) {
    const DType part = new_dtype(x);
    const ValueId wide = cast(out, x, DType::f64);
    return cast(out, op(out, function, {wide, cast(out, y, DType::f64)}, DType::f64), part);
  }

  Parts converted(Parts a, DType to, Block& out) {
    if (is_complex(to)) {
      const DType part = part_dtype(to);
      const ValueId real = cast(out, a.real, part);
      return {real, a.imaginary == kNoValue ? number(out, 0, part) : cast(out, a.imaginary, part)};
    }
    if (to != DType::bool_) return {cast(out, a.real, to), kNoValue};
    const ValueId real = cast(out, a.real, to);
    return {op(out, ScalarOp::bit_or, {real, cast(out, a.imaginary, to)}, to), kNoValue};
  }

  const Kernel& from_;
  Kernel to_;
  std::vector<Parts> parts_;   ///< By value of `from_`.
  std::vector<bool> is_word_;  ///< By buffer.
  bool is_possible_ = true;
};

bool is_split(DType dtype) { return dtype == DType::c64 || dtype == DType::c128; }

}  // namespace

bool has_complex(const Kernel& kernel) {
  return std::ranges::any_of(kernel.values,
                             [](const auto& value) { return is_complex(value.dtype); }) ||
         std::ranges::any_of(kernel.buffers,
                             [](const auto& buffer) { return is_complex(buffer.type.dtype); });
}

std::optional<Kernel> in_parts(const Kernel& kernel) {
  for (const loops::Buffer& buffer : kernel.buffers) {
    if (is_complex(buffer.type.dtype) && !is_split(buffer.type.dtype)) return std::nullopt;
  }
  for (const loops::ValueInfo& value : kernel.values) {
    if (is_complex(value.dtype) && !is_split(value.dtype)) return std::nullopt;
  }
  return PartsWriter(kernel).run();
}

}  // namespace litz::schedule
