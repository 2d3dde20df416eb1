#include "runtime/cuda/failure_records.h"

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"

namespace litz::runtime {
namespace {

using FailureRecords = CudaTest;

TEST_F(FailureRecords, TheFirstNodeIsReportedOnce) {
  cuda::FailureRecords records(device_->streams());
  records.add({0, 3}, "%a = first", "k", {{.text = "index of a"}});
  records.add({0, 7}, "", "l", {{.text = "other"}, {.text = "index of b"}});
  records.allocate();
  EXPECT_EQ(records.of({0, 4}), 0U);
  EXPECT_EQ(records.of({0, 7}) - records.of({0, 3}), sizeof(cuda::FailureRecord));
  EXPECT_NO_THROW(records.check());
  const auto at = [&](int32_t node) {
    return reinterpret_cast<cuda::FailureRecord*>(cuda::pointer_to(records.of({0, node})));
  };
  *at(7) = {1, 0, 1, 9, 5};
  *at(3) = {1, 0, 0, 8, 4};
  try {
    records.check();
    FAIL();
  } catch (const KernelFault& fault) {
    EXPECT_EQ(fault.node(), (NodeId{0, 3}));
    EXPECT_EQ(fault.failure().value, 8);
    EXPECT_EQ(fault.code(), ErrorCode::out_of_range);
    EXPECT_NE(std::string(fault.what()).find("while running %a = first"), std::string::npos);
  }
  EXPECT_NO_THROW(records.check());
}

TEST_F(FailureRecords, GraphsWithoutChecksHaveNone) {
  cuda::FailureRecords records(device_->streams());
  records.allocate();
  EXPECT_TRUE(records.empty());
  EXPECT_NO_THROW(records.check());
}

}  // namespace
}  // namespace litz::runtime
