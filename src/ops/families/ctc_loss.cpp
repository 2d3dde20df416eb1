// Connectionist temporal classification: losses of sequences, the table of sums over paths for
// their derivatives, and the derivatives.

#include <algorithm>
#include <array>

#include "ops/bodies.h"
#include "ops/families/loss_reduction.h"
#include "ops/families/training_families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;

void require_sequences(const Call& call, size_t least_rank) {
  const TensorType& scores = call.type("log_probs");
  const TensorType& targets = call.type("targets");
  require(scores.rank() >= least_rank && scores.rank() <= 3 && is_floating(scores.dtype),
          "ctc_loss takes log probabilities [T, N, C] or [T, C]:", scores);
  require((targets.rank() == 1 || targets.rank() == 2) && !is_complex(targets.dtype),
          "ctc_loss takes class numbers, one behind another or in rows:", targets);
  const Expr batch = scores.rank() == 3 ? scores.sizes[1] : Expr(1);
  require(targets.rank() == 1 || !known_not_equal(targets.sizes[0], batch),
          "ctc_loss takes one row of class numbers for every sequence:", targets, scores);
}

TensorType ctc_meta(const Call& call) {
  constexpr size_t kVectorRank = 2;
  require_sequences(call, kVectorRank);
  const TensorType& scores = call.type("log_probs");
  call.require_sizes(ne(scores.numel(), 0), "ctc_loss needs a sequence:", scores);
  for (const char* lengths : {"input_lengths", "target_lengths"}) {
    require(!call.is_tensor(lengths) || is_integer(call.type(lengths).dtype),
            "ctc_loss takes integers as lengths:", lengths);
  }
  Sizes sizes;
  if (loss_reduction(call) == LossReduction::none && scores.rank() == 3) {
    sizes.push_back(scores.sizes[1]);
  }
  return contiguous_type(scores.dtype, std::move(sizes), scores.device);
}

// --- losses with their sums over paths ---

void require_batch(const Call& call) {
  constexpr size_t kBatchRank = 3;
  require_sequences(call, kBatchRank);
  const TensorType& scores = call.type("log_probs");
  const DType targets = call.type("targets").dtype;
  require(scores.dtype == DType::f32 || scores.dtype == DType::f64,
          "_ctc_loss C1: log probabilities are f32 or f64:", scores);
  require(targets == DType::i64 || targets == DType::i32,
          "_ctc_loss C1: class numbers are i64 or i32:", name(targets));
  call.require_sizes(ne(scores.numel(), 0), "_ctc_loss C2: there is a sequence:", scores);
  for (const char* lengths : {"input_lengths", "target_lengths"}) {
    if (!call.is_tensor(lengths)) {
      const Expr count(static_cast<int64_t>(call.integers(lengths).size()));
      call.require_sizes(eq(count, scores.sizes[1]),
                         "_ctc_loss C3: every sequence has a length:", lengths, count, scores);
      continue;
    }
    const TensorType& type = call.type(lengths);
    require(is_integer(type.dtype), "_ctc_loss C3: lengths are integers:", lengths, type);
    call.require_sizes(eq(type.numel(), scores.sizes[1]),
                       "_ctc_loss C3: every sequence has a length:", lengths, type, scores);
  }
}

// The number of states in the table follows from the largest number of labels, which depends on
// data if lengths are tensors.
Expr states_of(const Call& call) {
  if (call.is_tensor("target_lengths")) return call.data_dependent(0, {1, Interval::kMax});
  int64_t most = 0;
  for (const int64_t length : call.integers("target_lengths")) most = std::max(most, length);
  return Expr(2 * most + 1);
}

Types forward_meta(const Call& call) {
  require_batch(call);
  const TensorType& scores = call.type("log_probs");
  const Expr count = scores.sizes[1];
  return {contiguous_type(scores.dtype, {count}, scores.device),
          contiguous_type(scores.dtype, {count, scores.sizes[0], states_of(call)}, scores.device)};
}

