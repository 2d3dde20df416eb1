#include "runtime/program/call_arguments.h"

#include <array>

#include <gtest/gtest.h>

namespace litz::runtime {
namespace {

/// f(x: f32[s], [x, x], s, [s, 2]) -> (y: f32[s], none)
artifact::LibraryLaunch launch_of(Expr size) {
  TensorType type;
  type.dtype = DType::f32;
  type.sizes = {size};
  type.strides = {Expr(1)};
  const artifact::TensorSlot in{{0, 0}, type};
  artifact::LibraryLaunch launch;
  launch.function = "f";
  launch.arguments = {in, std::vector<artifact::TensorSlot>{in, in}, size,
                      std::vector<Expr>{size, 2}};
  launch.results = {{{1, 0}, type}, {{}, type}};
  return launch;
}

class CallArgumentsTest : public ::testing::Test {
 protected:
  ExprPool pool_;
  Expr size_ = pool_.add_symbol({.name = "s", .range = {0, 100}});
};

TEST_F(CallArgumentsTest, TensorsNumbersAndListsHaveTheSizesOfTheCall) {
  const artifact::LibraryLaunch launch = launch_of(size_);
  Bindings symbols;
  symbols.set(size_.symbol(), 3);
  SizeTable sizes(symbols);
  CallArguments call(launch, sizes, 1);
  EXPECT_EQ(call.count(), 4U);
  EXPECT_TRUE(call.has_lists());
  EXPECT_TRUE(call.is_placed(0));
  EXPECT_FALSE(call.is_placed(1));
  // Arguments, results, one more, and the entries of the list.
  EXPECT_EQ(call.tensors().slots().size(), 4U + 2 + 1 + 2);
  EXPECT_EQ(std::get<int64_t>(call.values()[2]), 3);
  EXPECT_EQ(std::get<std::vector<int64_t>>(call.values()[3]), (std::vector<int64_t>{3, 2}));
  std::array<std::byte, 400> memory{};
  std::vector<std::byte*> places(call.tensors().slots().size(), memory.data());
  call.tensors().attach(places);
  EXPECT_EQ(std::get<Tensor>(call.values()[0]).sizes(), (std::vector<int64_t>{3}));
  EXPECT_EQ(call.results()[0].data(), memory.data());
}

}  // namespace
}  // namespace litz::runtime
