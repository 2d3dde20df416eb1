#include "runtime/placement.h"

#include <algorithm>

#include "runtime/cpu/host_device.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/sim/sim_device.h"
#include "support/check.h"

namespace litz::runtime {

Device parse_placement(std::string_view text) {
  const std::optional<Device> device = parse_device(text);
  const bool is_known = device.has_value() && device->kind != DeviceKind::meta;
  require(is_known && !(device->kind == DeviceKind::cpu && device->index > 0),
          "a device must be cpu, cuda, cuda:N, sim or sim:N, not", text);
  if (device->kind == DeviceKind::cpu) return {};
  return {device->kind, std::max(0, device->index)};
}

std::shared_ptr<GraphDevice> make_host_device(std::optional<Device> where, ThreadPool* pool) {
  const Device device = where.value_or(Device{});
  if (device.kind == DeviceKind::sim) {
    return std::make_shared<SimDevice>(device.index, pool);
  }
  require(device.kind == DeviceKind::cpu, ErrorCode::unsupported,
          "code for the host runs on the host, not on", to_string(device));
  return std::make_shared<HostDevice>(pool);
}

std::shared_ptr<GraphDevice> make_device(std::optional<Device> where, ThreadPool* pool) {
  if (!where.has_value() || where->kind != DeviceKind::cuda) return make_host_device(where, pool);
  return std::make_shared<CudaDevice>(std::max(0, where->index), pool);
}

void require_runs_on(const artifact::CodeTarget& target, Device device) {
  const bool is_for_cards = target.triple == artifact::kCudaTriple;
  require(!is_for_cards || device.kind == DeviceKind::cuda, ErrorCode::unsupported,
          "code for a CUDA card runs on one, not on", to_string(device));
  require(is_for_cards || device.kind != DeviceKind::cuda, ErrorCode::unsupported,
          "code for the host runs on the host, not on", to_string(device));
}

std::shared_ptr<GraphDevice> make_device_for(const artifact::CodeTarget& target,
                                             std::optional<Device> where, ThreadPool* pool) {
  const bool is_for_cards = target.triple == artifact::kCudaTriple;
  const Device device = where.value_or(is_for_cards ? Device{DeviceKind::cuda, 0} : Device{});
  require_runs_on(target, device);
  return make_device(device, pool);
}

std::string target_of_card(Device card) { return cuda::architecture(std::max(0, card.index)); }

}  // namespace litz::runtime
