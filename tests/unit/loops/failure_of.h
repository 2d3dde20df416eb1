// How a run fails, for comparisons of two that must fail alike.

#pragma once

#include <optional>

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::loops {

/// Runs and says how it failed, if it did.
template <typename Run>
std::optional<ErrorCode> failure_of(const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_NE(error.code(), ErrorCode::internal) << error.what();
    return error.code();
  }
  return std::nullopt;
}

}  // namespace litz::loops
