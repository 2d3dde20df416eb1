#include "runtime/cuda/nccl.h"

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"
#include "support/check.h"

namespace litz::runtime::cuda {
namespace {

using distributed::Reduction;

TEST(Nccl, MovesBytes) {
  EXPECT_EQ(moved_elements(DType::f8e5m2).count, 1);
  EXPECT_EQ(moved_elements(DType::c128).count, 16);
}

TEST(Nccl, ReducesWhatItHas) {
  EXPECT_EQ(reduced_elements(DType::bf16, Reduction::avg).elements.type, 9);
  EXPECT_EQ(reduced_elements(DType::bf16, Reduction::avg).number, 4);
  EXPECT_EQ(reduced_elements(DType::c64, Reduction::sum).elements.count, 2);
  // "Any" of booleans is their greatest.
  EXPECT_EQ(reduced_elements(DType::bool_, Reduction::sum).number, 2);
  EXPECT_EQ(reduced_elements(DType::bool_, Reduction::bit_and).number, 3);
}

TEST(Nccl, RefusesTheRest) {
  EXPECT_THROW(reduced_elements(DType::i32, Reduction::bit_and), Error);
  EXPECT_THROW(reduced_elements(DType::i16, Reduction::sum), Error);
  EXPECT_THROW(reduced_elements(DType::c64, Reduction::product), Error);
  EXPECT_THROW(reduced_elements(DType::c64, Reduction::max), Error);
  EXPECT_THROW(reduced_elements(DType::bool_, Reduction::avg), Error);
  EXPECT_THROW(reduced_elements(DType::f8e4m3fn, Reduction::sum), Error);
}

TEST(Nccl, FailuresNameTheCall) {
  if (emulated_driver() == nullptr) GTEST_SKIP() << "no emulation of CUDA";
  EXPECT_EQ(describe_nccl(), "NCCL 2.27.3");
  EXPECT_THROW(nccl().require_success(5, "a test"), Error);
}

}  // namespace
}  // namespace litz::runtime::cuda
