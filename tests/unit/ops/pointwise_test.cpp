// Values of pointwise operators where the rules are easy to get wrong.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::NanSensitiveDoubleEq;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Tensor bools(std::initializer_list<bool> values) {
  return Tensor::of(DType::bool_, {static_cast<int64_t>(values.size())}, values);
}

TEST(Arithmetic, BoolsAddAsOrAndMultiplyAsAnd) {
  const Tensor a = bools({true, true, false});
  const Tensor b = bools({true, false, false});
  EXPECT_THAT(values(run("aten.add.Tensor", {a, b})), ElementsAre(1, 1, 0));
  EXPECT_THAT(values(run("aten.mul.Tensor", {a, b})), ElementsAre(1, 0, 0));
  EXPECT_THROW(run("aten.sub.Tensor", {a, b}), Error);
  EXPECT_THROW(run("aten.neg", {a}), Error);
}

TEST(Arithmetic, AlphaScalesTheOther) {
  EXPECT_THAT(values(run("aten.add.Tensor", {f32({2}, {1, 2}), f32({2}, {10, 20}), number(0.5)})),
              ElementsAre(6, 12));
  EXPECT_THAT(values(run("aten.rsub.Scalar", {i64({2}, {1, 2}), integer(10), integer(3)})),
              ElementsAre(7, 4));
  EXPECT_THROW(run("aten.add.Tensor", {i64({1}, {1}), i64({1}, {2}), number(0.5)}), Error);
}

TEST(Arithmetic, IntegerPowers) {
  EXPECT_THAT(values(run("aten.pow.Tensor_Tensor",
                         {i64({5}, {2, -1, -1, 1, 2}), i64({5}, {10, -3, -2, -5, -1})})),
              ElementsAre(1024, -1, 1, 1, 0));
  EXPECT_THROW(run("aten.pow.Tensor_Scalar", {i64({1}, {2}), integer(-1)}), Error);
  EXPECT_THAT(values(run("aten.pow.Tensor_Scalar", {i64({2}, {3, -3}), integer(3)})),
              ElementsAre(27, -27));
}

// A tensor without dimensions becomes one of halves first, but not as the second factor or divisor.
TEST(Arithmetic, NumbersBesideHalvesAreRoundedFirst) {
  const Tensor x = f32({2}, {1, 3}).to(DType::f16);
  const Tensor wide = f32({}, {2049.5F});  // 2050 in f16.
  EXPECT_THAT(values(run("aten.sub.Tensor", {x, wide, integer(1)})), ElementsAre(-2048, -2047));
  EXPECT_THAT(values(run("aten.remainder.Tensor", {f32({1}, {4099}).to(DType::f16), wide})),
              ElementsAre(0));
  // 2.5017 is 2.501953 in f16; powers of floats take it as it is.
  const Tensor power = f32({}, {2.5017F});
  const Tensor three = f32({1}, {3}).to(DType::f16);
  EXPECT_EQ(values(run("aten.pow.Tensor_Tensor", {three, power})),
            values(run("aten.pow.Tensor_Tensor", {three, power.to(DType::f16)})));
  EXPECT_NEAR(values(run("aten.float_power.Tensor_Tensor", {three, power}))[0],
              std::pow(3.0, static_cast<double>(2.5017F)), 1e-9);
  EXPECT_THAT(values(run("aten.addcmul", {three, three, f32({}, {70000}), number(1)})),
              ElementsAre(kInf));
  const Tensor third = f32({}, {1.0F / 3});
  const Tensor many = f32({1}, {700}).to(DType::f16);
  EXPECT_THAT(values(run("aten.mul.Tensor", {third, many})), ElementsAre(233.25));
  EXPECT_THAT(values(run("aten.mul.Tensor", {many, third})), ElementsAre(233.375));
}

