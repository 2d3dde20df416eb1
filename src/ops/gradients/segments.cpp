// Gradients of reductions over segments, which lengths or offsets describe.

#include <array>
#include <string>

#include "ops/gradients/families.h"

namespace litz::ops {
namespace {

// The elements of a segment read what belongs to it.
struct Segments {
  Term data;
  Term lengths;
  int64_t axis;
  Term segment;  // By element, in the shape of the data.
  Term is_inside;

  explicit Segments(const GradientCall& call) : data(call["data"]) {
    const bool has_lengths = call.has("lengths");
    const Term bounds = call[has_lengths ? "lengths" : "offsets"];
    axis = static_cast<int64_t>(bounds.rank()) - 1;
    lengths = has_lengths ? bounds : aten("diff", {bounds});
    const Term ends = has_lengths ? aten("cumsum", {bounds, axis})
                                  : narrow(bounds, axis, 1, bounds.sizes().back() - 1);
    Sizes sizes(data.sizes().begin(), data.sizes().begin() + axis + 1);
    const Term at = aten("clone", {expand(range_like(data, sizes.back()), sizes)});
    const ir::Argument to_right = Expr::boolean(true);
    const Term found =
        aten("searchsorted.Tensor", {aten("clone", {ends}), at, Expr::boolean(false), to_right});
    const Expr count = ends.sizes().back();
    Sizes shape = sizes;
    shape.resize(data.rank(), Expr(1));
    is_inside = reshape(found < Term(count), shape);
    const Term last = aten("clamp_max", {found, count - 1});
    segment = expand(reshape(last, shape), data.sizes());
  }

  Term spread(const Term& by_segment) const { return aten("gather", {by_segment, axis, segment}); }

  Term in_shape(const Term& by_segment, const Term& like) const {
    Sizes shape = by_segment.sizes();
    shape.resize(like.rank(), Expr(1));
    return expand(reshape(by_segment, shape), like.sizes());
  }
};

Term reduced(const GradientCall& call, const Term& data, const char* kind) {
  return aten("segment_reduce",
              {data, std::string(kind), call.pass("lengths"), call.pass("indices"),
               call.pass("offsets"), call.pass("axis"), call.pass("unsafe")});
}

// A single zero gets the product of the others.
Term product_slope(const GradientCall& call, const Segments& of, const Term& grad) {
  const Term is_zero = of.data == 0;
  const Term zeros = of.spread(reduced(call, to(is_zero, of.data.dtype()), "sum"));
  const Term is_single = is_zero & (zeros == 1);
  const Term others =
      aten("segment_reduce", {where(is_single, 1, of.data), std::string("prod"),
                              call.pass("lengths"), call.pass("indices"), call.pass("offsets"),
                              call.pass("axis"), call.pass("unsafe"), call.pass("initial")});
  const Term plain = of.spread(call.result()) / where(is_zero, 1, of.data);
  return grad * where(is_single, of.spread(others), plain);
}

void segment_reduce(GradientCall& call) {
  const Segments of(call);
  const Term grad = of.spread(call.grad());
  const std::string_view kind = call.str("reduce");
  Term slope = grad;
  if (kind == "mean") {
    slope = grad / of.spread(of.in_shape(of.lengths, call.grad()));
  } else if (kind == "max" || kind == "min") {
    const Term is_chosen = of.data == of.spread(call.result());
    const Term count = reduced(call, to(is_chosen, of.data.dtype()), "sum");
    slope = where(is_chosen, grad / of.spread(count), 0);
  } else if (kind == "prod") {
    slope = product_slope(call, of, grad);
  }
  call.give("data", where(of.is_inside, slope, 0));
}

constexpr std::array kGradients{
    Gradient{"aten.segment_reduce", segment_reduce},
};

}  // namespace

std::span<const Gradient> segment_gradients() { return kGradients; }

}  // namespace litz::ops
