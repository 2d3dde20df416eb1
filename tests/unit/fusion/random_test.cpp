// Random plans of the kinds of kernels that operators make: fused and not, they give the same bits.

#include <random>

#include <gtest/gtest.h>

#include "fusion/small_plan.h"
#include "loops/builder.h"

namespace litz::fusion {
namespace {

using loops::BufferId;
using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;
using lowering::kNoSlot;
using lowering::Slot;

class RandomPlan {
 public:
  explicit RandomPlan(uint32_t seed) : random_(seed) {
    rows_ = 4;
    if (seed % 2 == 1) {
      SymbolInfo info;
      info.name = "s0";
      info.range = {1, 64};
      rows_ = p.pool.add_symbol(info);
      p.bindings.set(rows_.symbol(), 1 + static_cast<int64_t>(seed % 5));
    }
    for (int i = 0; i < 2; ++i) values_.push_back(p.input(contiguous_type(DType::f32, {rows_, 6})));
    values_.push_back(p.input(contiguous_type(DType::f32, {1, 6})));
    index_ = p.input(contiguous_type(DType::i64, {rows_}));
    const int steps = pick(4, 14);
    for (int i = 0; i < steps; ++i) add_step();
    for (const Slot slot : values_) {
      if (pick(0, 3) == 0) p.output(slot);
    }
    p.output(values_.back());
  }

  SmallPlan p;

 private:
  int pick(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random_); }

  // Recent values more often: chains and common readers both come up.
  Slot any() {
    const int count = static_cast<int>(values_.size());
    return values_[static_cast<size_t>(
        pick(pick(0, 1) == 0 ? 0 : std::max(0, count - 3), count - 1))];
  }

  void add(KernelBuilder&& builder, std::vector<Slot> slots) {
    for (const Slot slot : p.kernels(std::move(builder).finish(), std::move(slots))) {
      values_.push_back(slot);
    }
  }

  void add_step() {
    switch (pick(0, 8)) {
      case 0:
        return unary();
      case 1:
        return binary();
      case 2:
        return reduce();
      case 3:
        return view();
      case 4:
        return center();
      case 5:
        return pad();
      case 6:
        return cat();
      case 7:
        return gather();
      default:
        return pick(0, 1) == 0 ? unary() : binary();
    }
  }

  void unary() {
    const Slot x = any();
    KernelBuilder b("unary", p.pool);
    const TensorType& type = p.type(x);
    const BufferId in = b.input("x", type);
    const BufferId out = b.output("o", contiguous_type(DType::f32, type.sizes));
    const int kind = pick(0, 3);
    b.loop(type.sizes, [&](Exprs i) {
      const Scalar v = b.load(in, i);
      b.store(out, i, kind == 0 ? -v : kind == 1 ? v * 0.5 : kind == 2 ? max(v, 0.0) : tanh(v));
    });
    add(std::move(b), {x, kNoSlot});
  }

  void binary() {
    const Slot x = any();
    const TensorType type = p.type(x);
    const Slot y = partner(type);
    KernelBuilder b("binary", p.pool);
    const BufferId left = b.input("x", type);
    const BufferId right = b.input("y", p.type(y));
    const BufferId out = b.output("o", contiguous_type(DType::f32, type.sizes));
    b.loop(type.sizes, [&](Exprs i) {
      std::vector<Expr> at(i.begin(), i.end());
      for (size_t d = 0; d < at.size(); ++d) {
        if (p.type(y).sizes[d].is(1)) at[d] = 0;
      }
      b.store(out, i, b.load(left, i) - b.load(right, at) * 0.25);
    });
    add(std::move(b), {x, y, kNoSlot});
  }

  // A value that broadcasts to the type; itself if there is none.
  Slot partner(const TensorType& type) {
    for (int i = 0; i < 12; ++i) {
      const Slot slot = any();
      const TensorType& other = p.type(slot);
      bool fits = other.rank() == type.rank();
      for (size_t d = 0; fits && d < type.rank(); ++d) {
        fits = other.sizes[d].is(1) || other.sizes[d] == type.sizes[d];
      }
      if (fits) return slot;
    }
    for (const Slot slot : values_) {
      if (p.type(slot) == type) return slot;
    }
    return values_[0];
  }

  void reduce() {
    const Slot x = any();
    const TensorType& type = p.type(x);
    Sizes sizes = type.sizes;
    sizes.back() = 1;
    KernelBuilder b("reduce", p.pool);
    const BufferId in = b.input("x", type);
    const BufferId out = b.output("o", contiguous_type(DType::f32, sizes));
    const std::vector<Expr> outer(type.sizes.begin(), type.sizes.end() - 1);
    b.loop(outer, [&](Exprs i) {
      std::vector<Expr> at(i.begin(), i.end());
      at.emplace_back(0);
      const Scalar sum = b.reduce(loops::ReduceKind::sum, {&type.sizes.back(), 1}, [&](Exprs j) {
        std::vector<Expr> from(i.begin(), i.end());
        from.push_back(j[0]);
        return b.load(in, from);
      });
      b.store(out, at, sum);
    });
    add(std::move(b), {x, kNoSlot});
  }