// PyTorch expands or joins operands of these before it promotes.
TEST(Arithmetic, ExpandedNumbersPromoteLikeTensors) {
  const Tensor wide = Tensor::of(DType::f64, {}, {2});
  const Tensor row = f32({2}, {1, 3});
  EXPECT_EQ(run("aten.addr", {wide, row, row}).dtype(), DType::f64);
  EXPECT_EQ(run("aten.kron", {wide, row}).dtype(), DType::f64);
  EXPECT_EQ(run("aten.cosine_similarity", {wide, row, integer(0)}).dtype(), DType::f64);
  EXPECT_EQ(run("aten.hstack", {std::vector<Tensor>{row, wide}}).dtype(), DType::f64);
  EXPECT_EQ(run("aten.ldexp.Tensor", {wide.to(DType::c128), i64({2}, {1, 3})}).dtype(),
            DType::c128);
}

// C++ multiplies i16 as int; the magnitude of the multiple wraps.
TEST(Arithmetic, IntegersWrapWhereTheyAreMultiplied) {
  const auto i16 = [](int64_t value) { return i64({1}, {value}).to(DType::i16); };
  EXPECT_THAT(values(run("aten.lcm", {i16(32766), i16(32767)})), ElementsAre(-32766));
  const Tensor all = i64({1}, {127}).to(DType::i8);
  EXPECT_THAT(values(run("aten.native_dropout_backward", {all, all, number(2)})), ElementsAre(2));
  EXPECT_THAT(values(run("aten.ldexp.Tensor", {i64({1}, {3}), i64({1}, {-10000000000})})),
              ElementsAre(0));
  EXPECT_NEAR(values(run("aten.poisson_nll_loss",
                         {i64({1}, {2}).to(DType::u8), i64({1}, {200}).to(DType::u8), boolean(true),
                          boolean(false), number(1e-8), integer(0)}))[0],
              std::exp(2.0) - 144, 1e-4);
  EXPECT_THAT(
      values(run("aten.gradient.array", {i64({2}, {-128, 127}).to(DType::i8), integers({0})})),
      ElementsAre(-1, -1));
}

TEST(Arithmetic, InterpolationPromotesWeightsWithoutDimensions) {
  const Tensor ends[] = {f32({2}, {0, 4}), f32({2}, {1, 8})};
  EXPECT_THAT(values(run("aten.lerp.Tensor", {ends[0], ends[1], i64({}, {2})})),
              ElementsAre(2, 12));
  const Tensor half = Tensor::of(DType::f64, {}, {0.5});
  EXPECT_EQ(run("aten.lerp.Tensor", {ends[0], ends[1], half}).dtype(), DType::f32);
  const Tensor whole = i64({2}, {0, 4});
  EXPECT_THAT(values(run("aten.lerp.Tensor", {whole, whole, half})), ElementsAre(0, 4));
  EXPECT_EQ(run("aten.lerp.Tensor", {whole, whole, half}).dtype(), DType::f64);
  EXPECT_THROW(run("aten.lerp.Tensor", {ends[0], ends[1], f32({1}, {2}).to(DType::f64)}), Error);
}

// So does a number; 0.3 is 0.30078125 in bf16.
TEST(Arithmetic, LiteralsBesideHalvesAreRoundedFirst) {
  const Tensor x = f32({2}, {1, 2}).to(DType::bf16);
  const auto with = [&](const char* op, double number_) {
    return values(run(op, {x, number(number_)}));
  };
  EXPECT_THAT(with("aten.remainder.Scalar", 0.3), ElementsAre(0.09765625, 0.1953125));
  EXPECT_THAT(with("aten.fmod.Scalar", 0.3), ElementsAre(0.09765625, 0.1953125));
  EXPECT_THAT(with("aten.hardshrink", 1.001), ElementsAre(0, 2));
  const Tensor three = f32({1}, {3}).to(DType::bf16);
  const Tensor zero = f32({1}, {0}).to(DType::bf16);
  EXPECT_THAT(values(run("aten.add.Tensor", {zero, three, number(0.3)})), ElementsAre(0.90234375));
  EXPECT_THAT(values(run("aten.mul.Scalar", {three, number(0.3)})), ElementsAre(0.8984375));
}

