// Gradients of views: the gradient goes to the elements that a view shows, others get 0.

#include <array>
#include <limits>

#include "ops/gradients/families.h"
#include "support/check.h"

namespace litz::ops {
namespace {

// The same elements in the same order; also sums over what was repeated.
void reshaped(GradientCall& call) { call.give("self", reshape(call.grad(), call["self"].sizes())); }

void expanded(GradientCall& call) { call.give("self", call.grad()); }

// The other operand only lends its shape.
void expanded_as(GradientCall& call) {
  call.give("self", call.grad());
  call.give_nothing("other");
}

void viewed_as(GradientCall& call) {
  reshaped(call);
  call.give_nothing("other");
}

// Operators that undo themselves.
void transposed(GradientCall& call) {
  std::vector<ir::Argument> arguments(call.arguments().begin(), call.arguments().end());
  arguments[0] = call.grad();
  // Forms that change the tensor itself have the name of the others and a line.
  std::string_view name = call.op().name();
  if (name.ends_with('_')) name.remove_suffix(1);
  if (name == "aten.transpose") name = "aten.transpose.int";
  call.give("self", call_op(name, std::move(arguments))[0]);
}

void permuted(GradientCall& call) {
  const Dims dims = call.dims("dims", call.type("self").rank(), Call::WhenEmpty::none);
  Dims inverse(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    inverse[static_cast<size_t>(dims[i])] = static_cast<int64_t>(i);
  }
  call.give("self", permute(call.grad(), inverse));
}

void moved(GradientCall& call) {
  const std::string_view name = call.op().name().substr(5);
  call.give("self", aten(name, {call.grad(), call.pass("destination"), call.pass("source")}));
}

void diagonal(GradientCall& call, std::string_view self) {
  const Term x = call[self];
  call.give(self,
            aten("diagonal_backward", {call.grad(), x.sizes(), call.pass("offset"),
                                       call.dim("dim1", x.rank()), call.dim("dim2", x.rank())}));
}

void diagonal_of_self(GradientCall& call) { diagonal(call, "self"); }

void linalg_diagonal(GradientCall& call) { diagonal(call, "A"); }

void select(GradientCall& call) {
  call.give("self", aten("select_backward", {call.grad(), call["self"].sizes(), call.pass("dim"),
                                             call.pass("index")}));
}

Term placed(const Term& part, const Sizes& sizes, int64_t dim, const ir::Argument& start,
            const ir::Argument& end, const ir::Argument& step) {
  return aten("slice_backward", {part, sizes, dim, start, end, step});
}

void slice(GradientCall& call) {
  const Term x = call["self"];
  const auto bound = [&](std::string_view name, int64_t otherwise) {
    return call.has(name) ? call.pass(name) : ir::Argument(otherwise);
  };
  call.give("self", placed(call.grad(), x.sizes(), call.dim("dim", x.rank()), bound("start", 0),
                           bound("end", std::numeric_limits<int64_t>::max()), call.pass("step")));
}

void narrowed(GradientCall& call) {
  const Term x = call["self"];
  const int64_t dim = call.dim("dim", x.rank());
  const Expr given = call.expr("start");
  const Expr start = where(lt(given, 0), given + x.sizes()[static_cast<size_t>(dim)], given);
  call.give("self", placed(call.grad(), x.sizes(), dim, start, start + call.expr("length"), 1));
}

void unfold(GradientCall& call) {
  const Term x = call["self"];
  if (x.rank() == 0) return call.give("self", reshape(call.grad(), {}));
  call.give("self",
            aten("unfold_backward", {call.grad(), x.sizes(), call.dim("dimension", x.rank()),
                                     call.pass("size"), call.pass("step")}));
}

// Parts along a dimension: their gradients are joined.
void split_along(GradientCall& call, int64_t dim) {
  const Term x = call["self"];
  std::vector<Term> parts;
  Expr total = 0;
  for (size_t i = 0; i < call.result_count(); ++i) {
    parts.push_back(call.grad(i));
    total = total + parts.back().sizes()[static_cast<size_t>(dim)];
  }
  require(known_equal(total, x.sizes()[static_cast<size_t>(dim)]), ErrorCode::unsupported,
          "the gradient of parts that do not divide their tensor:", call.op().name());
  call.give("self", cat(parts, dim));
}

void split(GradientCall& call) { split_along(call, call.dim("dim", call.type("self").rank())); }

void hsplit(GradientCall& call) { split_along(call, call.type("self").rank() == 1 ? 0 : 1); }

void vsplit(GradientCall& call) { split_along(call, 0); }

void dsplit(GradientCall& call) { split_along(call, 2); }

void unbind(GradientCall& call) {
  const int64_t dim = call.dim("dim", call.type("self").rank());
  std::vector<Term> parts;
  for (size_t i = 0; i < call.result_count(); ++i) parts.push_back(unsqueeze(call.grad(i), dim));
  call.give("self", cat(parts, dim));
}

// --- Strided views: the geometry names positions of the storage.

struct Geometry {
  Sizes sizes;
  Sizes strides;
  Expr offset;

  Expr end() const {
    Expr last = offset;
    for (size_t d = 0; d < sizes.size(); ++d) {
      last = last + max(sizes[d] - 1, Expr(0)) * strides[d];
    }
    return last + 1;
  }

