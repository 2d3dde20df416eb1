#include "ops/families/loss_reduction.h"

#include "support/check.h"

namespace litz::ops {

using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;

LossReduction loss_reduction(const Call& call) {
  const int64_t reduction = call.integer("reduction");
  require(reduction >= 0 && reduction <= 2,
          "the reduction of a loss is 0 (none), 1 (mean) or 2 (sum):", reduction);
  return static_cast<LossReduction>(reduction);
}

void reduce_loss(NestCall& call, const Sizes& sizes, const std::function<Scalar(Exprs)>& term) {
  KernelBuilder& b = call.builder();
  const DType dtype = call.result().dtype;
  const DType compute = compute_dtype(dtype);
  const LossReduction reduction = loss_reduction(call);
  if (reduction == LossReduction::none) {
    b.loop(sizes, [&](Exprs index) { b.store(call.out(), index, b.cast(term(index), dtype)); });
    return;
  }
  Scalar total = b.reduce(loops::ReduceKind::sum, sizes,
                          [&](Exprs index) { return b.cast(b.cast(term(index), dtype), compute); });
  if (reduction == LossReduction::mean) total = total / b.index(product(sizes), compute);
  b.store(call.out(), loops::IndexVector{}, b.cast(total, dtype));
}

}  // namespace litz::ops
