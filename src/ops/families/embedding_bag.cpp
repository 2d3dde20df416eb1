// Bags of embeddings: selected rows of a matrix, reduced per bag.
//
// The bag of an index is the number of bags that begin at or before it, minus one, so bags may be
// empty. Rows are added to (or compared in) their bags in order.

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/families/same_sizes.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::ReduceKind;
using loops::Scalar;

enum class Mode : uint8_t { sum, mean, max };

Mode mode_of(const Call& call) {
  const int64_t mode = call.integer("mode");
  require(mode >= 0 && mode <= 2, "the mode of a bag is 0 (sum), 1 (mean) or 2 (max):", mode);
  return static_cast<Mode>(mode);
}

// The row that bags ignore, if any. Only the public operator accepts negative row numbers.
std::optional<Expr> padding_row(const Call& call) {
  if (call.op().schema.find("padding_idx") < 0 || !call.has("padding_idx")) return std::nullopt;
  const int64_t row = call.integer("padding_idx");
  if (row >= 0) return Expr(row);
  if (call.op().name() != "aten.embedding_bag.padding_idx") return std::nullopt;
  return call.type("weight").sizes[0] + row;
}

// Row numbers and offsets may have different integer dtypes: the promoted one must be one of them.
DType count_dtype(const Call& call) {
  const DType dtype = promoted_dtype(call, {"indices", "offsets"});
  require(dtype == DType::i32 || dtype == DType::i64,
          "row numbers and beginnings of bags must be int32 or int64, got", name(dtype));
  return dtype;
}

Expr bag_count(const Call& call) {
  const Expr offsets = call.type("offsets").sizes[0];
  return call.flag("include_last_offset") ? offsets - 1 : offsets;
}

void require_bags(const Call& call) {
  const TensorType& weight = call.type("weight");
  const TensorType& indices = call.type("indices");
  const TensorType& offsets = call.type("offsets");
  require(weight.rank() == 2 && is_floating(weight.dtype),
          "bags are made of the rows of a floating matrix, got", weight);
  require(indices.rank() == 1 && is_integer(indices.dtype), "bags need a list of row numbers, got",
          indices);
  require(offsets.rank() == 1 && is_integer(offsets.dtype),
          "bags need the list of their beginnings, got", offsets);
  require(!call.flag("include_last_offset") || !known_equal(offsets.sizes[0], 0),
          "bags with a last offset need at least that:", offsets);
  if (call.op().name() == "aten.embedding_bag.padding_idx" && call.has("padding_idx")) {
    const Expr row = call.expr("padding_idx");
    call.require_sizes(logical_and(le(-weight.sizes[0], row), lt(row, weight.sizes[0])),
                       "the padding of bags must be a row of the matrix:", row, weight);
  }
  if (!call.has("per_sample_weights")) return;
  const TensorType& weights = call.type("per_sample_weights");
  require(mode_of(call) == Mode::sum, "only sums of rows take a weight per row");
  require(weights.rank() == 1 && weights.dtype == weight.dtype &&
              !known_not_equal(weights.sizes[0], indices.sizes[0]),
          "bags need one weight per row number, of the matrix's dtype:", weights, weight);
}

// True if PyTorch processes whole bags: then rows after the last offset are ignored. Otherwise they
// belong to the last bag.
bool takes_whole_bags(const Call& call) {
  const TensorType& weight = call.type("weight");
  const bool plain = weight.dtype != DType::f64 && known_equal(weight.strides[1], Expr(1)) &&
                     !padding_row(call).has_value();
  if (mode_of(call) == Mode::max || !plain) return false;
  return !call.has("per_sample_weights") ||
         known_equal(call.type("per_sample_weights").strides[0], Expr(1));
}

// Sums of whole bags do not need the list of bags.
bool is_fast_sum(const Call& call) { return mode_of(call) == Mode::sum && takes_whole_bags(call); }

Types bag_meta(const Call& call) {
  require_bags(call);
  const TensorType& weight = call.type("weight");
  const DType counts = count_dtype(call);
  const Expr bags = bag_count(call);
  const Expr places = is_fast_sum(call) ? Expr(0) : call.type("indices").sizes[0];
  // Sums have no counts; without gradients the last offset also gets a zero.
  const bool is_short = call.op().name() == "aten._embedding_bag" || mode_of(call) != Mode::sum;
  const Expr sizes = is_short ? bags : call.type("offsets").sizes[0];
  Sizes largest{sizes};
  if (mode_of(call) == Mode::max) largest.push_back(weight.sizes[1]);
  return {contiguous_type(weight.dtype, {bags, weight.sizes[1]}, weight.device),
          contiguous_type(counts, {places}, weight.device),
          contiguous_type(counts, {sizes}, weight.device),
          contiguous_type(counts, largest, weight.device)};
}

