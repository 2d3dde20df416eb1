// The operations that depend on the target's registers: powers of two and small tables, in one
// instruction per register if the target has it. Results are equal on all targets.

#include <algorithm>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>
#include <numeric>
#include <vector>

#include "codegen/llvm/elementary_lanes.h"

namespace litz::codegen {
namespace {

using llvm::Intrinsic::ID;

/// The number whose biased exponent is in the low bits. Higher bits are shifted out.
Real power_of_exponent(Bits exponent) {
  return real(exponent << (exponent.value->getType()->getScalarSizeInBits() == 64 ? 52 : 23));
}

const llvm::Module& module_of(const Real& x) { return *x.builder->GetInsertBlock()->getModule(); }

unsigned lanes_of(const llvm::Value* value) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return type == nullptr ? 1 : type->getNumElements();
}

bool has_avx512(const Real& x) { return module_of(x).getModuleFlag(kScaleFlag) != nullptr; }

/// Lanes [from, from + count); those beyond the last are undefined.
llvm::Value* lanes_from(llvm::IRBuilderBase& b, llvm::Value* vector, unsigned from,
                        unsigned count) {
  if (from == 0 && count == lanes_of(vector)) return vector;
  std::vector<int> numbers(count, -1);
  std::iota(numbers.begin(), numbers.begin() + std::min(count, lanes_of(vector) - from),
            static_cast<int>(from));
  return b.CreateShuffleVector(vector, numbers);
}

/// Joins parts, a power of two of them, into one vector of all lanes.
llvm::Value* join(llvm::IRBuilderBase& b, std::vector<llvm::Value*> parts) {
  while (parts.size() > 1) {
    std::vector<llvm::Value*> joined;
    joined.reserve(parts.size() / 2);
    std::vector<int> numbers(2 * size_t{lanes_of(parts[0])});
    std::iota(numbers.begin(), numbers.end(), 0);
    for (size_t i = 0; i < parts.size(); i += 2) {
      joined.push_back(b.CreateShuffleVector(parts[i], parts[i + 1], numbers));
    }
    parts = std::move(joined);
  }
  return parts[0];
}

/// True for vectors that AVX-512 scales by powers of two in one instruction per register.
bool has_scale_instruction(const Real& x) {
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(x.value->getType());
  return type != nullptr && type->getPrimitiveSizeInBits() >= 128 && has_avx512(x);
}

ID scale_instruction(unsigned bytes, bool is_f64) {
  switch (bytes) {
    case 64:
      return is_f64 ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_512
                    : ID(llvm::Intrinsic::x86_avx512_mask_scalef_ps_512);
    case 32:
      return is_f64 ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_256
                    : ID(llvm::Intrinsic::x86_avx512_mask_scalef_ps_256);
    default:
      return is_f64 ? llvm::Intrinsic::x86_avx512_mask_scalef_pd_128
                    : ID(llvm::Intrinsic::x86_avx512_mask_scalef_ps_128);
  }
}

/// x * 2^n rounded once.
Real scale_by_instruction(Real x, Real n) {
  llvm::IRBuilderBase& b = *x.builder;
  const unsigned native = std::min(lanes_of(x.value), x.is_f64() ? 8U : 16U);
  const unsigned bytes = native * (x.is_f64() ? 8 : 4);
  llvm::Value* mask = llvm::ConstantInt::getSigned(b.getIntNTy(std::max(8U, native)), -1);
  std::vector<llvm::Value*> parts;
  for (unsigned from = 0; from < lanes_of(x.value); from += native) {
    llvm::Value* value = lanes_from(b, x.value, from, native);
    std::vector<llvm::Value*> operands{value, lanes_from(b, n.value, from, native), value, mask};
    constexpr uint32_t kCurrentRounding = 4;
    if (bytes == 64) operands.push_back(b.getInt32(kCurrentRounding));
    parts.push_back(b.CreateIntrinsic(scale_instruction(bytes, x.is_f64()), {}, operands));
  }
  return {x.builder, join(b, std::move(parts))};
}

/// Entries in the order of Whole's low bits, which are 254 more than the index.
llvm::Constant* constant_table(llvm::IRBuilderBase& b, std::span<const double, 8> table,
                               size_t size) {
  std::vector<float> values(size);
  for (size_t i = 0; i < size; ++i) values[i] = static_cast<float>(table[(i + 2) % 8]);
  return llvm::ConstantDataVector::get(b.getContext(), values);
}

/// Permutes a register that holds the table; permutations use only the low bits of an index.
Real pick_by_permutation(std::span<const double, 8> table, Bits index, unsigned native) {
  llvm::IRBuilderBase& b = *index.builder;
  const unsigned lanes = lanes_of(index.value);
  const ID id = native == 16 ? ID(llvm::Intrinsic::x86_avx512_permvar_sf_512)
                             : ID(llvm::Intrinsic::x86_avx2_permps);
  llvm::Constant* values = constant_table(b, table, native);
  std::vector<llvm::Value*> parts;
  for (unsigned from = 0; from < lanes; from += native) {
    llvm::Value* numbers = lanes_from(b, index.value, from, native);
    parts.push_back(b.CreateIntrinsic(id, {}, {values, numbers}));
  }
  return {index.builder, lanes_from(b, join(b, std::move(parts)), 0, lanes)};
}

/// Loads from memory, lane by lane.
Real pick_by_loads(std::span<const double, 8> table, Bits index) {
  llvm::IRBuilderBase& b = *index.builder;
  llvm::Constant* values = constant_table(b, table, table.size());
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  auto* memory = new llvm::GlobalVariable(module, values->getType(), /*isConstant=*/true,
                                          llvm::GlobalValue::PrivateLinkage, values, "table");
  const auto load = [&](llvm::Value* number) {
    llvm::Value* place = b.CreateGEP(b.getFloatTy(), memory, b.CreateZExt(number, b.getInt64Ty()));
    return b.CreateAlignedLoad(b.getFloatTy(), place, llvm::Align(4));
  };
  const Bits low = index & index.same(table.size() - 1);
  if (!low.value->getType()->isVectorTy()) return {index.builder, load(low.value)};
  llvm::Type* type = index.value->getType()->getWithNewType(b.getFloatTy());
  llvm::Value* picked = llvm::PoisonValue::get(type);
  for (unsigned lane = 0; lane < lanes_of(index.value); ++lane) {
    picked = b.CreateInsertElement(picked, load(b.CreateExtractElement(low.value, lane)), lane);
  }
  return {index.builder, picked};
}

}  // namespace