// PyTorch computes these in the dtype of the operand, step by step.
TEST(Arithmetic, StepsInHalvesAreRounded) {
  const Tensor x = f32({4}, {0.125, 0.25, 0.8984375, 1.203125}).to(DType::bf16);
  EXPECT_THAT(values(run("aten.logit", {x, number(0.1)})),
              ElementsAre(-1.9453125, -1.09375, 2.1875, 2.1875));
  const auto loss = [](const char* op, DType dtype, double parameter) {
    const Tensor a = f32({3}, {0.1F, 0.5F, 1.5F}).to(dtype);
    const Tensor b = f32({3}, {0.2F, 0.9F, 0.3F}).to(dtype);
    return values(run(op, {a, b, integer(0), number(parameter)}));
  };
  EXPECT_THAT(loss("aten.huber_loss", DType::bf16, 0.3),
              ElementsAre(0.0050048828125, 0.07470703125, 0.31640625));
  EXPECT_THAT(loss("aten.huber_loss", DType::f16, 0.3),
              ElementsAre(0.00499725341796875, 0.074951171875, 0.31494140625));
  EXPECT_THAT(loss("aten.smooth_l1_loss", DType::bf16, 0.3),
              ElementsAre(0.0167236328125, 0.248046875, 1.046875));
  EXPECT_THAT(loss("aten.smooth_l1_loss", DType::f16, 0.3),
              ElementsAre(0.0166473388671875, 0.2498779296875, 1.0498046875));
}

// A mask that is not of bools: the product with it comes first.
TEST(Arithmetic, DropoutScalesWhatTheMaskLeft) {
  using C = std::complex<double>;
  const Tensor grad = Tensor::of<C>(DType::c128, {1}, {C(1, 2)});
  const Tensor mask = Tensor::of<C>(DType::c128, {1}, {C(2, 3)});
  const Tensor result = run("aten.native_dropout_backward", {grad, mask, number(INFINITY)});
  EXPECT_EQ(result.complex_at(std::vector<int64_t>{0}), C(-INFINITY, INFINITY));
}

// sign(NaN) is 0, but the slope of a distance that is NaN is NaN.
TEST(Arithmetic, SlopesOfUnknownDistancesAreUnknown) {
  const Tensor rows = f32({2, 1}, {1, std::numeric_limits<float>::quiet_NaN()});
  const Tensor slopes =
      run("aten._pdist_backward", {f32({1}, {1}), rows, number(1), f32({1}, {1})});
  EXPECT_TRUE(std::isnan(values(slopes)[0]));
}

// PyTorch takes roots for the others.
TEST(Arithmetic, HalfPowersOfHalvesAreNoRoots) {
  const Tensor x = f32({3}, {-INFINITY, -0.0F, 4});
  const auto root = [&](DType dtype, double exponent) {
    return values(run("aten.pow.Tensor_Scalar", {x.to(dtype), number(exponent)}));
  };
  EXPECT_THAT(root(DType::f16, 0.5), ElementsAre(kInf, 0, 2));
  EXPECT_THAT(root(DType::f16, -0.5), ElementsAre(0, kInf, 0.5));
  for (const DType dtype : {DType::bf16, DType::f32, DType::f64}) {
    EXPECT_THAT(root(dtype, 0.5), ElementsAre(NanSensitiveDoubleEq(kNan), 0, 2));
    EXPECT_THAT(root(dtype, -0.5), ElementsAre(NanSensitiveDoubleEq(kNan), -kInf, 0.5));
  }
}

