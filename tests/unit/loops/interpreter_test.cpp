#include "loops/interpreter.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loops/builder.h"
#include "support/check.h"

namespace litz::loops {
namespace {

using testing::HasSubstr;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Tensor floats(std::vector<int64_t> sizes, std::vector<float> values) {
  return Tensor::of<float>(DType::f32, std::move(sizes), std::span<const float>(values));
}

Tensor longs(std::vector<int64_t> sizes, std::vector<int64_t> values) {
  return Tensor::of<int64_t>(DType::i64, std::move(sizes), std::span<const int64_t>(values));
}

template <typename T>
std::vector<T> values_of(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  const T* data = reinterpret_cast<const T*>(dense.data());
  return {data, data + dense.numel()};
}

std::vector<float> iota(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

class Interpreter : public testing::Test {
 protected:
  TensorType type(DType dtype, std::vector<Expr> sizes) {
    return contiguous_type(dtype, std::move(sizes));
  }

  Expr size_symbol(const char* name) {
    SymbolInfo info;
    info.name = name;
    info.range = {0, Interval::kMax};
    return pool.add_symbol(std::move(info));
  }

  ExprPool pool;
  Bindings bindings;
};

using IndexList = std::vector<Expr>;

TEST_F(Interpreter, PointwiseOverSymbolicSizes) {
  const Expr s0 = size_symbol("s0");
  KernelBuilder b("silu", pool);
  const BufferId x = b.input("x", type(DType::f32, {s0, 3}));
  const BufferId y = b.output("y", type(DType::f32, {s0, 3}));
  b.loop(b.type(x).sizes, [&](Exprs i) {
    const Scalar v = b.load(x, i);
    b.store(y, i, v / (1 + exp(-v)));
  });
  const Kernel kernel = std::move(b).finish();
  const PreparedKernel prepared(kernel);
  for (const int64_t rows : {0, 1, 7, 1000}) {
    bindings.set(s0.symbol(), rows);
    const Tensor in = floats({rows, 3}, iota(rows * 3));
    const Tensor out = Tensor::empty(DType::f32, {rows, 3});
    prepared.run(std::vector{in, out}, bindings);
    const auto result = values_of<float>(out);
    for (size_t i = 0; i < result.size(); ++i) {
      const float v = static_cast<float>(i);
      EXPECT_EQ(result[i], v / (1.0F + static_cast<float>(std::exp(-static_cast<double>(v)))));
    }
  }
}

TEST_F(Interpreter, StridedAndBroadcastOperands) {
  KernelBuilder b("add", pool);
  TensorType transposed = type(DType::f32, {5, 700});
  transposed.strides = {1, 5};
  const BufferId x = b.input("x", transposed);
  const BufferId row = b.input("row", type(DType::f32, {700}));
  const BufferId column = b.input("column", type(DType::f32, {5, 1}));
  const BufferId y = b.output("y", type(DType::f32, {5, 700}));
  b.loop(b.type(y).sizes, [&](Exprs i) {
    b.store(y, i, b.load(x, i) + b.load(row, {i[1]}) * b.load(column, {i[0], Expr(0)}));
  });
  const Kernel kernel = std::move(b).finish();
  const Tensor in = floats({700, 5}, iota(3500)).view({5, 700}, {1, 5}, 0);
  const Tensor out = Tensor::empty(DType::f32, {5, 700});
  interpret(kernel, std::vector{in, floats({700}, iota(700)), floats({5, 1}, iota(5)), out},
            bindings);
  const auto result = values_of<float>(out);
  for (int64_t i = 0; i < 5; ++i) {
    for (int64_t j = 0; j < 700; ++j) {
      EXPECT_EQ(result[static_cast<size_t>(i * 700 + j)], static_cast<float>(j * 5 + i + j * i));
    }
  }
}

Kernel softmax(ExprPool& pool, int64_t rows, int64_t columns) {
  KernelBuilder b("softmax", pool);
  const TensorType type = contiguous_type(DType::f32, {rows, columns});
  const BufferId x = b.input("x", type);
  const BufferId y = b.output("y", type);
  b.loop(IndexList{rows}, [&](Exprs i) {
    const Scalar m = b.reduce(ReduceKind::max, IndexList{columns}, [&](Exprs j) {
      return b.load(x, {i[0], j[0]});
    });
    const Scalar s = b.reduce(ReduceKind::sum, IndexList{columns}, [&](Exprs j) {
      return exp(b.load(x, {i[0], j[0]}) - m);
    });
    b.loop(IndexList{columns}, [&](Exprs j) {
      b.store(y, {i[0], j[0]}, exp(b.load(x, {i[0], j[0]}) - m) / s);
    });
  });
  return std::move(b).finish();
}

TEST_F(Interpreter, SoftmaxInEitherLaneChoice) {
  for (const auto& [rows, columns] : {std::pair{3, 900}, std::pair{900, 3}, std::pair{100, 100}}) {
    const Kernel kernel = softmax(pool, rows, columns);
    std::vector<float> values(static_cast<size_t>(rows * columns));
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 101) / 16;
    const Tensor out = Tensor::empty(DType::f32, {rows, columns});
    interpret(kernel, std::vector{floats({rows, columns}, values), out}, bindings);
    const auto result = values_of<float>(out);
    for (int64_t i = 0; i < rows; ++i) {
      const float* row = values.data() + i * columns;
      const float m = *std::max_element(row, row + columns);
      double total = 0;
      for (int64_t j = 0; j < columns; ++j) {
        total += static_cast<float>(std::exp(static_cast<double>(row[j] - m)));
      }
      for (int64_t j = 0; j < columns; ++j) {
        const float e = static_cast<float>(std::exp(static_cast<double>(row[j] - m)));
        EXPECT_EQ(result[static_cast<size_t>(i * columns + j)], e / static_cast<float>(total));
      }
    }
  }
}

TEST_F(Interpreter, MatrixProduct) {
  constexpr int64_t kM = 9;
  constexpr int64_t kN = 130;
  constexpr int64_t kK = 33;
  KernelBuilder b("mm", pool);
  const BufferId x = b.input("x", type(DType::f32, {kM, kK}));
  const BufferId w = b.input("w", type(DType::f32, {kK, kN}));
  const BufferId y = b.output("y", type(DType::f32, {kM, kN}));
  b.loop(b.type(y).sizes, [&](Exprs i) {
    b.store(y, i, b.reduce(ReduceKind::sum, IndexList{kK}, [&](Exprs k) {
      return b.load(x, {i[0], k[0]}) * b.load(w, {k[0], i[1]});
    }));
  });
  const Kernel kernel = std::move(b).finish();
  const Tensor out = Tensor::empty(DType::f32, {kM, kN});
  interpret(kernel,
            std::vector{floats({kM, kK}, iota(kM * kK)), floats({kK, kN}, iota(kK * kN)), out},
            bindings);
  const auto result = values_of<float>(out);
  for (int64_t i = 0; i < kM; ++i) {
    for (int64_t j = 0; j < kN; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < kK; ++k) sum += static_cast<double>((i * kK + k) * (k * kN + j));
      EXPECT_EQ(result[static_cast<size_t>(i * kN + j)], static_cast<float>(sum));
    }
  }
}

TEST_F(Interpreter, PredicatedLoadsPad) {
  KernelBuilder b("pad", pool);
  const BufferId x = b.input("x", type(DType::f32, {4}));
  const BufferId y = b.output("y", type(DType::f32, {10}));
  b.loop(IndexList{10}, [&](Exprs i) {
    const Scalar at = b.index(i[0] - 3);
    const Scalar inside = (at >= 0) & (at < 4);
    b.store(y, i, b.load_if(inside, x, {i[0] - 3}, b.constant(DType::f32, -1.0)));
  });
  const Tensor out = Tensor::empty(DType::f32, {10});
  interpret(std::move(b).finish(), std::vector{floats({4}, {1, 2, 3, 4}), out}, bindings);
  EXPECT_EQ(values_of<float>(out), (std::vector<float>{-1, -1, -1, 1, 2, 3, 4, -1, -1, -1}));
}

TEST_F(Interpreter, NonLinearIndices) {
  KernelBuilder b("upsample", pool);
  const BufferId x = b.input("x", type(DType::f32, {3, 4}));
  const BufferId y = b.output("y", type(DType::f32, {9, 8}));
  b.loop(IndexList{9, 8}, [&](Exprs i) {
    b.store(y, i, b.load(x, {floor_div(i[0], 3), mod(i[1] + 1, 4)}));
  });
  const Tensor out = Tensor::empty(DType::f32, {9, 8});
  interpret(std::move(b).finish(), std::vector{floats({3, 4}, iota(12)), out}, bindings);
  const auto result = values_of<float>(out);
  for (int64_t i = 0; i < 9; ++i) {
    for (int64_t j = 0; j < 8; ++j) {
      EXPECT_EQ(result[static_cast<size_t>(i * 8 + j)],
                static_cast<float>(i / 3 * 4 + (j + 1) % 4));
    }
  }
}

Kernel gather(ExprPool& pool, bool wrap) {
  KernelBuilder b("gather", pool);
  const BufferId x = b.input("x", contiguous_type(DType::f32, {5, 2}));
  const BufferId index = b.input("index", contiguous_type(DType::i64, {4}));
  const BufferId y = b.output("y", contiguous_type(DType::f32, {4, 2}));
  b.loop(IndexList{4, 2}, [&](Exprs i) {
    const Scalar row = b.bound_index(b.load(index, {i[0]}), 5, wrap, "index of gather");
    b.store(y, i, b.load(x, {row.id(), i[1]}));
  });
  return std::move(b).finish();
}

TEST_F(Interpreter, ComputedIndicesWrapAndAreBounded) {
  const Tensor x = floats({5, 2}, iota(10));
  const Tensor out = Tensor::empty(DType::f32, {4, 2});
  interpret(gather(pool, true), std::vector{x, longs({4}, {0, -1, 4, -5}), out}, bindings);
  EXPECT_EQ(values_of<float>(out), (std::vector<float>{0, 1, 8, 9, 8, 9, 0, 1}));
  try {
    interpret(gather(pool, false), std::vector{x, longs({4}, {0, 1, 5, 0}), out}, bindings);
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_range);
    EXPECT_THAT(error.what(), HasSubstr("index of gather"));
    EXPECT_THAT(error.what(), HasSubstr("5"));
  }
  EXPECT_THROW(
      interpret(gather(pool, false), std::vector{x, longs({4}, {0, -1, 0, 0}), out}, bindings),
      Error);
}

