// Calls that PyTorch raises for are refused: while types are inferred, or where it depends on data,
// when the call runs.

#include <cmath>
#include <string_view>

#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

struct RefusedCall {
  std::string_view op;
  std::string_view arguments;
};

constexpr RefusedCall kRefused[] = {
    // A product of no elements is a factor times what is added, in their common dtype.
    {"aten.addmm", "(i32[9], i32[17, 0], i32[0, 9], beta=0.5)"},
    {"aten.baddbmm", "(i32[2, 9, 8], i32[2, 9, 0], i32[2, 0, 8], beta=1.0)"},
    {"aten.repeat_interleave.self_int", "(f64[2, 0], -2, 1)"},
    // What is joined fits even where nothing is computed.
    {"aten.diff", "(f32[2, 2], 0, 1, f32[3, 1])"},
    {"aten.empty_strided", "([2, 2], [1, -2])"},
    // Places read from data are integers, as many as are known.
    {"aten.narrow.Tensor", "(f32[5, 2], 0, i64[1] in [1, 3), 2)"},
    {"aten.narrow.Tensor", "(f32[5, 2], 0, f32[], 2)"},
    {"aten.narrow.Tensor", "(f32[5, 2], 0, i64[] in [1, 3), 6)"},
    {"aten.narrow.Tensor", "(f32[], 0, i64[] in [0, 1), 1)"},
    {"aten.tensor_split.tensor_indices_or_sections", "(f32[5, 2], i32[2] in [1, 4))"},
    {"aten.tensor_split.tensor_indices_or_sections", "(f32[5, 2], i64[1, 2] in [1, 4))"},
    {"aten.tensor_split.tensor_indices_or_sections", "(f32[], i64[2] in [1, 4))"},
    // Numbers of bits are of real numbers, and of some.
    {"aten.hash_tensor", "(c64[3])"},
    {"aten.hash_tensor", "(f32[3], mode=1)"},
    {"aten.hash_tensor", "(f32[0, 3])"},
    {"aten.hash_tensor", "(f32[0, 3], [0])"},
    // Class numbers are i64, or u8 of vectors; there is one for every position.
    {"aten.nll_loss_nd", "(f32[4, 3], i32[4] in [0, 3))"},
    {"aten.nll_loss2d", "(f32[2, 3, 2, 2], u8[2, 2, 2] in [0, 3))"},
    {"aten.cross_entropy_loss", "(f32[4, 3], i8[4] in [0, 3))"},
    {"aten.cross_entropy_loss", "(f32[4, 3], f32[4, 3], ignore_index=1)"},
    {"aten.nll_loss", "(f32[4, 3], i64[4] in [0, 3), f64[3])"},
    {"aten.multi_margin_loss", "(f32[3], i64[33] in [0, 3), reduction=0)"},
    {"aten.multi_margin_loss", "(f32[0, 0], i64[0])"},
    {"aten.multi_margin_loss", "(f16[4, 3], i64[4] in [0, 3))"},
    {"aten.multilabel_margin_loss", "(f32[3, 7], i64[7, 7] in [-1, 3))"},
    {"aten.multilabel_margin_loss", "(f32[2], i64[2] in [2, 3))"},
    {"aten.ctc_loss.IntList", "(f32[6, 2, 4], i64[3, 4] in [1, 4), [6, 5], [3, 2])"},
    // The gradient of a loss is one number, or one for every term.
    {"aten.nll_loss_backward", "(f32[], f32[4, 3], i64[4] in [0, 3), None, 0, -100, f32[])"},
    {"aten.nll_loss_backward", "(f32[4], f32[4, 3], i64[4] in [0, 3), None, 1, -100, f32[])"},
    {"aten.nll_loss_backward", "(f32[], f32[4, 3], i64[4] in [0, 3), None, 1, -100, f32[2])"},
    {"aten.multi_margin_loss_backward", "(f32[], f32[3, 3], i64[3] in [0, 3), 1, 1.0, f32[4])"},
    {"aten.multilabel_margin_loss_backward",
     "(f32[], f32[9, 3], i64[9, 3] in [-1, 3), 2, f32[9, 33] in [0, 1))"},
    {"aten.soft_margin_loss_backward", "(f32[2, 3], f32[1, 3], f32[1, 3], 0)"},
    {"aten.soft_margin_loss", "(u8[2, 3], u8[2, 3])"},
    {"aten.mse_loss", "(i64[2, 3], i64[2, 3])"},
    {"aten.binary_cross_entropy", "(f32[2], f64[2])"},
    {"aten.native_dropout_backward", "(f32[1, 3], c64[1, 3], 2.0)"},
    // Softmax and its derivative.
    {"aten._softmax_backward_data", "(bf16[4, 1], bf16[1, 1], 0, bf16)"},
    {"aten._masked_softmax", "(f32[8, 2, 8, 8], bool[8, 8], 3, 2)"},
    {"aten._masked_softmax", "(f32[2, 2, 3, 4], bool[3, 4], 3, 0)"},
    {"aten._masked_softmax_backward", "(f32[2, 3], f32[2, 3], bool[2, 1], 1)"},
    // Normalizations.
    {"aten.batch_norm", "(i8[2, 3], None, None, None, None, True, 0.1, 1e-05, False)"},
    {"aten.batch_norm", "(f32[2, 3], None, None, None, None, False, 0.1, 1e-05, False)"},
    {"aten._native_batch_norm_legit.no_stats", "(f32[2, 3], None, None, False, 0.1, 1e-05)"},
    {"aten._native_batch_norm_legit.no_stats", "(f32[2, 0], None, None, True, 0.1, 1e-05)"},
    {"aten.instance_norm", "(f32[2, 3, 4], None, None, None, None, False, 0.1, 1e-05, False)"},
    {"aten.native_layer_norm_backward",
     "(i16[3, 4], i16[3, 4], [4], i16[3, 1], i16[3, 1], None, None, [True, False, False])"},
    {"aten.native_layer_norm_backward",
     "(f32[1, 4], f32[3, 4], [4], f32[3, 1], f32[3, 1], None, None, [True, False, False])"},
    {"aten.native_layer_norm_backward",
     "(f32[3, 4], f32[3, 4], [4], f32[3, 1], f32[3, 1], None, None, [True, True, False])"},
    {"aten.native_group_norm_backward",
     "(f32[1, 4, 3], f32[2, 4, 3], f32[2, 2], f32[2, 2], None, 2, 4, 3, 2, [True, False, False])"},
    {"aten.native_batch_norm_backward",
     "(f32[2, 3], f32[2, 1], None, None, None, f32[1], f32[1], True, 0.1, [True, False, False])"},
    {"aten.group_norm", "(f32[2, 0, 3], 1)"},
    {"aten.group_norm", "(f32[2, 9, 0], 3)"},
    {"aten.native_group_norm", "(f32[2, 0, 3], None, None, 2, 0, 3, 1, 1e-05)"},
    {"aten.native_group_norm", "(f32[2, 6, 0], None, None, 2, 6, 0, 2, 1e-05)"},
    {"aten.instance_norm", "(f32[2, 0, 3], f32[0], None, None, None, True, 0.1, 1e-05, False)"},
    {"aten.native_group_norm", "(f32[2, 6, 3], None, None, 2, 6, -3, 2, 1e-05)"},
    {"aten._weight_norm", "(f32[3, 1], f32[3, 7], 0)"},
    {"aten._weight_norm", "(f32[], f32[], 0)"},
    {"aten._weight_norm", "(f32[3, 8], f32[3, 1], 2)"},
    {"aten._weight_norm_interface_backward",
     "(f32[1, 2], f32[1, 1], f32[1, 1], f32[1, 1] in [1, 2), 0)"},
    // Rows of embeddings.
    {"aten.embedding_renorm", "(f32[6, 4], u8[3] in [0, 6), 1.5, 2.0)"},
    {"aten.embedding_renorm", "(f32[6, 0], i64[3] in [0, 6), 1.5, -0.5)"},
    {"aten.embedding_dense_backward", "(f32[2, 3, 4], i64[2, 7] in [0, 6), 6, 2, False)"},
    {"aten._embedding_bag", "(f32[6, 4], i16[3] in [0, 6), i16[1] in [0, 1))"},
    {"aten._embedding_bag_backward",
     "(f32[2, 3], i64[4] in [0, 5), f32[2], f32[0], i64[2], i64[2], 5, False, 0, False, None)"},
    {"aten._embedding_bag_backward",
     "(f32[2, 3], i64[5] in [0, 5), i64[2] in [0, 1), i64[5] in [0, 2), i64[2] in [2, 3), "
     "i64[0, 5] in [0, 5), 5, False, 2, False, None)"},
    // Cells, lists, distances, segments, products.
    {"aten.gru_cell", "(f32[8, 5], f32[8, 33], f32[1, 5], f32[1, 33], f32[1], f32[1])"},
    {"aten.lstm_cell", "(u8[2, 4], [u8[2, 5], u8[2, 5]], u8[20, 4], u8[20, 5])"},
    {"aten._foreach_addcmul.Tensor",
     "([f32[3], f32[4]], [f32[3], f32[4]], [f32[3], f32[4]], f32[2]{2})"},
    {"aten._foreach_addcdiv.Tensor", "([i8[3]], [i8[3]], [i8[3]], i8[1])"},
    {"aten._pdist_forward", "(f32[4, 3]{2, 8})"},
    {"aten._cdist_forward", "(f32[3, 4], f32[5, 4], 2.0, 3)"},
    {"aten.segment_reduce", "(f32[8, 5], 'sum', lengths=i64[3] in [2, 3))"},
    {"aten.segment_reduce", "(f32[8, 5], 'sum', lengths=i64[4] in [2, 3), axis=1)"},
    {"aten._trilinear", "(f32[2, 2], f32[5, 2, 4], f32[1, 1], [1, 3], [0], [1, 2], [2, 3])"},
    {"aten.hardtanh", "(u8[4], -2, -1)"},
    {"aten.clamp", "(i8[4], 300)"},
    {"aten._scaled_dot_product_flash_attention_for_cpu",
     "(f32[1, 1, 3, 4], f32[1, 1, 5, 4], f32[1, 1, 5, 7])"},
    {"aten._scaled_dot_product_flash_attention_for_cpu_backward",
     "(f32[2, 1, 1, 5], f32[1, 1, 1, 5], f32[1, 1, 2, 5], f32[1, 1, 2, 5], f32[1, 1, 1, 5], "
     "f32[1, 1, 1] in [3, 4), 0.0, False)"},
    // What is read for an element of the result must be there.
    {"aten._overlap_add", "(f32[2, 5, 8], f32[1], 2, 4, 8)"},
    {"aten._unsafe_masked_index_put_accumulate",
     "(f32[4], bool[3], [i64[3] in [0, 4), i64[3] in [0, 5)], f32[3])"},
    {"aten.upsample_nearest1d", "(f32[1, 2, 3], [4], 1e-300)"},
    {"aten.upsample_linear1d", "(f32[1, 2, 3], [4], False, 1e-300)"},
    {"aten.repeat_interleave.self_int", "(f32[], 3, 0)"},
    {"aten.repeat_interleave.self_Tensor", "(f32[], i64[1] in [1, 3), 0)"},
    {"aten.fake_quantize_per_channel_affine", "(f32[], f32[1], i32[1] in [0, 3), 0, 0, 255)"},
    {"aten._native_batch_norm_legit.no_stats", "(f32[], f32[4], f32[4], True, 0.1, 1e-05)"},
    {"aten._weight_norm_interface_backward", "(f32[], f32[], f32[], f32[] in [1, 2), 0)"},
    {"aten._scaled_dot_product_flash_attention_for_cpu",
     "(f32[], f32[2, 2, 5, 4], f32[2, 2, 5, 4])"},
    {"aten._embedding_bag_backward",
     "(f32[2, 3], i64[4] in [0, 5), i64[2] in [0, 1), i64[], i64[2] in [2, 3), i64[2], 5, False, "
     "0, "
     "False, f32[4])"},
    {"aten.fft_irfftn", "(f32[])"},
    {"aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
     "(f32[2, 3], f32[1] in [0.1, 0.2), i32[1] in [0, 3), i64[0] in [0, 2), -20, 20)"},
    {"aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
     "(f32[2, 3], f32[1] in [0.1, 0.2), i32[1] in [0, 3), i64[2] in [0, 2), -20, 20)"},
    {"aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
     "(f32[2, 3], f32[1] in [0.1, 0.2), i32[1] in [0, 3), c64[1], -20, 20)"},
    {"aten.fake_quantize_per_tensor_affine.tensor_qparams",
     "(f32[2, 3], c64[1], i32[1] in [0, 3), -20, 20)"},
    {"aten.range.step", "(0.0, 5.0, inf)"},
    {"aten.arange.start_step", "(0, 1, inf)"},
    // Windows of volumes leave an element over, and what repeats elements is not empty.
    {"aten.fractional_max_pool3d",
     "(f32[1, 2, 5, 6, 7], [2, 3, 2], [2, 4, 3], f32[1, 2, 3] in [0, 1))"},
    {"aten.reflection_pad3d", "(f32[2, 3, 4, 5, 6], [-3, -3, 0, 0, 0, 0])"},
    {"aten.replication_pad1d", "(f32[2, 3, 6], [-3, -3])"},
    {"aten.pad", "(f32[2, 3, 6], [-3, -3], 'reflect')"},
    {"aten.max_unpool3d",
     "(f32[1, 2, 2, 2, 1], i64[1, 2, 2, 2, 1] in [0, 60), [4, 5, 3], [2, 2, 0], [0, 0, 0])"},
    {"aten.unique_dim", "(bool[17, 0], 0)"},
    {"aten.ctc_loss.IntList", "(f32[0, 2, 4], i64[2, 3] in [1, 4), [0, 0], [0, 0], 0, 0)"},
    {"aten.binary_cross_entropy_backward", "(f32[], f32[2, 3], f32[2, 1], f32[1], 1)"},
    {"aten.lerp.Scalar", "(f32[3], f64[3], 0.5)"},
    {"aten._foreach_lerp.Scalar", "([f32[3], f32[4]], [c64[3], f32[4]], 0.5)"},
    {"aten._chunk_cat", "([f64[3, 2], f32[5, 1]], 0, 2)"},
    {"aten._adaptive_avg_pool2d_backward", "(f64[2, 3, 3, 4], f32[2, 3, 7, 8])"},
    {"aten.replication_pad2d_backward", "(f32[1, 0, 6, 7], f32[1, 0, 4, 4], [1, 2, 2, 0])"},
    {"aten.lstm_cell",
     "(f32[2, 4], [f32[2, 5], f32[1, 5]], f32[20, 4], f32[20, 5], f32[20], f32[20])"},
    {"aten.ctc_loss.Tensor",
     "(f32[6, 2, 4], i64[2, 3] in [1, 4), i64[2] in [5, 7), bool[2] in [2, 4), 0, 1)"},
    {"aten.meshgrid", "([f16[3], f32[4]])"},
    {"aten.complex", "(f64[2, 3], f32[2, 3])"},
    {"aten.heaviside", "(f64[2, 3], f32[2, 3])"},
    {"aten.linear", "(f32[2, 3, 5], f32[1, 5], f32[4])"},
    {"aten.bilinear", "(f32[8, 3], f32[8, 2], f32[5, 3, 2], f32[1])"},
    {"aten._native_multi_head_attention",
     "(f32[0, 1, 9], f32[0, 1, 9], f32[0, 1, 9], 4, 2, f32[12, 9], f32[12], f32[9, 9], f32[9])"},
    {"aten.istft", "(c64[5, 9], 8, 4, 1, f32[1])"},
    {"aten.binary_cross_entropy", "(f32[1, 3] in [0, 1), f32[2, 3] in [0, 1))"},
    {"aten.binary_cross_entropy",
     "(f32[2, 3] in [0, 1), f32[2, 3] in [0, 1), f32[4, 2, 3] in [0, 1))"},
    {"aten.binary_cross_entropy_with_logits", "(f32[1, 3], f32[2, 3], None, f32[3])"},
    {"aten.bilinear", "(f32[2, 0], f32[2, 4], f32[5, 0, 4])"},
    {"aten._scaled_dot_product_attention_math",
     "(f32[2, 2, 1, 4], f32[2, 2, 5, 4], f32[2, 2, 5, 4], f32[3, 5])"},
    {"aten._native_multi_head_attention",
     "(f32[2, 3, 4], f32[2, 3, 4], f32[2, 3, 4], 4, 2, f32[12, 4], f32[13], f32[4, 4], f32[4])"},
    {"aten._native_multi_head_attention",
     "(f32[2, 3, 4], f32[2, 3, 4], f32[2, 3, 4], 4, 2, f32[12, 4], f32[12], f32[1, 4], f32[4])"},
    {"aten.linspace", "(1j, 2, 5, dtype=f32)"},
    {"aten.logspace", "(100, 4, 1)"},
    {"aten.logspace", "(3, 4, 1, dtype=u8)"},
    {"aten.unfold_backward", "(i64[3, 2, 2], [3, 100], 1, 2, 3)"},
    {"aten._pad_circular", "(f32[1, 2, 5], [2, -7])"},
    {"aten._pad_circular", "(f32[1, 2, 5], [])"},
    {"aten.embedding_bag.padding_idx",
     "(f32[6, 4], i64[7] in [0, 6), i64[1] in [0, 1), False, 1, False, None, False, 6)"},
    {"aten._embedding_bag_dense_backward",
     "(f32[2, 3], i64[4] in [0, 5), i64[1] in [0, 2), i64[2] in [2, 3), i64[2], 5, True, 1, None)"},
    {"aten._embedding_bag_backward",
     "(f32[2, 3], i64[4] in [0, 5), i64[2] in [0, 1), i64[0], i64[2] in [2, 3), i64[2], 5, False, "
     "0, False, f32[5])"},
    {"aten.grid_sampler_2d_backward",
     "(f32[1, 2, 3, 3], f32[1, 2, 4, 5], f32[1, 3, 3, 2], 0, 1, False, [True])"},
    {"aten.fft_rfftfreq", "(-4)"},
    {"aten.fft_fftfreq", "(-1)"},
    {"aten.histc", "(f32[3], 4, -1e100, 1e100)"},
    // Lists that are empty, or shorter than what they describe.
    {"aten.max_pool2d", "(f32[2, 3, 7, 8], [3, 2], [2], [], [1], True)"},
    {"aten.avg_pool1d", "(f32[2, 3, 8], [3], [2], [], True)"},
    {"aten.max_unpool3d",
     "(f32[1, 2, 2, 2, 1], i64[1, 2, 2, 2, 1] in [0, 60), [4, 5, 3], [], [0, 0, 0])"},
    {"aten.histogram.bin_ct", "(f32[7], 3, range=[], density=True)"},
    {"aten.gradient.scalarrayint", "(f32[4, 5], spacing=[2.0])"},
    {"aten.gradient.tensorarray", "(f32[4, 5], spacing=[f32[4], f32[5]], dim=[])"},
    {"aten.logsumexp", "(f32[2, 3, 4], [])"},
    {"aten.fft_fftshift", "(f32[3, 3], [])"},
    {"aten.empty_permuted", "([2, 3, 4], [])"},
    {"aten.one_hot", "(i64[0, 17], 0)"},
    // Ranks and dtypes that do not fit.
    {"aten._foreach_mul.Tensor", "([f32[2, 3], f32[4]], f32[1])"},
    {"aten.bucketize.Tensor", "(f32[2, 4], f32[2, 3])"},
    {"aten.cartesian_prod", "([f32[2, 3]])"},
    {"aten.cartesian_prod", "([f32[3], f64[2]])"},
    {"aten.prelu", "(f32[2, 3], f64[3])"},
    {"aten._prelu_kernel_backward", "(f64[2, 3], f32[2, 3], f32[2, 3])"},
    {"aten.max_pool2d_with_indices_backward",
     "(f64[1, 2, 3, 3], f32[1, 2, 6, 6], [2, 2], [2, 2], [0, 0], [1, 1], False, "
     "i64[1, 2, 3, 3] in [0, 36))"},
    {"aten.layer_norm", "(f64[3, 8], [8], f32[8], f32[8])"},
    {"aten.layer_norm", "(f32[3, 8], [8], f16[8], f16[8])"},
    {"aten.native_group_norm_backward",
     "(f32[2, 4, 3], f32[2, 4, 3], f64[2, 2], f32[2, 2], f32[4], 2, 4, 3, 2, [True, True, True])"},
    {"aten.huber_loss", "(i64[2, 3], f32[2, 3])"},
    {"aten.huber_loss_backward", "(f64[], f32[2, 3], f32[2, 3], 1, 0.5)"},
    {"aten.binary_cross_entropy_backward", "(f16[], f32[2, 3], f32[2, 3], f32[3], 1)"},
    {"aten.log_sigmoid_backward", "(f64[2, 3], f32[2, 3], f32[2, 3])"},
    {"aten._foreach_addcmul.Tensor", "([f32[3]], [f32[3]], [f32[3]], c64[1])"},
    {"aten.triplet_margin_loss", "(f32[1, 2, 3], f32[2, 3], f32[2, 3])"},
    {"aten._scaled_dot_product_flash_attention_for_cpu",
     "(f16[1, 2, 3, 4], f16[1, 2, 5, 4], f16[1, 2, 5, 4], attn_mask=f64[3, 5])"},
    {"aten.soft_margin_loss_backward", "(f32[2, 3], f32[2, 3], c64[2, 3], 0)"},
    {"aten.soft_margin_loss_backward", "(f32[2, 3], f32[2, 3], bool[2, 3], 0)"},
    {"aten.smooth_l1_loss_backward", "(f32[], f32[2, 3], f32[2, 3], 1, -0.5)"},
    {"aten.huber_loss_backward", "(f32[], f32[2, 3], f32[2, 3], 1, -1.0)"},
    {"aten.norm_except_dim", "(bf16[1, 0, 4], 2, 1)"},
    {"aten.batch_norm", "(f32[3, 0, 5], f32[0], f32[0], None, None, True, 0.1, 0.0, True)"},
    {"aten._trilinear", "(f32[2, 1], f32[5, 1, 4], f32[2, 4], [2, 3], [0], [1, 2], [2, 3])"},
    {"aten._embedding_bag_backward",
     "(f32[2, 4], i64[2] in [0, 5), i64[1] in [0, 1), i64[2] in [0, 2), i64[1] in [2, 3), i64[1, "
     "4] "
     "in [0, 5), 5, False, 1, False, None)"},
    {"aten.narrow", "(f32[], 0, 1, 2)"},
    {"aten.rms_norm", "(f32[3, 8], [8], f32[1])"},
    {"aten.pad_sequence", "([f32[2], f32[]], True, 0.5, 'left')"},
    {"aten.empty_permuted", "([2, 3, 4, 4], [1, 0, 2])"},
    {"aten.empty_permuted", "([2, 3, 4], [-1, 0, 1])"},
    {"aten.norm_except_dim", "(f32[3, 4], 2, -3)"},
    {"aten.conv_tbc", "(f32[5, 1, 3], f32[7, 3, 4], f32[4], 0)"},
    {"aten.fft_fft", "(c64[3, 0])"},
    {"aten._fft_r2c", "(f32[3, 0], [1], 0, True)"},
    {"aten.scatter_add", "(f32[3, 4], 0, i64[2, 4] in [0, 3), f32[2, 4, 3])"},
    {"aten.index_fill.int_Tensor", "(f32[3, 4], 0, i64[2] in [0, 3), f32[3])"},
    // Numbers that a dtype does not hold.
    {"aten.index_fill.int_Tensor", "(u8[3], 0, i64[2] in [0, 3), i64[] in [256, 300))"},
    {"aten.masked_fill.Tensor", "(u8[3], bool[3], i64[] in [256, 300))"},
    {"aten.masked_fill.Tensor", "(u8[3], bool[3], f32[] in [-0.5, -0.25))"},
    {"aten.masked_fill.Tensor", "(f16[3], bool[3], f32[] in [65505, 65510))"},
    {"aten.scatter.src", "(f32[3, 4], 0, i64[2, 4] in [0, 3), f32[2, 4, 3])"},
    {"quantized_decomposed.quantize_per_tensor.tensor",
     "(f32[2, 3], f32[2] in [0.1, 0.2), i64[1] in [0, 3), -128, 127, i8)"},
    {"quantized_decomposed.dequantize_per_channel",
     "(i8[2, 3], f32[2] in [0.1, 0.2), None, 1, -128, 127, i8)"},
    {"quantized_decomposed.quantize_per_channel",
     "(f32[2, 3], f32[3, 3] in [0.1, 0.2), i64[3] in [0, 3), 1, -128, 127, i8)"},
    {"quantized_decomposed.fake_quant_per_channel",
     "(f32[2, 3], f32[3] in [0.1, 0.2), i32[2] in [0, 3), 1, -128, 127)"},
    {"quantized_decomposed.dequantize_per_channel_group",
     "(i8[2, 6], f32[2, 2] in [0.1, 0.2), i64[1, 2] in [0, 3), -128, 127, i8, 3, f32)"},
    {"quantized_decomposed.quantize_per_token",
     "(f32[2, 3], f32[2] in [0.1, 0.2), i64[2, 1] in [0, 3), -128, 127, i8)"},
};

TEST(RefusedCalls, ThrowErrorsOfTheirCallers) {
  for (const RefusedCall& call : kRefused) {
    SCOPED_TRACE(std::string(call.op) + std::string(call.arguments));
    const ir::OpInfo* op = test_ops()->find(call.op);
    ASSERT_NE(op, nullptr);
    try {
      GraphRunner().run_sample(*op, call.arguments);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_NE(error.code(), ErrorCode::internal) << error.what();
    }
  }
}

}  // namespace
}  // namespace litz::ops
