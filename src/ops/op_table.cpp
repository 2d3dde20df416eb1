#include "ops/op_table.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "ops/families/families.h"
#include "ops/families/random_families.h"
#include "ops/families/training_families.h"
#include "ops/held_numbers.h"
#include "ops/out_forms.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::ops {
namespace {

using ir::Trait;

// The type of all OpInfos in this table.
struct Entry : ir::OpInfo {
  const Entry* updating = nullptr;
};

struct TraitsOf {
  Trait operator()(const Pointwise&) const { return Trait::pointwise; }

  Trait operator()(const Reduction&) const { return Trait::reduction; }

  Trait operator()(const LoopNest&) const { return Trait::none; }

  Trait operator()(const Decompose&) const { return Trait::none; }

  Trait operator()(const Library&) const { return Trait::library; }

  Trait operator()(const View&) const { return Trait::view; }

  Trait operator()(const Structural&) const { return Trait::none; }
};

void require_sizes_of(const Types& types) {
  for (const ir::ValueType& type : types) {
    const auto* tensor = std::get_if<TensorType>(&type);
    if (tensor == nullptr) continue;
    const bool has_negative = std::ranges::any_of(
        tensor->sizes, [](const Expr& size) { return known_less(size, Expr(0)); });
    require(!has_negative, "sizes must not be negative:", *tensor);
  }
}

void require_numbers_fit(const Call& call, const OpDef& op, const Types& types) {
  const auto* tensor = types.empty() ? nullptr : std::get_if<TensorType>(&types[0]);
  if (tensor == nullptr) return;
  if (op.fills_with.empty()) {
    require_all_held(call, op.held, tensor->dtype);
  } else {
    require_all_filled(call, op.held, *tensor);
  }
  require_all_held(call, op.held_wide, compute_dtype(tensor->dtype));
}

Types infer(const ir::OpInfo& op, std::span<const ir::Argument> arguments,
            ir::InferContext& context) {
  const Call call(op, arguments, &context);
  try {
    Types types = definition(op).meta(call);
    require_sizes_of(types);
    require_numbers_fit(call, definition(op), types);
    return types;
  } catch (Error& error) {
    error.add_note("while inferring the results of " + std::string(op.name()));
    throw;
  }
}

// A written tensor keeps its type: it needs the result's shape and a compatible dtype.
void require_fits(const Call& call, const ir::ValueType& result, const TensorType& written) {
  const ir::OpInfo& op = call.op();
  const auto* tensor = std::get_if<TensorType>(&result);
  if (tensor == nullptr) return;
  bool fits = tensor->sizes.size() == written.sizes.size();
  for (size_t i = 0; fits && i < written.sizes.size(); ++i) {
    fits = !known_not_equal(tensor->sizes[i], written.sizes[i]);
  }
  require(fits, "an in-place result must have the shape of what it writes:", op.name(), *tensor,
          written);
  const bool states_dtype = op.schema.find("dtype") >= 0;
  const std::optional<DType> stated = states_dtype ? call.dtype() : std::nullopt;
  const bool is_in_place = !op.schema.arguments.empty() && op.schema.arguments[0].mutated;
  require(!is_in_place || !definition(op).inplace_exact || tensor->dtype == written.dtype,
          "an in-place result must have the dtype of what it writes:", op.name(),
          name(tensor->dtype), name(written.dtype));
  require(!is_in_place || !stated || *stated == written.dtype,
          "an in-place result must have the stated dtype:", op.name(), name(written.dtype));
  require(category(tensor->dtype) <= category(written.dtype),
          "an in-place result must be castable to what it writes:", op.name(), name(tensor->dtype),
          name(written.dtype));
}

// An in-place form keeps the type of the written tensor; the functional form gives the new
// contents.
Types infer_in_place(const ir::OpInfo& op, std::span<const ir::Argument> arguments,
                     ir::InferContext& context) {
  Types types = infer(*functional_form(op), arguments, context);
  const Call call(op, arguments, &context);
  const std::string& name = op.schema.arguments[0].name;
  if (op.schema.returns.empty()) {
    const std::vector<TensorType> written = call.types(name);
    for (size_t i = 0; i < written.size(); ++i) require_fits(call, types[i], written[i]);
    return {};
  }
  require_fits(call, types[0], call.type(name));
  types[0] = call.type(name);
  return types;
}

// Results go to given tensors; the plain operator decides which types fit.
Types infer_out(const ir::OpInfo& op, std::span<const ir::Argument> arguments,
                ir::InferContext& context) {
  const ir::OpInfo& plain = *functional_form(op);
  const std::vector<ir::Argument> given = plain_arguments(op, plain, arguments);
  const Types results = infer(plain, given, context);
  const Call call(op, arguments, &context);
  Types types;
  const size_t first = op.schema.arguments.size() - results.size();
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorType& written = call.type(op.schema.arguments[first + i].name);
    require_fits(call, results[i], written);
    types.emplace_back(written);
  }
  return types;
}

