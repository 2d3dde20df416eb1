// Tensors that other libraries made, and for them.

#include <dlpack/dlpack.h>
#include <litz/arguments.h>
#include <litz/dlpack.h>
#include <litz/index.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz {
namespace {

using testing::ElementsAre;

/// A tensor of another library, which counts how often it is deleted.
struct Foreign {
  std::vector<float> elements{0, 1, 2, 3, 4, 5};
  std::vector<int64_t> sizes{2, 2};
  std::vector<int64_t> strides{1, 2};
  int deleted = 0;
  DLManagedTensor managed = {};

  Foreign() {
    managed.dl_tensor = {.data = elements.data(),
                         .device = {kDLCPU, 0},
                         .ndim = 2,
                         .dtype = {kDLFloat, 32, 1},
                         .shape = sizes.data(),
                         .strides = strides.data(),
                         .byte_offset = 2 * sizeof(float)};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor* self) {
      ++static_cast<Foreign*>(self->manager_ctx)->deleted;
    };
  }
};

TEST(PublicDlpack, SharesForeignMemory) {
  Foreign foreign;
  {
    Tensor x = from_dlpack(&foreign.managed);
    EXPECT_THAT(x.to_vector<float>(), ElementsAre(2, 4, 3, 5));
    x += 10;
    const Tensor part = x[{0}];
    x = Tensor();
    EXPECT_THAT(part.to_vector<float>(), ElementsAre(12, 14));
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
  EXPECT_THAT(foreign.elements, ElementsAre(0, 1, 12, 13, 14, 15));
}

TEST(PublicDlpack, LeavesWhatItRefuses) {
  Foreign foreign;
  foreign.managed.dl_tensor.device.device_type = kDLMetal;
  EXPECT_THROW(from_dlpack(&foreign.managed), Error);
  foreign.managed.dl_tensor.device.device_type = kDLCPU;
  foreign.managed.dl_tensor.dtype.lanes = 4;
  EXPECT_THROW(from_dlpack(&foreign.managed), Error);
  foreign.managed.dl_tensor.dtype.lanes = 1;
  foreign.strides[0] = -1;
  EXPECT_THROW(from_dlpack(&foreign.managed), Error);
  EXPECT_THROW(from_dlpack(nullptr), Error);
  EXPECT_EQ(foreign.deleted, 0);
}

TEST(PublicDlpack, OwnTensorsGoOutAndComeBack) {
  Tensor x = arange(6, DType::int64);
  DLManagedTensor* managed = to_dlpack(reshape(x, {2, 3})[{ellipsis, slice({}, {}, 2)}]);
  EXPECT_EQ(managed->dl_tensor.strides[0], 3);
  EXPECT_EQ(managed->dl_tensor.strides[1], 2);
  const Tensor back = from_dlpack(managed);
  x += 1;
  EXPECT_THAT(back.to_vector<int64_t>(), ElementsAre(1, 3, 4, 6));
  DLManagedTensor* unused = to_dlpack(zeros({0}));
  unused->deleter(unused);
}

}  // namespace
}  // namespace litz
