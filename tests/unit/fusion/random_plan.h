// Random plans of the kinds of kernels that operators make: pointwise, broadcasting, reducing, padding,
// joining, gathering, through views; by seed, with and without symbolic sizes.

#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "fusion/small_plan.h"
#include "loops/builder.h"

namespace litz::fusion {

class RandomPlan {
 public:
  explicit RandomPlan(uint32_t seed, int64_t columns = 6) : random_(seed) {
    rows_ = 4;
    if (seed % 2 == 1) {
      SymbolInfo info;
      info.name = "s0";
      info.range = {1, 64};
      rows_ = p.pool.add_symbol(info);
      p.bindings.set(rows_.symbol(), 1 + static_cast<int64_t>(seed % 5));
    }
    for (int i = 0; i < 2; ++i)
      values_.push_back(p.input(contiguous_type(DType::f32, {rows_, columns})));
    values_.push_back(p.input(contiguous_type(DType::f32, {1, columns})));
    index_ = p.input(contiguous_type(DType::i64, {rows_}));
    const int steps = pick(4, 14);
    for (int i = 0; i < steps; ++i) add_step();
    for (const lowering::Slot slot : values_) {
      if (pick(0, 3) == 0) p.output(slot);
    }
    p.output(values_.back());
  }

  SmallPlan p;

 private:
  int pick(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random_); }

  // Recent values more often: chains and common readers both come up.
  lowering::Slot any() {
    const int count = static_cast<int>(values_.size());
    return values_[static_cast<size_t>(
        pick(pick(0, 1) == 0 ? 0 : std::max(0, count - 3), count - 1))];
  }

  void add(loops::KernelBuilder&& builder, std::vector<lowering::Slot> slots) {
    for (const lowering::Slot slot : p.kernels(std::move(builder).finish(), std::move(slots))) {
      values_.push_back(slot);
    }
  }

  void add_step() {
    switch (pick(0, 9)) {
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
      case 8:
        return product();
      default:
        return pick(0, 1) == 0 ? unary() : binary();
    }
  }

  void unary() { unary(any()); }

  void unary(lowering::Slot x) {
    loops::KernelBuilder b("unary", p.pool);
    const TensorType& type = p.type(x);
    const loops::BufferId in = b.input("x", type);
    const loops::BufferId out = b.output("o", contiguous_type(DType::f32, type.sizes));
    const int kind = pick(0, 3);
    b.loop(type.sizes, [&](loops::Exprs i) {
      const loops::Scalar v = b.load(in, i);
      b.store(out, i, kind == 0 ? -v : kind == 1 ? v * 0.5 : kind == 2 ? max(v, 0.0) : tanh(v));
    });
    add(std::move(b), {x, lowering::kNoSlot});
  }

  void binary() {
    const lowering::Slot x = any();
    const TensorType type = p.type(x);
    const lowering::Slot y = partner(type);
    loops::KernelBuilder b("binary", p.pool);
    const loops::BufferId left = b.input("x", type);
    const loops::BufferId right = b.input("y", p.type(y));
    const loops::BufferId out = b.output("o", contiguous_type(DType::f32, type.sizes));
    b.loop(type.sizes, [&](loops::Exprs i) {
      std::vector<Expr> at(i.begin(), i.end());
      for (size_t d = 0; d < at.size(); ++d) {
        if (p.type(y).sizes[d].is(1)) at[d] = 0;
      }
      b.store(out, i, b.load(left, i) - b.load(right, at) * 0.25);
    });
    add(std::move(b), {x, y, lowering::kNoSlot});
  }

  // A value that broadcasts to the type; itself if there is none.
  lowering::Slot partner(const TensorType& type) {
    for (int i = 0; i < 12; ++i) {
      const lowering::Slot slot = any();
      const TensorType& other = p.type(slot);
      bool fits = other.rank() == type.rank();
      for (size_t d = 0; fits && d < type.rank(); ++d) {
        fits = other.sizes[d].is(1) || other.sizes[d] == type.sizes[d];
      }
      if (fits) return slot;
    }
    for (const lowering::Slot slot : values_) {
      if (p.type(slot) == type) return slot;
    }
    return values_[0];
  }

  void reduce() {
    const lowering::Slot x = any();
    const TensorType& type = p.type(x);
    Sizes sizes = type.sizes;
    sizes.back() = 1;
    loops::KernelBuilder b("reduce", p.pool);
    const loops::BufferId in = b.input("x", type);
    const loops::BufferId out = b.output("o", contiguous_type(DType::f32, sizes));
    const std::vector<Expr> outer(type.sizes.begin(), type.sizes.end() - 1);
    b.loop(outer, [&](loops::Exprs i) {
      std::vector<Expr> at(i.begin(), i.end());
      at.emplace_back(0);
      const loops::Scalar sum =
          b.reduce(loops::ReduceKind::sum, {&type.sizes.back(), 1}, [&](loops::Exprs j) {
            std::vector<Expr> from(i.begin(), i.end());
            from.push_back(j[0]);
            return b.load(in, from);
          });
      b.store(out, at, sum);
    });
    add(std::move(b), {x, lowering::kNoSlot});
  }

