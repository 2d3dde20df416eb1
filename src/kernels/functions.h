// The library functions of this folder, by file.

#pragma once

#include "kernels/library.h"

namespace litz::kernels {

// matrix_products.cpp
void matmul(LibraryCall& call);          // (a, b): any ranks, batches broadcast
void linear(LibraryCall& call);          // (input, weight, bias?)
void scaled_matmul(LibraryCall& call);   // (addend, a, b, beta, alpha)
void grouped_matmul(LibraryCall& call);  // (input, weight, offsets)

// convolution.cpp
void convolution(LibraryCall& call);  // the arguments of aten.convolution

// counting.cpp
void bincount(LibraryCall& call);  // the arguments of aten.bincount

// fourier.cpp
void fft_c2c(LibraryCall& call);  // the arguments of aten._fft_c2c
void fft_c2r(LibraryCall& call);  // the arguments of aten._fft_c2r
void fft_r2c(LibraryCall& call);  // the arguments of aten._fft_r2c

// selection.cpp
void nonzero(LibraryCall& call);            // (self)
void unique(LibraryCall& call);             // the arguments of aten._unique2
void unique_lines(LibraryCall& call);       // the arguments of aten.unique_dim
void unique_runs(LibraryCall& call);        // the arguments of aten.unique_consecutive
void repeat_interleave(LibraryCall& call);  // (repeats)

}  // namespace litz::kernels