// The inputs of a decomposition: one row per index, and its bag.
struct Bags {
  Value rows;  // In the accumulation dtype.
  Value bag;   // i64
  Value kept;  // bool, or null for all: rows that are not padding.
  Value used;  // bool, or null for all: rows before the last offset.
  Expr count;
  Expr width;
};

Value full(const DecomposeCall& call, Sizes sizes, Expr value, DType dtype) {
  return call.aten("full", {ir::Argument(ir::Scalars(std::move(sizes))), value, dtype});
}

// One row for each index. Those behind the last offset are not read, whatever they are.
Value rows_of(const DecomposeCall& call, Value used) {
  Value weight = call["weight"];
  Value indices = call["indices"];
  if (used && known_equal(weight.tensor().sizes[0], 0)) {
    // Any that is read is outside, as 1 is of a matrix of one row.
    weight = full(call, {Expr(1), weight.tensor().sizes[1]}, Expr::real(0), weight.tensor().dtype);
    indices = call.to(used, DType::i64);
  } else if (used) {
    const Value zero = full(call, {}, 0, indices.tensor().dtype);
    indices = call.aten("where.self", {used, indices, zero});
  }
  // How gradients are scaled says nothing about the rows, but belongs to the operator.
  const Value rows =
      call.aten("embedding", {weight, indices, Expr(-1), call.pass("scale_grad_by_freq")});
  return call.to(rows, compute_dtype(rows.tensor().dtype));
}

Bags find_bags(const DecomposeCall& call) {
  Bags bags;
  bags.count = bag_count(call);
  bags.width = call.type("weight").sizes[1];
  const Expr size = call.type("indices").sizes[0];
  const Value positions = call.aten("arange", {size, DType::i64});
  const Value offsets = call.to(call["offsets"], DType::i64);
  Value starts = offsets;
  if (call.flag("include_last_offset")) {
    starts = call.aten("slice.Tensor", {offsets, Expr(0), Expr(0), bags.count});
    if (takes_whole_bags(call)) {
      const Value last = call.aten("select.int", {offsets, Expr(0), bags.count});
      bags.used = call.aten("lt.Tensor", {positions, last});
    }
  }
  const Value after = call.aten("searchsorted.Tensor",
                                {starts, positions, Expr::boolean(false), Expr::boolean(true)});
  bags.bag = call.aten("sub.Scalar", {after, Expr(1)});
  bags.rows = rows_of(call, bags.used);
  if (call.has("per_sample_weights")) {
    const Value weights = call.to(call["per_sample_weights"], bags.rows.tensor().dtype);
    bags.rows = call.aten("mul.Tensor", {bags.rows, call.aten("unsqueeze", {weights, Expr(1)})});
  }
  if (const auto padding = padding_row(call)) {
    bags.kept = call.aten("ne.Scalar", {call["indices"], *padding});
  }
  return bags;
}

Value reduced(const DecomposeCall& call, const Bags& bags, Value rows, Expr start,
              std::string_view reduce) {
  Sizes sizes{bags.count};
  if (rows.tensor().rank() == 2) sizes.push_back(bags.width);
  const Value empty = full(call, sizes, start, rows.tensor().dtype);
  if (reduce == "sum") return call.aten("index_add", {empty, Expr(0), bags.bag, rows});
  return call.aten("index_reduce", {empty, Expr(0), bags.bag, rows, std::string(reduce)});
}

// Replaces ignored rows by a neutral value.
Value where_counted(const DecomposeCall& call, Value counted, Value rows, Expr neutral) {
  if (!counted) return rows;
  const Value condition =
      rows.tensor().rank() == 1 ? counted : call.aten("unsqueeze", {counted, Expr(1)});
  return call.aten("where.self", {condition, rows, full(call, {}, neutral, rows.tensor().dtype)});
}

Value counted_rows(const DecomposeCall& call, const Bags& bags, Value counted) {
  const Value ones = full(call, {call.type("indices").sizes[0]}, 1, DType::i64);
  return reduced(call, bags, where_counted(call, counted, ones, 0), 0, "sum");
}