TEST_F(Interpreter, LanesThatAreNotUsedHoldAnyIndex) {
  KernelBuilder b("gather_if", pool);
  const BufferId x = b.input("x", type(DType::f32, {5, 2}));
  const BufferId index = b.input("index", type(DType::i64, {3}));
  const BufferId y = b.output("y", type(DType::f32, {3, 2}));
  b.loop(IndexList{3, 2}, [&](Exprs i) {
    const Scalar row = b.load(index, {i[0]});
    const Scalar inside = (row >= 0) & (row < 5);
    b.store(y, i, b.load_if(inside, x, {row.id(), i[1]}, b.constant(DType::f32, -1.0)));
  });
  const Tensor out = Tensor::empty(DType::f32, {3, 2});
  using Limits = std::numeric_limits<int64_t>;
  const Tensor rows = longs({3}, {Limits::min(), 2, Limits::max()});
  interpret(std::move(b).finish(), std::vector{floats({5, 2}, iota(10)), rows, out}, bindings);
  EXPECT_EQ(values_of<float>(out), (std::vector<float>{-1, -1, 4, 5, -1, -1}));
}

TEST_F(Interpreter, StoresCombineInOrder) {
  KernelBuilder b("index_add", pool);
  const BufferId index = b.input("index", type(DType::i64, {6}));
  const BufferId x = b.input("x", type(DType::f32, {6}));
  const BufferId y = b.output("y", type(DType::f32, {3}));
  b.loop(IndexList{6}, [&](Exprs i) {
    b.store(y, IndexVector{b.load(index, i).id()}, b.load(x, i), StoreMode::add);
  });
  const Tensor out = floats({3}, {100, 200, 300});
  interpret(std::move(b).finish(),
            std::vector{longs({6}, {0, 0, 2, 2, 2, 0}), floats({6}, {1, 2, 3, 4, 5, 6}), out},
            bindings);
  EXPECT_EQ(values_of<float>(out), (std::vector<float>{109, 200, 312}));
}

