#include "runtime/cuda/dnn_graph.h"

namespace litz::runtime::cuda::dnn {

Descriptor::Descriptor(const GraphFunctions& functions, Kind kind) : functions_(&functions) {
  is_good_ = functions.create(static_cast<int>(kind), &handle_) == 0;
}

Descriptor::~Descriptor() {
  if (handle_ != nullptr) functions_->destroy(handle_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept
    : functions_(other.functions_),
      handle_(std::exchange(other.handle_, nullptr)),
      is_good_(other.is_good_) {}

void Descriptor::set(Attribute attribute, Type type, int64_t count, const void* values) {
  is_good_ = is_good_ && functions_->set(handle_, static_cast<int>(attribute),
                                         static_cast<int>(type), count, values) == 0;
}

bool Descriptor::finalize() {
  is_good_ = is_good_ && functions_->finalize(handle_) == 0;
  return is_good_;
}

int64_t Descriptor::read(Attribute attribute, Type type, int64_t room, void* values) const {
  int64_t count = 0;
  const int status = functions_->get(handle_, static_cast<int>(attribute), static_cast<int>(type),
                                     room, &count, values);
  return status == 0 ? count : -1;
}

}  // namespace litz::runtime::cuda::dnn