Value bag_sizes(const DecomposeCall& call, const Bags& bags) {
  return counted_rows(call, bags, bags.kept);
}

Expr lowest_value() { return Expr::real(-std::numeric_limits<double>::infinity()); }

// The maximum starts with the first element, and only a larger one replaces it: NaN wins only in
// first position.
Value comparable_rows(const DecomposeCall& call, const Bags& bags) {
  const Expr size = call.type("indices").sizes[0];
  const Value positions = call.aten("arange", {size, DType::i64});
  const Value first =
      reduced(call, bags, where_counted(call, bags.kept, positions, size), size, "amin");
  const Value of_row = call.aten("index_select", {first, Expr(0), bags.bag});
  const Value is_later = call.aten("unsqueeze", {call.aten("ne.Tensor", {positions, of_row}), 1});
  const Value is_passed = call.aten("logical_and", {call.aten("isnan", {bags.rows}), is_later});
  const Value lowest = full(call, {}, lowest_value(), bags.rows.tensor().dtype);
  return call.aten("where.self", {is_passed, lowest, bags.rows});
}

Value largest_rows(const DecomposeCall& call, const Bags& bags, Value sizes) {
  const Expr lowest = lowest_value();
  const Value largest =
      reduced(call, bags, where_counted(call, bags.kept, bags.rows, lowest), lowest, "amax");
  const Value is_empty =
      call.aten("unsqueeze", {call.aten("eq.Scalar", {sizes, Expr(0)}), Expr(1)});
  return call.aten("where.self",
                   {is_empty, full(call, {}, Expr::real(0), largest.tensor().dtype), largest});
}

// The row number of each maximum: the first among equals; 0 in empty bags.
Value largest_origins(const DecomposeCall& call, const Bags& bags, Value largest) {
  const Value of_row = call.aten("index_select", {largest, Expr(0), bags.bag});
  const Value is_largest = call.aten(
      "logical_or", {call.aten("eq.Tensor", {bags.rows, of_row}), call.aten("isnan", {bags.rows})});
  const Expr size = call.type("indices").sizes[0];
  const Value positions =
      call.aten("unsqueeze", {call.aten("arange", {size, DType::i64}), Expr(1)});
  const Value candidates =
      call.aten("where.self", {is_largest, positions, full(call, {}, size, DType::i64)});
  const Value first =
      reduced(call, bags, where_counted(call, bags.kept, candidates, size), size, "amin");
  const Value numbers =
      call.aten("cat", {ir::Argument(std::vector<Value>{call.to(call["indices"], DType::i64),
                                                        full(call, {Expr(1)}, 0, DType::i64)}),
                        Expr(0)});
  return call.aten("take", {numbers, first});
}

// Rows that belong to no bag: the bag before the first one.
std::vector<Value> no_bags(const DecomposeCall& call, DType counts) {
  const auto filled = [&](size_t result, int64_t value) {
    return full(call, call.result(result).sizes, value, counts);
  };
  const DType dtype = call.type("weight").dtype;
  return {full(call, call.result(0).sizes, Expr::real(0), dtype), filled(1, -1), filled(2, 0),
          filled(3, 0)};
}

std::vector<Value> bag(DecomposeCall& call) {
  const Mode mode = mode_of(call);
  const DType counts = count_dtype(call);
  if (takes_whole_bags(call) && known_equal(bag_count(call), 0)) return no_bags(call, counts);
  Bags bags = find_bags(call);
  const Value sizes =
      mode == Mode::sum ? full(call, call.result(2).sizes, 0, DType::i64) : bag_sizes(call, bags);
  Value result;
  Value origins = sizes;
  if (mode == Mode::max) {
    bags.rows = comparable_rows(call, bags);
    result = largest_rows(call, bags, sizes);
    origins = largest_origins(call, bags, result);
  } else {
    const Value counted = bags.used ? bags.used : bags.kept;
    const Value rows = where_counted(call, counted, bags.rows, Expr::real(0));
    result = reduced(call, bags, rows, Expr::real(0), "sum");
  }
  if (mode == Mode::mean) {
    const Value count = bags.used ? counted_rows(call, bags, bags.used) : sizes;
    const Value divisor = call.to(call.aten("clamp_min", {count, Expr(1)}), result.tensor().dtype);
    result = call.aten("div.Tensor", {result, call.aten("unsqueeze", {divisor, Expr(1)})});
  }
  const Value places =
      is_fast_sum(call) ? full(call, {Expr(0)}, 0, counts) : call.to(bags.bag, counts);
  return {call.to(result, call.type("weight").dtype), places, call.to(sizes, counts),
          call.to(origins, counts)};
}

