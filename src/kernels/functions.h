// The library functions of this folder, by file.

#pragma once

#include "kernels/library.h"

namespace litz::kernels {

// linear_algebra.cpp: each takes the arguments of the operator of its name
void cholesky(LibraryCall& call);          // (self, upper)
void cholesky_ex(LibraryCall& call);       // (self, upper, check_errors)
void cholesky_inverse(LibraryCall& call);  // (factor, upper)
void cholesky_solve(LibraryCall& call);    // (b, factor, upper)
void determinant(LibraryCall& call);       // (a), also gives LU and pivots
void inverse(LibraryCall& call);           // (a, check_errors?)
void ldl_solve(LibraryCall& call);         // (LD, pivots, b, hermitian)
void linear_solve(LibraryCall& call);      // (a, b, left, check_errors?)
void log_determinant(LibraryCall& call);   // (a), also gives LU and pivots
void lu_factor(LibraryCall& call);         // (a, pivot, check_errors?)
void lu_solve(LibraryCall& call);          // (LU, pivots, b, left, adjoint)
void lu_unpack(LibraryCall& call);         // (LU, pivots, unpack_data, unpack_pivots)
void solve_triangular(LibraryCall& call);  // (a, b, upper, left, unitriangular)

// general_matrices.cpp: each takes the arguments of the operator of its name
void eig(LibraryCall& call);         // (a)
void ldl_factor(LibraryCall& call);  // (a, hermitian, check_errors?)

// orthogonal.cpp: each takes the arguments of the operator of its name
void eigh(LibraryCall& call);                 // (a, uplo, ...)
void geqrf(LibraryCall& call);                // (a)
void householder_product(LibraryCall& call);  // (reflectors, tau)
void matrix_exp(LibraryCall& call);           // (a)
void matrix_rank(LibraryCall& call);          // (a, atol, rtol, hermitian)
void ormqr(LibraryCall& call);                // (reflectors, tau, other, left, transpose)
void pinv(LibraryCall& call);                 // (a, atol, rtol, hermitian)
void qr(LibraryCall& call);                   // (a, mode)
void svd(LibraryCall& call);                  // (a, full_matrices, ...)

// matrix_products.cpp
void matmul(LibraryCall& call);          // (a, b): any ranks, batches broadcast
void linear(LibraryCall& call);          // (input, weight, bias?)
void scaled_matmul(LibraryCall& call);   // (addend, a, b, beta, alpha)
void grouped_matmul(LibraryCall& call);  // (input, weight, offsets)
std::unique_ptr<PreparedCall> prepare_matmul(const LibraryCall& call);
std::unique_ptr<PreparedCall> prepare_linear(const LibraryCall& call);
std::unique_ptr<PreparedCall> prepare_scaled_matmul(const LibraryCall& call);

// attention.cpp
void attention(LibraryCall& call);  // the arguments of litz.attention
std::unique_ptr<PreparedCall> prepare_attention(const LibraryCall& call);

// box_suppression.cpp
void nms(LibraryCall& call);  // the arguments of torchvision.nms

// convolution.cpp
void convolution(LibraryCall& call);  // the arguments of aten.convolution
std::unique_ptr<PreparedCall> prepare_convolution(const LibraryCall& call);

// counting.cpp
void bincount(LibraryCall& call);  // the arguments of aten.bincount

// ctc_loss.cpp
void ctc_loss(LibraryCall& call);           // the arguments of aten.ctc_loss
void ctc_loss_backward(LibraryCall& call);  // the arguments of aten._ctc_loss_backward
void ctc_loss_forward(LibraryCall& call);   // the arguments of aten._ctc_loss

// fourier.cpp
void fft_c2c(LibraryCall& call);  // the arguments of aten._fft_c2c
void fft_c2r(LibraryCall& call);  // the arguments of aten._fft_c2r
void fft_r2c(LibraryCall& call);  // the arguments of aten._fft_r2c

// regions.cpp, regions_backward.cpp: each takes the arguments of the torchvision operator of its
// name
void ps_roi_align(LibraryCall& call);
void ps_roi_pool(LibraryCall& call);
void roi_align(LibraryCall& call);
void roi_pool(LibraryCall& call);
void ps_roi_align_backward(LibraryCall& call);
void ps_roi_pool_backward(LibraryCall& call);
void roi_align_backward(LibraryCall& call);
void roi_pool_backward(LibraryCall& call);

// sampling.cpp: arguments of the operators, then key and stream of random numbers
void sample_binomial(LibraryCall& call);   // (count, prob, generator, key, stream)
void sample_dirichlet(LibraryCall& call);  // (concentrations, generator, key, stream)
void sample_gamma(LibraryCall& call);      // (shapes, generator, key, stream)
void sample_poisson(LibraryCall& call);    // (rates, generator, key, stream)

// selection.cpp
void nonzero(LibraryCall& call);            // (self)
void unique(LibraryCall& call);             // the arguments of aten._unique2
void unique_lines(LibraryCall& call);       // the arguments of aten.unique_dim
void unique_runs(LibraryCall& call);        // the arguments of aten.unique_consecutive
void repeat_interleave(LibraryCall& call);  // (repeats)

}  // namespace litz::kernels
