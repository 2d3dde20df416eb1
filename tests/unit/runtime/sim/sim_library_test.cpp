#include "runtime/sim/sim_library.h"

#include <gtest/gtest.h>

#include "device_library_checks.h"

namespace litz::runtime {
namespace {

TEST(SimLibrary, RunsFunctionsOnItsMemory) {
  SimDevice device;
  SimLibrary library(device);
  expect_runs_functions(device, library);
}

TEST(SimLibrary, ResultsThatFunctionsMakeLieOnTheDevice) {
  SimDevice device;
  SimLibrary library(device);
  expect_places_made_results(device, library);
}

}  // namespace
}  // namespace litz::runtime
