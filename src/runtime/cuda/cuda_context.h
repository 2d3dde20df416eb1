// The context of one card. Everything that belongs to it shares its ownership.

#pragma once

#include <memory>

#include "runtime/cuda/driver.h"

namespace litz::runtime::cuda {

class CudaContext {
 public:
  /// Throws Error{unsupported} without such a card.
  CudaContext(const Driver& driver, int index) : driver_(driver) {
    int count = 0;
    driver.device_count(&count);
    require(index >= 0 && index < count, ErrorCode::unsupported,
            "a CUDA card must have a number below the number of cards:", index, count);
    driver.device(&number_, index);
    driver.retain_context(&context_, number_);
  }

  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  // At the end of the process the driver may be gone already.
  ~CudaContext() { driver_.release_context.result_of(number_); }

  const Driver& driver() const { return driver_; }

  DeviceNumber number() const { return number_; }

  Context handle() const { return context_; }

  /// Makes the driver's calls of this thread use this card.
  const Driver& enter() const {
    driver_.set_context(context_);
    return driver_;
  }

 private:
  const Driver& driver_;
  DeviceNumber number_ = 0;
  Context context_ = nullptr;
};

/// The context of a card of this process. It stays until the process ends, since making one anew
/// for every program would take longer than many programs.
std::shared_ptr<const CudaContext> lasting_context(int index);

/// Two events that measure the card's time between them.
class Timer {
 public:
  explicit Timer(const Driver& driver) : driver_(driver) {
    driver.create_event(&begin_, 0);
    const Result result = driver.create_event.result_of(&end_, 0);
    if (result == kSuccess) return;
    driver.destroy_event.result_of(begin_);
    driver.fail_call("cuEventCreate", result);
  }

  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  ~Timer() {
    driver_.destroy_event.result_of(begin_);
    driver_.destroy_event.result_of(end_);
  }

  void start(Stream stream) const { driver_.record_event(begin_, stream); }

  void stop(Stream stream) const { driver_.record_event(end_, stream); }

  /// Waits for the end.
  double seconds() const {
    driver_.synchronize_event(end_);
    float milliseconds = 0;
    driver_.elapsed_time(&milliseconds, begin_, end_);
    return static_cast<double>(milliseconds) / 1000;
  }

 private:
  const Driver& driver_;
  Event begin_ = nullptr;
  Event end_ = nullptr;
};

inline Address address_on_card(const std::byte* address) {
  return reinterpret_cast<uintptr_t>(address);
}

inline std::byte* pointer_to(Address address) {
  return reinterpret_cast<std::byte*>(static_cast<uintptr_t>(address));
}

}  // namespace litz::runtime::cuda
