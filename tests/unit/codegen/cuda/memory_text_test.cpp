// Loads, stores and checks on the card against the interpreter.

#include "codegen/cuda/cuda_compiler.h"
#include "emulated_kernel.h"

namespace litz::codegen {
namespace {

using loops::BufferId;
using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;
using loops::StoreMode;

using MemoryTextTest = EmulatedKernelTest;

constexpr int64_t kStores = 1500;
constexpr int64_t kPlaces = 7;

/// Stores every value at a computed place, by every mode and dtype.
class AllScatters {
 public:
  AllScatters(ExprPool& pool, std::vector<DType> dtypes) : b_("scatter", pool) {
    places_ = b_.input("places", contiguous_type(DType::i64, {kStores}));
    Tensor places = whole_numbers(DType::i64, {kStores}, 3);
    auto* const values = reinterpret_cast<int64_t*>(places.mutable_data());
    for (int64_t i = 0; i < kStores; ++i) values[i] += 3;
    tensors_.push_back(places);
    for (const DType dtype : dtypes) {
      for (const StoreMode mode :
           {StoreMode::assign, StoreMode::add, StoreMode::mul, StoreMode::min, StoreMode::max}) {
        add(dtype, mode);
      }
    }
  }

  loops::Kernel kernel() && { return std::move(b_).finish(); }

  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  void add(DType dtype, StoreMode mode) {
    const std::string suffix = std::to_string(tensors_.size());
    const BufferId x = b_.input("x" + suffix, contiguous_type(dtype, {kStores}));
    const BufferId y = b_.output("y" + suffix, contiguous_type(dtype, {kPlaces}));
    // Sums of tenths depend on their order.
    Tensor values = whole_numbers(DType::f64, {kStores}, 9);
    auto* const numbers = reinterpret_cast<double*>(values.mutable_data());
    for (int64_t i = 0; i < kStores; ++i) {
      if (mode == StoreMode::mul)
        numbers[i] = i % 5 == 0 ? -1.1 : i % 7 == 0 ? 3 : 1;
      else if (!is_integer(dtype))
        numbers[i] /= 10;
    }
    tensors_.push_back(values.to(dtype));
    tensors_.push_back(tensor_of(dtype, {kPlaces}, std::vector<double>(kPlaces, 1)));
    b_.loop(std::vector<Expr>{kStores}, [&](Exprs i) {
      const Scalar place = b_.bound_index(b_.load(places_, i), kPlaces, false, "place");
      const Scalar value = b_.load(x, i);
      b_.store(y, {place.id()}, value, mode);
    });
  }

  KernelBuilder b_;
  BufferId places_ = -1;
  std::vector<Tensor> tensors_;
};

TEST_F(MemoryTextTest, IntegersAreScatteredInAnyOrder) {
  AllScatters all(pool_, {DType::i8, DType::u8, DType::i16, DType::i32, DType::i64, DType::bool_});
  const std::vector<Tensor> tensors = all.tensors();
  compare(std::move(all).kernel(), tensors);
}

TEST_F(MemoryTextTest, RealsAreScatteredInOrder) {
  AllScatters all(pool_, {DType::f32, DType::f64});
  const std::vector<Tensor> tensors = all.tensors();
  compare(std::move(all).kernel(), tensors);
}

// Iterations of j never meet, those of i do.
TEST_F(MemoryTextTest, RowsAreScatteredInOrder) {
  compare(R"(kernel @k(%n: i64[90], %x: f32[90, 64], out %y: f32[5, 64]) {
  for i in 0..90, j in 0..64 {
    %0 = load %n[i]
    %1 = bound_index wrap "row" %0, 5
    %2 = load %x[i, j]
    store add %y[%1, j], %2
  }
}
)",
          {whole_numbers(DType::i64, {90}, 4), whole_numbers(DType::f32, {90, 64}, 100),
           Tensor::zeros(DType::f32, {5, 64})});
}

