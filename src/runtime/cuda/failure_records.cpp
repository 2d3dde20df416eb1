#include "runtime/cuda/failure_records.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace litz::runtime::cuda {

// At the end of the process the driver may be gone already.
FailureRecords::~FailureRecords() {
  if (records_ == nullptr) return;
  const Driver& driver = streams_->context().driver();
  driver.set_context.result_of(streams_->context().handle());
  driver.free_host.result_of(records_);
}

void FailureRecords::add(NodeId node, std::string_view label, std::string name,
                         std::vector<artifact::KernelCheck> checks) {
  owners_.push_back({node, std::string(label), std::move(name), std::move(checks)});
}

void FailureRecords::allocate() {
  if (owners_.empty()) return;
  const Driver& driver = streams_->context().enter();
  void* memory = nullptr;
  driver.allocate_host(&memory, owners_.size() * sizeof(FailureRecord),
                       kHostMemoryPortable | kHostMemoryMapped);
  records_ = static_cast<FailureRecord*>(memory);
  std::ranges::fill(records_, records_ + owners_.size(), FailureRecord{});
  driver.host_address(&address_, memory, 0);
}

Address FailureRecords::of(NodeId node) const {
  const auto owner = std::ranges::find(owners_, node, &Owner::node);
  if (owner == owners_.end()) return 0;
  return address_ + static_cast<size_t>(owner - owners_.begin()) * sizeof(FailureRecord);
}

void FailureRecords::check() {
  std::optional<size_t> first;
  artifact::KernelFailure failure;
  for (size_t i = 0; i < owners_.size(); ++i) {
    if (records_[i].claimed == 0) continue;
    if (!first) {
      first = i;
      failure = {records_[i].check, records_[i].value, records_[i].extent};
    }
    records_[i] = {};
  }
  if (!first) return;
  const Owner& owner = owners_[*first];
  throw_fault(owner.label, owner.node, owner.name, owner.checks, failure);
}

}  // namespace litz::runtime::cuda
