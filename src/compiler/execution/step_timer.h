// Adds up the times of the steps of plans that run step by step.

#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "compiler/executable.h"
#include "compiler/execution/plan_runner.h"

namespace litz::compiler {

class StepTimer final : public StepObserver {
 public:
  explicit StepTimer(Profile& profile) : profile_(profile) {}

  void before_step(int /*plan*/, size_t /*step*/) override { begun_.push_back(Clock::now()); }

  void after_step(int plan, size_t step, std::span<const Tensor> /*slots*/,
                  const Bindings& /*bindings*/) override {
    const auto p = static_cast<size_t>(plan);
    if (profile_.step_seconds.size() <= p) profile_.step_seconds.resize(p + 1);
    std::vector<double>& steps = profile_.step_seconds[p];
    if (steps.size() <= step) steps.resize(step + 1);
    steps[step] += std::chrono::duration<double>(Clock::now() - begun_.back()).count();
    begun_.pop_back();
  }

 private:
  using Clock = std::chrono::steady_clock;

  Profile& profile_;
  std::vector<Clock::time_point> begun_;  ///< Start times of the running steps, outermost first.
};

}  // namespace litz::compiler