TEST_F(Interpreter, CarriedLoopsRunInOrder) {
  KernelBuilder b("fibonacci", pool);
  const BufferId x = b.input("x", type(DType::i64, {3}));
  const BufferId y = b.output("y", type(DType::i64, {3, 10}));
  const BufferId last = b.output("last", type(DType::i64, {3}));
  b.loop(IndexList{3}, [&](Exprs i) {
    const auto results =
        b.carry(10, std::array{b.constant(DType::i64, int64_t{0}), b.load(x, i)},
                [&](Expr k, std::span<const Scalar> state) {
                  b.store(y, {i[0], k}, state[1]);
                  return std::vector{state[1], state[0] + state[1]};  // A swap of sorts.
                });
    b.store(last, i, results[1]);
  });
  const Tensor out = Tensor::empty(DType::i64, {3, 10});
  const Tensor end = Tensor::empty(DType::i64, {3});
  interpret(std::move(b).finish(), std::vector{longs({3}, {1, 2, 0}), out, end}, bindings);
  const auto result = values_of<int64_t>(out);
  EXPECT_EQ(std::vector(result.begin(), result.begin() + 10),
            (std::vector<int64_t>{1, 1, 2, 3, 5, 8, 13, 21, 34, 55}));
  EXPECT_EQ(values_of<int64_t>(end), (std::vector<int64_t>{89, 178, 0}));
}