TEST(Arithmetic, XlogyAndHeavisideAtTheirEdges) {
  EXPECT_THAT(values(run("aten.xlogy.Tensor", {f32({3}, {0, 0, 1}), f32({3}, {0, kNan, 1})})),
              ElementsAre(0, NanSensitiveDoubleEq(kNan), 0));
  EXPECT_THAT(values(run("aten.heaviside", {f32({4}, {-1, 0, 2, kNan}), f32({}, {0.5})})),
              ElementsAre(0, 0.5, 1, 0));
}

TEST(Division, RoundsByMode) {
  const Tensor a = i64({4}, {7, -7, 7, -7});
  const Tensor b = i64({4}, {2, 2, -2, -2});
  EXPECT_THAT(values(run("aten.div.Tensor_mode", {a, b, text("floor")})),
              ElementsAre(3, -4, -4, 3));
  EXPECT_THAT(values(run("aten.div.Tensor_mode", {a, b, text("trunc")})),
              ElementsAre(3, -3, -3, 3));
  EXPECT_THAT(values(run("aten.div.Tensor_mode", {a, b, none()})),
              ElementsAre(3.5, -3.5, -3.5, 3.5));
  EXPECT_THROW(run("aten.div.Tensor_mode", {a, b, text("up")}), Error);
  EXPECT_THAT(values(run("aten.remainder.Tensor", {a, b})), ElementsAre(1, 1, -1, -1));
  EXPECT_THAT(values(run("aten.fmod.Tensor", {a, b})), ElementsAre(1, -1, 1, -1));
}

// 3.40625 / 0.0043335 is 786.03, which bfloat16 rounds to 788 at once, and to 784 after truncation.
TEST(Division, QuotientsOfHalfPrecisionTensorsAreRoundedBeforeTheyAreTruncated) {
  const auto bf16 = [](std::vector<int64_t> sizes, std::initializer_list<float> numbers) {
    return f32(std::move(sizes), numbers).to(DType::bf16);
  };
  const auto quotients = [](const Tensor& a, const Tensor& b) {
    return values(run("aten.div.Tensor_mode", {a, b, text("trunc")}));
  };
  const Tensor a = bf16({2}, {3.40625f, -1.7578125f});
  EXPECT_THAT(quotients(a, bf16({2}, {0.00433349609375f, -0.021240234375f})), ElementsAre(788, 83));
  EXPECT_THAT(quotients(a, bf16({1}, {0.00433349609375f})), ElementsAre(784, -404));
  EXPECT_THAT(quotients(a, bf16({}, {0.00433349609375f})), ElementsAre(784, -404));
}

TEST(Division, FloorOfRealsIsPythons) {
  EXPECT_THAT(
      values(run("aten.floor_divide", {f32({4}, {1, -1, 1, 0}), f32({4}, {0.1f, 0.3f, 0, 5})})),
      ElementsAre(9, -4, kInf, 0));
}

TEST(Division, GcdAndLcm) {
  EXPECT_THAT(values(run("aten.gcd", {i64({4}, {12, -12, 0, 7}), i64({4}, {18, 18, 5, 0})})),
              ElementsAre(6, 6, 5, 7));
  // The least integer has no magnitude; its signs are PyTorch's.
  EXPECT_THAT(values(run("aten.gcd", {i64({4}, {1, INT64_MIN, 2, 7}),
                                      i64({4}, {INT64_MIN, 1, INT64_MIN, INT64_MIN})})),
              ElementsAre(1, 1, 2, -1));
  EXPECT_THAT(values(run("aten.lcm", {i64({3}, {4, -6, 0}), i64({3}, {6, 4, 0})})),
              ElementsAre(12, 12, 0));
}

TEST(Choice, ClampPromotesAndKeepsNan) {
  EXPECT_THAT(values(run("aten.clamp", {i64({3}, {-2, 0, 5}), number(-0.5), number(1.5)})),
              ElementsAre(-0.5, 0, 1.5));
  EXPECT_THAT(values(run("aten.clamp", {f32({2}, {kNan, 3}), number(5), number(1)})),
              ElementsAre(NanSensitiveDoubleEq(kNan), 1));
  EXPECT_THROW(run("aten.clamp", {f32({1}, {1})}), Error);
}

