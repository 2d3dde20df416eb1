// The loop that times calls and the counter of allocations, for one library in one program. One
// source of a program includes it.
//
// malloc and its relatives, as defined here, serve the whole process: the program's symbols come
// before those of every library that it loads. Memory that a library takes from an arena of its own
// is not counted, and every thread is.

#pragma once

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

// glibc's own names of what is replaced below.
extern "C" {
void* __libc_malloc(size_t bytes);                      // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(size_t count, size_t bytes);        // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* memory, size_t bytes);       // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(size_t alignment, size_t bytes);  // NOLINT(bugprone-reserved-identifier)
void __libc_free(void* memory);                         // NOLINT(bugprone-reserved-identifier)
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWarmUp = 1'000;
constexpr int kCalls = 20'000;  // A round's.

constexpr int64_t kRows = 4;
constexpr int64_t kInputColumns = 8;
constexpr int64_t kOutputColumns = 3;

std::atomic<int64_t> allocations{0};

void count_allocation() { allocations.fetch_add(1, std::memory_order_relaxed); }

/// The caller's memory, which every library is given. Aligned as they like it best.
struct Buffers {
  alignas(64) std::array<float, kRows * kInputColumns> input;
  alignas(64) std::array<float, kRows * kOutputColumns> output;

  /// Values that differ, so that a wrong layout shows.
  Buffers() : output{} {
    for (size_t i = 0; i < input.size(); ++i) input[i] = 0.125F * static_cast<float>(i) - 1.5F;
  }
};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

/// Of all threads of the process.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Prints one line for the driver: the way to call, ns of processor time, ns by the clock and
/// allocations a call, and the results of one more call. `read` takes what `call` returns, and
/// returns where the results lie.
template <typename Call, typename Read>
void measure(const char* way, Buffers& buffers, const Call& call, const Read& read) {
  for (int i = 0; i < kWarmUp; ++i) call();
  const int64_t before = allocations;
  const Clock::time_point start = Clock::now();
  const double processor_start = processor_seconds();
  for (int i = 0; i < kCalls; ++i) call();
  const double processor = processor_seconds() - processor_start;
  const double clock = std::chrono::duration<double>(Clock::now() - start).count();
  const auto counted = static_cast<double>(allocations - before);
  std::printf("%s\t%.1f\t%.1f\t%.3f\t", way, 1e9 * processor / kCalls, 1e9 * clock / kCalls,
              counted / kCalls);
  buffers.output.fill(0);
  auto results = call();
  const float* const values = read(results);
  for (size_t i = 0; i < buffers.output.size(); ++i) std::printf("%.9g ", values[i]);
  std::printf("\n");
}

/// For calls that return nothing and must write to the caller's memory.
template <typename Call>
void measure_in_place(const char* way, Buffers& buffers, const Call& call) {
  const auto call_and_return = [&] {
    call();
    return 0;
  };
  measure(way, buffers, call_and_return, [&](int) { return buffers.output.data(); });
}

}  // namespace

extern "C" {

void* malloc(size_t bytes) {
  count_allocation();
  return __libc_malloc(bytes);
}

void* calloc(size_t count, size_t bytes) {
  count_allocation();
  return __libc_calloc(count, bytes);
}

void* realloc(void* memory, size_t bytes) {
  count_allocation();
  return __libc_realloc(memory, bytes);
}

void* memalign(size_t alignment, size_t bytes) {
  count_allocation();
  return __libc_memalign(alignment, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) {
  count_allocation();
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  count_allocation();
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}

void free(void* memory) { __libc_free(memory); }

}  // extern "C"
