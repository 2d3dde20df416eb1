// The functions that all CUDA text shares: narrow formats at all encodings, random words.

#include "codegen/cuda/prelude.h"

#include <cmath>

#include "emulated_kernel.h"
#include "support/philox.h"

namespace litz::codegen {
namespace {

using loops::BufferId;
using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;

using PreludeTest = EmulatedKernelTest;

constexpr DType kNarrow[] = {DType::f16,        DType::bf16,       DType::f8e4m3fn, DType::f8e5m2,
                             DType::f8e4m3fnuz, DType::f8e5m2fnuz, DType::f8e8m0fnu};

/// All encodings of a format.
Tensor encodings(DType dtype) {
  const int64_t count = int64_t{1} << (8 * item_size(dtype));
  Tensor all = Tensor::empty(dtype, {count});
  for (int64_t i = 0; i < count; ++i) {
    if (count == 256) {
      all.mutable_data()[i] = static_cast<std::byte>(i);
    } else {
      reinterpret_cast<uint16_t*>(all.mutable_data())[i] = static_cast<uint16_t>(i);
    }
  }
  return all;
}

/// The values of all encodings, the middle between neighbours and the floats next to it.
Tensor around_encodings(DType dtype) {
  const Tensor all = encodings(dtype).to(DType::f32);
  const auto* const values = reinterpret_cast<const float*>(all.data());
  std::vector<float> around;
  for (int64_t i = 0; i < all.numel(); ++i) {
    around.push_back(values[i]);
    if (i + 1 == all.numel()) break;
    const float middle = values[i] / 2 + values[i + 1] / 2;
    around.insert(around.end(),
                  {middle, std::nextafter(middle, 0.0F), std::nextafter(middle, 2 * middle)});
  }
  return Tensor::of<float>(DType::f32, {static_cast<int64_t>(around.size())},
                           std::span<const float>(around));
}

TEST_F(PreludeTest, NarrowFormatsAtAllEncodings) {
  KernelBuilder b("formats", pool_);
  std::vector<Tensor> tensors;
  const auto input = [&](const Tensor& tensor) {
    tensors.push_back(tensor);
    return b.input("b" + std::to_string(tensors.size()),
                   contiguous_type(tensor.dtype(), {tensor.numel()}));
  };
  const auto output = [&](DType dtype, int64_t count) {
    tensors.push_back(Tensor::zeros(dtype, {count}));
    return b.output("b" + std::to_string(tensors.size()), contiguous_type(dtype, {count}));
  };
  std::vector<Tensor> expected;
  for (const DType dtype : kNarrow) {
    const Tensor all = encodings(dtype);
    const Tensor around = around_encodings(dtype);
    const BufferId narrow = input(all);
    const BufferId decoded = output(DType::f32, all.numel());
    const BufferId real = input(around);
    const BufferId encoded = output(dtype, around.numel());
    b.loop(std::vector<Expr>{all.numel()},
           [&](Exprs i) { b.store(decoded, i, b.cast(b.load(narrow, i), DType::f32)); });
    b.loop(std::vector<Expr>{around.numel()},
           [&](Exprs i) { b.store(encoded, i, b.cast(b.load(real, i), dtype)); });
    expected.push_back(all.to(DType::f32));
    expected.push_back(around.to(dtype));
  }
  run(std::move(b).finish(), tensors);
  for (size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(name(kNarrow[i / 2]));
    expect_same_bits(tensors[2 * i + 1], expected[i]);
  }
}

TEST_F(PreludeTest, RandomWordsAreThoseOfPhilox) {
  KernelBuilder b("words", pool_);
  const BufferId seeds = b.input("seeds", contiguous_type(DType::i64, {5}));
  const BufferId places = b.input("places", contiguous_type(DType::i64, {9}));
  const BufferId y = b.output("y", contiguous_type(DType::i64, {5, 9}));
  const BufferId z = b.output("z", contiguous_type(DType::i32, {5, 9}));
  b.loop(std::vector<Expr>{5, 9}, [&](Exprs i) {
    const Scalar seed = b.load(seeds, {i[0]});
    const Scalar place = b.load(places, {i[1]});
    b.store(y, i, b.philox(seed, place, DType::i64));
    b.store(z, i, b.philox(seed, place, DType::i32));
  });
  const std::vector<int64_t> seed_values{0, 1, -1, 0x123456789abcdef, INT64_MIN};
  const std::vector<int64_t> place_values{0, 1, 2, 3, 4, 1'000'003, int64_t{1} << 33, -1, -2};
  const std::vector<Tensor> tensors{
      Tensor::of<int64_t>(DType::i64, {5}, std::span<const int64_t>(seed_values)),
      Tensor::of<int64_t>(DType::i64, {9}, std::span<const int64_t>(place_values)),
      Tensor::zeros(DType::i64, {5, 9}), Tensor::zeros(DType::i32, {5, 9})};
  const auto results = compare(std::move(b).finish(), tensors);
  for (int64_t s = 0; s < 5; ++s) {
    for (int64_t n = 0; n < 9; ++n) {
      EXPECT_EQ(results[0].int_at({s, n}), philox_bits(seed_values[static_cast<size_t>(s)],
                                                       place_values[static_cast<size_t>(n)]));
    }
  }
}

// The run-time compiler has no headers.
TEST(Prelude, NeedsNoHeader) {
  EXPECT_EQ(cuda_prelude().find("#include"), std::string_view::npos);
  EXPECT_EQ(cuda_complex_prelude().find("#include"), std::string_view::npos);
}

}  // namespace
}  // namespace litz::codegen
