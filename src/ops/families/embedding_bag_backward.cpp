// The derivative of embedding_bag by its matrix: a bag's gradient goes to its rows.

#include <array>

#include "ops/bodies.h"
#include "ops/families/elementwise_steps.h"
#include "ops/families/families.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;

enum class Mode : uint8_t { sum, mean, max };

Mode mode_of(const Call& call) {
  const int64_t mode = call.integer("mode");
  require(mode >= 0 && mode <= 2, "a bag is summed (0), averaged (1) or its maximum (2):", mode);
  return static_cast<Mode>(mode);
}

// PyTorch's kernels read beyond lists that are too short.
void require_lengths(const Call& call) {
  const auto require_length = [&](std::string_view name, const Expr& length) {
    require(!known_not_equal(call.type(name).sizes[0], length),
            "bags C1: every place has a bag and a weight, every bag a size:", name, call.type(name),
            length);
  };
  const Expr places = call.type("indices").sizes[0];
  if (mode_of(call) == Mode::max) return require_length("bag_size", call.type("grad").sizes[0]);
  const bool may_be_skipped = call.op().schema.find("offsets") >= 0;
  if (!may_be_skipped || known_less(0, call.type("offset2bag").sizes[0])) {
    require_length("offset2bag", places);
  }
  if (!call.has("per_sample_weights")) return;
  require(call.type("per_sample_weights").rank() == 1,
          "bags C1: weights are a list:", call.type("per_sample_weights"));
  require_length("per_sample_weights", places);
}

TensorType backward_meta(const Call& call) {
  const TensorType& gradient = call.type("grad");
  const TensorType& indices = call.type("indices");
  require(gradient.rank() == 2 && is_floating(gradient.dtype) && indices.rank() == 1 &&
              is_integer(indices.dtype),
          "bags C1: every bag has a row of gradients, every place in a bag a row number:", gradient,
          indices);
  for (const char* name : {"indices", "offsets", "offset2bag", "bag_size", "maximum_indices"}) {
    if (call.op().schema.find(name) < 0) continue;
    if (name == "maximum_indices"sv && mode_of(call) != Mode::max) continue;
    require(name == "maximum_indices"sv || call.type(name).rank() == 1,
            "bags C1: row numbers, bags and their sizes are lists:", name, call.type(name));
    const DType dtype = call.type(name).dtype;
    require(dtype == DType::i32 || dtype == DType::i64,
            "bags C3: row numbers, bags and their sizes are int32 or int64:", name,
            litz::name(dtype));
  }
  require_lengths(call);
  if (mode_of(call) == Mode::max) {
    const TensorType& maxima = call.type("maximum_indices");
    constexpr const char* kText = "bags C4: every element of the gradient has a row it is from:";
    require(maxima.rank() == 2, kText, gradient, maxima);
    for (size_t d = 0; d < 2; ++d) {
      call.require_sizes(eq(maxima.sizes[d], gradient.sizes[d]), kText, gradient, maxima);
    }
  }
  require(!call.has("sparse") || !call.flag("sparse"), ErrorCode::unsupported,
          "bags C2: sparse gradients are not available");
  mode_of(call);
  return contiguous_type(gradient.dtype, {call.expr("num_weights"), gradient.sizes[1]},
                         gradient.device);
}

/// Steps over the entries of bags, in the accumulation dtype.
class Places {
 public:
  explicit Places(const DecomposeCall& call)
      : call_(call),
        steps_(call),
        compute_(compute_dtype(call.type("grad").dtype)),
        gradient_(call.to(call["grad"], compute_)),
        indices_(call.to(call["indices"], DType::i64)),
        bag_(bags()) {}

  /// For each row of the matrix, the sum of its entries' gradients.
  Value sum(bool averages) const {
    Value rows = call_.aten("index_select", {gradient_, Expr(0), bag_});
    if (call_.has("per_sample_weights")) {
      rows = scaled(rows, call_.to(call_["per_sample_weights"], compute_));
    }
    if (averages) {
      rows = scaled(rows, reciprocal_at(bag_sizes(), bag_));
    }
    if (call_.flag("scale_grad_by_freq")) {
      rows = scaled(rows, reciprocal_at(counted(indices_, call_.expr("num_weights")), indices_));
    }
    if (const Value kept = kept_places()) rows = scaled(rows, call_.to(kept, compute_));
    return call_.aten("index_add", {zeros(), Expr(0), indices_, rows});
  }

  /// Each element of a bag's maximum goes to the row that it came from; empty bags contribute
  /// nothing.
  Value largest() const {
    const Value sizes = call_.to(call_["bag_size"], DType::i64);
    const Value filled =
        call_.aten("unsqueeze", {call_.aten("gt.Scalar", {sizes, Expr(0)}), Expr(1)});
    const Value rows = steps_.mul(gradient_, call_.to(filled, compute_));
    const Value from =
        call_.aten("clamp", {call_.to(call_["maximum_indices"], DType::i64), Expr(0)});
    return call_.aten("scatter_add", {zeros(), Expr(0), from, rows});
  }

