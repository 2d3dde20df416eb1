#include "runtime/cpu/host_library.h"

#include <array>

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

using artifact::LibraryLaunch;
using artifact::TensorSlot;

class HostLibraryTest : public testing::Test {
 protected:
  static std::byte* address(std::array<float, 4>& values) {
    return reinterpret_cast<std::byte*>(values.data());
  }

  ExprPool pool_;
  HostDevice device_;
  std::unique_ptr<DeviceLibrary> library_ = device_.make_library({});
  TensorType square_ = contiguous_type(DType::f32, {2, 2});
  std::array<float, 4> a_{1, 2, 3, 4};
  std::array<float, 4> b_{0, 1, 1, 0};
  std::array<float, 4> c_{};
};

TEST_F(HostLibraryTest, CallsRunOnTheirOperands) {
  SizeTable sizes{Bindings()};
  const LibraryLaunch launch{
      .function = "matmul",
      .arguments = {TensorSlot{{0, 0}, square_}, TensorSlot{{1, 4}, square_}},
      .results = {{{2, 0}, square_}}};
  const std::unique_ptr<BoundCall> call = library_->bind(launch, sizes, {});
  ASSERT_EQ(call->operands().size(), 3U);
  EXPECT_EQ(call->operands()[1].offset, Expr(4));
  EXPECT_TRUE(call->scalars().empty());
  for (int run = 0; run < 3;
       ++run) {  // The first describes the call, later ones use addresses only.
    a_[0] = static_cast<float>(run);
    call->run(std::array<std::byte*, 3>{address(a_), address(b_), address(c_)}, {});
    EXPECT_EQ(c_[1], static_cast<float>(run));
    EXPECT_EQ(c_[2], 4);
  }
  LibraryLaunch unknown = launch;
  unknown.function = "absent";
  EXPECT_THROW(library_->bind(unknown, sizes, {}), Error);
}

TEST_F(HostLibraryTest, SuppliedCallsSeeTheSymbolsOfTheirLaunch) {
  const Expr seed = pool_.add_symbol({.name = "seed", .range = {0, 100}});
  Bindings symbols;
  symbols.set(seed.symbol(), 1);
  SizeTable sizes(symbols);
  const artifact::CallLaunch launch{.call = 0, .buffers = {{{0, 0}, square_}}};
  const SuppliedCall add_seed = [&](std::span<Tensor> buffers, const Bindings& at) {
    reinterpret_cast<float*>(buffers[0].mutable_data())[0] +=
        static_cast<float>(*at.find(seed.symbol()));
  };
  const auto call = library_->bind(launch, add_seed, sizes, std::array{seed});
  ASSERT_EQ(call->scalars().size(), 1U);
  sizes.set_varying(seed.symbol(), 50);  // For a launch that is still to come.
  call->run(std::array<std::byte*, 1>{address(a_)}, std::array<int64_t, 1>{10});
  EXPECT_EQ(a_[0], 11);
}

TEST_F(HostLibraryTest, FunctionsRunOutsideOfLists) {
  const Tensor x = Tensor::of<float>(DType::f32, {3}, {0, 5, 7});
  const std::vector<kernels::LibraryArgument> arguments{x};
  std::vector<Tensor> results(1);
  library_->run("nonzero", arguments, results, {});
  EXPECT_EQ(results[0].sizes(), (std::vector<int64_t>{2, 1}));
  EXPECT_THROW(library_->run("absent", {}, results, {}), Error);
  EXPECT_EQ(library_->packed_bytes(), 0U);
}

}  // namespace
}  // namespace litz::runtime