TEST_F(Interpreter, SortIsStableAndPutsNaNLast) {
  KernelBuilder b("topk", pool);
  const BufferId x = b.input("x", type(DType::f32, {2, 5}));
  const BufferId values = b.output("values", type(DType::f32, {2, 4}));
  const BufferId positions = b.output("positions", type(DType::i64, {2, 4}));
  b.loop(IndexList{2}, [&](Exprs i) {
    b.sort(
        5, true, 4,
        [&](Expr j) {
          return b.load(x, {i[0], j});
        },
        [&](Expr at, Scalar key, Scalar source) {
          b.store(values, {i[0], at}, key);
          b.store(positions, {i[0], at}, source);
        });
  });
  const Tensor v = Tensor::empty(DType::f32, {2, 4});
  const Tensor p = Tensor::empty(DType::i64, {2, 4});
  interpret(std::move(b).finish(),
            std::vector{floats({2, 5}, {1, 3, 2, 3, kNaN, 0, 0, 0, 0, 5}), v, p}, bindings);
  EXPECT_EQ(values_of<int64_t>(p), (std::vector<int64_t>{4, 1, 3, 2, 4, 0, 1, 2}));
  const auto keys = values_of<float>(v);
  EXPECT_TRUE(std::isnan(keys[0]));
  EXPECT_EQ(std::vector(keys.begin() + 1, keys.end()), (std::vector<float>{3, 3, 2, 5, 0, 0, 0}));
}

TEST_F(Interpreter, TensorsMustFitTheKernel) {
  const Kernel kernel = softmax(pool, 2, 3);
  const Tensor good = Tensor::zeros(DType::f32, {2, 3});
  EXPECT_NO_THROW(interpret(kernel, std::vector{good, good}, bindings));
  EXPECT_THROW(interpret(kernel, std::vector{good}, bindings), Error);
  EXPECT_THROW(interpret(kernel, std::vector{good, Tensor()}, bindings), Error);
  EXPECT_THROW(interpret(kernel, std::vector{good, Tensor::zeros(DType::f64, {2, 3})}, bindings),
               Error);
  EXPECT_THROW(interpret(kernel, std::vector{good, Tensor::zeros(DType::f32, {3, 2})}, bindings),
               Error);
  const Tensor turned = Tensor::zeros(DType::f32, {3, 2}).view({2, 3}, {1, 2}, 0);
  EXPECT_THROW(interpret(kernel, std::vector{good, turned}, bindings), Error);
}

TEST_F(Interpreter, PreparedKernelsRunConcurrently) {
  const PreparedKernel prepared(softmax(pool, 40, 50));
  const Tensor x = floats({40, 50}, iota(2000));
  const Tensor expected = Tensor::zeros(DType::f32, {40, 50});
  prepared.run(std::vector{x, expected}, bindings);
  std::vector<Tensor> results;
  for (int i = 0; i < 4; ++i) results.push_back(Tensor::zeros(DType::f32, {40, 50}));
  {
    std::vector<std::jthread> threads;
    for (const Tensor& result : results) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) prepared.run(std::vector{x, result}, bindings);
      });
    }
  }
  for (const Tensor& result : results)
    EXPECT_EQ(values_of<float>(result), values_of<float>(expected));
}

TEST_F(Interpreter, AccessesOutsideTheBufferAreFound) {
  KernelBuilder b("outside", pool);
  const BufferId x = b.input("x", type(DType::f32, {4}));
  const BufferId y = b.output("y", type(DType::f32, {4}));
  b.loop(IndexList{4}, [&](Exprs i) { b.store(y, i, b.load(x, {i[0] + 1})); });
  const Kernel kernel = std::move(b).finish();
  const Tensor t = Tensor::zeros(DType::f32, {4});
  EXPECT_THROW(interpret(kernel, std::vector{t, t}, bindings), InternalError);
}