TensorType backward_meta(const Call& call) {
  require_batch(call);
  const TensorType& scores = call.type("log_probs");
  const TensorType& table = call.type("log_alpha");
  for (const char* name : {"grad", "neg_log_likelihood"}) {
    const TensorType& type = call.type(name);
    require(type.rank() == 1 && type.dtype == scores.dtype,
            "_ctc_loss_backward C4: a number of the scores' dtype for every sequence:", name, type,
            scores);
    call.require_sizes(eq(type.sizes[0], scores.sizes[1]),
                       "_ctc_loss_backward C4: a number for every sequence:", name, type, scores);
  }
  require(table.rank() == 3 && table.dtype == scores.dtype,
          "_ctc_loss_backward C5: log_alpha is [N, T, states] in the scores' dtype:", table,
          scores);
  call.require_sizes(
      logical_and(eq(table.sizes[0], scores.sizes[1]), eq(table.sizes[1], scores.sizes[0])),
      "_ctc_loss_backward C5: log_alpha is [N, T, states]:", table, scores);
  return contiguous_type(scores.dtype, scores.sizes, scores.device);
}

constexpr OpDef loss(ir::SchemaText schema, std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = "Negative logarithm of the probability that sequences spell their targets.",
          .meta = ctc_meta,
          .impl = Library{"ctc_loss"},
          .samples = {.calls = calls}};
}

constexpr OpDef forward(ir::SchemaText schema, ir::Trait traits,
                        std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc =
              "The losses of ctc_loss, and for every time and state the logarithm of the "
              "probability of the paths up to there; minus infinity behind a sequence or its "
              "labels.\n"
              "C1: log probabilities [T, N, C] are f32 or f64, class numbers i64 or i32. C2: "
              "there is a sequence. C3: every sequence has lengths, integers.",
          .meta = forward_meta,
          .impl = Library{"ctc_loss_forward"},
          .traits = traits,
          .samples = {.calls = calls}};
}

constexpr OpDef backward(ir::SchemaText schema, std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc =
              "Derivative of _ctc_loss by the log probabilities.\n"
              "C1 to C3 as forward. C4: a gradient and a loss for every sequence. C5: the table "
              "that _ctc_loss gives.",
          .meta = backward_meta,
          .impl = Library{"ctc_loss_backward"},
          .samples = {.calls = calls}};
}

constexpr std::array kListCalls{"(f32[6, 2, 4], i64[2, 3] in [1, 4), [6, 5], [3, 2])"sv};
constexpr std::array kTensorCalls{
    "(f32[6, 2, 4], i64[2, 3] in [1, 4), i64[2] in [5, 7), i64[2] in [2, 4), 0, 0)"sv};
constexpr std::array kForwardListCalls{
    "(f32[6, 2, 4], i64[2, 3] in [1, 4), [6, 6], [3, 3])"sv,
    "(f64[6, s0, 4], i32[9] in [0, 3), [6, 6, 6], [3, 3, 3], 3)"sv};
constexpr std::array kForwardTensorCalls{
    "(f32[6, 2, 4], i64[2, 3] in [1, 4), i64[2] in [6, 7), i64[2] in [3, 4))"sv};
constexpr std::array kBackwardListCalls{
    "(f32[2], f32[6, 2, 4], i64[2, 3] in [1, 4), [6, 5], [3, 2], f32[2], f32[2, 6, 7], 0)"sv,
    "(f64[2], f64[6, 2, 4], i32[4] in [0, 3), [4, 6], [1, 3], f64[2], f64[2, 6, 7], 3, True)"sv};
constexpr std::array kBackwardTensorCalls{
    "(f32[2], f32[6, 2, 4], i64[2, 3] in [1, 4), i64[2] in [5, 7), i64[2] in [2, 4), f32[2], "
    "f32[2, 6, 7], 0)"sv};

constexpr std::array kOps{
    forward("aten._ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] "
            "target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)",
            ir::Trait::none, kForwardListCalls),
    forward("aten._ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor "
            "target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)",
            ir::Trait::data_dependent, kForwardTensorCalls),
    backward("aten._ctc_loss_backward(Tensor grad, Tensor log_probs, Tensor targets, int[] "
             "input_lengths, int[] target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, "
             "int blank, bool zero_infinity=False) -> Tensor",
             kBackwardListCalls),
    backward("aten._ctc_loss_backward.Tensor(Tensor grad, Tensor log_probs, Tensor targets, Tensor "
             "input_lengths, Tensor target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, "
             "int blank, bool zero_infinity=False) -> Tensor",
             kBackwardTensorCalls),
    loss("aten.ctc_loss.IntList(Tensor log_probs, Tensor targets, int[] input_lengths, int[] "
         "target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor",
         kListCalls),
    loss("aten.ctc_loss.Tensor(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor "
         "target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor",
         kTensorCalls),
};

}  // namespace

std::span<const OpDef> ctc_loss_ops() { return kOps; }

}  // namespace litz::ops
