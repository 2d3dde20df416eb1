// Numbers for threads, by which they choose what they share with few others.

#pragma once

#include <cstddef>

namespace litz::runtime {

/// A number for the calling thread, from 0: the smallest that no other thread has, which keeps it until it
/// ends. Threads beyond the last one share numbers.
size_t thread_slot(size_t count);

}  // namespace litz::runtime
