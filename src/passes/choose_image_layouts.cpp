// Gives images inside a program the layout that makes its convolutions faster.
//
//   %a = aten.convolution(%x, ...) : f32[1, 64, 56, 56]{200704, 1, 3584, 64}
//   %r = aten.relu(%a) : f32[1, 64, 56, 56]{200704, 1, 3584, 64}
//   %b = aten.convolution(%r, ...)
// =>
//   %a = aten.convolution(%x, ...) : f32[1, 64, 56, 56]
//   %r = aten.relu(%a) : f32[1, 64, 56, 56]
//   %b = aten.convolution(%r, ...)
//
// A program that was exported with channels innermost stores every image so. Convolutions with
// windows unfold images row by row, which is much faster if rows are dense; those without windows
// accept either layout; pooling is faster with channels innermost. Images that loop nests and
// convolutions connect form a set, whose layout is chosen by the moves that either layout costs.
//
// Machines whose convolutions of halves multiply channels want the opposite. There whole planes
// become images with channels innermost, and a convolution gets all its operands so:
//
//   %x = litz.restride(%image, [150528, 1, 672, 3])
//   %w = litz.restride(%weight, [147, 1, 21, 3])           // computed ahead
//   %a = aten.convolution(%x, %w, ...) : bf16[1, 64, 112, 112]{802816, 1, 7168, 64}
//
// Requires:        functional form.
// Ensures:         images of a set all have the layout or are all unchanged, except those that the
//                  caller, a view that needs the order, or a child graph sees. Loop nests sum over
//                  an image in the order of its memory, so their rounding may differ; everything
//                  else stays equal bit for bit: a convolution without windows that is a thin
//                  product sums in the order of its operand's layout, so that image stays.
// Why it matters:  see docs/performance.md, images with channels innermost.
// Cost:            one visit per node; sets are joined in almost constant time.

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "expr/estimate.h"
#include "passes/constant_values.h"
#include "passes/layout_change.h"
#include "passes/storage_versions.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Value;

double elements(const TensorType& type) {
  double count = 1;
  for (const Expr size : type.sizes) count *= estimate(size);
  return count;
}

bool is_pool(const Node& node) { return node.op().name().find("_pool") != std::string_view::npos; }

class ImageLayouts {
 public:
  ImageLayouts(ir::Graph& graph, PassContext& context)
      : graph_(graph),
        context_(context),
        prices_(context.machine.layouts),
        wants_channels_(prices_.converted > 0),
        costs_(graph, context, Sums::reorder) {}

  bool run() {
    const std::vector<Node*> convolutions = graph_.in_order("aten.convolution");
    if (wants_channels_ && convolutions.empty()) return false;
    for (Node* node = graph_.first(); node != nullptr; node = node->next()) find_images(*node);
    bool changed = choose();
    if (!wants_channels_) return changed;
    for (Node* node : convolutions) changed = align(*node) || changed;
    return changed;
  }

 private:
  // Restates the sets that gain by it.
  bool choose() {
    if (images_.empty()) return false;
    sets_.resize(images_.size());
    std::iota(sets_.begin(), sets_.end(), size_t{0});
    gains_.resize(images_.size());
    for (Node* node = graph_.first(); node != nullptr; node = node->next()) join(*node);
    for (Node* node = graph_.first(); node != nullptr; node = node->next()) weigh(*node);
    std::vector<double> gains(images_.size());
    for (size_t i = 0; i < images_.size(); ++i) gains[set_of(i)] += gains_[i];
    bool changed = false;
    for (size_t i = 0; i < images_.size(); ++i) {
      if (gains[set_of(i)] > 0) changed = restate(images_[i]) || changed;
    }
    return changed;
  }

  bool has_other_layout(const TensorType& type) const {
    if (!wants_channels_) return has_channels_innermost(type);
    return type.rank() == 4 && is_contiguous(type) && has_channels_innermost(wanted(type));
  }

  TensorType wanted(TensorType type) const {
    type.strides = wants_channels_ ? strides_for(MemoryFormat::channels_last, type.sizes)
                                   : contiguous_strides(type.sizes);
    return type;
  }

  // Collects results that can have the layout that their types state.
  void find_images(const Node& node) {
    if (is_view(node)) return;
    for (const Value output : node.outputs()) {
      if (!output.is_tensor() || !has_other_layout(output.tensor())) continue;
      if (costs_.writing(output, output.tensor(), wanted(output.tensor())) == kNever) continue;
      index_of_.emplace(output.data(), images_.size());
      images_.push_back(output);
    }
  }

  // Null for a value that is not one of the program's internal images.
  const size_t* image(Value value) const {
    const auto found = index_of_.find(value.data());
    return found != index_of_.end() ? &found->second : nullptr;
  }

  size_t set_of(size_t image) {
    while (sets_[image] != image) image = sets_[image] = sets_[sets_[image]];
    return image;
  }

  void join(const Node& node) {
    if (is_view(node)) return;
    const size_t* first = nullptr;
    const auto add = [&](Value value) {
      const size_t* const own = image(value);
      if (own == nullptr) return;
      if (first == nullptr) {
        first = own;
      } else {
        sets_[set_of(*own)] = set_of(*first);
      }
    };
    for (size_t i = 0; i < node.input_count(); ++i) add(node.input(i));
    for (const Value output : node.outputs()) add(output);
  }

