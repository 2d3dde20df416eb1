// Copies of tensors to, from and on a card.

#pragma once

#include "runtime/cuda/cuda_streams.h"
#include "runtime/cuda/staging.h"
#include "types/tensor.h"

namespace litz::runtime::cuda {

/// Where copies run.
struct CopyPlace {
  CudaStreams& streams;
  StagingPool& staging;
  StreamId stream;
};

/// GraphDevice::copy for tensors of which at least one is on the card.
void copy_tensor(const CopyPlace& place, const Tensor& to, const Tensor& from);

}  // namespace litz::runtime::cuda
