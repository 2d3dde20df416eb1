// Access to the arguments of a library call, and the table of functions.

#include "kernels/library.h"

#include <algorithm>
#include <array>

#include "kernels/collectives.h"
#include "kernels/functions.h"
#include "kernels/micro_kernels.h"
#include "kernels/ordering.h"
#include "kernels/user_functions.h"
#include "support/check.h"

namespace litz::kernels {
namespace {

using machine::OperandLayouts;

constexpr machine::FunctionFacts product(size_t left_operand) {
  return {.takes_epilogue = true,
          .layouts = OperandLayouts::product,
          .left_operand = left_operand,
          .most_thin_rows = kMostThinRows};
}

constexpr std::array kFunctions{
    LibraryEntry{"all_gather", all_gather},
    LibraryEntry{"all_reduce", all_reduce},
    LibraryEntry{"all_to_all", all_to_all},
    LibraryEntry{"attention",
                 attention,
                 prepare_attention,
                 {.layouts = OperandLayouts::attention, .most_thin_rows = kMostThinRows}},
    LibraryEntry{"bincount", bincount},
    LibraryEntry{"broadcast", broadcast},
    LibraryEntry{"cholesky", cholesky},
    LibraryEntry{"cholesky_ex", cholesky_ex},
    LibraryEntry{"cholesky_inverse", cholesky_inverse},
    LibraryEntry{"cholesky_solve", cholesky_solve},
    LibraryEntry{"convolution",
                 convolution,
                 prepare_convolution,
                 {.takes_epilogue = true,
                  .layouts = OperandLayouts::convolution,
                  .most_thin_rows = kMostThinRows}},
    LibraryEntry{"ctc_loss", ctc_loss},
    LibraryEntry{"ctc_loss_backward", ctc_loss_backward},
    LibraryEntry{"ctc_loss_forward", ctc_loss_forward},
    LibraryEntry{"determinant", determinant},
    LibraryEntry{"eig", eig},
    LibraryEntry{"eigh", eigh},
    LibraryEntry{"fft_c2c", fft_c2c},
    LibraryEntry{"fft_c2r", fft_c2r},
    LibraryEntry{"fft_r2c", fft_r2c},
    LibraryEntry{"geqrf", geqrf},
    LibraryEntry{"grouped_matmul", grouped_matmul},
    LibraryEntry{"householder_product", householder_product},
    LibraryEntry{"inverse", inverse},
    LibraryEntry{"kthvalue", kthvalue},
    LibraryEntry{"ldl_factor", ldl_factor},
    LibraryEntry{"ldl_solve", ldl_solve},
    LibraryEntry{"linear", linear, prepare_linear, product(0)},
    LibraryEntry{"linear_solve", linear_solve},
    LibraryEntry{"log_determinant", log_determinant},
    LibraryEntry{"lu_factor", lu_factor},
    LibraryEntry{"lu_solve", lu_solve},
    LibraryEntry{"lu_unpack", lu_unpack},
    LibraryEntry{"matmul", matmul, prepare_matmul, product(0)},
    LibraryEntry{"matrix_exp", matrix_exp},
    LibraryEntry{"matrix_rank", matrix_rank},
    LibraryEntry{"mode", mode},
    LibraryEntry{"nms", nms},
    LibraryEntry{"nonzero", nonzero},
    LibraryEntry{"ormqr", ormqr},
    LibraryEntry{"pinv", pinv},
    LibraryEntry{"ps_roi_align", ps_roi_align},
    LibraryEntry{"ps_roi_align_backward", ps_roi_align_backward},
    LibraryEntry{"ps_roi_pool", ps_roi_pool},
    LibraryEntry{"ps_roi_pool_backward", ps_roi_pool_backward},
    LibraryEntry{"qr", qr},
    LibraryEntry{"receive", receive},
    LibraryEntry{"reduce_scatter", reduce_scatter},
    LibraryEntry{"repeat_interleave", repeat_interleave},
    LibraryEntry{"roi_align", roi_align},
    LibraryEntry{"roi_align_backward", roi_align_backward},
    LibraryEntry{"roi_pool", roi_pool},
    LibraryEntry{"roi_pool_backward", roi_pool_backward},
    LibraryEntry{"sample_binomial", sample_binomial},
    LibraryEntry{"sample_dirichlet", sample_dirichlet},
    LibraryEntry{"sample_gamma", sample_gamma},
    LibraryEntry{"sample_poisson", sample_poisson},
    LibraryEntry{"scaled_matmul", scaled_matmul, prepare_scaled_matmul, product(1)},
    LibraryEntry{"send", send},
    LibraryEntry{"solve_triangular", solve_triangular},
    LibraryEntry{"sort", sort},
    LibraryEntry{"svd", svd},
    LibraryEntry{"topk", topk},
    LibraryEntry{"unique", unique},
    LibraryEntry{"unique_lines", unique_lines},
    LibraryEntry{"unique_runs", unique_runs},
    LibraryEntry{"wait", wait},
};

/// Calls of compiled programs say what their files say.
template <typename T>
const T& typed(const LibraryCall& call, size_t i, const char* kind) {
  require(i < call.arguments.size(), ErrorCode::corrupt,
          "a library call must have this argument:", call.function, i);
  const T* value = std::get_if<T>(&call.arguments[i]);
  require(value != nullptr, ErrorCode::corrupt,
          "an argument of a library call must be of the kind asked for:", call.function, i, kind);
  return *value;
}

}  // namespace

Tensor& CallResults::operator[](size_t i) const {
  require(i < results_.size(), ErrorCode::corrupt, "a library call must have this result:", i);
  return results_[i];
}

const Tensor& LibraryCall::tensor(size_t i) const {
  const Tensor& value = typed<Tensor>(*this, i, "tensor");
  require(value.defined(), ErrorCode::corrupt,
          "a tensor argument of a library call must be defined:", function, i);
  return value;
}

const Tensor& LibraryCall::optional_tensor(size_t i) const {
  static const Tensor none;
  return is_none(i) ? none : typed<Tensor>(*this, i, "tensor");
}

std::span<const Tensor> LibraryCall::tensors(size_t i) const {
  return typed<std::vector<Tensor>>(*this, i, "tensor list");
}

int64_t LibraryCall::integer(size_t i) const {
  if (i < arguments.size() && std::holds_alternative<bool>(arguments[i])) {
    return std::get<bool>(arguments[i]) ? 1 : 0;
  }
  return typed<int64_t>(*this, i, "integer");
}

double LibraryCall::real(size_t i) const {
  if (i < arguments.size() && std::holds_alternative<double>(arguments[i])) {
    return std::get<double>(arguments[i]);
  }
  return static_cast<double>(integer(i));
}

bool LibraryCall::flag(size_t i) const { return typed<bool>(*this, i, "bool"); }

std::string_view LibraryCall::str(size_t i) const { return typed<std::string>(*this, i, "string"); }

std::span<const int64_t> LibraryCall::integers(size_t i) const {
  return typed<std::vector<int64_t>>(*this, i, "integer list");
}

bool LibraryCall::is_none(size_t i) const {
  return i >= arguments.size() || std::holds_alternative<std::monostate>(arguments[i]) ||
         (std::holds_alternative<Tensor>(arguments[i]) &&
          !std::get<Tensor>(arguments[i]).defined());
}

std::span<const LibraryEntry> reference_library() { return kFunctions; }

const LibraryEntry* find_library_entry(std::string_view name) {
  const auto found = std::ranges::lower_bound(kFunctions, name, {}, &LibraryEntry::name);
  return found != kFunctions.end() && found->name == name ? &*found : find_user_function(name);
}

LibraryFunction find_library_function(std::string_view name) {
  const LibraryEntry* const entry = find_library_entry(name);
  return entry != nullptr ? entry->run : nullptr;
}

const machine::FunctionFacts* function_facts(std::string_view name) {
  const LibraryEntry* const entry = find_library_entry(name);
  return entry != nullptr ? &entry->facts : nullptr;
}

}  // namespace litz::kernels