  // What a node gains if the images that it reads and writes have the layout.
  void weigh(Node& node) {
    if (node.is("aten.convolution")) {
      return wants_channels_ ? weigh_conversions(node) : weigh_convolution(node);
    }
    if (is_view(node)) return;
    const auto borders = [&](Value value) {
      if (!value.is_tensor() || image(value) != nullptr) return;
      if (has_other_layout(value.tensor())) {
        charge(node, -prices_.across * elements(value.tensor()));
      }
    };
    for (size_t i = 0; i < node.input_count(); ++i) {
      borders(node.input(i));
      if (is_pool(node) && !wants_channels_ && image(node.input(i)) != nullptr) {
        charge(node, -prices_.pooled_rows * elements(node.input(i).tensor()));
      }
    }
    for (const Value output : node.outputs()) borders(output);
  }

  void weigh_convolution(Node& node) {
    const Value input = node.argument("input").value();
    const TensorType& weight = node.argument("weight").value().tensor();
    const TensorType& result = node.output().tensor();
    double window = 1;
    for (size_t i = 2; i < weight.rank(); ++i) window *= estimate(weight.sizes[i]);
    double gain = 0;
    if (weight.sizes[1].is(1) && !input.tensor().sizes[1].is(1)) {
      if (image(input) != nullptr) gain += prices_.scattered_plane * elements(input.tensor());
      if (image(node.output()) != nullptr) gain += prices_.scattered_plane * elements(result);
    } else if (window > 1) {
      const double channels = estimate(weight.sizes[1]);
      const double positions = elements(result) / std::max(estimate(weight.sizes[0]), 1.0);
      if (image(input) != nullptr) gain += prices_.scattered_window * positions * channels * window;
    }
    charge(node, gain);
  }

  // A convolution of halves converts images of planes itself; one without groups gains by channels.
  void weigh_conversions(Node& node) {
    const TensorType& weight = node.argument("weight").value().tensor();
    if (!is_half(weight.dtype) || !node.scalar("groups").is(1)) return;
    double gain = 0;
    for (const Value value : {node.argument("input").value(), node.output()}) {
      if (image(value) != nullptr) gain += prices_.converted * elements(value.tensor());
    }
    const bool is_known = constants_.contains(node.argument("weight").value());
    charge(node, is_known ? gain : gain - 2 * elements(weight));
  }

  // Gives a convolution of halves all its operands with channels innermost if one of them is.
  bool align(Node& node) {
    const Value input = node.argument("input").value();
    const Value weight = node.argument("weight").value();
    const Value result = node.output();
    const bool is_mixed =
        is_half(input.tensor().dtype) && input.tensor().rank() == 4 &&
        (has_channels_innermost(input.tensor()) || has_channels_innermost(result.tensor()));
    if (!is_mixed) return false;
    bool changed = false;
    for (const auto& [name, operand] : {std::pair("input", input), std::pair("weight", weight)}) {
      if (!has_other_layout(operand.tensor()) || !context_.may_rewrite()) continue;
      const auto scope = graph_.insert_before(&node);
      graph_.set_argument(&node, name, restrided(operand, wanted(operand.tensor())));
      changed = true;
    }
    if (!has_other_layout(result.tensor()) || !context_.may_rewrite()) return changed;
    const TensorType channels = wanted(result.tensor());
    TensorType planes = channels;
    planes.strides = contiguous_strides(planes.sizes);
    const auto scope = graph_.insert_after(&node);
    graph_.set_type(result, channels);
    graph_.replace_uses(result, restrided(result, planes));
    return true;
  }

  Value restrided(Value value, const TensorType& type) {
    return create_typed(graph_, "litz.restride", {value, ir::Attribute(type.strides)}, type);
  }

  // Charges any image of the node, since all of them are in one set.
  void charge(const Node& node, double gain) {
    for (size_t i = 0; i < node.input_count(); ++i) {
      if (const size_t* own = image(node.input(i))) return void(gains_[*own] += gain);
    }
    for (const Value output : node.outputs()) {
      if (const size_t* own = image(output)) return void(gains_[*own] += gain);
    }
  }

  bool restate(Value value) {
    LayoutChange change(costs_);
    if (!change.restate(value, wanted(value.tensor())) || !context_.may_rewrite()) return false;
    change.keep();
    return true;
  }

  ir::Graph& graph_;
  PassContext& context_;
  const machine::LayoutPrices& prices_;
  bool wants_channels_;
  LayoutCosts costs_;
  ConstantValues constants_{graph_, context_};
  std::vector<Value> images_;
  std::map<const ir::ValueData*, size_t> index_of_;  // For lookup only.
  std::vector<size_t> sets_;                         // Union-find over images.
  std::vector<double> gains_;
};

}  // namespace

Changed choose_image_layouts(ir::Graph& graph, PassContext& context) {
  return ImageLayouts(graph, context).run() ? Changed::yes : Changed::no;
}

}  // namespace litz::passes
