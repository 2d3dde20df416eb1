#include "runtime/cpu/call_tensors.h"

#include <array>

#include <gtest/gtest.h>

namespace litz::runtime {
namespace {

TEST(CallTensors, FollowAddressesAndSizes) {
  ExprPool pool;
  const Expr n = pool.add_symbol({.name = "s0", .range = {1, 100}});
  Bindings symbols;
  symbols.set(n.symbol(), 2);
  SizeTable sizes(symbols);
  Tensor first;
  Tensor entry;
  Tensor absent;
  CallTensors tensors(2);
  tensors.add(first, {{4, 8 * n}, contiguous_type(DType::f32, {n})}, sizes, 1);
  tensors.append(absent, {}, sizes);
  tensors.append(entry, {{5, 0}, contiguous_type(DType::f32, {1})}, sizes);
  ASSERT_EQ(tensors.slots().size(), 3U);
  EXPECT_EQ(tensors.slots()[0].storage, artifact::kNoStorage);
  EXPECT_EQ(tensors.slots()[1].storage, 4);
  EXPECT_EQ(tensors.slots()[2].storage, 5);

  std::array<float, 4> values{1, 2, 3, 4};
  auto* const begin = reinterpret_cast<std::byte*>(values.data());
  tensors.attach(std::array<std::byte*, 3>{nullptr, begin, begin + 4});
  EXPECT_EQ(first.sizes(), std::vector<int64_t>{2});
  EXPECT_EQ(first.at({1}), 2);
  EXPECT_EQ(entry.at({0}), 2);
  EXPECT_FALSE(absent.defined());
  const std::shared_ptr<Storage> made = first.storage();
  tensors.attach(std::array<std::byte*, 3>{nullptr, begin, begin + 8});
  EXPECT_EQ(first.storage(), made);  // Nothing of it is new.
  EXPECT_EQ(entry.at({0}), 3);

  symbols.set(n.symbol(), 3);
  sizes.set_symbols(symbols);
  tensors.set_sizes(sizes);
  tensors.attach(std::array<std::byte*, 3>{nullptr, begin + 4, begin});
  EXPECT_EQ(first.sizes(), std::vector<int64_t>{3});
  EXPECT_EQ(first.at({2}), 4);
}

}  // namespace
}  // namespace litz::runtime
