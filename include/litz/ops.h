// The operators, with PyTorch's names, arguments, defaults and rules of promotion.
//
// Written by `litz ops --header`; a test checks that it is current. Each function calls one
// overload, which its last line of documentation names in PyTorch's notation. Names that end
// in _ change their first operand in place. Overloads that C++ could not tell apart end in
// the overload's name. All throw litz::Error for operands that do not fit.

#pragma once

#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "litz/arguments.h"

// clang-format off
// NOLINTBEGIN(readability-identifier-naming): the names are PyTorch's.
namespace litz {
inline namespace v1 {

/// The mean of windows that divide an image evenly.
/// `aten._adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor`
inline Tensor _adaptive_avg_pool2d(const Tensor& self, const IntList& output_size) {
  return detail::call_for_one("aten._adaptive_avg_pool2d", {self, output_size});
}

/// Derivative of _adaptive_avg_pool2d.
/// `aten._adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor`
inline Tensor _adaptive_avg_pool2d_backward(const Tensor& grad_output, const Tensor& self) {
  return detail::call_for_one("aten._adaptive_avg_pool2d_backward", {grad_output, self});
}

/// The mean of windows that divide a volume evenly.
/// `aten._adaptive_avg_pool3d(Tensor self, int[3] output_size) -> Tensor`
inline Tensor _adaptive_avg_pool3d(const Tensor& self, const IntList& output_size) {
  return detail::call_for_one("aten._adaptive_avg_pool3d", {self, output_size});
}

/// Derivative of _adaptive_avg_pool3d.
/// `aten._adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) -> Tensor`
inline Tensor _adaptive_avg_pool3d_backward(const Tensor& grad_output, const Tensor& self) {
  return detail::call_for_one("aten._adaptive_avg_pool3d_backward", {grad_output, self});
}

/// relu, or gelu by tanh, of addmm.
/// `aten._addmm_activation(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, bool use_gelu=False) -> Tensor`
inline Tensor _addmm_activation(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                                const Scalar& beta = 1, const Scalar& alpha = 1,
                                detail::Flag use_gelu = false) {
  return detail::call_for_one("aten._addmm_activation", {self, mat1, mat2, beta, alpha, use_gelu});
}

/// The least and the largest element.
/// `aten._aminmax(Tensor self) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> _aminmax(const Tensor& self) {
  return detail::call_for_many<2>("aten._aminmax", {self});
}

/// The least and the largest element along a dimension.
/// `aten._aminmax.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> _aminmax(const Tensor& self, int64_t dim,
                                        detail::Flag keepdim = false) {
  return detail::call_for_many<2>("aten._aminmax.dim", {self, dim, keepdim});
}

/// States what the type of a tensor is, which is checked when a program is imported.
/// `aten._assert_tensor_metadata(Tensor a, int[]? size=None, int[]? stride=None, ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> ()`
inline void _assert_tensor_metadata(const Tensor& a, const MaybeIntList& size = std::nullopt,
                                    const MaybeIntList& stride = std::nullopt,
                                    std::optional<DType> dtype = std::nullopt) {
  detail::call("aten._assert_tensor_metadata", {a, size, stride, dtype, std::nullopt, std::nullopt});
}

/// Batch norm by the batch's statistics, and the running ones after it.
/// `aten._batch_norm_with_update_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)`
inline std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor> _batch_norm_with_update_functional(const Tensor& input, const MaybeTensor& weight,
                                        const MaybeTensor& bias, const Tensor& running_mean,
                                        const Tensor& running_var, double momentum, double eps) {
  return detail::call_for_many<6>("aten._batch_norm_with_update_functional", {input, weight, bias, running_mean, running_var,
        momentum, eps});
}

/// Self as f32.
/// `aten._cast_Float(Tensor self, bool non_blocking=False) -> Tensor`
inline Tensor _cast_Float(const Tensor& self) {
  return detail::call_for_one("aten._cast_Float", {self, std::nullopt});
}

/// Derivative of cdist by its first rows, from the distances.
/// C1: all are f32 or f64. C2: p is not negative. C3: ranks and batches agree. C4: every pair of rows has a gradient.
/// `aten._cdist_backward(Tensor grad_output, Tensor x1, Tensor x2, float p, Tensor cdist) -> Tensor`
inline Tensor _cdist_backward(const Tensor& grad_output, const Tensor& x1, const Tensor& x2,
                              double p, const Tensor& cdist) {
  return detail::call_for_one("aten._cdist_backward", {grad_output, x1, x2, p, cdist});
}

/// Distances between all vectors of x1 and all of x2, always by differences.
/// `aten._cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor`
inline Tensor _cdist_forward(const Tensor& x1, const Tensor& x2, double p,
                             std::optional<int64_t> compute_mode) {
  return detail::call_for_one("aten._cdist_forward", {x1, x2, p, compute_mode});
}

/// Tensors padded to num_chunks equal chunks along dim, joined chunk by chunk.
/// C1: a tensor is given. C2: num_chunks is positive. C3: every tensor has dim.
/// `aten._chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor`
inline Tensor _chunk_cat(const TensorList& tensors, int64_t dim, int64_t num_chunks) {
  return detail::call_for_one("aten._chunk_cat", {tensors, dim, num_chunks});
}

/// Complex conjugate; real tensors are copied.
/// `aten._conj(Tensor self) -> Tensor`
inline Tensor _conj(const Tensor& self) {
  return detail::call_for_one("aten._conj", {self});
}

/// Complex conjugate; real tensors are copied.
/// `aten._conj_physical(Tensor self) -> Tensor`
inline Tensor _conj_physical(const Tensor& self) {
  return detail::call_for_one("aten._conj_physical", {self});
}

/// Weights from 0 to 15, two in each byte, in the order that CPUs with vectors of 512 bits read them.
/// C1: weights are a matrix of int32. C2: rows divide by 16, columns by 2.
/// `aten._convert_weight_to_int4pack_for_cpu(Tensor self, int innerKTiles) -> Tensor`
inline Tensor _convert_weight_to_int4pack_for_cpu(const Tensor& self, int64_t innerKTiles) {
  return detail::call_for_one("aten._convert_weight_to_int4pack_for_cpu", {self, innerKTiles});
}

/// convolution; the flags choose among libraries and do not matter here.
/// `aten._convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups, bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor`
inline Tensor _convolution(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                           const IntList& stride, const IntList& padding, const IntList& dilation,
                           detail::Flag transposed, const IntList& output_padding, int64_t groups,
                           detail::Flag benchmark, detail::Flag deterministic,
                           detail::Flag cudnn_enabled, detail::Flag allow_tf32) {
  return detail::call_for_one("aten._convolution", {input, weight, bias, stride, padding, dilation, transposed,
        output_padding, groups, benchmark, deterministic, cudnn_enabled, allow_tf32});
}

/// convolution; the flags choose among libraries and do not matter here.
/// `aten._convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups, bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor`
inline Tensor _convolution(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                           const IntList& stride, const IntList& padding, const IntList& dilation,
                           detail::Flag transposed, const IntList& output_padding,
                           const Size& groups, detail::Flag benchmark, detail::Flag deterministic,
                           detail::Flag cudnn_enabled, detail::Flag allow_tf32) {
  return detail::call_for_one("aten._convolution", {input, weight, bias, stride, padding, dilation, transposed,
        output_padding, groups, benchmark, deterministic, cudnn_enabled, allow_tf32});
}

/// The losses of ctc_loss, and for every time and state the logarithm of the probability of the paths up to there; minus infinity behind a sequence or its labels.
/// C1: log probabilities [T, N, C] are f32 or f64, class numbers i64 or i32. C2: there is a sequence. C3: every sequence has lengths, integers.
/// `aten._ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> _ctc_loss(const Tensor& log_probs, const Tensor& targets,
                                        const IntList& input_lengths, const IntList& target_lengths,
                                        int64_t blank = 0, detail::Flag zero_infinity = false) {
  return detail::call_for_many<2>("aten._ctc_loss", {log_probs, targets, input_lengths, target_lengths, blank,
        zero_infinity});
}

/// The losses of ctc_loss, and for every time and state the logarithm of the probability of the paths up to there; minus infinity behind a sequence or its labels.
/// C1: log probabilities [T, N, C] are f32 or f64, class numbers i64 or i32. C2: there is a sequence. C3: every sequence has lengths, integers.
/// `aten._ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> _ctc_loss(const Tensor& log_probs, const Tensor& targets,
                                        const Tensor& input_lengths, const Tensor& target_lengths,
                                        int64_t blank = 0, detail::Flag zero_infinity = false) {
  return detail::call_for_many<2>("aten._ctc_loss.Tensor", {log_probs, targets, input_lengths, target_lengths, blank,
        zero_infinity});
}

/// Derivative of _ctc_loss by the log probabilities.
/// C1 to C3 as forward. C4: a gradient and a loss for every sequence. C5: the table that _ctc_loss gives.
/// `aten._ctc_loss_backward(Tensor grad, Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor`
inline Tensor _ctc_loss_backward(const Tensor& grad, const Tensor& log_probs, const Tensor& targets,
                                 const IntList& input_lengths, const IntList& target_lengths,
                                 const Tensor& neg_log_likelihood, const Tensor& log_alpha,
                                 int64_t blank, detail::Flag zero_infinity = false) {
  return detail::call_for_one("aten._ctc_loss_backward", {grad, log_probs, targets, input_lengths, target_lengths,
        neg_log_likelihood, log_alpha, blank, zero_infinity});
}

/// Derivative of _ctc_loss by the log probabilities.
/// C1 to C3 as forward. C4: a gradient and a loss for every sequence. C5: the table that _ctc_loss gives.
/// `aten._ctc_loss_backward.Tensor(Tensor grad, Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor`
inline Tensor _ctc_loss_backward(const Tensor& grad, const Tensor& log_probs, const Tensor& targets,
                                 const Tensor& input_lengths, const Tensor& target_lengths,
                                 const Tensor& neg_log_likelihood, const Tensor& log_alpha,
                                 int64_t blank, detail::Flag zero_infinity = false) {
  return detail::call_for_one("aten._ctc_loss_backward.Tensor", {grad, log_probs, targets, input_lengths, target_lengths,
        neg_log_likelihood, log_alpha, blank, zero_infinity});
}

/// 0, 1, ... along a dimension of a tensor.
/// `aten._dim_arange(Tensor like, int dim) -> Tensor`
inline Tensor _dim_arange(const Tensor& like, int64_t dim) {
  return detail::call_for_one("aten._dim_arange", {like, dim});
}

/// Sum, mean or maximum of bags of rows; the bag of each index and the bags' sizes.
/// `aten._embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor, Tensor> _embedding_bag(const Tensor& weight, const Tensor& indices,
                                        const Tensor& offsets,
                                        detail::Flag scale_grad_by_freq = false, int64_t mode = 0,
                                        detail::Flag sparse = false,
                                        const MaybeTensor& per_sample_weights = {},
                                        detail::Flag include_last_offset = false,
                                        int64_t padding_idx = -1) {
  return detail::call_for_many<4>("aten._embedding_bag", {weight, indices, offsets, scale_grad_by_freq, mode, sparse,
        per_sample_weights, include_last_offset, padding_idx});
}

/// Derivative of embedding_bag by its matrix.
/// C1: every bag has a row of gradients, every place a row number. C2: not sparse. C3: row numbers, bags and their sizes are int32 or int64. C4: where the largest is taken, every element has the row that it is from.
/// `aten._embedding_bag_backward(Tensor grad, Tensor indices, Tensor offsets, Tensor offset2bag, Tensor bag_size, Tensor maximum_indices, int num_weights, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor`
inline Tensor _embedding_bag_backward(const Tensor& grad, const Tensor& indices,
                                      const Tensor& offsets, const Tensor& offset2bag,
                                      const Tensor& bag_size, const Tensor& maximum_indices,
                                      int64_t num_weights, detail::Flag scale_grad_by_freq,
                                      int64_t mode, detail::Flag sparse,
                                      const MaybeTensor& per_sample_weights,
                                      int64_t padding_idx = -1) {
  return detail::call_for_one("aten._embedding_bag_backward", {grad, indices, offsets, offset2bag, bag_size,
        maximum_indices, num_weights, scale_grad_by_freq, mode, sparse, per_sample_weights,
        padding_idx});
}

/// Derivative of embedding_bag by its matrix.
/// C1: every bag has a row of gradients, every place a row number. C2: not sparse. C3: row numbers, bags and their sizes are int32 or int64. C4: where the largest is taken, every element has the row that it is from.
/// `aten._embedding_bag_backward(Tensor grad, Tensor indices, Tensor offsets, Tensor offset2bag, Tensor bag_size, Tensor maximum_indices, int num_weights, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor`
inline Tensor _embedding_bag_backward(const Tensor& grad, const Tensor& indices,
                                      const Tensor& offsets, const Tensor& offset2bag,
                                      const Tensor& bag_size, const Tensor& maximum_indices,
                                      const Size& num_weights, detail::Flag scale_grad_by_freq,
                                      int64_t mode, detail::Flag sparse,
                                      const MaybeTensor& per_sample_weights,
                                      int64_t padding_idx = -1) {
  return detail::call_for_one("aten._embedding_bag_backward", {grad, indices, offsets, offset2bag, bag_size,
        maximum_indices, num_weights, scale_grad_by_freq, mode, sparse, per_sample_weights,
        padding_idx});
}

/// Derivative of embedding_bag by its matrix, from the bag of each place.
/// C1: every bag has a row of gradients, every place a row number. C3: row numbers, bags and their sizes are int32 or int64. C4: where the largest is taken, every element has the row that it is from.
/// `aten._embedding_bag_dense_backward(Tensor grad, Tensor indices, Tensor offset2bag, Tensor bag_size, Tensor maximum_indices, int num_weights, bool scale_grad_by_freq, int mode, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor`
inline Tensor _embedding_bag_dense_backward(const Tensor& grad, const Tensor& indices,
                                        const Tensor& offset2bag, const Tensor& bag_size,
                                        const Tensor& maximum_indices, int64_t num_weights,
                                        detail::Flag scale_grad_by_freq, int64_t mode,
                                        const MaybeTensor& per_sample_weights,
                                        int64_t padding_idx = -1) {
  return detail::call_for_one("aten._embedding_bag_dense_backward", {grad, indices, offset2bag, bag_size,
        maximum_indices, num_weights, scale_grad_by_freq, mode, per_sample_weights, padding_idx});
}

/// Derivative of embedding_bag by its matrix, from the bag of each place.
/// C1: every bag has a row of gradients, every place a row number. C3: row numbers, bags and their sizes are int32 or int64. C4: where the largest is taken, every element has the row that it is from.
/// `aten._embedding_bag_dense_backward(Tensor grad, Tensor indices, Tensor offset2bag, Tensor bag_size, Tensor maximum_indices, int num_weights, bool scale_grad_by_freq, int mode, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor`
inline Tensor _embedding_bag_dense_backward(const Tensor& grad, const Tensor& indices,
                                        const Tensor& offset2bag, const Tensor& bag_size,
                                        const Tensor& maximum_indices, const Size& num_weights,
                                        detail::Flag scale_grad_by_freq, int64_t mode,
                                        const MaybeTensor& per_sample_weights,
                                        int64_t padding_idx = -1) {
  return detail::call_for_one("aten._embedding_bag_dense_backward", {grad, indices, offset2bag, bag_size,
        maximum_indices, num_weights, scale_grad_by_freq, mode, per_sample_weights, padding_idx});
}

/// Sum, mean or maximum of bags of rows; the bag of each index and the bags' sizes.
/// `aten._embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor, Tensor> _embedding_bag_forward_only(const Tensor& weight, const Tensor& indices,
                                        const Tensor& offsets,
                                        detail::Flag scale_grad_by_freq = false, int64_t mode = 0,
                                        detail::Flag sparse = false,
                                        const MaybeTensor& per_sample_weights = {},
                                        detail::Flag include_last_offset = false,
                                        int64_t padding_idx = -1) {
  return detail::call_for_many<4>("aten._embedding_bag_forward_only", {weight, indices, offsets, scale_grad_by_freq, mode,
        sparse, per_sample_weights, include_last_offset, padding_idx});
}

/// Quantized and dequantized again.
/// C1: of floating tensors. C2: the range of integers is not empty. C3: one scale and zero point, or one per channel. C4: a zero point is one of the integers. C5: scales of channels are f32, zero points i32, f32 or f16.
/// `aten._fake_quantize_learnable_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max, float grad_factor=1.0) -> Tensor`
inline Tensor _fake_quantize_learnable_per_channel_affine(const Tensor& self, const Tensor& scale,
                                        const Tensor& zero_point, int64_t axis, int64_t quant_min,
                                        int64_t quant_max, double grad_factor = 1) {
  return detail::call_for_one("aten._fake_quantize_learnable_per_channel_affine", {self, scale, zero_point, axis,
        quant_min, quant_max, grad_factor});
}

/// Derivative by the tensor, its scales and its zero points.
/// C1 to C5 as forward. C6: all is f32, or the tensor is bf16.
/// `aten._fake_quantize_learnable_per_channel_affine_backward(Tensor grad, Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max, float grad_factor=1.0) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> _fake_quantize_learnable_per_channel_affine_backward(const Tensor& grad, const Tensor& self, const Tensor& scale,
                                        const Tensor& zero_point, int64_t axis, int64_t quant_min,
                                        int64_t quant_max, double grad_factor = 1) {
  return detail::call_for_many<3>("aten._fake_quantize_learnable_per_channel_affine_backward", {grad, self, scale,
        zero_point, axis, quant_min, quant_max, grad_factor});
}

/// Quantized and dequantized again.
/// C1: of floating tensors. C2: the range of integers is not empty. C3: one scale and zero point, or one per channel. C4: a zero point is one of the integers. C5: scales of channels are f32, zero points i32, f32 or f16.
/// `aten._fake_quantize_learnable_per_tensor_affine(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max, float grad_factor=1.0) -> Tensor`
inline Tensor _fake_quantize_learnable_per_tensor_affine(const Tensor& self, const Tensor& scale,
                                        const Tensor& zero_point, int64_t quant_min,
                                        int64_t quant_max, double grad_factor = 1) {
  return detail::call_for_one("aten._fake_quantize_learnable_per_tensor_affine", {self, scale, zero_point, quant_min,
        quant_max, grad_factor});
}

/// Derivative by the tensor, its scales and its zero points.
/// C1 to C5 as forward. C6: all is f32, or the tensor is bf16.
/// `aten._fake_quantize_learnable_per_tensor_affine_backward(Tensor grad, Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max, float grad_factor=1.0) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> _fake_quantize_learnable_per_tensor_affine_backward(const Tensor& grad, const Tensor& self, const Tensor& scale,
                                        const Tensor& zero_point, int64_t quant_min,
                                        int64_t quant_max, double grad_factor = 1) {
  return detail::call_for_many<3>("aten._fake_quantize_learnable_per_tensor_affine_backward", {grad, self, scale, zero_point,
        quant_min, quant_max, grad_factor});
}

/// Quantized and dequantized again, and where nothing was clamped.
/// C1 to C5 as without a mask.
/// `aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, Tensor fake_quant_enabled, int quant_min, int quant_max) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> _fake_quantize_per_tensor_affine_cachemask_tensor_qparams(const Tensor& self, const Tensor& scale,
                                        const Tensor& zero_point, const Tensor& fake_quant_enabled,
                                        int64_t quant_min, int64_t quant_max) {
  return detail::call_for_many<2>("aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams", {self, scale, zero_point,
        fake_quant_enabled, quant_min, quant_max});
}

/// Transform of complex numbers over dimensions.
/// `aten._fft_c2c(Tensor self, int[] dim, int normalization, bool forward) -> Tensor`
inline Tensor _fft_c2c(const Tensor& self, const IntList& dim, int64_t normalization,
                       detail::Flag forward) {
  return detail::call_for_one("aten._fft_c2c", {self, dim, normalization, forward});
}

/// Backward transform of half a spectrum to real numbers.
/// `aten._fft_c2r(Tensor self, int[] dim, int normalization, int last_dim_size) -> Tensor`
inline Tensor _fft_c2r(const Tensor& self, const IntList& dim, int64_t normalization,
                       int64_t last_dim_size) {
  return detail::call_for_one("aten._fft_c2r", {self, dim, normalization, last_dim_size});
}

/// Backward transform of half a spectrum to real numbers.
/// `aten._fft_c2r(Tensor self, int[] dim, int normalization, int last_dim_size) -> Tensor`
inline Tensor _fft_c2r(const Tensor& self, const IntList& dim, int64_t normalization,
                       const Size& last_dim_size) {
  return detail::call_for_one("aten._fft_c2r", {self, dim, normalization, last_dim_size});
}

/// Forward transform of real numbers; onesided keeps half of the spectrum.
/// `aten._fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor`
inline Tensor _fft_r2c(const Tensor& self, const IntList& dim, int64_t normalization,
                       detail::Flag onesided) {
  return detail::call_for_one("aten._fft_r2c", {self, dim, normalization, onesided});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_abs(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_abs(const TensorList& self) {
  return detail::call("aten._foreach_abs", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_abs_(Tensor(a!)[] self) -> ()`
inline void _foreach_abs_(const TensorList& self) {
  detail::call("aten._foreach_abs_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_acos(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_acos(const TensorList& self) {
  return detail::call("aten._foreach_acos", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_acos_(Tensor(a!)[] self) -> ()`
inline void _foreach_acos_(const TensorList& self) {
  detail::call("aten._foreach_acos_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_add.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]`
inline std::vector<Tensor> _foreach_add(const TensorList& self, const TensorList& other,
                                        const Scalar& alpha = 1) {
  return detail::call("aten._foreach_add.List", {self, other, alpha});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_add.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]`
inline std::vector<Tensor> _foreach_add(const TensorList& self, const Scalar& scalar) {
  return detail::call("aten._foreach_add.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: the list is not empty. C2: other has no dimensions.
/// `aten._foreach_add.Tensor(Tensor[] self, Tensor other, *, Scalar alpha=1) -> Tensor[]`
inline std::vector<Tensor> _foreach_add(const TensorList& self, const Tensor& other,
                                        const Scalar& alpha = 1) {
  return detail::call("aten._foreach_add.Tensor", {self, other, alpha});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()`
inline void _foreach_add_(const TensorList& self, const TensorList& other, const Scalar& alpha = 1) {
  detail::call("aten._foreach_add_.List", {self, other, alpha});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_add_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()`
inline void _foreach_add_(const TensorList& self, const Scalar& scalar) {
  detail::call("aten._foreach_add_.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: the list is not empty. C2: other has no dimensions.
/// `aten._foreach_add_.Tensor(Tensor(a!)[] self, Tensor other, *, Scalar alpha=1) -> ()`
inline void _foreach_add_(const TensorList& self, const Tensor& other, const Scalar& alpha = 1) {
  detail::call("aten._foreach_add_.Tensor", {self, other, alpha});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_addcdiv.Scalar(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> Tensor[]`
inline std::vector<Tensor> _foreach_addcdiv(const TensorList& self, const TensorList& tensor1,
                                        const TensorList& tensor2, const Scalar& value = 1) {
  return detail::call("aten._foreach_addcdiv.Scalar", {self, tensor1, tensor2, value});
}

/// self + scalar * tensor1 / tensor2 for each tensor of a list and each element of scalars.
/// C2: scalars is a list of numbers, one per tensor. C3: they lie one behind another. C4: not for integers. C5: complex numbers are for complex tensors.
/// `aten._foreach_addcdiv.Tensor(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> Tensor[]`
inline std::vector<Tensor> _foreach_addcdiv(const TensorList& self, const TensorList& tensor1,
                                        const TensorList& tensor2, const Tensor& scalars) {
  return detail::call("aten._foreach_addcdiv.Tensor", {self, tensor1, tensor2, scalars});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_addcdiv_.Scalar(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> ()`
inline void _foreach_addcdiv_(const TensorList& self, const TensorList& tensor1,
                              const TensorList& tensor2, const Scalar& value = 1) {
  detail::call("aten._foreach_addcdiv_.Scalar", {self, tensor1, tensor2, value});
}

/// self + scalar * tensor1 / tensor2 for each tensor of a list and each element of scalars.
/// C2: scalars is a list of numbers, one per tensor. C3: they lie one behind another. C4: not for integers. C5: complex numbers are for complex tensors.
/// `aten._foreach_addcdiv_.Tensor(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> ()`
inline void _foreach_addcdiv_(const TensorList& self, const TensorList& tensor1,
                              const TensorList& tensor2, const Tensor& scalars) {
  detail::call("aten._foreach_addcdiv_.Tensor", {self, tensor1, tensor2, scalars});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_addcmul.Scalar(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> Tensor[]`
inline std::vector<Tensor> _foreach_addcmul(const TensorList& self, const TensorList& tensor1,
                                        const TensorList& tensor2, const Scalar& value = 1) {
  return detail::call("aten._foreach_addcmul.Scalar", {self, tensor1, tensor2, value});
}

/// self + scalar * tensor1 * tensor2 for each tensor of a list and each element of scalars.
/// C2: scalars is a list of numbers, one per tensor. C3: they lie one behind another. C5: complex numbers are for complex tensors.
/// `aten._foreach_addcmul.Tensor(Tensor[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> Tensor[]`
inline std::vector<Tensor> _foreach_addcmul(const TensorList& self, const TensorList& tensor1,
                                        const TensorList& tensor2, const Tensor& scalars) {
  return detail::call("aten._foreach_addcmul.Tensor", {self, tensor1, tensor2, scalars});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_addcmul_.Scalar(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Scalar value=1) -> ()`
inline void _foreach_addcmul_(const TensorList& self, const TensorList& tensor1,
                              const TensorList& tensor2, const Scalar& value = 1) {
  detail::call("aten._foreach_addcmul_.Scalar", {self, tensor1, tensor2, value});
}

/// self + scalar * tensor1 * tensor2 for each tensor of a list and each element of scalars.
/// C2: scalars is a list of numbers, one per tensor. C3: they lie one behind another. C5: complex numbers are for complex tensors.
/// `aten._foreach_addcmul_.Tensor(Tensor(a!)[] self, Tensor[] tensor1, Tensor[] tensor2, Tensor scalars) -> ()`
inline void _foreach_addcmul_(const TensorList& self, const TensorList& tensor1,
                              const TensorList& tensor2, const Tensor& scalars) {
  detail::call("aten._foreach_addcmul_.Tensor", {self, tensor1, tensor2, scalars});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_asin(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_asin(const TensorList& self) {
  return detail::call("aten._foreach_asin", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_asin_(Tensor(a!)[] self) -> ()`
inline void _foreach_asin_(const TensorList& self) {
  detail::call("aten._foreach_asin_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_atan(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_atan(const TensorList& self) {
  return detail::call("aten._foreach_atan", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_atan_(Tensor(a!)[] self) -> ()`
inline void _foreach_atan_(const TensorList& self) {
  detail::call("aten._foreach_atan_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_ceil(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_ceil(const TensorList& self) {
  return detail::call("aten._foreach_ceil", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_ceil_(Tensor(a!)[] self) -> ()`
inline void _foreach_ceil_(const TensorList& self) {
  detail::call("aten._foreach_ceil_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_clamp_max.List(Tensor[] self, Tensor[] other) -> Tensor[]`
inline std::vector<Tensor> _foreach_clamp_max(const TensorList& self, const TensorList& other) {
  return detail::call("aten._foreach_clamp_max.List", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_clamp_max.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]`
inline std::vector<Tensor> _foreach_clamp_max(const TensorList& self, const Scalar& scalar) {
  return detail::call("aten._foreach_clamp_max.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_clamp_max_.List(Tensor(a!)[] self, Tensor[] other) -> ()`
inline void _foreach_clamp_max_(const TensorList& self, const TensorList& other) {
  detail::call("aten._foreach_clamp_max_.List", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_clamp_max_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()`
inline void _foreach_clamp_max_(const TensorList& self, const Scalar& scalar) {
  detail::call("aten._foreach_clamp_max_.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_clamp_min.List(Tensor[] self, Tensor[] other) -> Tensor[]`
inline std::vector<Tensor> _foreach_clamp_min(const TensorList& self, const TensorList& other) {
  return detail::call("aten._foreach_clamp_min.List", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_clamp_min.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]`
inline std::vector<Tensor> _foreach_clamp_min(const TensorList& self, const Scalar& scalar) {
  return detail::call("aten._foreach_clamp_min.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_clamp_min_.List(Tensor(a!)[] self, Tensor[] other) -> ()`
inline void _foreach_clamp_min_(const TensorList& self, const TensorList& other) {
  detail::call("aten._foreach_clamp_min_.List", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_clamp_min_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()`
inline void _foreach_clamp_min_(const TensorList& self, const Scalar& scalar) {
  detail::call("aten._foreach_clamp_min_.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_clone(Tensor[] self, *, MemoryFormat? memory_format=None) -> Tensor[]`
inline std::vector<Tensor> _foreach_clone(const TensorList& self,
                                        std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call("aten._foreach_clone", {self, memory_format});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_copy(Tensor[] self, Tensor[] src, bool non_blocking=False) -> Tensor[]`
inline std::vector<Tensor> _foreach_copy(const TensorList& self, const TensorList& src) {
  return detail::call("aten._foreach_copy", {self, src, std::nullopt});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_copy_(Tensor(a!)[] self, Tensor[] src, bool non_blocking=False) -> ()`
inline void _foreach_copy_(const TensorList& self, const TensorList& src) {
  detail::call("aten._foreach_copy_", {self, src, std::nullopt});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_cos(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_cos(const TensorList& self) {
  return detail::call("aten._foreach_cos", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_cos_(Tensor(a!)[] self) -> ()`
inline void _foreach_cos_(const TensorList& self) {
  detail::call("aten._foreach_cos_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_cosh(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_cosh(const TensorList& self) {
  return detail::call("aten._foreach_cosh", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_cosh_(Tensor(a!)[] self) -> ()`
inline void _foreach_cosh_(const TensorList& self) {
  detail::call("aten._foreach_cosh_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_div.List(Tensor[] self, Tensor[] other) -> Tensor[]`
inline std::vector<Tensor> _foreach_div(const TensorList& self, const TensorList& other) {
  return detail::call("aten._foreach_div.List", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_div.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]`
inline std::vector<Tensor> _foreach_div(const TensorList& self, const Scalar& scalar) {
  return detail::call("aten._foreach_div.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: the list is not empty. C2: other has no dimensions.
/// `aten._foreach_div.Tensor(Tensor[] self, Tensor other) -> Tensor[]`
inline std::vector<Tensor> _foreach_div(const TensorList& self, const Tensor& other) {
  return detail::call("aten._foreach_div.Tensor", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_div_.List(Tensor(a!)[] self, Tensor[] other) -> ()`
inline void _foreach_div_(const TensorList& self, const TensorList& other) {
  detail::call("aten._foreach_div_.List", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_div_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()`
inline void _foreach_div_(const TensorList& self, const Scalar& scalar) {
  detail::call("aten._foreach_div_.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: the list is not empty. C2: other has no dimensions.
/// `aten._foreach_div_.Tensor(Tensor(a!)[] self, Tensor other) -> ()`
inline void _foreach_div_(const TensorList& self, const Tensor& other) {
  detail::call("aten._foreach_div_.Tensor", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_erf(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_erf(const TensorList& self) {
  return detail::call("aten._foreach_erf", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_erf_(Tensor(a!)[] self) -> ()`
inline void _foreach_erf_(const TensorList& self) {
  detail::call("aten._foreach_erf_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_erfc(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_erfc(const TensorList& self) {
  return detail::call("aten._foreach_erfc", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_erfc_(Tensor(a!)[] self) -> ()`
inline void _foreach_erfc_(const TensorList& self) {
  detail::call("aten._foreach_erfc_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_exp(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_exp(const TensorList& self) {
  return detail::call("aten._foreach_exp", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_exp_(Tensor(a!)[] self) -> ()`
inline void _foreach_exp_(const TensorList& self) {
  detail::call("aten._foreach_exp_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_expm1(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_expm1(const TensorList& self) {
  return detail::call("aten._foreach_expm1", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_expm1_(Tensor(a!)[] self) -> ()`
inline void _foreach_expm1_(const TensorList& self) {
  detail::call("aten._foreach_expm1_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_floor(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_floor(const TensorList& self) {
  return detail::call("aten._foreach_floor", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_floor_(Tensor(a!)[] self) -> ()`
inline void _foreach_floor_(const TensorList& self) {
  detail::call("aten._foreach_floor_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_frac(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_frac(const TensorList& self) {
  return detail::call("aten._foreach_frac", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_frac_(Tensor(a!)[] self) -> ()`
inline void _foreach_frac_(const TensorList& self) {
  detail::call("aten._foreach_frac_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_lerp.List(Tensor[] self, Tensor[] tensors1, Tensor[] weights) -> Tensor[]`
inline std::vector<Tensor> _foreach_lerp(const TensorList& self, const TensorList& tensors1,
                                        const TensorList& weights) {
  return detail::call("aten._foreach_lerp.List", {self, tensors1, weights});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_lerp.Scalar(Tensor[] self, Tensor[] tensors1, Scalar weight) -> Tensor[]`
inline std::vector<Tensor> _foreach_lerp(const TensorList& self, const TensorList& tensors1,
                                        const Scalar& weight) {
  return detail::call("aten._foreach_lerp.Scalar", {self, tensors1, weight});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_lerp_.List(Tensor(a!)[] self, Tensor[] tensors1, Tensor[] weights) -> ()`
inline void _foreach_lerp_(const TensorList& self, const TensorList& tensors1,
                           const TensorList& weights) {
  detail::call("aten._foreach_lerp_.List", {self, tensors1, weights});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_lerp_.Scalar(Tensor(a!)[] self, Tensor[] tensors1, Scalar weight) -> ()`
inline void _foreach_lerp_(const TensorList& self, const TensorList& tensors1, const Scalar& weight) {
  detail::call("aten._foreach_lerp_.Scalar", {self, tensors1, weight});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_lgamma(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_lgamma(const TensorList& self) {
  return detail::call("aten._foreach_lgamma", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_lgamma_(Tensor(a!)[] self) -> ()`
inline void _foreach_lgamma_(const TensorList& self) {
  detail::call("aten._foreach_lgamma_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_log(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_log(const TensorList& self) {
  return detail::call("aten._foreach_log", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_log10(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_log10(const TensorList& self) {
  return detail::call("aten._foreach_log10", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_log10_(Tensor(a!)[] self) -> ()`
inline void _foreach_log10_(const TensorList& self) {
  detail::call("aten._foreach_log10_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_log1p(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_log1p(const TensorList& self) {
  return detail::call("aten._foreach_log1p", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_log1p_(Tensor(a!)[] self) -> ()`
inline void _foreach_log1p_(const TensorList& self) {
  detail::call("aten._foreach_log1p_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_log2(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_log2(const TensorList& self) {
  return detail::call("aten._foreach_log2", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_log2_(Tensor(a!)[] self) -> ()`
inline void _foreach_log2_(const TensorList& self) {
  detail::call("aten._foreach_log2_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_log_(Tensor(a!)[] self) -> ()`
inline void _foreach_log_(const TensorList& self) {
  detail::call("aten._foreach_log_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_max(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_max(const TensorList& self) {
  return detail::call("aten._foreach_max", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_maximum.List(Tensor[] self, Tensor[] other) -> Tensor[]`
inline std::vector<Tensor> _foreach_maximum(const TensorList& self, const TensorList& other) {
  return detail::call("aten._foreach_maximum.List", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_maximum.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]`
inline std::vector<Tensor> _foreach_maximum(const TensorList& self, const Scalar& scalar) {
  return detail::call("aten._foreach_maximum.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_maximum_.List(Tensor(a!)[] self, Tensor[] other) -> ()`
inline void _foreach_maximum_(const TensorList& self, const TensorList& other) {
  detail::call("aten._foreach_maximum_.List", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_maximum_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()`
inline void _foreach_maximum_(const TensorList& self, const Scalar& scalar) {
  detail::call("aten._foreach_maximum_.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_minimum.List(Tensor[] self, Tensor[] other) -> Tensor[]`
inline std::vector<Tensor> _foreach_minimum(const TensorList& self, const TensorList& other) {
  return detail::call("aten._foreach_minimum.List", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_minimum.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]`
inline std::vector<Tensor> _foreach_minimum(const TensorList& self, const Scalar& scalar) {
  return detail::call("aten._foreach_minimum.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_minimum_.List(Tensor(a!)[] self, Tensor[] other) -> ()`
inline void _foreach_minimum_(const TensorList& self, const TensorList& other) {
  detail::call("aten._foreach_minimum_.List", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_minimum_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()`
inline void _foreach_minimum_(const TensorList& self, const Scalar& scalar) {
  detail::call("aten._foreach_minimum_.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_mm(Tensor[] self, Tensor[] mat2) -> Tensor[]`
inline std::vector<Tensor> _foreach_mm(const TensorList& self, const TensorList& mat2) {
  return detail::call("aten._foreach_mm", {self, mat2});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_mul.List(Tensor[] self, Tensor[] other) -> Tensor[]`
inline std::vector<Tensor> _foreach_mul(const TensorList& self, const TensorList& other) {
  return detail::call("aten._foreach_mul.List", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_mul.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]`
inline std::vector<Tensor> _foreach_mul(const TensorList& self, const Scalar& scalar) {
  return detail::call("aten._foreach_mul.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: the list is not empty. C2: other has no dimensions.
/// `aten._foreach_mul.Tensor(Tensor[] self, Tensor other) -> Tensor[]`
inline std::vector<Tensor> _foreach_mul(const TensorList& self, const Tensor& other) {
  return detail::call("aten._foreach_mul.Tensor", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_mul_.List(Tensor(a!)[] self, Tensor[] other) -> ()`
inline void _foreach_mul_(const TensorList& self, const TensorList& other) {
  detail::call("aten._foreach_mul_.List", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_mul_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()`
inline void _foreach_mul_(const TensorList& self, const Scalar& scalar) {
  detail::call("aten._foreach_mul_.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: the list is not empty. C2: other has no dimensions.
/// `aten._foreach_mul_.Tensor(Tensor(a!)[] self, Tensor other) -> ()`
inline void _foreach_mul_(const TensorList& self, const Tensor& other) {
  detail::call("aten._foreach_mul_.Tensor", {self, other});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_neg(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_neg(const TensorList& self) {
  return detail::call("aten._foreach_neg", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_neg_(Tensor(a!)[] self) -> ()`
inline void _foreach_neg_(const TensorList& self) {
  detail::call("aten._foreach_neg_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: the list is not empty. C2: ord is an integer or a real number.
/// `aten._foreach_norm.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]`
inline std::vector<Tensor> _foreach_norm(const TensorList& self, const Scalar& ord = 2,
                                        std::optional<DType> dtype = std::nullopt) {
  return detail::call("aten._foreach_norm.Scalar", {self, ord, dtype});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_pow.List(Tensor[] self, Tensor[] exponent) -> Tensor[]`
inline std::vector<Tensor> _foreach_pow(const TensorList& self, const TensorList& exponent) {
  return detail::call("aten._foreach_pow.List", {self, exponent});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_pow.Scalar(Tensor[] self, Scalar exponent) -> Tensor[]`
inline std::vector<Tensor> _foreach_pow(const TensorList& self, const Scalar& exponent) {
  return detail::call("aten._foreach_pow.Scalar", {self, exponent});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_pow.ScalarAndTensor(Scalar self, Tensor[] exponent) -> Tensor[]`
inline std::vector<Tensor> _foreach_pow(const Scalar& self, const TensorList& exponent) {
  return detail::call("aten._foreach_pow.ScalarAndTensor", {self, exponent});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_pow_.List(Tensor(a!)[] self, Tensor[] exponent) -> ()`
inline void _foreach_pow_(const TensorList& self, const TensorList& exponent) {
  detail::call("aten._foreach_pow_.List", {self, exponent});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_pow_.Scalar(Tensor(a!)[] self, Scalar exponent) -> ()`
inline void _foreach_pow_(const TensorList& self, const Scalar& exponent) {
  detail::call("aten._foreach_pow_.Scalar", {self, exponent});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_powsum.Scalar(Tensor[] self, Scalar ord=2, ScalarType? dtype=None) -> Tensor[]`
inline std::vector<Tensor> _foreach_powsum(const TensorList& self, const Scalar& ord = 2,
                                        std::optional<DType> dtype = std::nullopt) {
  return detail::call("aten._foreach_powsum.Scalar", {self, ord, dtype});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_reciprocal(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_reciprocal(const TensorList& self) {
  return detail::call("aten._foreach_reciprocal", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_reciprocal_(Tensor(a!)[] self) -> ()`
inline void _foreach_reciprocal_(const TensorList& self) {
  detail::call("aten._foreach_reciprocal_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_round(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_round(const TensorList& self) {
  return detail::call("aten._foreach_round", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_round_(Tensor(a!)[] self) -> ()`
inline void _foreach_round_(const TensorList& self) {
  detail::call("aten._foreach_round_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_rsqrt(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_rsqrt(const TensorList& self) {
  return detail::call("aten._foreach_rsqrt", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_rsqrt_(Tensor(a!)[] self) -> ()`
inline void _foreach_rsqrt_(const TensorList& self) {
  detail::call("aten._foreach_rsqrt_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_sigmoid(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_sigmoid(const TensorList& self) {
  return detail::call("aten._foreach_sigmoid", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_sigmoid_(Tensor(a!)[] self) -> ()`
inline void _foreach_sigmoid_(const TensorList& self) {
  detail::call("aten._foreach_sigmoid_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_sign(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_sign(const TensorList& self) {
  return detail::call("aten._foreach_sign", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_sign_(Tensor(a!)[] self) -> ()`
inline void _foreach_sign_(const TensorList& self) {
  detail::call("aten._foreach_sign_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_sin(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_sin(const TensorList& self) {
  return detail::call("aten._foreach_sin", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_sin_(Tensor(a!)[] self) -> ()`
inline void _foreach_sin_(const TensorList& self) {
  detail::call("aten._foreach_sin_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_sinh(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_sinh(const TensorList& self) {
  return detail::call("aten._foreach_sinh", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_sinh_(Tensor(a!)[] self) -> ()`
inline void _foreach_sinh_(const TensorList& self) {
  detail::call("aten._foreach_sinh_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_sqrt(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_sqrt(const TensorList& self) {
  return detail::call("aten._foreach_sqrt", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_sqrt_(Tensor(a!)[] self) -> ()`
inline void _foreach_sqrt_(const TensorList& self) {
  detail::call("aten._foreach_sqrt_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_sub.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]`
inline std::vector<Tensor> _foreach_sub(const TensorList& self, const TensorList& other,
                                        const Scalar& alpha = 1) {
  return detail::call("aten._foreach_sub.List", {self, other, alpha});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_sub.Scalar(Tensor[] self, Scalar scalar) -> Tensor[]`
inline std::vector<Tensor> _foreach_sub(const TensorList& self, const Scalar& scalar) {
  return detail::call("aten._foreach_sub.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_sub_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()`
inline void _foreach_sub_(const TensorList& self, const TensorList& other, const Scalar& alpha = 1) {
  detail::call("aten._foreach_sub_.List", {self, other, alpha});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_sub_.Scalar(Tensor(a!)[] self, Scalar scalar) -> ()`
inline void _foreach_sub_(const TensorList& self, const Scalar& scalar) {
  detail::call("aten._foreach_sub_.Scalar", {self, scalar});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_tan(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_tan(const TensorList& self) {
  return detail::call("aten._foreach_tan", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_tan_(Tensor(a!)[] self) -> ()`
inline void _foreach_tan_(const TensorList& self) {
  detail::call("aten._foreach_tan_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_tanh(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_tanh(const TensorList& self) {
  return detail::call("aten._foreach_tanh", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_tanh_(Tensor(a!)[] self) -> ()`
inline void _foreach_tanh_(const TensorList& self) {
  detail::call("aten._foreach_tanh_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_trunc(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_trunc(const TensorList& self) {
  return detail::call("aten._foreach_trunc", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_trunc_(Tensor(a!)[] self) -> ()`
inline void _foreach_trunc_(const TensorList& self) {
  detail::call("aten._foreach_trunc_", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_zero(Tensor[] self) -> Tensor[]`
inline std::vector<Tensor> _foreach_zero(const TensorList& self) {
  return detail::call("aten._foreach_zero", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten._foreach_zero_(Tensor(a!)[] self) -> ()`
inline void _foreach_zero_(const TensorList& self) {
  detail::call("aten._foreach_zero_", {self});
}

/// Quantized and dequantized again by running extremes, which the data moves; and where nothing was clamped.
/// C1: of f32 tensors. C2: the axis is one of the tensor's, that of rows 0. C3: there is more than one integer. C4: a switch is one number. C5: statistics are one number or one a row, f32, zero points i32 or i64. C6: the tensor has elements.
/// `aten._fused_moving_avg_obs_fq_helper_functional(Tensor self, Tensor observer_on, Tensor fake_quant_on, Tensor running_min, Tensor running_max, Tensor scale, Tensor zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, bool per_row_fake_quant=False, bool symmetric_quant=False) -> (Tensor output, Tensor mask, Tensor running_min_out, Tensor running_max_out, Tensor scale_out, Tensor zero_point_out)`
inline std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor> _fused_moving_avg_obs_fq_helper_functional(const Tensor& self, const Tensor& observer_on,
                                        const Tensor& fake_quant_on, const Tensor& running_min,
                                        const Tensor& running_max, const Tensor& scale,
                                        const Tensor& zero_point, double averaging_const,
                                        int64_t quant_min, int64_t quant_max, int64_t ch_axis,
                                        detail::Flag per_row_fake_quant = false,
                                        detail::Flag symmetric_quant = false) {
  return detail::call_for_many<6>("aten._fused_moving_avg_obs_fq_helper_functional", {self, observer_on, fake_quant_on,
        running_min, running_max, scale, zero_point, averaging_const, quant_min, quant_max, ch_axis,
        per_row_fake_quant, symmetric_quant});
}

/// Rows divided by their root mean square, and one over that.
/// `aten._fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> _fused_rms_norm(const Tensor& input, const IntList& normalized_shape,
                                        const MaybeTensor& weight, std::optional<double> eps) {
  return detail::call_for_many<2>("aten._fused_rms_norm", {input, normalized_shape, weight, eps});
}

/// Derivative of RMS norm by input and weight.
/// `aten._fused_rms_norm_backward(Tensor grad_out, Tensor input, int[] normalized_shape, Tensor rstd, Tensor? weight, bool[2] output_mask) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> _fused_rms_norm_backward(const Tensor& grad_out, const Tensor& input,
                                        const IntList& normalized_shape, const Tensor& rstd,
                                        const MaybeTensor& weight,
                                        const detail::FlagList& output_mask) {
  return detail::call_for_many<2>("aten._fused_rms_norm_backward", {grad_out, input, normalized_shape, rstd, weight,
        output_mask});
}

/// Rows up to each end in `offs` times their own matrix.
/// `aten._grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None) -> Tensor`
inline Tensor _grouped_mm(const Tensor& self, const Tensor& mat2, const MaybeTensor& offs = {},
                          const MaybeTensor& bias = {},
                          std::optional<DType> out_dtype = std::nullopt) {
  return detail::call_for_one("aten._grouped_mm", {self, mat2, offs, bias, out_dtype});
}

/// How many points lie in each box of a grid, and the edges of the boxes.
/// C6: points are rows of a fixed size. C7: bins or edges are given for each dimension.
/// `aten._histogramdd_bin_edges(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor[]`
inline std::vector<Tensor> _histogramdd_bin_edges(const Tensor& self, const IntList& bins,
                                        const std::optional<RealList>& range = std::nullopt,
                                        const MaybeTensor& weight = {}, detail::Flag density = false) {
  return detail::call("aten._histogramdd_bin_edges", {self, bins, range, weight, density});
}

/// How many points lie in each box of a grid, and the edges of the boxes.
/// C6: points are rows of a fixed size. C7: bins or edges are given for each dimension.
/// `aten._histogramdd_from_bin_cts(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor`
inline Tensor _histogramdd_from_bin_cts(const Tensor& self, const IntList& bins,
                                        const std::optional<RealList>& range = std::nullopt,
                                        const MaybeTensor& weight = {}, detail::Flag density = false) {
  return detail::call_for_one("aten._histogramdd_from_bin_cts", {self, bins, range, weight, density});
}

/// How many points lie in each box of a grid, and the edges of the boxes.
/// C6: points are rows of a fixed size. C7: bins or edges are given for each dimension.
/// `aten._histogramdd_from_bin_tensors(Tensor self, Tensor[] bins, *, Tensor? weight=None, bool density=False) -> Tensor`
inline Tensor _histogramdd_from_bin_tensors(const Tensor& self, const TensorList& bins,
                                        const MaybeTensor& weight = {}, detail::Flag density = false) {
  return detail::call_for_one("aten._histogramdd_from_bin_tensors", {self, bins, weight, density});
}

/// index_put.
/// `aten._index_put_impl(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False, bool unsafe=False) -> Tensor`
inline Tensor _index_put_impl(const Tensor& self, const MaybeTensorList& indices,
                              const Tensor& values, detail::Flag accumulate = false,
                              detail::Flag unsafe = false) {
  return detail::call_for_one("aten._index_put_impl", {self, indices, values, accumulate, unsafe});
}

/// index_put.
/// `aten._index_put_impl_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False, bool unsafe=False) -> Tensor(a!)`
inline Tensor _index_put_impl_(const Tensor& self, const MaybeTensorList& indices,
                               const Tensor& values, detail::Flag accumulate = false,
                               detail::Flag unsafe = false) {
  return detail::call_for_one("aten._index_put_impl_", {self, indices, values, accumulate, unsafe});
}

/// Product of 8-bit integer matrices in 32 bits.
/// `aten._int_mm(Tensor self, Tensor mat2) -> Tensor`
inline Tensor _int_mm(const Tensor& self, const Tensor& mat2) {
  return detail::call_for_one("aten._int_mm", {self, mat2});
}

/// Another name of all.
/// `aten._is_all_true(Tensor self) -> Tensor`
inline Tensor _is_all_true(const Tensor& self) {
  return detail::call_for_one("aten._is_all_true", {self});
}

/// Another name of any.
/// `aten._is_any_true(Tensor self) -> Tensor`
inline Tensor _is_any_true(const Tensor& self) {
  return detail::call_for_one("aten._is_any_true", {self});
}

/// Fails unless every factorization succeeded.
/// `aten._linalg_check_errors(Tensor info, str api_name, *, bool is_matrix) -> ()`
inline void _linalg_check_errors(const Tensor& info, std::string_view api_name,
                                 detail::Flag is_matrix) {
  detail::call("aten._linalg_check_errors", {info, api_name, is_matrix});
}

/// Determinant, and the factors it is read from.
/// `aten._linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)`
inline std::tuple<Tensor, Tensor, Tensor> _linalg_det(const Tensor& A) {
  return detail::call_for_many<3>("aten._linalg_det", {A});
}

/// Eigenvalues, rising, and eigenvectors of Hermitian matrices.
/// `aten._linalg_eigh(Tensor A, str UPLO='L', bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)`
inline std::tuple<Tensor, Tensor> _linalg_eigh(const Tensor& A, std::string_view UPLO = "L",
                                        detail::Flag compute_v = true) {
  return detail::call_for_many<2>("aten._linalg_eigh", {A, UPLO, compute_v});
}

/// Eigenvalues of matrices.
/// `aten._linalg_eigvals(Tensor self) -> Tensor`
inline Tensor _linalg_eigvals(const Tensor& self) {
  return detail::call_for_one("aten._linalg_eigvals", {self});
}

/// Sign and logarithm of the size of the determinant, and the factors.
/// `aten._linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)`
inline std::tuple<Tensor, Tensor, Tensor, Tensor> _linalg_slogdet(const Tensor& A) {
  return detail::call_for_many<4>("aten._linalg_slogdet", {A});
}

/// Solution of linear systems, the factors and where they are singular.
/// `aten._linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, Tensor info)`
inline std::tuple<Tensor, Tensor, Tensor, Tensor> _linalg_solve_ex(const Tensor& A, const Tensor& B, detail::Flag left = true,
                                        detail::Flag check_errors = false) {
  return detail::call_for_many<4>("aten._linalg_solve_ex", {A, B, left, check_errors});
}

/// Singular values, falling, and vectors.
/// `aten._linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)`
inline std::tuple<Tensor, Tensor, Tensor> _linalg_svd(const Tensor& A, detail::Flag full_matrices = false,
                                        detail::Flag compute_uv = true,
                                        std::optional<std::string_view> driver = std::nullopt) {
  return detail::call_for_many<3>("aten._linalg_svd", {A, full_matrices, compute_uv, driver});
}

/// self - log(sum(exp(self))) along a dimension.
/// `aten._log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor`
inline Tensor _log_softmax(const Tensor& self, int64_t dim, detail::Flag half_to_float) {
  return detail::call_for_one("aten._log_softmax", {self, dim, half_to_float});
}

/// grad - exp(output) * sum(grad) along dim.
/// `aten._log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor`
inline Tensor _log_softmax_backward_data(const Tensor& grad_output, const Tensor& output,
                                        int64_t dim, DType input_dtype) {
  return detail::call_for_one("aten._log_softmax_backward_data", {grad_output, output, dim, input_dtype});
}

/// LU factors packed in one matrix.
/// `aten._lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor pivots, Tensor info)`
inline std::tuple<Tensor, Tensor, Tensor> _lu_with_info(const Tensor& self, detail::Flag pivot = true,
                                        detail::Flag check_errors = true) {
  return detail::call_for_many<3>("aten._lu_with_info", {self, pivot, check_errors});
}

/// Softmax of what the mask does not name; NaN where it names all.
/// C1: floating values, a bool mask. C2: a mask has the sizes of the values, or is of kind 0 or 1.
/// `aten._masked_softmax(Tensor self, Tensor mask, int? dim=None, int? mask_type=None) -> Tensor`
inline Tensor _masked_softmax(const Tensor& self, const Tensor& mask,
                              std::optional<int64_t> dim = std::nullopt,
                              std::optional<int64_t> mask_type = std::nullopt) {
  return detail::call_for_one("aten._masked_softmax", {self, mask, dim, mask_type});
}

/// Derivative of masked softmax.
/// C1: floating values, a bool mask. C3: all of one shape.
/// `aten._masked_softmax_backward(Tensor grad_output, Tensor output, Tensor mask, int? dim=None) -> Tensor`
inline Tensor _masked_softmax_backward(const Tensor& grad_output, const Tensor& output,
                                       const Tensor& mask, std::optional<int64_t> dim = std::nullopt) {
  return detail::call_for_one("aten._masked_softmax_backward", {grad_output, output, mask, dim});
}

/// Batch norm with running statistics, updated in place when training.
/// `aten._native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> _native_batch_norm_legit(const Tensor& input, const MaybeTensor& weight,
                                        const MaybeTensor& bias, const Tensor& running_mean,
                                        const Tensor& running_var, detail::Flag training,
                                        double momentum, double eps) {
  return detail::call_for_many<3>("aten._native_batch_norm_legit", {input, weight, bias, running_mean, running_var, training,
        momentum, eps});
}

/// Batch norm by the batch's own statistics.
/// `aten._native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> _native_batch_norm_legit(const Tensor& input, const MaybeTensor& weight,
                                        const MaybeTensor& bias, detail::Flag training,
                                        double momentum, double eps) {
  return detail::call_for_many<3>("aten._native_batch_norm_legit.no_stats", {input, weight, bias, training, momentum, eps});
}

/// Batch norm that returns the updated running statistics.
/// `aten._native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)`
inline std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> _native_batch_norm_legit_functional(const Tensor& input, const MaybeTensor& weight,
                                        const MaybeTensor& bias, const Tensor& running_mean,
                                        const Tensor& running_var, detail::Flag training,
                                        double momentum, double eps) {
  return detail::call_for_many<5>("aten._native_batch_norm_legit_functional", {input, weight, bias, running_mean,
        running_var, training, momentum, eps});
}

/// Batch norm by running statistics.
/// `aten._native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> _native_batch_norm_legit_no_training(const Tensor& input, const MaybeTensor& weight,
                                        const MaybeTensor& bias, const Tensor& running_mean,
                                        const Tensor& running_var, double momentum, double eps) {
  return detail::call_for_many<3>("aten._native_batch_norm_legit_no_training", {input, weight, bias, running_mean,
        running_var, momentum, eps});
}

/// Attention with its projections, and its weights.
/// C1: operands have three dimensions. C2: heads divide the width. C3: they are of one shape.
/// `aten._native_multi_head_attention(Tensor query, Tensor key, Tensor value, int embed_dim, int num_head, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, Tensor? mask=None, bool need_weights=True, bool average_attn_weights=True, int? mask_type=None) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> _native_multi_head_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                        int64_t embed_dim, int64_t num_head,
                                        const Tensor& qkv_weight, const Tensor& qkv_bias,
                                        const Tensor& proj_weight, const Tensor& proj_bias,
                                        const MaybeTensor& mask = {},
                                        detail::Flag need_weights = true,
                                        detail::Flag average_attn_weights = true,
                                        std::optional<int64_t> mask_type = std::nullopt) {
  return detail::call_for_many<2>("aten._native_multi_head_attention", {query, key, value, embed_dim, num_head, qkv_weight,
        qkv_bias, proj_weight, proj_bias, mask, need_weights, average_attn_weights, mask_type});
}

/// The signal whose windowed frames these are, from a start on.
/// `aten._overlap_add(Tensor frames, Tensor? window, int hop, int start, int length) -> Tensor`
inline Tensor _overlap_add(const Tensor& frames, const MaybeTensor& window, int64_t hop,
                           int64_t start, int64_t length) {
  return detail::call_for_one("aten._overlap_add", {frames, window, hop, start, length});
}

/// The signal whose windowed frames these are, from a start on.
/// `aten._overlap_add(Tensor frames, Tensor? window, int hop, int start, int length) -> Tensor`
inline Tensor _overlap_add(const Tensor& frames, const MaybeTensor& window, int64_t hop,
                           const Size& start, const Size& length) {
  return detail::call_for_one("aten._overlap_add", {frames, window, hop, start, length});
}

/// Pads with the values from the other end.
/// `aten._pad_circular(Tensor self, int[] pad) -> Tensor`
inline Tensor _pad_circular(const Tensor& self, const IntList& pad) {
  return detail::call_for_one("aten._pad_circular", {self, pad});
}

/// Derivative of pdist, from the distances.
/// C1: all are f32 or f64. C2: p is not negative. C4: every pair of rows has a gradient. C5: of a matrix. C6: rows and distances lie one behind another.
/// `aten._pdist_backward(Tensor grad_output, Tensor self, float p, Tensor pdist) -> Tensor`
inline Tensor _pdist_backward(const Tensor& grad_output, const Tensor& self, double p,
                              const Tensor& pdist) {
  return detail::call_for_one("aten._pdist_backward", {grad_output, self, p, pdist});
}

/// Distances between the rows of a matrix, each pair once.
/// `aten._pdist_forward(Tensor self, float p=2.0) -> Tensor`
inline Tensor _pdist_forward(const Tensor& self, double p = 2) {
  return detail::call_for_one("aten._pdist_forward", {self, p});
}

/// self where positive, else self * weight.
/// `aten._prelu_kernel(Tensor self, Tensor weight) -> Tensor`
inline Tensor _prelu_kernel(const Tensor& self, const Tensor& weight) {
  return detail::call_for_one("aten._prelu_kernel", {self, weight});
}

/// Derivative of prelu by self and by the weight of each element.
/// `aten._prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> _prelu_kernel_backward(const Tensor& grad_output, const Tensor& self,
                                        const Tensor& weight) {
  return detail::call_for_many<2>("aten._prelu_kernel_backward", {grad_output, self, weight});
}

/// A view of self under other sizes and strides.
/// `aten._reshape_alias(Tensor(a) self, int[] size, int[] stride) -> Tensor(a)`
inline Tensor _reshape_alias(const Tensor& self, const IntList& size, const IntList& stride) {
  return detail::call_for_one("aten._reshape_alias", {self, size, stride});
}

/// Softmax that gives zeros for rows of minus infinity.
/// `aten._safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor`
inline Tensor _safe_softmax(const Tensor& self, int64_t dim,
                            std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten._safe_softmax", {self, dim, dtype});
}

/// Shares that sum to 1 along the last dimension, self being their concentrations.
/// `aten._sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor`
inline Tensor _sample_dirichlet(const Tensor& self) {
  return detail::call_for_one("aten._sample_dirichlet", {self, std::nullopt});
}

/// softmax(query @ key^T * scale + mask) @ value, and the weights.
/// `aten._scaled_dot_product_attention_math(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, Tensor? dropout_mask=None, *, float? scale=None, bool enable_gqa=False) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> _scaled_dot_product_attention_math(const Tensor& query, const Tensor& key, const Tensor& value,
                                        const MaybeTensor& attn_mask = {}, double dropout_p = 0,
                                        detail::Flag is_causal = false,
                                        const MaybeTensor& dropout_mask = {},
                                        std::optional<double> scale = std::nullopt,
                                        detail::Flag enable_gqa = false) {
  return detail::call_for_many<2>("aten._scaled_dot_product_attention_math", {query, key, value, attn_mask, dropout_p,
        is_causal, dropout_mask, scale, enable_gqa});
}

/// softmax(query @ key^T * scale + mask) @ value, and the logarithms of the rows' sums.
/// C1: [batch, heads, length, size], of one dtype. C2: sizes and lengths agree. C3: heads of keys divide those of queries.
/// `aten._scaled_dot_product_efficient_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool compute_log_sumexp, float dropout_p=0.0, bool is_causal=False, *, float? scale=None) -> (Tensor, Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor, Tensor> _scaled_dot_product_efficient_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                        const MaybeTensor& attn_bias,
                                        detail::Flag compute_log_sumexp, double dropout_p = 0,
                                        detail::Flag is_causal = false,
                                        std::optional<double> scale = std::nullopt) {
  return detail::call_for_many<4>("aten._scaled_dot_product_efficient_attention", {query, key, value, attn_bias,
        compute_log_sumexp, dropout_p, is_causal, scale});
}

/// Derivative of attention, from its output and the logarithms of the rows' sums.
/// C1 to C3 as those of attention.
/// `aten._scaled_dot_product_efficient_attention_backward(Tensor grad_out_, Tensor query, Tensor key, Tensor value, Tensor attn_bias, Tensor out, Tensor logsumexp, Tensor philox_seed, Tensor philox_offset, float dropout_p, bool[4] grad_input_mask, bool is_causal=False, *, float? scale=None) -> (Tensor, Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor, Tensor> _scaled_dot_product_efficient_attention_backward(const Tensor& grad_out_, const Tensor& query,
                                        const Tensor& key, const Tensor& value,
                                        const Tensor& attn_bias, const Tensor& out,
                                        const Tensor& logsumexp, const Tensor& philox_seed,
                                        const Tensor& philox_offset, double dropout_p,
                                        const detail::FlagList& grad_input_mask,
                                        detail::Flag is_causal = false,
                                        std::optional<double> scale = std::nullopt) {
  return detail::call_for_many<4>("aten._scaled_dot_product_efficient_attention_backward", {grad_out_, query, key, value,
        attn_bias, out, logsumexp, philox_seed, philox_offset, dropout_p, grad_input_mask,
        is_causal, scale});
}

/// Derivative of attention, from its output and the logarithms of the rows' sums.
/// C1 to C3 as those of attention.
/// `aten._scaled_dot_product_flash_attention_backward(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, int max_q, int max_k, float dropout_p, bool is_causal, Tensor philox_seed, Tensor philox_offset, *, float? scale=None) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> _scaled_dot_product_flash_attention_backward(const Tensor& grad_out, const Tensor& query,
                                        const Tensor& key, const Tensor& value, const Tensor& out,
                                        const Tensor& logsumexp, const Tensor& cum_seq_q,
                                        const Tensor& cum_seq_k, int64_t max_q, int64_t max_k,
                                        double dropout_p, detail::Flag is_causal,
                                        const Tensor& philox_seed, const Tensor& philox_offset,
                                        std::optional<double> scale = std::nullopt) {
  return detail::call_for_many<3>("aten._scaled_dot_product_flash_attention_backward", {grad_out, query, key, value, out,
        logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, philox_seed,
        philox_offset, scale});
}

/// Derivative of attention, from its output and the logarithms of the rows' sums.
/// C1 to C3 as those of attention.
/// `aten._scaled_dot_product_flash_attention_backward(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, int max_q, int max_k, float dropout_p, bool is_causal, Tensor philox_seed, Tensor philox_offset, *, float? scale=None) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> _scaled_dot_product_flash_attention_backward(const Tensor& grad_out, const Tensor& query,
                                        const Tensor& key, const Tensor& value, const Tensor& out,
                                        const Tensor& logsumexp, const Tensor& cum_seq_q,
                                        const Tensor& cum_seq_k, const Size& max_q,
                                        const Size& max_k, double dropout_p, detail::Flag is_causal,
                                        const Tensor& philox_seed, const Tensor& philox_offset,
                                        std::optional<double> scale = std::nullopt) {
  return detail::call_for_many<3>("aten._scaled_dot_product_flash_attention_backward", {grad_out, query, key, value, out,
        logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, philox_seed,
        philox_offset, scale});
}

/// softmax(query @ key^T * scale + mask) @ value, and the logarithms of the rows' sums.
/// C1: [batch, heads, length, size], of one dtype. C2: sizes and lengths agree. C3: heads of keys divide those of queries.
/// `aten._scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> _scaled_dot_product_flash_attention_for_cpu(const Tensor& query, const Tensor& key, const Tensor& value,
                                        double dropout_p = 0, detail::Flag is_causal = false,
                                        const MaybeTensor& attn_mask = {},
                                        std::optional<double> scale = std::nullopt) {
  return detail::call_for_many<2>("aten._scaled_dot_product_flash_attention_for_cpu", {query, key, value, dropout_p,
        is_causal, attn_mask, scale});
}

/// Derivative of attention, from its output and the logarithms of the rows' sums.
/// C1 to C3 as those of attention.
/// `aten._scaled_dot_product_flash_attention_for_cpu_backward(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, float dropout_p, bool is_causal, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> _scaled_dot_product_flash_attention_for_cpu_backward(const Tensor& grad_out, const Tensor& query,
                                        const Tensor& key, const Tensor& value, const Tensor& out,
                                        const Tensor& logsumexp, double dropout_p,
                                        detail::Flag is_causal, const MaybeTensor& attn_mask = {},
                                        std::optional<double> scale = std::nullopt) {
  return detail::call_for_many<3>("aten._scaled_dot_product_flash_attention_for_cpu_backward", {grad_out, query, key, value,
        out, logsumexp, dropout_p, is_causal, attn_mask, scale});
}

/// The sizes of self.
/// `aten._shape_as_tensor(Tensor self) -> Tensor`
inline Tensor _shape_as_tensor(const Tensor& self) {
  return detail::call_for_one("aten._shape_as_tensor", {self});
}

/// exp(self) / sum(exp(self)) along a dimension.
/// `aten._softmax(Tensor self, int dim, bool half_to_float) -> Tensor`
inline Tensor _softmax(const Tensor& self, int64_t dim, detail::Flag half_to_float) {
  return detail::call_for_one("aten._softmax", {self, dim, half_to_float});
}

/// (grad - sum(grad * output)) * output along dim.
/// `aten._softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor`
inline Tensor _softmax_backward_data(const Tensor& grad_output, const Tensor& output, int64_t dim,
                                     DType input_dtype) {
  return detail::call_for_one("aten._softmax_backward_data", {grad_output, output, dim, input_dtype});
}

/// Another name of stack.
/// `aten._stack(Tensor[] tensors, int dim=0) -> Tensor`
inline Tensor _stack(const TensorList& tensors, int64_t dim = 0) {
  return detail::call_for_one("aten._stack", {tensors, dim});
}

/// Gamma distributed numbers of shape self and scale 1.
/// `aten._standard_gamma(Tensor self, Generator? generator=None) -> Tensor`
inline Tensor _standard_gamma(const Tensor& self) {
  return detail::call_for_one("aten._standard_gamma", {self, std::nullopt});
}

/// One lstm step from its gates: hidden state, cell state and the gates applied.
/// `aten._thnn_fused_lstm_cell(Tensor input_gates, Tensor hidden_gates, Tensor cx, Tensor? input_bias=None, Tensor? hidden_bias=None) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> _thnn_fused_lstm_cell(const Tensor& input_gates, const Tensor& hidden_gates,
                                        const Tensor& cx, const MaybeTensor& input_bias = {},
                                        const MaybeTensor& hidden_bias = {}) {
  return detail::call_for_many<3>("aten._thnn_fused_lstm_cell", {input_gates, hidden_gates, cx, input_bias, hidden_bias});
}

/// A copy in another dtype, device or memory format.
/// `aten._to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor _to_copy(const Tensor& self, std::optional<DType> dtype = std::nullopt,
                       std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten._to_copy", {self, dtype, std::nullopt, std::nullopt, std::nullopt, std::nullopt,
        memory_format});
}

/// A layer of a transformer encoder: self-attention and two linear layers.
/// `aten._transformer_encoder_layer_fwd(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, float eps, Tensor norm_weight_1, Tensor norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2, Tensor? mask=None, int? mask_type=None) -> Tensor`
inline Tensor _transformer_encoder_layer_fwd(const Tensor& src, int64_t embed_dim, int64_t num_heads,
                                        const Tensor& qkv_weight, const Tensor& qkv_bias,
                                        const Tensor& proj_weight, const Tensor& proj_bias,
                                        detail::Flag use_gelu, detail::Flag norm_first, double eps,
                                        const Tensor& norm_weight_1, const Tensor& norm_bias_1,
                                        const Tensor& norm_weight_2, const Tensor& norm_bias_2,
                                        const Tensor& ffn_weight_1, const Tensor& ffn_bias_1,
                                        const Tensor& ffn_weight_2, const Tensor& ffn_bias_2,
                                        const MaybeTensor& mask = {},
                                        std::optional<int64_t> mask_type = std::nullopt) {
  return detail::call_for_one("aten._transformer_encoder_layer_fwd", {src, embed_dim, num_heads, qkv_weight, qkv_bias,
        proj_weight, proj_bias, use_gelu, norm_first, eps, norm_weight_1, norm_bias_1,
        norm_weight_2, norm_bias_2, ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2, mask,
        mask_type});
}

/// The product of three tensors, each given size-1 dimensions, summed over `sumdim`.
/// `aten._trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] sumdim, int unroll_dim=1) -> Tensor`
inline Tensor _trilinear(const Tensor& i1, const Tensor& i2, const Tensor& i3,
                         const IntList& expand1, const IntList& expand2, const IntList& expand3,
                         const IntList& sumdim, int64_t unroll_dim = 1) {
  return detail::call_for_one("aten._trilinear", {i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim});
}

/// The distinct elements in order, and where each went.
/// `aten._unique(Tensor self, bool sorted=True, bool return_inverse=False) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> _unique(const Tensor& self, detail::Flag sorted = true,
                                        detail::Flag return_inverse = false) {
  return detail::call_for_many<2>("aten._unique", {self, sorted, return_inverse});
}

/// The distinct elements in order, where each went and how many there are.
/// `aten._unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> _unique2(const Tensor& self, detail::Flag sorted = true,
                                        detail::Flag return_inverse = false,
                                        detail::Flag return_counts = false) {
  return detail::call_for_many<3>("aten._unique2", {self, sorted, return_inverse, return_counts});
}

/// index; indices are checked all the same.
/// `aten._unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor`
inline Tensor _unsafe_index(const Tensor& self, const MaybeTensorList& indices) {
  return detail::call_for_one("aten._unsafe_index.Tensor", {self, indices});
}

/// index_put; indices are checked all the same.
/// `aten._unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor`
inline Tensor _unsafe_index_put(const Tensor& self, const MaybeTensorList& indices,
                                const Tensor& values, detail::Flag accumulate = false) {
  return detail::call_for_one("aten._unsafe_index_put", {self, indices, values, accumulate});
}

/// self[indices] where mask holds, else fill.
/// C1: indices are integers.
/// `aten._unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor`
inline Tensor _unsafe_masked_index(const Tensor& self, const Tensor& mask,
                                   const MaybeTensorList& indices, const Scalar& fill) {
  return detail::call_for_one("aten._unsafe_masked_index", {self, mask, indices, fill});
}

/// self with values added at indices where mask holds.
/// `aten._unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor`
inline Tensor _unsafe_masked_index_put_accumulate(const Tensor& self, const Tensor& mask,
                                        const MaybeTensorList& indices, const Tensor& values) {
  return detail::call_for_one("aten._unsafe_masked_index_put_accumulate", {self, mask, indices, values});
}

/// view of a tensor that nobody else reads.
/// `aten._unsafe_view(Tensor self, int[] size) -> Tensor`
inline Tensor _unsafe_view(const Tensor& self, const IntList& size) {
  return detail::call_for_one("aten._unsafe_view", {self, size});
}

/// Resizes by a filter that widens where the image shrinks.
/// `aten._upsample_bicubic2d_aa(Tensor self, int[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor _upsample_bicubic2d_aa(const Tensor& self, const IntList& output_size,
                                     detail::Flag align_corners,
                                     std::optional<double> scales_h = std::nullopt,
                                     std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten._upsample_bicubic2d_aa", {self, output_size, align_corners, scales_h, scales_w});
}

/// Resizes by a filter that widens where the image shrinks.
/// `aten._upsample_bicubic2d_aa.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor`
inline Tensor _upsample_bicubic2d_aa(const Tensor& input, const MaybeIntList& output_size,
                                     detail::Flag align_corners,
                                     const std::optional<RealList>& scale_factors) {
  return detail::call_for_one("aten._upsample_bicubic2d_aa.vec", {input, output_size, align_corners, scale_factors});
}

/// Derivative of resampling.
/// C1: images have a batch and channels. C2: sizes are above 0. C3: the gradient has the size of the result. C4: gradients are floating.
/// `aten._upsample_bicubic2d_aa_backward(Tensor grad_output, int[2] output_size, int[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor _upsample_bicubic2d_aa_backward(const Tensor& grad_output, const IntList& output_size,
                                        const IntList& input_size, detail::Flag align_corners,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten._upsample_bicubic2d_aa_backward", {grad_output, output_size, input_size,
        align_corners, scales_h, scales_w});
}

/// Resizes by a filter that widens where the image shrinks.
/// `aten._upsample_bilinear2d_aa(Tensor self, int[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor _upsample_bilinear2d_aa(const Tensor& self, const IntList& output_size,
                                      detail::Flag align_corners,
                                      std::optional<double> scales_h = std::nullopt,
                                      std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten._upsample_bilinear2d_aa", {self, output_size, align_corners, scales_h, scales_w});
}

/// Resizes by a filter that widens where the image shrinks.
/// `aten._upsample_bilinear2d_aa.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor`
inline Tensor _upsample_bilinear2d_aa(const Tensor& input, const MaybeIntList& output_size,
                                      detail::Flag align_corners,
                                      const std::optional<RealList>& scale_factors) {
  return detail::call_for_one("aten._upsample_bilinear2d_aa.vec", {input, output_size, align_corners, scale_factors});
}

/// Derivative of resampling.
/// C1: images have a batch and channels. C2: sizes are above 0. C3: the gradient has the size of the result. C4: gradients are floating.
/// `aten._upsample_bilinear2d_aa_backward(Tensor grad_output, int[2] output_size, int[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor _upsample_bilinear2d_aa_backward(const Tensor& grad_output, const IntList& output_size,
                                        const IntList& input_size, detail::Flag align_corners,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten._upsample_bilinear2d_aa_backward", {grad_output, output_size, input_size,
        align_corners, scales_h, scales_w});
}

/// Resizes by a filter that widens where the image shrinks.
/// `aten._upsample_lanczos2d_aa(Tensor self, int[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor _upsample_lanczos2d_aa(const Tensor& self, const IntList& output_size,
                                     detail::Flag align_corners,
                                     std::optional<double> scales_h = std::nullopt,
                                     std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten._upsample_lanczos2d_aa", {self, output_size, align_corners, scales_h, scales_w});
}

/// Resizes by a filter that widens where the image shrinks.
/// `aten._upsample_lanczos2d_aa.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor`
inline Tensor _upsample_lanczos2d_aa(const Tensor& input, const MaybeIntList& output_size,
                                     detail::Flag align_corners,
                                     const std::optional<RealList>& scale_factors) {
  return detail::call_for_one("aten._upsample_lanczos2d_aa.vec", {input, output_size, align_corners, scale_factors});
}

/// Resizes by picking the element nearest to each centre.
/// `aten._upsample_nearest_exact1d(Tensor self, int[1] output_size, float? scales=None) -> Tensor`
inline Tensor _upsample_nearest_exact1d(const Tensor& self, const IntList& output_size,
                                        std::optional<double> scales = std::nullopt) {
  return detail::call_for_one("aten._upsample_nearest_exact1d", {self, output_size, scales});
}

/// Resizes by picking the element nearest to each centre.
/// `aten._upsample_nearest_exact1d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor`
inline Tensor _upsample_nearest_exact1d(const Tensor& input, const MaybeIntList& output_size,
                                        const std::optional<RealList>& scale_factors) {
  return detail::call_for_one("aten._upsample_nearest_exact1d.vec", {input, output_size, scale_factors});
}

/// Derivative of resampling.
/// C1: images have a batch and channels. C2: sizes are above 0. C3: the gradient has the size of the result. C4: gradients are floating.
/// `aten._upsample_nearest_exact1d_backward(Tensor grad_output, int[1] output_size, int[3] input_size, float? scales=None) -> Tensor`
inline Tensor _upsample_nearest_exact1d_backward(const Tensor& grad_output, const IntList& output_size,
                                        const IntList& input_size,
                                        std::optional<double> scales = std::nullopt) {
  return detail::call_for_one("aten._upsample_nearest_exact1d_backward", {grad_output, output_size, input_size, scales});
}

/// Resizes by picking the element nearest to each centre.
/// `aten._upsample_nearest_exact2d(Tensor self, int[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor _upsample_nearest_exact2d(const Tensor& self, const IntList& output_size,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten._upsample_nearest_exact2d", {self, output_size, scales_h, scales_w});
}

/// Resizes by picking the element nearest to each centre.
/// `aten._upsample_nearest_exact2d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor`
inline Tensor _upsample_nearest_exact2d(const Tensor& input, const MaybeIntList& output_size,
                                        const std::optional<RealList>& scale_factors) {
  return detail::call_for_one("aten._upsample_nearest_exact2d.vec", {input, output_size, scale_factors});
}

/// Derivative of resampling.
/// C1: images have a batch and channels. C2: sizes are above 0. C3: the gradient has the size of the result. C4: gradients are floating.
/// `aten._upsample_nearest_exact2d_backward(Tensor grad_output, int[2] output_size, int[4] input_size, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor _upsample_nearest_exact2d_backward(const Tensor& grad_output, const IntList& output_size,
                                        const IntList& input_size,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten._upsample_nearest_exact2d_backward", {grad_output, output_size, input_size, scales_h,
        scales_w});
}

/// Resizes by picking the element nearest to each centre.
/// `aten._upsample_nearest_exact3d(Tensor self, int[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor _upsample_nearest_exact3d(const Tensor& self, const IntList& output_size,
                                        std::optional<double> scales_d = std::nullopt,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten._upsample_nearest_exact3d", {self, output_size, scales_d, scales_h, scales_w});
}

/// Resizes by picking the element nearest to each centre.
/// `aten._upsample_nearest_exact3d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor`
inline Tensor _upsample_nearest_exact3d(const Tensor& input, const MaybeIntList& output_size,
                                        const std::optional<RealList>& scale_factors) {
  return detail::call_for_one("aten._upsample_nearest_exact3d.vec", {input, output_size, scale_factors});
}

/// Derivative of resampling.
/// C1: images have a batch and channels. C2: sizes are above 0. C3: the gradient has the size of the result. C4: gradients are floating.
/// `aten._upsample_nearest_exact3d_backward(Tensor grad_output, int[3] output_size, int[5] input_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor _upsample_nearest_exact3d_backward(const Tensor& grad_output, const IntList& output_size,
                                        const IntList& input_size,
                                        std::optional<double> scales_d = std::nullopt,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten._upsample_nearest_exact3d_backward", {grad_output, output_size, input_size, scales_d,
        scales_h, scales_w});
}

/// self times the transposed weights (q - 8) * scale + zero, packed as by _convert_weight_to_int4pack_for_cpu.
/// C1: rows of f32, f16 or bf16 times packed rows of their length. C2: both lie in order. C3: a group has 32, 64, 128 or 256 columns.
/// `aten._weight_int4pack_mm_for_cpu(Tensor self, Tensor mat2, int qGroupSize, Tensor qScaleAndZeros) -> Tensor`
inline Tensor _weight_int4pack_mm_for_cpu(const Tensor& self, const Tensor& mat2, int64_t qGroupSize,
                                        const Tensor& qScaleAndZeros) {
  return detail::call_for_one("aten._weight_int4pack_mm_for_cpu", {self, mat2, qGroupSize, qScaleAndZeros});
}

/// self times the transposed weights, each row of weights times its scale.
/// C1: rows of f32, f16 or bf16 times rows of int8 of their length. C2: a scale for every row of weights. C3: elements of a row lie next to each other.
/// `aten._weight_int8pack_mm(Tensor self, Tensor mat2, Tensor scales) -> Tensor`
inline Tensor _weight_int8pack_mm(const Tensor& self, const Tensor& mat2, const Tensor& scales) {
  return detail::call_for_one("aten._weight_int8pack_mm", {self, mat2, scales});
}

/// v scaled to norm g over all dimensions but one.
/// C1: both are floating, of one dtype. C2: there is one length for every slice.
/// `aten._weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor`
inline Tensor _weight_norm(const Tensor& v, const Tensor& g, int64_t dim = 0) {
  return detail::call_for_one("aten._weight_norm", {v, g, dim});
}

/// A weight of direction v and length g for each entry along dim, and the length of v.
/// C1: direction and length are floating, of one dtype. C2: there is one length for every slice.
/// `aten._weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> _weight_norm_interface(const Tensor& v, const Tensor& g, int64_t dim = 0) {
  return detail::call_for_many<2>("aten._weight_norm_interface", {v, g, dim});
}

/// Derivative of weight norm by direction and length.
/// C1: both are floating, of one dtype. C2: there is one length for every slice. C3: the gradient has the sizes of the direction. C4: what was saved is contiguous.
/// `aten._weight_norm_interface_backward(Tensor grad_w, Tensor saved_v, Tensor saved_g, Tensor saved_norms, int dim) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> _weight_norm_interface_backward(const Tensor& grad_w, const Tensor& saved_v,
                                        const Tensor& saved_g, const Tensor& saved_norms,
                                        int64_t dim) {
  return detail::call_for_many<2>("aten._weight_norm_interface_backward", {grad_w, saved_v, saved_g, saved_norms, dim});
}

/// Absolute value; of a complex number its magnitude, in the real dtype.
/// `aten.abs(Tensor self) -> Tensor`
inline Tensor abs(const Tensor& self) {
  return detail::call_for_one("aten.abs", {self});
}

/// Absolute value; of a complex number its magnitude, in the real dtype.
/// `aten.abs_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor abs_(const Tensor& self) {
  return detail::call_for_one("aten.abs_", {self});
}

/// Absolute value; of a complex number its magnitude, in the real dtype.
/// `aten.absolute(Tensor self) -> Tensor`
inline Tensor absolute(const Tensor& self) {
  return detail::call_for_one("aten.absolute", {self});
}

/// Absolute value; of a complex number its magnitude, in the real dtype.
/// `aten.absolute_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor absolute_(const Tensor& self) {
  return detail::call_for_one("aten.absolute_", {self});
}

/// Inverse cosine.
/// `aten.acos(Tensor self) -> Tensor`
inline Tensor acos(const Tensor& self) {
  return detail::call_for_one("aten.acos", {self});
}

/// Inverse cosine.
/// `aten.acos_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor acos_(const Tensor& self) {
  return detail::call_for_one("aten.acos_", {self});
}

/// Inverse hyperbolic cosine.
/// `aten.acosh(Tensor self) -> Tensor`
inline Tensor acosh(const Tensor& self) {
  return detail::call_for_one("aten.acosh", {self});
}

/// Inverse hyperbolic cosine.
/// `aten.acosh_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor acosh_(const Tensor& self) {
  return detail::call_for_one("aten.acosh_", {self});
}

/// The mean of windows that divide a line evenly.
/// `aten.adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor`
inline Tensor adaptive_avg_pool1d(const Tensor& self, const IntList& output_size) {
  return detail::call_for_one("aten.adaptive_avg_pool1d", {self, output_size});
}

/// The mean of windows that divide an image evenly.
/// `aten.adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor`
inline Tensor adaptive_avg_pool2d(const Tensor& self, const IntList& output_size) {
  return detail::call_for_one("aten.adaptive_avg_pool2d", {self, output_size});
}

/// The mean of windows that divide a volume evenly.
/// `aten.adaptive_avg_pool3d(Tensor self, int[3] output_size) -> Tensor`
inline Tensor adaptive_avg_pool3d(const Tensor& self, const IntList& output_size) {
  return detail::call_for_one("aten.adaptive_avg_pool3d", {self, output_size});
}

/// The largest element of windows that divide a line evenly, and where it is.
/// `aten.adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, const IntList& output_size) {
  return detail::call_for_many<2>("aten.adaptive_max_pool1d", {self, output_size});
}

/// The largest element of windows that divide an image evenly, and where it is.
/// `aten.adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& self, const IntList& output_size) {
  return detail::call_for_many<2>("aten.adaptive_max_pool2d", {self, output_size});
}

/// Derivative of adaptive_max_pool2d.
/// `aten.adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor`
inline Tensor adaptive_max_pool2d_backward(const Tensor& grad_output, const Tensor& self,
                                        const Tensor& indices) {
  return detail::call_for_one("aten.adaptive_max_pool2d_backward", {grad_output, self, indices});
}

/// The largest element of windows that divide a volume evenly, and where it is.
/// `aten.adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& self, const IntList& output_size) {
  return detail::call_for_many<2>("aten.adaptive_max_pool3d", {self, output_size});
}

/// Derivative of adaptive_max_pool3d.
/// `aten.adaptive_max_pool3d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor`
inline Tensor adaptive_max_pool3d_backward(const Tensor& grad_output, const Tensor& self,
                                        const Tensor& indices) {
  return detail::call_for_one("aten.adaptive_max_pool3d_backward", {grad_output, self, indices});
}

/// self + alpha * other; on bools logical or.
/// C1: alpha is an integer for integer operands.
/// `aten.add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor`
inline Tensor add(const Tensor& self, const Scalar& other, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.add.Scalar", {self, other, alpha});
}

/// self + alpha * other; on bools logical or.
/// C1: alpha is an integer for integer operands.
/// `aten.add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`
inline Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.add.Tensor", {self, other, alpha});
}

/// self + alpha * other; on bools logical or.
/// C1: alpha is an integer for integer operands.
/// `aten.add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)`
inline Tensor add_(const Tensor& self, const Scalar& other, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.add_.Scalar", {self, other, alpha});
}

/// self + alpha * other; on bools logical or.
/// C1: alpha is an integer for integer operands.
/// `aten.add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)`
inline Tensor add_(const Tensor& self, const Tensor& other, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.add_.Tensor", {self, other, alpha});
}

/// beta * self + alpha * (the sum of the products of a batch).
/// `aten.addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor`
inline Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                     const Scalar& beta = 1, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.addbmm", {self, batch1, batch2, beta, alpha});
}

/// beta * self + alpha * (the sum of the products of a batch).
/// `aten.addbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)`
inline Tensor addbmm_(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                      const Scalar& beta = 1, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.addbmm_", {self, batch1, batch2, beta, alpha});
}

/// self + value * tensor1 / tensor2.
/// C1: not for integers.
/// `aten.addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor`
inline Tensor addcdiv(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                      const Scalar& value = 1) {
  return detail::call_for_one("aten.addcdiv", {self, tensor1, tensor2, value});
}

/// self + value * tensor1 / tensor2.
/// C1: not for integers.
/// `aten.addcdiv_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)`
inline Tensor addcdiv_(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                       const Scalar& value = 1) {
  return detail::call_for_one("aten.addcdiv_", {self, tensor1, tensor2, value});
}

/// self + value * tensor1 * tensor2.
/// `aten.addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor`
inline Tensor addcmul(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                      const Scalar& value = 1) {
  return detail::call_for_one("aten.addcmul", {self, tensor1, tensor2, value});
}

/// self + value * tensor1 * tensor2.
/// `aten.addcmul_(Tensor(a!) self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor(a!)`
inline Tensor addcmul_(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                       const Scalar& value = 1) {
  return detail::call_for_one("aten.addcmul_", {self, tensor1, tensor2, value});
}

/// beta * self + alpha * (mat1 @ mat2); self is not read where beta is 0.
/// `aten.addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor`
inline Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                    const Scalar& beta = 1, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.addmm", {self, mat1, mat2, beta, alpha});
}

/// beta * self + alpha * (mat1 @ mat2); self is not read where beta is 0.
/// `aten.addmm_(Tensor(a!) self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)`
inline Tensor addmm_(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                     const Scalar& beta = 1, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.addmm_", {self, mat1, mat2, beta, alpha});
}

/// beta * self + alpha * (mat @ vec).
/// `aten.addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor`
inline Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec,
                    const Scalar& beta = 1, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.addmv", {self, mat, vec, beta, alpha});
}

/// beta * self + alpha * (mat @ vec).
/// `aten.addmv_(Tensor(a!) self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)`
inline Tensor addmv_(const Tensor& self, const Tensor& mat, const Tensor& vec,
                     const Scalar& beta = 1, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.addmv_", {self, mat, vec, beta, alpha});
}

/// beta * self + alpha * (the outer product of two vectors).
/// `aten.addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor`
inline Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2,
                   const Scalar& beta = 1, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.addr", {self, vec1, vec2, beta, alpha});
}

/// beta * self + alpha * (the outer product of two vectors).
/// `aten.addr_(Tensor(a!) self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)`
inline Tensor addr_(const Tensor& self, const Tensor& vec1, const Tensor& vec2,
                    const Scalar& beta = 1, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.addr_", {self, vec1, vec2, beta, alpha});
}

/// Transposed and conjugated.
/// `aten.adjoint(Tensor(a) self) -> Tensor(a)`
inline Tensor adjoint(const Tensor& self) {
  return detail::call_for_one("aten.adjoint", {self});
}

/// The coordinates that an affine map gives each place of an image.
/// `aten.affine_grid_generator(Tensor theta, int[] size, bool align_corners) -> Tensor`
inline Tensor affine_grid_generator(const Tensor& theta, const IntList& size,
                                    detail::Flag align_corners) {
  return detail::call_for_one("aten.affine_grid_generator", {theta, size, align_corners});
}

/// Self, sharing its storage.
/// `aten.alias(Tensor(a) self) -> Tensor(a)`
inline Tensor alias(const Tensor& self) {
  return detail::call_for_one("aten.alias", {self});
}

/// A copy of self.
/// `aten.alias_copy(Tensor self) -> Tensor`
inline Tensor alias_copy(const Tensor& self) {
  return detail::call_for_one("aten.alias_copy", {self});
}

/// True when every element is non-zero.
/// `aten.all(Tensor self) -> Tensor`
inline Tensor all(const Tensor& self) {
  return detail::call_for_one("aten.all", {self});
}

/// True where every element along a dimension is non-zero.
/// `aten.all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor`
inline Tensor all(const Tensor& self, int64_t dim, detail::Flag keepdim = false) {
  return detail::call_for_one("aten.all.dim", {self, dim, keepdim});
}

/// True where every element along the dimensions is non-zero.
/// `aten.all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor`
inline Tensor all(const Tensor& self, const MaybeIntList& dim, detail::Flag keepdim = false) {
  return detail::call_for_one("aten.all.dims", {self, dim, keepdim});
}

/// Dropout that keeps mean and variance of SELU networks.
/// `aten.alpha_dropout(Tensor input, float p, bool train) -> Tensor`
inline Tensor alpha_dropout(const Tensor& input, double p, detail::Flag train) {
  return detail::call_for_one("aten.alpha_dropout", {input, p, train});
}

/// Dropout that keeps mean and variance of SELU networks.
/// `aten.alpha_dropout_(Tensor(a!) input, float p, bool train) -> Tensor(a!)`
inline Tensor alpha_dropout_(const Tensor& input, double p, detail::Flag train) {
  return detail::call_for_one("aten.alpha_dropout_", {input, p, train});
}

/// The largest element along dimensions.
/// `aten.amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor`
inline Tensor amax(const Tensor& self, const IntList& dim = IntList{}, detail::Flag keepdim = false) {
  return detail::call_for_one("aten.amax", {self, dim, keepdim});
}

/// The smallest element along dimensions.
/// `aten.amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor`
inline Tensor amin(const Tensor& self, const IntList& dim = IntList{}, detail::Flag keepdim = false) {
  return detail::call_for_one("aten.amin", {self, dim, keepdim});
}

/// The smallest and the largest element.
/// `aten.aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)`
inline std::tuple<Tensor, Tensor> aminmax(const Tensor& self,
                                        std::optional<int64_t> dim = std::nullopt,
                                        detail::Flag keepdim = false) {
  return detail::call_for_many<2>("aten.aminmax", {self, dim, keepdim});
}

/// Argument of a complex number; 0 or pi for reals.
/// `aten.angle(Tensor self) -> Tensor`
inline Tensor angle(const Tensor& self) {
  return detail::call_for_one("aten.angle", {self});
}

/// True when some element is non-zero.
/// `aten.any(Tensor self) -> Tensor`
inline Tensor any(const Tensor& self) {
  return detail::call_for_one("aten.any", {self});
}

/// True where some element along a dimension is non-zero.
/// `aten.any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor`
inline Tensor any(const Tensor& self, int64_t dim, detail::Flag keepdim = false) {
  return detail::call_for_one("aten.any.dim", {self, dim, keepdim});
}

/// True where some element along the dimensions is non-zero.
/// `aten.any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor`
inline Tensor any(const Tensor& self, const MaybeIntList& dim, detail::Flag keepdim = false) {
  return detail::call_for_one("aten.any.dims", {self, dim, keepdim});
}

/// start, start + step, ... below end.
/// C1: the step is not 0. C2: it leads from start to end.
/// `aten.arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor arange(const Scalar& end, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.arange", {end, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// start, start + step, ... below end.
/// C1: the step is not 0. C2: it leads from start to end.
/// `aten.arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor arange(const Scalar& start, const Scalar& end,
                     std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.arange.start", {start, end, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// start, start + step, ... below end.
/// C1: the step is not 0. C2: it leads from start to end.
/// `aten.arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
                     std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.arange.start_step", {start, end, step, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// Inverse cosine.
/// `aten.arccos(Tensor self) -> Tensor`
inline Tensor arccos(const Tensor& self) {
  return detail::call_for_one("aten.arccos", {self});
}

/// Inverse cosine.
/// `aten.arccos_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor arccos_(const Tensor& self) {
  return detail::call_for_one("aten.arccos_", {self});
}

/// Inverse hyperbolic cosine.
/// `aten.arccosh(Tensor self) -> Tensor`
inline Tensor arccosh(const Tensor& self) {
  return detail::call_for_one("aten.arccosh", {self});
}

/// Inverse hyperbolic cosine.
/// `aten.arccosh_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor arccosh_(const Tensor& self) {
  return detail::call_for_one("aten.arccosh_", {self});
}

/// Inverse sine.
/// `aten.arcsin(Tensor self) -> Tensor`
inline Tensor arcsin(const Tensor& self) {
  return detail::call_for_one("aten.arcsin", {self});
}

/// Inverse sine.
/// `aten.arcsin_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor arcsin_(const Tensor& self) {
  return detail::call_for_one("aten.arcsin_", {self});
}

/// Inverse hyperbolic sine.
/// `aten.arcsinh(Tensor self) -> Tensor`
inline Tensor arcsinh(const Tensor& self) {
  return detail::call_for_one("aten.arcsinh", {self});
}

/// Inverse hyperbolic sine.
/// `aten.arcsinh_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor arcsinh_(const Tensor& self) {
  return detail::call_for_one("aten.arcsinh_", {self});
}

/// Inverse tangent.
/// `aten.arctan(Tensor self) -> Tensor`
inline Tensor arctan(const Tensor& self) {
  return detail::call_for_one("aten.arctan", {self});
}

/// Angle of the point (other, self), in (-pi, pi].
/// `aten.arctan2(Tensor self, Tensor other) -> Tensor`
inline Tensor arctan2(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.arctan2", {self, other});
}

/// Angle of the point (other, self), in (-pi, pi].
/// `aten.arctan2_(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor arctan2_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.arctan2_", {self, other});
}

/// Inverse tangent.
/// `aten.arctan_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor arctan_(const Tensor& self) {
  return detail::call_for_one("aten.arctan_", {self});
}

/// Inverse hyperbolic tangent.
/// `aten.arctanh(Tensor self) -> Tensor`
inline Tensor arctanh(const Tensor& self) {
  return detail::call_for_one("aten.arctanh", {self});
}

/// Inverse hyperbolic tangent.
/// `aten.arctanh_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor arctanh_(const Tensor& self) {
  return detail::call_for_one("aten.arctanh_", {self});
}

/// Where the largest element is.
/// `aten.argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor`
inline Tensor argmax(const Tensor& self, std::optional<int64_t> dim = std::nullopt,
                     detail::Flag keepdim = false) {
  return detail::call_for_one("aten.argmax", {self, dim, keepdim});
}

/// Where the smallest element is.
/// `aten.argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor`
inline Tensor argmin(const Tensor& self, std::optional<int64_t> dim = std::nullopt,
                     detail::Flag keepdim = false) {
  return detail::call_for_one("aten.argmin", {self, dim, keepdim});
}

/// Where the elements of each sorted line come from.
/// `aten.argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor`
inline Tensor argsort(const Tensor& self, int64_t dim = -1, detail::Flag descending = false) {
  return detail::call_for_one("aten.argsort", {self, dim, descending});
}

/// Where the elements of each sorted line come from, equals in order.
/// `aten.argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor`
inline Tensor argsort(const Tensor& self, detail::Flag stable, int64_t dim = -1,
                      detail::Flag descending = false) {
  return detail::call_for_one("aten.argsort.stable", {self, stable, dim, descending});
}

/// Positions of non-zero elements, one row each.
/// `aten.argwhere(Tensor self) -> Tensor`
inline Tensor argwhere(const Tensor& self) {
  return detail::call_for_one("aten.argwhere", {self});
}

/// The storage under the given geometry; the offset counts from the storage start.
/// `aten.as_strided(Tensor(a) self, int[] size, int[] stride, int? storage_offset=None) -> Tensor(a)`
inline Tensor as_strided(const Tensor& self, const IntList& size, const IntList& stride,
                         const std::optional<Size>& storage_offset = std::nullopt) {
  return detail::call_for_one("aten.as_strided", {self, size, stride, storage_offset});
}

/// What the view of the same name gives, copied.
/// `aten.as_strided_copy(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor`
inline Tensor as_strided_copy(const Tensor& self, const IntList& size, const IntList& stride,
                              const std::optional<Size>& storage_offset = std::nullopt) {
  return detail::call_for_one("aten.as_strided_copy", {self, size, stride, storage_offset});
}

/// Self with src at the given places of its storage.
/// `aten.as_strided_scatter(Tensor self, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> Tensor`
inline Tensor as_strided_scatter(const Tensor& self, const Tensor& src, const IntList& size,
                                 const IntList& stride,
                                 const std::optional<Size>& storage_offset = std::nullopt) {
  return detail::call_for_one("aten.as_strided_scatter", {self, src, size, stride, storage_offset});
}

/// Inverse sine.
/// `aten.asin(Tensor self) -> Tensor`
inline Tensor asin(const Tensor& self) {
  return detail::call_for_one("aten.asin", {self});
}

/// Inverse sine.
/// `aten.asin_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor asin_(const Tensor& self) {
  return detail::call_for_one("aten.asin_", {self});
}

/// Inverse hyperbolic sine.
/// `aten.asinh(Tensor self) -> Tensor`
inline Tensor asinh(const Tensor& self) {
  return detail::call_for_one("aten.asinh", {self});
}

/// Inverse hyperbolic sine.
/// `aten.asinh_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor asinh_(const Tensor& self) {
  return detail::call_for_one("aten.asinh_", {self});
}

/// Inverse tangent.
/// `aten.atan(Tensor self) -> Tensor`
inline Tensor atan(const Tensor& self) {
  return detail::call_for_one("aten.atan", {self});
}

/// Angle of the point (other, self), in (-pi, pi].
/// `aten.atan2(Tensor self, Tensor other) -> Tensor`
inline Tensor atan2(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.atan2", {self, other});
}

/// Angle of the point (other, self), in (-pi, pi].
/// `aten.atan2_(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor atan2_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.atan2_", {self, other});
}

/// Inverse tangent.
/// `aten.atan_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor atan_(const Tensor& self) {
  return detail::call_for_one("aten.atan_", {self});
}

/// Inverse hyperbolic tangent.
/// `aten.atanh(Tensor self) -> Tensor`
inline Tensor atanh(const Tensor& self) {
  return detail::call_for_one("aten.atanh", {self});
}

/// Inverse hyperbolic tangent.
/// `aten.atanh_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor atanh_(const Tensor& self) {
  return detail::call_for_one("aten.atanh_", {self});
}

/// Rank at least 1.
/// `aten.atleast_1d(Tensor self) -> Tensor`
inline Tensor atleast_1d(const Tensor& self) {
  return detail::call_for_one("aten.atleast_1d", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten.atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]`
inline std::vector<Tensor> atleast_1d(const TensorList& tensors) {
  return detail::call("aten.atleast_1d.Sequence", {tensors});
}

/// Rank at least 2; dimensions are added in front.
/// `aten.atleast_2d(Tensor self) -> Tensor`
inline Tensor atleast_2d(const Tensor& self) {
  return detail::call_for_one("aten.atleast_2d", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten.atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]`
inline std::vector<Tensor> atleast_2d(const TensorList& tensors) {
  return detail::call("aten.atleast_2d.Sequence", {tensors});
}

/// Rank at least 3; a matrix gets its new dimension behind.
/// `aten.atleast_3d(Tensor self) -> Tensor`
inline Tensor atleast_3d(const Tensor& self) {
  return detail::call_for_one("aten.atleast_3d", {self});
}

/// The operator of that name for each tensor of a list.
/// C1: lists are of one length, and not empty.
/// `aten.atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]`
inline std::vector<Tensor> atleast_3d(const TensorList& tensors) {
  return detail::call("aten.atleast_3d.Sequence", {tensors});
}

/// The mean of each window of a line.
/// `aten.avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool ceil_mode=False, bool count_include_pad=True) -> Tensor`
inline Tensor avg_pool1d(const Tensor& self, const IntList& kernel_size,
                         const IntList& stride = IntList{}, const IntList& padding = IntList(0),
                         detail::Flag ceil_mode = false, detail::Flag count_include_pad = true) {
  return detail::call_for_one("aten.avg_pool1d", {self, kernel_size, stride, padding, ceil_mode, count_include_pad});
}

/// The mean of each window of an image.
/// `aten.avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=[0, 0], bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor`
inline Tensor avg_pool2d(const Tensor& self, const IntList& kernel_size,
                         const IntList& stride = IntList{}, const IntList& padding = IntList{0, 0},
                         detail::Flag ceil_mode = false, detail::Flag count_include_pad = true,
                         std::optional<int64_t> divisor_override = std::nullopt) {
  return detail::call_for_one("aten.avg_pool2d", {self, kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override});
}

/// Derivative of avg_pool2d: gradients shared out over their windows.
/// `aten.avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor`
inline Tensor avg_pool2d_backward(const Tensor& grad_output, const Tensor& self,
                                  const IntList& kernel_size, const IntList& stride,
                                  const IntList& padding, detail::Flag ceil_mode,
                                  detail::Flag count_include_pad,
                                  std::optional<int64_t> divisor_override) {
  return detail::call_for_one("aten.avg_pool2d_backward", {grad_output, self, kernel_size, stride, padding, ceil_mode,
        count_include_pad, divisor_override});
}

/// The mean of each window of a volume.
/// `aten.avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=[0, 0, 0], bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor`
inline Tensor avg_pool3d(const Tensor& self, const IntList& kernel_size,
                         const IntList& stride = IntList{}, const IntList& padding = IntList{0, 0,
                         0}, detail::Flag ceil_mode = false, detail::Flag count_include_pad = true,
                         std::optional<int64_t> divisor_override = std::nullopt) {
  return detail::call_for_one("aten.avg_pool3d", {self, kernel_size, stride, padding, ceil_mode, count_include_pad,
        divisor_override});
}

/// Derivative of avg_pool3d: gradients shared out over their windows.
/// `aten.avg_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor`
inline Tensor avg_pool3d_backward(const Tensor& grad_output, const Tensor& self,
                                  const IntList& kernel_size, const IntList& stride,
                                  const IntList& padding, detail::Flag ceil_mode,
                                  detail::Flag count_include_pad,
                                  std::optional<int64_t> divisor_override) {
  return detail::call_for_one("aten.avg_pool3d_backward", {grad_output, self, kernel_size, stride, padding, ceil_mode,
        count_include_pad, divisor_override});
}

/// beta * self + alpha * (batch1 @ batch2).
/// `aten.baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor`
inline Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                      const Scalar& beta = 1, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.baddbmm", {self, batch1, batch2, beta, alpha});
}

/// beta * self + alpha * (batch1 @ batch2).
/// `aten.baddbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)`
inline Tensor baddbmm_(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                       const Scalar& beta = 1, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.baddbmm_", {self, batch1, batch2, beta, alpha});
}

/// A triangle from 0 to 1 to 0.
/// `aten.bartlett_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor bartlett_window(int64_t window_length, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.bartlett_window", {window_length, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// A triangle from 0 to 1 to 0.
/// `aten.bartlett_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor bartlett_window(int64_t window_length, detail::Flag periodic,
                              std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.bartlett_window.periodic", {window_length, periodic, dtype, std::nullopt,
        std::nullopt, std::nullopt});
}

/// Batch norm; training also updates the running statistics it is given.
/// `aten.batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor`
inline Tensor batch_norm(const Tensor& input, const MaybeTensor& weight, const MaybeTensor& bias,
                         const MaybeTensor& running_mean, const MaybeTensor& running_var,
                         detail::Flag training, double momentum, double eps,
                         detail::Flag cudnn_enabled) {
  return detail::call_for_one("aten.batch_norm", {input, weight, bias, running_mean, running_var, training, momentum,
        eps, cudnn_enabled});
}

/// Derivative of batch norm by input, weight and bias; save_var is 1 / deviation.
/// `aten.batch_norm_backward(Tensor grad_out, Tensor input, Tensor weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_var, bool update, float eps, bool[3] output_mask, Tensor reserve) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> batch_norm_backward(const Tensor& grad_out, const Tensor& input,
                                        const Tensor& weight, const MaybeTensor& running_mean,
                                        const MaybeTensor& running_var,
                                        const MaybeTensor& save_mean, const MaybeTensor& save_var,
                                        detail::Flag update, double eps,
                                        const detail::FlagList& output_mask, const Tensor& reserve) {
  return detail::call_for_many<3>("aten.batch_norm_backward", {grad_out, input, weight, running_mean, running_var, save_mean,
        save_var, update, eps, output_mask, reserve});
}

/// 1 with probability self, else 0.
/// `aten.bernoulli(Tensor self, *, Generator? generator=None) -> Tensor`
inline Tensor bernoulli(const Tensor& self) {
  return detail::call_for_one("aten.bernoulli", {self, std::nullopt});
}

/// 1 with probability p, else 0, in the shape of self; p is broadcast.
/// `aten.bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor`
inline Tensor bernoulli(const Tensor& self, const Tensor& p) {
  return detail::call_for_one("aten.bernoulli.Tensor", {self, p, std::nullopt});
}

/// 1 with probability p, else 0, in the shape of self.
/// `aten.bernoulli.p(Tensor self, float p=0.5, *, Generator? generator=None) -> Tensor`
inline Tensor bernoulli(const Tensor& self, double p) {
  return detail::call_for_one("aten.bernoulli.p", {self, p, std::nullopt});
}

/// 1 with probability p, else 0, in the shape of self; p is broadcast.
/// `aten.bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)`
inline Tensor bernoulli_(const Tensor& self, const Tensor& p) {
  return detail::call_for_one("aten.bernoulli_.Tensor", {self, p, std::nullopt});
}

/// 1 with probability p, else 0, in the shape of self.
/// `aten.bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)`
inline Tensor bernoulli_(const Tensor& self, double p = 0.5) {
  return detail::call_for_one("aten.bernoulli_.float", {self, p, std::nullopt});
}

/// input1 @ weight[k] @ input2 + bias[k] for every k.
/// `aten.bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor`
inline Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                       const MaybeTensor& bias = {}) {
  return detail::call_for_one("aten.bilinear", {input1, input2, weight, bias});
}

/// Cross entropy of probabilities of yes; logarithms count as at least -100.
/// `aten.binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor`
inline Tensor binary_cross_entropy(const Tensor& self, const Tensor& target,
                                   const MaybeTensor& weight = {}, int64_t reduction = 1) {
  return detail::call_for_one("aten.binary_cross_entropy", {self, target, weight, reduction});
}

/// Derivative of binary_cross_entropy.
/// `aten.binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor`
inline Tensor binary_cross_entropy_backward(const Tensor& grad_output, const Tensor& self,
                                        const Tensor& target, const MaybeTensor& weight = {},
                                        int64_t reduction = 1) {
  return detail::call_for_one("aten.binary_cross_entropy_backward", {grad_output, self, target, weight, reduction});
}

/// Cross entropy of the logits of yes; pos_weight multiplies the yes part.
/// `aten.binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=1) -> Tensor`
inline Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target,
                                        const MaybeTensor& weight = {},
                                        const MaybeTensor& pos_weight = {}, int64_t reduction = 1) {
  return detail::call_for_one("aten.binary_cross_entropy_with_logits", {self, target, weight, pos_weight, reduction});
}

/// How often each whole number occurs, or the sum of its weights.
/// `aten.bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor`
inline Tensor bincount(const Tensor& self, const MaybeTensor& weights = {}, int64_t minlength = 0) {
  return detail::call_for_one("aten.bincount", {self, weights, minlength});
}

/// How often each whole number occurs, or the sum of its weights.
/// `aten.bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor`
inline Tensor bincount(const Tensor& self, const MaybeTensor& weights, const Size& minlength) {
  return detail::call_for_one("aten.bincount", {self, weights, minlength});
}

/// How many of count trials succeed, each with probability prob.
/// `aten.binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor`
inline Tensor binomial(const Tensor& count, const Tensor& prob) {
  return detail::call_for_one("aten.binomial", {count, prob, std::nullopt});
}

/// Bitwise and.
/// `aten.bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor bitwise_and(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.bitwise_and.Scalar", {self, other});
}

/// Bitwise and.
/// `aten.bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor`
inline Tensor bitwise_and(const Scalar& self, const Tensor& other) {
  return detail::call_for_one("aten.bitwise_and.Scalar_Tensor", {self, other});
}

/// Bitwise and.
/// `aten.bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor bitwise_and(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.bitwise_and.Tensor", {self, other});
}

/// Bitwise and.
/// `aten.bitwise_and_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor bitwise_and_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.bitwise_and_.Scalar", {self, other});
}

/// Bitwise and.
/// `aten.bitwise_and_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor bitwise_and_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.bitwise_and_.Tensor", {self, other});
}

/// self * 2^other within the bits of the dtype.
/// `aten.bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor`
inline Tensor bitwise_left_shift(const Scalar& self, const Tensor& other) {
  return detail::call_for_one("aten.bitwise_left_shift.Scalar_Tensor", {self, other});
}

/// self * 2^other within the bits of the dtype.
/// `aten.bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor bitwise_left_shift(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.bitwise_left_shift.Tensor", {self, other});
}

/// self * 2^other within the bits of the dtype.
/// `aten.bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor bitwise_left_shift(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.bitwise_left_shift.Tensor_Scalar", {self, other});
}

/// self * 2^other within the bits of the dtype.
/// `aten.bitwise_left_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor bitwise_left_shift_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.bitwise_left_shift_.Tensor", {self, other});
}

/// self * 2^other within the bits of the dtype.
/// `aten.bitwise_left_shift_.Tensor_Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor bitwise_left_shift_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.bitwise_left_shift_.Tensor_Scalar", {self, other});
}

/// Flips every bit; logical not of bool.
/// `aten.bitwise_not(Tensor self) -> Tensor`
inline Tensor bitwise_not(const Tensor& self) {
  return detail::call_for_one("aten.bitwise_not", {self});
}

/// Flips every bit; logical not of bool.
/// `aten.bitwise_not_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor bitwise_not_(const Tensor& self) {
  return detail::call_for_one("aten.bitwise_not_", {self});
}

/// Bitwise or.
/// `aten.bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor bitwise_or(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.bitwise_or.Scalar", {self, other});
}

/// Bitwise or.
/// `aten.bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor`
inline Tensor bitwise_or(const Scalar& self, const Tensor& other) {
  return detail::call_for_one("aten.bitwise_or.Scalar_Tensor", {self, other});
}

/// Bitwise or.
/// `aten.bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor bitwise_or(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.bitwise_or.Tensor", {self, other});
}

/// Bitwise or.
/// `aten.bitwise_or_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor bitwise_or_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.bitwise_or_.Scalar", {self, other});
}

/// Bitwise or.
/// `aten.bitwise_or_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor bitwise_or_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.bitwise_or_.Tensor", {self, other});
}

/// Shifts right; signed numbers keep their sign.
/// `aten.bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor`
inline Tensor bitwise_right_shift(const Scalar& self, const Tensor& other) {
  return detail::call_for_one("aten.bitwise_right_shift.Scalar_Tensor", {self, other});
}

/// Shifts right; signed numbers keep their sign.
/// `aten.bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor bitwise_right_shift(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.bitwise_right_shift.Tensor", {self, other});
}

/// Shifts right; signed numbers keep their sign.
/// `aten.bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor bitwise_right_shift(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.bitwise_right_shift.Tensor_Scalar", {self, other});
}

/// Shifts right; signed numbers keep their sign.
/// `aten.bitwise_right_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor bitwise_right_shift_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.bitwise_right_shift_.Tensor", {self, other});
}

/// Shifts right; signed numbers keep their sign.
/// `aten.bitwise_right_shift_.Tensor_Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor bitwise_right_shift_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.bitwise_right_shift_.Tensor_Scalar", {self, other});
}

/// Bitwise exclusive or.
/// `aten.bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor bitwise_xor(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.bitwise_xor.Scalar", {self, other});
}

/// Bitwise exclusive or.
/// `aten.bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor`
inline Tensor bitwise_xor(const Scalar& self, const Tensor& other) {
  return detail::call_for_one("aten.bitwise_xor.Scalar_Tensor", {self, other});
}

/// Bitwise exclusive or.
/// `aten.bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor bitwise_xor(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.bitwise_xor.Tensor", {self, other});
}

/// Bitwise exclusive or.
/// `aten.bitwise_xor_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor bitwise_xor_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.bitwise_xor_.Scalar", {self, other});
}

/// Bitwise exclusive or.
/// `aten.bitwise_xor_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor bitwise_xor_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.bitwise_xor_.Tensor", {self, other});
}

/// 0.42 - 0.5 cos + 0.08 cos of twice the angle.
/// `aten.blackman_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor blackman_window(int64_t window_length, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.blackman_window", {window_length, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// 0.42 - 0.5 cos + 0.08 cos of twice the angle.
/// `aten.blackman_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor blackman_window(int64_t window_length, detail::Flag periodic,
                              std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.blackman_window.periodic", {window_length, periodic, dtype, std::nullopt,
        std::nullopt, std::nullopt});
}

/// Blocks along the diagonal of a matrix of zeros.
/// C1: each has at most two dimensions. C2: a block is given.
/// `aten.block_diag(Tensor[] tensors) -> Tensor`
inline Tensor block_diag(const TensorList& tensors) {
  return detail::call_for_one("aten.block_diag", {tensors});
}

/// Product of two batches of matrices.
/// `aten.bmm(Tensor self, Tensor mat2) -> Tensor`
inline Tensor bmm(const Tensor& self, const Tensor& mat2) {
  return detail::call_for_one("aten.bmm", {self, mat2});
}

/// Views of all tensors under their common shape.
/// `aten.broadcast_tensors(Tensor[] tensors) -> Tensor[]`
inline std::vector<Tensor> broadcast_tensors(const TensorList& tensors) {
  return detail::call("aten.broadcast_tensors", {tensors});
}

/// A view of self under a larger shape.
/// `aten.broadcast_to(Tensor(a) self, int[] size) -> Tensor(a)`
inline Tensor broadcast_to(const Tensor& self, const IntList& size) {
  return detail::call_for_one("aten.broadcast_to", {self, size});
}

/// The place of a number among sorted boundaries.
/// `aten.bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor`
inline Tensor bucketize(const Scalar& self, const Tensor& boundaries,
                        detail::Flag out_int32 = false, detail::Flag right = false) {
  return detail::call_for_one("aten.bucketize.Scalar", {self, boundaries, out_int32, right});
}

/// The place of each element among sorted boundaries.
/// `aten.bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor`
inline Tensor bucketize(const Tensor& self, const Tensor& boundaries,
                        detail::Flag out_int32 = false, detail::Flag right = false) {
  return detail::call_for_one("aten.bucketize.Tensor", {self, boundaries, out_int32, right});
}

/// Every tuple of elements, one a row.
/// C1: a tensor is given. C2: all are lists. C3: they have one dtype.
/// `aten.cartesian_prod(Tensor[] tensors) -> Tensor`
inline Tensor cartesian_prod(const TensorList& tensors) {
  return detail::call_for_one("aten.cartesian_prod", {tensors});
}

/// The tensors behind one another along a dimension; dtypes are promoted.
/// `aten.cat(Tensor[] tensors, int dim=0) -> Tensor`
inline Tensor cat(const TensorList& tensors, int64_t dim = 0) {
  return detail::call_for_one("aten.cat", {tensors, dim});
}

/// Cauchy distributed numbers in the shape of self.
/// `aten.cauchy(Tensor self, float median=0.0, float sigma=1.0, *, Generator? generator=None) -> Tensor`
inline Tensor cauchy(const Tensor& self, double median = 0, double sigma = 1) {
  return detail::call_for_one("aten.cauchy", {self, median, sigma, std::nullopt});
}

/// Cauchy distributed numbers in the shape of self.
/// `aten.cauchy_(Tensor(a!) self, float median=0.0, float sigma=1.0, *, Generator? generator=None) -> Tensor(a!)`
inline Tensor cauchy_(const Tensor& self, double median = 0, double sigma = 1) {
  return detail::call_for_one("aten.cauchy_", {self, median, sigma, std::nullopt});
}

/// Distances between all vectors of x1 and all of x2.
/// `aten.cdist(Tensor x1, Tensor x2, float p=2.0, int? compute_mode=None) -> Tensor`
inline Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2,
                    std::optional<int64_t> compute_mode = std::nullopt) {
  return detail::call_for_one("aten.cdist", {x1, x2, p, compute_mode});
}

/// Rounds up.
/// `aten.ceil(Tensor self) -> Tensor`
inline Tensor ceil(const Tensor& self) {
  return detail::call_for_one("aten.ceil", {self});
}

/// Rounds up.
/// `aten.ceil_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor ceil_(const Tensor& self) {
  return detail::call_for_one("aten.ceil_", {self});
}

/// elu that is smooth for every alpha: alpha * expm1(self / alpha) below 0.
/// C1: alpha is not 0.
/// `aten.celu(Tensor self, Scalar alpha=1.0) -> Tensor`
inline Tensor celu(const Tensor& self, const Scalar& alpha = 1.0) {
  return detail::call_for_one("aten.celu", {self, alpha});
}

/// elu that is smooth for every alpha: alpha * expm1(self / alpha) below 0.
/// C1: alpha is not 0.
/// `aten.celu_(Tensor(a!) self, Scalar alpha=1.0) -> Tensor(a!)`
inline Tensor celu_(const Tensor& self, const Scalar& alpha = 1.0) {
  return detail::call_for_one("aten.celu_", {self, alpha});
}

/// The product of all matrices, in the cheapest order.
/// `aten.chain_matmul(Tensor[] matrices) -> Tensor`
inline Tensor chain_matmul(const TensorList& matrices) {
  return detail::call_for_one("aten.chain_matmul", {matrices});
}

/// Interleaves the channels of groups.
/// `aten.channel_shuffle(Tensor self, int groups) -> Tensor`
inline Tensor channel_shuffle(const Tensor& self, int64_t groups) {
  return detail::call_for_one("aten.channel_shuffle", {self, groups});
}

/// Interleaves the channels of groups.
/// `aten.channel_shuffle(Tensor self, int groups) -> Tensor`
inline Tensor channel_shuffle(const Tensor& self, const Size& groups) {
  return detail::call_for_one("aten.channel_shuffle", {self, groups});
}

/// Triangular factor of positive definite matrices.
/// `aten.cholesky(Tensor self, bool upper=False) -> Tensor`
inline Tensor cholesky(const Tensor& self, detail::Flag upper = false) {
  return detail::call_for_one("aten.cholesky", {self, upper});
}

/// Inverse of a matrix from its Cholesky factor.
/// `aten.cholesky_inverse(Tensor self, bool upper=False) -> Tensor`
inline Tensor cholesky_inverse(const Tensor& self, detail::Flag upper = false) {
  return detail::call_for_one("aten.cholesky_inverse", {self, upper});
}

/// Solution of linear systems by Cholesky factors.
/// `aten.cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor`
inline Tensor cholesky_solve(const Tensor& self, const Tensor& input2, detail::Flag upper = false) {
  return detail::call_for_one("aten.cholesky_solve", {self, input2, upper});
}

/// At most `chunks` parts of equal length, the last possibly shorter.
/// `aten.chunk(Tensor(a) self, int chunks, int dim=0) -> Tensor(a)[]`
inline std::vector<Tensor> chunk(const Tensor& self, int64_t chunks, int64_t dim = 0) {
  return detail::call("aten.chunk", {self, chunks, dim});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor`
inline Tensor clamp(const Tensor& self, const std::optional<Scalar>& min = std::nullopt,
                    const std::optional<Scalar>& max = std::nullopt) {
  return detail::call_for_one("aten.clamp", {self, min, max});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor`
inline Tensor clamp(const Tensor& self, const MaybeTensor& min, const MaybeTensor& max = {}) {
  return detail::call_for_one("aten.clamp.Tensor", {self, min, max});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clamp_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)`
inline Tensor clamp_(const Tensor& self, const std::optional<Scalar>& min = std::nullopt,
                     const std::optional<Scalar>& max = std::nullopt) {
  return detail::call_for_one("aten.clamp_", {self, min, max});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clamp_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)`
inline Tensor clamp_(const Tensor& self, const MaybeTensor& min, const MaybeTensor& max = {}) {
  return detail::call_for_one("aten.clamp_.Tensor", {self, min, max});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clamp_max(Tensor self, Scalar max) -> Tensor`
inline Tensor clamp_max(const Tensor& self, const Scalar& max) {
  return detail::call_for_one("aten.clamp_max", {self, max});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clamp_max.Tensor(Tensor self, Tensor max) -> Tensor`
inline Tensor clamp_max(const Tensor& self, const Tensor& max) {
  return detail::call_for_one("aten.clamp_max.Tensor", {self, max});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clamp_max_(Tensor(a!) self, Scalar max) -> Tensor(a!)`
inline Tensor clamp_max_(const Tensor& self, const Scalar& max) {
  return detail::call_for_one("aten.clamp_max_", {self, max});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clamp_max_.Tensor(Tensor(a!) self, Tensor max) -> Tensor(a!)`
inline Tensor clamp_max_(const Tensor& self, const Tensor& max) {
  return detail::call_for_one("aten.clamp_max_.Tensor", {self, max});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clamp_min(Tensor self, Scalar min) -> Tensor`
inline Tensor clamp_min(const Tensor& self, const Scalar& min) {
  return detail::call_for_one("aten.clamp_min", {self, min});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clamp_min.Tensor(Tensor self, Tensor min) -> Tensor`
inline Tensor clamp_min(const Tensor& self, const Tensor& min) {
  return detail::call_for_one("aten.clamp_min.Tensor", {self, min});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clamp_min_(Tensor(a!) self, Scalar min) -> Tensor(a!)`
inline Tensor clamp_min_(const Tensor& self, const Scalar& min) {
  return detail::call_for_one("aten.clamp_min_", {self, min});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clamp_min_.Tensor(Tensor(a!) self, Tensor min) -> Tensor(a!)`
inline Tensor clamp_min_(const Tensor& self, const Tensor& min) {
  return detail::call_for_one("aten.clamp_min_.Tensor", {self, min});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor`
inline Tensor clip(const Tensor& self, const std::optional<Scalar>& min = std::nullopt,
                   const std::optional<Scalar>& max = std::nullopt) {
  return detail::call_for_one("aten.clip", {self, min, max});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor`
inline Tensor clip(const Tensor& self, const MaybeTensor& min, const MaybeTensor& max = {}) {
  return detail::call_for_one("aten.clip.Tensor", {self, min, max});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clip_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)`
inline Tensor clip_(const Tensor& self, const std::optional<Scalar>& min = std::nullopt,
                    const std::optional<Scalar>& max = std::nullopt) {
  return detail::call_for_one("aten.clip_", {self, min, max});
}

/// Limits self to [min, max]; NaN in any operand gives NaN.
/// C1: min or max is given. C2: not for complex.
/// `aten.clip_.Tensor(Tensor(a!) self, Tensor? min=None, Tensor? max=None) -> Tensor(a!)`
inline Tensor clip_(const Tensor& self, const MaybeTensor& min, const MaybeTensor& max = {}) {
  return detail::call_for_one("aten.clip_.Tensor", {self, min, max});
}

/// A copy; it keeps a dense layout unless a memory format is given.
/// `aten.clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor clone(const Tensor& self, std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten.clone", {self, memory_format});
}

/// Adds up columns of patches into an image.
/// `aten.col2im(Tensor self, int[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor`
inline Tensor col2im(const Tensor& self, const IntList& output_size, const IntList& kernel_size,
                     const IntList& dilation, const IntList& padding, const IntList& stride) {
  return detail::call_for_one("aten.col2im", {self, output_size, kernel_size, dilation, padding, stride});
}

/// Vectors as columns, matrices side by side.
/// `aten.column_stack(Tensor[] tensors) -> Tensor`
inline Tensor column_stack(const TensorList& tensors) {
  return detail::call_for_one("aten.column_stack", {tensors});
}

/// Every choice of r elements in their order, one a row.
/// C1: self is a list. C2: r is not negative.
/// `aten.combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor`
inline Tensor combinations(const Tensor& self, int64_t r = 2, detail::Flag with_replacement = false) {
  return detail::call_for_one("aten.combinations", {self, r, with_replacement});
}

/// real + i imag.
/// `aten.complex(Tensor real, Tensor imag) -> Tensor`
inline Tensor complex(const Tensor& real, const Tensor& imag) {
  return detail::call_for_one("aten.complex", {real, imag});
}

/// Another name of cat.
/// `aten.concat(Tensor[] tensors, int dim=0) -> Tensor`
inline Tensor concat(const TensorList& tensors, int64_t dim = 0) {
  return detail::call_for_one("aten.concat", {tensors, dim});
}

/// Another name of cat.
/// `aten.concatenate(Tensor[] tensors, int dim=0) -> Tensor`
inline Tensor concatenate(const TensorList& tensors, int64_t dim = 0) {
  return detail::call_for_one("aten.concatenate", {tensors, dim});
}

/// Complex conjugate; real tensors are copied.
/// `aten.conj(Tensor self) -> Tensor`
inline Tensor conj(const Tensor& self) {
  return detail::call_for_one("aten.conj", {self});
}

/// Complex conjugate; real tensors are copied.
/// `aten.conj_physical(Tensor self) -> Tensor`
inline Tensor conj_physical(const Tensor& self) {
  return detail::call_for_one("aten.conj_physical", {self});
}

/// Complex conjugate; real tensors are copied.
/// `aten.conj_physical_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor conj_physical_(const Tensor& self) {
  return detail::call_for_one("aten.conj_physical_", {self});
}

/// Pads with a constant, last dimension first; negative entries crop.
/// `aten.constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor`
inline Tensor constant_pad_nd(const Tensor& self, const IntList& pad, const Scalar& value = 0) {
  return detail::call_for_one("aten.constant_pad_nd", {self, pad, value});
}

/// Self in the memory format; self itself if it has it already.
/// C1: the format is not preserve_format.
/// `aten.contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)`
inline Tensor contiguous(const Tensor& self, MemoryFormat memory_format = MemoryFormat::contiguous) {
  return detail::call_for_one("aten.contiguous", {self, memory_format});
}

/// Convolution over one dimension.
/// `aten.conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=[1], int[1] padding=[0], int[1] dilation=[1], int groups=1) -> Tensor`
inline Tensor conv1d(const Tensor& input, const Tensor& weight, const MaybeTensor& bias = {},
                     const IntList& stride = IntList(1), const IntList& padding = IntList(0),
                     const IntList& dilation = IntList(1), int64_t groups = 1) {
  return detail::call_for_one("aten.conv1d", {input, weight, bias, stride, padding, dilation, groups});
}

/// Convolution over one dimension.
/// `aten.conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=[1], int[1] padding=[0], int[1] dilation=[1], int groups=1) -> Tensor`
inline Tensor conv1d(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                     const IntList& stride, const IntList& padding, const IntList& dilation,
                     const Size& groups) {
  return detail::call_for_one("aten.conv1d", {input, weight, bias, stride, padding, dilation, groups});
}

/// Convolution with padding 'valid' (none) or 'same' (keeps the size).
/// `aten.conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=[1], str padding='valid', int[1] dilation=[1], int groups=1) -> Tensor`
inline Tensor conv1d(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                     const IntList& stride, std::string_view padding,
                     const IntList& dilation = IntList(1), int64_t groups = 1) {
  return detail::call_for_one("aten.conv1d.padding", {input, weight, bias, stride, padding, dilation, groups});
}

/// Convolution with padding 'valid' (none) or 'same' (keeps the size).
/// `aten.conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=[1], str padding='valid', int[1] dilation=[1], int groups=1) -> Tensor`
inline Tensor conv1d(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                     const IntList& stride, std::string_view padding, const IntList& dilation,
                     const Size& groups) {
  return detail::call_for_one("aten.conv1d.padding", {input, weight, bias, stride, padding, dilation, groups});
}

/// Convolution over two dimensions.
/// `aten.conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=[1, 1], int[2] padding=[0, 0], int[2] dilation=[1, 1], int groups=1) -> Tensor`
inline Tensor conv2d(const Tensor& input, const Tensor& weight, const MaybeTensor& bias = {},
                     const IntList& stride = IntList{1, 1}, const IntList& padding = IntList{0, 0},
                     const IntList& dilation = IntList{1, 1}, int64_t groups = 1) {
  return detail::call_for_one("aten.conv2d", {input, weight, bias, stride, padding, dilation, groups});
}

/// Convolution over two dimensions.
/// `aten.conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=[1, 1], int[2] padding=[0, 0], int[2] dilation=[1, 1], int groups=1) -> Tensor`
inline Tensor conv2d(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                     const IntList& stride, const IntList& padding, const IntList& dilation,
                     const Size& groups) {
  return detail::call_for_one("aten.conv2d", {input, weight, bias, stride, padding, dilation, groups});
}

/// Convolution with padding 'valid' (none) or 'same' (keeps the size).
/// `aten.conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=[1, 1], str padding='valid', int[2] dilation=[1, 1], int groups=1) -> Tensor`
inline Tensor conv2d(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                     const IntList& stride, std::string_view padding,
                     const IntList& dilation = IntList{1, 1}, int64_t groups = 1) {
  return detail::call_for_one("aten.conv2d.padding", {input, weight, bias, stride, padding, dilation, groups});
}

/// Convolution with padding 'valid' (none) or 'same' (keeps the size).
/// `aten.conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=[1, 1], str padding='valid', int[2] dilation=[1, 1], int groups=1) -> Tensor`
inline Tensor conv2d(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                     const IntList& stride, std::string_view padding, const IntList& dilation,
                     const Size& groups) {
  return detail::call_for_one("aten.conv2d.padding", {input, weight, bias, stride, padding, dilation, groups});
}

/// Convolution over three dimensions.
/// `aten.conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=[1, 1, 1], int[3] padding=[0, 0, 0], int[3] dilation=[1, 1, 1], int groups=1) -> Tensor`
inline Tensor conv3d(const Tensor& input, const Tensor& weight, const MaybeTensor& bias = {},
                     const IntList& stride = IntList{1, 1, 1}, const IntList& padding = IntList{0,
                     0, 0}, const IntList& dilation = IntList{1, 1, 1}, int64_t groups = 1) {
  return detail::call_for_one("aten.conv3d", {input, weight, bias, stride, padding, dilation, groups});
}

/// Convolution over three dimensions.
/// `aten.conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=[1, 1, 1], int[3] padding=[0, 0, 0], int[3] dilation=[1, 1, 1], int groups=1) -> Tensor`
inline Tensor conv3d(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                     const IntList& stride, const IntList& padding, const IntList& dilation,
                     const Size& groups) {
  return detail::call_for_one("aten.conv3d", {input, weight, bias, stride, padding, dilation, groups});
}

/// Convolution with padding 'valid' (none) or 'same' (keeps the size).
/// `aten.conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=[1, 1, 1], str padding='valid', int[3] dilation=[1, 1, 1], int groups=1) -> Tensor`
inline Tensor conv3d(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                     const IntList& stride, std::string_view padding,
                     const IntList& dilation = IntList{1, 1, 1}, int64_t groups = 1) {
  return detail::call_for_one("aten.conv3d.padding", {input, weight, bias, stride, padding, dilation, groups});
}

/// Convolution with padding 'valid' (none) or 'same' (keeps the size).
/// `aten.conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=[1, 1, 1], str padding='valid', int[3] dilation=[1, 1, 1], int groups=1) -> Tensor`
inline Tensor conv3d(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                     const IntList& stride, std::string_view padding, const IntList& dilation,
                     const Size& groups) {
  return detail::call_for_one("aten.conv3d.padding", {input, weight, bias, stride, padding, dilation, groups});
}

/// Convolution over the first dimension of [time, batch, channels].
/// C1: input and weight have three dimensions. C2: they have as many channels. C3: the bias has an element per channel of the result.
/// `aten.conv_tbc(Tensor self, Tensor weight, Tensor bias, int pad=0) -> Tensor`
inline Tensor conv_tbc(const Tensor& self, const Tensor& weight, const Tensor& bias, int64_t pad = 0) {
  return detail::call_for_one("aten.conv_tbc", {self, weight, bias, pad});
}

/// The transpose of conv1d: inputs spread through the window.
/// `aten.conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=[1], int[1] padding=[0], int[1] output_padding=[0], int groups=1, int[1] dilation=[1]) -> Tensor`
inline Tensor conv_transpose1d(const Tensor& input, const Tensor& weight,
                               const MaybeTensor& bias = {}, const IntList& stride = IntList(1),
                               const IntList& padding = IntList(0),
                               const IntList& output_padding = IntList(0), int64_t groups = 1,
                               const IntList& dilation = IntList(1)) {
  return detail::call_for_one("aten.conv_transpose1d", {input, weight, bias, stride, padding, output_padding, groups,
        dilation});
}

/// The transpose of conv1d: inputs spread through the window.
/// `aten.conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=[1], int[1] padding=[0], int[1] output_padding=[0], int groups=1, int[1] dilation=[1]) -> Tensor`
inline Tensor conv_transpose1d(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                               const IntList& stride, const IntList& padding,
                               const IntList& output_padding, const Size& groups,
                               const IntList& dilation = IntList(1)) {
  return detail::call_for_one("aten.conv_transpose1d", {input, weight, bias, stride, padding, output_padding, groups,
        dilation});
}

/// The transpose of conv2d.
/// `aten.conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=[1, 1], int[2] padding=[0, 0], int[2] output_padding=[0, 0], int groups=1, int[2] dilation=[1, 1]) -> Tensor`
inline Tensor conv_transpose2d(const Tensor& input, const Tensor& weight,
                               const MaybeTensor& bias = {}, const IntList& stride = IntList{1, 1},
                               const IntList& padding = IntList{0, 0},
                               const IntList& output_padding = IntList{0, 0}, int64_t groups = 1,
                               const IntList& dilation = IntList{1, 1}) {
  return detail::call_for_one("aten.conv_transpose2d.input", {input, weight, bias, stride, padding, output_padding,
        groups, dilation});
}

/// The transpose of conv2d.
/// `aten.conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=[1, 1], int[2] padding=[0, 0], int[2] output_padding=[0, 0], int groups=1, int[2] dilation=[1, 1]) -> Tensor`
inline Tensor conv_transpose2d(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                               const IntList& stride, const IntList& padding,
                               const IntList& output_padding, const Size& groups,
                               const IntList& dilation = IntList{1, 1}) {
  return detail::call_for_one("aten.conv_transpose2d.input", {input, weight, bias, stride, padding, output_padding,
        groups, dilation});
}

/// The transpose of conv3d.
/// `aten.conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=[1, 1, 1], int[3] padding=[0, 0, 0], int[3] output_padding=[0, 0, 0], int groups=1, int[3] dilation=[1, 1, 1]) -> Tensor`
inline Tensor conv_transpose3d(const Tensor& input, const Tensor& weight,
                               const MaybeTensor& bias = {}, const IntList& stride = IntList{1, 1,
                               1}, const IntList& padding = IntList{0, 0, 0},
                               const IntList& output_padding = IntList{0, 0, 0}, int64_t groups = 1,
                               const IntList& dilation = IntList{1, 1, 1}) {
  return detail::call_for_one("aten.conv_transpose3d.input", {input, weight, bias, stride, padding, output_padding,
        groups, dilation});
}

/// The transpose of conv3d.
/// `aten.conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=[1, 1, 1], int[3] padding=[0, 0, 0], int[3] output_padding=[0, 0, 0], int groups=1, int[3] dilation=[1, 1, 1]) -> Tensor`
inline Tensor conv_transpose3d(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                               const IntList& stride, const IntList& padding,
                               const IntList& output_padding, const Size& groups,
                               const IntList& dilation = IntList{1, 1, 1}) {
  return detail::call_for_one("aten.conv_transpose3d.input", {input, weight, bias, stride, padding, output_padding,
        groups, dilation});
}

/// Convolution over one to three dimensions: each output is the sum over a window of the input times the weight, plus the bias.
/// `aten.convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups) -> Tensor`
inline Tensor convolution(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                          const IntList& stride, const IntList& padding, const IntList& dilation,
                          detail::Flag transposed, const IntList& output_padding, int64_t groups) {
  return detail::call_for_one("aten.convolution", {input, weight, bias, stride, padding, dilation, transposed,
        output_padding, groups});
}

/// Convolution over one to three dimensions: each output is the sum over a window of the input times the weight, plus the bias.
/// `aten.convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups) -> Tensor`
inline Tensor convolution(const Tensor& input, const Tensor& weight, const MaybeTensor& bias,
                          const IntList& stride, const IntList& padding, const IntList& dilation,
                          detail::Flag transposed, const IntList& output_padding, const Size& groups) {
  return detail::call_for_one("aten.convolution", {input, weight, bias, stride, padding, dilation, transposed,
        output_padding, groups});
}

/// Derivative of convolution by input, weight and bias.
/// `aten.convolution_backward(Tensor grad_output, Tensor input, Tensor weight, int[]? bias_sizes, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> convolution_backward(const Tensor& grad_output, const Tensor& input,
                                        const Tensor& weight, const MaybeIntList& bias_sizes,
                                        const IntList& stride, const IntList& padding,
                                        const IntList& dilation, detail::Flag transposed,
                                        const IntList& output_padding, int64_t groups,
                                        const detail::FlagList& output_mask) {
  return detail::call_for_many<3>("aten.convolution_backward", {grad_output, input, weight, bias_sizes, stride, padding,
        dilation, transposed, output_padding, groups, output_mask});
}

/// Derivative of convolution by input, weight and bias.
/// `aten.convolution_backward(Tensor grad_output, Tensor input, Tensor weight, int[]? bias_sizes, int[] stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> convolution_backward(const Tensor& grad_output, const Tensor& input,
                                        const Tensor& weight, const MaybeIntList& bias_sizes,
                                        const IntList& stride, const IntList& padding,
                                        const IntList& dilation, detail::Flag transposed,
                                        const IntList& output_padding, const Size& groups,
                                        const detail::FlagList& output_mask) {
  return detail::call_for_many<3>("aten.convolution_backward", {grad_output, input, weight, bias_sizes, stride, padding,
        dilation, transposed, output_padding, groups, output_mask});
}

/// src broadcast and cast to self.
/// C1: src broadcasts to self.
/// `aten.copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor`
inline Tensor copy(const Tensor& self, const Tensor& src) {
  return detail::call_for_one("aten.copy", {self, src, std::nullopt});
}

/// src broadcast and cast to self.
/// C1: src broadcasts to self.
/// `aten.copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)`
inline Tensor copy_(const Tensor& self, const Tensor& src) {
  return detail::call_for_one("aten.copy_", {self, src, std::nullopt});
}

/// Magnitude of self with the sign of other.
/// `aten.copysign.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor copysign(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.copysign.Scalar", {self, other});
}

/// Magnitude of self with the sign of other.
/// `aten.copysign.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor copysign(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.copysign.Tensor", {self, other});
}

/// Magnitude of self with the sign of other.
/// `aten.copysign_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor copysign_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.copysign_.Scalar", {self, other});
}

/// Magnitude of self with the sign of other.
/// `aten.copysign_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor copysign_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.copysign_.Tensor", {self, other});
}

/// Cosine.
/// `aten.cos(Tensor self) -> Tensor`
inline Tensor cos(const Tensor& self) {
  return detail::call_for_one("aten.cos", {self});
}

/// Cosine.
/// `aten.cos_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor cos_(const Tensor& self) {
  return detail::call_for_one("aten.cos_", {self});
}

/// Hyperbolic cosine.
/// `aten.cosh(Tensor self) -> Tensor`
inline Tensor cosh(const Tensor& self) {
  return detail::call_for_one("aten.cosh", {self});
}

/// Hyperbolic cosine.
/// `aten.cosh_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor cosh_(const Tensor& self) {
  return detail::call_for_one("aten.cosh_", {self});
}

/// 1 - cosine where the target is 1, cosine above the margin where it is -1.
/// `aten.cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=1) -> Tensor`
inline Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2,
                                    const Tensor& target, double margin = 0, int64_t reduction = 1) {
  return detail::call_for_one("aten.cosine_embedding_loss", {input1, input2, target, margin, reduction});
}

/// Cosine of the angle between vectors along a dimension.
/// `aten.cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor`
inline Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim = 1,
                                double eps = 1e-08) {
  return detail::call_for_one("aten.cosine_similarity", {x1, x2, dim, eps});
}

/// How many elements are non-zero.
/// `aten.count_nonzero(Tensor self, int? dim=None) -> Tensor`
inline Tensor count_nonzero(const Tensor& self, std::optional<int64_t> dim = std::nullopt) {
  return detail::call_for_one("aten.count_nonzero", {self, dim});
}

/// How many elements along the dimensions are non-zero.
/// `aten.count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor`
inline Tensor count_nonzero(const Tensor& self, const IntList& dim) {
  return detail::call_for_one("aten.count_nonzero.dim_IntList", {self, dim});
}

/// Cross product of vectors of 3 along a dimension.
/// `aten.cross(Tensor self, Tensor other, int? dim=None) -> Tensor`
inline Tensor cross(const Tensor& self, const Tensor& other,
                    std::optional<int64_t> dim = std::nullopt) {
  return detail::call_for_one("aten.cross", {self, other, dim});
}

/// Cross entropy of class scores with class numbers, or with probabilities of the scores' shape.
/// `aten.cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100, float label_smoothing=0.0) -> Tensor`
inline Tensor cross_entropy_loss(const Tensor& self, const Tensor& target,
                                 const MaybeTensor& weight = {}, int64_t reduction = 1,
                                 int64_t ignore_index = -100, double label_smoothing = 0) {
  return detail::call_for_one("aten.cross_entropy_loss", {self, target, weight, reduction, ignore_index,
        label_smoothing});
}

/// Cross entropy of class scores with class numbers, or with probabilities of the scores' shape.
/// `aten.cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100, float label_smoothing=0.0) -> Tensor`
inline Tensor cross_entropy_loss(const Tensor& self, const Tensor& target,
                                 const MaybeTensor& weight, int64_t reduction,
                                 const Size& ignore_index, double label_smoothing = 0) {
  return detail::call_for_one("aten.cross_entropy_loss", {self, target, weight, reduction, ignore_index,
        label_smoothing});
}

/// Negative logarithm of the probability that sequences spell their targets.
/// `aten.ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor`
inline Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const IntList& input_lengths,
                       const IntList& target_lengths, int64_t blank = 0, int64_t reduction = 1,
                       detail::Flag zero_infinity = false) {
  return detail::call_for_one("aten.ctc_loss.IntList", {log_probs, targets, input_lengths, target_lengths, blank,
        reduction, zero_infinity});
}

/// Negative logarithm of the probability that sequences spell their targets.
/// `aten.ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor`
inline Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                       const Tensor& target_lengths, int64_t blank = 0, int64_t reduction = 1,
                       detail::Flag zero_infinity = false) {
  return detail::call_for_one("aten.ctc_loss.Tensor", {log_probs, targets, input_lengths, target_lengths, blank,
        reduction, zero_infinity});
}

/// The largest element up to each place, and where it is.
/// `aten.cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)`
inline std::tuple<Tensor, Tensor> cummax(const Tensor& self, int64_t dim) {
  return detail::call_for_many<2>("aten.cummax", {self, dim});
}

/// The smallest element up to each place, and where it is.
/// `aten.cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)`
inline std::tuple<Tensor, Tensor> cummin(const Tensor& self, int64_t dim) {
  return detail::call_for_many<2>("aten.cummin", {self, dim});
}

/// The product of the elements up to each place.
/// `aten.cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor`
inline Tensor cumprod(const Tensor& self, int64_t dim, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.cumprod", {self, dim, dtype});
}

/// The product of the elements up to each place.
/// `aten.cumprod_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)`
inline Tensor cumprod_(const Tensor& self, int64_t dim, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.cumprod_", {self, dim, dtype});
}

/// The sum of the elements up to each place.
/// `aten.cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor`
inline Tensor cumsum(const Tensor& self, int64_t dim, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.cumsum", {self, dim, dtype});
}

/// The sum of the elements up to each place.
/// `aten.cumsum_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)`
inline Tensor cumsum_(const Tensor& self, int64_t dim, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.cumsum_", {self, dim, dtype});
}

/// Running integral by trapezoids of width dx.
/// `aten.cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor`
inline Tensor cumulative_trapezoid(const Tensor& y, const Scalar& dx = 1, int64_t dim = -1) {
  return detail::call_for_one("aten.cumulative_trapezoid.dx", {y, dx, dim});
}

/// Running integral by trapezoids between the places x.
/// `aten.cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor`
inline Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, int64_t dim = -1) {
  return detail::call_for_one("aten.cumulative_trapezoid.x", {y, x, dim});
}

/// Degrees to radians.
/// `aten.deg2rad(Tensor self) -> Tensor`
inline Tensor deg2rad(const Tensor& self) {
  return detail::call_for_one("aten.deg2rad", {self});
}

/// Degrees to radians.
/// `aten.deg2rad_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor deg2rad_(const Tensor& self) {
  return detail::call_for_one("aten.deg2rad_", {self});
}

/// Determinant.
/// `aten.det(Tensor self) -> Tensor`
inline Tensor det(const Tensor& self) {
  return detail::call_for_one("aten.det", {self});
}

/// Self, sharing its storage.
/// `aten.detach(Tensor(a) self) -> Tensor(a)`
inline Tensor detach(const Tensor& self) {
  return detail::call_for_one("aten.detach", {self});
}

/// Self, sharing its storage.
/// `aten.detach_(Tensor(a) self) -> Tensor(a)`
inline Tensor detach_(const Tensor& self) {
  return detail::call_for_one("aten.detach_", {self});
}

/// A copy of self.
/// `aten.detach_copy(Tensor self) -> Tensor`
inline Tensor detach_copy(const Tensor& self) {
  return detail::call_for_one("aten.detach_copy", {self});
}

/// The matrix with this diagonal, or the diagonal of this matrix.
/// C1: self has one or two dimensions.
/// `aten.diag(Tensor self, int diagonal=0) -> Tensor`
inline Tensor diag(const Tensor& self, int64_t diagonal = 0) {
  return detail::call_for_one("aten.diag", {self, diagonal});
}

/// Matrices with the last dimension of self as diagonal.
/// C1: self has a dimension. C2: dim1 and dim2 differ.
/// `aten.diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor`
inline Tensor diag_embed(const Tensor& self, int64_t offset = 0, int64_t dim1 = -2,
                         int64_t dim2 = -1) {
  return detail::call_for_one("aten.diag_embed", {self, offset, dim1, dim2});
}

/// The matrix with all elements of self on its diagonal.
/// `aten.diagflat(Tensor self, int offset=0) -> Tensor`
inline Tensor diagflat(const Tensor& self, int64_t offset = 0) {
  return detail::call_for_one("aten.diagflat", {self, offset});
}

/// The diagonal of two dimensions, as the last dimension.
/// `aten.diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)`
inline Tensor diagonal(const Tensor& self, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) {
  return detail::call_for_one("aten.diagonal", {self, offset, dim1, dim2});
}

/// Derivative of diagonal: zeros but for the diagonal.
/// `aten.diagonal_backward(Tensor grad_output, int[] input_sizes, int offset, int dim1, int dim2) -> Tensor`
inline Tensor diagonal_backward(const Tensor& grad_output, const IntList& input_sizes,
                                int64_t offset, int64_t dim1, int64_t dim2) {
  return detail::call_for_one("aten.diagonal_backward", {grad_output, input_sizes, offset, dim1, dim2});
}

/// What the view of the same name gives, copied.
/// `aten.diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor`
inline Tensor diagonal_copy(const Tensor& self, int64_t offset = 0, int64_t dim1 = 0,
                            int64_t dim2 = 1) {
  return detail::call_for_one("aten.diagonal_copy", {self, offset, dim1, dim2});
}

/// Self with src on a diagonal.
/// `aten.diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor`
inline Tensor diagonal_scatter(const Tensor& self, const Tensor& src, int64_t offset = 0,
                               int64_t dim1 = 0, int64_t dim2 = 1) {
  return detail::call_for_one("aten.diagonal_scatter", {self, src, offset, dim1, dim2});
}

/// Differences of neighbours, n times.
/// `aten.diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor`
inline Tensor diff(const Tensor& self, int64_t n = 1, int64_t dim = -1,
                   const MaybeTensor& prepend = {}, const MaybeTensor& append = {}) {
  return detail::call_for_one("aten.diff", {self, n, dim, prepend, append});
}

/// Logarithmic derivative of gamma.
/// `aten.digamma(Tensor self) -> Tensor`
inline Tensor digamma(const Tensor& self) {
  return detail::call_for_one("aten.digamma", {self});
}

/// Logarithmic derivative of gamma.
/// `aten.digamma_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor digamma_(const Tensor& self) {
  return detail::call_for_one("aten.digamma_", {self});
}

/// The p-norm of the difference.
/// `aten.dist(Tensor self, Tensor other, Scalar p=2) -> Tensor`
inline Tensor dist(const Tensor& self, const Tensor& other, const Scalar& p = 2) {
  return detail::call_for_one("aten.dist", {self, other, p});
}

/// self / other; integers give f32.
/// `aten.div.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor div(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.div.Scalar", {self, other});
}

/// self / other, rounded to an integer towards zero (trunc) or minus infinity (floor).
/// C1: rounding_mode is None, trunc or floor.
/// `aten.div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor`
inline Tensor div(const Tensor& self, const Scalar& other,
                  std::optional<std::string_view> rounding_mode) {
  return detail::call_for_one("aten.div.Scalar_mode", {self, other, rounding_mode});
}

/// self / other; integers give f32.
/// `aten.div.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor div(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.div.Tensor", {self, other});
}

/// self / other, rounded to an integer towards zero (trunc) or minus infinity (floor).
/// C1: rounding_mode is None, trunc or floor.
/// `aten.div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor`
inline Tensor div(const Tensor& self, const Tensor& other,
                  std::optional<std::string_view> rounding_mode) {
  return detail::call_for_one("aten.div.Tensor_mode", {self, other, rounding_mode});
}

/// self / other; integers give f32.
/// `aten.div_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor div_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.div_.Scalar", {self, other});
}

/// self / other, rounded to an integer towards zero (trunc) or minus infinity (floor).
/// C1: rounding_mode is None, trunc or floor.
/// `aten.div_.Scalar_mode(Tensor(a!) self, Scalar other, *, str? rounding_mode) -> Tensor(a!)`
inline Tensor div_(const Tensor& self, const Scalar& other,
                   std::optional<std::string_view> rounding_mode) {
  return detail::call_for_one("aten.div_.Scalar_mode", {self, other, rounding_mode});
}

/// self / other; integers give f32.
/// `aten.div_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor div_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.div_.Tensor", {self, other});
}

/// self / other, rounded to an integer towards zero (trunc) or minus infinity (floor).
/// C1: rounding_mode is None, trunc or floor.
/// `aten.div_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)`
inline Tensor div_(const Tensor& self, const Tensor& other,
                   std::optional<std::string_view> rounding_mode) {
  return detail::call_for_one("aten.div_.Tensor_mode", {self, other, rounding_mode});
}

/// self / other; integers give f32.
/// `aten.divide.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor divide(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.divide.Scalar", {self, other});
}

/// self / other, rounded to an integer towards zero (trunc) or minus infinity (floor).
/// C1: rounding_mode is None, trunc or floor.
/// `aten.divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor`
inline Tensor divide(const Tensor& self, const Scalar& other,
                     std::optional<std::string_view> rounding_mode) {
  return detail::call_for_one("aten.divide.Scalar_mode", {self, other, rounding_mode});
}

/// self / other; integers give f32.
/// `aten.divide.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor divide(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.divide.Tensor", {self, other});
}

/// self / other, rounded to an integer towards zero (trunc) or minus infinity (floor).
/// C1: rounding_mode is None, trunc or floor.
/// `aten.divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor`
inline Tensor divide(const Tensor& self, const Tensor& other,
                     std::optional<std::string_view> rounding_mode) {
  return detail::call_for_one("aten.divide.Tensor_mode", {self, other, rounding_mode});
}

/// self / other; integers give f32.
/// `aten.divide_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor divide_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.divide_.Scalar", {self, other});
}

/// self / other, rounded to an integer towards zero (trunc) or minus infinity (floor).
/// C1: rounding_mode is None, trunc or floor.
/// `aten.divide_.Scalar_mode(Tensor(a!) self, Scalar other, *, str? rounding_mode) -> Tensor(a!)`
inline Tensor divide_(const Tensor& self, const Scalar& other,
                      std::optional<std::string_view> rounding_mode) {
  return detail::call_for_one("aten.divide_.Scalar_mode", {self, other, rounding_mode});
}

/// self / other; integers give f32.
/// `aten.divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor divide_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.divide_.Tensor", {self, other});
}

/// self / other, rounded to an integer towards zero (trunc) or minus infinity (floor).
/// C1: rounding_mode is None, trunc or floor.
/// `aten.divide_.Tensor_mode(Tensor(a!) self, Tensor other, *, str? rounding_mode) -> Tensor(a!)`
inline Tensor divide_(const Tensor& self, const Tensor& other,
                      std::optional<std::string_view> rounding_mode) {
  return detail::call_for_one("aten.divide_.Tensor_mode", {self, other, rounding_mode});
}

/// Product of two vectors.
/// `aten.dot(Tensor self, Tensor tensor) -> Tensor`
inline Tensor dot(const Tensor& self, const Tensor& tensor) {
  return detail::call_for_one("aten.dot", {self, tensor});
}

/// In training: zero with probability p, else scaled by 1 / (1 - p).
/// `aten.dropout(Tensor input, float p, bool train) -> Tensor`
inline Tensor dropout(const Tensor& input, double p, detail::Flag train) {
  return detail::call_for_one("aten.dropout", {input, p, train});
}

/// In training: zero with probability p, else scaled by 1 / (1 - p).
/// `aten.dropout_(Tensor(a!) input, float p, bool train) -> Tensor(a!)`
inline Tensor dropout_(const Tensor& input, double p, detail::Flag train) {
  return detail::call_for_one("aten.dropout_", {input, p, train});
}

/// Parts of dimension 2 between the given indices.
/// `aten.dsplit.array(Tensor(a) self, int[] indices) -> Tensor(a)[]`
inline std::vector<Tensor> dsplit(const Tensor& self, const IntList& indices) {
  return detail::call("aten.dsplit.array", {self, indices});
}

/// Equal parts of dimension 2.
/// `aten.dsplit.int(Tensor(a) self, int sections) -> Tensor(a)[]`
inline std::vector<Tensor> dsplit(const Tensor& self, int64_t sections) {
  return detail::call("aten.dsplit.int", {self, sections});
}

/// Stacks along the third dimension.
/// `aten.dstack(Tensor[] tensors) -> Tensor`
inline Tensor dstack(const TensorList& tensors) {
  return detail::call_for_one("aten.dstack", {tensors});
}

/// Sum of products over the labels that the output does not have; `path` is only advice and is not followed.
/// `aten.einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor`
inline Tensor einsum(std::string_view equation, const TensorList& tensors,
                     const MaybeIntList& path = std::nullopt) {
  return detail::call_for_one("aten.einsum", {equation, tensors, path});
}

/// Exponential linear unit: alpha * expm1(self) below 0.
/// `aten.elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor`
inline Tensor elu(const Tensor& self, const Scalar& alpha = 1, const Scalar& scale = 1,
                  const Scalar& input_scale = 1) {
  return detail::call_for_one("aten.elu", {self, alpha, scale, input_scale});
}

/// Exponential linear unit: alpha * expm1(self) below 0.
/// `aten.elu_(Tensor(a!) self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor(a!)`
inline Tensor elu_(const Tensor& self, const Scalar& alpha = 1, const Scalar& scale = 1,
                   const Scalar& input_scale = 1) {
  return detail::call_for_one("aten.elu_", {self, alpha, scale, input_scale});
}

/// Derivative of elu.
/// `aten.elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, Tensor self_or_result) -> Tensor`
inline Tensor elu_backward(const Tensor& grad_output, const Scalar& alpha, const Scalar& scale,
                           const Scalar& input_scale, detail::Flag is_result,
                           const Tensor& self_or_result) {
  return detail::call_for_one("aten.elu_backward", {grad_output, alpha, scale, input_scale, is_result, self_or_result});
}

/// Rows of a matrix by number; padding_idx matters to gradients only.
/// `aten.embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor`
inline Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx = -1,
                        detail::Flag scale_grad_by_freq = false, detail::Flag sparse = false) {
  return detail::call_for_one("aten.embedding", {weight, indices, padding_idx, scale_grad_by_freq, sparse});
}

/// Rows of a matrix by number; padding_idx matters to gradients only.
/// `aten.embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor`
inline Tensor embedding(const Tensor& weight, const Tensor& indices, const Size& padding_idx,
                        detail::Flag scale_grad_by_freq = false, detail::Flag sparse = false) {
  return detail::call_for_one("aten.embedding", {weight, indices, padding_idx, scale_grad_by_freq, sparse});
}

/// Sum, mean or maximum of bags of rows; the bag of each index and the bags' sizes.
/// `aten.embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(const Tensor& weight, const Tensor& indices,
                                        const Tensor& offsets,
                                        detail::Flag scale_grad_by_freq = false, int64_t mode = 0,
                                        detail::Flag sparse = false,
                                        const MaybeTensor& per_sample_weights = {},
                                        detail::Flag include_last_offset = false) {
  return detail::call_for_many<4>("aten.embedding_bag", {weight, indices, offsets, scale_grad_by_freq, mode, sparse,
        per_sample_weights, include_last_offset});
}

/// Sum, mean or maximum of bags of rows but one; bags of indices and bags' sizes.
/// `aten.embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(const Tensor& weight, const Tensor& indices,
                                        const Tensor& offsets, detail::Flag scale_grad_by_freq,
                                        int64_t mode, detail::Flag sparse,
                                        const MaybeTensor& per_sample_weights,
                                        detail::Flag include_last_offset,
                                        std::optional<int64_t> padding_idx) {
  return detail::call_for_many<4>("aten.embedding_bag.padding_idx", {weight, indices, offsets, scale_grad_by_freq, mode,
        sparse, per_sample_weights, include_last_offset, padding_idx});
}

/// Derivative of embedding: gradients added to their rows, but for one row.
/// `aten.embedding_dense_backward(Tensor grad_output, Tensor indices, int num_weights, int padding_idx, bool scale_grad_by_freq) -> Tensor`
inline Tensor embedding_dense_backward(const Tensor& grad_output, const Tensor& indices,
                                       int64_t num_weights, int64_t padding_idx,
                                       detail::Flag scale_grad_by_freq) {
  return detail::call_for_one("aten.embedding_dense_backward", {grad_output, indices, num_weights, padding_idx,
        scale_grad_by_freq});
}

/// Derivative of embedding: gradients added to their rows, but for one row.
/// `aten.embedding_dense_backward(Tensor grad_output, Tensor indices, int num_weights, int padding_idx, bool scale_grad_by_freq) -> Tensor`
inline Tensor embedding_dense_backward(const Tensor& grad_output, const Tensor& indices,
                                       const Size& num_weights, const Size& padding_idx,
                                       detail::Flag scale_grad_by_freq) {
  return detail::call_for_one("aten.embedding_dense_backward", {grad_output, indices, num_weights, padding_idx,
        scale_grad_by_freq});
}

/// Shortens the named rows that are longer than max_norm to that length.
/// `aten.embedding_renorm(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor`
inline Tensor embedding_renorm(const Tensor& self, const Tensor& indices, double max_norm,
                               double norm_type) {
  return detail::call_for_one("aten.embedding_renorm", {self, indices, max_norm, norm_type});
}

/// Shortens the named rows that are longer than max_norm to that length.
/// `aten.embedding_renorm_(Tensor(a!) self, Tensor indices, float max_norm, float norm_type) -> Tensor(a!)`
inline Tensor embedding_renorm_(const Tensor& self, const Tensor& indices, double max_norm,
                                double norm_type) {
  return detail::call_for_one("aten.embedding_renorm_", {self, indices, max_norm, norm_type});
}

/// A tensor of zeros, where PyTorch leaves values undefined.
/// `aten.empty.memory_format(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor empty(const IntList& size, std::optional<DType> dtype = std::nullopt,
                    std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten.empty.memory_format", {size, dtype, std::nullopt, std::nullopt, std::nullopt,
        memory_format});
}

/// A tensor of zeros, where PyTorch leaves values undefined.
/// `aten.empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor empty_like(const Tensor& self, std::optional<DType> dtype = std::nullopt,
                         std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten.empty_like", {self, dtype, std::nullopt, std::nullopt, std::nullopt, memory_format});
}

/// A tensor of zeros, where PyTorch leaves values undefined.
/// `aten.empty_permuted(int[] size, int[] physical_layout, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor empty_permuted(const IntList& size, const IntList& physical_layout,
                             std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.empty_permuted", {size, physical_layout, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// A tensor of zeros, where PyTorch leaves values undefined.
/// `aten.empty_strided(int[] size, int[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor empty_strided(const IntList& size, const IntList& stride,
                            std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.empty_strided", {size, stride, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// self == other.
/// `aten.eq.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor eq(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.eq.Scalar", {self, other});
}

/// self == other.
/// `aten.eq.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor eq(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.eq.Tensor", {self, other});
}

/// self == other.
/// `aten.eq_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor eq_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.eq_.Scalar", {self, other});
}

/// self == other.
/// `aten.eq_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor eq_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.eq_.Tensor", {self, other});
}

/// Error function.
/// `aten.erf(Tensor self) -> Tensor`
inline Tensor erf(const Tensor& self) {
  return detail::call_for_one("aten.erf", {self});
}

/// Error function.
/// `aten.erf_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor erf_(const Tensor& self) {
  return detail::call_for_one("aten.erf_", {self});
}

/// Complementary error function.
/// `aten.erfc(Tensor self) -> Tensor`
inline Tensor erfc(const Tensor& self) {
  return detail::call_for_one("aten.erfc", {self});
}

/// Complementary error function.
/// `aten.erfc_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor erfc_(const Tensor& self) {
  return detail::call_for_one("aten.erfc_", {self});
}

/// Inverse error function.
/// `aten.erfinv(Tensor self) -> Tensor`
inline Tensor erfinv(const Tensor& self) {
  return detail::call_for_one("aten.erfinv", {self});
}

/// Inverse error function.
/// `aten.erfinv_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor erfinv_(const Tensor& self) {
  return detail::call_for_one("aten.erfinv_", {self});
}

/// Exponential.
/// `aten.exp(Tensor self) -> Tensor`
inline Tensor exp(const Tensor& self) {
  return detail::call_for_one("aten.exp", {self});
}

/// Two to the power of self.
/// `aten.exp2(Tensor self) -> Tensor`
inline Tensor exp2(const Tensor& self) {
  return detail::call_for_one("aten.exp2", {self});
}

/// Two to the power of self.
/// `aten.exp2_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor exp2_(const Tensor& self) {
  return detail::call_for_one("aten.exp2_", {self});
}

/// Exponential.
/// `aten.exp_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor exp_(const Tensor& self) {
  return detail::call_for_one("aten.exp_", {self});
}

/// Repeats dimensions of size 1 without moving data; -1 keeps a size.
/// `aten.expand(Tensor(a) self, int[] size, *, bool implicit=False) -> Tensor(a)`
inline Tensor expand(const Tensor& self, const IntList& size, detail::Flag implicit = false) {
  return detail::call_for_one("aten.expand", {self, size, implicit});
}

/// expand to the sizes of `other`.
/// `aten.expand_as(Tensor(a) self, Tensor other) -> Tensor(a)`
inline Tensor expand_as(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.expand_as", {self, other});
}

/// What the view of the same name gives, copied.
/// `aten.expand_copy(Tensor self, int[] size, *, bool implicit=False) -> Tensor`
inline Tensor expand_copy(const Tensor& self, const IntList& size, detail::Flag implicit = false) {
  return detail::call_for_one("aten.expand_copy", {self, size, implicit});
}

/// exp(self) - 1, accurate near 0.
/// `aten.expm1(Tensor self) -> Tensor`
inline Tensor expm1(const Tensor& self) {
  return detail::call_for_one("aten.expm1", {self});
}

/// exp(self) - 1, accurate near 0.
/// `aten.expm1_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor expm1_(const Tensor& self) {
  return detail::call_for_one("aten.expm1_", {self});
}

/// Exponentially distributed numbers in the shape of self.
/// `aten.exponential(Tensor self, float lambd=1.0, *, Generator? generator=None) -> Tensor`
inline Tensor exponential(const Tensor& self, double lambd = 1) {
  return detail::call_for_one("aten.exponential", {self, lambd, std::nullopt});
}

/// Exponentially distributed numbers in the shape of self.
/// `aten.exponential_(Tensor(a!) self, float lambd=1.0, *, Generator? generator=None) -> Tensor(a!)`
inline Tensor exponential_(const Tensor& self, double lambd = 1) {
  return detail::call_for_one("aten.exponential_", {self, lambd, std::nullopt});
}

/// The identity matrix.
/// `aten.eye(int n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor eye(int64_t n, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.eye", {n, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// The identity matrix.
/// `aten.eye(int n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor eye(const Size& n, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.eye", {n, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// Ones on the main diagonal of an n by m matrix.
/// `aten.eye.m(int n, int m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor eye(int64_t n, int64_t m, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.eye.m", {n, m, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// Ones on the main diagonal of an n by m matrix.
/// `aten.eye.m(int n, int m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor eye(const Size& n, const Size& m, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.eye.m", {n, m, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// Quantized and dequantized again.
/// C1: of floating tensors. C2: the range of integers is not empty. C3: one scale and zero point, or one per channel. C4: a zero point is one of the integers. C5: scales of channels are f32, zero points i32, f32 or f16.
/// `aten.fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> Tensor`
inline Tensor fake_quantize_per_channel_affine(const Tensor& self, const Tensor& scale,
                                        const Tensor& zero_point, int64_t axis, int64_t quant_min,
                                        int64_t quant_max) {
  return detail::call_for_one("aten.fake_quantize_per_channel_affine", {self, scale, zero_point, axis, quant_min,
        quant_max});
}

/// Quantized and dequantized again, and where nothing was clamped.
/// C1 to C5 as without a mask.
/// `aten.fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> fake_quantize_per_channel_affine_cachemask(const Tensor& self, const Tensor& scale,
                                        const Tensor& zero_point, int64_t axis, int64_t quant_min,
                                        int64_t quant_max) {
  return detail::call_for_many<2>("aten.fake_quantize_per_channel_affine_cachemask", {self, scale, zero_point, axis,
        quant_min, quant_max});
}

/// The gradient where nothing was clamped, else 0.
/// `aten.fake_quantize_per_channel_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor`
inline Tensor fake_quantize_per_channel_affine_cachemask_backward(const Tensor& grad, const Tensor& mask) {
  return detail::call_for_one("aten.fake_quantize_per_channel_affine_cachemask_backward", {grad, mask});
}

/// Quantized and dequantized again.
/// C1: of floating tensors. C2: the range of integers is not empty. C3: one scale and zero point, or one per channel. C4: a zero point is one of the integers. C5: scales of channels are f32, zero points i32, f32 or f16.
/// `aten.fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor`
inline Tensor fake_quantize_per_tensor_affine(const Tensor& self, double scale, int64_t zero_point,
                                        int64_t quant_min, int64_t quant_max) {
  return detail::call_for_one("aten.fake_quantize_per_tensor_affine", {self, scale, zero_point, quant_min, quant_max});
}

/// Quantized and dequantized again.
/// C1: of floating tensors. C2: the range of integers is not empty. C3: one scale and zero point, or one per channel. C4: a zero point is one of the integers. C5: scales of channels are f32, zero points i32, f32 or f16.
/// `aten.fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max) -> Tensor`
inline Tensor fake_quantize_per_tensor_affine(const Tensor& self, const Tensor& scale,
                                        const Tensor& zero_point, int64_t quant_min,
                                        int64_t quant_max) {
  return detail::call_for_one("aten.fake_quantize_per_tensor_affine.tensor_qparams", {self, scale, zero_point, quant_min,
        quant_max});
}

/// Quantized and dequantized again, and where nothing was clamped.
/// C1 to C5 as without a mask.
/// `aten.fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> fake_quantize_per_tensor_affine_cachemask(const Tensor& self, double scale, int64_t zero_point,
                                        int64_t quant_min, int64_t quant_max) {
  return detail::call_for_many<2>("aten.fake_quantize_per_tensor_affine_cachemask", {self, scale, zero_point, quant_min,
        quant_max});
}

/// The gradient where nothing was clamped, else 0.
/// `aten.fake_quantize_per_tensor_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor`
inline Tensor fake_quantize_per_tensor_affine_cachemask_backward(const Tensor& grad, const Tensor& mask) {
  return detail::call_for_one("aten.fake_quantize_per_tensor_affine_cachemask_backward", {grad, mask});
}

/// Alpha dropout of whole channels.
/// `aten.feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor`
inline Tensor feature_alpha_dropout(const Tensor& input, double p, detail::Flag train) {
  return detail::call_for_one("aten.feature_alpha_dropout", {input, p, train});
}

/// Alpha dropout of whole channels.
/// `aten.feature_alpha_dropout_(Tensor(a!) input, float p, bool train) -> Tensor(a!)`
inline Tensor feature_alpha_dropout_(const Tensor& input, double p, detail::Flag train) {
  return detail::call_for_one("aten.feature_alpha_dropout_", {input, p, train});
}

/// Dropout of whole channels.
/// `aten.feature_dropout(Tensor input, float p, bool train) -> Tensor`
inline Tensor feature_dropout(const Tensor& input, double p, detail::Flag train) {
  return detail::call_for_one("aten.feature_dropout", {input, p, train});
}

/// Dropout of whole channels.
/// `aten.feature_dropout_(Tensor(a!) input, float p, bool train) -> Tensor(a!)`
inline Tensor feature_dropout_(const Tensor& input, double p, detail::Flag train) {
  return detail::call_for_one("aten.feature_dropout_", {input, p, train});
}

/// Forward transform along a dimension.
/// `aten.fft_fft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor`
inline Tensor fft_fft(const Tensor& self, const std::optional<Size>& n = std::nullopt,
                      int64_t dim = -1, std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_fft", {self, n, dim, norm});
}

/// Forward transform over two dimensions.
/// `aten.fft_fft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor`
inline Tensor fft_fft2(const Tensor& self, const MaybeIntList& s = std::nullopt,
                       const IntList& dim = IntList{-2, -1},
                       std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_fft2", {self, s, dim, norm});
}

/// Frequencies of the results of fft, for samples d apart.
/// `aten.fft_fftfreq(int n, float d=1.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor fft_fftfreq(int64_t n, double d = 1, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.fft_fftfreq", {n, d, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// Forward transform over dimensions.
/// `aten.fft_fftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor`
inline Tensor fft_fftn(const Tensor& self, const MaybeIntList& s = std::nullopt,
                       const MaybeIntList& dim = std::nullopt,
                       std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_fftn", {self, s, dim, norm});
}

/// Moves frequency 0 from the start of dimensions to their middle.
/// `aten.fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor`
inline Tensor fft_fftshift(const Tensor& self, const MaybeIntList& dim = std::nullopt) {
  return detail::call_for_one("aten.fft_fftshift", {self, dim});
}

/// Forward transform of half a symmetric signal: real.
/// `aten.fft_hfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor`
inline Tensor fft_hfft(const Tensor& self, const std::optional<Size>& n = std::nullopt,
                       int64_t dim = -1, std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_hfft", {self, n, dim, norm});
}

/// Forward transform of half a symmetric signal over two dimensions.
/// `aten.fft_hfft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor`
inline Tensor fft_hfft2(const Tensor& self, const MaybeIntList& s = std::nullopt,
                        const IntList& dim = IntList{-2, -1},
                        std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_hfft2", {self, s, dim, norm});
}

/// Forward transform of half a symmetric signal over dimensions.
/// `aten.fft_hfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor`
inline Tensor fft_hfftn(const Tensor& self, const MaybeIntList& s = std::nullopt,
                        const MaybeIntList& dim = std::nullopt,
                        std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_hfftn", {self, s, dim, norm});
}

/// Backward transform along a dimension.
/// `aten.fft_ifft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor`
inline Tensor fft_ifft(const Tensor& self, const std::optional<Size>& n = std::nullopt,
                       int64_t dim = -1, std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_ifft", {self, n, dim, norm});
}

/// Backward transform over two dimensions.
/// `aten.fft_ifft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor`
inline Tensor fft_ifft2(const Tensor& self, const MaybeIntList& s = std::nullopt,
                        const IntList& dim = IntList{-2, -1},
                        std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_ifft2", {self, s, dim, norm});
}

/// Backward transform over dimensions.
/// `aten.fft_ifftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor`
inline Tensor fft_ifftn(const Tensor& self, const MaybeIntList& s = std::nullopt,
                        const MaybeIntList& dim = std::nullopt,
                        std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_ifftn", {self, s, dim, norm});
}

/// Moves frequency 0 from the middle of dimensions to their start.
/// `aten.fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor`
inline Tensor fft_ifftshift(const Tensor& self, const MaybeIntList& dim = std::nullopt) {
  return detail::call_for_one("aten.fft_ifftshift", {self, dim});
}

/// Backward transform of real numbers: half of a symmetric result.
/// `aten.fft_ihfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor`
inline Tensor fft_ihfft(const Tensor& self, const std::optional<Size>& n = std::nullopt,
                        int64_t dim = -1, std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_ihfft", {self, n, dim, norm});
}

/// Backward transform of real numbers over two dimensions: half of a symmetric result.
/// `aten.fft_ihfft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor`
inline Tensor fft_ihfft2(const Tensor& self, const MaybeIntList& s = std::nullopt,
                         const IntList& dim = IntList{-2, -1},
                         std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_ihfft2", {self, s, dim, norm});
}

/// Backward transform of real numbers over dimensions: half of a symmetric result.
/// `aten.fft_ihfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor`
inline Tensor fft_ihfftn(const Tensor& self, const MaybeIntList& s = std::nullopt,
                         const MaybeIntList& dim = std::nullopt,
                         std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_ihfftn", {self, s, dim, norm});
}

/// Backward transform of half a spectrum along a dimension: real.
/// `aten.fft_irfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor`
inline Tensor fft_irfft(const Tensor& self, const std::optional<Size>& n = std::nullopt,
                        int64_t dim = -1, std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_irfft", {self, n, dim, norm});
}

/// Backward transform of half a spectrum over two dimensions.
/// `aten.fft_irfft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor`
inline Tensor fft_irfft2(const Tensor& self, const MaybeIntList& s = std::nullopt,
                         const IntList& dim = IntList{-2, -1},
                         std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_irfft2", {self, s, dim, norm});
}

/// Backward transform of half a spectrum over dimensions.
/// `aten.fft_irfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor`
inline Tensor fft_irfftn(const Tensor& self, const MaybeIntList& s = std::nullopt,
                         const MaybeIntList& dim = std::nullopt,
                         std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_irfftn", {self, s, dim, norm});
}

/// Forward transform of real numbers: half of the spectrum.
/// `aten.fft_rfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor`
inline Tensor fft_rfft(const Tensor& self, const std::optional<Size>& n = std::nullopt,
                       int64_t dim = -1, std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_rfft", {self, n, dim, norm});
}

/// Forward transform of real numbers over two dimensions.
/// `aten.fft_rfft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor`
inline Tensor fft_rfft2(const Tensor& self, const MaybeIntList& s = std::nullopt,
                        const IntList& dim = IntList{-2, -1},
                        std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_rfft2", {self, s, dim, norm});
}

/// Frequencies of the results of rfft, for samples d apart.
/// `aten.fft_rfftfreq(int n, float d=1.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor fft_rfftfreq(int64_t n, double d = 1, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.fft_rfftfreq", {n, d, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// Forward transform of real numbers over dimensions.
/// `aten.fft_rfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor`
inline Tensor fft_rfftn(const Tensor& self, const MaybeIntList& s = std::nullopt,
                        const MaybeIntList& dim = std::nullopt,
                        std::optional<std::string_view> norm = std::nullopt) {
  return detail::call_for_one("aten.fft_rfftn", {self, s, dim, norm});
}

/// One value in place of those of self.
/// `aten.fill.Scalar(Tensor self, Scalar value) -> Tensor`
inline Tensor fill(const Tensor& self, const Scalar& value) {
  return detail::call_for_one("aten.fill.Scalar", {self, value});
}

/// One value in place of those of self.
/// C1: the value has rank 0.
/// `aten.fill.Tensor(Tensor self, Tensor value) -> Tensor`
inline Tensor fill(const Tensor& self, const Tensor& value) {
  return detail::call_for_one("aten.fill.Tensor", {self, value});
}

/// One value in place of those of self.
/// `aten.fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)`
inline Tensor fill_(const Tensor& self, const Scalar& value) {
  return detail::call_for_one("aten.fill_.Scalar", {self, value});
}

/// One value in place of those of self.
/// C1: the value has rank 0.
/// `aten.fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)`
inline Tensor fill_(const Tensor& self, const Tensor& value) {
  return detail::call_for_one("aten.fill_.Tensor", {self, value});
}

/// Self with a number on its diagonal; `wrap` starts again below a wide part.
/// C1: self has two dimensions or more. C2: more than two are of one size.
/// `aten.fill_diagonal_(Tensor(a!) self, Scalar fill_value, bool wrap=False) -> Tensor(a!)`
inline Tensor fill_diagonal_(const Tensor& self, const Scalar& fill_value, detail::Flag wrap = false) {
  return detail::call_for_one("aten.fill_diagonal_", {self, fill_value, wrap});
}

/// Rounds towards zero.
/// `aten.fix(Tensor self) -> Tensor`
inline Tensor fix(const Tensor& self) {
  return detail::call_for_one("aten.fix", {self});
}

/// Rounds towards zero.
/// `aten.fix_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor fix_(const Tensor& self) {
  return detail::call_for_one("aten.fix_", {self});
}

/// Joins the dimensions from start_dim to end_dim into one.
/// `aten.flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)`
inline Tensor flatten(const Tensor& self, int64_t start_dim = 0, int64_t end_dim = -1) {
  return detail::call_for_one("aten.flatten.using_ints", {self, start_dim, end_dim});
}

/// Reverses the given dimensions.
/// `aten.flip(Tensor self, int[] dims) -> Tensor`
inline Tensor flip(const Tensor& self, const IntList& dims) {
  return detail::call_for_one("aten.flip", {self, dims});
}

/// Reverses dimension 1.
/// `aten.fliplr(Tensor self) -> Tensor`
inline Tensor fliplr(const Tensor& self) {
  return detail::call_for_one("aten.fliplr", {self});
}

/// Reverses dimension 0.
/// `aten.flipud(Tensor self) -> Tensor`
inline Tensor flipud(const Tensor& self) {
  return detail::call_for_one("aten.flipud", {self});
}

/// self to the power of exponent, in f64 (c128).
/// `aten.float_power.Scalar(Scalar self, Tensor exponent) -> Tensor`
inline Tensor float_power(const Scalar& self, const Tensor& exponent) {
  return detail::call_for_one("aten.float_power.Scalar", {self, exponent});
}

/// self to the power of exponent, in f64 (c128).
/// `aten.float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor`
inline Tensor float_power(const Tensor& self, const Scalar& exponent) {
  return detail::call_for_one("aten.float_power.Tensor_Scalar", {self, exponent});
}

/// self to the power of exponent, in f64 (c128).
/// `aten.float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor`
inline Tensor float_power(const Tensor& self, const Tensor& exponent) {
  return detail::call_for_one("aten.float_power.Tensor_Tensor", {self, exponent});
}

/// self to the power of exponent, in f64 (c128).
/// `aten.float_power_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)`
inline Tensor float_power_(const Tensor& self, const Scalar& exponent) {
  return detail::call_for_one("aten.float_power_.Scalar", {self, exponent});
}

/// self to the power of exponent, in f64 (c128).
/// `aten.float_power_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)`
inline Tensor float_power_(const Tensor& self, const Tensor& exponent) {
  return detail::call_for_one("aten.float_power_.Tensor", {self, exponent});
}

/// Rounds down.
/// `aten.floor(Tensor self) -> Tensor`
inline Tensor floor(const Tensor& self) {
  return detail::call_for_one("aten.floor", {self});
}

/// Rounds down.
/// `aten.floor_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor floor_(const Tensor& self) {
  return detail::call_for_one("aten.floor_", {self});
}

/// self / other, rounded towards minus infinity.
/// `aten.floor_divide(Tensor self, Tensor other) -> Tensor`
inline Tensor floor_divide(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.floor_divide", {self, other});
}

/// self / other, rounded towards minus infinity.
/// `aten.floor_divide.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor floor_divide(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.floor_divide.Scalar", {self, other});
}

/// self / other, rounded towards minus infinity.
/// `aten.floor_divide_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor floor_divide_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.floor_divide_.Scalar", {self, other});
}

/// self / other, rounded towards minus infinity.
/// `aten.floor_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor floor_divide_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.floor_divide_.Tensor", {self, other});
}

/// The larger of two; the other where one is a quiet NaN.
/// `aten.fmax(Tensor self, Tensor other) -> Tensor`
inline Tensor fmax(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.fmax", {self, other});
}

/// The smaller of two; the other where one is a quiet NaN.
/// `aten.fmin(Tensor self, Tensor other) -> Tensor`
inline Tensor fmin(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.fmin", {self, other});
}

/// Remainder with the sign of self.
/// `aten.fmod.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor fmod(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.fmod.Scalar", {self, other});
}

/// Remainder with the sign of self.
/// `aten.fmod.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor fmod(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.fmod.Tensor", {self, other});
}

/// Remainder with the sign of self.
/// `aten.fmod_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor fmod_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.fmod_.Scalar", {self, other});
}

/// Remainder with the sign of self.
/// `aten.fmod_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor fmod_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.fmod_.Tensor", {self, other});
}

/// Fractional part, with the sign of self.
/// `aten.frac(Tensor self) -> Tensor`
inline Tensor frac(const Tensor& self) {
  return detail::call_for_one("aten.frac", {self});
}

/// Fractional part, with the sign of self.
/// `aten.frac_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor frac_(const Tensor& self) {
  return detail::call_for_one("aten.frac_", {self});
}

/// The largest element of randomly placed windows of an image, and where it is.
/// `aten.fractional_max_pool2d(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> fractional_max_pool2d(const Tensor& self, const IntList& kernel_size,
                                        const IntList& output_size, const Tensor& random_samples) {
  return detail::call_for_many<2>("aten.fractional_max_pool2d", {self, kernel_size, output_size, random_samples});
}

/// Derivative of fractional_max_pool2d.
/// `aten.fractional_max_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] output_size, Tensor indices) -> Tensor`
inline Tensor fractional_max_pool2d_backward(const Tensor& grad_output, const Tensor& self,
                                        const IntList& kernel_size, const IntList& output_size,
                                        const Tensor& indices) {
  return detail::call_for_one("aten.fractional_max_pool2d_backward", {grad_output, self, kernel_size, output_size,
        indices});
}

/// The largest element of randomly placed windows of a volume, and where it is.
/// `aten.fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> fractional_max_pool3d(const Tensor& self, const IntList& kernel_size,
                                        const IntList& output_size, const Tensor& random_samples) {
  return detail::call_for_many<2>("aten.fractional_max_pool3d", {self, kernel_size, output_size, random_samples});
}

/// Derivative of fractional_max_pool3d.
/// `aten.fractional_max_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] output_size, Tensor indices) -> Tensor`
inline Tensor fractional_max_pool3d_backward(const Tensor& grad_output, const Tensor& self,
                                        const IntList& kernel_size, const IntList& output_size,
                                        const Tensor& indices) {
  return detail::call_for_one("aten.fractional_max_pool3d_backward", {grad_output, self, kernel_size, output_size,
        indices});
}

/// self = mantissa * 2^exponent with a mantissa in [0.5, 1).
/// `aten.frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)`
inline std::tuple<Tensor, Tensor> frexp(const Tensor& self) {
  return detail::call_for_many<2>("aten.frexp.Tensor", {self});
}

/// The root of the sum of squares.
/// `aten.frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor`
inline Tensor frobenius_norm(const Tensor& self, const IntList& dim, detail::Flag keepdim = false) {
  return detail::call_for_one("aten.frobenius_norm.dim", {self, dim, keepdim});
}

/// A tensor of one value; without dtype, that of the value.
/// `aten.full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor full(const IntList& size, const Scalar& fill_value,
                   std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.full", {size, fill_value, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// One value in the shape of self.
/// `aten.full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor full_like(const Tensor& self, const Scalar& fill_value,
                        std::optional<DType> dtype = std::nullopt,
                        std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten.full_like", {self, fill_value, dtype, std::nullopt, std::nullopt, std::nullopt,
        memory_format});
}

/// Element [.., index[.., i, ..], ..] of a dimension for each index.
/// `aten.gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor`
inline Tensor gather(const Tensor& self, int64_t dim, const Tensor& index,
                     detail::Flag sparse_grad = false) {
  return detail::call_for_one("aten.gather", {self, dim, index, sparse_grad});
}

/// Greatest common divisor, not negative.
/// `aten.gcd(Tensor self, Tensor other) -> Tensor`
inline Tensor gcd(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.gcd", {self, other});
}

/// Greatest common divisor, not negative.
/// `aten.gcd_(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor gcd_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.gcd_", {self, other});
}

/// self >= other; false for NaN.
/// `aten.ge.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor ge(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.ge.Scalar", {self, other});
}

/// self >= other; false for NaN.
/// `aten.ge.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor ge(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.ge.Tensor", {self, other});
}

/// self >= other; false for NaN.
/// `aten.ge_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor ge_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.ge_.Scalar", {self, other});
}

/// self >= other; false for NaN.
/// `aten.ge_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor ge_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.ge_.Tensor", {self, other});
}

/// Gaussian error linear unit: self * P(N(0, 1) <= self).
/// C1: approximate is 'none' (exact, by erf) or 'tanh'.
/// `aten.gelu(Tensor self, *, str approximate='none') -> Tensor`
inline Tensor gelu(const Tensor& self, std::string_view approximate = "none") {
  return detail::call_for_one("aten.gelu", {self, approximate});
}

/// Gaussian error linear unit: self * P(N(0, 1) <= self).
/// C1: approximate is 'none' (exact, by erf) or 'tanh'.
/// `aten.gelu_(Tensor(a!) self, *, str approximate='none') -> Tensor(a!)`
inline Tensor gelu_(const Tensor& self, std::string_view approximate = "none") {
  return detail::call_for_one("aten.gelu_", {self, approximate});
}

/// Derivative of gelu.
/// `aten.gelu_backward(Tensor grad_output, Tensor self, *, str approximate='none') -> Tensor`
inline Tensor gelu_backward(const Tensor& grad_output, const Tensor& self,
                            std::string_view approximate = "none") {
  return detail::call_for_one("aten.gelu_backward", {grad_output, self, approximate});
}

/// Geometrically distributed numbers in the shape of self.
/// `aten.geometric(Tensor self, float p, *, Generator? generator=None) -> Tensor`
inline Tensor geometric(const Tensor& self, double p) {
  return detail::call_for_one("aten.geometric", {self, p, std::nullopt});
}

/// Geometrically distributed numbers in the shape of self.
/// `aten.geometric_(Tensor(a!) self, float p, *, Generator? generator=None) -> Tensor(a!)`
inline Tensor geometric_(const Tensor& self, double p) {
  return detail::call_for_one("aten.geometric_", {self, p, std::nullopt});
}

/// Householder reflectors and R of a QR factorization, packed.
/// `aten.geqrf(Tensor self) -> (Tensor a, Tensor tau)`
inline std::tuple<Tensor, Tensor> geqrf(const Tensor& self) {
  return detail::call_for_many<2>("aten.geqrf", {self});
}

/// outer.
/// `aten.ger(Tensor self, Tensor vec2) -> Tensor`
inline Tensor ger(const Tensor& self, const Tensor& vec2) {
  return detail::call_for_one("aten.ger", {self, vec2});
}

/// Gated linear unit: the first half times the sigmoid of the second.
/// C1: self has a dimension. C2: its size is even.
/// `aten.glu(Tensor self, int dim=-1) -> Tensor`
inline Tensor glu(const Tensor& self, int64_t dim = -1) {
  return detail::call_for_one("aten.glu", {self, dim});
}

/// Derivative of glu.
/// C1: the gradient has the rank and the floating dtype of self. C2: it is half of self along dim.
/// `aten.glu_backward(Tensor grad_output, Tensor self, int dim) -> Tensor`
inline Tensor glu_backward(const Tensor& grad_output, const Tensor& self, int64_t dim) {
  return detail::call_for_one("aten.glu_backward", {grad_output, self, dim});
}

/// Derivatives by central differences of unit steps.
/// `aten.gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]`
inline std::vector<Tensor> gradient(const Tensor& self, const IntList& dim, int64_t edge_order = 1) {
  return detail::call("aten.gradient.array", {self, dim, edge_order});
}

/// Derivatives by central differences of one step.
/// `aten.gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]`
inline std::vector<Tensor> gradient(const Tensor& self, const Scalar& spacing, const IntList& dim,
                                    int64_t edge_order = 1) {
  return detail::call("aten.gradient.scalararray", {self, spacing, dim, edge_order});
}

/// Derivatives by central differences of one step, along one or all dimensions.
/// `aten.gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]`
inline std::vector<Tensor> gradient(const Tensor& self,
                                    const std::optional<Scalar>& spacing = std::nullopt,
                                    std::optional<int64_t> dim = std::nullopt,
                                    int64_t edge_order = 1) {
  return detail::call("aten.gradient.scalarint", {self, spacing, dim, edge_order});
}

/// Derivatives by the slopes of parabolas through neighbours.
/// C1: the edge order is 1 or 2. C2: each dimension has its places. C3: it has more elements than the edge order.
/// `aten.gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]`
inline std::vector<Tensor> gradient(const Tensor& self, const TensorList& spacing,
                                    const IntList& dim, int64_t edge_order = 1) {
  return detail::call("aten.gradient.tensorarray", {self, spacing, dim, edge_order});
}

/// Derivatives by the slopes of parabolas through neighbours.
/// C1: the edge order is 1 or 2. C2: each dimension has its places. C3: it has more elements than the edge order.
/// `aten.gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[]`
inline std::vector<Tensor> gradient(const Tensor& self, const TensorList& spacing,
                                    std::optional<int64_t> dim = std::nullopt,
                                    int64_t edge_order = 1) {
  return detail::call("aten.gradient.tensorarrayint", {self, spacing, dim, edge_order});
}

/// self > other; false for NaN.
/// `aten.greater.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor greater(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.greater.Scalar", {self, other});
}

/// self > other; false for NaN.
/// `aten.greater.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor greater(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.greater.Tensor", {self, other});
}

/// self > other; false for NaN.
/// `aten.greater_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor greater_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.greater_.Scalar", {self, other});
}

/// self > other; false for NaN.
/// `aten.greater_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor greater_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.greater_.Tensor", {self, other});
}

/// self >= other; false for NaN.
/// `aten.greater_equal.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor greater_equal(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.greater_equal.Scalar", {self, other});
}

/// self >= other; false for NaN.
/// `aten.greater_equal.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor greater_equal(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.greater_equal.Tensor", {self, other});
}

/// self >= other; false for NaN.
/// `aten.greater_equal_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor greater_equal_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.greater_equal_.Scalar", {self, other});
}

/// self >= other; false for NaN.
/// `aten.greater_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor greater_equal_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.greater_equal_.Tensor", {self, other});
}

/// An image or volume at the points of a grid.
/// `aten.grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor`
inline Tensor grid_sampler(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                           int64_t padding_mode, detail::Flag align_corners) {
  return detail::call_for_one("aten.grid_sampler", {input, grid, interpolation_mode, padding_mode, align_corners});
}

/// An image at the points of a grid.
/// `aten.grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor`
inline Tensor grid_sampler_2d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                              int64_t padding_mode, detail::Flag align_corners) {
  return detail::call_for_one("aten.grid_sampler_2d", {input, grid, interpolation_mode, padding_mode, align_corners});
}

/// Derivative of grid sampling by image and grid.
/// C1: modes are 0, 1 and 2. C2: one rank and floating dtype. C3: sizes are above 0. C4: every point has a gradient in each channel.
/// `aten.grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> grid_sampler_2d_backward(const Tensor& grad_output, const Tensor& input,
                                        const Tensor& grid, int64_t interpolation_mode,
                                        int64_t padding_mode, detail::Flag align_corners,
                                        const detail::FlagList& output_mask) {
  return detail::call_for_many<2>("aten.grid_sampler_2d_backward", {grad_output, input, grid, interpolation_mode,
        padding_mode, align_corners, output_mask});
}

/// A volume at the points of a grid.
/// `aten.grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor`
inline Tensor grid_sampler_3d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                              int64_t padding_mode, detail::Flag align_corners) {
  return detail::call_for_one("aten.grid_sampler_3d", {input, grid, interpolation_mode, padding_mode, align_corners});
}

/// Derivative of grid sampling by image and grid.
/// C1: modes are 0, 1 and 2. C2: one rank and floating dtype. C3: sizes are above 0. C4: every point has a gradient in each channel.
/// `aten.grid_sampler_3d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> grid_sampler_3d_backward(const Tensor& grad_output, const Tensor& input,
                                        const Tensor& grid, int64_t interpolation_mode,
                                        int64_t padding_mode, detail::Flag align_corners,
                                        const detail::FlagList& output_mask) {
  return detail::call_for_many<2>("aten.grid_sampler_3d_backward", {grad_output, input, grid, interpolation_mode,
        padding_mode, align_corners, output_mask});
}

/// Normalises groups of channels of each sample.
/// `aten.group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor`
inline Tensor group_norm(const Tensor& input, int64_t num_groups, const MaybeTensor& weight = {},
                         const MaybeTensor& bias = {}, double eps = 1e-05,
                         detail::Flag cudnn_enabled = true) {
  return detail::call_for_one("aten.group_norm", {input, num_groups, weight, bias, eps, cudnn_enabled});
}

/// Gated recurrent units along a sequence.
/// `aten.gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> gru(const Tensor& input, const Tensor& hx,
                                      const TensorList& params, detail::Flag has_biases,
                                      int64_t num_layers, double dropout, detail::Flag train,
                                      detail::Flag bidirectional, detail::Flag batch_first) {
  return detail::call_for_many<2>("aten.gru.input", {input, hx, params, has_biases, num_layers, dropout, train,
        bidirectional, batch_first});
}

/// One step of gated recurrent units.
/// `aten.gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor`
inline Tensor gru_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih,
                       const Tensor& w_hh, const MaybeTensor& b_ih = {},
                       const MaybeTensor& b_hh = {}) {
  return detail::call_for_one("aten.gru_cell", {input, hx, w_ih, w_hh, b_ih, b_hh});
}

/// self > other; false for NaN.
/// `aten.gt.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor gt(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.gt.Scalar", {self, other});
}

/// self > other; false for NaN.
/// `aten.gt.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor gt(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.gt.Tensor", {self, other});
}

/// self > other; false for NaN.
/// `aten.gt_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor gt_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.gt_.Scalar", {self, other});
}

/// self > other; false for NaN.
/// `aten.gt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor gt_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.gt_.Tensor", {self, other});
}

/// alpha - beta cos over the window.
/// `aten.hamming_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor hamming_window(int64_t window_length, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.hamming_window", {window_length, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// alpha - beta cos over the window.
/// `aten.hamming_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor hamming_window(int64_t window_length, detail::Flag periodic,
                             std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.hamming_window.periodic", {window_length, periodic, dtype, std::nullopt,
        std::nullopt, std::nullopt});
}

/// alpha - beta cos over the window.
/// `aten.hamming_window.periodic_alpha(int window_length, bool periodic, float alpha, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor hamming_window(int64_t window_length, detail::Flag periodic, double alpha,
                             std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.hamming_window.periodic_alpha", {window_length, periodic, alpha, dtype, std::nullopt,
        std::nullopt, std::nullopt});
}

/// alpha - beta cos over the window.
/// `aten.hamming_window.periodic_alpha_beta(int window_length, bool periodic, float alpha, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor hamming_window(int64_t window_length, detail::Flag periodic, double alpha,
                             double beta, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.hamming_window.periodic_alpha_beta", {window_length, periodic, alpha, beta, dtype,
        std::nullopt, std::nullopt, std::nullopt});
}

/// 0.5 - 0.5 cos over the window.
/// `aten.hann_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor hann_window(int64_t window_length, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.hann_window", {window_length, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// 0.5 - 0.5 cos over the window.
/// `aten.hann_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor hann_window(int64_t window_length, detail::Flag periodic,
                          std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.hann_window.periodic", {window_length, periodic, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// 0 within [-lambd, lambd], else self.
/// `aten.hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor`
inline Tensor hardshrink(const Tensor& self, const Scalar& lambd = 0.5) {
  return detail::call_for_one("aten.hardshrink", {self, lambd});
}

/// 0 within [-lambd, lambd], else self.
/// `aten.hardshrink_(Tensor(a!) self, Scalar lambd=0.5) -> Tensor(a!)`
inline Tensor hardshrink_(const Tensor& self, const Scalar& lambd = 0.5) {
  return detail::call_for_one("aten.hardshrink_", {self, lambd});
}

/// Derivative of hardshrink.
/// `aten.hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor`
inline Tensor hardshrink_backward(const Tensor& grad_out, const Tensor& self, const Scalar& lambd) {
  return detail::call_for_one("aten.hardshrink_backward", {grad_out, self, lambd});
}

/// Piecewise linear sigmoid: relu6(self + 3) / 6.
/// `aten.hardsigmoid(Tensor self) -> Tensor`
inline Tensor hardsigmoid(const Tensor& self) {
  return detail::call_for_one("aten.hardsigmoid", {self});
}

/// Piecewise linear sigmoid: relu6(self + 3) / 6.
/// `aten.hardsigmoid_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor hardsigmoid_(const Tensor& self) {
  return detail::call_for_one("aten.hardsigmoid_", {self});
}

/// Derivative of hardsigmoid.
/// `aten.hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor`
inline Tensor hardsigmoid_backward(const Tensor& grad_output, const Tensor& self) {
  return detail::call_for_one("aten.hardsigmoid_backward", {grad_output, self});
}

/// self * hardsigmoid(self).
/// `aten.hardswish(Tensor self) -> Tensor`
inline Tensor hardswish(const Tensor& self) {
  return detail::call_for_one("aten.hardswish", {self});
}

/// self * hardsigmoid(self).
/// `aten.hardswish_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor hardswish_(const Tensor& self) {
  return detail::call_for_one("aten.hardswish_", {self});
}

/// Derivative of hardswish.
/// `aten.hardswish_backward(Tensor grad_output, Tensor self) -> Tensor`
inline Tensor hardswish_backward(const Tensor& grad_output, const Tensor& self) {
  return detail::call_for_one("aten.hardswish_backward", {grad_output, self});
}

/// Clamps to [min_val, max_val].
/// C1: not for bool.
/// `aten.hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor`
inline Tensor hardtanh(const Tensor& self, const Scalar& min_val = -1, const Scalar& max_val = 1) {
  return detail::call_for_one("aten.hardtanh", {self, min_val, max_val});
}

/// Clamps to [min_val, max_val].
/// C1: not for bool.
/// `aten.hardtanh_(Tensor(a!) self, Scalar min_val=-1, Scalar max_val=1) -> Tensor(a!)`
inline Tensor hardtanh_(const Tensor& self, const Scalar& min_val = -1, const Scalar& max_val = 1) {
  return detail::call_for_one("aten.hardtanh_", {self, min_val, max_val});
}

/// Derivative of hardtanh.
/// `aten.hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor`
inline Tensor hardtanh_backward(const Tensor& grad_output, const Tensor& self,
                                const Scalar& min_val, const Scalar& max_val) {
  return detail::call_for_one("aten.hardtanh_backward", {grad_output, self, min_val, max_val});
}

/// The exclusive or of the elements' bits along dimensions: of integers in i64, of real numbers in f64.
/// C1: of real numbers of 16 bits and more, bool, u8 or signed integers. C2: the mode is 0. C3: along dimensions with elements.
/// `aten.hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor`
inline Tensor hash_tensor(const Tensor& self, const IntList& dim = IntList{},
                          detail::Flag keepdim = false, int64_t mode = 0) {
  return detail::call_for_one("aten.hash_tensor", {self, dim, keepdim, mode});
}

/// 0 for negative self (and NaN), 1 for positive, values at 0.
/// C1: one dtype.
/// `aten.heaviside(Tensor self, Tensor values) -> Tensor`
inline Tensor heaviside(const Tensor& self, const Tensor& values) {
  return detail::call_for_one("aten.heaviside", {self, values});
}

/// 0 for negative self (and NaN), 1 for positive, values at 0.
/// C1: one dtype.
/// `aten.heaviside_(Tensor(a!) self, Tensor values) -> Tensor(a!)`
inline Tensor heaviside_(const Tensor& self, const Tensor& values) {
  return detail::call_for_one("aten.heaviside_", {self, values});
}

/// Self where the target is 1, what is short of the margin where it is -1.
/// `aten.hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int reduction=1) -> Tensor`
inline Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin = 1,
                                   int64_t reduction = 1) {
  return detail::call_for_one("aten.hinge_embedding_loss", {self, target, margin, reduction});
}

/// How many elements lie in each of the bins of one width between min and max.
/// `aten.histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor`
inline Tensor histc(const Tensor& self, int64_t bins = 100, const Scalar& min = 0,
                    const Scalar& max = 0) {
  return detail::call_for_one("aten.histc", {self, bins, min, max});
}

/// How many elements lie in each bin, and the edges of the bins.
/// C1: self is floating; without ends not a half. C2: so are the weights, one per element. C3: the ends rise and are finite. C4: there is a bin. C5: edges are a list.
/// `aten.histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)`
inline std::tuple<Tensor, Tensor> histogram(const Tensor& self, int64_t bins = 100,
                                        const std::optional<RealList>& range = std::nullopt,
                                        const MaybeTensor& weight = {}, detail::Flag density = false) {
  return detail::call_for_many<2>("aten.histogram.bin_ct", {self, bins, range, weight, density});
}

/// How many elements lie in each bin, and the edges of the bins.
/// C1: self is floating; without ends not a half. C2: so are the weights, one per element. C3: the ends rise and are finite. C4: there is a bin. C5: edges are a list.
/// `aten.histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)`
inline std::tuple<Tensor, Tensor> histogram(const Tensor& self, const Tensor& bins,
                                        const MaybeTensor& weight = {}, detail::Flag density = false) {
  return detail::call_for_many<2>("aten.histogram.bins_tensor", {self, bins, weight, density});
}

/// Parts of dimension 1 (0 at rank 1) between the given indices.
/// `aten.hsplit.array(Tensor(a) self, int[] indices) -> Tensor(a)[]`
inline std::vector<Tensor> hsplit(const Tensor& self, const IntList& indices) {
  return detail::call("aten.hsplit.array", {self, indices});
}

/// Equal parts of dimension 1 (0 at rank 1).
/// `aten.hsplit.int(Tensor(a) self, int sections) -> Tensor(a)[]`
inline std::vector<Tensor> hsplit(const Tensor& self, int64_t sections) {
  return detail::call("aten.hsplit.int", {self, sections});
}

/// Behind one another along dimension 1 (0 for vectors).
/// `aten.hstack(Tensor[] tensors) -> Tensor`
inline Tensor hstack(const TensorList& tensors) {
  return detail::call_for_one("aten.hstack", {tensors});
}

/// Half the squared error up to delta, linear beyond.
/// `aten.huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.0) -> Tensor`
inline Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction = 1,
                         double delta = 1) {
  return detail::call_for_one("aten.huber_loss", {self, target, reduction, delta});
}

/// Derivative of huber_loss.
/// `aten.huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float delta) -> Tensor`
inline Tensor huber_loss_backward(const Tensor& grad_output, const Tensor& self,
                                  const Tensor& target, int64_t reduction, double delta) {
  return detail::call_for_one("aten.huber_loss_backward", {grad_output, self, target, reduction, delta});
}

/// sqrt(self^2 + other^2) without overflow.
/// `aten.hypot(Tensor self, Tensor other) -> Tensor`
inline Tensor hypot(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.hypot", {self, other});
}

/// sqrt(self^2 + other^2) without overflow.
/// `aten.hypot_(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor hypot_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.hypot_", {self, other});
}

/// Modified Bessel function I of order 0.
/// `aten.i0(Tensor self) -> Tensor`
inline Tensor i0(const Tensor& self) {
  return detail::call_for_one("aten.i0", {self});
}

/// Modified Bessel function I of order 0.
/// `aten.i0_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor i0_(const Tensor& self) {
  return detail::call_for_one("aten.i0_", {self});
}

/// Regularised lower incomplete gamma function P(self, other).
/// `aten.igamma(Tensor self, Tensor other) -> Tensor`
inline Tensor igamma(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.igamma", {self, other});
}

/// Regularised lower incomplete gamma function P(self, other).
/// `aten.igamma_(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor igamma_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.igamma_", {self, other});
}

/// Regularised upper incomplete gamma function Q(self, other).
/// `aten.igammac(Tensor self, Tensor other) -> Tensor`
inline Tensor igammac(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.igammac", {self, other});
}

/// Regularised upper incomplete gamma function Q(self, other).
/// `aten.igammac_(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor igammac_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.igammac_", {self, other});
}

/// The patches under a sliding window, one column each.
/// `aten.im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor`
inline Tensor im2col(const Tensor& self, const IntList& kernel_size, const IntList& dilation,
                     const IntList& padding, const IntList& stride) {
  return detail::call_for_one("aten.im2col", {self, kernel_size, dilation, padding, stride});
}

/// Imaginary parts, a view.
/// C1: self is complex.
/// `aten.imag(Tensor(a) self) -> Tensor(a)`
inline Tensor imag(const Tensor& self) {
  return detail::call_for_one("aten.imag", {self});
}

/// Indexing by integer tensors, broadcast together, and boolean masks.
/// `aten.index.Tensor(Tensor self, Tensor?[] indices) -> Tensor`
inline Tensor index(const Tensor& self, const MaybeTensorList& indices) {
  return detail::call_for_one("aten.index.Tensor", {self, indices});
}

/// Self plus slices of source times alpha at the indexed places.
/// `aten.index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor`
inline Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                        const Scalar& alpha = 1) {
  return detail::call_for_one("aten.index_add", {self, dim, index, source, alpha});
}

/// Self plus slices of source times alpha at the indexed places.
/// `aten.index_add_(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor(a!)`
inline Tensor index_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                         const Scalar& alpha = 1) {
  return detail::call_for_one("aten.index_add_", {self, dim, index, source, alpha});
}

/// Self with slices of source at the indexed places.
/// `aten.index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor`
inline Tensor index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  return detail::call_for_one("aten.index_copy", {self, dim, index, source});
}

/// Self with slices of source at the indexed places.
/// `aten.index_copy_(Tensor(a!) self, int dim, Tensor index, Tensor source) -> Tensor(a!)`
inline Tensor index_copy_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  return detail::call_for_one("aten.index_copy_", {self, dim, index, source});
}

/// Self with a number at the indexed places.
/// `aten.index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor`
inline Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  return detail::call_for_one("aten.index_fill.int_Scalar", {self, dim, index, value});
}

/// Self with a number at the indexed places.
/// `aten.index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor`
inline Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
  return detail::call_for_one("aten.index_fill.int_Tensor", {self, dim, index, value});
}

/// Self with a number at the indexed places.
/// `aten.index_fill_.int_Scalar(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)`
inline Tensor index_fill_(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  return detail::call_for_one("aten.index_fill_.int_Scalar", {self, dim, index, value});
}

/// Self with a number at the indexed places.
/// `aten.index_fill_.int_Tensor(Tensor(a!) self, int dim, Tensor index, Tensor value) -> Tensor(a!)`
inline Tensor index_fill_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
  return detail::call_for_one("aten.index_fill_.int_Tensor", {self, dim, index, value});
}

/// Self with values (or plus values) where tensors or masks index.
/// `aten.index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor`
inline Tensor index_put(const Tensor& self, const MaybeTensorList& indices, const Tensor& values,
                        detail::Flag accumulate = false) {
  return detail::call_for_one("aten.index_put", {self, indices, values, accumulate});
}

/// Self with values (or plus values) where tensors or masks index.
/// `aten.index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)`
inline Tensor index_put_(const Tensor& self, const MaybeTensorList& indices, const Tensor& values,
                         detail::Flag accumulate = false) {
  return detail::call_for_one("aten.index_put_", {self, indices, values, accumulate});
}

/// Slices of source combined into self at the indexed places.
/// `aten.index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor`
inline Tensor index_reduce(const Tensor& self, int64_t dim, const Tensor& index,
                           const Tensor& source, std::string_view reduce,
                           detail::Flag include_self = true) {
  return detail::call_for_one("aten.index_reduce", {self, dim, index, source, reduce, include_self});
}

/// Slices of source combined into self at the indexed places.
/// `aten.index_reduce_(Tensor(a!) self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor(a!)`
inline Tensor index_reduce_(const Tensor& self, int64_t dim, const Tensor& index,
                            const Tensor& source, std::string_view reduce,
                            detail::Flag include_self = true) {
  return detail::call_for_one("aten.index_reduce_", {self, dim, index, source, reduce, include_self});
}

/// The given places of a dimension.
/// `aten.index_select(Tensor self, int dim, Tensor index) -> Tensor`
inline Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  return detail::call_for_one("aten.index_select", {self, dim, index});
}

/// Derivative of index_select: gradients added where they were selected.
/// `aten.index_select_backward(Tensor grad, int[] self_sizes, int dim, Tensor index) -> Tensor`
inline Tensor index_select_backward(const Tensor& grad, const IntList& self_sizes, int64_t dim,
                                    const Tensor& index) {
  return detail::call_for_one("aten.index_select_backward", {grad, self_sizes, dim, index});
}

/// Contracts the last dimensions of both.
/// `aten.inner(Tensor self, Tensor other) -> Tensor`
inline Tensor inner(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.inner", {self, other});
}

/// Normalises each channel of each sample; updates running statistics it is given.
/// `aten.instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor`
inline Tensor instance_norm(const Tensor& input, const MaybeTensor& weight, const MaybeTensor& bias,
                            const MaybeTensor& running_mean, const MaybeTensor& running_var,
                            detail::Flag use_input_stats, double momentum, double eps,
                            detail::Flag cudnn_enabled) {
  return detail::call_for_one("aten.instance_norm", {input, weight, bias, running_mean, running_var, use_input_stats,
        momentum, eps, cudnn_enabled});
}

/// Inverse of matrices.
/// `aten.inverse(Tensor self) -> Tensor`
inline Tensor inverse(const Tensor& self) {
  return detail::call_for_one("aten.inverse", {self});
}

/// |self - other| <= atol + rtol * |other|.
/// C1: one dtype. C2: tolerances are not negative.
/// `aten.isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor`
inline Tensor isclose(const Tensor& self, const Tensor& other, double rtol = 1e-05,
                      double atol = 1e-08, detail::Flag equal_nan = false) {
  return detail::call_for_one("aten.isclose", {self, other, rtol, atol, equal_nan});
}

/// Neither NaN nor infinite.
/// `aten.isfinite(Tensor self) -> Tensor`
inline Tensor isfinite(const Tensor& self) {
  return detail::call_for_one("aten.isfinite", {self});
}

/// Whether a number is among others.
/// `aten.isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor`
inline Tensor isin(const Scalar& element, const Tensor& test_elements,
                   detail::Flag assume_unique = false, detail::Flag invert = false) {
  return detail::call_for_one("aten.isin.Scalar_Tensor", {element, test_elements, assume_unique, invert});
}

/// Whether each element is a number.
/// `aten.isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor`
inline Tensor isin(const Tensor& elements, const Scalar& test_element,
                   detail::Flag assume_unique = false, detail::Flag invert = false) {
  return detail::call_for_one("aten.isin.Tensor_Scalar", {elements, test_element, assume_unique, invert});
}

/// Whether each element occurs in test_elements (does not occur: invert).
/// `aten.isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor`
inline Tensor isin(const Tensor& elements, const Tensor& test_elements,
                   detail::Flag assume_unique = false, detail::Flag invert = false) {
  return detail::call_for_one("aten.isin.Tensor_Tensor", {elements, test_elements, assume_unique, invert});
}

/// Infinite; a complex number if either part is.
/// `aten.isinf(Tensor self) -> Tensor`
inline Tensor isinf(const Tensor& self) {
  return detail::call_for_one("aten.isinf", {self});
}

/// NaN; a complex number if either part is.
/// `aten.isnan(Tensor self) -> Tensor`
inline Tensor isnan(const Tensor& self) {
  return detail::call_for_one("aten.isnan", {self});
}

/// Minus infinity.
/// `aten.isneginf(Tensor self) -> Tensor`
inline Tensor isneginf(const Tensor& self) {
  return detail::call_for_one("aten.isneginf", {self});
}

/// Plus infinity.
/// `aten.isposinf(Tensor self) -> Tensor`
inline Tensor isposinf(const Tensor& self) {
  return detail::call_for_one("aten.isposinf", {self});
}

/// Without imaginary part.
/// `aten.isreal(Tensor self) -> Tensor`
inline Tensor isreal(const Tensor& self) {
  return detail::call_for_one("aten.isreal", {self});
}

/// The signal whose short-time spectra these are.
/// `aten.istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor`
inline Tensor istft(const Tensor& self, int64_t n_fft,
                    std::optional<int64_t> hop_length = std::nullopt,
                    std::optional<int64_t> win_length = std::nullopt,
                    const MaybeTensor& window = {}, detail::Flag center = true,
                    detail::Flag normalized = false,
                    std::optional<detail::Flag> onesided = std::nullopt,
                    std::optional<int64_t> length = std::nullopt,
                    detail::Flag return_complex = false) {
  return detail::call_for_one("aten.istft", {self, n_fft, hop_length, win_length, window, center, normalized, onesided,
        length, return_complex});
}

/// The Bessel function i0 of beta times a half circle, 1 at most.
/// `aten.kaiser_window(int window_length, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor kaiser_window(int64_t window_length, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.kaiser_window", {window_length, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// The Bessel function i0 of beta times a half circle, 1 at most.
/// `aten.kaiser_window.beta(int window_length, bool periodic, float beta, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor kaiser_window(int64_t window_length, detail::Flag periodic, double beta,
                            std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.kaiser_window.beta", {window_length, periodic, beta, dtype, std::nullopt,
        std::nullopt, std::nullopt});
}

/// The Bessel function i0 of beta times a half circle, 1 at most.
/// `aten.kaiser_window.periodic(int window_length, bool periodic, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor kaiser_window(int64_t window_length, detail::Flag periodic,
                            std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.kaiser_window.periodic", {window_length, periodic, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// Divergence of the target from probabilities given by their logarithms.
/// `aten.kl_div(Tensor self, Tensor target, int reduction=1, *, bool log_target=False) -> Tensor`
inline Tensor kl_div(const Tensor& self, const Tensor& target, int64_t reduction = 1,
                     detail::Flag log_target = false) {
  return detail::call_for_one("aten.kl_div", {self, target, reduction, log_target});
}

/// Every element of self times the whole of other, block by block.
/// `aten.kron(Tensor self, Tensor other) -> Tensor`
inline Tensor kron(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.kron", {self, other});
}

/// The k-th smallest element of each line, counted from 1, and where it is.
/// `aten.kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)`
inline std::tuple<Tensor, Tensor> kthvalue(const Tensor& self, int64_t k, int64_t dim = -1,
                                        detail::Flag keepdim = false) {
  return detail::call_for_many<2>("aten.kthvalue", {self, k, dim, keepdim});
}

/// The k-th smallest element of each line, counted from 1, and where it is.
/// `aten.kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)`
inline std::tuple<Tensor, Tensor> kthvalue(const Tensor& self, const Size& k, int64_t dim = -1,
                                        detail::Flag keepdim = false) {
  return detail::call_for_many<2>("aten.kthvalue", {self, k, dim, keepdim});
}

/// Absolute error.
/// `aten.l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor`
inline Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction = 1) {
  return detail::call_for_one("aten.l1_loss", {self, target, reduction});
}

/// Normalises the last dimensions.
/// `aten.layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor`
inline Tensor layer_norm(const Tensor& input, const IntList& normalized_shape,
                         const MaybeTensor& weight = {}, const MaybeTensor& bias = {},
                         double eps = 1e-05, detail::Flag cudnn_enable = true) {
  return detail::call_for_one("aten.layer_norm", {input, normalized_shape, weight, bias, eps, cudnn_enable});
}

/// Least common multiple, not negative.
/// `aten.lcm(Tensor self, Tensor other) -> Tensor`
inline Tensor lcm(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.lcm", {self, other});
}

/// Least common multiple, not negative.
/// `aten.lcm_(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor lcm_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.lcm_", {self, other});
}

/// self * 2^other.
/// `aten.ldexp.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor ldexp(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.ldexp.Tensor", {self, other});
}

/// self * 2^other.
/// `aten.ldexp_(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor ldexp_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.ldexp_", {self, other});
}

/// self <= other; false for NaN.
/// `aten.le.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor le(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.le.Scalar", {self, other});
}

/// self <= other; false for NaN.
/// `aten.le.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor le(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.le.Tensor", {self, other});
}

/// self <= other; false for NaN.
/// `aten.le_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor le_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.le_.Scalar", {self, other});
}

/// self <= other; false for NaN.
/// `aten.le_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor le_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.le_.Tensor", {self, other});
}

/// self where positive, else negative_slope * self.
/// `aten.leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor`
inline Tensor leaky_relu(const Tensor& self, const Scalar& negative_slope = 0.01) {
  return detail::call_for_one("aten.leaky_relu", {self, negative_slope});
}

/// self where positive, else negative_slope * self.
/// `aten.leaky_relu_(Tensor(a!) self, Scalar negative_slope=0.01) -> Tensor(a!)`
inline Tensor leaky_relu_(const Tensor& self, const Scalar& negative_slope = 0.01) {
  return detail::call_for_one("aten.leaky_relu_", {self, negative_slope});
}

/// Derivative of leaky_relu.
/// `aten.leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result) -> Tensor`
inline Tensor leaky_relu_backward(const Tensor& grad_output, const Tensor& self,
                                  const Scalar& negative_slope, detail::Flag self_is_result) {
  return detail::call_for_one("aten.leaky_relu_backward", {grad_output, self, negative_slope, self_is_result});
}

/// self + weight * (end - self).
/// C1: not for integers. C2: one dtype, but for weights without dimensions.
/// `aten.lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor`
inline Tensor lerp(const Tensor& self, const Tensor& end, const Scalar& weight) {
  return detail::call_for_one("aten.lerp.Scalar", {self, end, weight});
}

/// self + weight * (end - self).
/// C1: not for integers. C2: one dtype, but for weights without dimensions.
/// `aten.lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor`
inline Tensor lerp(const Tensor& self, const Tensor& end, const Tensor& weight) {
  return detail::call_for_one("aten.lerp.Tensor", {self, end, weight});
}

/// self + weight * (end - self).
/// C1: not for integers. C2: one dtype, but for weights without dimensions.
/// `aten.lerp_.Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)`
inline Tensor lerp_(const Tensor& self, const Tensor& end, const Scalar& weight) {
  return detail::call_for_one("aten.lerp_.Scalar", {self, end, weight});
}

/// self + weight * (end - self).
/// C1: not for integers. C2: one dtype, but for weights without dimensions.
/// `aten.lerp_.Tensor(Tensor(a!) self, Tensor end, Tensor weight) -> Tensor(a!)`
inline Tensor lerp_(const Tensor& self, const Tensor& end, const Tensor& weight) {
  return detail::call_for_one("aten.lerp_.Tensor", {self, end, weight});
}

/// self < other; false for NaN.
/// `aten.less.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor less(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.less.Scalar", {self, other});
}

/// self < other; false for NaN.
/// `aten.less.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor less(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.less.Tensor", {self, other});
}

/// self < other; false for NaN.
/// `aten.less_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor less_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.less_.Scalar", {self, other});
}

/// self < other; false for NaN.
/// `aten.less_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor less_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.less_.Tensor", {self, other});
}

/// self <= other; false for NaN.
/// `aten.less_equal.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor less_equal(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.less_equal.Scalar", {self, other});
}

/// self <= other; false for NaN.
/// `aten.less_equal.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor less_equal(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.less_equal.Tensor", {self, other});
}

/// self <= other; false for NaN.
/// `aten.less_equal_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor less_equal_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.less_equal_.Scalar", {self, other});
}

/// self <= other; false for NaN.
/// `aten.less_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor less_equal_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.less_equal_.Tensor", {self, other});
}

/// Logarithm of |gamma|.
/// `aten.lgamma(Tensor self) -> Tensor`
inline Tensor lgamma(const Tensor& self) {
  return detail::call_for_one("aten.lgamma", {self});
}

/// Logarithm of |gamma|.
/// `aten.lgamma_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor lgamma_(const Tensor& self) {
  return detail::call_for_one("aten.lgamma_", {self});
}

/// A copy of self.
/// `aten.lift(Tensor self) -> Tensor`
inline Tensor lift(const Tensor& self) {
  return detail::call_for_one("aten.lift", {self});
}

/// Self, sharing its storage.
/// `aten.lift_fresh(Tensor(a) self) -> Tensor(a)`
inline Tensor lift_fresh(const Tensor& self) {
  return detail::call_for_one("aten.lift_fresh", {self});
}

/// A copy of self.
/// `aten.lift_fresh_copy(Tensor self) -> Tensor`
inline Tensor lift_fresh_copy(const Tensor& self) {
  return detail::call_for_one("aten.lift_fresh_copy", {self});
}

/// The sum of powers of magnitudes.
/// `aten.linalg__powsum(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`
inline Tensor linalg__powsum(const Tensor& self, const Scalar& ord = 2,
                             const MaybeIntList& dim = std::nullopt, detail::Flag keepdim = false,
                             std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.linalg__powsum", {self, ord, dim, keepdim, dtype});
}

/// Triangular factor of positive definite matrices.
/// `aten.linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor`
inline Tensor linalg_cholesky(const Tensor& self, detail::Flag upper = false) {
  return detail::call_for_one("aten.linalg_cholesky", {self, upper});
}

/// Triangular factor, and the first minor that is not positive.
/// `aten.linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)`
inline std::tuple<Tensor, Tensor> linalg_cholesky_ex(const Tensor& self, detail::Flag upper = false,
                                        detail::Flag check_errors = false) {
  return detail::call_for_many<2>("aten.linalg_cholesky_ex", {self, upper, check_errors});
}

/// Condition number: norm of a matrix times norm of its inverse.
/// `aten.linalg_cond(Tensor self, Scalar? p=None) -> Tensor`
inline Tensor linalg_cond(const Tensor& self, const std::optional<Scalar>& p = std::nullopt) {
  return detail::call_for_one("aten.linalg_cond", {self, p});
}

/// Condition number in a norm given by name.
/// `aten.linalg_cond.p_str(Tensor self, str p) -> Tensor`
inline Tensor linalg_cond(const Tensor& self, std::string_view p) {
  return detail::call_for_one("aten.linalg_cond.p_str", {self, p});
}

/// Cross product of vectors of 3 along a dimension.
/// `aten.linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor`
inline Tensor linalg_cross(const Tensor& self, const Tensor& other, int64_t dim = -1) {
  return detail::call_for_one("aten.linalg_cross", {self, other, dim});
}

/// Determinant.
/// `aten.linalg_det(Tensor A) -> Tensor`
inline Tensor linalg_det(const Tensor& A) {
  return detail::call_for_one("aten.linalg_det", {A});
}

/// A view of the diagonals of matrices.
/// `aten.linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)`
inline Tensor linalg_diagonal(const Tensor& A, int64_t offset = 0, int64_t dim1 = -2,
                              int64_t dim2 = -1) {
  return detail::call_for_one("aten.linalg_diagonal", {A, offset, dim1, dim2});
}

/// Eigenvalues and eigenvectors of matrices, complex. Vectors have length 1, and a real largest component.
/// `aten.linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)`
inline std::tuple<Tensor, Tensor> linalg_eig(const Tensor& self) {
  return detail::call_for_many<2>("aten.linalg_eig", {self});
}

/// Eigenvalues, rising, and eigenvectors of Hermitian matrices.
/// `aten.linalg_eigh(Tensor self, str UPLO='L') -> (Tensor eigenvalues, Tensor eigenvectors)`
inline std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& self, std::string_view UPLO = "L") {
  return detail::call_for_many<2>("aten.linalg_eigh", {self, UPLO});
}

/// Eigenvalues of matrices.
/// `aten.linalg_eigvals(Tensor self) -> Tensor`
inline Tensor linalg_eigvals(const Tensor& self) {
  return detail::call_for_one("aten.linalg_eigvals", {self});
}

/// Eigenvalues of Hermitian matrices, rising.
/// `aten.linalg_eigvalsh(Tensor self, str UPLO='L') -> Tensor`
inline Tensor linalg_eigvalsh(const Tensor& self, std::string_view UPLO = "L") {
  return detail::call_for_one("aten.linalg_eigvalsh", {self, UPLO});
}

/// First columns of a product of Householder reflectors.
/// `aten.linalg_householder_product(Tensor input, Tensor tau) -> Tensor`
inline Tensor linalg_householder_product(const Tensor& input, const Tensor& tau) {
  return detail::call_for_one("aten.linalg_householder_product", {input, tau});
}

/// Inverse of matrices.
/// `aten.linalg_inv(Tensor A) -> Tensor`
inline Tensor linalg_inv(const Tensor& A) {
  return detail::call_for_one("aten.linalg_inv", {A});
}

/// Inverse of matrices, and where they are singular.
/// `aten.linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)`
inline std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& A, detail::Flag check_errors = false) {
  return detail::call_for_many<2>("aten.linalg_inv_ex", {A, check_errors});
}

/// Factors L and D of symmetric matrices, packed, and their pivots.
/// `aten.linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)`
inline std::tuple<Tensor, Tensor> linalg_ldl_factor(const Tensor& self, detail::Flag hermitian = false) {
  return detail::call_for_many<2>("aten.linalg_ldl_factor", {self, hermitian});
}

/// Factors L and D of symmetric matrices, packed, their pivots, and the first of them that is zero.
/// `aten.linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)`
inline std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(const Tensor& self, detail::Flag hermitian = false,
                                        detail::Flag check_errors = false) {
  return detail::call_for_many<3>("aten.linalg_ldl_factor_ex", {self, hermitian, check_errors});
}

/// Solution of symmetric systems by LDL factors.
/// `aten.linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor`
inline Tensor linalg_ldl_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B,
                               detail::Flag hermitian = false) {
  return detail::call_for_one("aten.linalg_ldl_solve", {LD, pivots, B, hermitian});
}

/// Permutation and triangular factors.
/// `aten.linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)`
inline std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& A, detail::Flag pivot = true) {
  return detail::call_for_many<3>("aten.linalg_lu", {A, pivot});
}

/// LU factors packed in one matrix.
/// `aten.linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)`
inline std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& A, detail::Flag pivot = true) {
  return detail::call_for_many<2>("aten.linalg_lu_factor", {A, pivot});
}

/// LU factors packed in one matrix, and where they are singular.
/// `aten.linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)`
inline std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(const Tensor& A, detail::Flag pivot = true,
                                        detail::Flag check_errors = false) {
  return detail::call_for_many<3>("aten.linalg_lu_factor_ex", {A, pivot, check_errors});
}

/// Solution of linear systems by LU factors.
/// `aten.linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor`
inline Tensor linalg_lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B,
                              detail::Flag left = true, detail::Flag adjoint = false) {
  return detail::call_for_one("aten.linalg_lu_solve", {LU, pivots, B, left, adjoint});
}

/// matmul.
/// `aten.linalg_matmul(Tensor self, Tensor other) -> Tensor`
inline Tensor linalg_matmul(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.linalg_matmul", {self, other});
}

/// Matrix exponential.
/// `aten.linalg_matrix_exp(Tensor self) -> Tensor`
inline Tensor linalg_matrix_exp(const Tensor& self) {
  return detail::call_for_one("aten.linalg_matrix_exp", {self});
}

/// Norm of matrices of a numbered order.
/// `aten.linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`
inline Tensor linalg_matrix_norm(const Tensor& self, const Scalar& ord,
                                 const IntList& dim = IntList{-2, -1}, detail::Flag keepdim = false,
                                 std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.linalg_matrix_norm", {self, ord, dim, keepdim, dtype});
}

/// Frobenius or nuclear norm of matrices.
/// `aten.linalg_matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`
inline Tensor linalg_matrix_norm(const Tensor& self, std::string_view ord = "fro",
                                 const IntList& dim = IntList{-2, -1}, detail::Flag keepdim = false,
                                 std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.linalg_matrix_norm.str_ord", {self, ord, dim, keepdim, dtype});
}

/// Power of square matrices; the inverse's for a negative exponent.
/// `aten.linalg_matrix_power(Tensor self, int n) -> Tensor`
inline Tensor linalg_matrix_power(const Tensor& self, int64_t n) {
  return detail::call_for_one("aten.linalg_matrix_power", {self, n});
}

/// Number of singular values above a tolerance.
/// `aten.linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor`
inline Tensor linalg_matrix_rank(const Tensor& self, double tol, detail::Flag hermitian = false) {
  return detail::call_for_one("aten.linalg_matrix_rank", {self, tol, hermitian});
}

/// Number of singular values above a tolerance.
/// `aten.linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor`
inline Tensor linalg_matrix_rank(const Tensor& self, std::optional<double> atol,
                                 std::optional<double> rtol, detail::Flag hermitian = false) {
  return detail::call_for_one("aten.linalg_matrix_rank.atol_rtol_float", {self, atol, rtol, hermitian});
}

/// Number of singular values above a tolerance for every matrix.
/// `aten.linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor`
inline Tensor linalg_matrix_rank(const Tensor& input, const MaybeTensor& atol,
                                 const MaybeTensor& rtol, detail::Flag hermitian = false) {
  return detail::call_for_one("aten.linalg_matrix_rank.atol_rtol_tensor", {input, atol, rtol, hermitian});
}

/// Number of singular values above a tolerance for every matrix.
/// `aten.linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor`
inline Tensor linalg_matrix_rank(const Tensor& input, const Tensor& tol,
                                 detail::Flag hermitian = false) {
  return detail::call_for_one("aten.linalg_matrix_rank.tol_tensor", {input, tol, hermitian});
}

/// The Hermitian square root of Hermitian matrices.
/// `aten.linalg_matrix_sqrth(Tensor self) -> Tensor`
inline Tensor linalg_matrix_sqrth(const Tensor& self) {
  return detail::call_for_one("aten.linalg_matrix_sqrth", {self});
}

/// The product of all matrices, in the cheapest order; the ends may be vectors.
/// `aten.linalg_multi_dot(Tensor[] tensors) -> Tensor`
inline Tensor linalg_multi_dot(const TensorList& tensors) {
  return detail::call_for_one("aten.linalg_multi_dot", {tensors});
}

/// Norm of vectors, or of matrices with an order over two dimensions.
/// `aten.linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`
inline Tensor linalg_norm(const Tensor& self, const std::optional<Scalar>& ord = std::nullopt,
                          const MaybeIntList& dim = std::nullopt, detail::Flag keepdim = false,
                          std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.linalg_norm", {self, ord, dim, keepdim, dtype});
}

/// Frobenius or nuclear norm of matrices.
/// `aten.linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`
inline Tensor linalg_norm(const Tensor& self, std::string_view ord,
                          const MaybeIntList& dim = std::nullopt, detail::Flag keepdim = false,
                          std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.linalg_norm.ord_str", {self, ord, dim, keepdim, dtype});
}

/// Pseudo-inverse of matrices.
/// `aten.linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor`
inline Tensor linalg_pinv(const Tensor& self, double rcond, detail::Flag hermitian = false) {
  return detail::call_for_one("aten.linalg_pinv", {self, rcond, hermitian});
}

/// Pseudo-inverse of matrices.
/// `aten.linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor`
inline Tensor linalg_pinv(const Tensor& self, std::optional<double> atol,
                          std::optional<double> rtol, detail::Flag hermitian = false) {
  return detail::call_for_one("aten.linalg_pinv.atol_rtol_float", {self, atol, rtol, hermitian});
}

/// Pseudo-inverse of matrices, with a tolerance for each.
/// `aten.linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor`
inline Tensor linalg_pinv(const Tensor& self, const MaybeTensor& atol, const MaybeTensor& rtol,
                          detail::Flag hermitian = false) {
  return detail::call_for_one("aten.linalg_pinv.atol_rtol_tensor", {self, atol, rtol, hermitian});
}

/// Pseudo-inverse of matrices, with a tolerance for each.
/// `aten.linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor`
inline Tensor linalg_pinv(const Tensor& self, const Tensor& rcond, detail::Flag hermitian = false) {
  return detail::call_for_one("aten.linalg_pinv.rcond_tensor", {self, rcond, hermitian});
}

/// Factors of a matrix: orthogonal, and Hermitian positive.
/// `aten.linalg_polar(Tensor A) -> (Tensor U, Tensor H)`
inline std::tuple<Tensor, Tensor> linalg_polar(const Tensor& A) {
  return detail::call_for_many<2>("aten.linalg_polar", {A});
}

/// Orthogonal and upper triangular factors.
/// `aten.linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)`
inline std::tuple<Tensor, Tensor> linalg_qr(const Tensor& A, std::string_view mode = "reduced") {
  return detail::call_for_many<2>("aten.linalg_qr", {A, mode});
}

/// Sign and logarithm of the size of the determinant.
/// `aten.linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)`
inline std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& A) {
  return detail::call_for_many<2>("aten.linalg_slogdet", {A});
}

/// Solution of linear systems.
/// `aten.linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor`
inline Tensor linalg_solve(const Tensor& A, const Tensor& B, detail::Flag left = true) {
  return detail::call_for_one("aten.linalg_solve", {A, B, left});
}

/// Solution of linear systems, and where they are singular.
/// `aten.linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor info)`
inline std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor& A, const Tensor& B, detail::Flag left = true,
                                        detail::Flag check_errors = false) {
  return detail::call_for_many<2>("aten.linalg_solve_ex", {A, B, left, check_errors});
}

/// Solution of triangular systems.
/// `aten.linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor`
inline Tensor linalg_solve_triangular(const Tensor& self, const Tensor& B, detail::Flag upper,
                                      detail::Flag left = true, detail::Flag unitriangular = false) {
  return detail::call_for_one("aten.linalg_solve_triangular", {self, B, upper, left, unitriangular});
}

/// Singular values, falling, and vectors.
/// `aten.linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)`
inline std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& A, detail::Flag full_matrices = true,
                                        std::optional<std::string_view> driver = std::nullopt) {
  return detail::call_for_many<3>("aten.linalg_svd", {A, full_matrices, driver});
}

/// Singular values, falling.
/// `aten.linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor`
inline Tensor linalg_svdvals(const Tensor& A, std::optional<std::string_view> driver = std::nullopt) {
  return detail::call_for_one("aten.linalg_svdvals", {A, driver});
}

/// Inverse of a tensor as a map between its first and last dimensions.
/// `aten.linalg_tensorinv(Tensor self, int ind=2) -> Tensor`
inline Tensor linalg_tensorinv(const Tensor& self, int64_t ind = 2) {
  return detail::call_for_one("aten.linalg_tensorinv", {self, ind});
}

/// What a tensor as a map sends to the other tensor.
/// `aten.linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor`
inline Tensor linalg_tensorsolve(const Tensor& self, const Tensor& other,
                                 const MaybeIntList& dims = std::nullopt) {
  return detail::call_for_one("aten.linalg_tensorsolve", {self, other, dims});
}

/// Powers 0, 1, ... of every element, along a new last dimension.
/// `aten.linalg_vander(Tensor x, *, int? N=None) -> Tensor`
inline Tensor linalg_vander(const Tensor& x, const std::optional<Size>& N = std::nullopt) {
  return detail::call_for_one("aten.linalg_vander", {x, N});
}

/// Products of vectors along `dim`, the first conjugated.
/// `aten.linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor`
inline Tensor linalg_vecdot(const Tensor& x, const Tensor& y, int64_t dim = -1) {
  return detail::call_for_one("aten.linalg_vecdot", {x, y, dim});
}

/// The p-norm of the elements along dimensions; p may be 0 or infinite.
/// `aten.linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`
inline Tensor linalg_vector_norm(const Tensor& self, const Scalar& ord = 2,
                                 const MaybeIntList& dim = std::nullopt,
                                 detail::Flag keepdim = false,
                                 std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.linalg_vector_norm", {self, ord, dim, keepdim, dtype});
}

/// input @ weight.T + bias.
/// `aten.linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor`
inline Tensor linear(const Tensor& input, const Tensor& weight, const MaybeTensor& bias = {}) {
  return detail::call_for_one("aten.linear", {input, weight, bias});
}

/// steps values from start to end, both included.
/// C1: steps is not negative. C2: bounds are single numbers. C3: between complex bounds the numbers are complex.
/// `aten.linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps,
                       std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.linspace", {start, end, steps, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// steps values from start to end, both included.
/// C1: steps is not negative. C2: bounds are single numbers. C3: between complex bounds the numbers are complex.
/// `aten.linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor linspace(const Scalar& start, const Tensor& end, int64_t steps,
                       std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.linspace.Scalar_Tensor", {start, end, steps, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// steps values from start to end, both included.
/// C1: steps is not negative. C2: bounds are single numbers. C3: between complex bounds the numbers are complex.
/// `aten.linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor linspace(const Tensor& start, const Scalar& end, int64_t steps,
                       std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.linspace.Tensor_Scalar", {start, end, steps, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// steps values from start to end, both included.
/// C1: steps is not negative. C2: bounds are single numbers. C3: between complex bounds the numbers are complex.
/// `aten.linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor linspace(const Tensor& start, const Tensor& end, int64_t steps,
                       std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.linspace.Tensor_Tensor", {start, end, steps, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// Natural logarithm.
/// `aten.log(Tensor self) -> Tensor`
inline Tensor log(const Tensor& self) {
  return detail::call_for_one("aten.log", {self});
}

/// Logarithm to base 10.
/// `aten.log10(Tensor self) -> Tensor`
inline Tensor log10(const Tensor& self) {
  return detail::call_for_one("aten.log10", {self});
}

/// Logarithm to base 10.
/// `aten.log10_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor log10_(const Tensor& self) {
  return detail::call_for_one("aten.log10_", {self});
}

/// log(1 + self), accurate near 0.
/// `aten.log1p(Tensor self) -> Tensor`
inline Tensor log1p(const Tensor& self) {
  return detail::call_for_one("aten.log1p", {self});
}

/// log(1 + self), accurate near 0.
/// `aten.log1p_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor log1p_(const Tensor& self) {
  return detail::call_for_one("aten.log1p_", {self});
}

/// Logarithm to base 2.
/// `aten.log2(Tensor self) -> Tensor`
inline Tensor log2(const Tensor& self) {
  return detail::call_for_one("aten.log2", {self});
}

/// Logarithm to base 2.
/// `aten.log2_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor log2_(const Tensor& self) {
  return detail::call_for_one("aten.log2_", {self});
}

/// Natural logarithm.
/// `aten.log_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor log_(const Tensor& self) {
  return detail::call_for_one("aten.log_", {self});
}

/// Log-normally distributed numbers in the shape of self.
/// `aten.log_normal(Tensor self, float mean=1.0, float std=2.0, *, Generator? generator=None) -> Tensor`
inline Tensor log_normal(const Tensor& self, double mean = 1, double std = 2) {
  return detail::call_for_one("aten.log_normal", {self, mean, std, std::nullopt});
}

/// Log-normally distributed numbers in the shape of self.
/// `aten.log_normal_(Tensor(a!) self, float mean=1.0, float std=2.0, *, Generator? generator=None) -> Tensor(a!)`
inline Tensor log_normal_(const Tensor& self, double mean = 1, double std = 2) {
  return detail::call_for_one("aten.log_normal_", {self, mean, std, std::nullopt});
}

/// log(sigmoid(self)), accurate for large magnitudes.
/// `aten.log_sigmoid(Tensor self) -> Tensor`
inline Tensor log_sigmoid(const Tensor& self) {
  return detail::call_for_one("aten.log_sigmoid", {self});
}

/// log(sigmoid(self)), accurate for large magnitudes.
/// `aten.log_sigmoid_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor log_sigmoid_(const Tensor& self) {
  return detail::call_for_one("aten.log_sigmoid_", {self});
}

/// Derivative of log_sigmoid from the buffer that log_sigmoid_forward made.
/// `aten.log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor`
inline Tensor log_sigmoid_backward(const Tensor& grad_output, const Tensor& self,
                                   const Tensor& buffer) {
  return detail::call_for_one("aten.log_sigmoid_backward", {grad_output, self, buffer});
}

/// log(sigmoid(self)), and exp(-|self|) for the derivative.
/// `aten.log_sigmoid_forward(Tensor self) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> log_sigmoid_forward(const Tensor& self) {
  return detail::call_for_many<2>("aten.log_sigmoid_forward", {self});
}

/// Logarithm of softmax, cast first when a dtype is given.
/// `aten.log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor`
inline Tensor log_softmax(const Tensor& self, int64_t dim, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.log_softmax.int", {self, dim, dtype});
}

/// log(exp(self) + exp(other)).
/// `aten.logaddexp(Tensor self, Tensor other) -> Tensor`
inline Tensor logaddexp(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.logaddexp", {self, other});
}

/// log2(2^self + 2^other).
/// `aten.logaddexp2(Tensor self, Tensor other) -> Tensor`
inline Tensor logaddexp2(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.logaddexp2", {self, other});
}

/// The logarithm of the sum of exponentials up to each place, without overflow.
/// `aten.logcumsumexp(Tensor self, int dim) -> Tensor`
inline Tensor logcumsumexp(const Tensor& self, int64_t dim) {
  return detail::call_for_one("aten.logcumsumexp", {self, dim});
}

/// Logarithm of the determinant.
/// `aten.logdet(Tensor self) -> Tensor`
inline Tensor logdet(const Tensor& self) {
  return detail::call_for_one("aten.logdet", {self});
}

/// Both are not 0.
/// `aten.logical_and(Tensor self, Tensor other) -> Tensor`
inline Tensor logical_and(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.logical_and", {self, other});
}

/// Both are not 0.
/// `aten.logical_and_(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor logical_and_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.logical_and_", {self, other});
}

/// Whether self is 0.
/// `aten.logical_not(Tensor self) -> Tensor`
inline Tensor logical_not(const Tensor& self) {
  return detail::call_for_one("aten.logical_not", {self});
}

/// Whether self is 0.
/// `aten.logical_not_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor logical_not_(const Tensor& self) {
  return detail::call_for_one("aten.logical_not_", {self});
}

/// One or both are not 0.
/// `aten.logical_or(Tensor self, Tensor other) -> Tensor`
inline Tensor logical_or(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.logical_or", {self, other});
}

/// One or both are not 0.
/// `aten.logical_or_(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor logical_or_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.logical_or_", {self, other});
}

/// Exactly one is not 0.
/// `aten.logical_xor(Tensor self, Tensor other) -> Tensor`
inline Tensor logical_xor(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.logical_xor", {self, other});
}

/// Exactly one is not 0.
/// `aten.logical_xor_(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor logical_xor_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.logical_xor_", {self, other});
}

/// log(self / (1 - self)); self is first clamped to [eps, 1 - eps] when eps is given.
/// `aten.logit(Tensor self, float? eps=None) -> Tensor`
inline Tensor logit(const Tensor& self, std::optional<double> eps = std::nullopt) {
  return detail::call_for_one("aten.logit", {self, eps});
}

/// log(self / (1 - self)); self is first clamped to [eps, 1 - eps] when eps is given.
/// `aten.logit_(Tensor(a!) self, float? eps=None) -> Tensor(a!)`
inline Tensor logit_(const Tensor& self, std::optional<double> eps = std::nullopt) {
  return detail::call_for_one("aten.logit_", {self, eps});
}

/// Derivative of logit.
/// `aten.logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> Tensor`
inline Tensor logit_backward(const Tensor& grad_output, const Tensor& self,
                             std::optional<double> eps = std::nullopt) {
  return detail::call_for_one("aten.logit_backward", {grad_output, self, eps});
}

/// base to the powers of linspace.
/// `aten.logspace(Scalar start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps, double base = 1e+01,
                       std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.logspace", {start, end, steps, base, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// base to the powers of linspace.
/// `aten.logspace.Scalar_Tensor(Scalar start, Tensor end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor logspace(const Scalar& start, const Tensor& end, int64_t steps, double base = 1e+01,
                       std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.logspace.Scalar_Tensor", {start, end, steps, base, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// base to the powers of linspace.
/// `aten.logspace.Tensor_Scalar(Tensor start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor logspace(const Tensor& start, const Scalar& end, int64_t steps, double base = 1e+01,
                       std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.logspace.Tensor_Scalar", {start, end, steps, base, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// base to the powers of linspace.
/// `aten.logspace.Tensor_Tensor(Tensor start, Tensor end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor logspace(const Tensor& start, const Tensor& end, int64_t steps, double base = 1e+01,
                       std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.logspace.Tensor_Tensor", {start, end, steps, base, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// log(sum(exp(self))) along dimensions, without overflow.
/// `aten.logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor`
inline Tensor logsumexp(const Tensor& self, const IntList& dim, detail::Flag keepdim = false) {
  return detail::call_for_one("aten.logsumexp", {self, dim, keepdim});
}

/// Long short-term memory along a sequence.
/// `aten.lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& input, const TensorList& hx,
                                        const TensorList& params, detail::Flag has_biases,
                                        int64_t num_layers, double dropout, detail::Flag train,
                                        detail::Flag bidirectional, detail::Flag batch_first) {
  return detail::call_for_many<3>("aten.lstm.input", {input, hx, params, has_biases, num_layers, dropout, train,
        bidirectional, batch_first});
}

/// One step of long short-term memory.
/// `aten.lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> lstm_cell(const Tensor& input, const TensorList& hx,
                                        const Tensor& w_ih, const Tensor& w_hh,
                                        const MaybeTensor& b_ih = {}, const MaybeTensor& b_hh = {}) {
  return detail::call_for_many<2>("aten.lstm_cell", {input, hx, w_ih, w_hh, b_ih, b_hh});
}

/// self < other; false for NaN.
/// `aten.lt.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor lt(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.lt.Scalar", {self, other});
}

/// self < other; false for NaN.
/// `aten.lt.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor lt(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.lt.Tensor", {self, other});
}

/// self < other; false for NaN.
/// `aten.lt_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor lt_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.lt_.Scalar", {self, other});
}

/// self < other; false for NaN.
/// `aten.lt_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor lt_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.lt_.Tensor", {self, other});
}

/// Solution of linear systems by LU factors.
/// `aten.lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor`
inline Tensor lu_solve(const Tensor& self, const Tensor& LU_data, const Tensor& LU_pivots) {
  return detail::call_for_one("aten.lu_solve", {self, LU_data, LU_pivots});
}

/// Permutation and triangular factors from packed ones.
/// `aten.lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U)`
inline std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& LU_data, const Tensor& LU_pivots,
                                        detail::Flag unpack_data = true,
                                        detail::Flag unpack_pivots = true) {
  return detail::call_for_many<3>("aten.lu_unpack", {LU_data, LU_pivots, unpack_data, unpack_pivots});
}

/// Transposed and conjugated.
/// `aten.mH(Tensor(a) self) -> Tensor(a)`
inline Tensor mH(const Tensor& self) {
  return detail::call_for_one("aten.mH", {self});
}

/// Transpose of the last two dimensions.
/// `aten.mT(Tensor(a) self) -> Tensor(a)`
inline Tensor mT(const Tensor& self) {
  return detail::call_for_one("aten.mT", {self});
}

/// How far input1 is from leading input2 by the margin, in the target's direction.
/// `aten.margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=1) -> Tensor`
inline Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                                  double margin = 0, int64_t reduction = 1) {
  return detail::call_for_one("aten.margin_ranking_loss", {input1, input2, target, margin, reduction});
}

/// value where mask holds, else self.
/// C1: the mask is bool. C2: the value is one number. C3: which the dtype of self holds, up to fractions; any number is true or false.
/// `aten.masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor`
inline Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value) {
  return detail::call_for_one("aten.masked_fill.Scalar", {self, mask, value});
}

/// value where mask holds, else self.
/// C1: the mask is bool. C2: the value is one number. C3: which the dtype of self holds, up to fractions; any number is true or false.
/// `aten.masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor`
inline Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value) {
  return detail::call_for_one("aten.masked_fill.Tensor", {self, mask, value});
}

/// value where mask holds, else self.
/// C1: the mask is bool. C2: the value is one number. C3: which the dtype of self holds, up to fractions; any number is true or false.
/// `aten.masked_fill_.Scalar(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)`
inline Tensor masked_fill_(const Tensor& self, const Tensor& mask, const Scalar& value) {
  return detail::call_for_one("aten.masked_fill_.Scalar", {self, mask, value});
}

/// value where mask holds, else self.
/// C1: the mask is bool. C2: the value is one number. C3: which the dtype of self holds, up to fractions; any number is true or false.
/// `aten.masked_fill_.Tensor(Tensor(a!) self, Tensor mask, Tensor value) -> Tensor(a!)`
inline Tensor masked_fill_(const Tensor& self, const Tensor& mask, const Tensor& value) {
  return detail::call_for_one("aten.masked_fill_.Tensor", {self, mask, value});
}

/// Self with consecutive values of source where a mask is true.
/// `aten.masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor`
inline Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source) {
  return detail::call_for_one("aten.masked_scatter", {self, mask, source});
}

/// Self with consecutive values of source where a mask is true.
/// `aten.masked_scatter_(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)`
inline Tensor masked_scatter_(const Tensor& self, const Tensor& mask, const Tensor& source) {
  return detail::call_for_one("aten.masked_scatter_", {self, mask, source});
}

/// Derivative of masked_scatter by its source: the gradients under the mask, then zeros.
/// `aten.masked_scatter_backward(Tensor grad_output, Tensor mask, int[] sizes) -> Tensor`
inline Tensor masked_scatter_backward(const Tensor& grad_output, const Tensor& mask,
                                      const IntList& sizes) {
  return detail::call_for_one("aten.masked_scatter_backward", {grad_output, mask, sizes});
}

/// The elements where a mask is true, in row-major order.
/// `aten.masked_select(Tensor self, Tensor mask) -> Tensor`
inline Tensor masked_select(const Tensor& self, const Tensor& mask) {
  return detail::call_for_one("aten.masked_select", {self, mask});
}

/// Product of matrices in the last two dimensions; earlier ones broadcast, vectors count as a row on the left and a column on the right.
/// `aten.matmul(Tensor self, Tensor other) -> Tensor`
inline Tensor matmul(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.matmul", {self, other});
}

/// Transposed and conjugated.
/// `aten.matrix_H(Tensor(a) self) -> Tensor(a)`
inline Tensor matrix_H(const Tensor& self) {
  return detail::call_for_one("aten.matrix_H", {self});
}

/// Matrix exponential.
/// `aten.matrix_exp(Tensor self) -> Tensor`
inline Tensor matrix_exp(const Tensor& self) {
  return detail::call_for_one("aten.matrix_exp", {self});
}

/// Power of square matrices; the inverse's for a negative exponent.
/// `aten.matrix_power(Tensor self, int n) -> Tensor`
inline Tensor matrix_power(const Tensor& self, int64_t n) {
  return detail::call_for_one("aten.matrix_power", {self, n});
}

/// The largest element.
/// `aten.max(Tensor self) -> Tensor`
inline Tensor max(const Tensor& self) {
  return detail::call_for_one("aten.max", {self});
}

/// The largest element of each line, and where it is.
/// `aten.max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)`
inline std::tuple<Tensor, Tensor> max(const Tensor& self, int64_t dim, detail::Flag keepdim = false) {
  return detail::call_for_many<2>("aten.max.dim", {self, dim, keepdim});
}

/// The larger of two; NaN if either is NaN.
/// `aten.max.other(Tensor self, Tensor other) -> Tensor`
inline Tensor max(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.max.other", {self, other});
}

/// The largest element of each window of a line.
/// `aten.max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> Tensor`
inline Tensor max_pool1d(const Tensor& self, const IntList& kernel_size,
                         const IntList& stride = IntList{}, const IntList& padding = IntList(0),
                         const IntList& dilation = IntList(1), detail::Flag ceil_mode = false) {
  return detail::call_for_one("aten.max_pool1d", {self, kernel_size, stride, padding, dilation, ceil_mode});
}

/// The largest element of each window of a line, and where it is.
/// `aten.max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& self, const IntList& kernel_size,
                                        const IntList& stride = IntList{},
                                        const IntList& padding = IntList(0),
                                        const IntList& dilation = IntList(1),
                                        detail::Flag ceil_mode = false) {
  return detail::call_for_many<2>("aten.max_pool1d_with_indices", {self, kernel_size, stride, padding, dilation, ceil_mode});
}

/// The largest element of each window of an image.
/// `aten.max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=[0, 0], int[2] dilation=[1, 1], bool ceil_mode=False) -> Tensor`
inline Tensor max_pool2d(const Tensor& self, const IntList& kernel_size,
                         const IntList& stride = IntList{}, const IntList& padding = IntList{0, 0},
                         const IntList& dilation = IntList{1, 1}, detail::Flag ceil_mode = false) {
  return detail::call_for_one("aten.max_pool2d", {self, kernel_size, stride, padding, dilation, ceil_mode});
}

/// The largest element of each window of an image, and where in the image it is.
/// `aten.max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=[0, 0], int[2] dilation=[1, 1], bool ceil_mode=False) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& self, const IntList& kernel_size,
                                        const IntList& stride = IntList{},
                                        const IntList& padding = IntList{0, 0},
                                        const IntList& dilation = IntList{1, 1},
                                        detail::Flag ceil_mode = false) {
  return detail::call_for_many<2>("aten.max_pool2d_with_indices", {self, kernel_size, stride, padding, dilation, ceil_mode});
}

/// Derivative of max_pool2d: gradients added where the largest elements were.
/// `aten.max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor`
inline Tensor max_pool2d_with_indices_backward(const Tensor& grad_output, const Tensor& self,
                                        const IntList& kernel_size, const IntList& stride,
                                        const IntList& padding, const IntList& dilation,
                                        detail::Flag ceil_mode, const Tensor& indices) {
  return detail::call_for_one("aten.max_pool2d_with_indices_backward", {grad_output, self, kernel_size, stride, padding,
        dilation, ceil_mode, indices});
}

/// The largest element of each window of a volume.
/// `aten.max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=[0, 0, 0], int[3] dilation=[1, 1, 1], bool ceil_mode=False) -> Tensor`
inline Tensor max_pool3d(const Tensor& self, const IntList& kernel_size,
                         const IntList& stride = IntList{}, const IntList& padding = IntList{0, 0,
                         0}, const IntList& dilation = IntList{1, 1, 1},
                         detail::Flag ceil_mode = false) {
  return detail::call_for_one("aten.max_pool3d", {self, kernel_size, stride, padding, dilation, ceil_mode});
}

/// The largest element of each window of a volume, and where in the volume it is.
/// `aten.max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=[0, 0, 0], int[3] dilation=[1, 1, 1], bool ceil_mode=False) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& self, const IntList& kernel_size,
                                        const IntList& stride = IntList{},
                                        const IntList& padding = IntList{0, 0, 0},
                                        const IntList& dilation = IntList{1, 1, 1},
                                        detail::Flag ceil_mode = false) {
  return detail::call_for_many<2>("aten.max_pool3d_with_indices", {self, kernel_size, stride, padding, dilation, ceil_mode});
}

/// Derivative of max_pool3d: gradients added where the largest elements were.
/// `aten.max_pool3d_with_indices_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, int[3] dilation, bool ceil_mode, Tensor indices) -> Tensor`
inline Tensor max_pool3d_with_indices_backward(const Tensor& grad_output, const Tensor& self,
                                        const IntList& kernel_size, const IntList& stride,
                                        const IntList& padding, const IntList& dilation,
                                        detail::Flag ceil_mode, const Tensor& indices) {
  return detail::call_for_one("aten.max_pool3d_with_indices_backward", {grad_output, self, kernel_size, stride, padding,
        dilation, ceil_mode, indices});
}

/// Puts maxima back where they came from in an image of zeros.
/// `aten.max_unpool2d(Tensor self, Tensor indices, int[2] output_size) -> Tensor`
inline Tensor max_unpool2d(const Tensor& self, const Tensor& indices, const IntList& output_size) {
  return detail::call_for_one("aten.max_unpool2d", {self, indices, output_size});
}

/// Puts maxima back where they came from in a volume of zeros.
/// `aten.max_unpool3d(Tensor self, Tensor indices, int[3] output_size, int[3] stride, int[3] padding) -> Tensor`
inline Tensor max_unpool3d(const Tensor& self, const Tensor& indices, const IntList& output_size,
                           const IntList& stride, const IntList& padding) {
  return detail::call_for_one("aten.max_unpool3d", {self, indices, output_size, stride, padding});
}

/// The larger of two; NaN if either is NaN.
/// `aten.maximum(Tensor self, Tensor other) -> Tensor`
inline Tensor maximum(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.maximum", {self, other});
}

/// The mean of all elements.
/// `aten.mean(Tensor self, *, ScalarType? dtype=None) -> Tensor`
inline Tensor mean(const Tensor& self, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.mean", {self, dtype});
}

/// The mean along dimensions.
/// `aten.mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`
inline Tensor mean(const Tensor& self, const MaybeIntList& dim, detail::Flag keepdim = false,
                   std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.mean.dim", {self, dim, keepdim, dtype});
}

/// The middle element, the lower one of two; NaN if there is one.
/// `aten.median(Tensor self) -> Tensor`
inline Tensor median(const Tensor& self) {
  return detail::call_for_one("aten.median", {self});
}

/// The middle element of each line, and where it is.
/// `aten.median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)`
inline std::tuple<Tensor, Tensor> median(const Tensor& self, int64_t dim,
                                        detail::Flag keepdim = false) {
  return detail::call_for_many<2>("aten.median.dim", {self, dim, keepdim});
}

/// Views of lists along axes of their own, under one shape.
/// C1: a tensor is given. C3: each has at most one dimension. C4: they have one dtype.
/// `aten.meshgrid(Tensor[] tensors) -> Tensor[]`
inline std::vector<Tensor> meshgrid(const TensorList& tensors) {
  return detail::call("aten.meshgrid", {tensors});
}

/// Views of lists along axes of their own, under one shape; 'xy' swaps the first two axes.
/// C1: a tensor is given. C2: indexing is ij or xy. C3: each has at most one dimension. C4: they have one dtype.
/// `aten.meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]`
inline std::vector<Tensor> meshgrid(const TensorList& tensors, std::string_view indexing) {
  return detail::call("aten.meshgrid.indexing", {tensors, indexing});
}

/// The smallest element.
/// `aten.min(Tensor self) -> Tensor`
inline Tensor min(const Tensor& self) {
  return detail::call_for_one("aten.min", {self});
}

/// The smallest element of each line, and where it is.
/// `aten.min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)`
inline std::tuple<Tensor, Tensor> min(const Tensor& self, int64_t dim, detail::Flag keepdim = false) {
  return detail::call_for_many<2>("aten.min.dim", {self, dim, keepdim});
}

/// The smaller of two; NaN if either is NaN.
/// `aten.min.other(Tensor self, Tensor other) -> Tensor`
inline Tensor min(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.min.other", {self, other});
}

/// The smaller of two; NaN if either is NaN.
/// `aten.minimum(Tensor self, Tensor other) -> Tensor`
inline Tensor minimum(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.minimum", {self, other});
}

/// self * tanh(softplus(self)).
/// `aten.mish(Tensor self) -> Tensor`
inline Tensor mish(const Tensor& self) {
  return detail::call_for_one("aten.mish", {self});
}

/// self * tanh(softplus(self)).
/// `aten.mish_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor mish_(const Tensor& self) {
  return detail::call_for_one("aten.mish_", {self});
}

/// Derivative of mish.
/// `aten.mish_backward(Tensor grad_output, Tensor self) -> Tensor`
inline Tensor mish_backward(const Tensor& grad_output, const Tensor& self) {
  return detail::call_for_one("aten.mish_backward", {grad_output, self});
}

/// Product of two matrices.
/// `aten.mm(Tensor self, Tensor mat2) -> Tensor`
inline Tensor mm(const Tensor& self, const Tensor& mat2) {
  return detail::call_for_one("aten.mm", {self, mat2});
}

/// The most frequent element of each line, the smallest of several, and where.
/// `aten.mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)`
inline std::tuple<Tensor, Tensor> mode(const Tensor& self, int64_t dim = -1,
                                       detail::Flag keepdim = false) {
  return detail::call_for_many<2>("aten.mode", {self, dim, keepdim});
}

/// Another name of movedim.
/// `aten.moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)`
inline Tensor moveaxis(const Tensor& self, int64_t source, int64_t destination) {
  return detail::call_for_one("aten.moveaxis.int", {self, source, destination});
}

/// Another name of movedim.
/// `aten.moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)`
inline Tensor moveaxis(const Tensor& self, const IntList& source, const IntList& destination) {
  return detail::call_for_one("aten.moveaxis.intlist", {self, source, destination});
}

/// Moves one dimension to a new place; the others keep their order.
/// `aten.movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)`
inline Tensor movedim(const Tensor& self, int64_t source, int64_t destination) {
  return detail::call_for_one("aten.movedim.int", {self, source, destination});
}

/// Moves dimensions to new places; the others keep their order.
/// `aten.movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)`
inline Tensor movedim(const Tensor& self, const IntList& source, const IntList& destination) {
  return detail::call_for_one("aten.movedim.intlist", {self, source, destination});
}

/// Squared error.
/// `aten.mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor`
inline Tensor mse_loss(const Tensor& self, const Tensor& target, int64_t reduction = 1) {
  return detail::call_for_one("aten.mse_loss", {self, target, reduction});
}

/// Derivative of mse_loss.
/// `aten.mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor`
inline Tensor mse_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                                int64_t reduction) {
  return detail::call_for_one("aten.mse_loss_backward", {grad_output, self, target, reduction});
}

/// Sorts along the first dimension.
/// `aten.msort(Tensor self) -> Tensor`
inline Tensor msort(const Tensor& self) {
  return detail::call_for_one("aten.msort", {self});
}

/// self * other; on bools logical and.
/// `aten.mul.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor mul(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.mul.Scalar", {self, other});
}

/// self * other; on bools logical and.
/// `aten.mul.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor mul(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.mul.Tensor", {self, other});
}

/// self * other; on bools logical and.
/// `aten.mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor mul_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.mul_.Scalar", {self, other});
}

/// self * other; on bools logical and.
/// `aten.mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor mul_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.mul_.Tensor", {self, other});
}

/// How far the other classes come within the margin of the target's score.
/// `aten.multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1) -> Tensor`
inline Tensor multi_margin_loss(const Tensor& self, const Tensor& target, const Scalar& p = 1,
                                const Scalar& margin = 1, const MaybeTensor& weight = {},
                                int64_t reduction = 1) {
  return detail::call_for_one("aten.multi_margin_loss", {self, target, p, margin, weight, reduction});
}

/// Derivative of multi_margin_loss.
/// `aten.multi_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, Scalar p, Scalar margin, Tensor? weight=None, int reduction=1) -> Tensor`
inline Tensor multi_margin_loss_backward(const Tensor& grad_output, const Tensor& self,
                                        const Tensor& target, const Scalar& p, const Scalar& margin,
                                        const MaybeTensor& weight = {}, int64_t reduction = 1) {
  return detail::call_for_one("aten.multi_margin_loss_backward", {grad_output, self, target, p, margin, weight,
        reduction});
}

/// How far classes that are no label come within 1 of the labels' scores.
/// `aten.multilabel_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor`
inline Tensor multilabel_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction = 1) {
  return detail::call_for_one("aten.multilabel_margin_loss", {self, target, reduction});
}

/// Derivative of multilabel_margin_loss.
/// `aten.multilabel_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, Tensor is_target) -> Tensor`
inline Tensor multilabel_margin_loss_backward(const Tensor& grad_output, const Tensor& self,
                                        const Tensor& target, int64_t reduction,
                                        const Tensor& is_target) {
  return detail::call_for_one("aten.multilabel_margin_loss_backward", {grad_output, self, target, reduction, is_target});
}

/// multilabel_margin_loss, and which classes are labels.
/// `aten.multilabel_margin_loss_forward(Tensor self, Tensor target, int reduction) -> (Tensor output, Tensor is_target)`
inline std::tuple<Tensor, Tensor> multilabel_margin_loss_forward(const Tensor& self, const Tensor& target, int64_t reduction) {
  return detail::call_for_many<2>("aten.multilabel_margin_loss_forward", {self, target, reduction});
}

/// Categories drawn with the probabilities of self, which need not sum to 1.
/// C1: self is a list, or a list of lists. C2: self is real. C3: num_samples is positive. C4: without replacement, it is no more than there are.
/// `aten.multinomial(Tensor self, int num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor`
inline Tensor multinomial(const Tensor& self, int64_t num_samples, detail::Flag replacement = false) {
  return detail::call_for_one("aten.multinomial", {self, num_samples, replacement, std::nullopt});
}

/// Categories drawn with the probabilities of self, which need not sum to 1.
/// C1: self is a list, or a list of lists. C2: self is real. C3: num_samples is positive. C4: without replacement, it is no more than there are.
/// `aten.multinomial(Tensor self, int num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor`
inline Tensor multinomial(const Tensor& self, const Size& num_samples,
                          detail::Flag replacement = false) {
  return detail::call_for_one("aten.multinomial", {self, num_samples, replacement, std::nullopt});
}

/// self * other; on bools logical and.
/// `aten.multiply.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor multiply(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.multiply.Scalar", {self, other});
}

/// self * other; on bools logical and.
/// `aten.multiply.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor multiply(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.multiply.Tensor", {self, other});
}

/// self * other; on bools logical and.
/// `aten.multiply_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor multiply_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.multiply_.Scalar", {self, other});
}

/// self * other; on bools logical and.
/// `aten.multiply_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor multiply_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.multiply_.Tensor", {self, other});
}

/// Matrix times vector.
/// `aten.mv(Tensor self, Tensor vec) -> Tensor`
inline Tensor mv(const Tensor& self, const Tensor& vec) {
  return detail::call_for_one("aten.mv", {self, vec});
}

/// Logarithm of the gamma function of p dimensions.
/// `aten.mvlgamma(Tensor self, int p) -> Tensor`
inline Tensor mvlgamma(const Tensor& self, int64_t p) {
  return detail::call_for_one("aten.mvlgamma", {self, p});
}

/// Logarithm of the gamma function of p dimensions.
/// `aten.mvlgamma_(Tensor(a!) self, int p) -> Tensor(a!)`
inline Tensor mvlgamma_(const Tensor& self, int64_t p) {
  return detail::call_for_one("aten.mvlgamma_", {self, p});
}

/// Replaces NaN (by 0) and infinities (by the largest finite values).
/// `aten.nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor`
inline Tensor nan_to_num(const Tensor& self, std::optional<double> nan = std::nullopt,
                         std::optional<double> posinf = std::nullopt,
                         std::optional<double> neginf = std::nullopt) {
  return detail::call_for_one("aten.nan_to_num", {self, nan, posinf, neginf});
}

/// Replaces NaN (by 0) and infinities (by the largest finite values).
/// `aten.nan_to_num_(Tensor(a!) self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor(a!)`
inline Tensor nan_to_num_(const Tensor& self, std::optional<double> nan = std::nullopt,
                          std::optional<double> posinf = std::nullopt,
                          std::optional<double> neginf = std::nullopt) {
  return detail::call_for_one("aten.nan_to_num_", {self, nan, posinf, neginf});
}

/// The mean of the elements that are numbers.
/// `aten.nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`
inline Tensor nanmean(const Tensor& self, const MaybeIntList& dim = std::nullopt,
                      detail::Flag keepdim = false, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.nanmean", {self, dim, keepdim, dtype});
}

/// The middle element that is no NaN.
/// `aten.nanmedian(Tensor self) -> Tensor`
inline Tensor nanmedian(const Tensor& self) {
  return detail::call_for_one("aten.nanmedian", {self});
}

/// The middle element of each line that is no NaN, and where it is.
/// `aten.nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)`
inline std::tuple<Tensor, Tensor> nanmedian(const Tensor& self, int64_t dim,
                                        detail::Flag keepdim = false) {
  return detail::call_for_many<2>("aten.nanmedian.dim", {self, dim, keepdim});
}

/// The element below which a part q of the line lies, or a value between two elements.
/// C1: self is f32 or f64. C2: it is not empty. C3: q is a number or a list. C4: q is in [0, 1]. C5: interpolation has one of five names.
/// `aten.nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor`
inline Tensor nanquantile(const Tensor& self, const Tensor& q,
                          std::optional<int64_t> dim = std::nullopt, detail::Flag keepdim = false,
                          std::string_view interpolation = "linear") {
  return detail::call_for_one("aten.nanquantile", {self, q, dim, keepdim, interpolation});
}

/// The element below which a part q of the line lies, or a value between two elements.
/// C1: self is f32 or f64. C2: it is not empty. C3: q is a number or a list. C4: q is in [0, 1]. C5: interpolation has one of five names.
/// `aten.nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor`
inline Tensor nanquantile(const Tensor& self, double q, std::optional<int64_t> dim = std::nullopt,
                          detail::Flag keepdim = false, std::string_view interpolation = "linear") {
  return detail::call_for_one("aten.nanquantile.scalar", {self, q, dim, keepdim, interpolation});
}

/// The sum of the elements that are numbers.
/// `aten.nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`
inline Tensor nansum(const Tensor& self, const MaybeIntList& dim = std::nullopt,
                     detail::Flag keepdim = false, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.nansum", {self, dim, keepdim, dtype});
}

/// `length` elements of a dimension from `start` on.
/// `aten.narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)`
inline Tensor narrow(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  return detail::call_for_one("aten.narrow", {self, dim, start, length});
}

/// `length` elements of a dimension from `start` on.
/// `aten.narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)`
inline Tensor narrow(const Tensor& self, int64_t dim, const Size& start, const Size& length) {
  return detail::call_for_one("aten.narrow", {self, dim, start, length});
}

/// `length` entries of a dimension from a start that is read from data.
/// C1: the start is one integer, of rank 0. C2: the part lies in the dimension.
/// `aten.narrow.Tensor(Tensor(a) self, int dim, Tensor start, int length) -> Tensor(a)`
inline Tensor narrow(const Tensor& self, int64_t dim, const Tensor& start, int64_t length) {
  return detail::call_for_one("aten.narrow.Tensor", {self, dim, start, length});
}

/// `length` entries of a dimension from a start that is read from data.
/// C1: the start is one integer, of rank 0. C2: the part lies in the dimension.
/// `aten.narrow.Tensor(Tensor(a) self, int dim, Tensor start, int length) -> Tensor(a)`
inline Tensor narrow(const Tensor& self, int64_t dim, const Tensor& start, const Size& length) {
  return detail::call_for_one("aten.narrow.Tensor", {self, dim, start, length});
}

/// What the view of the same name gives, copied.
/// `aten.narrow_copy(Tensor self, int dim, int start, int length) -> Tensor`
inline Tensor narrow_copy(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  return detail::call_for_one("aten.narrow_copy", {self, dim, start, length});
}

/// What the view of the same name gives, copied.
/// `aten.narrow_copy(Tensor self, int dim, int start, int length) -> Tensor`
inline Tensor narrow_copy(const Tensor& self, int64_t dim, const Size& start, const Size& length) {
  return detail::call_for_one("aten.narrow_copy", {self, dim, start, length});
}

/// Batch norm and the statistics used; training also updates the running ones.
/// `aten.native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> native_batch_norm(const Tensor& input, const MaybeTensor& weight,
                                        const MaybeTensor& bias, const MaybeTensor& running_mean,
                                        const MaybeTensor& running_var, detail::Flag training,
                                        double momentum, double eps) {
  return detail::call_for_many<3>("aten.native_batch_norm", {input, weight, bias, running_mean, running_var, training,
        momentum, eps});
}

/// Derivative of batch norm by input, weight and bias.
/// `aten.native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] output_mask) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> native_batch_norm_backward(const Tensor& grad_out, const Tensor& input,
                                        const MaybeTensor& weight, const MaybeTensor& running_mean,
                                        const MaybeTensor& running_var,
                                        const MaybeTensor& save_mean,
                                        const MaybeTensor& save_invstd, detail::Flag train,
                                        double eps, const detail::FlagList& output_mask) {
  return detail::call_for_many<3>("aten.native_batch_norm_backward", {grad_out, input, weight, running_mean, running_var,
        save_mean, save_invstd, train, eps, output_mask});
}

/// Interleaves the channels of groups.
/// `aten.native_channel_shuffle(Tensor self, int groups) -> Tensor`
inline Tensor native_channel_shuffle(const Tensor& self, int64_t groups) {
  return detail::call_for_one("aten.native_channel_shuffle", {self, groups});
}

/// Interleaves the channels of groups.
/// `aten.native_channel_shuffle(Tensor self, int groups) -> Tensor`
inline Tensor native_channel_shuffle(const Tensor& self, const Size& groups) {
  return detail::call_for_one("aten.native_channel_shuffle", {self, groups});
}

/// Dropout and the mask of what was kept.
/// `aten.native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> native_dropout(const Tensor& input, double p,
                                        std::optional<detail::Flag> train) {
  return detail::call_for_many<2>("aten.native_dropout", {input, p, train});
}

/// grad_output * mask * scale.
/// `aten.native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor`
inline Tensor native_dropout_backward(const Tensor& grad_output, const Tensor& mask, double scale) {
  return detail::call_for_one("aten.native_dropout_backward", {grad_output, mask, scale});
}

/// Group norm, with mean and reciprocal deviation of each group.
/// `aten.native_group_norm(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group, float eps) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> native_group_norm(const Tensor& input, const MaybeTensor& weight,
                                        const MaybeTensor& bias, int64_t N, int64_t C, int64_t HxW,
                                        int64_t group, double eps) {
  return detail::call_for_many<3>("aten.native_group_norm", {input, weight, bias, N, C, HxW, group, eps});
}

/// Group norm, with mean and reciprocal deviation of each group.
/// `aten.native_group_norm(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group, float eps) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> native_group_norm(const Tensor& input, const MaybeTensor& weight,
                                        const MaybeTensor& bias, const Size& N, const Size& C,
                                        const Size& HxW, int64_t group, double eps) {
  return detail::call_for_many<3>("aten.native_group_norm", {input, weight, bias, N, C, HxW, group, eps});
}

/// Derivative of group norm by input, weight and bias.
/// `aten.native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, int N, int C, int HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> native_group_norm_backward(const Tensor& grad_out, const Tensor& input,
                                        const Tensor& mean, const Tensor& rstd,
                                        const MaybeTensor& weight, int64_t N, int64_t C,
                                        int64_t HxW, int64_t group,
                                        const detail::FlagList& output_mask) {
  return detail::call_for_many<3>("aten.native_group_norm_backward", {grad_out, input, mean, rstd, weight, N, C, HxW, group,
        output_mask});
}

/// Derivative of group norm by input, weight and bias.
/// `aten.native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, int N, int C, int HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> native_group_norm_backward(const Tensor& grad_out, const Tensor& input,
                                        const Tensor& mean, const Tensor& rstd,
                                        const MaybeTensor& weight, const Size& N, const Size& C,
                                        const Size& HxW, int64_t group,
                                        const detail::FlagList& output_mask) {
  return detail::call_for_many<3>("aten.native_group_norm_backward", {grad_out, input, mean, rstd, weight, N, C, HxW, group,
        output_mask});
}

/// Layer norm, with mean and reciprocal deviation of each row.
/// `aten.native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor& input, const IntList& normalized_shape,
                                        const MaybeTensor& weight, const MaybeTensor& bias,
                                        double eps) {
  return detail::call_for_many<3>("aten.native_layer_norm", {input, normalized_shape, weight, bias, eps});
}

/// Derivative of layer norm by input, weight and bias.
/// `aten.native_layer_norm_backward(Tensor grad_out, Tensor input, int[] normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> native_layer_norm_backward(const Tensor& grad_out, const Tensor& input,
                                        const IntList& normalized_shape, const Tensor& mean,
                                        const Tensor& rstd, const MaybeTensor& weight,
                                        const MaybeTensor& bias, const detail::FlagList& output_mask) {
  return detail::call_for_many<3>("aten.native_layer_norm_backward", {grad_out, input, normalized_shape, mean, rstd, weight,
        bias, output_mask});
}

/// self != other.
/// `aten.ne.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor ne(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.ne.Scalar", {self, other});
}

/// self != other.
/// `aten.ne.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor ne(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.ne.Tensor", {self, other});
}

/// self != other.
/// `aten.ne_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor ne_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.ne_.Scalar", {self, other});
}

/// self != other.
/// `aten.ne_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor ne_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.ne_.Tensor", {self, other});
}

/// Negation.
/// C1: not for bool.
/// `aten.neg(Tensor self) -> Tensor`
inline Tensor neg(const Tensor& self) {
  return detail::call_for_one("aten.neg", {self});
}

/// Negation.
/// C1: not for bool.
/// `aten.neg_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor neg_(const Tensor& self) {
  return detail::call_for_one("aten.neg_", {self});
}

/// Negation.
/// C1: not for bool.
/// `aten.negative(Tensor self) -> Tensor`
inline Tensor negative(const Tensor& self) {
  return detail::call_for_one("aten.negative", {self});
}

/// Negation.
/// C1: not for bool.
/// `aten.negative_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor negative_(const Tensor& self) {
  return detail::call_for_one("aten.negative_", {self});
}

/// A tensor of zeros, where PyTorch leaves values undefined.
/// `aten.new_empty(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor new_empty(const Tensor& self, const IntList& size,
                        std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.new_empty", {self, size, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// A tensor of zeros, where PyTorch leaves values undefined.
/// `aten.new_empty_strided(Tensor self, int[] size, int[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor new_empty_strided(const Tensor& self, const IntList& size, const IntList& stride,
                                std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.new_empty_strided", {self, size, stride, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// One value in the dtype of self.
/// `aten.new_full(Tensor self, int[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor new_full(const Tensor& self, const IntList& size, const Scalar& fill_value,
                       std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.new_full", {self, size, fill_value, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// Ones in the dtype of self.
/// `aten.new_ones(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor new_ones(const Tensor& self, const IntList& size,
                       std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.new_ones", {self, size, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// Zeros in the dtype of self.
/// `aten.new_zeros(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor new_zeros(const Tensor& self, const IntList& size,
                        std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.new_zeros", {self, size, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// The next representable number after self towards other.
/// C1: for floating dtypes only.
/// `aten.nextafter(Tensor self, Tensor other) -> Tensor`
inline Tensor nextafter(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.nextafter", {self, other});
}

/// The next representable number after self towards other.
/// C1: for floating dtypes only.
/// `aten.nextafter_(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor nextafter_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.nextafter_", {self, other});
}

/// Negative log likelihood of the targets.
/// `aten.nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100) -> Tensor`
inline Tensor nll_loss(const Tensor& self, const Tensor& target, const MaybeTensor& weight = {},
                       int64_t reduction = 1, int64_t ignore_index = -100) {
  return detail::call_for_one("aten.nll_loss", {self, target, weight, reduction, ignore_index});
}

/// Negative log likelihood of the targets.
/// `aten.nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100) -> Tensor`
inline Tensor nll_loss(const Tensor& self, const Tensor& target, const MaybeTensor& weight,
                       int64_t reduction, const Size& ignore_index) {
  return detail::call_for_one("aten.nll_loss", {self, target, weight, reduction, ignore_index});
}

/// Negative log likelihood of the targets of images.
/// `aten.nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100) -> Tensor`
inline Tensor nll_loss2d(const Tensor& self, const Tensor& target, const MaybeTensor& weight = {},
                         int64_t reduction = 1, int64_t ignore_index = -100) {
  return detail::call_for_one("aten.nll_loss2d", {self, target, weight, reduction, ignore_index});
}

/// Negative log likelihood of the targets of images.
/// `aten.nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100) -> Tensor`
inline Tensor nll_loss2d(const Tensor& self, const Tensor& target, const MaybeTensor& weight,
                         int64_t reduction, const Size& ignore_index) {
  return detail::call_for_one("aten.nll_loss2d", {self, target, weight, reduction, ignore_index});
}

/// Derivative of nll_loss2d.
/// `aten.nll_loss2d_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index, Tensor total_weight) -> Tensor`
inline Tensor nll_loss2d_backward(const Tensor& grad_output, const Tensor& self,
                                  const Tensor& target, const MaybeTensor& weight,
                                  int64_t reduction, int64_t ignore_index,
                                  const Tensor& total_weight) {
  return detail::call_for_one("aten.nll_loss2d_backward", {grad_output, self, target, weight, reduction, ignore_index,
        total_weight});
}

/// Derivative of nll_loss2d.
/// `aten.nll_loss2d_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index, Tensor total_weight) -> Tensor`
inline Tensor nll_loss2d_backward(const Tensor& grad_output, const Tensor& self,
                                  const Tensor& target, const MaybeTensor& weight,
                                  int64_t reduction, const Size& ignore_index,
                                  const Tensor& total_weight) {
  return detail::call_for_one("aten.nll_loss2d_backward", {grad_output, self, target, weight, reduction, ignore_index,
        total_weight});
}

/// nll_loss2d, and the weight that a mean divides by.
/// `aten.nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) -> (Tensor output, Tensor total_weight)`
inline std::tuple<Tensor, Tensor> nll_loss2d_forward(const Tensor& self, const Tensor& target,
                                        const MaybeTensor& weight, int64_t reduction,
                                        int64_t ignore_index) {
  return detail::call_for_many<2>("aten.nll_loss2d_forward", {self, target, weight, reduction, ignore_index});
}

/// nll_loss2d, and the weight that a mean divides by.
/// `aten.nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) -> (Tensor output, Tensor total_weight)`
inline std::tuple<Tensor, Tensor> nll_loss2d_forward(const Tensor& self, const Tensor& target,
                                        const MaybeTensor& weight, int64_t reduction,
                                        const Size& ignore_index) {
  return detail::call_for_many<2>("aten.nll_loss2d_forward", {self, target, weight, reduction, ignore_index});
}

/// Derivative of nll_loss.
/// `aten.nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index, Tensor total_weight) -> Tensor`
inline Tensor nll_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                                const MaybeTensor& weight, int64_t reduction, int64_t ignore_index,
                                const Tensor& total_weight) {
  return detail::call_for_one("aten.nll_loss_backward", {grad_output, self, target, weight, reduction, ignore_index,
        total_weight});
}

/// Derivative of nll_loss.
/// `aten.nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index, Tensor total_weight) -> Tensor`
inline Tensor nll_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                                const MaybeTensor& weight, int64_t reduction,
                                const Size& ignore_index, const Tensor& total_weight) {
  return detail::call_for_one("aten.nll_loss_backward", {grad_output, self, target, weight, reduction, ignore_index,
        total_weight});
}

/// nll_loss, and the weight that a mean divides by.
/// `aten.nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) -> (Tensor output, Tensor total_weight)`
inline std::tuple<Tensor, Tensor> nll_loss_forward(const Tensor& self, const Tensor& target,
                                        const MaybeTensor& weight, int64_t reduction,
                                        int64_t ignore_index) {
  return detail::call_for_many<2>("aten.nll_loss_forward", {self, target, weight, reduction, ignore_index});
}

/// nll_loss, and the weight that a mean divides by.
/// `aten.nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) -> (Tensor output, Tensor total_weight)`
inline std::tuple<Tensor, Tensor> nll_loss_forward(const Tensor& self, const Tensor& target,
                                        const MaybeTensor& weight, int64_t reduction,
                                        const Size& ignore_index) {
  return detail::call_for_many<2>("aten.nll_loss_forward", {self, target, weight, reduction, ignore_index});
}

/// Negative log likelihood of the targets, for any number of dimensions.
/// `aten.nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100) -> Tensor`
inline Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const MaybeTensor& weight = {},
                          int64_t reduction = 1, int64_t ignore_index = -100) {
  return detail::call_for_one("aten.nll_loss_nd", {self, target, weight, reduction, ignore_index});
}

/// Negative log likelihood of the targets, for any number of dimensions.
/// `aten.nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, int ignore_index=-100) -> Tensor`
inline Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const MaybeTensor& weight,
                          int64_t reduction, const Size& ignore_index) {
  return detail::call_for_one("aten.nll_loss_nd", {self, target, weight, reduction, ignore_index});
}

/// Positions of non-zero elements, one row each, in row-major order.
/// `aten.nonzero(Tensor self) -> Tensor`
inline Tensor nonzero(const Tensor& self) {
  return detail::call_for_one("aten.nonzero", {self});
}

/// Positions of the non-zero elements, one list a dimension.
/// `aten.nonzero_numpy(Tensor self) -> Tensor[]`
inline std::vector<Tensor> nonzero_numpy(const Tensor& self) {
  return detail::call("aten.nonzero_numpy", {self});
}

/// Positions of the first `size` non-zero elements, one a row; rows left over hold fill_value.
/// C1: the size is not negative.
/// `aten.nonzero_static(Tensor self, *, int size, int fill_value=-1) -> Tensor`
inline Tensor nonzero_static(const Tensor& self, int64_t size, int64_t fill_value = -1) {
  return detail::call_for_one("aten.nonzero_static", {self, size, fill_value});
}

/// Positions of the first `size` non-zero elements, one a row; rows left over hold fill_value.
/// C1: the size is not negative.
/// `aten.nonzero_static(Tensor self, *, int size, int fill_value=-1) -> Tensor`
inline Tensor nonzero_static(const Tensor& self, const Size& size, int64_t fill_value = -1) {
  return detail::call_for_one("aten.nonzero_static", {self, size, fill_value});
}

/// The p-norm of all elements.
/// `aten.norm.Scalar(Tensor self, Scalar p=2) -> Tensor`
inline Tensor norm(const Tensor& self, const Scalar& p = 2) {
  return detail::call_for_one("aten.norm.Scalar", {self, p});
}

/// The p-norm along dimensions.
/// `aten.norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor`
inline Tensor norm(const Tensor& self, const std::optional<Scalar>& p, const IntList& dim,
                   detail::Flag keepdim = false) {
  return detail::call_for_one("aten.norm.ScalarOpt_dim", {self, p, dim, keepdim});
}

/// The p-norm along dimensions, of elements in another dtype.
/// `aten.norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor`
inline Tensor norm(const Tensor& self, const std::optional<Scalar>& p, const IntList& dim,
                   detail::Flag keepdim, DType dtype) {
  return detail::call_for_one("aten.norm.ScalarOpt_dim_dtype", {self, p, dim, keepdim, dtype});
}

/// The p-norm of all elements, in another dtype.
/// `aten.norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor`
inline Tensor norm(const Tensor& self, const std::optional<Scalar>& p, DType dtype) {
  return detail::call_for_one("aten.norm.ScalarOpt_dtype", {self, p, dtype});
}

/// The norms of slices along a dimension.
/// `aten.norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor`
inline Tensor norm_except_dim(const Tensor& v, int64_t pow = 2, int64_t dim = 0) {
  return detail::call_for_one("aten.norm_except_dim", {v, pow, dim});
}

/// Normally distributed numbers in the shape of self.
/// `aten.normal(Tensor self, float mean=0.0, float std=1.0, *, Generator? generator=None) -> Tensor`
inline Tensor normal(const Tensor& self, double mean, double std) {
  return detail::call_for_one("aten.normal", {self, mean, std, std::nullopt});
}

/// Normally distributed numbers by elementwise mean and deviation.
/// `aten.normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor`
inline Tensor normal(const Tensor& mean, const Tensor& std) {
  return detail::call_for_one("aten.normal.Tensor_Tensor", {mean, std, std::nullopt});
}

/// Normally distributed numbers by elementwise mean.
/// `aten.normal.Tensor_float(Tensor mean, float std=1.0, *, Generator? generator=None) -> Tensor`
inline Tensor normal(const Tensor& mean, double std = 1) {
  return detail::call_for_one("aten.normal.Tensor_float", {mean, std, std::nullopt});
}

/// Normally distributed numbers by elementwise deviation.
/// `aten.normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor`
inline Tensor normal(double mean, const Tensor& std) {
  return detail::call_for_one("aten.normal.float_Tensor", {mean, std, std::nullopt});
}

/// Normally distributed numbers.
/// `aten.normal.float_float(float mean, float std, int[] size, *, Generator? generator=None, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor normal(double mean, double std, const IntList& size,
                     std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.normal.float_float", {mean, std, size, std::nullopt, dtype, std::nullopt,
        std::nullopt, std::nullopt});
}

/// Normally distributed numbers in the shape of self.
/// `aten.normal_(Tensor(a!) self, float mean=0.0, float std=1.0, *, Generator? generator=None) -> Tensor(a!)`
inline Tensor normal_(const Tensor& self, double mean = 0, double std = 1) {
  return detail::call_for_one("aten.normal_", {self, mean, std, std::nullopt});
}

/// Normally distributed numbers in the shape of self.
/// `aten.normal_functional(Tensor self, float mean=0.0, float std=1.0, *, Generator? generator=None) -> Tensor`
inline Tensor normal_functional(const Tensor& self, double mean = 0, double std = 1) {
  return detail::call_for_one("aten.normal_functional", {self, mean, std, std::nullopt});
}

/// self != other.
/// `aten.not_equal.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor not_equal(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.not_equal.Scalar", {self, other});
}

/// self != other.
/// `aten.not_equal.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor not_equal(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.not_equal.Tensor", {self, other});
}

/// self != other.
/// `aten.not_equal_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor not_equal_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.not_equal_.Scalar", {self, other});
}

/// self != other.
/// `aten.not_equal_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor not_equal_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.not_equal_.Tensor", {self, other});
}

/// The sum of the singular values of a matrix.
/// `aten.nuclear_norm(Tensor self, bool keepdim=False) -> Tensor`
inline Tensor nuclear_norm(const Tensor& self, detail::Flag keepdim = false) {
  return detail::call_for_one("aten.nuclear_norm", {self, keepdim});
}

/// The sums of the singular values of matrices.
/// `aten.nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor`
inline Tensor nuclear_norm(const Tensor& self, const IntList& dim, detail::Flag keepdim = false) {
  return detail::call_for_one("aten.nuclear_norm.dim", {self, dim, keepdim});
}

/// All dimensions reversed.
/// `aten.numpy_T(Tensor(a) self) -> Tensor(a)`
inline Tensor numpy_T(const Tensor& self) {
  return detail::call_for_one("aten.numpy_T", {self});
}

/// 1 at the class of each element along a new last dimension, 0 elsewhere.
/// C1: classes are integers. C2: their number is given.
/// `aten.one_hot(Tensor self, int num_classes=-1) -> Tensor`
inline Tensor one_hot(const Tensor& self, int64_t num_classes = -1) {
  return detail::call_for_one("aten.one_hot", {self, num_classes});
}

/// A tensor of ones.
/// `aten.ones(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor ones(const IntList& size, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.ones", {size, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// Ones in the shape of self.
/// `aten.ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor ones_like(const Tensor& self, std::optional<DType> dtype = std::nullopt,
                        std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten.ones_like", {self, dtype, std::nullopt, std::nullopt, std::nullopt, memory_format});
}

/// Another name of linalg_householder_product.
/// `aten.orgqr(Tensor self, Tensor input2) -> Tensor`
inline Tensor orgqr(const Tensor& self, const Tensor& input2) {
  return detail::call_for_one("aten.orgqr", {self, input2});
}

/// Product of Householder reflectors with a matrix.
/// `aten.ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor`
inline Tensor ormqr(const Tensor& self, const Tensor& input2, const Tensor& input3,
                    detail::Flag left = true, detail::Flag transpose = false) {
  return detail::call_for_one("aten.ormqr", {self, input2, input3, left, transpose});
}

/// Every element of self times every element of vec2.
/// `aten.outer(Tensor self, Tensor vec2) -> Tensor`
inline Tensor outer(const Tensor& self, const Tensor& vec2) {
  return detail::call_for_one("aten.outer", {self, vec2});
}

/// Pads the last dimensions by a constant, reflection, edge values or wrapping.
/// `aten.pad(Tensor self, int[] pad, str mode='constant', float? value=None) -> Tensor`
inline Tensor pad(const Tensor& self, const IntList& pad, std::string_view mode = "constant",
                  std::optional<double> value = std::nullopt) {
  return detail::call_for_one("aten.pad", {self, pad, mode, value});
}

/// Sequences filled up to the longest, as one tensor.
/// C1: there is a sequence. C2: a side is left or right. C3: all have one rank.
/// `aten.pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0.0, str padding_side='right') -> Tensor`
inline Tensor pad_sequence(const TensorList& sequences, detail::Flag batch_first = false,
                           double padding_value = 0, std::string_view padding_side = "right") {
  return detail::call_for_one("aten.pad_sequence", {sequences, batch_first, padding_value, padding_side});
}

/// The p-norm of x1 - x2 + eps along the last dimension.
/// `aten.pairwise_distance(Tensor x1, Tensor x2, float p=2.0, float eps=1e-06, bool keepdim=False) -> Tensor`
inline Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p = 2,
                                double eps = 1e-06, detail::Flag keepdim = false) {
  return detail::call_for_one("aten.pairwise_distance", {x1, x2, p, eps, keepdim});
}

/// Distances between the rows of a matrix, each pair once.
/// `aten.pdist(Tensor self, float p=2.0) -> Tensor`
inline Tensor pdist(const Tensor& self, double p = 2) {
  return detail::call_for_one("aten.pdist", {self, p});
}

/// Dimension i of the result is dimension dims[i] of the input.
/// `aten.permute(Tensor(a) self, int[] dims) -> Tensor(a)`
inline Tensor permute(const Tensor& self, const IntList& dims) {
  return detail::call_for_one("aten.permute", {self, dims});
}

/// What the view of the same name gives, copied.
/// `aten.permute_copy(Tensor self, int[] dims) -> Tensor`
inline Tensor permute_copy(const Tensor& self, const IntList& dims) {
  return detail::call_for_one("aten.permute_copy", {self, dims});
}

/// Pseudo-inverse of matrices.
/// `aten.pinverse(Tensor self, float rcond=1e-15) -> Tensor`
inline Tensor pinverse(const Tensor& self, double rcond = 1e-15) {
  return detail::call_for_one("aten.pinverse", {self, rcond});
}

/// Moves blocks of channels into squares of pixels.
/// `aten.pixel_shuffle(Tensor self, int upscale_factor) -> Tensor`
inline Tensor pixel_shuffle(const Tensor& self, int64_t upscale_factor) {
  return detail::call_for_one("aten.pixel_shuffle", {self, upscale_factor});
}

/// Moves squares of pixels into blocks of channels.
/// `aten.pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor`
inline Tensor pixel_unshuffle(const Tensor& self, int64_t downscale_factor) {
  return detail::call_for_one("aten.pixel_unshuffle", {self, downscale_factor});
}

/// Poisson distributed numbers of the rates in self.
/// `aten.poisson(Tensor self, Generator? generator=None) -> Tensor`
inline Tensor poisson(const Tensor& self) {
  return detail::call_for_one("aten.poisson", {self, std::nullopt});
}

/// Negative logarithm of a Poisson probability; full adds Stirling's term.
/// `aten.poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor`
inline Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, detail::Flag log_input,
                               detail::Flag full, double eps, int64_t reduction) {
  return detail::call_for_one("aten.poisson_nll_loss", {input, target, log_input, full, eps, reduction});
}

/// The complex number of this magnitude and angle.
/// `aten.polar(Tensor abs, Tensor angle) -> Tensor`
inline Tensor polar(const Tensor& abs, const Tensor& angle) {
  return detail::call_for_one("aten.polar", {abs, angle});
}

/// Derivative n of digamma.
/// `aten.polygamma(int n, Tensor self) -> Tensor`
inline Tensor polygamma(int64_t n, const Tensor& self) {
  return detail::call_for_one("aten.polygamma", {n, self});
}

/// Derivative n of digamma.
/// `aten.polygamma_(Tensor(a!) self, int n) -> Tensor(a!)`
inline Tensor polygamma_(const Tensor& self, int64_t n) {
  return detail::call_for_one("aten.polygamma_", {self, n});
}

/// Self.
/// C1: not for bool.
/// `aten.positive(Tensor(a) self) -> Tensor(a)`
inline Tensor positive(const Tensor& self) {
  return detail::call_for_one("aten.positive", {self});
}

/// self to the power of exponent.
/// C1: no negative exponent literals for integers. C2: not for bool.
/// `aten.pow.Scalar(Scalar self, Tensor exponent) -> Tensor`
inline Tensor pow(const Scalar& self, const Tensor& exponent) {
  return detail::call_for_one("aten.pow.Scalar", {self, exponent});
}

/// self to the power of exponent.
/// C1: no negative exponent literals for integers. C2: not for bool.
/// `aten.pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor`
inline Tensor pow(const Tensor& self, const Scalar& exponent) {
  return detail::call_for_one("aten.pow.Tensor_Scalar", {self, exponent});
}

/// self to the power of exponent.
/// C1: no negative exponent literals for integers. C2: not for bool.
/// `aten.pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor`
inline Tensor pow(const Tensor& self, const Tensor& exponent) {
  return detail::call_for_one("aten.pow.Tensor_Tensor", {self, exponent});
}

/// self to the power of exponent.
/// C1: no negative exponent literals for integers. C2: not for bool.
/// `aten.pow_.Scalar(Tensor(a!) self, Scalar exponent) -> Tensor(a!)`
inline Tensor pow_(const Tensor& self, const Scalar& exponent) {
  return detail::call_for_one("aten.pow_.Scalar", {self, exponent});
}

/// self to the power of exponent.
/// C1: no negative exponent literals for integers. C2: not for bool.
/// `aten.pow_.Tensor(Tensor(a!) self, Tensor exponent) -> Tensor(a!)`
inline Tensor pow_(const Tensor& self, const Tensor& exponent) {
  return detail::call_for_one("aten.pow_.Tensor", {self, exponent});
}

/// leaky_relu with a slope per channel (dimension 1).
/// C1: weight has at most one dimension.
/// `aten.prelu(Tensor self, Tensor weight) -> Tensor`
inline Tensor prelu(const Tensor& self, const Tensor& weight) {
  return detail::call_for_one("aten.prelu", {self, weight});
}

/// The product of all elements.
/// `aten.prod(Tensor self, *, ScalarType? dtype=None) -> Tensor`
inline Tensor prod(const Tensor& self, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.prod", {self, dtype});
}

/// The product along a dimension.
/// `aten.prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`
inline Tensor prod(const Tensor& self, int64_t dim, detail::Flag keepdim = false,
                   std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.prod.dim_int", {self, dim, keepdim, dtype});
}

/// Self with source at row-major positions.
/// `aten.put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor`
inline Tensor put(const Tensor& self, const Tensor& index, const Tensor& source,
                  detail::Flag accumulate = false) {
  return detail::call_for_one("aten.put", {self, index, source, accumulate});
}

/// Self with source at row-major positions.
/// `aten.put_(Tensor(a!) self, Tensor index, Tensor source, bool accumulate=False) -> Tensor(a!)`
inline Tensor put_(const Tensor& self, const Tensor& index, const Tensor& source,
                   detail::Flag accumulate = false) {
  return detail::call_for_one("aten.put_", {self, index, source, accumulate});
}

/// The element below which a part q of the line lies, or a value between two elements.
/// C1: self is f32 or f64. C2: it is not empty. C3: q is a number or a list. C4: q is in [0, 1]. C5: interpolation has one of five names.
/// `aten.quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor`
inline Tensor quantile(const Tensor& self, const Tensor& q,
                       std::optional<int64_t> dim = std::nullopt, detail::Flag keepdim = false,
                       std::string_view interpolation = "linear") {
  return detail::call_for_one("aten.quantile", {self, q, dim, keepdim, interpolation});
}

/// The element below which a part q of the line lies, or a value between two elements.
/// C1: self is f32 or f64. C2: it is not empty. C3: q is a number or a list. C4: q is in [0, 1]. C5: interpolation has one of five names.
/// `aten.quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor`
inline Tensor quantile(const Tensor& self, double q, std::optional<int64_t> dim = std::nullopt,
                       detail::Flag keepdim = false, std::string_view interpolation = "linear") {
  return detail::call_for_one("aten.quantile.scalar", {self, q, dim, keepdim, interpolation});
}

/// Radians to degrees.
/// `aten.rad2deg(Tensor self) -> Tensor`
inline Tensor rad2deg(const Tensor& self) {
  return detail::call_for_one("aten.rad2deg", {self});
}

/// Radians to degrees.
/// `aten.rad2deg_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor rad2deg_(const Tensor& self) {
  return detail::call_for_one("aten.rad2deg_", {self});
}

/// Uniform numbers in [0, 1).
/// `aten.rand(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor rand(const IntList& size, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.rand", {size, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// Uniform numbers in [0, 1).
/// `aten.rand.generator(int[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor rand_generator(const IntList& size, std::optional<DType> dtype) {
  return detail::call_for_one("aten.rand.generator", {size, std::nullopt, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// Uniform numbers in [0, 1) in the shape of self.
/// `aten.rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor rand_like(const Tensor& self, std::optional<DType> dtype = std::nullopt,
                        std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten.rand_like", {self, dtype, std::nullopt, std::nullopt, std::nullopt, memory_format});
}

/// Uniform numbers in [0, 1) in the shape of self.
/// `aten.rand_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor rand_like_generator(const Tensor& self, std::optional<DType> dtype,
                                  std::optional<MemoryFormat> memory_format) {
  return detail::call_for_one("aten.rand_like.generator", {self, std::nullopt, dtype, std::nullopt, std::nullopt,
        std::nullopt, memory_format});
}

/// Uniform integers in [0, high).
/// `aten.randint(int high, int[] size, *, ScalarType? dtype=int64, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor randint(int64_t high, const IntList& size, std::optional<DType> dtype = DType::int64) {
  return detail::call_for_one("aten.randint", {high, size, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// Uniform integers in [0, high).
/// `aten.randint(int high, int[] size, *, ScalarType? dtype=int64, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor randint(const Size& high, const IntList& size,
                      std::optional<DType> dtype = DType::int64) {
  return detail::call_for_one("aten.randint", {high, size, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// Uniform integers in [0, high).
/// `aten.randint.generator(int high, int[] size, *, Generator? generator, ScalarType? dtype=int64, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor randint_generator(int64_t high, const IntList& size, std::optional<DType> dtype) {
  return detail::call_for_one("aten.randint.generator", {high, size, std::nullopt, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// Uniform integers in [0, high).
/// `aten.randint.generator(int high, int[] size, *, Generator? generator, ScalarType? dtype=int64, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor randint_generator(const Size& high, const IntList& size, std::optional<DType> dtype) {
  return detail::call_for_one("aten.randint.generator", {high, size, std::nullopt, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// Uniform integers in [low, high).
/// `aten.randint.low(int low, int high, int[] size, *, ScalarType? dtype=int64, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor randint(int64_t low, int64_t high, const IntList& size,
                      std::optional<DType> dtype = DType::int64) {
  return detail::call_for_one("aten.randint.low", {low, high, size, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// Uniform integers in [low, high).
/// `aten.randint.low(int low, int high, int[] size, *, ScalarType? dtype=int64, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor randint(const Size& low, const Size& high, const IntList& size,
                      std::optional<DType> dtype = DType::int64) {
  return detail::call_for_one("aten.randint.low", {low, high, size, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// Uniform integers in [low, high).
/// `aten.randint.low_generator(int low, int high, int[] size, *, Generator? generator, ScalarType? dtype=int64, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor randint_low_generator(int64_t low, int64_t high, const IntList& size,
                                    std::optional<DType> dtype) {
  return detail::call_for_one("aten.randint.low_generator", {low, high, size, std::nullopt, dtype, std::nullopt,
        std::nullopt, std::nullopt});
}

/// Uniform integers in [low, high).
/// `aten.randint.low_generator(int low, int high, int[] size, *, Generator? generator, ScalarType? dtype=int64, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor randint_low_generator(const Size& low, const Size& high, const IntList& size,
                                    std::optional<DType> dtype) {
  return detail::call_for_one("aten.randint.low_generator", {low, high, size, std::nullopt, dtype, std::nullopt,
        std::nullopt, std::nullopt});
}

/// Uniform integers in [0, high) in the shape of self.
/// `aten.randint_like(Tensor self, int high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor randint_like(const Tensor& self, int64_t high,
                           std::optional<DType> dtype = std::nullopt,
                           std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten.randint_like", {self, high, dtype, std::nullopt, std::nullopt, std::nullopt,
        memory_format});
}

/// Uniform integers in [0, high) in the shape of self.
/// `aten.randint_like(Tensor self, int high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor randint_like(const Tensor& self, const Size& high,
                           std::optional<DType> dtype = std::nullopt,
                           std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten.randint_like", {self, high, dtype, std::nullopt, std::nullopt, std::nullopt,
        memory_format});
}

/// Uniform integers in [0, high) in the shape of self.
/// `aten.randint_like.generator(Tensor self, int high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor randint_like_generator(const Tensor& self, int64_t high, std::optional<DType> dtype,
                                     std::optional<MemoryFormat> memory_format) {
  return detail::call_for_one("aten.randint_like.generator", {self, high, std::nullopt, dtype, std::nullopt,
        std::nullopt, std::nullopt, memory_format});
}

/// Uniform integers in [0, high) in the shape of self.
/// `aten.randint_like.generator(Tensor self, int high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor randint_like_generator(const Tensor& self, const Size& high,
                                     std::optional<DType> dtype,
                                     std::optional<MemoryFormat> memory_format) {
  return detail::call_for_one("aten.randint_like.generator", {self, high, std::nullopt, dtype, std::nullopt,
        std::nullopt, std::nullopt, memory_format});
}

/// Uniform integers in [low, high) in the shape of self.
/// `aten.randint_like.low_dtype(Tensor self, int low, int high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor randint_like(const Tensor& self, int64_t low, int64_t high,
                           std::optional<DType> dtype = std::nullopt,
                           std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten.randint_like.low_dtype", {self, low, high, dtype, std::nullopt, std::nullopt,
        std::nullopt, memory_format});
}

/// Uniform integers in [low, high) in the shape of self.
/// `aten.randint_like.low_dtype(Tensor self, int low, int high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor randint_like(const Tensor& self, const Size& low, const Size& high,
                           std::optional<DType> dtype = std::nullopt,
                           std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten.randint_like.low_dtype", {self, low, high, dtype, std::nullopt, std::nullopt,
        std::nullopt, memory_format});
}

/// Uniform integers in [low, high) in the shape of self.
/// `aten.randint_like.low_generator_dtype(Tensor self, int low, int high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor randint_like_low_generator_dtype(const Tensor& self, int64_t low, int64_t high,
                                        std::optional<DType> dtype,
                                        std::optional<MemoryFormat> memory_format) {
  return detail::call_for_one("aten.randint_like.low_generator_dtype", {self, low, high, std::nullopt, dtype,
        std::nullopt, std::nullopt, std::nullopt, memory_format});
}

/// Uniform integers in [low, high) in the shape of self.
/// `aten.randint_like.low_generator_dtype(Tensor self, int low, int high, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor randint_like_low_generator_dtype(const Tensor& self, const Size& low, const Size& high,
                                        std::optional<DType> dtype,
                                        std::optional<MemoryFormat> memory_format) {
  return detail::call_for_one("aten.randint_like.low_generator_dtype", {self, low, high, std::nullopt, dtype,
        std::nullopt, std::nullopt, std::nullopt, memory_format});
}

/// Normally distributed numbers.
/// `aten.randn(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor randn(const IntList& size, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.randn", {size, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// Normally distributed numbers.
/// `aten.randn.generator(int[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor randn_generator(const IntList& size, std::optional<DType> dtype) {
  return detail::call_for_one("aten.randn.generator", {size, std::nullopt, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// Normally distributed numbers in the shape of self.
/// `aten.randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor randn_like(const Tensor& self, std::optional<DType> dtype = std::nullopt,
                         std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten.randn_like", {self, dtype, std::nullopt, std::nullopt, std::nullopt, memory_format});
}

/// Normally distributed numbers in the shape of self.
/// `aten.randn_like.generator(Tensor self, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor randn_like_generator(const Tensor& self, std::optional<DType> dtype,
                                   std::optional<MemoryFormat> memory_format) {
  return detail::call_for_one("aten.randn_like.generator", {self, std::nullopt, dtype, std::nullopt, std::nullopt,
        std::nullopt, memory_format});
}

/// Uniform whole numbers from 0 on, as large as self's dtype holds exactly.
/// `aten.random(Tensor self, *, Generator? generator=None) -> Tensor`
inline Tensor random(const Tensor& self) {
  return detail::call_for_one("aten.random", {self, std::nullopt});
}

/// Uniform whole numbers in [from, to), or as large as the dtype holds exactly.
/// `aten.random.from(Tensor self, int from, int? to, *, Generator? generator=None) -> Tensor`
inline Tensor random(const Tensor& self, int64_t from, std::optional<int64_t> to) {
  return detail::call_for_one("aten.random.from", {self, from, to, std::nullopt});
}

/// Uniform whole numbers in [0, to).
/// `aten.random.to(Tensor self, int to, *, Generator? generator=None) -> Tensor`
inline Tensor random(const Tensor& self, int64_t to) {
  return detail::call_for_one("aten.random.to", {self, to, std::nullopt});
}

/// Uniform whole numbers from 0 on, as large as self's dtype holds exactly.
/// `aten.random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)`
inline Tensor random_(const Tensor& self) {
  return detail::call_for_one("aten.random_", {self, std::nullopt});
}

/// Uniform whole numbers in [from, to), or as large as the dtype holds exactly.
/// `aten.random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)`
inline Tensor random_(const Tensor& self, int64_t from, std::optional<int64_t> to) {
  return detail::call_for_one("aten.random_.from", {self, from, to, std::nullopt});
}

/// Uniform whole numbers in [0, to).
/// `aten.random_.to(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!)`
inline Tensor random_(const Tensor& self, int64_t to) {
  return detail::call_for_one("aten.random_.to", {self, to, std::nullopt});
}

/// The numbers below n in random order.
/// `aten.randperm(int n, *, ScalarType? dtype=int64, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor randperm(int64_t n, std::optional<DType> dtype = DType::int64) {
  return detail::call_for_one("aten.randperm", {n, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// The numbers below n in random order.
/// `aten.randperm(int n, *, ScalarType? dtype=int64, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor randperm(const Size& n, std::optional<DType> dtype = DType::int64) {
  return detail::call_for_one("aten.randperm", {n, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// The numbers below n in random order.
/// `aten.randperm.generator(int n, *, Generator? generator, ScalarType? dtype=int64, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor randperm_generator(int64_t n, std::optional<DType> dtype) {
  return detail::call_for_one("aten.randperm.generator", {n, std::nullopt, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// The numbers below n in random order.
/// `aten.randperm.generator(int n, *, Generator? generator, ScalarType? dtype=int64, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor randperm_generator(const Size& n, std::optional<DType> dtype) {
  return detail::call_for_one("aten.randperm.generator", {n, std::nullopt, dtype, std::nullopt, std::nullopt,
        std::nullopt});
}

/// start, start + step, ... to end.
/// C1: the step leads from start to end. C2: numbers of integer ranges are representable.
/// `aten.range(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor range(const Scalar& start, const Scalar& end,
                    std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.range", {start, end, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// start, start + step, ... to end.
/// C1: the step leads from start to end. C2: numbers of integer ranges are representable.
/// `aten.range.step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor range(const Scalar& start, const Scalar& end, const Scalar& step,
                    std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.range.step", {start, end, step, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// All elements in one dimension.
/// `aten.ravel(Tensor(a) self) -> Tensor(a)`
inline Tensor ravel(const Tensor& self) {
  return detail::call_for_one("aten.ravel", {self});
}

/// Real parts, a view; self if it is real.
/// `aten.real(Tensor(a) self) -> Tensor(a)`
inline Tensor real(const Tensor& self) {
  return detail::call_for_one("aten.real", {self});
}

/// 1 / self.
/// `aten.reciprocal(Tensor self) -> Tensor`
inline Tensor reciprocal(const Tensor& self) {
  return detail::call_for_one("aten.reciprocal", {self});
}

/// 1 / self.
/// `aten.reciprocal_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor reciprocal_(const Tensor& self) {
  return detail::call_for_one("aten.reciprocal_", {self});
}

/// Pads by reflection without repeating the edge.
/// `aten.reflection_pad1d(Tensor self, int[2] padding) -> Tensor`
inline Tensor reflection_pad1d(const Tensor& self, const IntList& padding) {
  return detail::call_for_one("aten.reflection_pad1d", {self, padding});
}

/// Derivative of padding by reflection.
/// C1 to C3 as those of the padding.
/// `aten.reflection_pad1d_backward(Tensor grad_output, Tensor self, int[2] padding) -> Tensor`
inline Tensor reflection_pad1d_backward(const Tensor& grad_output, const Tensor& self,
                                        const IntList& padding) {
  return detail::call_for_one("aten.reflection_pad1d_backward", {grad_output, self, padding});
}

/// Pads by reflection without repeating the edge.
/// `aten.reflection_pad2d(Tensor self, int[4] padding) -> Tensor`
inline Tensor reflection_pad2d(const Tensor& self, const IntList& padding) {
  return detail::call_for_one("aten.reflection_pad2d", {self, padding});
}

/// Derivative of padding by reflection.
/// C1 to C3 as those of the padding.
/// `aten.reflection_pad2d_backward(Tensor grad_output, Tensor self, int[4] padding) -> Tensor`
inline Tensor reflection_pad2d_backward(const Tensor& grad_output, const Tensor& self,
                                        const IntList& padding) {
  return detail::call_for_one("aten.reflection_pad2d_backward", {grad_output, self, padding});
}

/// Pads by reflection without repeating the edge.
/// `aten.reflection_pad3d(Tensor self, int[6] padding) -> Tensor`
inline Tensor reflection_pad3d(const Tensor& self, const IntList& padding) {
  return detail::call_for_one("aten.reflection_pad3d", {self, padding});
}

/// Derivative of padding by reflection.
/// C1 to C3 as those of the padding.
/// `aten.reflection_pad3d_backward(Tensor grad_output, Tensor self, int[6] padding) -> Tensor`
inline Tensor reflection_pad3d_backward(const Tensor& grad_output, const Tensor& self,
                                        const IntList& padding) {
  return detail::call_for_one("aten.reflection_pad3d_backward", {grad_output, self, padding});
}

/// The positive part; keeps NaN.
/// C1: not for bool.
/// `aten.relu(Tensor self) -> Tensor`
inline Tensor relu(const Tensor& self) {
  return detail::call_for_one("aten.relu", {self});
}

/// Clamps to [0, 6].
/// C1: not for bool.
/// `aten.relu6(Tensor self) -> Tensor`
inline Tensor relu6(const Tensor& self) {
  return detail::call_for_one("aten.relu6", {self});
}

/// Clamps to [0, 6].
/// C1: not for bool.
/// `aten.relu6_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor relu6_(const Tensor& self) {
  return detail::call_for_one("aten.relu6_", {self});
}

/// The positive part; keeps NaN.
/// C1: not for bool.
/// `aten.relu_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor relu_(const Tensor& self) {
  return detail::call_for_one("aten.relu_", {self});
}

/// Remainder with the sign of other.
/// `aten.remainder.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor remainder(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.remainder.Scalar", {self, other});
}

/// Remainder with the sign of other.
/// `aten.remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor`
inline Tensor remainder(const Scalar& self, const Tensor& other) {
  return detail::call_for_one("aten.remainder.Scalar_Tensor", {self, other});
}

/// Remainder with the sign of other.
/// `aten.remainder.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor remainder(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.remainder.Tensor", {self, other});
}

/// Remainder with the sign of other.
/// `aten.remainder_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor remainder_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.remainder_.Scalar", {self, other});
}

/// Remainder with the sign of other.
/// `aten.remainder_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor remainder_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.remainder_.Tensor", {self, other});
}

/// Rescales slices along a dimension whose p-norm is above maxnorm to have it.
/// `aten.renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor`
inline Tensor renorm(const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm) {
  return detail::call_for_one("aten.renorm", {self, p, dim, maxnorm});
}

/// Rescales slices along a dimension whose p-norm is above maxnorm to have it.
/// `aten.renorm_(Tensor(a!) self, Scalar p, int dim, Scalar maxnorm) -> Tensor(a!)`
inline Tensor renorm_(const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm) {
  return detail::call_for_one("aten.renorm_", {self, p, dim, maxnorm});
}

/// The tensor repeated along each dimension.
/// `aten.repeat(Tensor self, int[] repeats) -> Tensor`
inline Tensor repeat(const Tensor& self, const IntList& repeats) {
  return detail::call_for_one("aten.repeat", {self, repeats});
}

/// Each position as often as its entry says.
/// C1: repeats is a list of integers.
/// `aten.repeat_interleave.Tensor(Tensor repeats, *, int? output_size=None) -> Tensor`
inline Tensor repeat_interleave(const Tensor& repeats,
                                const std::optional<Size>& output_size = std::nullopt) {
  return detail::call_for_one("aten.repeat_interleave.Tensor", {repeats, output_size});
}

/// Each element along dim as often as repeats says; without dim, of self flattened.
/// C1: repeats holds integers.
/// `aten.repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None) -> Tensor`
inline Tensor repeat_interleave(const Tensor& self, const Tensor& repeats,
                                std::optional<int64_t> dim = std::nullopt,
                                const std::optional<Size>& output_size = std::nullopt) {
  return detail::call_for_one("aten.repeat_interleave.self_Tensor", {self, repeats, dim, output_size});
}

/// Every element repeated in place along a dimension (flattened without one).
/// `aten.repeat_interleave.self_int(Tensor self, int repeats, int? dim=None, *, int? output_size=None) -> Tensor`
inline Tensor repeat_interleave(const Tensor& self, int64_t repeats, std::optional<int64_t> dim,
                                const std::optional<Size>& output_size = std::nullopt) {
  return detail::call_for_one("aten.repeat_interleave.self_int", {self, repeats, dim, output_size});
}

/// Every element repeated in place along a dimension (flattened without one).
/// `aten.repeat_interleave.self_int(Tensor self, int repeats, int? dim=None, *, int? output_size=None) -> Tensor`
inline Tensor repeat_interleave(const Tensor& self, const Size& repeats, std::optional<int64_t> dim,
                                const std::optional<Size>& output_size = std::nullopt) {
  return detail::call_for_one("aten.repeat_interleave.self_int", {self, repeats, dim, output_size});
}

/// Pads with the edge values.
/// `aten.replication_pad1d(Tensor self, int[2] padding) -> Tensor`
inline Tensor replication_pad1d(const Tensor& self, const IntList& padding) {
  return detail::call_for_one("aten.replication_pad1d", {self, padding});
}

/// Derivative of padding by edge values.
/// C1 to C3 as those of the padding.
/// `aten.replication_pad1d_backward(Tensor grad_output, Tensor self, int[2] padding) -> Tensor`
inline Tensor replication_pad1d_backward(const Tensor& grad_output, const Tensor& self,
                                        const IntList& padding) {
  return detail::call_for_one("aten.replication_pad1d_backward", {grad_output, self, padding});
}

/// Pads with the edge values.
/// `aten.replication_pad2d(Tensor self, int[4] padding) -> Tensor`
inline Tensor replication_pad2d(const Tensor& self, const IntList& padding) {
  return detail::call_for_one("aten.replication_pad2d", {self, padding});
}

/// Derivative of padding by edge values.
/// C1 to C3 as those of the padding.
/// `aten.replication_pad2d_backward(Tensor grad_output, Tensor self, int[4] padding) -> Tensor`
inline Tensor replication_pad2d_backward(const Tensor& grad_output, const Tensor& self,
                                        const IntList& padding) {
  return detail::call_for_one("aten.replication_pad2d_backward", {grad_output, self, padding});
}

/// Pads with the edge values.
/// `aten.replication_pad3d(Tensor self, int[6] padding) -> Tensor`
inline Tensor replication_pad3d(const Tensor& self, const IntList& padding) {
  return detail::call_for_one("aten.replication_pad3d", {self, padding});
}

/// Derivative of padding by edge values.
/// C1 to C3 as those of the padding.
/// `aten.replication_pad3d_backward(Tensor grad_output, Tensor self, int[6] padding) -> Tensor`
inline Tensor replication_pad3d_backward(const Tensor& grad_output, const Tensor& self,
                                        const IntList& padding) {
  return detail::call_for_one("aten.replication_pad3d_backward", {grad_output, self, padding});
}

/// Other sizes for the same elements in the same order; -1 takes what is left.
/// `aten.reshape(Tensor(a) self, int[] shape) -> Tensor(a)`
inline Tensor reshape(const Tensor& self, const IntList& shape) {
  return detail::call_for_one("aten.reshape", {self, shape});
}

/// reshape to the sizes of `other`.
/// `aten.reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)`
inline Tensor reshape_as(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.reshape_as", {self, other});
}

/// The elements of the storage of self under other sizes; zeros where there are more.
/// `aten.resize(Tensor self, int[] size, *, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor resize(const Tensor& self, const IntList& size,
                     std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten.resize", {self, size, memory_format});
}

/// Self.
/// `aten.resolve_conj(Tensor(a) self) -> Tensor(a)`
inline Tensor resolve_conj(const Tensor& self) {
  return detail::call_for_one("aten.resolve_conj", {self});
}

/// Self.
/// `aten.resolve_neg(Tensor(a) self) -> Tensor(a)`
inline Tensor resolve_neg(const Tensor& self) {
  return detail::call_for_one("aten.resolve_neg", {self});
}

/// Scales the last dimensions to a root mean square of 1.
/// `aten.rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor`
inline Tensor rms_norm(const Tensor& input, const IntList& normalized_shape,
                       const MaybeTensor& weight = {}, std::optional<double> eps = std::nullopt) {
  return detail::call_for_one("aten.rms_norm", {input, normalized_shape, weight, eps});
}

/// Plain recurrent units with relu along a sequence.
/// `aten.rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> rnn_relu(const Tensor& input, const Tensor& hx,
                                        const TensorList& params, detail::Flag has_biases,
                                        int64_t num_layers, double dropout, detail::Flag train,
                                        detail::Flag bidirectional, detail::Flag batch_first) {
  return detail::call_for_many<2>("aten.rnn_relu.input", {input, hx, params, has_biases, num_layers, dropout, train,
        bidirectional, batch_first});
}

/// One step of plain recurrent units with relu.
/// `aten.rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor`
inline Tensor rnn_relu_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih,
                            const Tensor& w_hh, const MaybeTensor& b_ih = {},
                            const MaybeTensor& b_hh = {}) {
  return detail::call_for_one("aten.rnn_relu_cell", {input, hx, w_ih, w_hh, b_ih, b_hh});
}

/// Plain recurrent units with tanh along a sequence.
/// `aten.rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& input, const Tensor& hx,
                                        const TensorList& params, detail::Flag has_biases,
                                        int64_t num_layers, double dropout, detail::Flag train,
                                        detail::Flag bidirectional, detail::Flag batch_first) {
  return detail::call_for_many<2>("aten.rnn_tanh.input", {input, hx, params, has_biases, num_layers, dropout, train,
        bidirectional, batch_first});
}

/// One step of plain recurrent units with tanh.
/// `aten.rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor`
inline Tensor rnn_tanh_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih,
                            const Tensor& w_hh, const MaybeTensor& b_ih = {},
                            const MaybeTensor& b_hh = {}) {
  return detail::call_for_one("aten.rnn_tanh_cell", {input, hx, w_ih, w_hh, b_ih, b_hh});
}

/// Shifts elements along dimensions, around the end; flattened without dims.
/// `aten.roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor`
inline Tensor roll(const Tensor& self, const IntList& shifts, const IntList& dims = IntList{}) {
  return detail::call_for_one("aten.roll", {self, shifts, dims});
}

/// Rotates by k quarter turns in the plane of two dimensions.
/// `aten.rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor`
inline Tensor rot90(const Tensor& self, int64_t k = 1, const IntList& dims = IntList{0, 1}) {
  return detail::call_for_one("aten.rot90", {self, k, dims});
}

/// Rounds to the nearest integer, half to even.
/// `aten.round(Tensor self) -> Tensor`
inline Tensor round(const Tensor& self) {
  return detail::call_for_one("aten.round", {self});
}

/// Rounds to a number of decimals, half to even in the scaled value.
/// `aten.round.decimals(Tensor self, *, int decimals) -> Tensor`
inline Tensor round(const Tensor& self, int64_t decimals) {
  return detail::call_for_one("aten.round.decimals", {self, decimals});
}

/// Rounds to the nearest integer, half to even.
/// `aten.round_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor round_(const Tensor& self) {
  return detail::call_for_one("aten.round_", {self});
}

/// Rounds to a number of decimals, half to even in the scaled value.
/// `aten.round_.decimals(Tensor(a!) self, *, int decimals) -> Tensor(a!)`
inline Tensor round_(const Tensor& self, int64_t decimals) {
  return detail::call_for_one("aten.round_.decimals", {self, decimals});
}

/// Another name of vstack.
/// `aten.row_stack(Tensor[] tensors) -> Tensor`
inline Tensor row_stack(const TensorList& tensors) {
  return detail::call_for_one("aten.row_stack", {tensors});
}

/// leaky_relu with slopes drawn from [lower, upper) while training.
/// `aten.rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor`
inline Tensor rrelu(const Tensor& self, const Scalar& lower = 0.125,
                    const Scalar& upper = 0.3333333333333333, detail::Flag training = false) {
  return detail::call_for_one("aten.rrelu", {self, lower, upper, training, std::nullopt});
}

/// leaky_relu with slopes drawn from [lower, upper) while training.
/// `aten.rrelu_(Tensor(a!) self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor(a!)`
inline Tensor rrelu_(const Tensor& self, const Scalar& lower = 0.125,
                     const Scalar& upper = 0.3333333333333333, detail::Flag training = false) {
  return detail::call_for_one("aten.rrelu_", {self, lower, upper, training, std::nullopt});
}

/// Derivative of rrelu, whose slopes are the noise.
/// `aten.rrelu_with_noise_backward(Tensor grad_output, Tensor self, Tensor noise, Scalar lower, Scalar upper, bool training, bool self_is_result) -> Tensor`
inline Tensor rrelu_with_noise_backward(const Tensor& grad_output, const Tensor& self,
                                        const Tensor& noise, const Scalar& lower,
                                        const Scalar& upper, detail::Flag training,
                                        detail::Flag self_is_result) {
  return detail::call_for_one("aten.rrelu_with_noise_backward", {grad_output, self, noise, lower, upper, training,
        self_is_result});
}

/// rrelu, and the slopes it used.
/// C1: the noise has the shape of self, C2: and while training its dtype.
/// `aten.rrelu_with_noise_functional(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> (Tensor, Tensor noise_out)`
inline std::tuple<Tensor, Tensor> rrelu_with_noise_functional(const Tensor& self, const Tensor& noise,
                                        const Scalar& lower = 0.125,
                                        const Scalar& upper = 0.3333333333333333,
                                        detail::Flag training = false) {
  return detail::call_for_many<2>("aten.rrelu_with_noise_functional", {self, noise, lower, upper, training, std::nullopt});
}

/// 1 / sqrt(self).
/// `aten.rsqrt(Tensor self) -> Tensor`
inline Tensor rsqrt(const Tensor& self) {
  return detail::call_for_one("aten.rsqrt", {self});
}

/// 1 / sqrt(self).
/// `aten.rsqrt_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor rsqrt_(const Tensor& self) {
  return detail::call_for_one("aten.rsqrt_", {self});
}

/// other - alpha * self.
/// C1: not for bool.
/// `aten.rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor`
inline Tensor rsub(const Tensor& self, const Scalar& other, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.rsub.Scalar", {self, other, alpha});
}

/// other - alpha * self.
/// C1: not for bool.
/// `aten.rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`
inline Tensor rsub(const Tensor& self, const Tensor& other, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.rsub.Tensor", {self, other, alpha});
}

/// A number as a rank-0 tensor, f32 unless told otherwise.
/// `aten.scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor scalar_tensor(const Scalar& s, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.scalar_tensor", {s, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// softmax(query @ key^T * scale + mask) @ value.
/// `aten.scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor`
inline Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                        const MaybeTensor& attn_mask = {}, double dropout_p = 0,
                                        detail::Flag is_causal = false,
                                        std::optional<double> scale = std::nullopt,
                                        detail::Flag enable_gqa = false) {
  return detail::call_for_one("aten.scaled_dot_product_attention", {query, key, value, attn_mask, dropout_p, is_causal,
        scale, enable_gqa});
}

/// Self plus or times src at the indexed places.
/// `aten.scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor`
inline Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce) {
  return detail::call_for_one("aten.scatter.reduce", {self, dim, index, src, reduce});
}

/// Self with src at the indexed places of a dimension.
/// `aten.scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor`
inline Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return detail::call_for_one("aten.scatter.src", {self, dim, index, src});
}

/// Self with a number at the indexed places of a dimension.
/// `aten.scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor`
inline Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  return detail::call_for_one("aten.scatter.value", {self, dim, index, value});
}

/// Self plus or times a number at the indexed places.
/// `aten.scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor`
inline Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value,
                      std::string_view reduce) {
  return detail::call_for_one("aten.scatter.value_reduce", {self, dim, index, value, reduce});
}

/// Self plus or times src at the indexed places.
/// `aten.scatter_.reduce(Tensor(a!) self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor(a!)`
inline Tensor scatter_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                       std::string_view reduce) {
  return detail::call_for_one("aten.scatter_.reduce", {self, dim, index, src, reduce});
}

/// Self with src at the indexed places of a dimension.
/// `aten.scatter_.src(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)`
inline Tensor scatter_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return detail::call_for_one("aten.scatter_.src", {self, dim, index, src});
}

/// Self with a number at the indexed places of a dimension.
/// `aten.scatter_.value(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)`
inline Tensor scatter_(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value) {
  return detail::call_for_one("aten.scatter_.value", {self, dim, index, value});
}

/// Self plus or times a number at the indexed places.
/// `aten.scatter_.value_reduce(Tensor(a!) self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor(a!)`
inline Tensor scatter_(const Tensor& self, int64_t dim, const Tensor& index, const Scalar& value,
                       std::string_view reduce) {
  return detail::call_for_one("aten.scatter_.value_reduce", {self, dim, index, value, reduce});
}

/// Self plus src at the indexed places of a dimension.
/// `aten.scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor`
inline Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return detail::call_for_one("aten.scatter_add", {self, dim, index, src});
}

/// Self plus src at the indexed places of a dimension.
/// `aten.scatter_add_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)`
inline Tensor scatter_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return detail::call_for_one("aten.scatter_add_", {self, dim, index, src});
}

/// Src combined into self at the indexed places of a dimension.
/// `aten.scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor`
inline Tensor scatter_reduce(const Tensor& self, int64_t dim, const Tensor& index,
                             const Tensor& src, std::string_view reduce,
                             detail::Flag include_self = true) {
  return detail::call_for_one("aten.scatter_reduce.two", {self, dim, index, src, reduce, include_self});
}

/// Src combined into self at the indexed places of a dimension.
/// `aten.scatter_reduce_.two(Tensor(a!) self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor(a!)`
inline Tensor scatter_reduce_(const Tensor& self, int64_t dim, const Tensor& index,
                              const Tensor& src, std::string_view reduce,
                              detail::Flag include_self = true) {
  return detail::call_for_one("aten.scatter_reduce_.two", {self, dim, index, src, reduce, include_self});
}

/// The place of a number in a sorted sequence.
/// `aten.searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor`
inline Tensor searchsorted(const Tensor& sorted_sequence, const Scalar& self,
                           detail::Flag out_int32 = false, detail::Flag right = false,
                           std::optional<std::string_view> side = std::nullopt,
                           const MaybeTensor& sorter = {}) {
  return detail::call_for_one("aten.searchsorted.Scalar", {sorted_sequence, self, out_int32, right, side, sorter});
}

/// The place of each element in its sorted sequence.
/// `aten.searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor`
inline Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self,
                           detail::Flag out_int32 = false, detail::Flag right = false,
                           std::optional<std::string_view> side = std::nullopt,
                           const MaybeTensor& sorter = {}) {
  return detail::call_for_one("aten.searchsorted.Tensor", {sorted_sequence, self, out_int32, right, side, sorter});
}

/// Reduces runs of data of the given lengths.
/// C1: lengths or offsets are given. C2: indices are not. C3: lengths have the leading dimensions of data. C4: data is floating. C5: reduce is sum, mean, prod, max or min. C6: lengths are int32 or int64. C7: axis is their last dimension. C8: there is one.
/// `aten.segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor`
inline Tensor segment_reduce(const Tensor& data, std::string_view reduce,
                             const MaybeTensor& lengths = {}, const MaybeTensor& indices = {},
                             const MaybeTensor& offsets = {}, int64_t axis = 0,
                             detail::Flag unsafe = false,
                             const std::optional<Scalar>& initial = std::nullopt) {
  return detail::call_for_one("aten.segment_reduce", {data, reduce, lengths, indices, offsets, axis, unsafe, initial});
}

/// One index of a dimension, which is dropped.
/// `aten.select.int(Tensor(a) self, int dim, int index) -> Tensor(a)`
inline Tensor select(const Tensor& self, int64_t dim, int64_t index) {
  return detail::call_for_one("aten.select.int", {self, dim, index});
}

/// One index of a dimension, which is dropped.
/// `aten.select.int(Tensor(a) self, int dim, int index) -> Tensor(a)`
inline Tensor select(const Tensor& self, int64_t dim, const Size& index) {
  return detail::call_for_one("aten.select.int", {self, dim, index});
}

/// Derivative of select: zeros but for the entry.
/// `aten.select_backward(Tensor grad_output, int[] input_sizes, int dim, int index) -> Tensor`
inline Tensor select_backward(const Tensor& grad_output, const IntList& input_sizes, int64_t dim,
                              int64_t index) {
  return detail::call_for_one("aten.select_backward", {grad_output, input_sizes, dim, index});
}

/// Derivative of select: zeros but for the entry.
/// `aten.select_backward(Tensor grad_output, int[] input_sizes, int dim, int index) -> Tensor`
inline Tensor select_backward(const Tensor& grad_output, const IntList& input_sizes, int64_t dim,
                              const Size& index) {
  return detail::call_for_one("aten.select_backward", {grad_output, input_sizes, dim, index});
}

/// What the view of the same name gives, copied.
/// `aten.select_copy.int(Tensor self, int dim, int index) -> Tensor`
inline Tensor select_copy(const Tensor& self, int64_t dim, int64_t index) {
  return detail::call_for_one("aten.select_copy.int", {self, dim, index});
}

/// What the view of the same name gives, copied.
/// `aten.select_copy.int(Tensor self, int dim, int index) -> Tensor`
inline Tensor select_copy(const Tensor& self, int64_t dim, const Size& index) {
  return detail::call_for_one("aten.select_copy.int", {self, dim, index});
}

/// Self with src at one index of a dimension.
/// `aten.select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor`
inline Tensor select_scatter(const Tensor& self, const Tensor& src, int64_t dim, int64_t index) {
  return detail::call_for_one("aten.select_scatter", {self, src, dim, index});
}

/// Self with src at one index of a dimension.
/// `aten.select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor`
inline Tensor select_scatter(const Tensor& self, const Tensor& src, int64_t dim, const Size& index) {
  return detail::call_for_one("aten.select_scatter", {self, src, dim, index});
}

/// Self-normalising elu.
/// `aten.selu(Tensor self) -> Tensor`
inline Tensor selu(const Tensor& self) {
  return detail::call_for_one("aten.selu", {self});
}

/// Self-normalising elu.
/// `aten.selu_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor selu_(const Tensor& self) {
  return detail::call_for_one("aten.selu_", {self});
}

/// Sign; of a complex number the unit number of its direction.
/// `aten.sgn(Tensor self) -> Tensor`
inline Tensor sgn(const Tensor& self) {
  return detail::call_for_one("aten.sgn", {self});
}

/// Sign; of a complex number the unit number of its direction.
/// `aten.sgn_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor sgn_(const Tensor& self) {
  return detail::call_for_one("aten.sgn_", {self});
}

/// 1 / (1 + exp(-self)).
/// `aten.sigmoid(Tensor self) -> Tensor`
inline Tensor sigmoid(const Tensor& self) {
  return detail::call_for_one("aten.sigmoid", {self});
}

/// 1 / (1 + exp(-self)).
/// `aten.sigmoid_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor sigmoid_(const Tensor& self) {
  return detail::call_for_one("aten.sigmoid_", {self});
}

/// Derivative of sigmoid, from its result.
/// `aten.sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor`
inline Tensor sigmoid_backward(const Tensor& grad_output, const Tensor& output) {
  return detail::call_for_one("aten.sigmoid_backward", {grad_output, output});
}

/// -1, 0 or 1; 0 for NaN.
/// C1: not for complex.
/// `aten.sign(Tensor self) -> Tensor`
inline Tensor sign(const Tensor& self) {
  return detail::call_for_one("aten.sign", {self});
}

/// -1, 0 or 1; 0 for NaN.
/// C1: not for complex.
/// `aten.sign_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor sign_(const Tensor& self) {
  return detail::call_for_one("aten.sign_", {self});
}

/// Whether the sign bit is set: true for -0.0.
/// C1: not for complex.
/// `aten.signbit(Tensor self) -> Tensor`
inline Tensor signbit(const Tensor& self) {
  return detail::call_for_one("aten.signbit", {self});
}

/// Sigmoid-weighted linear unit: self * sigmoid(self).
/// `aten.silu(Tensor self) -> Tensor`
inline Tensor silu(const Tensor& self) {
  return detail::call_for_one("aten.silu", {self});
}

/// Sigmoid-weighted linear unit: self * sigmoid(self).
/// `aten.silu_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor silu_(const Tensor& self) {
  return detail::call_for_one("aten.silu_", {self});
}

/// Derivative of silu.
/// `aten.silu_backward(Tensor grad_output, Tensor self) -> Tensor`
inline Tensor silu_backward(const Tensor& grad_output, const Tensor& self) {
  return detail::call_for_one("aten.silu_backward", {grad_output, self});
}

/// Sine.
/// `aten.sin(Tensor self) -> Tensor`
inline Tensor sin(const Tensor& self) {
  return detail::call_for_one("aten.sin", {self});
}

/// Sine.
/// `aten.sin_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor sin_(const Tensor& self) {
  return detail::call_for_one("aten.sin_", {self});
}

/// sin(pi self) / (pi self); 1 at 0.
/// `aten.sinc(Tensor self) -> Tensor`
inline Tensor sinc(const Tensor& self) {
  return detail::call_for_one("aten.sinc", {self});
}

/// sin(pi self) / (pi self); 1 at 0.
/// `aten.sinc_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor sinc_(const Tensor& self) {
  return detail::call_for_one("aten.sinc_", {self});
}

/// Hyperbolic sine.
/// `aten.sinh(Tensor self) -> Tensor`
inline Tensor sinh(const Tensor& self) {
  return detail::call_for_one("aten.sinh", {self});
}

/// Hyperbolic sine.
/// `aten.sinh_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor sinh_(const Tensor& self) {
  return detail::call_for_one("aten.sinh_", {self});
}

/// Every step-th element of a dimension in [start, end), both clamped.
/// `aten.slice.Tensor(Tensor(a) self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor(a)`
inline Tensor slice(const Tensor& self, int64_t dim = 0,
                    const std::optional<Size>& start = std::nullopt,
                    const std::optional<Size>& end = std::nullopt, int64_t step = 1) {
  return detail::call_for_one("aten.slice.Tensor", {self, dim, start, end, step});
}

/// Every step-th element of a dimension in [start, end), both clamped.
/// `aten.slice.Tensor(Tensor(a) self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor(a)`
inline Tensor slice(const Tensor& self, int64_t dim, const std::optional<Size>& start,
                    const std::optional<Size>& end, const Size& step) {
  return detail::call_for_one("aten.slice.Tensor", {self, dim, start, end, step});
}

/// Derivative of slice: zeros but for the slice.
/// `aten.slice_backward(Tensor grad_output, int[] input_sizes, int dim, int start, int end, int step) -> Tensor`
inline Tensor slice_backward(const Tensor& grad_output, const IntList& input_sizes, int64_t dim,
                             int64_t start, int64_t end, int64_t step) {
  return detail::call_for_one("aten.slice_backward", {grad_output, input_sizes, dim, start, end, step});
}

/// Derivative of slice: zeros but for the slice.
/// `aten.slice_backward(Tensor grad_output, int[] input_sizes, int dim, int start, int end, int step) -> Tensor`
inline Tensor slice_backward(const Tensor& grad_output, const IntList& input_sizes, int64_t dim,
                             const Size& start, const Size& end, const Size& step) {
  return detail::call_for_one("aten.slice_backward", {grad_output, input_sizes, dim, start, end, step});
}

/// What the view of the same name gives, copied.
/// `aten.slice_copy.Tensor(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor`
inline Tensor slice_copy(const Tensor& self, int64_t dim = 0,
                         const std::optional<Size>& start = std::nullopt,
                         const std::optional<Size>& end = std::nullopt, int64_t step = 1) {
  return detail::call_for_one("aten.slice_copy.Tensor", {self, dim, start, end, step});
}

/// What the view of the same name gives, copied.
/// `aten.slice_copy.Tensor(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor`
inline Tensor slice_copy(const Tensor& self, int64_t dim, const std::optional<Size>& start,
                         const std::optional<Size>& end, const Size& step) {
  return detail::call_for_one("aten.slice_copy.Tensor", {self, dim, start, end, step});
}

/// Self with src in a slice of a dimension.
/// `aten.slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor`
inline Tensor slice_scatter(const Tensor& self, const Tensor& src, int64_t dim = 0,
                            const std::optional<Size>& start = std::nullopt,
                            const std::optional<Size>& end = std::nullopt, int64_t step = 1) {
  return detail::call_for_one("aten.slice_scatter", {self, src, dim, start, end, step});
}

/// Self with src in a slice of a dimension.
/// `aten.slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor`
inline Tensor slice_scatter(const Tensor& self, const Tensor& src, int64_t dim,
                            const std::optional<Size>& start, const std::optional<Size>& end,
                            const Size& step) {
  return detail::call_for_one("aten.slice_scatter", {self, src, dim, start, end, step});
}

/// Sign and logarithm of the size of the determinant.
/// `aten.slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)`
inline std::tuple<Tensor, Tensor> slogdet(const Tensor& self) {
  return detail::call_for_many<2>("aten.slogdet", {self});
}

/// Squared error up to beta, absolute error beyond.
/// `aten.smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.0) -> Tensor`
inline Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction = 1,
                             double beta = 1) {
  return detail::call_for_one("aten.smooth_l1_loss", {self, target, reduction, beta});
}

/// Derivative of smooth_l1_loss.
/// `aten.smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float beta) -> Tensor`
inline Tensor smooth_l1_loss_backward(const Tensor& grad_output, const Tensor& self,
                                      const Tensor& target, int64_t reduction, double beta) {
  return detail::call_for_one("aten.smooth_l1_loss_backward", {grad_output, self, target, reduction, beta});
}

/// log(1 + exp(-self * target)).
/// `aten.soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor`
inline Tensor soft_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction = 1) {
  return detail::call_for_one("aten.soft_margin_loss", {self, target, reduction});
}

/// Derivative of soft_margin_loss.
/// `aten.soft_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor`
inline Tensor soft_margin_loss_backward(const Tensor& grad_output, const Tensor& self,
                                        const Tensor& target, int64_t reduction) {
  return detail::call_for_one("aten.soft_margin_loss_backward", {grad_output, self, target, reduction});
}

/// Softmax, cast first when a dtype is given.
/// `aten.softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor`
inline Tensor softmax(const Tensor& self, int64_t dim, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.softmax.int", {self, dim, dtype});
}

/// log(1 + exp(beta self)) / beta; self where beta self > threshold.
/// `aten.softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor`
inline Tensor softplus(const Tensor& self, const Scalar& beta = 1, const Scalar& threshold = 20) {
  return detail::call_for_one("aten.softplus", {self, beta, threshold});
}

/// log(1 + exp(beta self)) / beta; self where beta self > threshold.
/// `aten.softplus_(Tensor(a!) self, Scalar beta=1, Scalar threshold=20) -> Tensor(a!)`
inline Tensor softplus_(const Tensor& self, const Scalar& beta = 1, const Scalar& threshold = 20) {
  return detail::call_for_one("aten.softplus_", {self, beta, threshold});
}

/// Derivative of softplus.
/// `aten.softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor`
inline Tensor softplus_backward(const Tensor& grad_output, const Tensor& self, const Scalar& beta,
                                const Scalar& threshold) {
  return detail::call_for_one("aten.softplus_backward", {grad_output, self, beta, threshold});
}

/// 0 within [-lambd, lambd], else self moved towards 0 by lambd.
/// C1: lambd is finite and not negative.
/// `aten.softshrink(Tensor self, Scalar lambd=0.5) -> Tensor`
inline Tensor softshrink(const Tensor& self, const Scalar& lambd = 0.5) {
  return detail::call_for_one("aten.softshrink", {self, lambd});
}

/// 0 within [-lambd, lambd], else self moved towards 0 by lambd.
/// C1: lambd is finite and not negative.
/// `aten.softshrink_(Tensor(a!) self, Scalar lambd=0.5) -> Tensor(a!)`
inline Tensor softshrink_(const Tensor& self, const Scalar& lambd = 0.5) {
  return detail::call_for_one("aten.softshrink_", {self, lambd});
}

/// Derivative of softshrink.
/// `aten.softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor`
inline Tensor softshrink_backward(const Tensor& grad_output, const Tensor& self, const Scalar& lambd) {
  return detail::call_for_one("aten.softshrink_backward", {grad_output, self, lambd});
}

/// Sorts each line along a dimension; also tells where the elements come from.
/// `aten.sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)`
inline std::tuple<Tensor, Tensor> sort(const Tensor& self, int64_t dim = -1,
                                       detail::Flag descending = false) {
  return detail::call_for_many<2>("aten.sort", {self, dim, descending});
}

/// Sorts each line along a dimension, equals in order.
/// `aten.sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)`
inline std::tuple<Tensor, Tensor> sort(const Tensor& self, std::optional<detail::Flag> stable,
                                       int64_t dim = -1, detail::Flag descending = false) {
  return detail::call_for_many<2>("aten.sort.stable", {self, stable, dim, descending});
}

/// Airy function Ai.
/// `aten.special_airy_ai(Tensor x) -> Tensor`
inline Tensor special_airy_ai(const Tensor& x) {
  return detail::call_for_one("aten.special_airy_ai", {x});
}

/// Bessel function J of order 0.
/// `aten.special_bessel_j0(Tensor self) -> Tensor`
inline Tensor special_bessel_j0(const Tensor& self) {
  return detail::call_for_one("aten.special_bessel_j0", {self});
}

/// Bessel function J of order 1.
/// `aten.special_bessel_j1(Tensor self) -> Tensor`
inline Tensor special_bessel_j1(const Tensor& self) {
  return detail::call_for_one("aten.special_bessel_j1", {self});
}

/// Bessel function Y of order 0.
/// `aten.special_bessel_y0(Tensor self) -> Tensor`
inline Tensor special_bessel_y0(const Tensor& self) {
  return detail::call_for_one("aten.special_bessel_y0", {self});
}

/// Bessel function Y of order 1.
/// `aten.special_bessel_y1(Tensor self) -> Tensor`
inline Tensor special_bessel_y1(const Tensor& self) {
  return detail::call_for_one("aten.special_bessel_y1", {self});
}

/// Chebyshev polynomial of the first kind.
/// `aten.special_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor`
inline Tensor special_chebyshev_polynomial_t(const Tensor& x, const Tensor& n) {
  return detail::call_for_one("aten.special_chebyshev_polynomial_t", {x, n});
}

/// Chebyshev polynomial of the first kind.
/// `aten.special_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor`
inline Tensor special_chebyshev_polynomial_t(const Tensor& x, const Scalar& n) {
  return detail::call_for_one("aten.special_chebyshev_polynomial_t.n_scalar", {x, n});
}

/// Chebyshev polynomial of the first kind.
/// `aten.special_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor`
inline Tensor special_chebyshev_polynomial_t(const Scalar& x, const Tensor& n) {
  return detail::call_for_one("aten.special_chebyshev_polynomial_t.x_scalar", {x, n});
}

/// Chebyshev polynomial of the second kind.
/// `aten.special_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor`
inline Tensor special_chebyshev_polynomial_u(const Tensor& x, const Tensor& n) {
  return detail::call_for_one("aten.special_chebyshev_polynomial_u", {x, n});
}

/// Chebyshev polynomial of the second kind.
/// `aten.special_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor`
inline Tensor special_chebyshev_polynomial_u(const Tensor& x, const Scalar& n) {
  return detail::call_for_one("aten.special_chebyshev_polynomial_u.n_scalar", {x, n});
}

/// Chebyshev polynomial of the second kind.
/// `aten.special_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor`
inline Tensor special_chebyshev_polynomial_u(const Scalar& x, const Tensor& n) {
  return detail::call_for_one("aten.special_chebyshev_polynomial_u.x_scalar", {x, n});
}

/// Chebyshev polynomial of the third kind.
/// `aten.special_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor`
inline Tensor special_chebyshev_polynomial_v(const Tensor& x, const Tensor& n) {
  return detail::call_for_one("aten.special_chebyshev_polynomial_v", {x, n});
}

/// Chebyshev polynomial of the third kind.
/// `aten.special_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor`
inline Tensor special_chebyshev_polynomial_v(const Tensor& x, const Scalar& n) {
  return detail::call_for_one("aten.special_chebyshev_polynomial_v.n_scalar", {x, n});
}

/// Chebyshev polynomial of the third kind.
/// `aten.special_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor`
inline Tensor special_chebyshev_polynomial_v(const Scalar& x, const Tensor& n) {
  return detail::call_for_one("aten.special_chebyshev_polynomial_v.x_scalar", {x, n});
}

/// Chebyshev polynomial of the fourth kind.
/// `aten.special_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor`
inline Tensor special_chebyshev_polynomial_w(const Tensor& x, const Tensor& n) {
  return detail::call_for_one("aten.special_chebyshev_polynomial_w", {x, n});
}

/// Chebyshev polynomial of the fourth kind.
/// `aten.special_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor`
inline Tensor special_chebyshev_polynomial_w(const Tensor& x, const Scalar& n) {
  return detail::call_for_one("aten.special_chebyshev_polynomial_w.n_scalar", {x, n});
}

/// Chebyshev polynomial of the fourth kind.
/// `aten.special_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor`
inline Tensor special_chebyshev_polynomial_w(const Scalar& x, const Tensor& n) {
  return detail::call_for_one("aten.special_chebyshev_polynomial_w.x_scalar", {x, n});
}

/// Derivative of the logarithm of the gamma function.
/// `aten.special_digamma(Tensor self) -> Tensor`
inline Tensor special_digamma(const Tensor& self) {
  return detail::call_for_one("aten.special_digamma", {self});
}

/// -self log(self); 0 at 0, -inf below.
/// `aten.special_entr(Tensor self) -> Tensor`
inline Tensor special_entr(const Tensor& self) {
  return detail::call_for_one("aten.special_entr", {self});
}

/// Error function.
/// `aten.special_erf(Tensor self) -> Tensor`
inline Tensor special_erf(const Tensor& self) {
  return detail::call_for_one("aten.special_erf", {self});
}

/// 1 - erf.
/// `aten.special_erfc(Tensor self) -> Tensor`
inline Tensor special_erfc(const Tensor& self) {
  return detail::call_for_one("aten.special_erfc", {self});
}

/// exp(self^2) erfc(self).
/// `aten.special_erfcx(Tensor self) -> Tensor`
inline Tensor special_erfcx(const Tensor& self) {
  return detail::call_for_one("aten.special_erfcx", {self});
}

/// Inverse of the error function.
/// `aten.special_erfinv(Tensor self) -> Tensor`
inline Tensor special_erfinv(const Tensor& self) {
  return detail::call_for_one("aten.special_erfinv", {self});
}

/// 2 to the power of self.
/// `aten.special_exp2(Tensor self) -> Tensor`
inline Tensor special_exp2(const Tensor& self) {
  return detail::call_for_one("aten.special_exp2", {self});
}

/// Another name of sigmoid.
/// `aten.special_expit(Tensor self) -> Tensor`
inline Tensor special_expit(const Tensor& self) {
  return detail::call_for_one("aten.special_expit", {self});
}

/// exp(self) - 1.
/// `aten.special_expm1(Tensor self) -> Tensor`
inline Tensor special_expm1(const Tensor& self) {
  return detail::call_for_one("aten.special_expm1", {self});
}

/// Regularised lower incomplete gamma function.
/// `aten.special_gammainc(Tensor self, Tensor other) -> Tensor`
inline Tensor special_gammainc(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.special_gammainc", {self, other});
}

/// Regularised upper incomplete gamma function.
/// `aten.special_gammaincc(Tensor self, Tensor other) -> Tensor`
inline Tensor special_gammaincc(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.special_gammaincc", {self, other});
}

/// Logarithm of the size of the gamma function.
/// `aten.special_gammaln(Tensor self) -> Tensor`
inline Tensor special_gammaln(const Tensor& self) {
  return detail::call_for_one("aten.special_gammaln", {self});
}

/// Physicists' Hermite polynomial.
/// `aten.special_hermite_polynomial_h(Tensor x, Tensor n) -> Tensor`
inline Tensor special_hermite_polynomial_h(const Tensor& x, const Tensor& n) {
  return detail::call_for_one("aten.special_hermite_polynomial_h", {x, n});
}

/// Physicists' Hermite polynomial.
/// `aten.special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor`
inline Tensor special_hermite_polynomial_h(const Tensor& x, const Scalar& n) {
  return detail::call_for_one("aten.special_hermite_polynomial_h.n_scalar", {x, n});
}

/// Physicists' Hermite polynomial.
/// `aten.special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor`
inline Tensor special_hermite_polynomial_h(const Scalar& x, const Tensor& n) {
  return detail::call_for_one("aten.special_hermite_polynomial_h.x_scalar", {x, n});
}

/// Probabilists' Hermite polynomial.
/// `aten.special_hermite_polynomial_he(Tensor x, Tensor n) -> Tensor`
inline Tensor special_hermite_polynomial_he(const Tensor& x, const Tensor& n) {
  return detail::call_for_one("aten.special_hermite_polynomial_he", {x, n});
}

/// Probabilists' Hermite polynomial.
/// `aten.special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor`
inline Tensor special_hermite_polynomial_he(const Tensor& x, const Scalar& n) {
  return detail::call_for_one("aten.special_hermite_polynomial_he.n_scalar", {x, n});
}

/// Probabilists' Hermite polynomial.
/// `aten.special_hermite_polynomial_he.x_scalar(Scalar x, Tensor n) -> Tensor`
inline Tensor special_hermite_polynomial_he(const Scalar& x, const Tensor& n) {
  return detail::call_for_one("aten.special_hermite_polynomial_he.x_scalar", {x, n});
}

/// Modified Bessel function I of order 0.
/// `aten.special_i0(Tensor self) -> Tensor`
inline Tensor special_i0(const Tensor& self) {
  return detail::call_for_one("aten.special_i0", {self});
}

/// exp(-|self|) I(self) of order 0.
/// `aten.special_i0e(Tensor self) -> Tensor`
inline Tensor special_i0e(const Tensor& self) {
  return detail::call_for_one("aten.special_i0e", {self});
}

/// Modified Bessel function I of order 1.
/// `aten.special_i1(Tensor self) -> Tensor`
inline Tensor special_i1(const Tensor& self) {
  return detail::call_for_one("aten.special_i1", {self});
}

/// exp(-|self|) I(self) of order 1.
/// `aten.special_i1e(Tensor self) -> Tensor`
inline Tensor special_i1e(const Tensor& self) {
  return detail::call_for_one("aten.special_i1e", {self});
}

/// Laguerre polynomial; degrees below 1024.
/// `aten.special_laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor`
inline Tensor special_laguerre_polynomial_l(const Tensor& x, const Tensor& n) {
  return detail::call_for_one("aten.special_laguerre_polynomial_l", {x, n});
}

/// Laguerre polynomial; degrees below 1024.
/// `aten.special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor`
inline Tensor special_laguerre_polynomial_l(const Tensor& x, const Scalar& n) {
  return detail::call_for_one("aten.special_laguerre_polynomial_l.n_scalar", {x, n});
}

/// Laguerre polynomial; degrees below 1024.
/// `aten.special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor`
inline Tensor special_laguerre_polynomial_l(const Scalar& x, const Tensor& n) {
  return detail::call_for_one("aten.special_laguerre_polynomial_l.x_scalar", {x, n});
}

/// Legendre polynomial; degrees below 1024.
/// `aten.special_legendre_polynomial_p(Tensor x, Tensor n) -> Tensor`
inline Tensor special_legendre_polynomial_p(const Tensor& x, const Tensor& n) {
  return detail::call_for_one("aten.special_legendre_polynomial_p", {x, n});
}

/// Legendre polynomial; degrees below 1024.
/// `aten.special_legendre_polynomial_p.n_scalar(Tensor x, Scalar n) -> Tensor`
inline Tensor special_legendre_polynomial_p(const Tensor& x, const Scalar& n) {
  return detail::call_for_one("aten.special_legendre_polynomial_p.n_scalar", {x, n});
}

/// Legendre polynomial; degrees below 1024.
/// `aten.special_legendre_polynomial_p.x_scalar(Scalar x, Tensor n) -> Tensor`
inline Tensor special_legendre_polynomial_p(const Scalar& x, const Tensor& n) {
  return detail::call_for_one("aten.special_legendre_polynomial_p.x_scalar", {x, n});
}

/// log(1 + self).
/// `aten.special_log1p(Tensor self) -> Tensor`
inline Tensor special_log1p(const Tensor& self) {
  return detail::call_for_one("aten.special_log1p", {self});
}

/// Logarithm of the normal distribution function.
/// `aten.special_log_ndtr(Tensor self) -> Tensor`
inline Tensor special_log_ndtr(const Tensor& self) {
  return detail::call_for_one("aten.special_log_ndtr", {self});
}

/// Another name of log_softmax.
/// `aten.special_log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor`
inline Tensor special_log_softmax(const Tensor& self, int64_t dim,
                                  std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.special_log_softmax", {self, dim, dtype});
}

/// Another name of logit.
/// `aten.special_logit(Tensor self, float? eps=None) -> Tensor`
inline Tensor special_logit(const Tensor& self, std::optional<double> eps = std::nullopt) {
  return detail::call_for_one("aten.special_logit", {self, eps});
}

/// Another name of logsumexp.
/// `aten.special_logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor`
inline Tensor special_logsumexp(const Tensor& self, const IntList& dim, detail::Flag keepdim = false) {
  return detail::call_for_one("aten.special_logsumexp", {self, dim, keepdim});
}

/// Modified Bessel function I of order 0.
/// `aten.special_modified_bessel_i0(Tensor self) -> Tensor`
inline Tensor special_modified_bessel_i0(const Tensor& self) {
  return detail::call_for_one("aten.special_modified_bessel_i0", {self});
}

/// Modified Bessel function I of order 1.
/// `aten.special_modified_bessel_i1(Tensor self) -> Tensor`
inline Tensor special_modified_bessel_i1(const Tensor& self) {
  return detail::call_for_one("aten.special_modified_bessel_i1", {self});
}

/// Modified Bessel function K of order 0.
/// `aten.special_modified_bessel_k0(Tensor self) -> Tensor`
inline Tensor special_modified_bessel_k0(const Tensor& self) {
  return detail::call_for_one("aten.special_modified_bessel_k0", {self});
}

/// Modified Bessel function K of order 1.
/// `aten.special_modified_bessel_k1(Tensor self) -> Tensor`
inline Tensor special_modified_bessel_k1(const Tensor& self) {
  return detail::call_for_one("aten.special_modified_bessel_k1", {self});
}

/// Another name of mvlgamma.
/// `aten.special_multigammaln(Tensor self, int p) -> Tensor`
inline Tensor special_multigammaln(const Tensor& self, int64_t p) {
  return detail::call_for_one("aten.special_multigammaln", {self, p});
}

/// Normal distribution function.
/// `aten.special_ndtr(Tensor self) -> Tensor`
inline Tensor special_ndtr(const Tensor& self) {
  return detail::call_for_one("aten.special_ndtr", {self});
}

/// Quantile of the normal distribution.
/// `aten.special_ndtri(Tensor self) -> Tensor`
inline Tensor special_ndtri(const Tensor& self) {
  return detail::call_for_one("aten.special_ndtri", {self});
}

/// Derivative n of digamma.
/// `aten.special_polygamma(int n, Tensor self) -> Tensor`
inline Tensor special_polygamma(int64_t n, const Tensor& self) {
  return detail::call_for_one("aten.special_polygamma", {n, self});
}

/// Derivative of the logarithm of the gamma function.
/// `aten.special_psi(Tensor self) -> Tensor`
inline Tensor special_psi(const Tensor& self) {
  return detail::call_for_one("aten.special_psi", {self});
}

/// Another name of round.
/// `aten.special_round(Tensor self, *, int decimals=0) -> Tensor`
inline Tensor special_round(const Tensor& self, int64_t decimals = 0) {
  return detail::call_for_one("aten.special_round", {self, decimals});
}

/// exp(x) K(x) of order 0.
/// `aten.special_scaled_modified_bessel_k0(Tensor x) -> Tensor`
inline Tensor special_scaled_modified_bessel_k0(const Tensor& x) {
  return detail::call_for_one("aten.special_scaled_modified_bessel_k0", {x});
}

/// exp(x) K(x) of order 1.
/// `aten.special_scaled_modified_bessel_k1(Tensor x) -> Tensor`
inline Tensor special_scaled_modified_bessel_k1(const Tensor& x) {
  return detail::call_for_one("aten.special_scaled_modified_bessel_k1", {x});
}

/// Chebyshev polynomial of the first kind at 2 x - 1.
/// `aten.special_shifted_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor`
inline Tensor special_shifted_chebyshev_polynomial_t(const Tensor& x, const Tensor& n) {
  return detail::call_for_one("aten.special_shifted_chebyshev_polynomial_t", {x, n});
}

/// Chebyshev polynomial of the first kind at 2 x - 1.
/// `aten.special_shifted_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor`
inline Tensor special_shifted_chebyshev_polynomial_t(const Tensor& x, const Scalar& n) {
  return detail::call_for_one("aten.special_shifted_chebyshev_polynomial_t.n_scalar", {x, n});
}

/// Chebyshev polynomial of the first kind at 2 x - 1.
/// `aten.special_shifted_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor`
inline Tensor special_shifted_chebyshev_polynomial_t(const Scalar& x, const Tensor& n) {
  return detail::call_for_one("aten.special_shifted_chebyshev_polynomial_t.x_scalar", {x, n});
}

/// Chebyshev polynomial of the second kind at 2 x - 1.
/// `aten.special_shifted_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor`
inline Tensor special_shifted_chebyshev_polynomial_u(const Tensor& x, const Tensor& n) {
  return detail::call_for_one("aten.special_shifted_chebyshev_polynomial_u", {x, n});
}

/// Chebyshev polynomial of the second kind at 2 x - 1.
/// `aten.special_shifted_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor`
inline Tensor special_shifted_chebyshev_polynomial_u(const Tensor& x, const Scalar& n) {
  return detail::call_for_one("aten.special_shifted_chebyshev_polynomial_u.n_scalar", {x, n});
}

/// Chebyshev polynomial of the second kind at 2 x - 1.
/// `aten.special_shifted_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor`
inline Tensor special_shifted_chebyshev_polynomial_u(const Scalar& x, const Tensor& n) {
  return detail::call_for_one("aten.special_shifted_chebyshev_polynomial_u.x_scalar", {x, n});
}

/// Chebyshev polynomial of the third kind at 2 x - 1.
/// `aten.special_shifted_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor`
inline Tensor special_shifted_chebyshev_polynomial_v(const Tensor& x, const Tensor& n) {
  return detail::call_for_one("aten.special_shifted_chebyshev_polynomial_v", {x, n});
}

/// Chebyshev polynomial of the third kind at 2 x - 1.
/// `aten.special_shifted_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor`
inline Tensor special_shifted_chebyshev_polynomial_v(const Tensor& x, const Scalar& n) {
  return detail::call_for_one("aten.special_shifted_chebyshev_polynomial_v.n_scalar", {x, n});
}

/// Chebyshev polynomial of the third kind at 2 x - 1.
/// `aten.special_shifted_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor`
inline Tensor special_shifted_chebyshev_polynomial_v(const Scalar& x, const Tensor& n) {
  return detail::call_for_one("aten.special_shifted_chebyshev_polynomial_v.x_scalar", {x, n});
}

/// Chebyshev polynomial of the fourth kind at 2 x - 1.
/// `aten.special_shifted_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor`
inline Tensor special_shifted_chebyshev_polynomial_w(const Tensor& x, const Tensor& n) {
  return detail::call_for_one("aten.special_shifted_chebyshev_polynomial_w", {x, n});
}

/// Chebyshev polynomial of the fourth kind at 2 x - 1.
/// `aten.special_shifted_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor`
inline Tensor special_shifted_chebyshev_polynomial_w(const Tensor& x, const Scalar& n) {
  return detail::call_for_one("aten.special_shifted_chebyshev_polynomial_w.n_scalar", {x, n});
}

/// Chebyshev polynomial of the fourth kind at 2 x - 1.
/// `aten.special_shifted_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor`
inline Tensor special_shifted_chebyshev_polynomial_w(const Scalar& x, const Tensor& n) {
  return detail::call_for_one("aten.special_shifted_chebyshev_polynomial_w.x_scalar", {x, n});
}

/// sin(pi self) / (pi self).
/// `aten.special_sinc(Tensor self) -> Tensor`
inline Tensor special_sinc(const Tensor& self) {
  return detail::call_for_one("aten.special_sinc", {self});
}

/// Another name of softmax.
/// `aten.special_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor`
inline Tensor special_softmax(const Tensor& self, int64_t dim,
                              std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.special_softmax", {self, dim, dtype});
}

/// Spherical Bessel function of order 0: sin(x) / x.
/// `aten.special_spherical_bessel_j0(Tensor x) -> Tensor`
inline Tensor special_spherical_bessel_j0(const Tensor& x) {
  return detail::call_for_one("aten.special_spherical_bessel_j0", {x});
}

/// self log(1 + other); 0 where self is 0.
/// `aten.special_xlog1py(Tensor self, Tensor other) -> Tensor`
inline Tensor special_xlog1py(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.special_xlog1py", {self, other});
}

/// self log(1 + other); 0 where self is 0.
/// `aten.special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor special_xlog1py(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.special_xlog1py.other_scalar", {self, other});
}

/// self log(1 + other); 0 where self is 0.
/// `aten.special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor`
inline Tensor special_xlog1py(const Scalar& self, const Tensor& other) {
  return detail::call_for_one("aten.special_xlog1py.self_scalar", {self, other});
}

/// Another name of xlogy.
/// `aten.special_xlogy(Tensor self, Tensor other) -> Tensor`
inline Tensor special_xlogy(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.special_xlogy", {self, other});
}

/// Another name of xlogy.
/// `aten.special_xlogy.other_scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor special_xlogy(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.special_xlogy.other_scalar", {self, other});
}

/// Another name of xlogy.
/// `aten.special_xlogy.self_scalar(Scalar self, Tensor other) -> Tensor`
inline Tensor special_xlogy(const Scalar& self, const Tensor& other) {
  return detail::call_for_one("aten.special_xlogy.self_scalar", {self, other});
}

/// Hurwitz zeta function.
/// `aten.special_zeta(Tensor self, Tensor other) -> Tensor`
inline Tensor special_zeta(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.special_zeta", {self, other});
}

/// Hurwitz zeta function.
/// `aten.special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor special_zeta(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.special_zeta.other_scalar", {self, other});
}

/// Hurwitz zeta function.
/// `aten.special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor`
inline Tensor special_zeta(const Scalar& self, const Tensor& other) {
  return detail::call_for_one("aten.special_zeta.self_scalar", {self, other});
}

/// Parts of `split_size` elements, the last possibly shorter.
/// `aten.split.Tensor(Tensor(a) self, int split_size, int dim=0) -> Tensor(a)[]`
inline std::vector<Tensor> split(const Tensor& self, int64_t split_size, int64_t dim = 0) {
  return detail::call("aten.split.Tensor", {self, split_size, dim});
}

/// Parts of `split_size` elements, the last possibly shorter.
/// `aten.split.Tensor(Tensor(a) self, int split_size, int dim=0) -> Tensor(a)[]`
inline std::vector<Tensor> split(const Tensor& self, const Size& split_size, int64_t dim = 0) {
  return detail::call("aten.split.Tensor", {self, split_size, dim});
}

/// Parts of the given lengths.
/// `aten.split.sizes(Tensor(a) self, int[] split_size, int dim=0) -> Tensor(a)[]`
inline std::vector<Tensor> split(const Tensor& self, const IntList& split_size, int64_t dim = 0) {
  return detail::call("aten.split.sizes", {self, split_size, dim});
}

/// What the view of the same name gives, copied.
/// `aten.split_copy.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]`
inline std::vector<Tensor> split_copy(const Tensor& self, int64_t split_size, int64_t dim = 0) {
  return detail::call("aten.split_copy.Tensor", {self, split_size, dim});
}

/// What the view of the same name gives, copied.
/// `aten.split_copy.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]`
inline std::vector<Tensor> split_copy(const Tensor& self, const Size& split_size, int64_t dim = 0) {
  return detail::call("aten.split_copy.Tensor", {self, split_size, dim});
}

/// Parts of the given lengths.
/// `aten.split_with_sizes(Tensor(a) self, int[] split_sizes, int dim=0) -> Tensor(a)[]`
inline std::vector<Tensor> split_with_sizes(const Tensor& self, const IntList& split_sizes,
                                        int64_t dim = 0) {
  return detail::call("aten.split_with_sizes", {self, split_sizes, dim});
}

/// What the view of the same name gives, copied.
/// `aten.split_with_sizes_copy(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]`
inline std::vector<Tensor> split_with_sizes_copy(const Tensor& self, const IntList& split_sizes,
                                        int64_t dim = 0) {
  return detail::call("aten.split_with_sizes_copy", {self, split_sizes, dim});
}

/// Square root.
/// `aten.sqrt(Tensor self) -> Tensor`
inline Tensor sqrt(const Tensor& self) {
  return detail::call_for_one("aten.sqrt", {self});
}

/// Square root.
/// `aten.sqrt_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor sqrt_(const Tensor& self) {
  return detail::call_for_one("aten.sqrt_", {self});
}

/// self * self; bool gives int64.
/// `aten.square(Tensor self) -> Tensor`
inline Tensor square(const Tensor& self) {
  return detail::call_for_one("aten.square", {self});
}

/// self * self; bool gives int64.
/// `aten.square_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor square_(const Tensor& self) {
  return detail::call_for_one("aten.square_", {self});
}

/// Drops every dimension of size 1.
/// `aten.squeeze(Tensor(a) self) -> Tensor(a)`
inline Tensor squeeze(const Tensor& self) {
  return detail::call_for_one("aten.squeeze", {self});
}

/// Drops the dimension if its size is 1.
/// `aten.squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)`
inline Tensor squeeze(const Tensor& self, int64_t dim) {
  return detail::call_for_one("aten.squeeze.dim", {self, dim});
}

/// Drops those of the dimensions whose size is 1.
/// `aten.squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)`
inline Tensor squeeze(const Tensor& self, const IntList& dim) {
  return detail::call_for_one("aten.squeeze.dims", {self, dim});
}

/// What the view of the same name gives, copied.
/// `aten.squeeze_copy(Tensor self) -> Tensor`
inline Tensor squeeze_copy(const Tensor& self) {
  return detail::call_for_one("aten.squeeze_copy", {self});
}

/// What the view of the same name gives, copied.
/// `aten.squeeze_copy.dim(Tensor self, int dim) -> Tensor`
inline Tensor squeeze_copy(const Tensor& self, int64_t dim) {
  return detail::call_for_one("aten.squeeze_copy.dim", {self, dim});
}

/// What the view of the same name gives, copied.
/// `aten.squeeze_copy.dims(Tensor self, int[] dim) -> Tensor`
inline Tensor squeeze_copy(const Tensor& self, const IntList& dim) {
  return detail::call_for_one("aten.squeeze_copy.dims", {self, dim});
}

/// The tensors behind one another along a new dimension.
/// `aten.stack(Tensor[] tensors, int dim=0) -> Tensor`
inline Tensor stack(const TensorList& tensors, int64_t dim = 0) {
  return detail::call_for_one("aten.stack", {tensors, dim});
}

/// The standard deviation of all elements.
/// `aten.std(Tensor self, bool unbiased=True) -> Tensor`
inline Tensor std(const Tensor& self, detail::Flag unbiased = true) {
  return detail::call_for_one("aten.std", {self, unbiased});
}

/// The standard deviation along dimensions.
/// `aten.std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor`
inline Tensor std(const Tensor& self, const MaybeIntList& dim,
                  const std::optional<Scalar>& correction = std::nullopt,
                  detail::Flag keepdim = false) {
  return detail::call_for_one("aten.std.correction", {self, dim, correction, keepdim});
}

/// The standard deviation along dimensions.
/// `aten.std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor`
inline Tensor std(const Tensor& self, const MaybeIntList& dim, detail::Flag unbiased,
                  detail::Flag keepdim = false) {
  return detail::call_for_one("aten.std.dim", {self, dim, unbiased, keepdim});
}

/// Standard deviation and mean of all elements.
/// `aten.std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> std_mean(const Tensor& self, detail::Flag unbiased = true) {
  return detail::call_for_many<2>("aten.std_mean", {self, unbiased});
}

/// Standard deviation and mean along dimensions.
/// `aten.std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> std_mean(const Tensor& self, const MaybeIntList& dim,
                                        const std::optional<Scalar>& correction = std::nullopt,
                                        detail::Flag keepdim = false) {
  return detail::call_for_many<2>("aten.std_mean.correction", {self, dim, correction, keepdim});
}

/// Standard deviation and mean along dimensions.
/// `aten.std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> std_mean(const Tensor& self, const MaybeIntList& dim,
                                        detail::Flag unbiased, detail::Flag keepdim = false) {
  return detail::call_for_many<2>("aten.std_mean.dim", {self, dim, unbiased, keepdim});
}

/// Spectra of overlapping frames of a signal.
/// `aten.stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor`
inline Tensor stft(const Tensor& self, int64_t n_fft,
                   std::optional<int64_t> hop_length = std::nullopt,
                   std::optional<int64_t> win_length = std::nullopt, const MaybeTensor& window = {},
                   detail::Flag normalized = false,
                   std::optional<detail::Flag> onesided = std::nullopt,
                   std::optional<detail::Flag> return_complex = std::nullopt,
                   std::optional<detail::Flag> align_to_window = std::nullopt) {
  return detail::call_for_one("aten.stft", {self, n_fft, hop_length, win_length, window, normalized, onesided,
        return_complex, align_to_window});
}

/// Spectra of frames around points of a signal.
/// `aten.stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str pad_mode='reflect', bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor`
inline Tensor stft(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length,
                   std::optional<int64_t> win_length, const MaybeTensor& window,
                   detail::Flag center, std::string_view pad_mode, detail::Flag normalized = false,
                   std::optional<detail::Flag> onesided = std::nullopt,
                   std::optional<detail::Flag> return_complex = std::nullopt,
                   std::optional<detail::Flag> align_to_window = std::nullopt) {
  return detail::call_for_one("aten.stft.center", {self, n_fft, hop_length, win_length, window, center, pad_mode,
        normalized, onesided, return_complex, align_to_window});
}

/// self - alpha * other.
/// C1: not for bool.
/// `aten.sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor`
inline Tensor sub(const Tensor& self, const Scalar& other, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.sub.Scalar", {self, other, alpha});
}

/// self - alpha * other.
/// C1: not for bool.
/// `aten.sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`
inline Tensor sub(const Tensor& self, const Tensor& other, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.sub.Tensor", {self, other, alpha});
}

/// self - alpha * other.
/// C1: not for bool.
/// `aten.sub_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)`
inline Tensor sub_(const Tensor& self, const Scalar& other, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.sub_.Scalar", {self, other, alpha});
}

/// self - alpha * other.
/// C1: not for bool.
/// `aten.sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)`
inline Tensor sub_(const Tensor& self, const Tensor& other, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.sub_.Tensor", {self, other, alpha});
}

/// self - alpha * other.
/// C1: not for bool.
/// `aten.subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor`
inline Tensor subtract(const Tensor& self, const Scalar& other, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.subtract.Scalar", {self, other, alpha});
}

/// self - alpha * other.
/// C1: not for bool.
/// `aten.subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`
inline Tensor subtract(const Tensor& self, const Tensor& other, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.subtract.Tensor", {self, other, alpha});
}

/// self - alpha * other.
/// C1: not for bool.
/// `aten.subtract_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)`
inline Tensor subtract_(const Tensor& self, const Scalar& other, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.subtract_.Scalar", {self, other, alpha});
}

/// self - alpha * other.
/// C1: not for bool.
/// `aten.subtract_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)`
inline Tensor subtract_(const Tensor& self, const Tensor& other, const Scalar& alpha = 1) {
  return detail::call_for_one("aten.subtract_.Tensor", {self, other, alpha});
}

/// The sum of all elements.
/// `aten.sum(Tensor self, *, ScalarType? dtype=None) -> Tensor`
inline Tensor sum(const Tensor& self, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.sum", {self, dtype});
}

/// The sum along dimensions.
/// `aten.sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor`
inline Tensor sum(const Tensor& self, const MaybeIntList& dim, detail::Flag keepdim = false,
                  std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.sum.dim_IntList", {self, dim, keepdim, dtype});
}

/// Sums what broadcasting would have repeated.
/// `aten.sum_to_size(Tensor self, int[] size) -> Tensor`
inline Tensor sum_to_size(const Tensor& self, const IntList& size) {
  return detail::call_for_one("aten.sum_to_size", {self, size});
}

/// Singular values, falling, and vectors; those of the right side as columns.
/// `aten.svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)`
inline std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& self, detail::Flag some = true,
                                        detail::Flag compute_uv = true) {
  return detail::call_for_many<3>("aten.svd", {self, some, compute_uv});
}

/// Exchanges two dimensions.
/// `aten.swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)`
inline Tensor swapaxes(const Tensor& self, int64_t axis0, int64_t axis1) {
  return detail::call_for_one("aten.swapaxes", {self, axis0, axis1});
}

/// Exchanges two dimensions.
/// `aten.swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)`
inline Tensor swapdims(const Tensor& self, int64_t dim0, int64_t dim1) {
  return detail::call_for_one("aten.swapdims", {self, dim0, dim1});
}

/// Transpose of a matrix; the input itself below rank 2.
/// `aten.t(Tensor(a) self) -> Tensor(a)`
inline Tensor t(const Tensor& self) {
  return detail::call_for_one("aten.t", {self});
}

/// What the view of the same name gives, copied.
/// `aten.t_copy(Tensor self) -> Tensor`
inline Tensor t_copy(const Tensor& self) {
  return detail::call_for_one("aten.t_copy", {self});
}

/// Elements by their row-major position; negative ones count from the end.
/// `aten.take(Tensor self, Tensor index) -> Tensor`
inline Tensor take(const Tensor& self, const Tensor& index) {
  return detail::call_for_one("aten.take", {self, index});
}

/// gather with broadcasting; over the flattened input without a dimension.
/// `aten.take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor`
inline Tensor take_along_dim(const Tensor& self, const Tensor& indices,
                             std::optional<int64_t> dim = std::nullopt) {
  return detail::call_for_one("aten.take_along_dim", {self, indices, dim});
}

/// Tangent.
/// `aten.tan(Tensor self) -> Tensor`
inline Tensor tan(const Tensor& self) {
  return detail::call_for_one("aten.tan", {self});
}

/// Tangent.
/// `aten.tan_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor tan_(const Tensor& self) {
  return detail::call_for_one("aten.tan_", {self});
}

/// Hyperbolic tangent.
/// `aten.tanh(Tensor self) -> Tensor`
inline Tensor tanh(const Tensor& self) {
  return detail::call_for_one("aten.tanh", {self});
}

/// Hyperbolic tangent.
/// `aten.tanh_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor tanh_(const Tensor& self) {
  return detail::call_for_one("aten.tanh_", {self});
}

/// Derivative of tanh, from its result.
/// `aten.tanh_backward(Tensor grad_output, Tensor output) -> Tensor`
inline Tensor tanh_backward(const Tensor& grad_output, const Tensor& output) {
  return detail::call_for_one("aten.tanh_backward", {grad_output, output});
}

/// Parts between the given indices.
/// `aten.tensor_split.indices(Tensor(a) self, int[] indices, int dim=0) -> Tensor(a)[]`
inline std::vector<Tensor> tensor_split(const Tensor& self, const IntList& indices, int64_t dim = 0) {
  return detail::call("aten.tensor_split.indices", {self, indices, dim});
}

/// `sections` parts whose lengths differ by at most one, longer ones first.
/// `aten.tensor_split.sections(Tensor(a) self, int sections, int dim=0) -> Tensor(a)[]`
inline std::vector<Tensor> tensor_split(const Tensor& self, int64_t sections, int64_t dim = 0) {
  return detail::call("aten.tensor_split.sections", {self, sections, dim});
}

/// `sections` parts whose lengths differ by at most one, longer ones first.
/// `aten.tensor_split.sections(Tensor(a) self, int sections, int dim=0) -> Tensor(a)[]`
inline std::vector<Tensor> tensor_split(const Tensor& self, const Size& sections, int64_t dim = 0) {
  return detail::call("aten.tensor_split.sections", {self, sections, dim});
}

/// Parts between places of a dimension that are read from data.
/// C1: places are i64, in a list.
/// `aten.tensor_split.tensor_indices_or_sections(Tensor(a) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]`
inline std::vector<Tensor> tensor_split(const Tensor& self,
                                        const Tensor& tensor_indices_or_sections, int64_t dim = 0) {
  return detail::call("aten.tensor_split.tensor_indices_or_sections", {self, tensor_indices_or_sections, dim});
}

/// Contracts pairs of dimensions of two tensors.
/// `aten.tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor`
inline Tensor tensordot(const Tensor& self, const Tensor& other, const IntList& dims_self,
                        const IntList& dims_other) {
  return detail::call_for_one("aten.tensordot", {self, other, dims_self, dims_other});
}

/// self where greater than threshold, else value.
/// `aten.threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor`
inline Tensor threshold(const Tensor& self, const Scalar& threshold, const Scalar& value) {
  return detail::call_for_one("aten.threshold", {self, threshold, value});
}

/// self where greater than threshold, else value.
/// `aten.threshold_(Tensor(a!) self, Scalar threshold, Scalar value) -> Tensor(a!)`
inline Tensor threshold_(const Tensor& self, const Scalar& threshold, const Scalar& value) {
  return detail::call_for_one("aten.threshold_", {self, threshold, value});
}

/// Derivative of threshold: passes the gradient where self > threshold.
/// `aten.threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor`
inline Tensor threshold_backward(const Tensor& grad_output, const Tensor& self,
                                 const Scalar& threshold) {
  return detail::call_for_one("aten.threshold_backward", {grad_output, self, threshold});
}

/// repeat, with repeats of 1 added in front when fewer are given.
/// `aten.tile(Tensor self, int[] dims) -> Tensor`
inline Tensor tile(const Tensor& self, const IntList& dims) {
  return detail::call_for_one("aten.tile", {self, dims});
}

/// Self in another dtype, device or memory format; self itself if nothing changes.
/// `aten.to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)`
inline Tensor to(const Tensor& self, DType dtype, detail::Flag copy = false,
                 std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten.to.dtype", {self, dtype, std::nullopt, copy, memory_format});
}

/// Self in another dtype, device or memory format; self itself if nothing changes.
/// `aten.to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)`
inline Tensor to_dtype_layout(const Tensor& self, std::optional<DType> dtype, detail::Flag copy,
                              std::optional<MemoryFormat> memory_format) {
  return detail::call_for_one("aten.to.dtype_layout", {self, dtype, std::nullopt, std::nullopt, std::nullopt,
        std::nullopt, copy, memory_format});
}

/// Self in another dtype, device or memory format; self itself if nothing changes.
/// `aten.to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)`
inline Tensor to(const Tensor& self, const Tensor& other, detail::Flag copy = false,
                 std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten.to.other", {self, other, std::nullopt, copy, memory_format});
}

/// The k largest or smallest elements of each line in order, and where they are.
/// `aten.topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)`
inline std::tuple<Tensor, Tensor> topk(const Tensor& self, int64_t k, int64_t dim = -1,
                                       detail::Flag largest = true, detail::Flag sorted = true) {
  return detail::call_for_many<2>("aten.topk", {self, k, dim, largest, sorted});
}

/// The k largest or smallest elements of each line in order, and where they are.
/// `aten.topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)`
inline std::tuple<Tensor, Tensor> topk(const Tensor& self, const Size& k, int64_t dim = -1,
                                       detail::Flag largest = true, detail::Flag sorted = true) {
  return detail::call_for_many<2>("aten.topk", {self, k, dim, largest, sorted});
}

/// Sum of the diagonal.
/// `aten.trace(Tensor self) -> Tensor`
inline Tensor trace(const Tensor& self) {
  return detail::call_for_one("aten.trace", {self});
}

/// Derivative of trace: the gradient along the diagonal.
/// C1: a trace is of a matrix.
/// `aten.trace_backward(Tensor grad, int[] sizes) -> Tensor`
inline Tensor trace_backward(const Tensor& grad, const IntList& sizes) {
  return detail::call_for_one("aten.trace_backward", {grad, sizes});
}

/// Exchanges two dimensions.
/// `aten.transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)`
inline Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1) {
  return detail::call_for_one("aten.transpose.int", {self, dim0, dim1});
}

/// What the view of the same name gives, copied.
/// `aten.transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor`
inline Tensor transpose_copy(const Tensor& self, int64_t dim0, int64_t dim1) {
  return detail::call_for_one("aten.transpose_copy.int", {self, dim0, dim1});
}

/// Integral by trapezoids of width dx.
/// `aten.trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor`
inline Tensor trapezoid(const Tensor& y, const Scalar& dx = 1, int64_t dim = -1) {
  return detail::call_for_one("aten.trapezoid.dx", {y, dx, dim});
}

/// Integral by trapezoids between the places x.
/// `aten.trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor`
inline Tensor trapezoid(const Tensor& y, const Tensor& x, int64_t dim = -1) {
  return detail::call_for_one("aten.trapezoid.x", {y, x, dim});
}

/// Integral by trapezoids of width dx.
/// `aten.trapz.dx(Tensor y, *, float dx=1.0, int dim=-1) -> Tensor`
inline Tensor trapz(const Tensor& y, double dx = 1, int64_t dim = -1) {
  return detail::call_for_one("aten.trapz.dx", {y, dx, dim});
}

/// Integral by trapezoids between the places x.
/// `aten.trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor`
inline Tensor trapz(const Tensor& y, const Tensor& x, int64_t dim = -1) {
  return detail::call_for_one("aten.trapz.x", {y, x, dim});
}

/// Solution of triangular systems, and a copy of the triangles.
/// `aten.triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)`
inline std::tuple<Tensor, Tensor> triangular_solve(const Tensor& self, const Tensor& A,
                                        detail::Flag upper = true, detail::Flag transpose = false,
                                        detail::Flag unitriangular = false) {
  return detail::call_for_many<2>("aten.triangular_solve", {self, A, upper, transpose, unitriangular});
}

/// Zero above the diagonal.
/// `aten.tril(Tensor self, int diagonal=0) -> Tensor`
inline Tensor tril(const Tensor& self, int64_t diagonal = 0) {
  return detail::call_for_one("aten.tril", {self, diagonal});
}

/// Zero above the diagonal.
/// `aten.tril(Tensor self, int diagonal=0) -> Tensor`
inline Tensor tril(const Tensor& self, const Size& diagonal) {
  return detail::call_for_one("aten.tril", {self, diagonal});
}

/// Zero above the diagonal.
/// `aten.tril_(Tensor(a!) self, int diagonal=0) -> Tensor(a!)`
inline Tensor tril_(const Tensor& self, int64_t diagonal = 0) {
  return detail::call_for_one("aten.tril_", {self, diagonal});
}

/// Zero above the diagonal.
/// `aten.tril_(Tensor(a!) self, int diagonal=0) -> Tensor(a!)`
inline Tensor tril_(const Tensor& self, const Size& diagonal) {
  return detail::call_for_one("aten.tril_", {self, diagonal});
}

/// Rows and columns of the lower triangle, row by row.
/// `aten.tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=int64, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor tril_indices(int64_t row, int64_t col, int64_t offset = 0,
                           std::optional<DType> dtype = DType::int64) {
  return detail::call_for_one("aten.tril_indices", {row, col, offset, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// How far the negative is from being farther than the positive by the margin.
/// `aten.triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2.0, float eps=1e-06, bool swap=False, int reduction=1) -> Tensor`
inline Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive,
                                  const Tensor& negative, double margin = 1, double p = 2,
                                  double eps = 1e-06, detail::Flag swap = false,
                                  int64_t reduction = 1) {
  return detail::call_for_one("aten.triplet_margin_loss", {anchor, positive, negative, margin, p, eps, swap, reduction});
}

/// Zero below the diagonal.
/// `aten.triu(Tensor self, int diagonal=0) -> Tensor`
inline Tensor triu(const Tensor& self, int64_t diagonal = 0) {
  return detail::call_for_one("aten.triu", {self, diagonal});
}

/// Zero below the diagonal.
/// `aten.triu(Tensor self, int diagonal=0) -> Tensor`
inline Tensor triu(const Tensor& self, const Size& diagonal) {
  return detail::call_for_one("aten.triu", {self, diagonal});
}

/// Zero below the diagonal.
/// `aten.triu_(Tensor(a!) self, int diagonal=0) -> Tensor(a!)`
inline Tensor triu_(const Tensor& self, int64_t diagonal = 0) {
  return detail::call_for_one("aten.triu_", {self, diagonal});
}

/// Zero below the diagonal.
/// `aten.triu_(Tensor(a!) self, int diagonal=0) -> Tensor(a!)`
inline Tensor triu_(const Tensor& self, const Size& diagonal) {
  return detail::call_for_one("aten.triu_", {self, diagonal});
}

/// Rows and columns of the upper triangle, row by row.
/// `aten.triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=int64, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor triu_indices(int64_t row, int64_t col, int64_t offset = 0,
                           std::optional<DType> dtype = DType::int64) {
  return detail::call_for_one("aten.triu_indices", {row, col, offset, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// self / other; integers give f32.
/// `aten.true_divide.Scalar(Tensor self, Scalar other) -> Tensor`
inline Tensor true_divide(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.true_divide.Scalar", {self, other});
}

/// self / other; integers give f32.
/// `aten.true_divide.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor true_divide(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.true_divide.Tensor", {self, other});
}

/// self / other; integers give f32.
/// `aten.true_divide_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor true_divide_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.true_divide_.Scalar", {self, other});
}

/// self / other; integers give f32.
/// `aten.true_divide_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor true_divide_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.true_divide_.Tensor", {self, other});
}

/// Rounds towards zero.
/// `aten.trunc(Tensor self) -> Tensor`
inline Tensor trunc(const Tensor& self) {
  return detail::call_for_one("aten.trunc", {self});
}

/// Rounds towards zero.
/// `aten.trunc_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor trunc_(const Tensor& self) {
  return detail::call_for_one("aten.trunc_", {self});
}

/// Self in another dtype, device or memory format; self itself if nothing changes.
/// `aten.type_as(Tensor(a) self, Tensor other) -> Tensor(a)`
inline Tensor type_as(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.type_as", {self, other});
}

/// Every index of a dimension as a part of its own.
/// `aten.unbind.int(Tensor(a) self, int dim=0) -> Tensor(a)[]`
inline std::vector<Tensor> unbind(const Tensor& self, int64_t dim = 0) {
  return detail::call("aten.unbind.int", {self, dim});
}

/// What the view of the same name gives, copied.
/// `aten.unbind_copy.int(Tensor self, int dim=0) -> Tensor[]`
inline std::vector<Tensor> unbind_copy(const Tensor& self, int64_t dim = 0) {
  return detail::call("aten.unbind_copy.int", {self, dim});
}

/// Splits one dimension into several.
/// `aten.unflatten.int(Tensor(a) self, int dim, int[] sizes) -> Tensor(a)`
inline Tensor unflatten(const Tensor& self, int64_t dim, const IntList& sizes) {
  return detail::call_for_one("aten.unflatten.int", {self, dim, sizes});
}

/// Sliding windows along a dimension, laid out in a new last dimension.
/// `aten.unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)`
inline Tensor unfold(const Tensor& self, int64_t dimension, int64_t size, int64_t step) {
  return detail::call_for_one("aten.unfold", {self, dimension, size, step});
}

/// Derivative of unfold: gradients of windows added where they overlap.
/// C1: windows of `size` elements, inside what they are of. C2: a step is positive.
/// `aten.unfold_backward(Tensor grad_in, int[] input_sizes, int dim, int size, int step) -> Tensor`
inline Tensor unfold_backward(const Tensor& grad_in, const IntList& input_sizes, int64_t dim,
                              int64_t size, int64_t step) {
  return detail::call_for_one("aten.unfold_backward", {grad_in, input_sizes, dim, size, step});
}

/// What the view of the same name gives, copied.
/// `aten.unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor`
inline Tensor unfold_copy(const Tensor& self, int64_t dimension, int64_t size, int64_t step) {
  return detail::call_for_one("aten.unfold_copy", {self, dimension, size, step});
}

/// Uniform numbers in [from, to) in the shape of self.
/// `aten.uniform(Tensor self, float from=0.0, float to=1.0, *, Generator? generator=None) -> Tensor`
inline Tensor uniform(const Tensor& self, double from = 0, double to = 1) {
  return detail::call_for_one("aten.uniform", {self, from, to, std::nullopt});
}

/// Uniform numbers in [from, to) in the shape of self.
/// `aten.uniform_(Tensor(a!) self, float from=0.0, float to=1.0, *, Generator? generator=None) -> Tensor(a!)`
inline Tensor uniform_(const Tensor& self, double from = 0, double to = 1) {
  return detail::call_for_one("aten.uniform_", {self, from, to, std::nullopt});
}

/// The first element of each run of equals, where each went and how long it is.
/// `aten.unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& self, detail::Flag return_inverse = false,
                                        detail::Flag return_counts = false,
                                        std::optional<int64_t> dim = std::nullopt) {
  return detail::call_for_many<3>("aten.unique_consecutive", {self, return_inverse, return_counts, dim});
}

/// The distinct entries along a dimension, where each went and how many there are.
/// `aten.unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor& self, int64_t dim, detail::Flag sorted = true,
                                        detail::Flag return_inverse = false,
                                        detail::Flag return_counts = false) {
  return detail::call_for_many<3>("aten.unique_dim", {self, dim, sorted, return_inverse, return_counts});
}

/// The first entry of each run of equals along a dimension, where each went and how long it is.
/// `aten.unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)`
inline std::tuple<Tensor, Tensor, Tensor> unique_dim_consecutive(const Tensor& self, int64_t dim,
                                        detail::Flag return_inverse = false,
                                        detail::Flag return_counts = false) {
  return detail::call_for_many<3>("aten.unique_dim_consecutive", {self, dim, return_inverse, return_counts});
}

/// What the operator without unsafe_ in its name gives.
/// `aten.unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]`
inline std::vector<Tensor> unsafe_chunk(const Tensor& self, int64_t chunks, int64_t dim = 0) {
  return detail::call("aten.unsafe_chunk", {self, chunks, dim});
}

/// What the operator without unsafe_ in its name gives.
/// `aten.unsafe_split.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]`
inline std::vector<Tensor> unsafe_split(const Tensor& self, int64_t split_size, int64_t dim = 0) {
  return detail::call("aten.unsafe_split.Tensor", {self, split_size, dim});
}

/// What the operator without unsafe_ in its name gives.
/// `aten.unsafe_split.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]`
inline std::vector<Tensor> unsafe_split(const Tensor& self, const Size& split_size, int64_t dim = 0) {
  return detail::call("aten.unsafe_split.Tensor", {self, split_size, dim});
}

/// What the operator without unsafe_ in its name gives.
/// `aten.unsafe_split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]`
inline std::vector<Tensor> unsafe_split_with_sizes(const Tensor& self, const IntList& split_sizes,
                                        int64_t dim = 0) {
  return detail::call("aten.unsafe_split_with_sizes", {self, split_sizes, dim});
}

/// Inserts a dimension of size 1.
/// `aten.unsqueeze(Tensor(a) self, int dim) -> Tensor(a)`
inline Tensor unsqueeze(const Tensor& self, int64_t dim) {
  return detail::call_for_one("aten.unsqueeze", {self, dim});
}

/// What the view of the same name gives, copied.
/// `aten.unsqueeze_copy(Tensor self, int dim) -> Tensor`
inline Tensor unsqueeze_copy(const Tensor& self, int64_t dim) {
  return detail::call_for_one("aten.unsqueeze_copy", {self, dim});
}

/// Resizes by cubic convolution along each dimension.
/// `aten.upsample_bicubic2d(Tensor self, int[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor upsample_bicubic2d(const Tensor& self, const IntList& output_size,
                                 detail::Flag align_corners,
                                 std::optional<double> scales_h = std::nullopt,
                                 std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten.upsample_bicubic2d", {self, output_size, align_corners, scales_h, scales_w});
}

/// Resizes by cubic convolution along each dimension.
/// `aten.upsample_bicubic2d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor`
inline Tensor upsample_bicubic2d(const Tensor& input, const MaybeIntList& output_size,
                                 detail::Flag align_corners,
                                 const std::optional<RealList>& scale_factors) {
  return detail::call_for_one("aten.upsample_bicubic2d.vec", {input, output_size, align_corners, scale_factors});
}

/// Derivative of resampling.
/// C1: images have a batch and channels. C2: sizes are above 0. C3: the gradient has the size of the result. C4: gradients are floating.
/// `aten.upsample_bicubic2d_backward(Tensor grad_output, int[2] output_size, int[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor upsample_bicubic2d_backward(const Tensor& grad_output, const IntList& output_size,
                                        const IntList& input_size, detail::Flag align_corners,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten.upsample_bicubic2d_backward", {grad_output, output_size, input_size, align_corners,
        scales_h, scales_w});
}

/// Resizes by linear interpolation along each dimension.
/// `aten.upsample_bilinear2d(Tensor self, int[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor upsample_bilinear2d(const Tensor& self, const IntList& output_size,
                                  detail::Flag align_corners,
                                  std::optional<double> scales_h = std::nullopt,
                                  std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten.upsample_bilinear2d", {self, output_size, align_corners, scales_h, scales_w});
}

/// Resizes by linear interpolation along each dimension.
/// `aten.upsample_bilinear2d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor`
inline Tensor upsample_bilinear2d(const Tensor& input, const MaybeIntList& output_size,
                                  detail::Flag align_corners,
                                  const std::optional<RealList>& scale_factors) {
  return detail::call_for_one("aten.upsample_bilinear2d.vec", {input, output_size, align_corners, scale_factors});
}

/// Derivative of resampling.
/// C1: images have a batch and channels. C2: sizes are above 0. C3: the gradient has the size of the result. C4: gradients are floating.
/// `aten.upsample_bilinear2d_backward(Tensor grad_output, int[2] output_size, int[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor upsample_bilinear2d_backward(const Tensor& grad_output, const IntList& output_size,
                                        const IntList& input_size, detail::Flag align_corners,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten.upsample_bilinear2d_backward", {grad_output, output_size, input_size, align_corners,
        scales_h, scales_w});
}

/// Resizes by linear interpolation along each dimension.
/// `aten.upsample_linear1d(Tensor self, int[1] output_size, bool align_corners, float? scales=None) -> Tensor`
inline Tensor upsample_linear1d(const Tensor& self, const IntList& output_size,
                                detail::Flag align_corners,
                                std::optional<double> scales = std::nullopt) {
  return detail::call_for_one("aten.upsample_linear1d", {self, output_size, align_corners, scales});
}

/// Resizes by linear interpolation along each dimension.
/// `aten.upsample_linear1d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor`
inline Tensor upsample_linear1d(const Tensor& input, const MaybeIntList& output_size,
                                detail::Flag align_corners,
                                const std::optional<RealList>& scale_factors) {
  return detail::call_for_one("aten.upsample_linear1d.vec", {input, output_size, align_corners, scale_factors});
}

/// Derivative of resampling.
/// C1: images have a batch and channels. C2: sizes are above 0. C3: the gradient has the size of the result. C4: gradients are floating.
/// `aten.upsample_linear1d_backward(Tensor grad_output, int[1] output_size, int[3] input_size, bool align_corners, float? scales=None) -> Tensor`
inline Tensor upsample_linear1d_backward(const Tensor& grad_output, const IntList& output_size,
                                        const IntList& input_size, detail::Flag align_corners,
                                        std::optional<double> scales = std::nullopt) {
  return detail::call_for_one("aten.upsample_linear1d_backward", {grad_output, output_size, input_size, align_corners,
        scales});
}

/// Resizes by picking the nearest element.
/// `aten.upsample_nearest1d(Tensor self, int[1] output_size, float? scales=None) -> Tensor`
inline Tensor upsample_nearest1d(const Tensor& self, const IntList& output_size,
                                 std::optional<double> scales = std::nullopt) {
  return detail::call_for_one("aten.upsample_nearest1d", {self, output_size, scales});
}

/// Resizes by picking the nearest element.
/// `aten.upsample_nearest1d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor`
inline Tensor upsample_nearest1d(const Tensor& input, const MaybeIntList& output_size,
                                 const std::optional<RealList>& scale_factors) {
  return detail::call_for_one("aten.upsample_nearest1d.vec", {input, output_size, scale_factors});
}

/// Derivative of resampling.
/// C1: images have a batch and channels. C2: sizes are above 0. C3: the gradient has the size of the result. C4: gradients are floating.
/// `aten.upsample_nearest1d_backward(Tensor grad_output, int[1] output_size, int[3] input_size, float? scales=None) -> Tensor`
inline Tensor upsample_nearest1d_backward(const Tensor& grad_output, const IntList& output_size,
                                        const IntList& input_size,
                                        std::optional<double> scales = std::nullopt) {
  return detail::call_for_one("aten.upsample_nearest1d_backward", {grad_output, output_size, input_size, scales});
}

/// Resizes by picking the nearest element.
/// `aten.upsample_nearest2d(Tensor self, int[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor upsample_nearest2d(const Tensor& self, const IntList& output_size,
                                 std::optional<double> scales_h = std::nullopt,
                                 std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten.upsample_nearest2d", {self, output_size, scales_h, scales_w});
}

/// Resizes by picking the nearest element.
/// `aten.upsample_nearest2d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor`
inline Tensor upsample_nearest2d(const Tensor& input, const MaybeIntList& output_size,
                                 const std::optional<RealList>& scale_factors) {
  return detail::call_for_one("aten.upsample_nearest2d.vec", {input, output_size, scale_factors});
}

/// Derivative of resampling.
/// C1: images have a batch and channels. C2: sizes are above 0. C3: the gradient has the size of the result. C4: gradients are floating.
/// `aten.upsample_nearest2d_backward(Tensor grad_output, int[2] output_size, int[4] input_size, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor upsample_nearest2d_backward(const Tensor& grad_output, const IntList& output_size,
                                        const IntList& input_size,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten.upsample_nearest2d_backward", {grad_output, output_size, input_size, scales_h,
        scales_w});
}

/// Resizes by picking the nearest element.
/// `aten.upsample_nearest3d(Tensor self, int[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor upsample_nearest3d(const Tensor& self, const IntList& output_size,
                                 std::optional<double> scales_d = std::nullopt,
                                 std::optional<double> scales_h = std::nullopt,
                                 std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten.upsample_nearest3d", {self, output_size, scales_d, scales_h, scales_w});
}

/// Resizes by picking the nearest element.
/// `aten.upsample_nearest3d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor`
inline Tensor upsample_nearest3d(const Tensor& input, const MaybeIntList& output_size,
                                 const std::optional<RealList>& scale_factors) {
  return detail::call_for_one("aten.upsample_nearest3d.vec", {input, output_size, scale_factors});
}

/// Derivative of resampling.
/// C1: images have a batch and channels. C2: sizes are above 0. C3: the gradient has the size of the result. C4: gradients are floating.
/// `aten.upsample_nearest3d_backward(Tensor grad_output, int[3] output_size, int[5] input_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor upsample_nearest3d_backward(const Tensor& grad_output, const IntList& output_size,
                                        const IntList& input_size,
                                        std::optional<double> scales_d = std::nullopt,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten.upsample_nearest3d_backward", {grad_output, output_size, input_size, scales_d,
        scales_h, scales_w});
}

/// Resizes by linear interpolation along each dimension.
/// `aten.upsample_trilinear3d(Tensor self, int[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor upsample_trilinear3d(const Tensor& self, const IntList& output_size,
                                   detail::Flag align_corners,
                                   std::optional<double> scales_d = std::nullopt,
                                   std::optional<double> scales_h = std::nullopt,
                                   std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten.upsample_trilinear3d", {self, output_size, align_corners, scales_d, scales_h,
        scales_w});
}

/// Resizes by linear interpolation along each dimension.
/// `aten.upsample_trilinear3d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor`
inline Tensor upsample_trilinear3d(const Tensor& input, const MaybeIntList& output_size,
                                   detail::Flag align_corners,
                                   const std::optional<RealList>& scale_factors) {
  return detail::call_for_one("aten.upsample_trilinear3d.vec", {input, output_size, align_corners, scale_factors});
}

/// Derivative of resampling.
/// C1: images have a batch and channels. C2: sizes are above 0. C3: the gradient has the size of the result. C4: gradients are floating.
/// `aten.upsample_trilinear3d_backward(Tensor grad_output, int[3] output_size, int[5] input_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor`
inline Tensor upsample_trilinear3d_backward(const Tensor& grad_output, const IntList& output_size,
                                        const IntList& input_size, detail::Flag align_corners,
                                        std::optional<double> scales_d = std::nullopt,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt) {
  return detail::call_for_one("aten.upsample_trilinear3d_backward", {grad_output, output_size, input_size, align_corners,
        scales_d, scales_h, scales_w});
}

/// Derivative of max, median and others that choose an element along a dimension.
/// `aten.value_selecting_reduction_backward(Tensor grad, int dim, Tensor indices, int[] sizes, bool keepdim) -> Tensor`
inline Tensor value_selecting_reduction_backward(const Tensor& grad, int64_t dim, const Tensor& indices,
                                        const IntList& sizes, detail::Flag keepdim) {
  return detail::call_for_one("aten.value_selecting_reduction_backward", {grad, dim, indices, sizes, keepdim});
}

/// Powers of every element of a vector, in rows, from the highest to 0 unless `increasing`.
/// `aten.vander(Tensor x, int? N=None, bool increasing=False) -> Tensor`
inline Tensor vander(const Tensor& x, std::optional<int64_t> N = std::nullopt,
                     detail::Flag increasing = false) {
  return detail::call_for_one("aten.vander", {x, N, increasing});
}

/// The variance of all elements.
/// `aten.var(Tensor self, bool unbiased=True) -> Tensor`
inline Tensor var(const Tensor& self, detail::Flag unbiased = true) {
  return detail::call_for_one("aten.var", {self, unbiased});
}

/// The variance along dimensions.
/// `aten.var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor`
inline Tensor var(const Tensor& self, const MaybeIntList& dim,
                  const std::optional<Scalar>& correction = std::nullopt,
                  detail::Flag keepdim = false) {
  return detail::call_for_one("aten.var.correction", {self, dim, correction, keepdim});
}

/// The variance along dimensions.
/// `aten.var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor`
inline Tensor var(const Tensor& self, const MaybeIntList& dim, detail::Flag unbiased,
                  detail::Flag keepdim = false) {
  return detail::call_for_one("aten.var.dim", {self, dim, unbiased, keepdim});
}

/// Variance and mean of all elements.
/// `aten.var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> var_mean(const Tensor& self, detail::Flag unbiased = true) {
  return detail::call_for_many<2>("aten.var_mean", {self, unbiased});
}

/// Variance and mean along dimensions.
/// `aten.var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> var_mean(const Tensor& self, const MaybeIntList& dim,
                                        const std::optional<Scalar>& correction = std::nullopt,
                                        detail::Flag keepdim = false) {
  return detail::call_for_many<2>("aten.var_mean.correction", {self, dim, correction, keepdim});
}

/// Variance and mean along dimensions.
/// `aten.var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)`
inline std::tuple<Tensor, Tensor> var_mean(const Tensor& self, const MaybeIntList& dim,
                                        detail::Flag unbiased, detail::Flag keepdim = false) {
  return detail::call_for_many<2>("aten.var_mean.dim", {self, dim, unbiased, keepdim});
}

/// Product of two vectors, the first conjugated.
/// `aten.vdot(Tensor self, Tensor other) -> Tensor`
inline Tensor vdot(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.vdot", {self, other});
}

/// Other sizes for the same elements in the same order; throws where the strides do not allow it.
/// `aten.view(Tensor(a) self, int[] size) -> Tensor(a)`
inline Tensor view(const Tensor& self, const IntList& size) {
  return detail::call_for_one("aten.view", {self, size});
}

/// The same bytes as elements of another dtype.
/// C1: rank 0 only with elements of one size. C2: else the last stride is 1. C3: larger elements divide the last size, the other strides and the offset.
/// `aten.view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)`
inline Tensor view(const Tensor& self, DType dtype) {
  return detail::call_for_one("aten.view.dtype", {self, dtype});
}

/// view to the sizes of `other`.
/// `aten.view_as(Tensor(a) self, Tensor other) -> Tensor(a)`
inline Tensor view_as(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.view_as", {self, other});
}

/// Adjacent pairs of the last dimension as complex numbers, a view.
/// C1: self is real. C2: its last dimension is 2 with stride 1. C3: the other strides are even.
/// `aten.view_as_complex(Tensor(a) self) -> Tensor(a)`
inline Tensor view_as_complex(const Tensor& self) {
  return detail::call_for_one("aten.view_as_complex", {self});
}

/// What the view of the same name gives, copied.
/// `aten.view_as_complex_copy(Tensor self) -> Tensor`
inline Tensor view_as_complex_copy(const Tensor& self) {
  return detail::call_for_one("aten.view_as_complex_copy", {self});
}

/// Parts along a new last dimension, a view.
/// C1: self is complex.
/// `aten.view_as_real(Tensor(a) self) -> Tensor(a)`
inline Tensor view_as_real(const Tensor& self) {
  return detail::call_for_one("aten.view_as_real", {self});
}

/// What the view of the same name gives, copied.
/// `aten.view_as_real_copy(Tensor self) -> Tensor`
inline Tensor view_as_real_copy(const Tensor& self) {
  return detail::call_for_one("aten.view_as_real_copy", {self});
}

/// What the view of the same name gives, copied.
/// `aten.view_copy(Tensor self, int[] size) -> Tensor`
inline Tensor view_copy(const Tensor& self, const IntList& size) {
  return detail::call_for_one("aten.view_copy", {self, size});
}

/// What the view of the same name gives, copied.
/// `aten.view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor`
inline Tensor view_copy(const Tensor& self, DType dtype) {
  return detail::call_for_one("aten.view_copy.dtype", {self, dtype});
}

/// Parts of dimension 0 between the given indices.
/// `aten.vsplit.array(Tensor(a) self, int[] indices) -> Tensor(a)[]`
inline std::vector<Tensor> vsplit(const Tensor& self, const IntList& indices) {
  return detail::call("aten.vsplit.array", {self, indices});
}

/// Equal parts of dimension 0.
/// `aten.vsplit.int(Tensor(a) self, int sections) -> Tensor(a)[]`
inline std::vector<Tensor> vsplit(const Tensor& self, int64_t sections) {
  return detail::call("aten.vsplit.int", {self, sections});
}

/// Behind one another along dimension 0, vectors as rows.
/// `aten.vstack(Tensor[] tensors) -> Tensor`
inline Tensor vstack(const TensorList& tensors) {
  return detail::call_for_one("aten.vstack", {tensors});
}

/// Positions of the non-zero elements, one list a dimension.
/// `aten.where(Tensor condition) -> Tensor[]`
inline std::vector<Tensor> where(const Tensor& condition) {
  return detail::call("aten.where", {condition});
}

/// self where condition holds, else other.
/// C1: the condition is bool.
/// `aten.where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor`
inline Tensor where(const Tensor& condition, const Scalar& self, const Scalar& other) {
  return detail::call_for_one("aten.where.Scalar", {condition, self, other});
}

/// self where condition holds, else other.
/// C1: the condition is bool.
/// `aten.where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor`
inline Tensor where(const Tensor& condition, const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.where.ScalarOther", {condition, self, other});
}

/// self where condition holds, else other.
/// C1: the condition is bool.
/// `aten.where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor`
inline Tensor where(const Tensor& condition, const Scalar& self, const Tensor& other) {
  return detail::call_for_one("aten.where.ScalarSelf", {condition, self, other});
}

/// self where condition holds, else other.
/// C1: the condition is bool.
/// `aten.where.self(Tensor condition, Tensor self, Tensor other) -> Tensor`
inline Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.where.self", {condition, self, other});
}

/// self * log(other); 0 where self is 0.
/// `aten.xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor`
inline Tensor xlogy(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.xlogy.Scalar_Other", {self, other});
}

/// self * log(other); 0 where self is 0.
/// `aten.xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor`
inline Tensor xlogy(const Scalar& self, const Tensor& other) {
  return detail::call_for_one("aten.xlogy.Scalar_Self", {self, other});
}

/// self * log(other); 0 where self is 0.
/// `aten.xlogy.Tensor(Tensor self, Tensor other) -> Tensor`
inline Tensor xlogy(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.xlogy.Tensor", {self, other});
}

/// self * log(other); 0 where self is 0.
/// `aten.xlogy_.Scalar_Other(Tensor(a!) self, Scalar other) -> Tensor(a!)`
inline Tensor xlogy_(const Tensor& self, const Scalar& other) {
  return detail::call_for_one("aten.xlogy_.Scalar_Other", {self, other});
}

/// self * log(other); 0 where self is 0.
/// `aten.xlogy_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)`
inline Tensor xlogy_(const Tensor& self, const Tensor& other) {
  return detail::call_for_one("aten.xlogy_.Tensor", {self, other});
}

/// Zeros in place of the values of self.
/// `aten.zero(Tensor self) -> Tensor`
inline Tensor zero(const Tensor& self) {
  return detail::call_for_one("aten.zero", {self});
}

/// Zeros in place of the values of self.
/// `aten.zero_(Tensor(a!) self) -> Tensor(a!)`
inline Tensor zero_(const Tensor& self) {
  return detail::call_for_one("aten.zero_", {self});
}

/// A tensor of zeros.
/// `aten.zeros(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor`
inline Tensor zeros(const IntList& size, std::optional<DType> dtype = std::nullopt) {
  return detail::call_for_one("aten.zeros", {size, dtype, std::nullopt, std::nullopt, std::nullopt});
}

/// Zeros in the shape of self.
/// `aten.zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor`
inline Tensor zeros_like(const Tensor& self, std::optional<DType> dtype = std::nullopt,
                         std::optional<MemoryFormat> memory_format = std::nullopt) {
  return detail::call_for_one("aten.zeros_like", {self, dtype, std::nullopt, std::nullopt, std::nullopt, memory_format});
}

}  // namespace v1
}  // namespace litz
// NOLINTEND(readability-identifier-naming)
// clang-format on
