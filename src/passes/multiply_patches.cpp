// Writes convolutions of windows that do not overlap as products, on machines whose convolutions
// multiply channels.
//
//   %y = aten.convolution(%x, %w, %b, [16, 16], [0, 0], ...)    // %x: bf16[n, 3, 224, 224]
//     =>
//   %v = aten.view(%x, [n, 3, 14, 16, 14, 16])
//   %p = aten.permute(%v, [0, 2, 4, 1, 3, 5])
//   %r = aten.view(aten.clone(%p), [n, 14, 14, 768])
//   %l = aten.linear(%r, aten.view(%w, [768, 768]), %b)
//   %y = aten.permute(%l, [0, 3, 1, 2])                          // and restrided, if need be
//
// Requires:        functional form.
// Ensures:         no convolution of halves without groups is left whose windows are its steps. Sums
//                  are of the same products, in f32.
// Why it matters:  a library that multiplies few channels at a time wastes most of its units on the
//                  three of an image: patches of 16 x 16 take 340 us instead of 40.
// Cost:            one visit per convolution.

#include <string_view>
#include <utility>
#include <vector>

#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Attribute;
using ir::Node;
using ir::Value;

/// More channels fill the units as they are.
constexpr int64_t kMostChannels = 16;

bool are_all(const ir::Scalars& numbers, int64_t value) {
  for (const Expr number : numbers) {
    if (!number.is(value)) return false;
  }
  return true;
}

class Patches {
 public:
  explicit Patches(Node* call) : call_(call), graph_(call->graph()) {}

  bool are_patches() const {
    const TensorType& image = input().tensor();
    const TensorType& window = weight().tensor();
    if (!is_half(image.dtype) || image.rank() != 4 || !is_contiguous(image) ||
        !is_contiguous(window)) {
      return false;
    }
    const auto channels = window.sizes[1].maybe_constant();
    const bool is_plain = channels && *channels <= kMostChannels && call_->scalar("groups").is(1) &&
                          !call_->scalar("transposed").boolean_constant() &&
                          are_all(numbers("padding"), 0) && are_all(numbers("dilation"), 1);
    if (!is_plain) return false;
    const ir::Scalars& stride = numbers("stride");
    for (size_t i = 0; i < 2; ++i) {
      const Expr size = window.sizes[2 + i];
      const Expr step = stride[stride.size() == 1 ? 0 : i];
      if (!known_equal(step, size) || size.is(1) || !known_divisible(image.sizes[2 + i], size)) {
        return false;
      }
    }
    return true;
  }

  void rewrite() {
    const auto scope = graph_.insert_before(call_);
    const TensorType& image = input().tensor();
    const Sizes& window = weight().tensor().sizes;
    const Expr rows = clean_div(image.sizes[2], window[2]);
    const Expr columns = clean_div(image.sizes[3], window[3]);
    const Value parts = emit(
        "aten.view",
        {input(), sizes({image.sizes[0], image.sizes[1], rows, window[2], columns, window[3]})});
    const Value patches = emit("aten.permute", {parts, sizes({0, 2, 4, 1, 3, 5})});
    const Expr length = window[1] * window[2] * window[3];
    const Value dense = emit("aten.clone", {patches, Attribute(MemoryFormat::contiguous)});
    const Value lines = emit("aten.view", {dense, sizes({image.sizes[0], rows, columns, length})});
    const Value matrix = emit("aten.view", {weight(), sizes({window[0], length})});
    std::vector<Argument> operands{lines, matrix};
    if (call_->argument("bias").is_value()) operands.emplace_back(call_->argument("bias").value());
    const Value product = emit("aten.linear", std::move(operands));
    Value result = emit("aten.permute", {product, sizes({0, 3, 1, 2})});
    const TensorType& wanted = call_->output().tensor();
    if (!same_layout(result.tensor(), wanted)) {
      result = create_typed(graph_, "litz.restride", {result, Attribute(wanted.strides)}, wanted);
    }
    graph_.replace_uses(call_->output(), result);
    graph_.erase_if_unused(call_);
  }

 private:
  const ir::Scalars& numbers(std::string_view name) const {
    return std::get<ir::Scalars>(call_->argument(name).attribute());
  }

  Value input() const { return call_->argument("input").value(); }

  Value weight() const { return call_->argument("weight").value(); }

  Value emit(const char* op, std::vector<Argument> arguments) {
    return graph_.create(op, std::move(arguments))->output();
  }

  static Argument sizes(ir::Scalars numbers) { return Attribute(std::move(numbers)); }

  Node* call_;
  ir::Graph& graph_;
};

}  // namespace

Changed multiply_patches(ir::Graph& graph, PassContext& context) {
  Changed changed = Changed::no;
  if (context.machine.layouts.converted == 0) return changed;
  for (Node* call : graph.in_order("aten.convolution")) {
    Patches patches(call);
    if (!patches.are_patches() || !context.may_rewrite()) continue;
    patches.rewrite();
    changed = Changed::yes;
  }
  return changed;
}

}  // namespace litz::passes
