#include "artifact/kernel_code.h"

#include <functional>

#include <gtest/gtest.h>

namespace litz::artifact {
namespace {

TEST(DigestOf, DependsOnWhatTheCodeIsToldAndGiven) {
  ExprPool pool;
  const Expr n = pool.add_symbol({.name = "n", .range = {1, 64}});
  const Expr m = pool.add_symbol({.name = "m", .range = {1, 64}});
  const TensorType row = contiguous_type(DType::f32, {n});
  const KernelCode code{.name = "k",
                        .object = std::vector<std::byte>(100),
                        .phases = {{.symbol = "k_0", .iterations = n, .cost = 3}},
                        .scalars = {n.symbol()},
                        .checks = {{.text = "index"}},
                        .buffers = {{row}, {row, true}}};
  const auto is_same = [&](const std::function<void(KernelCode&)>& change) {
    KernelCode other = code;
    change(other);
    return digest_of(other, pool) == digest_of(code, pool);
  };
  EXPECT_TRUE(is_same([](KernelCode& k) { k.name = "other"; }));
  EXPECT_TRUE(is_same([](KernelCode& k) { k.phases[0].cost = 4; }));
  EXPECT_TRUE(is_same([](KernelCode& k) { k.digest = 1; }));
  EXPECT_FALSE(is_same([](KernelCode& k) { k.object[50] = std::byte{1}; }));
  EXPECT_FALSE(is_same([](KernelCode& k) { k.phases[0].symbol = "k_1"; }));
  EXPECT_FALSE(is_same([&](KernelCode& k) { k.phases[0].iterations = 2 * n; }));
  EXPECT_FALSE(is_same([](KernelCode& k) { k.phases[0].grain = 2; }));
  EXPECT_FALSE(is_same([](KernelCode& k) { k.phases[0].threads = 32; }));
  EXPECT_FALSE(is_same([](KernelCode& k) { k.phases.push_back(k.phases[0]); }));
  EXPECT_FALSE(is_same([&](KernelCode& k) { k.scalars[0] = m.symbol(); }));
  EXPECT_FALSE(is_same([](KernelCode& k) { k.checks.clear(); }));
  EXPECT_FALSE(is_same([](KernelCode& k) { k.buffers.pop_back(); }));
  EXPECT_FALSE(is_same([](KernelCode& k) { k.buffers[0].is_written = true; }));
  EXPECT_FALSE(is_same([](KernelCode& k) { k.buffers[0].type.dtype = DType::f64; }));
  EXPECT_FALSE(is_same([&](KernelCode& k) { k.buffers[0].type.sizes[0] = m; }));
  EXPECT_FALSE(is_same([](KernelCode& k) { k.buffers[0].type.strides[0] = 2; }));
}

}  // namespace
}  // namespace litz::artifact
