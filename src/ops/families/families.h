// The operator families: one function per file of this folder. op_table.cpp collects them.

#pragma once

#include <span>

#include "ops/op_def.h"

namespace litz::ops {

std::span<const OpDef> activation_ops();      // relu, gelu, silu, hardswish, softplus, ...
std::span<const OpDef> arithmetic_ops();      // add, sub, mul, pow, lerp, addcmul, xlogy, ...
std::span<const OpDef> division_ops();        // div, floor_divide, remainder, fmod, gcd, lcm
std::span<const OpDef> choice_ops();          // clamp, where, masked_fill
std::span<const OpDef> floating_parts_ops();  // copysign, frexp, ldexp, nextafter
std::span<const OpDef> comparison_ops();      // eq .. ge, logical_*, isnan, isclose, maximum, ...
std::span<const OpDef> bitwise_ops();
std::span<const OpDef> elementary_ops();  // exp, log, sin, erf, sqrt, round, abs, sign, ...
std::span<const OpDef> complex_ops();     // real, imag, view_as_real, polar, conj, ...
std::span<const OpDef> creation_ops();    // full, zeros, arange, eye, tril_indices, ...
std::span<const OpDef> copy_ops();        // clone, _to_copy, to.*, contiguous, copy, fill, ...
std::span<const OpDef> view_ops();        // view, permute, expand, slice, select, split, ...
std::span<const OpDef> view_copy_ops();   // view_copy, expand_copy, broadcast_to, meshgrid, mH, ...
std::span<const OpDef> diagonal_ops();    // diag, diag_embed, block_diag
std::span<const OpDef>
reshape_ops();  // reshape, flatten, unflatten, movedim, ... (decomposed to views)
std::span<const OpDef> quantized_ops();           // quantized_decomposed.*
std::span<const OpDef> block_quantization_ops();  // torchao.*_affine*
std::span<const OpDef> packed_product_ops();  // _weight_int8pack_mm, _weight_int4pack_mm_for_cpu
std::span<const OpDef> fake_quantize_ops();   // fake_quantize_*
std::span<const OpDef> resize_ops();
std::span<const OpDef> rearrange_ops();      // cat, stack, pad, flip, roll, repeat, tile, tril, ...
std::span<const OpDef> reduction_ops();      // sum, mean, amax, var, norm, any, all, ...
std::span<const OpDef> arg_reduction_ops();  // argmax, max.dim, min.dim, median, mode
std::span<const OpDef> scan_ops();           // cumsum, cumprod, cummax, logcumsumexp, diff
std::span<const OpDef> gradient_ops();
std::span<const OpDef> sort_ops();       // sort, argsort, topk, kthvalue, searchsorted, bucketize
std::span<const OpDef> histogram_ops();  // histogram, histogramdd
std::span<const OpDef> quantile_ops();
std::span<const OpDef> counting_ops();      // histc, bincount, unique
std::span<const OpDef> index_ops();         // index, gather, embedding, take, index_select, ...
std::span<const OpDef> scatter_ops();       // scatter, index_put, index_add, masked_scatter, ...
std::span<const OpDef> masked_index_ops();  // _unsafe_masked_index*, nonzero_static, one_hot
std::span<const OpDef> segment_ops();  // segment_reduce, repeat_interleave by tensor, _chunk_cat
std::span<const OpDef> matmul_ops();   // mm, bmm, addmm, matmul, linear, outer, addr
std::span<const OpDef> contraction_ops();  // tensordot, inner, kron, multi_dot, bilinear, vecdot
std::span<const OpDef> einsum_ops();
std::span<const OpDef> convolution_ops();
std::span<const OpDef> pooling_ops();           // max_pool*, avg_pool*
std::span<const OpDef> adaptive_pooling_ops();  // adaptive_*_pool*, fractional_*, max_unpool*
std::span<const OpDef> normalization_ops();     // softmax, layer_norm, batch_norm, group_norm, ...
std::span<const OpDef> batch_norm_update_ops();
std::span<const OpDef> softmax_backward_ops();
std::span<const OpDef> masked_softmax_ops();
std::span<const OpDef> attention_ops();
std::span<const OpDef> fused_attention_ops();  // _scaled_dot_product_*
std::span<const OpDef> embedding_bag_ops();    // embedding_bag, embedding_renorm
std::span<const OpDef> layer_ops();            // _transformer_encoder_layer_fwd, pad_sequence, ...
std::span<const OpDef> recurrent_ops();        // lstm, gru, rnn along sequences
std::span<const OpDef> recurrent_cell_ops();
std::span<const OpDef> resample_ops();       // upsample_*
std::span<const OpDef> grid_sampling_ops();  // grid_sampler*, affine_grid_generator
std::span<const OpDef> detection_ops();      // nms, roi_align, roi_pool, ps_roi_*
std::span<const OpDef> deformable_ops();     // deform_conv2d
std::span<const OpDef> patches_ops();        // pixel_shuffle, channel_shuffle, im2col, col2im
std::span<const OpDef> loss_ops();           // mse, huber, binary cross entropy, ... by element
std::span<const OpDef> class_loss_ops();     // nll_loss, cross_entropy_loss, multi_margin_loss, ...
std::span<const OpDef> collective_ops();     // _c10d_functional.*: all_reduce, wait_tensor, ...
std::span<const OpDef> distance_ops();       // dist, cdist, cosine_similarity, renorm, sum_to_size
std::span<const OpDef> random_ops();
std::span<const OpDef> randomized_relu_ops();
std::span<const OpDef> special_ops();  // polygamma, zeta, igamma, ndtr, erfcx, ...
std::span<const OpDef> bessel_ops();
std::span<const OpDef> polynomial_ops();       // chebyshev, hermite, laguerre, legendre
std::span<const OpDef> linalg_ops();           // factorizations and solves by library calls
std::span<const OpDef> linalg_variant_ops();   // svd, linalg_eig, linalg_polar, tolerances, ...
std::span<const OpDef> matrix_function_ops();  // norms, cond, cross, matrix_power, vander, ...
std::span<const OpDef> fourier_ops();
std::span<const OpDef> window_ops();  // hann_window, ..., fftfreq
std::span<const OpDef> stft_ops();
std::span<const OpDef> other_name_ops();  // concat, moveaxis, special_erf, ...
std::span<const OpDef> foreach_ops();     // _foreach_*
std::span<const OpDef> symbolic_ops();    // sym_size, item, assertions, range constraints
std::span<const OpDef> batch_dim_ops();   // marks of dimensions that vmap hides
std::span<const OpDef> control_ops();     // cond, while_loop, scan, map, wrappers, calls

// Derivatives.
std::span<const OpDef>
activation_backward_ops();  // glu_backward, logit_backward, prelu, rrelu, ...
std::span<const OpDef> convolution_backward_ops();
std::span<const OpDef> distance_backward_ops();
std::span<const OpDef> embedding_bag_backward_ops();
std::span<const OpDef> grid_sampling_backward_ops();
std::span<const OpDef> loss_backward_ops();           // of losses by element and by class
std::span<const OpDef> normalization_backward_ops();  // of layer, group, batch, RMS and weight norm
std::span<const OpDef> padding_backward_ops();        // of reflection and replication
std::span<const OpDef> pooling_backward_ops();        // of adaptive and fractional maxima
std::span<const OpDef> resample_backward_ops();
std::span<const OpDef> view_backward_ops();  // slice, select, diagonal, unfold, ... backwards

}  // namespace litz::ops