// The element is not there where the predicate is false.
TEST_F(MemoryTextTest, PredicatesGuardAccesses) {
  KernelBuilder b("guarded", pool_);
  const BufferId x = b.input("x", contiguous_type(DType::f32, {1}));
  const BufferId flags = b.input("flags", contiguous_type(DType::bool_, {300}));
  const BufferId y = b.output("y", contiguous_type(DType::f32, {300}));
  const BufferId z = b.output("z", contiguous_type(DType::i8, {150}));
  b.loop(std::vector<Expr>{300}, [&](Exprs i) {
    const Scalar is_first = b.index(i[0]) < 1;
    b.store(y, i, b.load_if(is_first, x, {i[0]}, b.index(i[0], DType::f32)));
    b.store_if(b.index(i[0]) < 150, z, {i[0]}, b.cast(b.load(flags, i), DType::i8));
  });
  const loops::Kernel kernel = std::move(b).finish();
  compare(kernel, {whole_numbers(DType::f32, {1}), whole_numbers(DType::bool_, {300}),
                   Tensor::zeros(DType::f32, {300}), Tensor::zeros(DType::i8, {150})});
}

// Any byte but 0 is true; 1 is written.
TEST_F(MemoryTextTest, BoolsAreAnyBytes) {
  Tensor bytes = Tensor::empty(DType::bool_, {256});
  for (int64_t i = 0; i < 256; ++i) bytes.mutable_data()[i] = static_cast<std::byte>(i);
  const auto results =
      compare(R"(kernel @k(%x: bool[256], out %y: bool[256], out %z: i32[256]) {
  for i in 0..256 {
    %0 = load %x[i]
    store %y[i], %0
    %1 = cast i32 %0
    store %z[i], %1
  }
}
)",
              {bytes, Tensor::zeros(DType::bool_, {256}), Tensor::zeros(DType::i32, {256})});
  EXPECT_EQ(results[0].data()[255], std::byte{1});
}

TEST_F(MemoryTextTest, StridedBuffers) {
  compare(
      R"(kernel @k(%x: f32[70, 33]{1, 70}, %y: f32[33]{0}, out %z: f32[70, 33]{1, 70}) {
  for i in 0..70, j in 0..33 {
    %0 = load %x[69 - i, j]
    %1 = load %y[j]
    %2 = add %0, %1
    store %z[i, j], %2
  }
}
)",
      {whole_numbers(DType::f32, {70, 33}).clone({1, 70}),
       whole_numbers(DType::f32, {1}).view({33}, {0}, 0),
       Tensor::empty_strided(DType::f32, {70, 33}, {1, 70})});
}

/// A kernel that looks up one index of a row in a dimension of 9.
std::string lookup(const std::string& word, const std::string& rows) {
  return "kernel @k(%n: i64[" + rows + "], %x: f32[9], out %y: f32[" + rows + R"(]) {
  for i in 0..)" +
         rows + R"( {
    %0 = load %n[i]
    %1 = bound_index )" +
         word + R"("index of a test" %0, 9
    %2 = load %x[%1]
    store %y[i], %2
  }
}
)";
}

TEST_F(MemoryTextTest, FailuresTellTheValueAndTheExtent) {
  for (const char* const word : {"", "wrap "}) {
    for (const int64_t bad : {int64_t{9}, int64_t{-1}, int64_t{-10}, INT64_MAX, INT64_MIN}) {
      if (bad == -1 && *word != '\0') continue;
      SCOPED_TRACE(word + std::to_string(bad));
      Tensor places = Tensor::zeros(DType::i64, {600});
      reinterpret_cast<int64_t*>(places.mutable_data())[333] = bad;
      expect_same_failure(parsed(lookup(word, "600")), {places, whole_numbers(DType::f32, {9}),
                                                        Tensor::zeros(DType::f32, {600})});
    }
  }
}

TEST_F(MemoryTextTest, NegativeIndicesWrap) {
  compare(lookup("wrap ", "100"),
          {whole_numbers(DType::i64, {100}, 8), whole_numbers(DType::f32, {9}),
           Tensor::zeros(DType::f32, {100})});
}

TEST_F(MemoryTextTest, Assertions) {
  const std::string text = R"(kernel @k(%x: i64[50, 40], out %y: i64[50]) {
  for i in 0..50 {
    %0 = reduce max j in 0..40 {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = const i64 100
    %3 = lt %0, %2
    check %3, "rows are below 100"
    store %y[i], %0
  }
}
)";
  Tensor x = whole_numbers(DType::i64, {50, 40});
  compare(text, {x, Tensor::zeros(DType::i64, {50})});
  reinterpret_cast<int64_t*>(x.mutable_data())[40 * 30 + 7] = 100;
  expect_same_failure(parsed(text), {x, Tensor::zeros(DType::i64, {50})});
}

}  // namespace
}  // namespace litz::codegen
