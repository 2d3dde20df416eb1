// The state of the emulated driver: one card whose memory, streams and handles live in this process.
//
// Every function of the driver runs under one lock. Wrong use ends the process with a message, since
// a real driver would often do something else silently.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "runtime/cuda/driver.h"

namespace emulated {

using litz::runtime::cuda::Address;
using litz::runtime::cuda::Result;

inline constexpr Result kSuccess = 0;
inline constexpr Result kInvalidValue = 1;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kInvalidDevice = 101;
inline constexpr Result kInvalidImage = 200;
inline constexpr Result kNotFound = 500;
inline constexpr Result kNotReady = 600;
inline constexpr Result kUnknown = 999;

/// Ends the process: the program that is tested uses the driver wrongly.
[[noreturn]] void misuse(const std::string& text);

/// The handles of one kind.
template <typename T>
class Handles {
 public:
  explicit Handles(const char* kind) : kind_(kind) {}

  T* add(std::unique_ptr<T> object) {
    T* const handle = object.get();
    live_.emplace(handle, std::move(object));
    return handle;
  }

  /// Adds an object whose handle is a number that the driver defines.
  void add_as(const void* handle, std::unique_ptr<T> object) {
    live_.emplace(handle, std::move(object));
  }

  bool has(const void* handle) const { return live_.contains(handle); }

  T& get(const void* handle) const {
    const auto found = live_.find(handle);
    if (found == live_.end()) misuse(std::string("not a live ") + kind_);
    return *found->second;
  }

  void remove(const void* handle) {
    get(handle);
    live_.erase(handle);
  }

  size_t count() const { return live_.size(); }

  const char* kind() const { return kind_; }

  const std::map<const void*, std::unique_ptr<T>>& all() const { return live_; }

 private:
  const char* kind_;
  std::map<const void*, std::unique_ptr<T>> live_;
};

/// A number from the environment.
inline int64_t setting(const char* name, int64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::atoll(text) : otherwise;
}

struct Machine {
  std::recursive_mutex mutex;
  int64_t calls = 0;
  int64_t call_to_fail = setting("LITZ_EMULATED_CUDA_FAIL", 0);
  std::mt19937_64 random{static_cast<uint64_t>(setting("LITZ_EMULATED_CUDA_SEED", 1))};
};

Machine& machine();

bool has_context();

/// Runs the body of a function of the driver. One that needs a context must have made it current.
template <typename Body>
int enter(const char* name, bool needs_context, const Body& body) {
  const std::lock_guard lock(machine().mutex);
  ++machine().calls;
  if (machine().call_to_fail > 0 && --machine().call_to_fail == 0) return kUnknown;
  if (needs_context && !has_context()) misuse(std::string(name) + " without a current context");
  return body();
}

// --- Memory (memory.cpp)

/// Lets work touch the memory of the card while it lives.
class OpenMemory {
 public:
  OpenMemory();
  ~OpenMemory();
  OpenMemory(const OpenMemory&) = delete;
  OpenMemory& operator=(const OpenMemory&) = delete;
};

/// Ends the process unless all bytes are memory of the card, or pinned memory of the host.
void require_usable(Address begin, size_t bytes, const char* what);
bool is_pinned(const void* begin);

inline void* pointer_to(Address address) {
  return reinterpret_cast<void*>(static_cast<uintptr_t>(address));
}

// --- Work (streams.cpp)

using Job = uint64_t;

/// Adds work to a stream. It also waits for job `after`; 0: none.
Job give(void* stream, std::function<void()> work, Job after = 0);
/// Adds work that also waits until it is ready, which work of another thread decides.
Job give_when(void* stream, std::function<bool()> is_ready, std::function<void()> work);
/// Lets other threads call the driver until one of them has added work; false if none does.
bool let_others_add();
void wake_others();
void finish_stream(void* stream);
void finish_all();
bool is_idle();
/// True if work waits that may use what this thread gives back. Work of other ranks does not: each would
/// have a card of its own.
bool has_work_here();
/// From now on threads are ranks.
void have_ranks();

/// Makes a graph of captured work, in order (graphs.cpp).
void* graph_of_work(std::vector<std::function<void()>> work);

// --- Kernels (modules.cpp)

struct KernelRun {
  const struct FunctionObject* function = nullptr;
  unsigned blocks = 1;
  unsigned threads = 1;
  std::vector<std::vector<std::byte>> arguments;
};

/// Copies the arguments of a launch, and checks it.
KernelRun kernel_run(const litz::runtime::cuda::KernelNode& node);
void run_kernel(const KernelRun& run);

// Handles that are left, by kind.
size_t live_memory();
size_t live_streams();
size_t live_events();
size_t live_modules();
size_t live_graphs();
size_t live_executables();
size_t live_programs();
size_t live_products();
size_t live_convolutions();
size_t live_communicators();

}  // namespace emulated