// --- renormalisation ---

void require_row_numbers(const TensorType& indices) {
  require(indices.dtype == DType::i32 || indices.dtype == DType::i64,
          "row numbers must be int32 or int64, got", indices);
}

TensorType renorm_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() == 2 && is_floating(self.dtype),
          "embedding_renorm needs a floating matrix, got", self);
  const TensorType& indices = call.type("indices");
  require_row_numbers(indices);
  require(call.real("norm_type") >= 0 || !self.sizes[1].is(0) || indices.numel().is(0),
          "a row of no numbers has no negative norm:", call.real("norm_type"), self);
  return preserved_type(self.dtype, self, MemoryFormat::preserve);
}

Scalar row_norm(NestCall& call, double p, Expr width, const std::function<Scalar(Expr)>& element) {
  KernelBuilder& b = call.builder();
  const auto total = [&](ReduceKind kind, const std::function<Scalar(Scalar)>& term) {
    return b.reduce(kind, std::array{width}, [&](Exprs d) { return term(abs(element(d[0]))); });
  };
  if (std::isinf(p)) {
    return total(p > 0 ? ReduceKind::max : ReduceKind::min, [](Scalar x) { return x; });
  }
  if (p == 0) {
    return total(ReduceKind::sum, [&](Scalar x) { return b.cast(x != 0.0, x.dtype()); });
  }
  if (p == 2) return sqrt(total(ReduceKind::sum, [](Scalar x) { return x * x; }));
  if (p == 1) return total(ReduceKind::sum, [](Scalar x) { return x; });
  return pow(total(ReduceKind::sum, [&](Scalar x) { return pow(x, p); }), 1 / p);
}

// Shortens selected rows longer than max_norm. A row selected twice is written twice, from the same
// input.
void renorm(NestCall& call) {
  const TensorType& self = call.type("self");
  const double limit = call.real("max_norm");
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(self.dtype);
  b.loop(self.sizes,
         [&](Exprs index) { b.store(call.out(), index, b.load(call.in("self"), index)); });
  b.loop(call.type("indices").sizes, [&](Exprs index) {
    const Scalar number = b.cast(b.load(call.in("indices"), index), DType::i64);
    const Scalar row =
        b.bound_index(number, self.sizes[0], false, "index of aten.embedding_renorm");
    const auto element = [&](Expr d) {
      return b.cast(b.load(call.in("self"), {row.id(), d}), compute);
    };
    // PyTorch computes the norm in the matrix's dtype.
    const Scalar exact = row_norm(call, call.real("norm_type"), self.sizes[1], element);
    const Scalar norm = b.cast(b.cast(exact, self.dtype), compute);
    const Scalar is_long = norm > limit;
    // The small addend is part of PyTorch's definition.
    const Scalar scale = limit / (norm + 1e-7);
    b.loop(std::array{self.sizes[1]}, [&](Exprs d) {
      b.store_if(is_long, call.out(), {row.id(), d[0]}, b.cast(element(d[0]) * scale, self.dtype));
    });
  });
}

// --- derivative of embedding ---

TensorType dense_backward_meta(const Call& call) {
  const TensorType& grad = call.type("grad_output");
  const TensorType& indices = call.type("indices");
  require_row_numbers(indices);
  require(grad.rank() > 0 && is_floating(grad.dtype) &&
              may_be_same_sizes(std::span(grad.sizes).first(grad.rank() - 1), indices.sizes),
          "the gradient of rows has one row per row number:", grad, indices);
  return contiguous_type(grad.dtype, {call.expr("num_weights"), grad.sizes.back()}, grad.device);
}

