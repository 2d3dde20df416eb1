// Tensors on cards, and streams of callers (litz/litz.h).

#include "runtime/call_stream.h"
#include "runtime/device_tensor.h"
#include "runtime/placement.h"
#include "support/check.h"

// After the library's own names.
#include <algorithm>
#include <memory>

#include "compiler/api/public_support.h"

namespace litz {
inline namespace v1 {
namespace {

Device card_named(const std::string& name) {
  const Device device = runtime::parse_placement(name);
  require(device.kind == DeviceKind::cuda, OwnErrorCode::invalid_argument,
          "a card must be named cuda or cuda:N, not", name);
  return {DeviceKind::cuda, std::max(0, device.index)};
}

}  // namespace

std::string Tensor::device() const {
  const auto& traced = TensorAccess::traced(*this);
  return to_string(traced != nullptr ? traced->value.tensor().device
                                     : TensorAccess::own(*this).device());
}

Tensor Tensor::to(const std::string& device) const {
  return raising([&] {
    const OwnTensor& own = TensorAccess::own(*this);
    OwnTensor there = runtime::copied_to(own, runtime::parse_placement(device));
    return there.storage() == own.storage() ? *this : TensorAccess::shown(std::move(there));
  });
}

void Tensor::wait() const {
  raising([&] { runtime::wait_for(TensorAccess::own(*this)); });
}

void Tensor::wait_on(void* stream) const {
  raising([&] { runtime::wait_on_stream(TensorAccess::own(*this), stream); });
}

struct LITZ_HIDDEN StreamScope::Impl {
  runtime::CallsOnStream calls;
};

StreamScope::StreamScope(void* stream, const std::string& device)
    : impl_(raising([&] {
        return std::unique_ptr<Impl>(
            new Impl{runtime::CallsOnStream({.card = card_named(device).index, .handle = stream})});
      })) {}

StreamScope::~StreamScope() = default;

void synchronize(const std::string& device) {
  raising([&] { runtime::finish_device(card_named(device)); });
}

}  // namespace v1
}  // namespace litz
