#include "runtime/cuda/cuda_context.h"

#include <map>
#include <mutex>

#include "support/check.h"

namespace litz::runtime::cuda {

std::shared_ptr<const CudaContext> lasting_context(int index) {
  static std::mutex mutex;
  static std::map<int, std::shared_ptr<const CudaContext>> contexts;
  const DriverSearch& found = find_driver();
  require(found.driver != nullptr, ErrorCode::unsupported,
          "a CUDA card must be usable:", found.reason);
  const std::lock_guard lock(mutex);
  std::shared_ptr<const CudaContext>& context = contexts[index];
  if (context == nullptr) context = std::make_shared<const CudaContext>(*found.driver, index);
  return context;
}

}  // namespace litz::runtime::cuda
