// Gradients of reads and writes by index.

#include <array>

#include "ops/gradients/families.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::Argument;

Term gather_from(const Term& x, GradientCall& call) {
  return aten("gather", {x, call.pass("dim"), call.pass("index")});
}

// An index may be smaller than the source, whose other elements are not used.
Term as_large_as(const Term& part, const Term& source) {
  if (part.rank() == 0 || same_sizes(part.sizes(), source.sizes())) return part;
  Sizes pad;
  for (size_t d = part.rank(); d-- > 0;) {
    pad.emplace_back(0);
    pad.push_back(source.sizes()[d] - part.sizes()[d]);
  }
  return aten("constant_pad_nd", {part, pad});
}

Term used_part(const Term& source, const Term& index) {
  Term part = source;
  for (size_t d = 0; d < source.rank() && index.rank() == source.rank(); ++d) {
    if (known_equal(source.sizes()[d], index.sizes()[d])) continue;
    part = narrow(part, static_cast<int64_t>(d), 0, index.sizes()[d]);
  }
  return part;
}

void embedding(GradientCall& call) {
  const Term weight = call["weight"];
  call.give("weight", aten("embedding_dense_backward",
                           {call.grad(), call["indices"], weight.sizes()[0],
                            call.pass("padding_idx"), call.pass("scale_grad_by_freq")}));
}

void embedding_dense_backward(GradientCall& call) {
  const Term rows = aten("embedding", {call.grad(), call["indices"]});
  const Term is_kept = unsqueeze(call["indices"] != call["padding_idx"], -1);
  require(!call.flag("scale_grad_by_freq"), ErrorCode::unsupported,
          "the second derivative of an embedding whose gradient is scaled by frequency");
  call.give("grad_output", masked(rows, is_kept));
}

void gather(GradientCall& call) {
  const Term x = call["self"];
  call.give("self", aten("scatter_add", {new_zeros(call.grad(), x.sizes()), call.pass("dim"),
                                         call["index"], call.grad()}));
}

void index_select(GradientCall& call) {
  call.give("self", aten("index_select_backward",
                         {call.grad(), call["self"].sizes(), call.pass("dim"), call["index"]}));
}

Term put(const Term& x, GradientCall& call, const Term& values, bool accumulate) {
  return call_op("litz.index_put", {x, call.pass("indices"), values, Expr::boolean(accumulate)})[0];
}

void index(GradientCall& call) {
  call.give("self", put(new_zeros(call.grad(), call["self"].sizes()), call, call.grad(), true));
}

void index_put(GradientCall& call) {
  const Term values = call["values"];
  if (call.wants("self")) {
    const bool adds = call.flag("accumulate");
    call.give("self", adds ? call.grad() : put(call.grad(), call, zeros_like(values), false));
  }
  if (call.wants("values")) {
    call.give("values", call_op("litz.index", {call.grad(), call.pass("indices")})[0]);
  }
}

// The gradient of values that were written along a dimension.
Term selected(GradientCall& call, const Term& source) {
  const Term part = aten("index_select", {call.grad(), call.pass("dim"), call["index"]});
  return source.rank() == 0 ? reshape(part, {}) : part;
}

Term without(GradientCall& call, const Term& grad) {
  return aten("index_fill.int_Scalar", {grad, call.pass("dim"), call["index"], 0});
}

void index_add(GradientCall& call) {
  if (call.wants("self")) call.give("self", call.grad());
  if (call.wants("source")) {
    call.give("source", selected(call, call["source"]) * conj(call["alpha"]));
  }
}

void index_copy(GradientCall& call) {
  if (call.wants("self")) call.give("self", without(call, call.grad()));
  if (call.wants("source")) call.give("source", selected(call, call["source"]));
}

void index_fill(GradientCall& call) {
  if (call.wants("self")) call.give("self", without(call, call.grad()));
  if (!call.wants("value")) return;
  const Term is_kept = without(call, ones_like(call.grad()));
  call.give("value", sum(where(is_kept == 0, call.grad(), 0)));
}

Term overwritten(GradientCall& call, const Term& grad) {
  return aten("scatter.value", {grad, call.pass("dim"), call["index"], 0});
}

void scatter(GradientCall& call) {
  if (call.wants("self")) call.give("self", overwritten(call, call.grad()));
  if (call.op().schema.find("src") >= 0 && call.wants("src")) {
    call.give("src", as_large_as(gather_from(call.grad(), call), call["src"]));
  }
}

void scatter_add(GradientCall& call) {
  if (call.wants("self")) call.give("self", call.grad());
  if (call.wants("src")) {
    call.give("src", as_large_as(gather_from(call.grad(), call), call["src"]));
  }
}

// --- Reductions by index. A place is reduced from its own element, unless that is excluded, and
// those that the index sends there.

struct IndexReduction {
  Term self, index, src, grad, result;
  Argument dim;
  std::string reduce;
  bool includes_self;

  Term gathered(const Term& x) const { return aten("gather", {x, dim, index}); }

  Term added(const Term& x, const Term& values) const {
    return aten("scatter_add", {x, dim, index, values});
  }

  Term reduced(const Term& x, const Term& values) const {
    return aten("scatter_reduce.two",
                {x, dim, index, values, reduce, Expr::boolean(includes_self)});
  }

  std::pair<Term, Term> slopes() const {
    if (reduce == "sum") return {grad, gathered(grad)};
    if (reduce == "mean") return mean_slopes();
    return reduce == "prod" ? product_slopes() : extreme_slopes();
  }

