#include "import/autocast.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "support/check.h"

namespace litz::import_ {

using ir::Argument;
using ir::Value;

namespace {

// Each list is sorted. Composite operators of PyTorch are listed with their parts.

/// Operators that read operands in the region's dtype.
constexpr auto kLower = std::to_array<std::string_view>({
    "aten.__rmatmul__",
    "aten._addmm_activation",
    "aten._convolution.deprecated",
    "aten._native_multi_head_attention",
    "aten.addbmm",
    "aten.addmm",
    "aten.baddbmm",
    "aten.bmm",
    "aten.chain_matmul",
    "aten.conv1d",
    "aten.conv1d.padding",
    "aten.conv2d",
    "aten.conv2d.padding",
    "aten.conv3d",
    "aten.conv3d.padding",
    "aten.conv_tbc",
    "aten.conv_transpose1d",
    "aten.conv_transpose2d.input",
    "aten.conv_transpose3d.input",
    "aten.einsum",
    "aten.inner",
    "aten.linalg_matmul",
    "aten.linalg_matrix_power",
    "aten.linalg_multi_dot",
    "aten.linalg_vecdot",
    "aten.linear",
    "aten.lstm.data",
    "aten.lstm.input",
    "aten.matmul",
    "aten.matrix_power",
    "aten.mkldnn_rnn_layer",
    "aten.mm",
    "aten.prelu",
    "aten.rnn_relu.data",
    "aten.rnn_relu.input",
    "aten.rnn_tanh.data",
    "aten.rnn_tanh.input",
    "aten.scaled_dot_product_attention",
    "aten.tensordot",
});

/// Operators that read operands in f32.
constexpr auto kSingle = std::to_array<std::string_view>({
    "aten._grid_sampler_2d_cpu_fallback",
    "aten._lu_with_info",
    "aten.adaptive_avg_pool3d",
    "aten.adaptive_max_pool3d",
    "aten.avg_pool3d",
    "aten.binary_cross_entropy",
    "aten.binary_cross_entropy_with_logits",
    "aten.cdist",
    "aten.cholesky_inverse",
    "aten.cholesky_solve",
    "aten.cosine_embedding_loss",
    "aten.cross_entropy_loss",
    "aten.ctc_loss.IntList",
    "aten.ctc_loss.Tensor",
    "aten.fake_quantize_per_tensor_affine",
    "aten.fft_fft",
    "aten.fft_fft2",
    "aten.fft_fftn",
    "aten.fft_hfft",
    "aten.fft_ifft",
    "aten.fft_ifft2",
    "aten.fft_ifftn",
    "aten.fft_ihfft",
    "aten.fft_irfft",
    "aten.fft_irfft2",
    "aten.fft_irfftn",
    "aten.fft_rfft",
    "aten.fft_rfft2",
    "aten.fft_rfftn",
    "aten.fractional_max_pool2d",
    "aten.fractional_max_pool3d",
    "aten.geqrf",
    "aten.grid_sampler",
    "aten.grid_sampler_2d",
    "aten.grid_sampler_3d",
    "aten.hinge_embedding_loss",
    "aten.huber_loss",
    "aten.inverse",
    "aten.kl_div",
    "aten.l1_loss",
    "aten.linalg_cholesky",
    "aten.linalg_cholesky_ex",
    "aten.linalg_cond",
    "aten.linalg_cond.p_str",
    "aten.linalg_eig",
    "aten.linalg_eigh",
    "aten.linalg_eigvals",
    "aten.linalg_eigvalsh",
    "aten.linalg_householder_product",
    "aten.linalg_inv",
    "aten.linalg_inv_ex",
    "aten.linalg_lstsq",
    "aten.linalg_matrix_rank",
    "aten.linalg_matrix_rank.atol_rtol_float",
    "aten.linalg_matrix_rank.atol_rtol_tensor",
    "aten.linalg_matrix_rank.tol_tensor",
    "aten.linalg_matrix_sqrth",
    "aten.linalg_pinv",
    "aten.linalg_pinv.atol_rtol_float",
    "aten.linalg_pinv.atol_rtol_tensor",
    "aten.linalg_qr",
    "aten.linalg_solve",
    "aten.linalg_svd",
    "aten.linalg_svdvals",
    "aten.linalg_tensorinv",
    "aten.linalg_tensorsolve",
    "aten.lu_solve",
    "aten.margin_ranking_loss",
    "aten.max_pool3d",
    "aten.max_unpool2d",
    "aten.max_unpool3d",
    "aten.mse_loss",
    "aten.multi_margin_loss",
    "aten.multilabel_margin_loss",
    "aten.multilabel_margin_loss_forward",
    "aten.nanquantile",
    "aten.nanquantile.scalar",
    "aten.nll_loss",
    "aten.nll_loss2d",
    "aten.nll_loss_nd",
    "aten.nuclear_norm",
    "aten.nuclear_norm.dim",
    "aten.orgqr",
    "aten.ormqr",
    "aten.pinverse",
    "aten.poisson_nll_loss",
    "aten.polar",
    "aten.prod",
    "aten.prod.dim_int",
    "aten.quantile",
    "aten.quantile.scalar",
    "aten.reflection_pad1d",
    "aten.reflection_pad2d",
    "aten.replication_pad1d",
    "aten.replication_pad2d",
    "aten.replication_pad3d",
    "aten.smooth_l1_loss",
    "aten.soft_margin_loss",
    "aten.stft",
    "aten.stft.center",
    "aten.svd",
    "aten.trace",
    "aten.triangular_solve",
    "aten.triplet_margin_loss",
    "aten.view_as_complex",
});

/// Operators that read all operands in the widest dtype among them.
constexpr auto kWidest = std::to_array<std::string_view>({
    "aten.cat",
    "aten.column_stack",
    "aten.concat",
    "aten.concatenate",
    "aten.dstack",
    "aten.hstack",
    "aten.index_copy",
    "aten.row_stack",
    "aten.stack",
    "aten.vstack",
});

bool is_listed(std::span<const std::string_view> list, std::string_view name) {
  return std::ranges::binary_search(list, name);
}

bool is_castable(Value value) {
  return value && value.is_tensor() && is_floating(value.tensor().dtype) &&
         value.tensor().dtype != DType::f64;
}

std::optional<DType> widest(const std::vector<Argument>& arguments) {
  std::optional<DType> dtype;
  for (const Argument& argument : arguments) {
    for (const Value value : argument.values()) {
      if (!is_castable(value)) continue;
      const DType own = value.tensor().dtype;
      dtype = dtype ? promote(*dtype, own) : own;
    }
  }
  return dtype;
}

// Trials must not leave symbols in the program.
class TrialSymbols : public ir::InferContext {
 public:
  explicit TrialSymbols(ir::Module& module) : module_(module) {}

