// The host as the device that values lie on.

#pragma once

#include "runtime/cpu/host_device.h"
#include "runtime/program/device_stream.h"

namespace litz::runtime {

struct HostStream {
  HostDevice device;
  DeviceStream where{device, {}};
};

}  // namespace litz::runtime
