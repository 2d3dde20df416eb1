// The functions that generated CUDA text calls, as CUDA text.

#pragma once

#include <string_view>

namespace litz::codegen {

/// Types, failures, conversions, integer and real functions, folds over threads, random words.
std::string_view cuda_prelude();
/// Elementary functions of complex numbers; follows cuda_prelude where a kernel needs it.
std::string_view cuda_complex_prelude();
/// Attention of halves; follows cuda_prelude. Needs sm_80.
std::string_view cuda_attention_prelude();

}  // namespace litz::codegen