  ir::Module& module() override { return module_; }

  Expr data_dependent(int /*ordinal*/, Interval range) override {
    return module_.fresh_symbol(range);
  }

 private:
  ir::Module& module_;
};

bool same_dtypes(std::span<const ir::ValueType> made, std::span<const ir::ValueType> recorded) {
  if (made.size() != recorded.size()) return false;
  for (size_t i = 0; i < made.size(); ++i) {
    const auto* given = std::get_if<TensorType>(&made[i]);
    const auto* wanted = std::get_if<TensorType>(&recorded[i]);
    if (given != nullptr && wanted != nullptr && given->dtype != wanted->dtype) return false;
  }
  return true;
}

bool explains(const ir::OpInfo& op, ir::Graph& graph, const std::vector<Argument>& arguments,
              std::span<const ir::ValueType> recorded) {
  TrialSymbols context(graph.module());
  // A trial node also has the omitted arguments.
  ir::Node* trial = graph.create_typed(op, arguments, {recorded.begin(), recorded.end()});
  bool same = false;
  try {
    same = same_dtypes(op.infer(op, trial->arguments(), context), recorded);
  } catch (const Error&) {
    same = false;  // The dtypes of operands differ, which a cast will resolve.
  }
  graph.erase(trial);
  return same;
}

Value cast_value(ir::Graph& graph, Value value, DType dtype) {
  if (!is_castable(value) || value.tensor().dtype == dtype) return value;
  return graph.create("aten._to_copy", {Argument(value), Argument(dtype)})->output();
}

std::vector<Argument> cast_all(ir::Graph& graph, const std::vector<Argument>& arguments,
                               std::optional<DType> dtype) {
  std::vector<Argument> made = arguments;
  if (!dtype) return made;
  for (Argument& argument : made) {
    if (argument.is_value()) {
      argument = Argument(cast_value(graph, argument.value(), *dtype));
    } else if (argument.is_value_list()) {
      std::vector<Value> values;
      for (const Value value : argument.values()) {
        values.push_back(cast_value(graph, value, *dtype));
      }
      argument = Argument(std::move(values));
    }
  }
  return made;
}

std::optional<DType> listed_dtype(const ir::OpInfo& op, DType lower,
                                  const std::vector<Argument>& arguments) {
  if (is_listed(kLower, op.name())) return lower;
  if (is_listed(kSingle, op.name())) return DType::f32;
  if (is_listed(kWidest, op.name())) return widest(arguments);
  return std::nullopt;
}

}  // namespace

Autocast::Autocast(const ir::OpInfo& op, const std::vector<Argument>& call) {
  const auto attribute = [&](std::string_view name) -> const ir::Attribute* {
    const Argument& argument = call.at(static_cast<size_t>(op.schema.find(name)));
    return argument.is_attribute() ? &argument.attribute() : nullptr;
  };
  const ir::Attribute* enabled = attribute("enabled");
  const auto* flag = enabled != nullptr ? std::get_if<Expr>(enabled) : nullptr;
  // The arguments are not bound yet, so a number may stand for a bool.
  if (flag == nullptr || !(flag->is(1) || *flag == Expr::boolean(true))) return;
  // The default dtype is the device's usual one.
  const ir::Attribute* device = attribute("device_type");
  const auto* type = device != nullptr ? std::get_if<std::string>(device) : nullptr;
  has_list_ = type == nullptr || *type == "cpu";
  dtype_ = has_list_ ? DType::bf16 : DType::f16;
  const ir::Attribute* stated = attribute("dtype");
  if (const auto* dtype = stated != nullptr ? std::get_if<DType>(stated) : nullptr) dtype_ = *dtype;
}

void Autocast::cast(const ir::OpInfo& op, ir::Graph& graph, std::vector<Argument>& arguments,
                    std::span<const ir::ValueType> recorded, bool& is_traced_uncast) const {
  if (!dtype_ || op.infer == nullptr) return;
  const std::optional<DType> listed =
      has_list_ ? listed_dtype(op, *dtype_, arguments) : std::nullopt;
  std::vector<Argument> by_list = cast_all(graph, arguments, listed);
  if (is_traced_uncast || explains(op, graph, by_list, recorded)) {
    arguments = std::move(by_list);
    return;
  }
  if (listed && explains(op, graph, arguments, recorded)) {
    // Every release lists products.
    if (!is_listed(kLower, op.name())) return;
    is_traced_uncast = true;
    arguments = std::move(by_list);
    return;
  }
  for (const std::optional<DType> dtype : {dtype_, std::optional(DType::f32), widest(arguments)}) {
    std::vector<Argument> cast = cast_all(graph, arguments, dtype);
    if (!explains(op, graph, cast, recorded)) continue;
    arguments = std::move(cast);
    return;
  }
  fail(ErrorCode::unsupported,
       "automatic mixed precision must be explained by casts of operands:", op.name());
}

}  // namespace litz::import_