 private:
  Value zeros() const { return steps_.zeros(call_.result().sizes, compute_); }

  // The number of entries in each bag, without padding. Forward passes that skip the list count
  // here.
  Value bag_sizes() const {
    const Expr bags = call_.type("grad").sizes[0];
    const Expr given = call_.type("bag_size").numel();
    if (known_equal(given, Expr(0))) return counted(bag_, bags);
    require(!known_less(given, bags), "bags C1: every bag has a size:", call_.type("bag_size"),
            bags);
    return call_.to(call_["bag_size"], compute_);
  }

  // If the list of bags was skipped, it follows from the offsets.
  Value bags() const {
    const bool is_listed = call_.op().schema.find("offsets") < 0 ||
                           !known_equal(call_.type("offset2bag").sizes[0], Expr(0));
    if (is_listed) return call_.to(call_["offset2bag"], DType::i64);
    const Value positions =
        call_.aten("arange", {call_.type("indices").sizes[0], ir::Attribute(DType::i64)});
    const Value after =
        call_.aten("searchsorted.Tensor", {call_.to(call_["offsets"], DType::i64), positions,
                                           Expr::boolean(false), Expr::boolean(true)});
    return call_.aten("sub.Scalar", {after, Expr(1)});
  }

  Value scaled(Value rows, Value factors) const {
    return steps_.mul(rows, call_.aten("unsqueeze", {factors, Expr(1)}));
  }

  Value kept_places() const {
    const Expr padding = call_.expr("padding_idx");
    if (known_less(padding, 0)) return {};
    return call_.aten("ne.Scalar", {indices_, padding});
  }

  // How often each of `count` numbers occurs, without entries of the padding.
  Value counted(Value numbers, Expr count) const {
    Value ones = call_.aten("ones_like", {numbers, ir::Attribute(compute_)});
    if (const Value kept = kept_places()) ones = steps_.mul(ones, call_.to(kept, compute_));
    return call_.aten("index_add", {steps_.zeros({count}, compute_), Expr(0), numbers, ones});
  }

  Value reciprocal_at(Value counts, Value numbers) const {
    const Value at_least_one = call_.aten("clamp", {counts, Expr(1)});
    return call_.aten("reciprocal", {call_.aten("index_select", {at_least_one, Expr(0), numbers})});
  }

  const DecomposeCall& call_;
  Steps steps_;
  DType compute_;
  Value gradient_;
  Value indices_;
  Value bag_;
};

std::vector<Value> backward(DecomposeCall& call) {
  const Places places(call);
  const Mode mode = mode_of(call);
  const Value sum = mode == Mode::max ? places.largest() : places.sum(mode == Mode::mean);
  return {call.to(sum, call.result().dtype)};
}

constexpr std::array kSample{
    "(f32[2, 3], i64[4] in [0, 5), i64[2] in [0, 1), i64[0], i64[2] in [2, 3), i64[2], 5, False, 0, False, f32[4])"sv,
    "(f32[2, 3], i64[4] in [0, 5), i64[2] in [0, 1), i64[4] in [0, 2), i64[2] in [2, 3), i64[2, 3] in [0, 5), 5, False, 2, False, None)"sv};
constexpr std::array kDenseSample{
    "(f32[2, 3], i64[4] in [0, 5), i64[4] in [0, 2), i64[2] in [2, 3), i64[2], 5, True, 1, None)"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._embedding_bag_backward(Tensor grad, Tensor indices, Tensor offsets, "
                    "Tensor offset2bag, Tensor bag_size, Tensor maximum_indices, SymInt "
                    "num_weights, bool scale_grad_by_freq, int mode, bool sparse, Tensor? "
                    "per_sample_weights, int padding_idx=-1) -> Tensor",
          .doc = "Derivative of embedding_bag by its matrix.\n"
                 "C1: every bag has a row of gradients, every place a row number. C2: not sparse. "
                 "C3: row numbers, bags and their sizes are int32 or int64. "
                 "C4: where the largest is taken, every element has the row that it is from.",
          .meta = backward_meta,
          .impl = Decompose{backward},
          .samples = {.calls = kSample}},
    OpDef{.schema = "aten._embedding_bag_dense_backward(Tensor grad, Tensor indices, Tensor "
                    "offset2bag, Tensor bag_size, Tensor maximum_indices, SymInt num_weights, "
                    "bool scale_grad_by_freq, int mode, Tensor? per_sample_weights, int "
                    "padding_idx=-1) -> Tensor",
          .doc = "Derivative of embedding_bag by its matrix, from the bag of each place.\n"
                 "C1: every bag has a row of gradients, every place a row number. C3: row numbers, "
                 "bags and their sizes are int32 or int64. C4: where the largest is taken, every "
                 "element has the row that it is from.",
          .meta = backward_meta,
          .impl = Decompose{backward},
          .samples = {.calls = kDenseSample}},
};

}  // namespace

std::span<const OpDef> embedding_bag_backward_ops() { return kOps; }

}  // namespace litz::ops
