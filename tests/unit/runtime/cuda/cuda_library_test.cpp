#include "runtime/cuda/cuda_library.h"

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"
#include "device_library_checks.h"

namespace litz::runtime {
namespace {

using CudaLibraryTest = CudaTest;

TEST_F(CudaLibraryTest, RunsFunctionsOnCopies) {
  CudaLibrary library(*device_);
  expect_runs_functions(*device_, library);
}

TEST_F(CudaLibraryTest, ResultsThatFunctionsMakeLieOnTheCard) {
  CudaLibrary library(*device_);
  expect_places_made_results(*device_, library);
}

}  // namespace
}  // namespace litz::runtime
