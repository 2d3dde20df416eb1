#include "runtime/cuda/card_collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuda/emulated_card.h"
#include "cuda/nccl_threads.h"
#include "runtime/program/device_library.h"
#include "runtime/program/device_stream.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using kernels::LibraryArgument;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CardCollectivesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (emulated_driver() == nullptr) GTEST_SKIP() << "no emulation of CUDA";
  }
};

Tensor on_card(CudaDevice& device, const Tensor& tensor) {
  return copied(tensor, {}, {device, {}});
}

// What follows a wait on the stream reads the result, though the host never waits.
TEST_F(CardCollectivesTest, RunInTheOrderOfTheStream) {
  const auto errors = run_nccl_threads(2, {}, [](const CardRank& rank) {
    CudaDevice device(*emulated_driver(), 0);
    const auto library = device.make_library({});
    library->join(rank);
    for (int time = 0; time < 3; ++time) {
      const Tensor x = on_card(
          device,
          Tensor::of<float>(DType::f32, {2, 2}, {1, 2, 3, 4.0F + static_cast<float>(time)}));
      // Transposed: NCCL gets a copy.
      const std::vector<LibraryArgument> sum{x.view({2, 2}, {1, 2}, 0), std::string("sum"),
                                             std::string("0")};
      std::vector<Tensor> results{on_card(device, Tensor::zeros(DType::f32, {2, 2}))};
      library->run("all_reduce", sum, results, {});
      std::vector<Tensor> awaited{Tensor()};
      library->run("wait", std::vector<LibraryArgument>{results[0], std::vector<Tensor>{x}},
                   awaited, {});
      EXPECT_EQ(awaited[0].address(), results[0].address());
      std::vector<Tensor> elsewhere{on_card(device, Tensor::zeros(DType::f32, {2, 2}))};
      library->run("wait", std::vector<LibraryArgument>{results[0], std::vector<Tensor>{}},
                   elsewhere, {});
      const Tensor host = on_host(elsewhere[0], {device, {}});
      EXPECT_EQ(host.at({0, 1}), 6);
      EXPECT_EQ(host.at({1, 1}), 2 * (4 + time));
    }
    library->finish_collectives({});
    device.synchronize({});
  });
  EXPECT_THAT(errors, Each(IsEmpty()));
}

TEST_F(CardCollectivesTest, WhatNobodyAwaitsIsFinished) {
  cuda::NcclOptions options;
  options.patience = std::chrono::seconds(60);
  const auto errors = run_nccl_threads(2, options, [](const CardRank& rank) {
    CudaDevice device(*emulated_driver(), 0);
    const auto library = device.make_library({});
    library->join(rank);
    const std::vector<LibraryArgument> gather{
        on_card(device, Tensor::scalar(DType::i64, rank->rank())), int64_t{2}, std::string("0")};
    std::vector<Tensor> results{on_card(device, Tensor::zeros(DType::i64, {2}))};
    library->run("all_gather", gather, results, {});
    library->finish_collectives({});
    EXPECT_EQ(on_host(results[0], {device, {}}).int_at({1}), 1);
  });
  EXPECT_THAT(errors, Each(IsEmpty()));
}

// In either order: graphs hold nothing of NCCL's.
TEST_F(CardCollectivesTest, DevicesMayEndBeforeAndAfterTheirRanks) {
  const auto errors = run_nccl_threads(2, {}, [](const CardRank& rank) {
    auto device = std::make_unique<CudaDevice>(*emulated_driver(), 0);
    auto library = device->make_library({});
    library->join(rank);
    if (rank->rank() == 1) rank->leave("");
    library.reset();
    device.reset();
  });
  EXPECT_THAT(errors, Each(IsEmpty()));
}

TEST_F(CardCollectivesTest, OtherRanksAreRefused) {
  class Elsewhere final : public distributed::Communicator {
   public:
    int rank() const override { return 0; }

    int world() const override { return 2; }

    size_t group_size(const std::string& /*group*/) const override { return 2; }

    void start(distributed::Collective /*collective*/) override {}

    void wait(const Tensor& /*result*/) override {}

    void wait_all() override {}

    void leave(const std::string& /*why*/) override {}
  };

  CudaDevice device(*emulated_driver(), 0);
  try {
    device.make_library({})->join(std::make_shared<Elsewhere>());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("over NCCL only"));
  }
}

}  // namespace
}  // namespace litz::runtime