void dense_backward(NestCall& call) {
  const TensorType& grad = call.type("grad_output");
  const TensorType& result = call.result();
  KernelBuilder& b = call.builder();
  b.loop(result.sizes, [&](Exprs index) {
    const Scalar zero = b.cast(b.constant(compute_dtype(grad.dtype), 0.0), grad.dtype);
    b.store(call.out(), index, zero);
  });
  const Sizes& places = call.type("indices").sizes;
  const DType compute = compute_dtype(grad.dtype);
  const auto number = [&](Exprs place) {
    return b.cast(b.load(call.in("indices"), place), DType::i64);
  };
  b.loop(places, [&](Exprs place) {
    const Scalar row = b.bound_index(number(place), result.sizes[0], false,
                                     "index of aten.embedding_dense_backward");
    Scalar share;
    if (call.flag("scale_grad_by_freq")) {
      const Scalar uses = b.reduce(ReduceKind::sum, places, [&](Exprs other) {
        return b.cast(number(other) == row, DType::i64);
      });
      share = 1 / b.cast(uses, compute);
    }
    b.loop(std::array{grad.sizes.back()}, [&](Exprs column) {
      IndexVector at(place.begin(), place.end());
      at.push_back(column[0]);
      Scalar value = b.load(call.in("grad_output"), at);
      if (share) value = b.cast(b.cast(value, compute) * share, grad.dtype);
      b.store_if(row != b.index(call.expr("padding_idx")), call.out(), {row.id(), column[0]}, value,
                 loops::StoreMode::add);
    });
  });
}

constexpr std::array kDenseBackwardSample{"(f32[2, 3, 4], i64[2, 3] in [0, 6), 6, 2, False)"sv,
                                          "(f32[7, 4], i64[7] in [0, 3), 6, 2, True)"sv};
constexpr std::array kPublicSample{
    "(f32[6, 4], i64[7] in [0, 6), i64[3] in [0, 1), False, 0, False, f32[7], False, None)"sv,
    "(f32[6, 4], i64[7] in [0, 6), i64[1] in [0, 1), False, 1, False, None, False, -1)"sv};
constexpr std::array kCoreSample{
    "(f32[6, 4], i64[7] in [0, 6), i64[1] in [0, 1), False, 2)"sv,
    "(f32[6, 4], i64[7] in [0, 6), i64[2] in [0, 1), False, 1, padding_idx=2)"sv};
constexpr std::array kPlainSample{"(f32[6, 4], i64[7] in [0, 6), i64[1] in [0, 1), False, 2)"sv};
constexpr std::array kRenormSample{"(f32[6, 4], i64[3] in [0, 6), 1.5, 2.0)"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool "
                    "scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? "
                    "per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) "
                    "-> (Tensor, Tensor, Tensor, Tensor)",
          .doc = "Sum, mean or maximum of bags of rows; the bag of each index and the bags' sizes.",
          .meta = bag_meta,
          .impl = Decompose{bag},
          .samples = {.calls = kCoreSample}},
    OpDef{.schema = "aten._embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor "
                    "offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, "
                    "Tensor? per_sample_weights=None, bool include_last_offset=False, int "
                    "padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
          .doc = "Sum, mean or maximum of bags of rows; the bag of each index and the bags' sizes.",
          .meta = bag_meta,
          .impl = Decompose{bag},
          .samples = {.calls = kCoreSample}},
    OpDef{.schema = "aten.embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool "
                    "scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? "
                    "per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, "
                    "Tensor, Tensor)",
          .doc = "Sum, mean or maximum of bags of rows; the bag of each index and the bags' sizes.",
          .meta = bag_meta,
          .impl = Decompose{bag},
          .samples = {.calls = kPlainSample}},
    OpDef{.schema = "aten.embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, "
                    "bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, "
                    "bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, "
                    "Tensor)",
          .doc = "Sum, mean or maximum of bags of rows but one; bags of indices and bags' sizes.",
          .meta = bag_meta,
          .impl = Decompose{bag},
          .samples = {.calls = kPublicSample}},
    OpDef{.schema = "aten.embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt "
                    "num_weights, SymInt padding_idx, bool scale_grad_by_freq) -> Tensor",
          .doc = "Derivative of embedding: gradients added to their rows, but for one row.",
          .meta = dense_backward_meta,
          .impl = LoopNest{dense_backward},
          .traits = ir::Trait::capture_unsafe,  // Sorts indices on the host.
          .samples = {.calls = kDenseBackwardSample}},
    OpDef{.schema = "aten.embedding_renorm(Tensor self, Tensor indices, float max_norm, float "
                    "norm_type) -> Tensor",
          .doc = "Shortens the named rows that are longer than max_norm to that length.",
          .meta = renorm_meta,
          .impl = LoopNest{renorm},
          .inplace = true,
          .samples = {.calls = kRenormSample}},
};

}  // namespace

std::span<const OpDef> embedding_bag_ops() { return kOps; }

}  // namespace litz::ops