  // x minus the maximum of its row.
  void center() {
    const lowering::Slot x = any();
    const TensorType& type = p.type(x);
    loops::KernelBuilder b("center", p.pool);
    const loops::BufferId in = b.input("x", type);
    const loops::BufferId out = b.output("o", contiguous_type(DType::f32, type.sizes));
    const std::vector<Expr> outer(type.sizes.begin(), type.sizes.end() - 1);
    const loops::Exprs inner{&type.sizes.back(), 1};
    b.loop(outer, [&](loops::Exprs i) {
      const auto load = [&](loops::Exprs j) {
        std::vector<Expr> from(i.begin(), i.end());
        from.push_back(j[0]);
        return b.load(in, from);
      };
      const loops::Scalar most = b.reduce(loops::ReduceKind::max, inner, load);
      b.loop(inner, [&](loops::Exprs j) {
        std::vector<Expr> at(i.begin(), i.end());
        at.push_back(j[0]);
        b.store(out, at, load(j) - most);
      });
    });
    add(std::move(b), {x, lowering::kNoSlot});
  }

  void view() {
    const lowering::Slot x = any();
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
    const lowering::Slot x = any();
    const TensorType& type = p.type(x);
    Sizes sizes = type.sizes;
    sizes.back() = sizes.back() + 3;
    loops::KernelBuilder b("pad", p.pool);
    const loops::BufferId in = b.input("x", type);
    const loops::BufferId out = b.output("o", contiguous_type(DType::f32, sizes));
    b.loop(sizes, [&](loops::Exprs i) {
      loops::IndexVector at(i.begin(), i.end());
      at.back() = i.back() - 1;
      const loops::Scalar inside =
          b.index(logical_and(le(1, i.back()), lt(i.back(), type.sizes.back() + 1)), DType::bool_);
      b.store(out, i, b.load_if(inside, in, at, b.constant(DType::f32, 7.0)));
    });
    add(std::move(b), {x, lowering::kNoSlot});
  }

  void cat() {
    const lowering::Slot x = any();
    const TensorType type = p.type(x);
    Sizes sizes = type.sizes;
    sizes.back() = sizes.back() * 2;
    loops::KernelBuilder b("cat", p.pool);
    const loops::BufferId in = b.input("x", type);
    const loops::BufferId out = b.output("o", contiguous_type(DType::f32, sizes));
    for (int half = 0; half < 2; ++half) {
      b.loop(type.sizes, [&](loops::Exprs i) {
        std::vector<Expr> at(i.begin(), i.end());
        if (half == 1) at.back() = at.back() + type.sizes.back();
        b.store(out, at, b.load(in, i));
      });
    }
    add(std::move(b), {x, lowering::kNoSlot});
  }

  // x times a matrix, plus a row: values stay of the same magnitude.
  void product() {
    const lowering::Slot x = any();
    const TensorType& type = p.type(x);
    const auto depth = type.sizes.back().maybe_constant();
    if (type.rank() != 2 || !depth) return;
    const int64_t columns = pick(0, 2) == 0 ? 5 : *depth;
    TensorType result = contiguous_type(DType::f32, {type.sizes[0], columns});
    if (pick(0, 3) == 0) result.strides = {1, type.sizes[0]};
    const lowering::Slot matrix = p.input(contiguous_type(DType::f32, {*depth, columns}));
    const lowering::Slot row = p.input(contiguous_type(DType::f32, {1, columns}));
    const Expr scale = Expr::real(1.0 / (8.0 * static_cast<double>(*depth)));
    values_.push_back(p.library("scaled_matmul", {row, x, matrix}, result, {Expr::real(1), scale}));
    if (pick(0, 2) > 0) return;
    unary(values_.back());
  }

  // Rows in the order of an index tensor.
  void gather() {
    const lowering::Slot x = any();
    const TensorType& type = p.type(x);
    if (type.rank() != 2 || !known_less(3, type.sizes[0])) return;
    loops::KernelBuilder b("gather", p.pool);
    const loops::BufferId in = b.input("x", type);
    const loops::BufferId index = b.input("i", p.type(index_));
    const loops::BufferId out = b.output("o", contiguous_type(DType::f32, {rows_, type.sizes[1]}));
    b.loop(std::vector<Expr>{rows_, type.sizes[1]}, [&](loops::Exprs i) {
      const loops::Scalar row =
          b.bound_index(b.load(index, i.first(1)), type.sizes[0], false, "row");
      b.store(out, i, b.load(in, loops::IndexVector{row.id(), i[1]}));
    });
    add(std::move(b), {x, index_, lowering::kNoSlot});
  }

  std::mt19937 random_;
  Expr rows_;
  lowering::Slot index_ = lowering::kNoSlot;
  std::vector<lowering::Slot> values_;
};

}  // namespace litz::fusion