  // The position of each element, as a flat tensor.
  Term positions(const Term& like) const {
    Term sum = aten("add.Scalar", {range_like(like, 1), offset});
    sum = reshape(sum, {});
    for (size_t d = 0; d < sizes.size(); ++d) {
      Sizes shape(sizes.size(), Expr(1));
      shape[d] = sizes[d];
      sum = sum + reshape(range_like(like, sizes[d]) * Term(strides[d]), shape);
    }
    return reshape(expand(sum, sizes), {product(sizes)});
  }
};

Geometry viewed(const GradientCall& call, Expr offset_of_self) {
  return {call.sizes("size"), call.sizes("stride"),
          call.has("storage_offset") ? call.expr("storage_offset") : offset_of_self};
}

Term flat(const Term& x) { return reshape(x, {product(x.sizes())}); }

// Elements that a view shows several times get the sum; a storage element that the operand shows
// several times gives each of these its share.
void as_strided(GradientCall& call) {
  const TensorType& self = call.type("self");
  const Geometry given{self.sizes, self.strides, self.offset};
  const Geometry shown = viewed(call, self.offset);
  const Term grad = call.grad();
  const Term zeros = new_zeros(grad, {max(given.end(), shown.end())});
  const auto added = [&](const Geometry& at, const Term& values) {
    return aten("index_add", {zeros, 0, at.positions(grad), values});
  };
  Term storage = added(shown, flat(grad));
  if (!is_non_overlapping_and_dense(self)) {
    storage = storage / added(given, flat(ones_like(call["self"])));
  }
  const Term elements = aten("index_select", {storage, 0, given.positions(grad)});
  call.give("self", reshape(elements, self.sizes));
}

// Positions count in the contiguous copy of self.
void as_strided_scatter(GradientCall& call) {
  require(is_contiguous(call.type("self")), ErrorCode::unsupported,
          "the gradient of as_strided_scatter on a tensor that is not contiguous");
  const Term grad = call.grad();
  const Term at = viewed(call, 0).positions(grad);
  if (call.wants("self")) {
    const Term kept = aten("index_fill.int_Scalar", {flat(grad), 0, at, 0});
    call.give("self", reshape(kept, grad.sizes()));
  }
  const Term src = aten("index_select", {flat(grad), 0, at});
  call.give("src", reshape(src, call["src"].sizes()));
}

// --- Backward operators.

void diagonal_backward(GradientCall& call) {
  call.give("grad_output", aten("diagonal", {call.grad(), call.pass("offset"), call.pass("dim1"),
                                             call.pass("dim2")}));
}

void select_backward(GradientCall& call) {
  call.give("grad_output", aten("select.int", {call.grad(), call.pass("dim"), call.pass("index")}));
}

void slice_backward(GradientCall& call) {
  call.give("grad_output", aten("slice.Tensor", {call.grad(), call.pass("dim"), call.pass("start"),
                                                 call.pass("end"), call.pass("step")}));
}

// There may be fewer windows than fit.
void unfold_backward(GradientCall& call) {
  const Term given = call["grad_in"];
  const Term windows =
      aten("unfold", {call.grad(), call.pass("dim"), call.pass("size"), call.pass("step")});
  if (same_sizes(windows.sizes(), given.sizes())) return call.give("grad_in", windows);
  const int64_t dim = call.dim("dim", call.grad().rank());
  call.give("grad_in", narrow(windows, dim, 0, given.sizes()[static_cast<size_t>(dim)]));
}

constexpr std::array kGradients{
    Gradient{"aten.as_strided aten.as_strided_", as_strided},
    Gradient{"aten.as_strided_scatter", as_strided_scatter},
    Gradient{"aten.chunk aten.split.Tensor aten.split.sizes aten.split_with_sizes "
             "aten.tensor_split.indices aten.tensor_split.sections aten.unsafe_chunk "
             "aten.unsafe_split.Tensor aten.unsafe_split_with_sizes",
             split},
    Gradient{"aten.diagonal", diagonal_of_self},
    Gradient{"aten.diagonal_backward", diagonal_backward},
    Gradient{"aten.dsplit.array aten.dsplit.int", dsplit},
    Gradient{"aten.expand aten.broadcast_to", expanded},
    Gradient{"aten.expand_as", expanded_as},
    Gradient{"aten.hsplit.array aten.hsplit.int", hsplit},
    Gradient{"aten.linalg_diagonal", linalg_diagonal},
    Gradient{
        "aten.mT aten.numpy_T aten.swapaxes aten.swapaxes_ aten.swapdims aten.swapdims_ aten.t "
        "aten.t_ aten.transpose.int aten.transpose_",
        transposed},
    Gradient{"aten.movedim.int aten.movedim.intlist", moved},
    Gradient{"aten.narrow", narrowed},
    Gradient{"aten.permute", permuted},
    Gradient{"aten.select.int", select},
    Gradient{"aten.select_backward", select_backward},
    Gradient{"aten.slice.Tensor", slice},
    Gradient{"aten.slice_backward", slice_backward},
    Gradient{"aten.squeeze aten.squeeze.dim aten.squeeze.dims aten.squeeze_ aten.squeeze_.dim "
             "aten.squeeze_.dims aten.unsqueeze aten.unsqueeze_ aten.view",
             reshaped},
    Gradient{"aten.unbind.int", unbind},
    Gradient{"aten.unfold", unfold},
    Gradient{"aten.unfold_backward", unfold_backward},
    Gradient{"aten.view_as", viewed_as},
    Gradient{"aten.vsplit.array aten.vsplit.int", vsplit},
    constant("aten.view.dtype"),
};

}  // namespace

std::span<const Gradient> view_gradients() { return kGradients; }

}  // namespace litz::ops
