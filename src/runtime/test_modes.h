// Test modes: the program runs as usual, but latent mistakes show at once.
//
//   poison   memory that was never written, or whose lifetime has ended, holds poison: numbers
//            that are NaN and, as indices, outside of any dimension
//   access   launches declare what they touch, are ordered where they touch the same memory, and
//            touch nothing else: each runs twice, the second time with poison everywhere else
//   order    launches run in any order that their accesses allow, drawn from a seed
//   fault    a device call (a launch, the memory of a result, an arena) fails on request
//
// Programs that run step by step (control flow, data-dependent sizes) have no launches to reorder:
// `order` does nothing there, and `access` checks what kernels do to the tensors that they read.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/device.h"

namespace litz::runtime {

struct TestModes {
  bool poison = false;
  bool access = false;
  std::optional<uint64_t> order_seed;
  bool fault = false;
  int64_t fail_call =
      0;  ///< The device call to fail, counted from 1; 0: see ProgramRunner::fail_call.

  bool any() const { return poison || access || order_seed.has_value() || fault; }
};

/// Reads "poison,access,order=7,fault=3": names with commas between them. `order` alone means seed
/// 0, and `fault` alone means that nothing fails yet. Throws Error{invalid_argument} for anything
/// else.
TestModes parse_test_modes(std::string_view text);

/// The modes of the device that runs launch lists.
DeviceModes device_modes(const TestModes& modes);

}  // namespace litz::runtime