// 1 / x tells zeros apart.
TEST(Choice, ZerosInBoundsKeepTheirSigns) {
  const Tensor zeros = f32({2}, {-0.0F, 0.0F});
  const auto inverse = [](const Tensor& x) { return values(run("aten.reciprocal", {x})); };
  const auto kept = ElementsAre(-kInf, kInf);
  EXPECT_THAT(inverse(run("aten.clamp", {zeros, number(0), number(6)})), kept);
  EXPECT_THAT(inverse(run("aten.clamp", {zeros, number(-0.0), number(-0.0)})), kept);
  EXPECT_THAT(inverse(run("aten.clamp_min", {zeros, number(0)})), kept);
  EXPECT_THAT(inverse(run("aten.clamp_max", {zeros, number(-0.0)})), kept);
  EXPECT_THAT(inverse(run("aten.hardtanh", {zeros, number(0), number(1)})), kept);
  EXPECT_THAT(inverse(run("aten.relu", {zeros})), kept);
  EXPECT_THAT(inverse(run("aten.relu6", {zeros})), kept);
}

TEST(Choice, BoundsOfIntegersSaturate) {
  const Tensor x = Tensor::of<uint8_t>(DType::u8, {3}, {0, 2, 5});
  EXPECT_THAT(values(run("aten.clamp", {x, integer(-2), integer(3)})), ElementsAre(0, 2, 3));
  EXPECT_THAT(values(run("aten.clamp", {x, integer(1), integer(300)})), ElementsAre(1, 2, 5));
  EXPECT_THAT(values(run("aten.hardtanh", {x, integer(-2), integer(3)})), ElementsAre(0, 2, 3));
}

// PyTorch's scalar code, which small tensors are left to, gives the first of equals.
TEST(Choice, ZerosOfExtremaDependOnTheSize) {
  const auto first = [](int64_t size) {
    const Tensor zeros = Tensor::zeros(DType::f32, {size});
    const Tensor extremum = run("aten.maximum", {zeros, run("aten.neg", {zeros})});
    return values(run("aten.reciprocal", {extremum}))[0];
  };
  EXPECT_EQ(first(2), kInf);
  EXPECT_EQ(first(16), -kInf);
}

TEST(Choice, SignallingNanIsNoMissingOperand) {
  const auto nan = [](uint32_t bits) { return f32({1}, {std::bit_cast<float>(bits)}); };
  const Tensor one = f32({1}, {1});
  EXPECT_THAT(values(run("aten.fmax", {one, nan(0x7fc00000U)})), ElementsAre(1));
  EXPECT_TRUE(std::isnan(values(run("aten.fmax", {one, nan(0x7f800001U)}))[0]));
  EXPECT_TRUE(std::isnan(values(run("aten.fmin", {nan(0x7f800001U), one}))[0]));
}

TEST(Choice, WhereAndMaskedFill) {
  EXPECT_THAT(values(run("aten.where.self", {bools({true, false}), i64({2}, {1, 2}), number(0.5)})),
              ElementsAre(1, 0.5));
  EXPECT_THAT(values(run("aten.masked_fill.Scalar",
                         {f32({2, 1}, {1, 2}), bools({true, false}), number(-kInf)})),
              ElementsAre(-kInf, 1, -kInf, 2));
}

