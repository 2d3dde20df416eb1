// Computes at compile time what depends only on weights and literals.
//
//   %t = aten.clone(%w)                     // %w: a parameter
//   %y = aten.mm(%x, %t)             =>     %y = aten.mm(%x, %folded)   // a new constant
//
// Requires:        functional form; an evaluator; a program with its weights.
// Ensures:         no pure node of constant sizes depends only on literals and on weights that are
//                  never written, except views, fills (including values found to be uniform), and
//                  results that are clearly larger than both their sources and kSmallResult.
// Why it matters:  masks, position tables, casts and transposed copies of weights cost every call.
// Cost:            one visit per node, and computing what is folded.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "ir/names.h"
#include "passes/constant_values.h"
#include "passes/storage_versions.h"
#include "passes/value_facts.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Value;

// Trades memory for time: a result that is larger than its operands (a mask, an expanded weight)
// occupies memory as long as the program is loaded; up to this size that is worth a computation per
// call.
constexpr int64_t kSmallResult = int64_t{1} << 20;

int64_t bytes_of(const TensorType& type) {
  const std::optional<int64_t> count = type.numel().maybe_constant();
  const int64_t item = item_size(type.dtype);
  if (!count || *count > std::numeric_limits<int64_t>::max() / item) {
    return std::numeric_limits<int64_t>::max();
  }
  return *count * item;
}

// The number that all elements equal, if any: a fill tells later passes more than its elements do.
std::optional<Expr> uniform_element(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (tensor.numel() == 0 || is_complex(dtype)) return std::nullopt;
  const Tensor dense = tensor.contiguous();
  const auto item = static_cast<size_t>(item_size(dtype));
  const auto bytes = static_cast<size_t>(dense.numel()) * item;
  // Every element equals the one before it.
  if (std::memcmp(dense.data(), dense.data() + item, bytes - item) != 0) return std::nullopt;
  const Tensor first = dense.view({}, {}, dense.offset());
  if (dtype == DType::bool_) return Expr::boolean(first.int_at({}) != 0);
  if (is_integer(dtype)) {
    if (dtype == DType::u64) return std::nullopt;
    return Expr(first.int_at({}));
  }
  const double value = first.at({});
  if (std::isnan(value)) return std::nullopt;
  return Expr::real(value);
}

class Folding {
 public:
  Folding(ir::Graph& graph, PassContext& context)
      : graph_(graph), context_(context), constants_(graph, context) {}

  bool run() {
    weigh_sources();
    choose();
    if (chosen_.empty()) return false;
    replace(evaluate_constants(graph_, context_, chosen_));
    return true;
  }

 private:
  // The total size of the weights that a constant value is computed from.
  int64_t source_bytes(Value value) const {
    const auto found = source_bytes_.find(value.data());
    return found == source_bytes_.end() ? 0 : found->second;
  }

  void weigh_sources() {
    for (const Value input : graph_.inputs()) {
      if (constants_.contains(input)) source_bytes_[input.data()] = bytes_of(input.tensor());
    }
    for (const Node* node = graph_.first(); node != nullptr; node = node->next()) {
      if (node->output_count() == 0 || !constants_.contains(node->output())) continue;
      const bool joins = node->is("aten.cat");
      int64_t bytes = 0;
      for (size_t i = 0; i < node->input_count(); ++i) {
        const int64_t part = source_bytes(node->input(i));
        bytes = joins ? bytes + std::min(part, int64_t{1} << 50) : std::max(bytes, part);
      }
      for (const Value output : node->outputs()) source_bytes_[output.data()] = bytes;
    }
  }

  bool stays(const Node& node) const {
    if (is_view(node) || is_fill(node)) return true;
    for (const Value output : node.outputs()) {
      const int64_t bytes = bytes_of(output.tensor());
      // Some padding is no expansion.
      const int64_t source = source_bytes(output);
      if (bytes > std::max(kSmallResult, source + source / 64)) return true;
    }
    return false;
  }

  // Walks backwards: folds constant values that other nodes read, and leaves the reads of the rest.
  void choose() {
    std::unordered_set<const ir::ValueData*> read;
    const auto read_operands = [&](const Node& node) {
      for (size_t i = 0; i < node.input_count(); ++i) read.insert(node.input(i).data());
    };
    read_operands(*graph_.return_node());
    for (Node* node = graph_.last(); node != nullptr; node = node->prev()) {
      const bool constant = node->output_count() > 0 && constants_.contains(node->output());
      std::vector<Value> wanted;
      for (const Value output : node->outputs()) {
        if (read.contains(output.data())) wanted.push_back(output);
      }
      if (constant && wanted.empty()) continue;
      if (!constant || stays(*node) || !context_.may_rewrite()) {
        read_operands(*node);
        continue;
      }
      chosen_.insert(chosen_.end(), wanted.begin(), wanted.end());
    }
    std::ranges::reverse(chosen_);
  }

  void replace(std::vector<Tensor> results) {
    for (size_t k = 0; k < chosen_.size(); ++k) {
      const Value value = chosen_[k];
      TensorType type = value.tensor();
      type.offset = 0;
      std::vector<int64_t> strides;
      for (const Expr stride : type.strides) strides.push_back(stride.constant());
      Tensor& data = results[k];
      if (data.strides() != strides || data.offset() != 0) data = data.clone(strides);
      const std::optional<Expr> uniform = uniform_element(data);
      const Value folded = uniform ? fill(value, type, *uniform) : constant(value, type, data);
      graph_.replace_uses(value, folded);
    }
    for (size_t k = chosen_.size(); k-- > 0;) {
      Node* node = chosen_[k].producer();
      if (!node->is_erased()) graph_.erase_if_unused(node);
    }
  }

  Value fill(Value value, const TensorType& type, Expr number) {
    const auto scope = graph_.insert_before(value.producer());
    return create_typed(graph_, "aten.full",
                        {ir::Argument(ir::Scalars(type.sizes)),
                         ir::Argument(number),
                         ir::Argument(type.dtype),
                         {},
                         ir::Argument(ir::Attribute(type.device))},
                        type);
  }

  Value constant(Value value, const TensorType& type, Tensor data) {
    const std::string name =
        value.name().empty() ? ir::default_name(value.producer()->op()) : value.name();
    const Value input = graph_.add_input("folded_" + name, type);
    ir::InputSpec spec;
    spec.kind = ir::InputKind::constant;
    spec.target = input.name();
    spec.data = std::move(data);
    context_.program->inputs.push_back(std::move(spec));
    return input;
  }

  ir::Graph& graph_;
  PassContext& context_;
  const ConstantValues constants_;
  // For lookup only, since its order is not deterministic.
  std::unordered_map<const ir::ValueData*, int64_t> source_bytes_;
  std::vector<Value> chosen_;
};

}  // namespace

Changed fold_constants(ir::Graph& graph, PassContext& context) {
  const bool is_main = context.program != nullptr && &context.program->graph() == &graph;
  if (!is_main || !context.evaluate) return Changed::no;
  Changed changed = Changed::no;
  // A folded value is itself a source: a result too large for its old sources may fit it.
  while (Folding(graph, context).run()) changed = Changed::yes;
  return changed;
}

}  // namespace litz::passes