// aten.add.Tensor -> aten.add_.Tensor, aten.relu -> aten.relu_
std::string in_place_name(std::string_view name) {
  const size_t word = name.find('.') + 1;
  const size_t end = std::min(name.find('.', word), name.size());
  return std::string(name.substr(0, end)) + "_" + std::string(name.substr(end));
}

void add_functional(std::deque<Entry>& entries, const OpDef& op) {
  Entry& entry = entries.emplace_back();
  entry.schema = ir::parse_schema(op.schema.text());
  entry.traits = std::visit(TraitsOf{}, op.impl) | op.traits;
  entry.infer = infer;
  entry.definition = &op;
}

void add_in_place(std::deque<Entry>& entries, const OpDef& op) {
  Entry& functional = entries.back();
  Entry& entry = entries.emplace_back(functional);
  entry.functional = &functional;
  if (op.updates_self) functional.updating = &entry;
  entry.infer = infer_in_place;
  entry.schema.name = op.inplace_name.empty() ? in_place_name(functional.schema.name)
                                              : std::string(op.inplace_name);
  check(!entry.schema.arguments.empty() && !entry.schema.returns.empty(),
        "an operator with an in-place form has an argument and a result:", entry.schema.name);
  entry.schema.arguments[0].mutated = true;
  entry.schema.arguments[0].alias = 'a';
  // Forms that write lists return nothing.
  if (entry.schema.arguments[0].kind == ir::ArgKind::tensor_list) {
    entry.schema.returns.clear();
  } else {
    entry.schema.returns[0].mutated = true;
    entry.schema.returns[0].alias = 'a';
  }
  check(!std::holds_alternative<View>(op.impl), "views have no in-place form:", entry.schema.name);
}

}  // namespace

Types Meta::operator()(const Call& call) const {
  if (many_ != nullptr) return many_(call);
  check(one_ != nullptr, "an operator must have a meta:", call.op().name());
  return {one_(call)};
}

struct OpTable::Impl {
  std::deque<Entry> entries;              // Stable addresses.
  std::vector<const ir::OpInfo*> sorted;  // By name.

  // `out` forms are rarely used and nearly as many as the operators, so each is created at its
  // first use.
  std::mutex out_mutex;
  std::map<std::string, Entry, std::less<>> out_forms;

  const Entry* find(std::string_view name) const;
  const Entry* find_out(std::string_view name);
};

const Entry* OpTable::Impl::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(sorted, name, {}, &ir::OpInfo::name);
  return found != sorted.end() && (*found)->name() == name ? static_cast<const Entry*>(*found)
                                                           : nullptr;
}

const Entry* OpTable::Impl::find_out(std::string_view name) {
  const std::vector<std::string> plain_ones = plain_names(name);
  if (plain_ones.empty()) return nullptr;
  const std::lock_guard lock(out_mutex);
  if (const auto known = out_forms.find(name); known != out_forms.end()) return &known->second;
  for (const std::string& plain_name : plain_ones) {
    const Entry* plain = find(plain_name);
    if (plain == nullptr) continue;
    std::optional<ir::Schema> schema = out_schema(name, *plain);
    if (!schema) continue;
    Entry entry = *plain;
    entry.functional = plain;
    entry.updating = nullptr;
    entry.infer = infer_out;
    entry.schema = std::move(*schema);
    return &out_forms.emplace(std::string(name), std::move(entry)).first->second;
  }
  return nullptr;
}

OpTable::OpTable(std::span<const std::span<const OpDef>> families)
    : impl_(std::make_unique<Impl>()) {
  for (const std::span<const OpDef> family : families) {
    for (const OpDef& op : family) {
      add_functional(impl_->entries, op);
      if (op.inplace) add_in_place(impl_->entries, op);
    }
  }
  for (const Entry& entry : impl_->entries) impl_->sorted.push_back(&entry);
  std::ranges::sort(impl_->sorted, {}, &ir::OpInfo::name);
  const auto twice = std::ranges::adjacent_find(impl_->sorted, {}, &ir::OpInfo::name);
  if (twice != impl_->sorted.end()) {
    fail(ErrorCode::internal, "an operator must be defined once:", (*twice)->name());
  }
}

OpTable::~OpTable() = default;

