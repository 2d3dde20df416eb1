#include "runtime/cuda/driver.h"

#include <cstddef>

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"

#if __has_include(<cuda.h>)
#include <cuda.h>
#endif

namespace litz::runtime::cuda {
namespace {

#if __has_include(<cuda.h>)

// The offset of a member of one of our structures, and of the driver's.
#define EXPECT_SAME_PLACE(ours, our_member, theirs, their_member) \
  EXPECT_EQ(offsetof(ours, our_member), offsetof(theirs, their_member))

TEST(Driver, StructuresAreTheDrivers) {
  static_assert(sizeof(Address) == sizeof(CUdeviceptr));
  static_assert(sizeof(Result) == sizeof(CUresult));
  static_assert(sizeof(Attribute) == sizeof(CUdevice_attribute));
  static_assert(sizeof(KernelNode) == sizeof(CUDA_KERNEL_NODE_PARAMS));
  static_assert(sizeof(Copy2) == sizeof(CUDA_MEMCPY2D));
  static_assert(sizeof(CopyNode) == sizeof(CUDA_MEMCPY3D));
  static_assert(sizeof(FillNode) == sizeof(CUDA_MEMSET_NODE_PARAMS));
  static_assert(sizeof(MemoryProperties) == sizeof(CUmemAllocationProp));
  static_assert(sizeof(MemoryAccess) == sizeof(CUmemAccessDesc));
  EXPECT_SAME_PLACE(KernelNode, grid, CUDA_KERNEL_NODE_PARAMS, gridDimX);
  EXPECT_SAME_PLACE(KernelNode, block, CUDA_KERNEL_NODE_PARAMS, blockDimX);
  EXPECT_SAME_PLACE(KernelNode, shared_bytes, CUDA_KERNEL_NODE_PARAMS, sharedMemBytes);
  EXPECT_SAME_PLACE(KernelNode, parameters, CUDA_KERNEL_NODE_PARAMS, kernelParams);
  EXPECT_SAME_PLACE(KernelNode, extra, CUDA_KERNEL_NODE_PARAMS, extra);
  EXPECT_SAME_PLACE(KernelNode, context, CUDA_KERNEL_NODE_PARAMS, ctx);
  EXPECT_SAME_PLACE(Copy2, from.type, CUDA_MEMCPY2D, srcMemoryType);
  EXPECT_SAME_PLACE(Copy2, from.device, CUDA_MEMCPY2D, srcDevice);
  EXPECT_SAME_PLACE(Copy2, from.pitch, CUDA_MEMCPY2D, srcPitch);
  EXPECT_SAME_PLACE(Copy2, to.type, CUDA_MEMCPY2D, dstMemoryType);
  EXPECT_SAME_PLACE(Copy2, to.device, CUDA_MEMCPY2D, dstDevice);
  EXPECT_SAME_PLACE(Copy2, to.pitch, CUDA_MEMCPY2D, dstPitch);
  EXPECT_SAME_PLACE(Copy2, width_bytes, CUDA_MEMCPY2D, WidthInBytes);
  EXPECT_SAME_PLACE(CopyNode, from.type, CUDA_MEMCPY3D, srcMemoryType);
  EXPECT_SAME_PLACE(CopyNode, from.device, CUDA_MEMCPY3D, srcDevice);
  EXPECT_SAME_PLACE(CopyNode, from.height, CUDA_MEMCPY3D, srcHeight);
  EXPECT_SAME_PLACE(CopyNode, to.type, CUDA_MEMCPY3D, dstMemoryType);
  EXPECT_SAME_PLACE(CopyNode, to.device, CUDA_MEMCPY3D, dstDevice);
  EXPECT_SAME_PLACE(CopyNode, to.pitch, CUDA_MEMCPY3D, dstPitch);
  EXPECT_SAME_PLACE(CopyNode, depth, CUDA_MEMCPY3D, Depth);
  EXPECT_SAME_PLACE(FillNode, value, CUDA_MEMSET_NODE_PARAMS, value);
  EXPECT_SAME_PLACE(FillNode, element_bytes, CUDA_MEMSET_NODE_PARAMS, elementSize);
  EXPECT_SAME_PLACE(FillNode, width, CUDA_MEMSET_NODE_PARAMS, width);
  EXPECT_SAME_PLACE(MemoryProperties, location, CUmemAllocationProp, location);
  EXPECT_SAME_PLACE(MemoryProperties, flags, CUmemAllocationProp, allocFlags);
  EXPECT_SAME_PLACE(MemoryAccess, rights, CUmemAccessDesc, flags);
}

TEST(Driver, ConstantsAreTheDrivers) {
  EXPECT_EQ(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(kNotReady, CUDA_ERROR_NOT_READY);
  EXPECT_EQ(kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
  EXPECT_EQ(kEventDisableTiming, CU_EVENT_DISABLE_TIMING);
  EXPECT_EQ(kHostMemoryPortable, CU_MEMHOSTALLOC_PORTABLE);
  EXPECT_EQ(kHostMemoryMapped, CU_MEMHOSTALLOC_DEVICEMAP);
  EXPECT_EQ(static_cast<int>(MemoryType::device), CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(static_cast<int>(Attribute::multiprocessors), CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  EXPECT_EQ(static_cast<int>(Attribute::capability_major),
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(static_cast<int>(Attribute::capability_minor),
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(MemoryLocation{}.type, CU_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(MemoryProperties{}.type, CU_MEM_ALLOCATION_TYPE_PINNED);
  EXPECT_EQ(MemoryAccess{}.rights, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
}

#endif

TEST(Driver, MissingOnesAreNamed) {
  try {
    Driver::open("libno_such_driver.so.1");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_EQ(error.message(), "no NVIDIA driver: libno_such_driver.so.1 could not be opened");
  }
}

TEST(Driver, OtherLibrariesAreRefused) {
  try {
    Driver::open("libm.so.6");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("cuGetErrorName"), std::string::npos) << error.message();
  }
}

TEST(Driver, FailuresNameTheCallAndTheReason) {
  if (emulated_driver() == nullptr) GTEST_SKIP();
  DeviceNumber number = 0;
  try {
    emulated_driver()->device(&number, 7);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(error.message().find("cuDeviceGet gave CUDA_ERROR_INVALID_DEVICE"), std::string::npos)
        << error.message();
  }
}

TEST(Driver, PeopleSeeTheCardOrTheReason) { EXPECT_FALSE(describe_cards().empty()); }

}  // namespace
}  // namespace litz::runtime::cuda