TEST(Choice, FilledNumbersAreConvertedAlone) {
  const Tensor mask = bools({true, false});
  const auto filled = [&](const Tensor& self, const TestArgument& value) {
    return values(run("aten.masked_fill.Scalar", {self, mask, value}));
  };
  EXPECT_THAT(filled(i64({2}, {1, 2}), number(2.75)), ElementsAre(2, 2));
  EXPECT_THAT(filled(bools({false, false}), integer(2)), ElementsAre(1, 0));
  EXPECT_THAT(filled(bools({true, false}), number(0)), ElementsAre(0, 0));
  const Tensor bytes = i64({2}, {1, 2}).to(DType::u8);
  EXPECT_THAT(filled(bytes, integer(-1)), ElementsAre(255, 2));
  EXPECT_THROW(filled(bytes, integer(300)), Error);
  EXPECT_THROW(filled(bytes, number(-2.5)), Error);
  EXPECT_THROW(filled(i64({2}, {1, 2}), number(kInf)), Error);
  EXPECT_THROW(filled(f32({2}, {1, 2}).to(DType::f16), number(70000)), Error);
}

TEST(Elementary, RoundingIsHalfToEven) {
  EXPECT_THAT(values(run("aten.round", {f32({4}, {0.5, 1.5, -0.5, 2.5})})),
              ElementsAre(0, 2, -0.0, 2));
  EXPECT_THAT(values(run("aten.round.decimals", {f32({2}, {125, 1250}), integer(-2)})),
              ElementsAre(100, 1200));
  EXPECT_THAT(values(run("aten.sign", {f32({3}, {-2, 0, kNan})})), ElementsAre(-1, 0, 0));
  EXPECT_THAT(values(run("aten.frac", {f32({2}, {1.5, -1.25})})), ElementsAre(0.5, -0.25));
}

TEST(Elementary, NanToNumUsesTheLimitsOfTheDtype) {
  const Tensor x = f32({3}, {kNan, INFINITY, -INFINITY});
  EXPECT_THAT(
      values(run("aten.nan_to_num", {x})),
      ElementsAre(0, std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest()));
  EXPECT_THAT(values(run("aten.nan_to_num", {x.to(DType::f16)})), ElementsAre(0, 65504, -65504));
  EXPECT_THAT(values(run("aten.nan_to_num", {x, number(1), number(2), number(3)})),
              ElementsAre(1, 2, 3));
}

TEST(Activation, GradientsOfSigmoidAreMultipliedFromTheLeft) {
  const Tensor gradient = f32({2}, {0, 1e-30F});
  EXPECT_THAT(values(run("aten.sigmoid_backward", {gradient, f32({2}, {1e30F, 1e30F})})),
              ElementsAre(0, testing::DoubleNear(-1e30, 1e24)));
}

TEST(Activation, KeepsNanAndMeetsKnownValues) {
  EXPECT_THAT(values(run("aten.relu", {f32({3}, {-1, 2, kNan})})),
              ElementsAre(0, 2, NanSensitiveDoubleEq(kNan)));
  EXPECT_THAT(
      values(run("aten.hardswish", {f32({4}, {-4, -1, 1, 4})})),
      ElementsAre(0, testing::DoubleNear(-1.0 / 3, 1e-7), testing::DoubleNear(2.0 / 3, 1e-7), 4));
  EXPECT_NEAR(values(run("aten.gelu", {f32({1}, {1})}))[0], 0.8413447460685429, 1e-6);
  EXPECT_NEAR(values(run("aten.gelu", {f32({1}, {1}), text("tanh")}))[0], 0.8411919906082768, 1e-6);
  EXPECT_THROW(run("aten.gelu", {f32({1}, {1}), text("fast")}), Error);
  EXPECT_THAT(values(run("aten.softplus", {f32({2}, {0, 30})})),
              ElementsAre(testing::DoubleNear(std::log(2.0), 1e-6), 30));
  EXPECT_THAT(values(run("aten.glu", {f32({1, 4}, {2, 4, 0, 0})})), ElementsAre(1, 2));
  EXPECT_THAT(values(run("aten.prelu", {f32({1, 2}, {-1, -1}), f32({2}, {0.5, 0.25})})),
              ElementsAre(-0.5, -0.25));
}