const ir::OpInfo* OpTable::find(std::string_view name) const {
  const Entry* found = impl_->find(name);
  return found != nullptr ? found : impl_->find_out(name);
}

std::vector<std::string> OpTable::suggestions(std::string_view name) const {
  constexpr size_t kMost = 3;
  // A third of the letters without "aten." may differ: more distant suggestions would confuse.
  const size_t dot = name.find('.');
  const size_t letters = dot == std::string_view::npos ? name.size() : name.size() - dot - 1;
  const size_t limit = std::max<size_t>(1, letters / 3);
  std::vector<std::pair<size_t, std::string_view>> near;
  for (const ir::OpInfo* op : impl_->sorted) {
    size_t distance = edit_distance(name, op->name());
    // Another overload of the same operator is the best suggestion.
    if (op->name().starts_with(name)) distance = 0;
    if (distance <= limit) near.emplace_back(distance, op->name());
  }
  std::ranges::sort(near);
  std::vector<std::string> names;
  for (const auto& [distance, text] : near) {
    if (names.size() < kMost) names.emplace_back(text);
  }
  return names;
}

std::span<const ir::OpInfo* const> OpTable::all() const { return impl_->sorted; }

std::shared_ptr<const OpTable> standard_ops() {
  // One family per line, sorted.
  // clang-format off
  const std::span<const OpDef> families[] = {
      activation_ops(),
      activation_backward_ops(),
      adaptive_pooling_ops(),
      arg_reduction_ops(),
      arithmetic_ops(),
      attention_ops(),
      batch_dim_ops(),
      batch_norm_update_ops(),
      bessel_ops(),
      bitwise_ops(),
      block_quantization_ops(),
      choice_ops(),
      class_loss_ops(),
      collective_ops(),
      comparison_ops(),
      complex_ops(),
      contraction_ops(),
      control_ops(),
      convolution_ops(),
      convolution_backward_ops(),
      copy_ops(),
      counting_ops(),
      creation_ops(),
      ctc_loss_ops(),
      deformable_ops(),
      detection_ops(),
      diagonal_ops(),
      distance_ops(),
      distance_backward_ops(),
      division_ops(),
      dropout_ops(),
      einsum_ops(),
      elementary_ops(),
      embedding_bag_ops(),
      embedding_bag_backward_ops(),
      fake_quantize_ops(),
      floating_parts_ops(),
      foreach_ops(),
      fourier_ops(),
      fused_attention_ops(),
      gradient_ops(),
      grid_sampling_backward_ops(),
      grid_sampling_ops(),
      histogram_ops(),
      index_ops(),
      layer_ops(),
      linalg_ops(),
      linalg_variant_ops(),
      loss_ops(),
      loss_backward_ops(),
      masked_index_ops(),
      masked_softmax_ops(),
      matmul_ops(),
      matrix_function_ops(),
      normalization_ops(),
      normalization_backward_ops(),
      observed_quantize_ops(),
      other_name_ops(),
      packed_product_ops(),
      padding_backward_ops(),
      patches_ops(),
      polynomial_ops(),
      pooling_backward_ops(),
      pooling_ops(),
      quantile_ops(),
      quantized_ops(),
      random_ops(),
      randomized_relu_ops(),
      rearrange_ops(),
      recurrent_ops(),
      recurrent_cell_ops(),
      reduction_ops(),
      resample_backward_ops(),
      resample_ops(),
      reshape_ops(),
      resize_ops(),
      sampling_ops(),
      scan_ops(),
      scatter_ops(),
      segment_ops(),
      softmax_backward_ops(),
      sort_ops(),
      special_ops(),
      stft_ops(),
      symbolic_ops(),
      view_backward_ops(),
      view_copy_ops(),
      view_ops(),
      window_ops(),
  };
  // clang-format on
  return std::make_shared<const OpTable>(families);
}

const OpDef& definition(const ir::OpInfo& op) {
  check(op.definition != nullptr, "an operator of the table has a definition:", op.name());
  return *static_cast<const OpDef*>(op.definition);
}

const ir::OpInfo* functional_form(const ir::OpInfo& op) { return op.functional; }

std::vector<ir::Argument> functional_arguments(const ir::OpInfo& op,
                                               std::span<const ir::Argument> arguments) {
  const ir::OpInfo* functional = functional_form(op);
  if (functional == nullptr || op.infer != infer_out) return {arguments.begin(), arguments.end()};
  return plain_arguments(op, *functional, arguments);
}

const ir::OpInfo* updating_form(const ir::OpInfo& op) {
  // A table created every OpInfo that has a definition.
  return op.definition == nullptr ? nullptr : static_cast<const Entry&>(op).updating;
}

}  // namespace litz::ops
