#include <complex>

#include <gtest/gtest.h>

#include "types/fill.h"
#include "types/tensor.h"

namespace litz {
namespace {

TEST(TensorPrint, ShowsDtypeShapeAndFirstValues) {
  EXPECT_EQ(to_string(Tensor()), "undefined");
  EXPECT_EQ(to_string(Tensor::of<float>(DType::f32, {2}, {1.5F, -2})), "f32[2] {1.5, -2}");
  EXPECT_EQ(to_string(Tensor::of<bool>(DType::bool_, {1, 2}, {true, false})),
            "bool[1, 2] {true, false}");
  EXPECT_EQ(to_string(Tensor::of<uint64_t>(DType::u64, {}, {~uint64_t{0}})),
            "u64[] {18446744073709551615}");
  EXPECT_EQ(to_string(Tensor::of<std::complex<float>>(DType::c64, {1}, {{1, -2}})),
            "c64[1] {1-2j}");
  EXPECT_EQ(to_string(fill_constant(DType::i8, {3, 4}, 2)),
            "i8[3, 4] {2, 2, 2, 2, 2, 2, 2, 2, ...}");
  EXPECT_EQ(to_string(Tensor::empty(DType::f32, {0})), "f32[0] {}");
}

}  // namespace
}  // namespace litz
