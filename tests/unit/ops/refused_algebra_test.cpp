// Calls that PyTorch refuses, of algebra, transforms, integrals, histograms, products and
// convolutions: they are refused here too, when types are inferred.

#include <string>

#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

struct RefusedCall {
  const char* op;
  const char* call;
  const char* reason;  ///< A part of the message.
};

class RefusedAlgebra : public ::testing::TestWithParam<RefusedCall> {};

TEST_P(RefusedAlgebra, SayWhatMustHold) {
  const RefusedCall& refused = GetParam();
  GraphRunner runner;
  const ir::OpInfo* op = test_ops()->find(refused.op);
  ASSERT_NE(op, nullptr) << refused.op;
  try {
    runner.add_sample(*op, refused.call);
    FAIL() << refused.op << refused.call << " must be refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(refused.reason), std::string::npos) << error.what();
    EXPECT_NE(error.code(), ErrorCode::internal);
  }
}

constexpr RefusedCall kCalls[] = {
    {"aten.fft_fft", "(f16[2, 4])", "a transform takes"},
    {"aten.fft_irfft", "(bf16[2, 4])", "a transform takes"},
    {"aten.linalg_polar", "(f32[2, 3])", "as many rows as columns"},
    {"aten.linalg_vander", "(bf16[3], N=3)", "linalg_vander takes"},
    {"aten.vander", "(f32[3], -1)", "must not be negative"},
    {"aten.float_power_.Scalar", "(f32[2], 2)", "the dtype of what it writes"},
    {"aten.float_power_.Tensor", "(f64[2], c64[2])", "the dtype of what it writes"},
    {"aten.linalg_vecdot", "(i64[2, 3], i64[3])", "floating or complex"},
    {"aten.linalg_matrix_norm", "(f64[2, 3], 1, dtype=f32)", "must hold all numbers"},
    {"aten.ormqr", "(f32[5, 3], f32[2], f32[5, 2])", "a scale for every reflector"},
    {"aten.roll", "(f32[2, 3], [1], [2147483647])", "one of the tensor's"},
    {"aten.roll", "(f32[2, 3], [1, 1], [0])", "one shift per dimension"},
    {"aten.kron", "(f32[2, 3] {1, 2}, f32[4])", "kron needs operands"},
    {"aten.combinations", "(f32[3], -1)", "must not be negative"},
    {"aten.combinations", "(f32[3], 4611686018427387904)", "nor above 64"},
    {"aten.einsum", "('ii->i', [f32[3, 1]])", "repeated label"},
    {"aten.einsum", "('ij,jk->ik', [f32[2, 0], f32[4, 3]])", "one label must agree"},
    {"aten.addbmm", "(f32[4, 1], f32[2, 3, 5], f32[2, 5, 4])", "must broadcast"},
    {"aten.addmm", "(f32[4], f32[3, 5], f32[5, 1])", "must broadcast"},
    {"aten._grouped_mm", "(f32[2, 4], f32[2, 4, 3], i32[2] in [0, 1))", "multiples of 16 bytes"},
    {"aten._grouped_mm", "(f32[2, 4], f32[2, 4, 8], i64[2] in [0, 1))", "int32 row end"},
    {"aten._weight_int8pack_mm", "(f32[2, 8], i8[6, 8] {1, 6}, f32[6])", "lie next to each other"},
    {"aten._weight_int4pack_mm_for_cpu", "(f32[2, 64], u8[64, 32], 16, f32[4, 64, 2])",
     "32, 64, 128 or 256"},
    {"aten.trapezoid.x", "(f32[9, 5], f32[2], dim=1)", "a place for every element"},
    {"aten.cumulative_trapezoid.dx", "(bool[3])", "not of bool"},
    {"aten.gradient.scalarint", "(u8[4])", "numbers with a sign"},
    {"aten.gradient.tensorarray", "(f32[4], spacing=[bool[4]], dim=[0])", "not bool"},
    {"aten.histogram.bin_ct", "(f16[5], 3)", "must be given"},
    {"aten.histogram.bin_ct", "(f32[5], 3, range=[0, 1, 2])", "two ends per dimension"},
    {"aten.histogram.bins_tensor", "(f32[5], f64[3])", "dtype of self"},
    {"aten.histogram.bins_tensor", "(f32[5], f32[3], weight=f32[4])", "a weight for every element"},
    {"aten.histogramdd", "(f32[5, 2], [3])", "number of bins per dimension"},
    {"aten.fake_quantize_per_tensor_affine", "(f32[3], 0.1, 2, 0, 1)", "one of the integers"},
    {"aten.fake_quantize_per_channel_affine", "(f32[3, 2], f64[2], i32[2], 1, -20, 20)",
     "scales of channels"},
    {"aten.fake_quantize_per_tensor_affine_cachemask_backward", "(f32[2, 3], bool[3, 2])",
     "a gradient per element"},
    {"aten._fake_quantize_learnable_per_tensor_affine_backward",
     "(f64[2], f64[2], f32[1], f32[1], -20, 20)", "f32 throughout"},
    {"aten.conv2d", "(f32[1, 3, 4, 4], f32[2, 3, 0, 2])", "must not be empty"},
    {"aten.conv2d", "(f32[1, 3, 4, 4], f32[2, 3, 2, 2], None, 0)", "must be positive"},
    {"aten.conv2d", "(f32[1, 3, 4, 4], f32[2, 3, 2, 2], None, 1, -1)", "must not be negative"},
    {"aten.conv2d", "(f32[1, 4, 4, 4], f32[3, 2, 2, 2], groups=2)", "divide by the groups"},
    {"aten.conv_transpose1d", "(f32[1, 3, 4], f32[3, 2, 2], None, 2, 0, 2)", "output padding"},
    {"aten.convolution", "(f32[3, 4], f32[2, 3, 2], None, [1], [0], [1], False, [0], 1)",
     "must have a batch"},
    {"aten.convolution_backward",
     "(f32[1, 2, 2], f32[1, 3, 4], f32[2, 3, 2], [2], [1], [0], [1], False, [0], 1, [True, True, "
     "True])",
     "sizes of the convolution's result"},
};

INSTANTIATE_TEST_SUITE_P(Algebra, RefusedAlgebra, ::testing::ValuesIn(kCalls),
                         [](const auto& info) { return std::to_string(info.index); });

}  // namespace
}  // namespace litz::ops