  // x minus the maximum of its row.
  void center() {
    const Slot x = any();
    const TensorType& type = p.type(x);
    KernelBuilder b("center", p.pool);
    const BufferId in = b.input("x", type);
    const BufferId out = b.output("o", contiguous_type(DType::f32, type.sizes));
    const std::vector<Expr> outer(type.sizes.begin(), type.sizes.end() - 1);
    const Exprs inner{&type.sizes.back(), 1};
    b.loop(outer, [&](Exprs i) {
      const auto load = [&](Exprs j) {
        std::vector<Expr> from(i.begin(), i.end());
        from.push_back(j[0]);
        return b.load(in, from);
      };
      const Scalar most = b.reduce(loops::ReduceKind::max, inner, load);
      b.loop(inner, [&](Exprs j) {
        std::vector<Expr> at(i.begin(), i.end());
        at.push_back(j[0]);
        b.store(out, at, load(j) - most);
      });
    });
    add(std::move(b), {x, kNoSlot});
  }

  void view() {
    const Slot x = any();
    TensorType type = p.type(x);
    const bool is_dense = is_contiguous(type);
    switch (pick(0, 3)) {
      case 0:  // Transposed.
        std::swap(type.sizes.front(), type.sizes.back());
        std::swap(type.strides.front(), type.strides.back());
        break;
      case 1: {  // The upper half of the columns.
        const auto columns = type.sizes.back().maybe_constant();
        if (!columns || *columns < 2) return;
        type.sizes.back() = *columns / 2;
        type.offset = type.offset + type.strides.back() * (*columns - *columns / 2);
        break;
      }
      case 2: {  // Flat, or in pairs.
        if (!is_dense || !type.offset.is(0)) return;
        const Expr count = type.numel();
        const auto half = exact_quotient(count, 2);
        if (pick(0, 1) == 0 || !half) {
          type = contiguous_type(DType::f32, {1, count});
        } else {
          type = contiguous_type(DType::f32, {*half, 2});
        }
        break;
      }
      default: {  // A new dimension.
        type.sizes.insert(type.sizes.begin(), 1);
        type.strides.insert(type.strides.begin(), 1);
        break;
      }
    }
    values_.push_back(p.view(x, type));
  }

  void pad() {
    const Slot x = any();
    const TensorType& type = p.type(x);
    Sizes sizes = type.sizes;
    sizes.back() = sizes.back() + 3;
    KernelBuilder b("pad", p.pool);
    const BufferId in = b.input("x", type);
    const BufferId out = b.output("o", contiguous_type(DType::f32, sizes));
    b.loop(sizes, [&](Exprs i) {
      loops::IndexVector at(i.begin(), i.end());
      at.back() = i.back() - 1;
      const Scalar inside =
          b.index(logical_and(le(1, i.back()), lt(i.back(), type.sizes.back() + 1)), DType::bool_);
      b.store(out, i, b.load_if(inside, in, at, b.constant(DType::f32, 7.0)));
    });
    add(std::move(b), {x, kNoSlot});
  }

  void cat() {
    const Slot x = any();
    const TensorType type = p.type(x);
    Sizes sizes = type.sizes;
    sizes.back() = sizes.back() * 2;
    KernelBuilder b("cat", p.pool);
    const BufferId in = b.input("x", type);
    const BufferId out = b.output("o", contiguous_type(DType::f32, sizes));
    for (int half = 0; half < 2; ++half) {
      b.loop(type.sizes, [&](Exprs i) {
        std::vector<Expr> at(i.begin(), i.end());
        if (half == 1) at.back() = at.back() + type.sizes.back();
        b.store(out, at, b.load(in, i));
      });
    }
    add(std::move(b), {x, kNoSlot});
  }

  // Rows in the order of an index tensor.
  void gather() {
    const Slot x = any();
    const TensorType& type = p.type(x);
    if (type.rank() != 2 || !known_less(3, type.sizes[0])) return;
    KernelBuilder b("gather", p.pool);
    const BufferId in = b.input("x", type);
    const BufferId index = b.input("i", p.type(index_));
    const BufferId out = b.output("o", contiguous_type(DType::f32, {rows_, type.sizes[1]}));
    b.loop(std::vector<Expr>{rows_, type.sizes[1]}, [&](Exprs i) {
      const Scalar row = b.bound_index(b.load(index, i.first(1)), type.sizes[0], false, "row");
      b.store(out, i, b.load(in, loops::IndexVector{row.id(), i[1]}));
    });
    add(std::move(b), {x, index_, kNoSlot});
  }

  std::mt19937 random_;
  Expr rows_;
  Slot index_ = kNoSlot;
  std::vector<Slot> values_;
};

class RandomPlans : public testing::TestWithParam<int> {};

TEST_P(RandomPlans, GiveTheSameBits) {
  int before = 0;
  int after = 0;
  for (int i = 0; i < 200; ++i) {
    RandomPlan random(static_cast<uint32_t>(GetParam() * 1000 + i));
    const FusionReport report = random.p.fuse_and_compare(
        {.chain_small = i % 3 != 0, .use_scratch = i % 2 == 0, .verify = true});
    before += report.kernels_before;
    after += report.kernels_after;
    if (HasFailure()) FAIL() << "seed " << GetParam() * 1000 + i;
  }
  EXPECT_LT(after, before * 2 / 3);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlans, testing::Range(0, 8));

}  // namespace
}  // namespace litz::fusion