TEST(Comparison, GoesThroughTheCommonDtype) {
  EXPECT_THAT(values(run("aten.eq.Scalar", {i64({2}, {1, 2}), number(1.5)})), ElementsAre(0, 0));
  // 2^53 + 1 and 2^53 are one number in f32.
  EXPECT_THAT(
      values(run("aten.eq.Tensor", {i64({1}, {9007199254740993}), f32({1}, {9007199254740992})})),
      ElementsAre(1));
  EXPECT_THAT(values(run("aten.maximum", {f32({2}, {1, kNan}), f32({2}, {kNan, 1})})),
              ElementsAre(NanSensitiveDoubleEq(kNan), NanSensitiveDoubleEq(kNan)));
  EXPECT_THAT(values(run("aten.fmax", {f32({2}, {1, kNan}), f32({2}, {kNan, 1})})),
              ElementsAre(1, 1));
  EXPECT_THAT(values(run("aten.logical_not", {f32({3}, {0, kNan, 2})})), ElementsAre(1, 0, 0));
  EXPECT_THAT(values(run("aten.isclose", {f32({2}, {1, kNan}), f32({2}, {1.000001f, kNan}),
                                          number(1e-5), number(1e-8), boolean(true)})),
              ElementsAre(1, 1));
}

TEST(Bitwise, ShiftsOutEverythingAtTheEnds) {
  const Tensor x = i64({4}, {-8, -8, 1, 1});
  EXPECT_THAT(values(run("aten.bitwise_right_shift.Tensor", {x, i64({4}, {1, 64, 1, -1})})),
              ElementsAre(-4, -1, 0, 0));
  EXPECT_THAT(values(run("aten.bitwise_left_shift.Tensor", {x, i64({4}, {1, 64, 3, -1})})),
              ElementsAre(-16, 0, 8, 0));
  EXPECT_THAT(values(run("aten.bitwise_not", {bools({true, false})})), ElementsAre(0, 1));
  EXPECT_THROW(run("aten.bitwise_and.Tensor", {f32({1}, {1}), f32({1}, {1})}), Error);
}

TEST(FloatingParts, FrexpLdexpNextafter) {
  const auto parts = run_all("aten.frexp.Tensor", {f32({4}, {8, -0.75, 0, 1e-40f})});
  EXPECT_THAT(values(parts[0]), ElementsAre(0.5, -0.75, 0, testing::DoubleNear(0.5444, 1e-3)));
  EXPECT_THAT(values(parts[1]), ElementsAre(4, 0, 0, -132));
  EXPECT_THAT(values(run("aten.ldexp.Tensor", {f32({2}, {3, 3}), i64({2}, {2, -1})})),
              ElementsAre(12, 1.5));
  // Rounded once, and never by way of an infinite power.
  EXPECT_THAT(values(run("aten.ldexp.Tensor", {f32({3}, {0, 1, 1}), i64({3}, {128, -149, 1000})})),
              ElementsAre(0, std::ldexp(1.0, -149), kInf));
  EXPECT_THAT(
      values(run("aten.ldexp.Tensor", {Tensor::of<double>(DType::f64, {2}, {0x1p1000, 0x1p-1070}),
                                       i64({2}, {-2070, 2000})})),
      ElementsAre(0x1p-1070, 0x1p930));
  // A number of another dtype does not round the power of a complex number.
  const Tensor exponent = Tensor::scalar(DType::bf16, 0.25);
  const Tensor power = run("aten.ldexp.Tensor", {f32({1}, {1}).to(DType::c64), exponent});
  EXPECT_FLOAT_EQ(values(run("aten.real", {power})).at(0), 1.1892071);
  const Tensor one = f32({3}, {1, 1, 0}).to(DType::bf16);
  const Tensor to = f32({3}, {2, 0, -1}).to(DType::bf16);
  EXPECT_THAT(values(run("aten.nextafter", {one, to})),
              ElementsAre(1.0078125, 0.99609375, -std::ldexp(1.0, -133)));
}

