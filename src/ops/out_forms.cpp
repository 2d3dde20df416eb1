#include "ops/out_forms.h"

#include <algorithm>
#include <array>

#include "ir/graph.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::Argument;

// Irregular names, including those of tensors that are not called `out`.
struct Irregular {
  std::string_view out_form;
  std::string_view plain;
  std::string_view tensors;  ///< Separated by spaces.
};

constexpr std::array kIrregular{
    Irregular{"aten.adaptive_max_pool2d.out", "aten.adaptive_max_pool2d", "out indices"},
    Irregular{"aten.adaptive_max_pool3d.out", "aten.adaptive_max_pool3d", "out indices"},
    Irregular{"aten.all.all_out", "aten.all", "out"},
    Irregular{"aten.all.out", "aten.all.dim", "out"},
    Irregular{"aten.aminmax.out", "aten.aminmax", "min max"},
    Irregular{"aten.any.all_out", "aten.any", "out"},
    Irregular{"aten.any.out", "aten.any.dim", "out"},
    Irregular{"aten.arange.start_out", "aten.arange.start_step", "out"},
    Irregular{"aten.cummax.out", "aten.cummax", "values indices"},
    Irregular{"aten.cummin.out", "aten.cummin", "values indices"},
    Irregular{"aten.div.out_mode", "aten.div.Tensor_mode", "out"},
    Irregular{"aten.divide.out_mode", "aten.divide.Tensor_mode", "out"},
    Irregular{"aten.empty.out", "aten.empty.memory_format", "out"},
    Irregular{"aten.eye.m_out", "aten.eye.m", "out"},
    Irregular{"aten.frexp.Tensor_out", "aten.frexp.Tensor", "mantissa exponent"},
    Irregular{"aten.geqrf.a", "aten.geqrf", "a tau"},
    Irregular{"aten.histogram.bin_ct_out", "aten.histogram.bin_ct", "hist bin_edges"},
    Irregular{"aten.histogram.bins_tensor_out", "aten.histogram.bins_tensor", "hist bin_edges"},
    Irregular{"aten.kthvalue.values", "aten.kthvalue", "values indices"},
    Irregular{"aten.linalg_cholesky_ex.L", "aten.linalg_cholesky_ex", "L info"},
    Irregular{"aten.linalg_eigh.eigvals", "aten.linalg_eigh", "eigvals eigvecs"},
    Irregular{"aten.linalg_eig.out", "aten.linalg_eig", "eigenvalues eigenvectors"},
    Irregular{"aten.linalg_inv_ex.inverse", "aten.linalg_inv_ex", "inverse info"},
    Irregular{"aten.linalg_ldl_factor.out", "aten.linalg_ldl_factor", "LD pivots"},
    Irregular{"aten.linalg_ldl_factor_ex.out", "aten.linalg_ldl_factor_ex", "LD pivots info"},
    Irregular{"aten.linalg_lu.out", "aten.linalg_lu", "P L U"},
    Irregular{"aten.linalg_lu_factor.out", "aten.linalg_lu_factor", "LU pivots"},
    Irregular{"aten.linalg_lu_factor_ex.out", "aten.linalg_lu_factor_ex", "LU pivots info"},
    Irregular{"aten.linalg_matrix_rank.out_tol_tensor", "aten.linalg_matrix_rank.tol_tensor",
              "out"},
    Irregular{"aten.linalg_pinv.out_rcond_tensor", "aten.linalg_pinv.rcond_tensor", "out"},
    Irregular{"aten.linalg_polar.out", "aten.linalg_polar", "U H"},
    Irregular{"aten.linalg_qr.out", "aten.linalg_qr", "Q R"},
    Irregular{"aten.linalg_slogdet.out", "aten.linalg_slogdet", "sign logabsdet"},
    Irregular{"aten.linalg_solve_ex.out", "aten.linalg_solve_ex", "result info"},
    Irregular{"aten.linalg_svd.U", "aten.linalg_svd", "U S Vh"},
    Irregular{"aten.lu_unpack.out", "aten.lu_unpack", "P L U"},
    Irregular{"aten.max.dim_max", "aten.max.dim", "max max_values"},
    Irregular{"aten.max.out", "aten.max.other", "out"},
    Irregular{"aten.max.unary_out", "aten.max", "out"},
    Irregular{"aten.max_pool2d_with_indices.out", "aten.max_pool2d_with_indices", "out indices"},
    Irregular{"aten.max_pool3d_with_indices.out", "aten.max_pool3d_with_indices", "out indices"},
    Irregular{"aten.mean.dtype_out", "aten.mean", "out"},
    Irregular{"aten.mean.out", "aten.mean.dim", "out"},
    Irregular{"aten.median.dim_values", "aten.median.dim", "values indices"},
    Irregular{"aten.min.dim_min", "aten.min.dim", "min min_indices"},
    Irregular{"aten.min.out", "aten.min.other", "out"},
    Irregular{"aten.min.unary_out", "aten.min", "out"},
    Irregular{"aten.mode.values", "aten.mode", "values indices"},
    Irregular{"aten.nanmedian.dim_values", "aten.nanmedian.dim", "values indices"},
    Irregular{"aten.native_batch_norm.out", "aten.native_batch_norm", "out save_mean save_invstd"},
    Irregular{"aten.norm.out", "aten.norm.ScalarOpt_dim", "out"},
    Irregular{"aten.prod.int_out", "aten.prod.dim_int", "out"},
    Irregular{"aten.range.out", "aten.range.step", "out"},
    Irregular{"aten.range.out_", "aten.range", "out"},
    Irregular{"aten.slogdet.out", "aten.slogdet", "sign logabsdet"},
    Irregular{"aten.sort.values", "aten.sort", "values indices"},
    Irregular{"aten.sort.values_stable", "aten.sort.stable", "values indices"},
    Irregular{"aten.std.out", "aten.std.dim", "out"},
    Irregular{"aten.sum.IntList_out", "aten.sum.dim_IntList", "out"},
    Irregular{"aten.svd.U", "aten.svd", "U S V"},
    Irregular{"aten.topk.values", "aten.topk", "values indices"},
    Irregular{"aten.triangular_solve.X", "aten.triangular_solve", "X M"},
    Irregular{"aten.var.out", "aten.var.dim", "out"},
    Irregular{"aten.where.self_out", "aten.where.self", "out"},
    Irregular{"aten.xlogy.OutScalar_Other", "aten.xlogy.Scalar_Other", "out"},
    Irregular{"aten.xlogy.OutScalar_Self", "aten.xlogy.Scalar_Self", "out"},
    Irregular{"aten.xlogy.OutTensor", "aten.xlogy.Tensor", "out"},
};

