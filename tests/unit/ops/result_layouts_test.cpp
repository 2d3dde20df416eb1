// Strides of results where they differ from those of other operators of the kind: PyTorch's, which its
// kernels and its exported programs agree on.

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "op_runner.h"

namespace litz::ops {
namespace {

struct ResultLayout {
  std::string_view op;
  std::string_view arguments;
  std::vector<int64_t> strides;  ///< Of the last result.
};

const std::vector<ResultLayout>& layouts() {
  static const std::vector<ResultLayout> all{
      // New memory in row-major order, whatever the layout of self is.
      {"aten.scatter.src", "(f32[3, 4]{1, 3}, 0, i64[2, 4] in [0, 3), f32[2, 4])", {4, 1}},
      {"aten.scatter_add", "(f32[3, 4]{1, 3}, 0, i64[2, 4] in [0, 3), f32[2, 4])", {4, 1}},
      {"aten.index_add", "(f32[3, 4]{1, 3}, 0, i64[2] in [0, 3), f32[2, 4])", {4, 1}},
      {"aten.index_copy", "(f32[3, 4]{1, 3}, 0, i64[2] in [0, 3), f32[2, 4])", {4, 1}},
      {"aten.index_fill.int_Scalar", "(f32[3, 4]{1, 3}, 0, i64[2] in [0, 3), 1.5)", {1, 3}},
      {"aten.renorm", "(f32[2, 3]{1, 2}, 2, 1, 0.5)", {3, 1}},
      {"aten.tril", "(f32[3, 4]{1, 3})", {4, 1}},
      {"aten.triu", "(f32[3, 4]{1, 3})", {4, 1}},
      {"aten.soft_margin_loss", "(f32[3, 4]{0, 3}, f32[3, 4]{1, 3}, 0)", {4, 1}},
      {"aten.hinge_embedding_loss", "(f32[3, 4]{1, 3}, f32[3, 4]{2, 0}, reduction=0)", {4, 1}},
      {"aten.matrix_power", "(f32[3, 3]{1, 3}, 1)", {3, 1}},
      {"aten._prelu_kernel", "(f32[2, 3]{3, 0}, f32[2, 3]{1, 2})", {3, 1}},
      {"aten.mvlgamma", "(f32[2, 3]{1, 2}, 3)", {3, 1}},
      {"aten.alias_copy", "(f32[2, 3]{1, 2})", {3, 1}},
      {"aten.lift_fresh_copy", "(f32[2, 3]{1, 2})", {3, 1}},
      {"aten.ravel", "(f32[2, 3]{6, 2})", {1}},
      {"aten.fake_quantize_per_tensor_affine_cachemask_backward",
       "(f32[5, 3]{0, 5}, bool[5, 3]{1, 5})",
       {1, 5}},
      {"aten.view_as_complex", "(f32[1, 2]{1, 1})", {0}},
      {"aten.instance_norm",
       "(f32[3, 4, 5]{1, 3, 12}, f32[4], f32[4], None, None, True, 0.1, 1e-05, False)",
       {20, 5, 1}},
      {"aten.svd", "(f32[2, 3, 4], compute_uv=False)", {16, 1, 4}},
      // Complex numbers have no kernel, so only slices along all dimensions are taken.
      {"aten._weight_norm", "(c128[3, 16], c128[3, 1], -1)", {16, 1}},
      // The layout of the difference between the input and the mean.
      {"aten.batch_norm",
       "(f32[1, 16, 5]{1, 0, 16}, None, None, f32[16], f32[16], False, 0.1, 1e-05, False)",
       {80, 5, 1}},
      {"aten.batch_norm",
       "(f32[2, 16, 5]{1, 2, 32}, None, None, f32[16], f32[16], False, 0.1, 1e-05, False)",
       {1, 2, 32}},
      {"aten.batch_norm",
       "(f32[2, 16, 4, 4]{1, 0, 2, 8}, None, None, f32[16], f32[16], False, 0.1, 1e-05, False)",
       {1, 8, 2, 128}},
      // The memory format of the input, of which other permutations are none.
      {"aten.group_norm", "(f32[2, 6, 3]{1, 2, 12}, 2)", {18, 3, 1}},
      {"aten.group_norm", "(f32[2, 6, 3, 2]{36, 1, 12, 6}, 2)", {36, 1, 12, 6}},
      {"aten.rms_norm", "(f32[3, 8]{1, 3}, [8], f32[8])", {8, 1}},
      {"aten.pixel_shuffle", "(f32[2, 8, 3, 2]{48, 1, 16, 8}, 2)", {48, 1, 8, 2}},
      {"aten.pixel_unshuffle", "(f32[2, 2, 6, 4]{48, 1, 8, 2}, 2)", {48, 1, 16, 8}},
      {"aten.reflection_pad2d", "(f32[1, 2, 5, 4]{40, 1, 8, 2}, [2, 1, 0, 3])", {112, 1, 14, 2}},
      {"aten.pad",
       "(f32[1, 2, 5, 4]{40, 1, 8, 2}, [2, 1, 0, 3], mode='replicate')",
       {112, 1, 14, 2}},
      {"aten.upsample_nearest2d_backward",
       "(f32[1, 2, 6, 5]{60, 1, 10, 2}, [6, 5], [1, 2, 3, 4])",
       {24, 1, 8, 2}},
      {"aten.upsample_bicubic2d_backward",
       "(f32[1, 2, 6, 5]{60, 1, 10, 2}, [6, 5], [1, 2, 3, 4], False)",
       {24, 12, 4, 1}},
      {"aten.adaptive_max_pool1d", "(f32[2, 3, 8]{24, 1, 3}, [3])", {9, 1, 3}},
      {"aten.adaptive_max_pool2d_backward",
       "(f32[1, 2, 3, 3], f32[1, 2, 5, 6]{60, 1, 12, 2}, i64[1, 2, 3, 3] in [0, 30))",
       {60, 1, 12, 2}},
      {"aten._adaptive_avg_pool3d_backward",
       "(f32[2, 3, 2, 3, 2], f32[2, 3, 4, 5, 4]{240, 1, 60, 12, 3})",
       {240, 80, 20, 4, 1}},
      // The operand that PyTorch's kernel takes first.
      {"aten.leaky_relu_backward", "(f32[2, 3]{1, 2}, f32[2, 3], 0.1, False)", {3, 1}},
      {"aten.threshold_backward", "(f32[2, 3], f32[2, 3]{1, 2}, 2)", {1, 2}},
      {"aten._prelu_kernel_backward", "(f32[2, 3]{1, 2}, f32[2, 3], f32[1, 3])", {3, 1}},
      {"aten.mse_loss_backward", "(f32[2, 3]{1, 2}, f32[2, 3], f32[2, 3], 0)", {3, 1}},
      {"aten.soft_margin_loss_backward", "(f32[], f32[2, 3], f32[2, 3]{1, 2}, 1)", {1, 2}},
      {"aten.hinge_embedding_loss", "(f32[3, 4]{1, 3}, f32[3, 4], reduction=0)", {4, 1}},
      {"aten.addr", "(f32[3, 4]{1, 3}, f32[3], f32[4])", {1, 3}},
      {"aten.rsub.Tensor", "(f32[7, 7], f32[7, 7]{2, 14})", {1, 7}},
      // Operands of other dtypes are converted first, which makes shared elements dense.
      {"aten.fmax", "(bool[4, 3]{1, 0}, i64[4, 3]{1, 5})", {3, 1}},
      {"aten.lt.Tensor", "(i64[2, 3]{9, 0}, f32[2, 3]{1, 2})", {3, 1}},
      {"aten.divide.Tensor", "(i64[4, 4]{0, 4}, i64[4, 4]{2, 8} in [1, 5))", {4, 1}},
      {"aten.addcdiv", "(f64[2, 3]{0, 2}, f32[2, 3]{3, 0}, f32[2, 3]{1, 2})", {3, 1}},
      {"aten.float_power.Tensor_Tensor", "(f32[8, 3]{1, 0}, f32[8, 3]{1, 8})", {3, 1}},
      {"aten.special_chebyshev_polynomial_v", "(i64[2, 3]{9, 0}, i64[2, 3]{3, 6})", {3, 1}},
      {"aten.special_chebyshev_polynomial_v", "(f32[2, 3]{9, 0}, f32[2, 3]{3, 6})", {1, 2}},
      {"aten.ldexp.Tensor", "(bf16[4, 3]{0, 1}, f16[4, 3]{1, 4})", {3, 1}},
      {"aten.l1_loss", "(bf16[3, 4]{4, 0}, f16[3, 4]{2, 6}, reduction=0)", {4, 1}},
      {"aten.huber_loss", "(f16[3, 4]{0, 1}, f16[3, 4]{1, 3}, reduction=0)", {4, 1}},
      {"aten.binary_cross_entropy_with_logits",
       "(f32[4, 4]{5, 1}, f32[4, 4]{1, 4}, reduction=0)",
       {1, 4}},
      {"aten.binary_cross_entropy",
       "(f64[2, 3]{0, 4}, f64[], f64[2, 3]{1, 2}, reduction=0)",
       {3, 1}},
      {"aten.kl_div", "(f32[2, 3]{1, 2}, f32[2, 3], 0)", {3, 1}},
      {"aten.kl_div", "(f32[2, 3]{1, 2}, f32[2, 3]{4, 0}, 0)", {3, 1}},
      {"aten.poisson_nll_loss", "(f32[4, 4]{0, 1}, f32[4, 4]{1, 4}, True, True, 1e-08, 0)", {4, 1}},
      {"aten.log_sigmoid_backward", "(f16[2, 3]{0, 2}, f16[2, 3]{0, 2}, f16[2, 3]{1, 3})", {3, 1}},
      {"aten.native_dropout_backward",
       "(f32[4, 2, 3]{2, 0, 16}, f16[4, 2, 3]{6, 3, 1}, 2.0)",
       {6, 3, 1}},
      {"aten.mse_loss_backward", "(f16[], f16[3, 3]{0, 3}, f16[3, 3]{1, 3}, 2)", {3, 1}},
      {"aten.fake_quantize_per_channel_affine_cachemask_backward",
       "(i64[4, 2, 3]{0, 3, 1}, bool[4, 2, 3]{1, 0, 10})",
       {1, 12, 4}},
      // The layout of the first of several steps.
      {"aten.soft_margin_loss_backward", "(f32[], f32[2, 3]{1, 2}, f32[2, 3]{0, 4}, 1)", {3, 1}},
      // Without elements, operands are results.
      {"aten._fake_quantize_learnable_per_tensor_affine_backward",
       "(f32[5, 0], f32[5, 0], f32[9] in [0.1, 0.2), f32[9]{3} in [0, 3), 0, 20, 0.5)",
       {3}},
      // The layout of self without the dimensions that are indexed.
      {"aten.index.Tensor", "(f32[4, 4, 3]{1, 5, 20}, [i64[2] in [0, 4)])", {12, 1, 4}},
      {"aten.index.Tensor", "(f32[4, 4, 3]{1, 5, 20}, [None, i64[2] in [0, 4)])", {1, 4, 8}},
      {"aten.index.Tensor", "(f32[4, 4, 3]{3, 12, 1}, [i64[2] in [0, 4)])", {12, 3, 1}},
      // What padding leaves is copied as it lies.
      {"aten.pad", "(f32[2, 3]{1, 2}, [-1, 0])", {1, 2}},
      {"aten.constant_pad_nd", "(f32[2, 3, 2]{6, 1, 3}, [0, 0, -1, 0])", {4, 1, 2}},
      {"aten.constant_pad_nd", "(f32[2, 3]{1, 2}, [-1, 1])", {3, 1}},
      // Without pairs of rows, the gradient is zeros like the rows.
      {"aten._cdist_backward",
       "(f32[5, 0], f32[5, 4]{1, 5}, f32[0, 4], 2.0, f32[5, 0] in [1, 2))",
       {1, 5}},
      {"aten._cdist_backward",
       "(f32[5, 3], f32[5, 4]{1, 5}, f32[3, 4], 2.0, f32[5, 3] in [1, 2))",
       {4, 1}},
      // Attention keeps the queries' layout if it runs fused; heads of logarithms lie inside.
      {"aten._scaled_dot_product_flash_attention_for_cpu",
       "(f32[2, 2, 3, 4], f32[2, 2, 5, 4], f32[2, 2, 5, 4])",
       {6, 1, 2}},
      {"aten.scaled_dot_product_attention",
       "(f32[2, 2, 3, 4]{24, 4, 8, 1}, f32[2, 2, 5, 4], f32[2, 2, 5, 4])",
       {24, 4, 8, 1}},
      {"aten.scaled_dot_product_attention",
       "(f32[2, 2, 3, 4]{1, 2, 4, 12}, f32[2, 2, 5, 4], f32[2, 2, 5, 4])",
       {24, 12, 4, 1}},
  };
  return all;
}

TEST(ResultLayouts, AreThoseOfPyTorch) {
  for (const ResultLayout& call : layouts()) {
    SCOPED_TRACE(std::string(call.op) + std::string(call.arguments));
    const ir::OpInfo* op = test_ops()->find(call.op);
    ASSERT_NE(op, nullptr);
    GraphRunner runner;
    const ir::Node& node = runner.add_sample(*op, call.arguments);
    const TensorType& type = node.outputs().back().tensor();
    EXPECT_EQ(evaluate(type.strides, Bindings()), call.strides);
  }
}

}  // namespace
}  // namespace litz::ops
