// Counts writes to memory that somebody keeps a tensor of, to notice that its contents changed.

#pragma once

#include <cstdint>
#include <memory>

#include "types/tensor.h"

namespace litz::compiler {

/// The writes to this memory so far; counts from the first call on. The storage must outlive what the
/// number is compared with.
uint64_t count_writes(const Storage* storage);

/// Forgets a storage that `count_writes` was called for, once for each such call.
void forget_writes(const Storage* storage);

/// A program has written to the memory.
void note_write(const Storage* storage);

}  // namespace litz::compiler
