// Where results of calls lie.

#pragma once

#include <cstdint>

namespace litz::runtime {

enum class ResultPlace : uint8_t {
  automatic,  ///< On the device if an input of the call is there, else on the host.
  host,
  device,
};

}  // namespace litz::runtime
