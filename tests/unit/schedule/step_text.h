// Texts of kernels before and after one step of scheduling.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "loops/kernel.h"
#include "schedule/rewriting.h"

namespace litz::schedule {

/// The text after the step, which verifies and reads back as itself.
inline std::string after(const std::function<void(loops::Kernel&)>& step, std::string_view before) {
  ExprPool pool;
  loops::Kernel kernel = loops::parse_kernel(before, pool);
  step(kernel);
  loops::verify(kernel);
  std::string text = loops::to_string(kernel);
  EXPECT_EQ(loops::to_string(loops::parse_kernel(text, pool)), text);
  return text;
}

/// The text after all steps, for vectors of 32 bytes.
inline std::string scheduled(std::string_view before) {
  return after(
      [](loops::Kernel& kernel) {
        kernel = make_schedule(std::move(kernel), {.vector_bytes = 32}).kernel;
      },
      before);
}

}  // namespace litz::schedule
