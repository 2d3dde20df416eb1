// Tensors in DLPack's form (litz/dlpack.h).

#include <array>
#include <dlpack/dlpack.h>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/call_stream.h"
#include "runtime/device_tensor.h"
#include "support/check.h"
#include "types/lent_tensor.h"

// After the library's own names.
#include "compiler/api/public_support.h"
#include "litz/dlpack.h"

namespace litz {
inline namespace v1 {
namespace {

constexpr uint8_t kBool = 6;  // kDLBool of DLPack 0.8, which 0.6 does not name.

struct TypePair {
  OwnDType dtype;
  uint8_t code;
  uint8_t bits;
};

constexpr std::array kTypes{
    TypePair{OwnDType::bool_, kBool, 8},     TypePair{OwnDType::u8, kDLUInt, 8},
    TypePair{OwnDType::u16, kDLUInt, 16},    TypePair{OwnDType::u32, kDLUInt, 32},
    TypePair{OwnDType::u64, kDLUInt, 64},    TypePair{OwnDType::i8, kDLInt, 8},
    TypePair{OwnDType::i16, kDLInt, 16},     TypePair{OwnDType::i32, kDLInt, 32},
    TypePair{OwnDType::i64, kDLInt, 64},     TypePair{OwnDType::f16, kDLFloat, 16},
    TypePair{OwnDType::bf16, kDLBfloat, 16}, TypePair{OwnDType::f32, kDLFloat, 32},
    TypePair{OwnDType::f64, kDLFloat, 64},   TypePair{OwnDType::c32, kDLComplex, 32},
    TypePair{OwnDType::c64, kDLComplex, 64}, TypePair{OwnDType::c128, kDLComplex, 128},
};

OwnDType dtype_of(DLDataType type) {
  for (const TypePair& pair : kTypes) {
    if (pair.code == type.code && pair.bits == type.bits && type.lanes == 1) return pair.dtype;
  }
  fail(OwnErrorCode::unsupported, "a DLPack tensor has elements that Litz has not: code",
       static_cast<int>(type.code), "with", static_cast<int>(type.bits), "bits and",
       static_cast<int>(type.lanes), "lanes");
}

DLDataType type_of(OwnDType dtype) {
  for (const TypePair& pair : kTypes) {
    if (pair.dtype == dtype) return {pair.code, pair.bits, 1};
  }
  fail(OwnErrorCode::unsupported, "DLPack has no elements of type", name(dtype));
}

Device device_of(const DLDevice& device) {
  if (device.device_type == kDLCPU || device.device_type == kDLCUDAHost) return {};
  require(device.device_type == kDLCUDA, OwnErrorCode::unsupported,
          "a DLPack tensor must be on the host or on a CUDA card, not on device type",
          static_cast<int>(device.device_type));
  return {DeviceKind::cuda, device.device_id};
}

/// What a tensor for another library points to.
struct Shared {
  Shared() = default;
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  ~Shared() {
    if (tensor.device() == Device{}) return;
    try {
      runtime::end_stream_use(tensor, stream);
    } catch (const OwnError&) {
      // The memory then waits until the card is idle.
    }
  }

  OwnTensor tensor;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  void* stream = nullptr;  ///< On a card: of the other library.
  DLManagedTensor managed = {};
};

void release(DLManagedTensor* managed) { delete static_cast<Shared*>(managed->manager_ctx); }

}  // namespace

Tensor from_dlpack(DLManagedTensor* managed, void* stream) {
  return raising([&] {
    require(managed != nullptr, OwnErrorCode::invalid_argument, "a DLPack tensor is null");
    const DLTensor& tensor = managed->dl_tensor;
    const Device device = device_of(tensor.device);
    require(tensor.ndim >= 0 && tensor.ndim <= 64 && (tensor.ndim == 0 || tensor.shape != nullptr),
            OwnErrorCode::invalid_argument, "a DLPack tensor has no sizes:", tensor.ndim);
    std::vector<int64_t> sizes(tensor.shape, tensor.shape + tensor.ndim);
    std::vector<int64_t> strides;
    if (tensor.strides != nullptr) strides.assign(tensor.strides, tensor.strides + tensor.ndim);
    auto* data = tensor.data == nullptr ? nullptr
                                        : static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
    const OwnDType dtype = dtype_of(tensor.dtype);
    // The owner takes the deleter once nothing can fail.
    auto owner = std::make_shared<DLManagedTensor*>(nullptr);
    const auto on_release = [owner](const void*) {
      if (*owner != nullptr && (*owner)->deleter != nullptr) (*owner)->deleter(*owner);
    };
    std::shared_ptr<const void> kept(static_cast<const void*>(managed), on_release);
    if (device == Device{}) {
      Tensor result = TensorAccess::shown(
          lent_tensor(dtype, std::move(sizes), std::move(strides), data, std::move(kept)));
      *owner = managed;
      return result;
    }
    const OwnTensor like = lent_tensor(dtype, std::move(sizes), std::move(strides), data);
    const runtime::CallsOnStream ready({.card = device.index, .handle = stream});
    Tensor result = TensorAccess::lent(like, device, std::move(kept));
    *owner = managed;
    return result;
  });
}

DLManagedTensor* to_dlpack(const Tensor& tensor, void* stream) {
  return raising([&] {
    OwnTensor own = TensorAccess::own(tensor);
    const Device device = own.device();
    require(device.kind != DeviceKind::sim, OwnErrorCode::unsupported,
            "other libraries have no simulated device");
    if (device != Device{}) runtime::wait_on_stream(own, stream);
    if (!own.storage()->is_writable()) own = own.clone(own.strides());
    auto shared = std::make_unique<Shared>();
    shared->tensor = own;
    shared->sizes = own.sizes();
    shared->strides = own.strides();
    shared->stream = stream;
    DLTensor& out = shared->managed.dl_tensor;
    out.data = own.numel() == 0     ? nullptr
               : device == Device{} ? shared->tensor.mutable_data()
                                    : shared->tensor.address();
    out.device = device == Device{} ? DLDevice{kDLCPU, 0} : DLDevice{kDLCUDA, device.index};
    out.ndim = static_cast<int32_t>(own.rank());
    out.dtype = type_of(own.dtype());
    out.shape = shared->sizes.data();
    out.strides = shared->strides.data();
    out.byte_offset = 0;
    shared->managed.manager_ctx = shared.get();
    shared->managed.deleter = release;
    return &shared.release()->managed;
  });
}

}  // namespace v1
}  // namespace litz
