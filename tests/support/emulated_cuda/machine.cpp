#include "machine.h"

#include <atomic>
#include <cstdio>
#include <cstring>

namespace emulated {

namespace {

thread_local void* current_context = nullptr;
char context_of_the_card = 0;
std::atomic<int> contexts = 0;

}  // namespace

void misuse(const std::string& text) {
  std::fprintf(stderr, "emulated CUDA: %s\n", text.c_str());
  std::abort();
}

Machine& machine() {
  static auto* const only = new Machine;  // Destructors of other objects may still use it at exit.
  return *only;
}

bool has_context() { return current_context == &context_of_the_card && contexts > 0; }

namespace {

struct Left {
  const char* kind;
  size_t count;
};

std::vector<Left> left() {
  return {{"memory", live_memory()},
          {"streams", live_streams()},
          {"events", live_events()},
          {"modules", live_modules()},
          {"graphs", live_graphs()},
          {"executable graphs", live_executables()},
          {"programs", live_programs()},
          {"products", live_products()},
          {"convolutions", live_convolutions()},
          {"communicators", live_communicators()},
          {"contexts", static_cast<size_t>(contexts.load())}};
}

/// Reports what is left when the process ends.
struct LeakReport {
  ~LeakReport() {
    for (const auto& [kind, count] : left()) {
      if (count > 0) std::fprintf(stderr, "emulated CUDA: %zu %s left at exit\n", count, kind);
    }
  }
};

const LeakReport report;

}  // namespace
}  // namespace emulated

using namespace emulated;
using litz::runtime::cuda::Attribute;

extern "C" {

// --- For tests

/// Makes the n-th call from now fail; 0: none.
void emulatedCudaFailCall(int64_t n) { machine().call_to_fail = n; }

int64_t emulatedCudaCalls() { return machine().calls; }

int64_t emulatedCudaLiveHandles() {
  int64_t sum = 0;
  for (const auto& [kind, count] : left()) sum += static_cast<int64_t>(count);
  return sum;
}

// --- The driver

Result cuGetErrorName(Result error, const char** text) {
  *text = error == kSuccess         ? "CUDA_SUCCESS"
          : error == kInvalidValue  ? "CUDA_ERROR_INVALID_VALUE"
          : error == kOutOfMemory   ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == kInvalidDevice ? "CUDA_ERROR_INVALID_DEVICE"
          : error == kInvalidImage  ? "CUDA_ERROR_INVALID_IMAGE"
          : error == kNotFound      ? "CUDA_ERROR_NOT_FOUND"
          : error == kNotReady      ? "CUDA_ERROR_NOT_READY"
                                    : "CUDA_ERROR_UNKNOWN";
  return kSuccess;
}

Result cuGetErrorString(Result error, const char** text) {
  *text = error == kUnknown ? "a test asked this call to fail" : "an emulated error";
  return kSuccess;
}

Result cuInit(unsigned flags) { return flags == 0 ? kSuccess : kInvalidValue; }

Result cuDriverGetVersion(int* version) {
  *version = 13000;
  return kSuccess;
}

Result cuDeviceGetCount(int* count) {
  *count = 1;
  return kSuccess;
}

Result cuDeviceGet(int* device, int number) {
  *device = number;
  return number == 0 ? kSuccess : kInvalidDevice;
}

Result cuDeviceGetName(char* name, int bytes, int device) {
  std::snprintf(name, static_cast<size_t>(bytes), "emulated card");
  return device == 0 ? kSuccess : kInvalidDevice;
}

Result cuDeviceGetAttribute(int* value, Attribute attribute, int device) {
  *value = attribute == Attribute::capability_major  ? 9
           : attribute == Attribute::multiprocessors ? 132
                                                     : 0;
  return device == 0 ? kSuccess : kInvalidDevice;
}

Result cuDevicePrimaryCtxRetain(void** context, int device) {
  return enter("cuDevicePrimaryCtxRetain", false, [&] {
    if (device != 0) return kInvalidDevice;
    ++contexts;
    *context = &context_of_the_card;
    return kSuccess;
  });
}

Result cuDevicePrimaryCtxRelease_v2(int device) {
  return enter("cuDevicePrimaryCtxRelease", false, [&] {
    if (device != 0) return kInvalidDevice;
    if (contexts-- == 0) misuse("the context is released too often");
    return kSuccess;
  });
}

Result cuCtxSetCurrent(void* context) {
  if (context != nullptr && context != &context_of_the_card) misuse("not a context");
  if (context != nullptr && contexts == 0) misuse("the context has been released");
  current_context = context;
  return kSuccess;
}

}  // extern "C"
