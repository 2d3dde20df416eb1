#include "runtime/call_limit.h"

#include <optional>

#include <gtest/gtest.h>

#include "program/products_program.h"
#include "runtime/program/program_runner.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

std::optional<ErrorCode> code_under(const CallLimit& limit, ProgramRunner& runner,
                                    std::span<const Value> inputs) {
  try {
    const LimitedCalls limited(limit);
    runner.run(inputs);
    return std::nullopt;
  } catch (const Error& error) {
    return error.code();
  }
}

void expect_limits(artifact::Program program, std::vector<Value> inputs) {
  ProgramRunner runner(std::move(program), {});
  CallLimit limit;
  EXPECT_EQ(code_under(limit, runner, inputs), std::nullopt) << "no limit";
  limit.deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
  std::stop_source stop;
  limit.stop = stop.get_token();
  int32_t flag = 0;
  limit.stop_flag = &flag;
  EXPECT_EQ(code_under(limit, runner, inputs), std::nullopt) << "not reached";
  flag = 1;
  EXPECT_EQ(code_under(limit, runner, inputs), ErrorCode::cancelled);
  flag = 0;
  stop.request_stop();
  EXPECT_EQ(code_under(limit, runner, inputs), ErrorCode::cancelled);
  CallLimit late;
  late.deadline = std::chrono::steady_clock::now();
  EXPECT_EQ(code_under(late, runner, inputs), ErrorCode::cancelled);
  EXPECT_EQ(current_limit(), nullptr);
  EXPECT_NO_THROW(runner.run(inputs)) << "later calls have no limit";
}

TEST(CallLimit, EndsListsAndRoutines) {
  const Tensor x = Tensor::of<float>(DType::f32, {3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  expect_limits(product_program(), {x});
  expect_limits(routine_program(), {x, int64_t{3}});
}

}  // namespace
}  // namespace litz::runtime