 private:
  std::pair<Term, Term> mean_slopes() const {
    const Term own = includes_self ? ones_like(grad) : zeros_like(grad);
    const Term all = added(own, ones_like(src));
    const Term count = where(all == 0, 1, all);
    return {grad / count, gathered(grad) / gathered(count)};
  }

  std::pair<Term, Term> extreme_slopes() const {
    const Term is_self = to(self == result, self.dtype());
    const Term is_src = to(src == gathered(result), self.dtype());
    const Term share = grad / added(is_self, is_src);
    return {is_self * share, is_src * gathered(share)};
  }

  // A single zero at a place gets the product of the others there.
  std::pair<Term, Term> product_slopes() const {
    const Term filled = where(self == 0, 1, self);
    const Term by_self = grad * reduced(filled, src) / filled;
    const Term is_zero = src == 0;
    const Term zeros = gathered(added(zeros_like(self), to(is_zero, self.dtype())));
    const Term is_single = is_zero & (zeros == 1);
    const Term others = reduced(self, where(is_single, 1, src));
    const Term plain = gathered(grad * result) / where(is_zero, 1, src);
    return {by_self, where(is_single, gathered(grad * others), plain)};
  }
};

void give_slopes(GradientCall& call, const IndexReduction& of, std::string_view source) {
  const auto [by_self, by_src] = of.slopes();
  if (call.wants("self")) {
    const Term kept =
        of.includes_self ? by_self : aten("scatter.value", {by_self, of.dim, of.index, 0});
    call.give("self", reshape(kept, call["self"].sizes()));
  }
  if (!call.wants(source)) return;
  const Term whole = call[source];
  const Term part =
      whole.rank() == of.src.rank() ? as_large_as(by_src, whole) : reshape(by_src, whole.sizes());
  call.give(source, part);
}

void scatter_reduce(GradientCall& call) {
  const Term index = call["index"];
  give_slopes(call,
              {.self = call["self"],
               .index = index,
               .src = used_part(call["src"], index),
               .grad = call.grad(),
               .result = call.result(),
               .dim = call.pass("dim"),
               .reduce = std::string(call.str("reduce")),
               .includes_self = call.flag("include_self")},
              "src");
}

// scatter_reduce with the index repeated over the other dimensions.
void index_reduce(GradientCall& call) {
  const auto one_dimension = [](const Term& x) { return x.rank() == 0 ? reshape(x, {1}) : x; };
  const Term self = one_dimension(call["self"]);
  const Term source = one_dimension(call["source"]);
  const int64_t dim = call.dim("dim", self.rank());
  Sizes sizes(source.rank(), Expr(1));
  sizes[static_cast<size_t>(dim)] = source.sizes()[static_cast<size_t>(dim)];
  const Term index = expand(reshape(call["index"], sizes), source.sizes());
  give_slopes(call,
              {.self = self,
               .index = index,
               .src = source,
               .grad = one_dimension(call.grad()),
               .result = one_dimension(call.result()),
               .dim = dim,
               .reduce = std::string(call.str("reduce")),
               .includes_self = call.flag("include_self")},
              "source");
}

// --- Parts of a tensor that others replace.

void select_scatter(GradientCall& call) {
  const Term grad = call.grad();
  const Term src = call["src"];
  if (call.wants("self")) {
    call.give("self", aten("select_scatter",
                           {grad, zeros_like(src), call.pass("dim"), call.pass("index")}));
  }
  call.give("src", aten("select.int", {grad, call.pass("dim"), call.pass("index")}));
}

void slice_scatter(GradientCall& call) {
  const Term grad = call.grad();
  std::vector<Argument> at = {call.pass("dim"), call.pass("start"), call.pass("end"),
                              call.pass("step")};
  if (call.wants("self")) {
    call.give("self",
              aten("slice_scatter", {grad, zeros_like(call["src"]), at[0], at[1], at[2], at[3]}));
  }
  call.give("src", aten("slice.Tensor", {grad, at[0], at[1], at[2], at[3]}));
}

void diagonal_scatter(GradientCall& call) {
  const Term grad = call.grad();
  if (call.wants("self")) {
    call.give("self", aten("diagonal_scatter", {grad, zeros_like(call["src"]), call.pass("offset"),
                                                call.pass("dim1"), call.pass("dim2")}));
  }
  call.give("src",
            aten("diagonal", {grad, call.pass("offset"), call.pass("dim1"), call.pass("dim2")}));
}

constexpr std::array kGradients{
    Gradient{"aten.diagonal_scatter", diagonal_scatter},
    Gradient{"aten.embedding", embedding},
    Gradient{"aten.embedding_dense_backward", embedding_dense_backward},
    Gradient{"aten.gather", gather},
    Gradient{"aten.index_add", index_add},
    Gradient{"aten.index_copy", index_copy},
    Gradient{"aten.index_fill.int_Scalar aten.index_fill.int_Tensor", index_fill},
    Gradient{"aten.index_reduce", index_reduce},
    Gradient{"aten.index_select", index_select},
    Gradient{"aten.scatter.src aten.scatter.value", scatter},
    Gradient{"aten.scatter_add", scatter_add},
    Gradient{"aten.scatter_reduce.two", scatter_reduce},
    Gradient{"aten.select_scatter", select_scatter},
    Gradient{"aten.slice_scatter", slice_scatter},
    Gradient{"litz.index", index},
    Gradient{"litz.index_put", index_put},
    undefined("aten.embedding_renorm", "PyTorch defines none"),
    undefined("aten.scatter.reduce aten.scatter.value_reduce", "PyTorch defines none"),
};

}  // namespace

std::span<const Gradient> index_gradients() { return kGradients; }

}  // namespace litz::ops