TEST_F(Interpreter, SizesThatDoNotFitAreAnError) {
  const Expr a = pool.add_symbol({"a", SymbolKind::size, {1, Interval::kMax}, std::nullopt});
  const Expr c = pool.add_symbol({"c", SymbolKind::size, {1, Interval::kMax}, std::nullopt});
  KernelBuilder b("k", pool);
  const BufferId x = b.input("x", type(DType::f32, {a}));
  const BufferId y = b.output("y", type(DType::f32, {c}));
  b.loop(IndexList{c}, [&](Exprs i) { b.store(y, i, b.load(x, {i[0]})); });
  const Kernel kernel = std::move(b).finish();
  bindings.set(a.symbol(), 3);
  bindings.set(c.symbol(), 4);
  const std::vector tensors{Tensor::zeros(DType::f32, {3}), Tensor::zeros(DType::f32, {4})};
  EXPECT_THROW(interpret(kernel, tensors, bindings), Error);
}

TEST_F(Interpreter, FlatAccessesStartAtTheBoundPointer) {
  const Kernel kernel =
      parse_kernel(R"(kernel @k(%x: f32[2, 3]{1, 2}+1, %n: i64[2], out %y: f32[2, 3]) {
  for i in 0..2, j in 0..3 {
    %0 = load %n at [i]
    %1 = load %x at [2*j + 1, %0 * 1]
    store %y at [3*i + j], %1
  }
}
)",
                   pool);
  // The buffer is elements 1 to 6 of what the pointer is bound to.
  const Tensor memory = floats({7}, iota(7));
  const Tensor x(DType::f32, {2, 3}, {1, 2}, 0, memory.storage());
  const Tensor y = Tensor::zeros(DType::f32, {2, 3});
  interpret(kernel, std::vector{x, longs({2}, {1, 0}), y}, bindings);
  EXPECT_THAT(values_of<float>(y), testing::ElementsAre(2, 4, 6, 1, 3, 5));
}

TEST_F(Interpreter, FlatAccessesOutsideTheBufferAreFound) {
  const Tensor t = Tensor::zeros(DType::f32, {4});
  for (const char* offset : {"i + 1", "i - 1"}) {
    const std::string text = std::string("kernel @k(%x: f32[4], out %y: f32[4]) {\n") +
                             "  for i in 0..4 {\n    %0 = load %x at [" + offset +
                             "]\n    store %y at [i], %0\n  }\n}\n";
    const Kernel kernel = parse_kernel(text, pool);
    EXPECT_THROW(interpret(kernel, std::vector{t, t}, bindings), InternalError);
  }
}

// Iterations of these loops depend on each other, so words that say otherwise change the result.
TEST_F(Interpreter, WordsThatAreNotTrueShow) {
  const auto pairs = [&](const std::string& words) {
    const Kernel kernel =
        parse_kernel("kernel @k(out %y: f32[4]) {\n  for i in 0..8" + words +
                         " {\n    %0 = index f32 i\n    store %y[i//2], %0\n  }\n}\n",
                     pool);
    const Tensor y = Tensor::zeros(DType::f32, {4});
    interpret(kernel, std::vector{y}, bindings);
    return values_of<float>(y);
  };
  EXPECT_THAT(pairs(""), testing::ElementsAre(1, 3, 5, 7));
  EXPECT_THAT(pairs(" parallel"), testing::ElementsAre(0, 2, 4, 6));

  const auto shifted = [&](const std::string& words) {
    const Kernel kernel =
        parse_kernel("kernel @k(out %y: f32[9]) {\n  for i in 0..8" + words +
                         " {\n    %0 = load %y at [i]\n    store %y at [i + 1], %0\n  }\n}\n",
                     pool);
    const Tensor y = floats({9}, iota(9));
    interpret(kernel, std::vector{y}, bindings);
    return values_of<float>(y);
  };
  EXPECT_THAT(shifted(" vector 4"), testing::ElementsAre(0, 0, 1, 2, 3, 3, 5, 6, 7));
  EXPECT_THAT(shifted(" parallel vector 4"), testing::ElementsAre(0, 0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_F(Interpreter, ParallelVariablesOfANestCountBackwards) {
  const Kernel kernel = parse_kernel(R"(kernel @k(out %y: f32[3, 5]) {
  for i in 0..3 parallel, j in 0..5 vector 4 {
    %0 = index f32 j + 10*i
    store %y at [5*i + j], %0
  }
  for k in 0..3, l in 0..5 parallel {
    %1 = load %y at [5*k + l]
    %2 = add %1, %1
    store %y at [5*k + l], %2
  }
}
)",
                                     pool);
  const Tensor y = Tensor::zeros(DType::f32, {3, 5});
  interpret(kernel, std::vector{y}, bindings);
  EXPECT_THAT(values_of<float>(y),
              testing::ElementsAre(0, 2, 4, 6, 8, 20, 22, 24, 26, 28, 40, 42, 44, 46, 48));
}

}  // namespace
}  // namespace litz::loops
