#include "loops/instr_key.h"

#include <bit>
#include <complex>
#include <cstring>

namespace litz::loops {
namespace {

// Encodes a pure instruction as words; equal keys mean equal values.
class KeyWriter {
 public:
  KeyWriter() { key_.reserve(kUsualBytes); }

  void word(uint64_t value) {
    char bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    key_.append(bytes, sizeof(value));
  }

  void expr(Expr value) {
    if (value.is_constant()) {
      word(static_cast<uint64_t>(value.domain()));
      switch (value.domain()) {
        case ExprDomain::integer:
          return word(static_cast<uint64_t>(value.constant()));
        case ExprDomain::real:
          return word(std::bit_cast<uint64_t>(value.real_constant()));
        case ExprDomain::boolean:
          return word(value.boolean_constant() ? 1 : 0);
      }
    }
    word(3);
    word(reinterpret_cast<uintptr_t>(value.node()));
  }

  void literal(const Literal& value) {
    word(value.index());
    if (const auto* whole = std::get_if<int64_t>(&value)) {
      word(static_cast<uint64_t>(*whole));
    } else if (const auto* real = std::get_if<double>(&value)) {
      word(std::bit_cast<uint64_t>(*real));
    } else {
      const auto z = std::get<std::complex<double>>(value);
      word(std::bit_cast<uint64_t>(z.real()));
      word(std::bit_cast<uint64_t>(z.imag()));
    }
  }

  void text(std::string_view value) {
    word(value.size());
    key_ += value;
  }

  std::string take() { return std::move(key_); }

 private:
  /// Most keys are shorter: kernels are cleaned after every step of fusion, which asks for all keys.
  static constexpr size_t kUsualBytes = 192;

  std::string key_;
};

}  // namespace

std::string instr_key(const Instr& instr, DType dtype) {
  KeyWriter key;
  key.word(static_cast<uint64_t>(instr.kind));
  key.word(static_cast<uint64_t>(dtype));
  key.word(static_cast<uint64_t>(instr.op));
  for (const ValueId operand : instr.operands) key.word(static_cast<uint64_t>(operand));
  key.word(static_cast<uint64_t>(instr.buffer));
  key.word(static_cast<uint64_t>(instr.predicate));
  key.word(static_cast<uint64_t>(instr.other));
  key.word(instr.flag ? 1 : 0);
  key.literal(instr.literal);
  key.expr(instr.expr);
  for (const Index& index : instr.indices) {
    key.word(index.index());
    if (const auto* expr = std::get_if<Expr>(&index)) {
      key.expr(*expr);
    } else {
      key.word(static_cast<uint64_t>(std::get<ValueId>(index)));
    }
  }
  for (const Expr stride : instr.strides) key.expr(stride);
  key.text(instr.text);
  return key.take();
}

}  // namespace litz::loops