const Irregular* irregular(std::string_view out_form) {
  const auto found = std::ranges::find(kIrregular, out_form, &Irregular::out_form);
  return found == kIrregular.end() ? nullptr : &*found;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    result.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::vector<std::string> written_names(std::string_view out_form, size_t results) {
  if (const Irregular* entry = irregular(out_form)) return words(entry->tensors);
  if (results == 1) return {"out"};
  std::vector<std::string> names;
  for (size_t i = 0; i < results; ++i) names.push_back("out" + std::to_string(i));
  return names;
}

bool is_factory_option(const ir::Schema& plain, std::string_view name) {
  constexpr std::array<std::string_view, 4> kOptions{"dtype", "layout", "device", "pin_memory"};
  return plain.find("pin_memory") >= 0 && std::ranges::find(kOptions, name) != kOptions.end();
}

}  // namespace

std::vector<std::string> plain_names(std::string_view out_form) {
  if (const Irregular* entry = irregular(out_form)) return {std::string(entry->plain)};
  constexpr std::string_view kAlone = ".out";
  constexpr std::string_view kEnd = "_out";
  const std::string base(
      out_form.substr(0, out_form.size() - std::min<size_t>(4, out_form.size())));
  if (out_form.ends_with(kAlone)) return {base + ".Tensor", base};
  if (out_form.ends_with(kEnd)) return {base};
  return {};
}

std::optional<ir::Schema> out_schema(std::string_view out_form, const ir::OpInfo& plain) {
  if (has(plain.traits, ir::Trait::view) || plain.schema.mutates()) return std::nullopt;
  ir::Schema schema;
  schema.name = out_form;
  for (const ir::SchemaArgument& argument : plain.schema.arguments) {
    if (!is_factory_option(plain.schema, argument.name)) schema.arguments.push_back(argument);
  }
  const std::vector<std::string> names = written_names(out_form, plain.schema.returns.size());
  if (names.size() != plain.schema.returns.size()) return std::nullopt;
  char alias = 'a';
  for (size_t i = 0; i < names.size(); ++i) {
    ir::SchemaReturn result = plain.schema.returns[i];
    if (result.kind != ir::ArgKind::tensor || result.alias != 0) return std::nullopt;
    result.mutated = true;
    result.alias = alias;
    schema.returns.push_back(result);
    schema.arguments.push_back(
        {.name = names[i], .keyword_only = true, .mutated = true, .alias = alias});
    ++alias;
  }
  return schema;
}

std::vector<Argument> plain_arguments(const ir::OpInfo& out_form, const ir::OpInfo& plain,
                                      std::span<const Argument> arguments) {
  const size_t written = out_form.schema.arguments.size() - plain.schema.returns.size();
  require(arguments[written].is_value() && arguments[written].value().is_tensor(),
          "a result must be written to a tensor:", out_form.name());
  const TensorType& out = arguments[written].value().tensor();
  std::vector<Argument> result;
  for (const ir::SchemaArgument& slot : plain.schema.arguments) {
    const int given = out_form.schema.find(slot.name);
    Argument argument = given >= 0 ? arguments[static_cast<size_t>(given)] : Argument();
    // Factories allocate with, and reductions accumulate in, the type that they write.
    if (argument.is_none() && slot.kind == ir::ArgKind::dtype) argument = out.dtype;
    if (argument.is_none() && slot.kind == ir::ArgKind::device) {
      argument = ir::Attribute(out.device);
    }
    result.push_back(std::move(argument));
  }
  return result;
}

}  // namespace litz::ops
