#include "kernels/collectives.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "distributed/simulated_world.h"
#include "kernels/library_context.h"
#include "library_call.h"
#include "support/check.h"

namespace litz::kernels {
namespace {

std::vector<Tensor> call_with(LibraryContext& context, std::string_view name,
                              const std::vector<LibraryArgument>& arguments,
                              std::vector<Tensor> results) {
  LibraryCall call{name, arguments, results, &context};
  find_library_function(name)(call);
  return results;
}

TEST(CollectiveCalls, HaveFunctions) {
  for (const char* name : {"all_gather", "all_reduce", "all_to_all", "broadcast", "receive",
                           "reduce_scatter", "send", "wait"}) {
    EXPECT_TRUE(is_collective(name)) << name;
    EXPECT_NE(find_library_function(name), nullptr) << name;
  }
  EXPECT_FALSE(is_collective("matmul"));
}

TEST(CollectiveCalls, ActOnOneRankWithoutContext) {
  const Tensor x = Tensor::of<double>(DType::f32, {2}, {1, 2});
  const std::vector<Tensor> results = call_library(
      "all_reduce", {x, std::string("sum"), std::string("0")}, {Tensor::zeros(DType::f32, {2})});
  EXPECT_EQ(results[0].at({1}), 2);
  EXPECT_THROW(call_library("all_gather", {x, int64_t{2}, std::string("0")},
                            {Tensor::zeros(DType::f32, {4})}),
               Error);
}

TEST(CollectiveCalls, StartAndWaitThroughTheCommunicator) {
  distributed::SimulatedWorld world({.ranks = 2, .poisons = true});
  world.run([](const auto& rank) {
    LibraryContext context;
    context.join(rank);
    const Tensor x = Tensor::scalar(DType::f32, rank->rank() + 1.0);
    const Tensor y = Tensor::of<double>(DType::f64, {1}, {rank->rank() * 4.0});
    const std::vector<Tensor> started =
        call_with(context, "all_gather", {std::vector<Tensor>{x, y}, int64_t{2}, std::string("0")},
                  {Tensor::zeros(DType::f32, {2}), Tensor::zeros(DType::f64, {2})});
    for (const Tensor& each : started) {
      call_with(context, "wait", {each, std::vector<Tensor>{x, y}}, {each});
    }
    EXPECT_EQ(started[0].at({1}), 2);
    EXPECT_EQ(started[1].at({1}), 4);
    // A result in other memory is a copy.
    const std::vector<Tensor> copied = call_with(
        context, "wait", {started[1], std::vector<Tensor>{}}, {Tensor::zeros(DType::f64, {2})});
    EXPECT_EQ(copied[0].at({1}), 4);
  });
}

}  // namespace
}  // namespace litz::kernels
