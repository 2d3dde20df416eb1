#include "runtime/cuda/driver.h"

#include <cstdlib>
#include <dlfcn.h>

#include "support/text.h"

namespace litz::runtime::cuda {
namespace {

constexpr int kLeastVersion = 12040;  // cuFuncGetParamInfo came with 12.4.

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

ErrorCode code_of(Result result) {
  constexpr Result kFirstOfMachine = 34;  // A stub, an old driver, no card, a wrong image.
  constexpr Result kLastOfMachine = 303;
  if (result == kOutOfMemory) return ErrorCode::out_of_memory;
  const bool is_of_machine = result >= kFirstOfMachine && result <= kLastOfMachine;
  return is_of_machine ? ErrorCode::unsupported : ErrorCode::io;
}

DriverSearch search() {
  const char* const other = std::getenv("LITZ_CUDA_DRIVER");
  try {
    // The driver stays open until the process ends: contexts may outlive every owner here.
    static const std::unique_ptr<const Driver> driver =
        Driver::open(other != nullptr && *other != '\0' ? other : "libcuda.so.1");
    return {driver.get(), "", other != nullptr && *other != '\0'};
  } catch (const Error& error) {
    return {nullptr, error.message()};
  }
}

struct Capability {
  int major = 0;
  int minor = 0;
};

Capability capability_of(const Driver& driver, DeviceNumber device) {
  Capability capability;
  driver.device_attribute(&capability.major, Attribute::capability_major, device);
  driver.device_attribute(&capability.minor, Attribute::capability_minor, device);
  return capability;
}

std::string describe_card(const Driver& driver, int index) {
  DeviceNumber device = 0;
  driver.device(&device, index);
  char name[256] = {};
  driver.device_name(name, sizeof name, device);
  size_t bytes = 0;
  driver.device_memory(&bytes, device);
  const auto [major, minor] = capability_of(driver, device);
  return "cuda:" + std::to_string(index) + " " + name + ", " + human_bytes(bytes) +
         ", compute capability " + std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace

void* DriverLibrary::find(const char* name) const {
  void* const function = ::dlsym(library_, name);
  require(function != nullptr, ErrorCode::unsupported,
          "the NVIDIA driver must have this function (is it too old?):", name);
  return function;
}

std::unique_ptr<const Driver> Driver::open(const std::string& library) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  require(handle != nullptr, ErrorCode::unsupported,
          ("no NVIDIA driver: " + library + " could not be opened").c_str());
  std::unique_ptr<const Driver> driver(new Driver(handle));
  driver->init(0);
  int version = 0;
  driver->version(&version);
  require(version >= kLeastVersion, ErrorCode::unsupported,
          "the NVIDIA driver must be for CUDA 12.4 or later, not", version_text(version));
  return driver;
}

void Driver::fail_call(const char* name, Result result) const {
  const char* kind = nullptr;
  const char* text = nullptr;
  error_name.result_of(result, &kind);
  error_text.result_of(result, &text);
  const std::string why = kind != nullptr ? kind : "error " + std::to_string(result);
  fail(code_of(result), "a call of the NVIDIA driver must succeed:", name, "gave",
       why + (text != nullptr ? ": " + std::string(text) : ""));
}

const DriverSearch& find_driver() {
  static const DriverSearch found = search();
  return found;
}

std::string architecture(int index) {
  const DriverSearch& found = find_driver();
  require(found.driver != nullptr, ErrorCode::unsupported, found.reason.c_str());
  DeviceNumber device = 0;
  int count = 0;
  found.driver->device_count(&count);
  require(index < count, ErrorCode::unsupported,
          "a CUDA card must have a number below the number of cards:", index, count);
  found.driver->device(&device, index);
  const auto [major, minor] = capability_of(*found.driver, device);
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

std::string describe_cards() {
  const DriverSearch& found = find_driver();
  if (found.driver == nullptr) return "none (" + found.reason + ")";
  try {
    int version = 0;
    int count = 0;
    found.driver->version(&version);
    found.driver->device_count(&count);
    std::string text = "driver for CUDA " + version_text(version);
    for (int i = 0; i < count; ++i) text += "; " + describe_card(*found.driver, i);
    return count > 0 ? text : text + "; no card";
  } catch (const Error& error) {
    return "none (" + error.message() + ")";
  }
}

}  // namespace litz::runtime::cuda