TEST(Complex, PartsAreViews) {
  const Tensor z = run("aten.complex", {f32({2}, {1, 2}), f32({2}, {3, -4})});
  EXPECT_EQ(z.dtype(), DType::c64);
  EXPECT_THAT(values(run("aten.real", {z})), ElementsAre(1, 2));
  EXPECT_THAT(values(run("aten.imag", {z})), ElementsAre(3, -4));
  EXPECT_THAT(values(run("aten.view_as_real", {z})), ElementsAre(1, 3, 2, -4));
  EXPECT_THAT(values(run("aten.imag", {run("aten._conj", {z})})), ElementsAre(-3, 4));
  EXPECT_THAT(values(run("aten.abs", {z})),
              ElementsAre(testing::DoubleNear(std::sqrt(10.0), 1e-6),
                          testing::DoubleNear(std::sqrt(20.0), 1e-6)));
}

TEST(Creation, RangesAndTriangles) {
  EXPECT_THAT(values(run("aten.arange.start_step", {integer(5), integer(0), integer(-2)})),
              ElementsAre(5, 3, 1));
  EXPECT_EQ(run("aten.arange", {integer(3)}).dtype(), DType::i64);
  EXPECT_EQ(run("aten.arange", {number(2.5)}).dtype(), DType::f32);
  EXPECT_THAT(values(run("aten.arange", {number(2.5)})), ElementsAre(0, 1, 2));
  EXPECT_THAT(values(run("aten.linspace", {integer(0), integer(1), integer(3)})),
              ElementsAre(0, 0.5, 1));
  EXPECT_THAT(values(run("aten.arange.start_step", {integer(0), integer(1), number(1e30)})),
              ElementsAre(0));
  EXPECT_THAT(values(run("aten.tril_indices", {integer(3), integer(2)})),
              ElementsAre(0, 1, 1, 2, 2, 0, 0, 1, 0, 1));
  EXPECT_THAT(values(run("aten.triu_indices", {integer(2), integer(3), integer(1)})),
              ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(values(run("aten.eye.m", {integer(2), integer(3)})), ElementsAre(1, 0, 0, 0, 1, 0));
  EXPECT_EQ(run("aten.full", {integers({1}), boolean(true)}).dtype(), DType::bool_);
  EXPECT_EQ(run("aten.scalar_tensor", {integer(3)}).dtype(), DType::f32);
}

TEST(Creation, OneStepIsThePowerOfTheStartItself) {
  const auto single = [](DType dtype) {
    return values(run("aten.logspace", {number(1.75), integer(2), integer(1), number(10),
                                        TestArgument(ir::Attribute(dtype))}))[0];
  };
  EXPECT_EQ(single(DType::i32), 56);
  EXPECT_NEAR(single(DType::f32), 56.234130859375, 1e-4);
}

TEST(Copy, CastsOnceAndKeepsLayouts) {
  const Tensor x = f32({2, 3}, {1.9f, -1.9f, 0, 4, 5, 6});
  EXPECT_THAT(values(run("aten._to_copy", {x, ir::Attribute(DType::i64)})),
              ElementsAre(1, -1, 0, 4, 5, 6));
  const Tensor transposed = x.view({3, 2}, {1, 3}, 0);
  EXPECT_EQ(run("aten.clone", {transposed}).strides(), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(run("aten.contiguous", {transposed}).strides(), (std::vector<int64_t>{2, 1}));
  // No change, no copy.
  EXPECT_EQ(run("aten.to.dtype", {x, ir::Attribute(DType::f32)}).storage(), x.storage());
  EXPECT_NE(run("aten.to.dtype", {x, ir::Attribute(DType::f64)}).storage(), x.storage());
  EXPECT_THAT(values(run("aten.copy", {x, f32({3}, {7, 8, 9})})), ElementsAre(7, 8, 9, 7, 8, 9));
}

}  // namespace
}  // namespace litz::ops