Real power_of_two(Whole n, int more) {
  const Bits twice = bits(n.shifted);  // Twice the bias and n.
  const int bias = n.value.is_f64() ? 1023 : 127;
  return power_of_exponent(twice + twice.same(static_cast<uint64_t>(more - bias)));
}

Real scale(Real x, Whole n, int more) {
  if (has_scale_instruction(x)) {
    return scale_by_instruction(x, more == 0 ? n.value : n.value + more);
  }
  // Uses two factors, because 2^n alone may overflow or be denormal even if the result is not.
  const Bits half = shift_right_zeros(bits(n.shifted), 1);
  const Bits rest = bits(n.shifted) - half;
  const Bits last = more == 0 ? rest : rest + rest.same(static_cast<uint64_t>(more));
  return x * power_of_exponent(half) * power_of_exponent(last);
}

Real pick(std::span<const double, 8> table, Whole n) {
  const Bits index = bits(n.shifted);
  const bool is_x86 = llvm::Triple(module_of(n.shifted).getTargetTriple()).isX86();
  if (!is_x86 || !index.value->getType()->isVectorTy()) return pick_by_loads(table, index);
  const bool is_wide = lanes_of(index.value) >= 16 && has_avx512(n.shifted);
  return pick_by_permutation(table, index, is_wide ? 16 : 8);
}

}  // namespace litz::codegen
